//! The owner of a runtime.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use crate::engine::base::current;
use crate::engine::context;
use crate::engine::sched::SchedHandle;
use crate::engine::task;
use crate::runtime::{Builder, EnterGuard, Handle, RuntimeMetrics};
use crate::task::JoinHandle;

/// A runtime, and the right to end it.
///
/// Dropping it shuts it down: tasks are dropped at their next `.await`, threads leave, and the drop
/// waits for them. A blocking function that has begun is waited for without limit;
/// [`shutdown_timeout`](Self::shutdown_timeout) and
/// [`shutdown_background`](Self::shutdown_background) do not.
///
/// # Panics
///
/// Dropping a runtime within an asynchronous context panics, as the thread would have to wait.
#[derive(Debug)]
pub struct Runtime {
    handle: Handle,
    /// How long dropping waits for the threads; `None` is without limit.
    patience: Option<Duration>,
    down: bool,
}

impl Runtime {
    /// A multi-thread runtime with a worker a core, and I/O and time enabled.
    ///
    /// # Errors
    ///
    /// If the system gives no thread, or no descriptors for the reactor.
    pub fn new() -> io::Result<Runtime> {
        Builder::new_multi_thread().enable_all().build()
    }

    pub(super) fn from_handle(handle: Handle) -> Self {
        Self {
            handle,
            patience: None,
            down: false,
        }
    }

    /// The handle, with which other threads spawn.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Spawns a task; see [`heist::spawn`](crate::spawn).
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// Runs a blocking function on the runtime's pool; see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(func)
    }

    /// Runs `future` to its end on this thread. A current-thread runtime runs its tasks here
    /// meanwhile.
    ///
    /// ```
    /// let runtime = heist::runtime::Runtime::new().unwrap();
    /// assert_eq!(runtime.block_on(async { 40 + 2 }), 42);
    /// ```
    ///
    /// # Panics
    ///
    /// Within an asynchronous context, and if the future panics.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        match &self.handle.scheduler {
            SchedHandle::Crew(_) | SchedHandle::Custom(_) => self.handle.block_on(future),
            SchedHandle::CurrentThread(scheduler) => {
                // What the future drops at its end may ask for the runtime, and may block.
                let _entered = self.enter();
                let future = pin!(future);
                context::run_in(&self.handle.scheduler, true, || scheduler.block_on(future))
            }
        }
    }

    /// Enters the runtime; see [`Handle::enter`].
    pub fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }

    /// Shuts the runtime down and waits at most `duration` for its threads.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let runtime = heist::runtime::Runtime::new().unwrap();
    /// runtime.spawn_blocking(|| std::thread::sleep(Duration::from_secs(1)));
    /// runtime.shutdown_timeout(Duration::from_millis(10));
    /// ```
    pub fn shutdown_timeout(mut self, duration: Duration) {
        self.patience = Some(duration);
    }

    /// Shuts the runtime down without waiting for anything. May be called in an asynchronous context.
    pub fn shutdown_background(self) {
        self.shutdown_timeout(Duration::ZERO);
    }

    fn stop_watch(&self, wait: bool) {
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.stop_watch(wait),
            SchedHandle::Custom(crew) => crew.stop_watch(wait),
            SchedHandle::CurrentThread(_) => {}
        }
    }

    /// What the runtime counts about itself.
    pub fn metrics(&self) -> RuntimeMetrics {
        self.handle.metrics()
    }
}

impl Drop for Runtime {
    #[track_caller]
    fn drop(&mut self) {
        if std::mem::replace(&mut self.down, true) {
            return;
        }
        let pool = &self.handle.scheduler.services().pool;
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.close(),
            SchedHandle::Custom(crew) => crew.close(),
            SchedHandle::CurrentThread(scheduler) => {
                // What tasks drop may ask for its runtime.
                let _entered = context::enter(self.handle.scheduler.clone());
                scheduler.shutdown();
            }
        }
        {
            // So may what blocking functions drop that are cancelled.
            let _entered = context::enter(self.handle.scheduler.clone());
            pool.shutdown();
        }
        self.stop_watch(false);
        if self.patience == Some(Duration::ZERO) {
            task::release_large_cells();
            return;
        }
        if !current::may_block() {
            if std::thread::panicking() {
                return;
            }
            panic!(
                "Cannot drop a runtime in a context where blocking is not allowed. This happens when a \
                 runtime is dropped from within an asynchronous context: use `shutdown_background`."
            );
        }
        pool.wait(self.patience);
        self.stop_watch(true);
        task::release_large_cells();
        if let SchedHandle::Custom(crew) = &self.handle.scheduler
            && !std::thread::panicking()
        {
            crew.report_fault();
        }
    }
}
