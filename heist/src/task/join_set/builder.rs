//! Tasks of a set that are set up first.

use std::fmt;
use std::future::Future;
use std::io;

use crate::runtime::Handle;
use crate::task::{self, AbortHandle, JoinSet, LocalSet};

/// Sets a task of a [`JoinSet`] up; made by [`JoinSet::build_task`].
#[must_use = "builders do nothing until something is spawned"]
pub struct Builder<'a, T> {
    set: &'a mut JoinSet<T>,
    name: Option<&'a str>,
}

impl<'a, T: 'static> Builder<'a, T> {
    pub(super) fn new(set: &'a mut JoinSet<T>) -> Self {
        Self { set, name: None }
    }

    /// Names the task, for those who look at it from outside.
    pub fn name(self, name: &'a str) -> Self {
        let name = Some(name);
        Self { name, ..self }
    }

    /// As [`JoinSet::spawn`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let task = task::Builder::named(self.name).spawn(future)?;
        Ok(self.set.insert(task))
    }

    /// As [`JoinSet::spawn_on`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let task = task::Builder::named(self.name).spawn_on(future, handle)?;
        Ok(self.set.insert(task))
    }

    /// As [`JoinSet::spawn_blocking`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_blocking<F>(self, f: F) -> io::Result<AbortHandle>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        let task = task::Builder::named(self.name).spawn_blocking(f)?;
        Ok(self.set.insert(task))
    }

    /// As [`JoinSet::spawn_blocking_on`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_blocking_on<F>(self, f: F, handle: &Handle) -> io::Result<AbortHandle>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        let task = task::Builder::named(self.name).spawn_blocking_on(f, handle)?;
        Ok(self.set.insert(task))
    }

    /// As [`JoinSet::spawn_local`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + 'static,
    {
        let task = task::Builder::named(self.name).spawn_local(future)?;
        Ok(self.set.insert(task))
    }

    /// As [`JoinSet::spawn_local_on`].
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + 'static,
    {
        let task = task::Builder::named(self.name).spawn_local_on(future, local_set)?;
        Ok(self.set.insert(task))
    }
}

impl<T> fmt::Debug for Builder<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("join_set::Builder")
            .field("set", &self.set)
            .field("name", &self.name)
            .finish()
    }
}
