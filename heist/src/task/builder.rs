//! Tasks that are set up first.

use std::fmt;
use std::future::Future;
use std::io;

use crate::engine::task::Origin;
use crate::runtime::Handle;
use crate::task::local_set::spawn_local_from;
use crate::task::spawning::spawn_from;
use crate::task::{JoinHandle, LocalSet};

/// Sets a task up before it is spawned.
///
/// A name is all there is to set. It stays with the task: [hooks](crate::runtime::TaskMeta::name) and
/// [lists of tasks](crate::runtime::Handle::tasks) show it.
///
/// ```
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let task = heist::task::Builder::new().name("adder").spawn(async { 1 + 1 })?;
/// assert_eq!(task.await?, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use = "builders do nothing until something is spawned"]
pub struct Builder<'a> {
    name: Option<&'a str>,
}

impl<'a> Builder<'a> {
    /// Of a task without a name.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn named(name: Option<&'a str>) -> Self {
        Self { name }
    }

    /// Names the task.
    pub fn name(&self, name: &'a str) -> Self {
        Self { name: Some(name) }
    }

    /// As [`heist::spawn`](crate::spawn).
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<Fut>(self, future: Fut) -> io::Result<JoinHandle<Fut::Output>>
    where
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        Ok(spawn_from(future, Origin::named(self.name)))
    }

    /// As [`Handle::spawn`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_on<Fut>(self, future: Fut, handle: &Handle) -> io::Result<JoinHandle<Fut::Output>>
    where
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        Ok(handle.spawn_from(future, Origin::named(self.name)))
    }

    /// As [`spawn_local`](crate::task::spawn_local).
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// Outside of a [`LocalSet`] and a [`LocalRuntime`](crate::runtime::LocalRuntime).
    #[track_caller]
    pub fn spawn_local<Fut>(self, future: Fut) -> io::Result<JoinHandle<Fut::Output>>
    where
        Fut: Future + 'static,
        Fut::Output: 'static,
    {
        Ok(spawn_local_from(future, Origin::named(self.name)))
    }

    /// As [`LocalSet::spawn_local`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_local_on<Fut>(
        self,
        future: Fut,
        local_set: &LocalSet,
    ) -> io::Result<JoinHandle<Fut::Output>>
    where
        Fut: Future + 'static,
        Fut::Output: 'static,
    {
        Ok(local_set.spawn_local_from(future, Origin::named(self.name)))
    }

    /// As [`spawn_blocking`](crate::task::spawn_blocking).
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// Outside of a runtime, and if the system gives no thread and the pool has none.
    #[track_caller]
    pub fn spawn_blocking<Function, Output>(
        self,
        function: Function,
    ) -> io::Result<JoinHandle<Output>>
    where
        Function: FnOnce() -> Output + Send + 'static,
        Output: Send + 'static,
    {
        Ok(Handle::current().spawn_blocking_from(function, Origin::named(self.name)))
    }

    /// As [`Handle::spawn_blocking`].
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// If the system gives no thread and the pool has none.
    #[track_caller]
    pub fn spawn_blocking_on<Function, Output>(
        self,
        function: Function,
        handle: &Handle,
    ) -> io::Result<JoinHandle<Output>>
    where
        Function: FnOnce() -> Output + Send + 'static,
        Output: Send + 'static,
    {
        Ok(handle.spawn_blocking_from(function, Origin::named(self.name)))
    }
}

impl fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("name", &self.name).finish()
    }
}
