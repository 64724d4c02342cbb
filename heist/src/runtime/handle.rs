//! The handle to a runtime.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::pin;

use crate::engine::blocking::{Job, Mandatory, SubmitError, blocking_task};
use crate::engine::context;
use crate::engine::sched::SchedHandle;
use crate::engine::sched::blocking_job::BlockingJob;
use crate::engine::task;
use crate::runtime::{Id, RuntimeMetrics};
use crate::task::JoinHandle;

/// Refers to a runtime: spawns tasks on it from anywhere.
///
/// Cheap to clone. It does not keep the runtime running: when the [`Runtime`](super::Runtime) is
/// dropped, tasks spawned through a handle are cancelled at once.
///
/// ```
/// use heist::runtime::{Handle, Runtime};
///
/// let runtime = Runtime::new().unwrap();
/// let handle: Handle = runtime.handle().clone();
/// let task = std::thread::spawn(move || handle.spawn(async { 1 + 1 })).join().unwrap();
/// assert_eq!(runtime.block_on(task).unwrap(), 2);
/// ```
#[derive(Clone)]
pub struct Handle {
    pub(crate) scheduler: SchedHandle,
}

/// The kinds of runtime.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeFlavor {
    /// All on one thread.
    CurrentThread,
    /// Workers that steal from each other.
    MultiThread,
}

/// Keeps the thread in a runtime's context until it is dropped.
///
/// Made by [`Handle::enter`] and [`Runtime::enter`](super::Runtime::enter).
#[derive(Debug)]
#[must_use = "dropping the guard leaves the runtime again"]
pub struct EnterGuard<'a> {
    _entered: context::Entered,
    _runtime: PhantomData<&'a Handle>,
}

impl Handle {
    /// Enters the runtime: until the guard is dropped, [`spawn`](crate::spawn), timers and sockets
    /// on this thread belong to it.
    ///
    /// # Panics
    ///
    /// Dropping guards in another order than the reverse of their making panics.
    ///
    /// ```
    /// let runtime = heist::runtime::Runtime::new().unwrap();
    /// let guard = runtime.handle().enter();
    /// let task = heist::spawn(async { "inside" });
    /// drop(guard);
    /// assert_eq!(runtime.block_on(task).unwrap(), "inside");
    /// ```
    pub fn enter(&self) -> EnterGuard<'_> {
        EnterGuard {
            _entered: context::enter(self.scheduler.clone()),
            _runtime: PhantomData,
        }
    }

    /// The handle of the runtime this thread is in.
    ///
    /// # Panics
    ///
    /// Outside of a runtime; [`try_current`](Self::try_current) does not.
    #[track_caller]
    pub fn current() -> Self {
        match Self::try_current() {
            Ok(handle) => handle,
            Err(error) => panic!("{error}"),
        }
    }

    /// The handle of the runtime this thread is in.
    ///
    /// # Errors
    ///
    /// Outside of a runtime.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        match context::current() {
            Some(scheduler) => Ok(Self { scheduler }),
            None => Err(TryCurrentError(())),
        }
    }

    /// Spawns a task on the runtime; see [`heist::spawn`](crate::spawn).
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.scheduler.spawn(future, task::Id::next())
    }

    /// As [`spawn`](Self::spawn), on worker `worker`, with a strategy whose tasks have a worker:
    /// [`Sharded`](crate::scheduler::Sharded) or [`RoundRobin`](crate::scheduler::RoundRobin). With
    /// [`WorkStealing`](crate::scheduler::WorkStealing) it makes no difference. It is
    /// `spawn_tagged(worker + 1, future)`: other strategies make of it what they make of that tag.
    ///
    /// # Panics
    ///
    /// If there is no such worker.
    #[track_caller]
    pub fn spawn_on<F>(&self, worker: usize, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let workers = self.metrics().num_workers();
        assert!(
            worker < workers,
            "there is no worker {worker}, of {workers}"
        );
        self.spawn_tagged(worker as u32 + 1, future)
    }

    /// As [`spawn`](Self::spawn), with a tag for a [scheduler](crate::scheduler) that knows what to make of it;
    /// others ignore it.
    #[track_caller]
    pub fn spawn_tagged<F>(&self, tag: u32, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.scheduler
            .spawn_tagged_at(future, task::Id::next(), tag, Location::caller())
    }

    /// Runs a blocking function on the runtime's pool; see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.submit_blocking(func, Mandatory::No)
    }

    #[track_caller]
    pub(crate) fn submit_blocking<F, R>(&self, func: F, mandatory: Mandatory) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let (runnable, join) = blocking_task(func);
        let job = BlockingJob::new(runnable, &self.scheduler);
        match self.scheduler.services().pool.submit(job, mandatory) {
            Ok(()) => {}
            Err(SubmitError::ShutDown(job)) => job.cancel(),
            Err(SubmitError::NoThread(error, job)) => {
                job.cancel();
                panic!("OS can't spawn worker thread: {error}");
            }
        }
        join
    }

    /// Runs a function that has to be run, even if the runtime is shut down before its turn comes.
    /// `None` if the pool does not take it: then it was dropped.
    pub(crate) fn submit_mandatory<F, R>(&self, func: F) -> Option<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let (runnable, join) = blocking_task(func);
        let job = BlockingJob::new(runnable, &self.scheduler);
        match self.scheduler.services().pool.submit(job, Mandatory::Yes) {
            Ok(()) => Some(join),
            Err(SubmitError::ShutDown(job) | SubmitError::NoThread(_, job)) => {
                job.cancel();
                None
            }
        }
    }

    /// Runs `future` to its end on this thread.
    ///
    /// On a current-thread runtime this drives neither tasks nor timers: somebody has to be in
    /// [`Runtime::block_on`](super::Runtime::block_on).
    ///
    /// # Panics
    ///
    /// Within an asynchronous context, and if the future panics.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        context::run_in(&self.scheduler, || match &self.scheduler {
            SchedHandle::Crew(crew) => crew.block_on(future.as_mut()),
            SchedHandle::Custom(crew) => crew.block_on(future.as_mut()),
            SchedHandle::CurrentThread(_) => crate::engine::base::parker::block_on(future.as_mut()),
        })
    }

    /// Which kind of runtime it is.
    pub fn runtime_flavor(&self) -> RuntimeFlavor {
        match self.scheduler {
            SchedHandle::Crew(_) | SchedHandle::Custom(_) => RuntimeFlavor::MultiThread,
            SchedHandle::CurrentThread(_) => RuntimeFlavor::CurrentThread,
        }
    }

    /// The runtime's id.
    pub fn id(&self) -> Id {
        Id::of(self.scheduler.services().id)
    }

    /// The name that the runtime was [given](crate::runtime::Builder::name), if it was.
    pub fn name(&self) -> Option<&str> {
        self.scheduler.services().name.as_deref()
    }

    /// What the runtime counts about itself.
    pub fn metrics(&self) -> RuntimeMetrics {
        RuntimeMetrics::new(self.clone())
    }
}

// A panic in a task is caught and told to who joins it; the scheduler's own state is whole.
impl UnwindSafe for Handle {}
impl RefUnwindSafe for Handle {}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("flavor", &self.runtime_flavor())
            .field("id", &self.id())
            .finish()
    }
}

/// There is no runtime here.
///
/// Returned by [`Handle::try_current`].
#[derive(Clone, PartialEq, Eq)]
pub struct TryCurrentError(());

impl TryCurrentError {
    /// True if the thread is in no runtime.
    pub fn is_missing_context(&self) -> bool {
        true
    }

    /// True if the thread is being torn down, so that its runtime cannot be told any more. That does
    /// not happen in heist, which can tell until the very end.
    pub fn is_thread_local_destroyed(&self) -> bool {
        false
    }
}

impl fmt::Debug for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TryCurrentError(NoContext)")
    }
}

impl fmt::Display for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::engine::context::NO_RUNTIME)
    }
}

impl std::error::Error for TryCurrentError {}
