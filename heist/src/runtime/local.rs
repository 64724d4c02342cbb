//! A runtime of one thread.

use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

use crate::engine::sched::SchedHandle;
use crate::engine::task::Id;
use crate::engine::task::Origin;
use crate::runtime::{Builder, EnterGuard, Handle, Runtime, RuntimeMetrics};
use crate::task::JoinHandle;

/// A current-thread runtime that stays on the thread it was made on: its tasks need not be `Send`.
///
/// [`spawn_local`](crate::task::spawn_local) works in all of its tasks, without a
/// [`LocalSet`](crate::task::LocalSet). Its [`Handle`] is an ordinary one: other threads spawn what is
/// `Send` with it.
///
/// ```
/// use std::rc::Rc;
/// use heist::runtime::LocalRuntime;
///
/// let runtime = LocalRuntime::new().unwrap();
/// let length = runtime.block_on(async {
///     let text = Rc::new("not `Send`");
///     heist::task::spawn_local(async move { text.len() }).await.unwrap()
/// });
/// assert_eq!(length, 10);
/// ```
///
/// It cannot be moved to another thread:
///
/// ```compile_fail
/// let runtime = heist::runtime::LocalRuntime::new().unwrap();
/// std::thread::spawn(move || drop(runtime));
/// ```
///
/// # Panics
///
/// Dropping a runtime within an asynchronous context panics, as the thread would have to wait.
#[derive(Debug)]
pub struct LocalRuntime {
    runtime: Runtime,
    /// It is driven and shut down by the thread that made it.
    _thread_bound: PhantomData<*mut u8>,
}

/// Options of a [`LocalRuntime`], for [`Builder::build_local`]. There are none yet.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LocalOptions {
    /// Options may come to hold what stays on its thread.
    _thread_bound: PhantomData<*mut u8>,
}

impl LocalRuntime {
    /// A local runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// If the system gives no descriptors for the reactor.
    pub fn new() -> io::Result<LocalRuntime> {
        Builder::new_current_thread()
            .enable_all()
            .build_local(LocalOptions::default())
    }

    /// On `runtime`, whose owner is this thread.
    pub(super) fn new_on(runtime: Runtime) -> Self {
        Self {
            runtime,
            _thread_bound: PhantomData,
        }
    }

    /// The handle, with which other threads spawn what is `Send`.
    pub fn handle(&self) -> &Handle {
        self.runtime.handle()
    }

    /// Spawns a task that stays on this thread; see [`spawn_local`](crate::task::spawn_local). It
    /// runs while the runtime is in [`block_on`](Self::block_on).
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        match &self.handle().scheduler {
            SchedHandle::CurrentThread(scheduler) => {
                scheduler.spawn_on_owner(future, Id::next(), Origin::here())
            }
            SchedHandle::Crew(_) | SchedHandle::Custom(_) => {
                unreachable!("a local runtime has one thread")
            }
        }
    }

    /// Runs a blocking function on the runtime's pool; see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.runtime.spawn_blocking(func)
    }

    /// Runs `future` to its end, and all tasks meanwhile.
    ///
    /// # Panics
    ///
    /// Within an asynchronous context, and if the future panics.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Enters the runtime; see [`Handle::enter`].
    pub fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Shuts the runtime down and waits at most `duration` for its blocking functions.
    pub fn shutdown_timeout(self, duration: Duration) {
        self.runtime.shutdown_timeout(duration);
    }

    /// Shuts the runtime down without waiting for anything. May be called in an asynchronous context.
    pub fn shutdown_background(self) {
        self.runtime.shutdown_background();
    }

    /// What the runtime counts about itself.
    pub fn metrics(&self) -> RuntimeMetrics {
        self.runtime.metrics()
    }
}

impl UnwindSafe for LocalRuntime {}
impl RefUnwindSafe for LocalRuntime {}
