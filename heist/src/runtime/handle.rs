//! The handle to a runtime.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::pin;

use crate::engine::base::parker;
use crate::engine::blocking::{Job, Mandatory, SubmitError, blocking_task};
use crate::engine::context;
use crate::engine::sched::SchedHandle;
use crate::engine::sched::blocking_job::BlockingJob;
use crate::engine::task;
use crate::engine::task::{Activity, Listed, Origin};
use crate::engine::timer::clock::real_now;
use crate::runtime::{Id, RuntimeMetrics, TaskInfo};
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
        self.spawn_from(future, Origin::here())
    }

    pub(crate) fn spawn_from<F>(&self, future: F, origin: Origin) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.scheduler.spawn(future, task::Id::next(), origin)
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
        self.spawn_tagged(worker as u16 + 1, future)
    }

    /// As [`spawn`](Self::spawn), with a tag for a [scheduler](crate::scheduler) that knows what to make of it;
    /// others ignore it.
    #[track_caller]
    pub fn spawn_tagged<F>(&self, tag: u16, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.scheduler
            .spawn_tagged(future, task::Id::next(), tag, Origin::here())
    }

    /// Runs a blocking function on the runtime's pool; see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.spawn_blocking_from(func, Origin::here())
    }

    #[track_caller]
    pub(crate) fn spawn_blocking_from<F, R>(&self, func: F, origin: Origin) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let (runnable, join) = blocking_task(func, origin);
        let job = BlockingJob::new(runnable, &self.scheduler);
        match self.scheduler.services().pool.submit(job, Mandatory::No) {
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
    #[track_caller]
    pub(crate) fn submit_mandatory<F, R>(&self, func: F) -> Option<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let (runnable, join) = blocking_task(func, Origin::here());
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
        context::run_in(&self.scheduler, false, || {
            // Here, as what it drops may ask for the runtime.
            let mut future = pin!(future);
            match &self.scheduler {
                SchedHandle::Crew(crew) => crew.block_on(future.as_mut()),
                SchedHandle::Custom(crew) => crew.block_on(future.as_mut()),
                SchedHandle::CurrentThread(_) => parker::block_on(future.as_mut()),
            }
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

    /// The tasks of the runtime that have not ended, each as it was a moment ago. heist's own.
    ///
    /// Those that have never been polled, and those in their first poll, are listed only if the runtime was
    /// built with [`track_all_tasks`](crate::runtime::Builder::track_all_tasks): by default a task is listed
    /// when it first waits, which most short ones never do. What a [`LocalSet`](crate::task::LocalSet) runs,
    /// and blocking functions, are not among them.
    ///
    /// This is what there is in the place of Tokio's `Handle::dump`, which needs `tokio_unstable` and its feature
    /// `taskdump`, and shows the stack in which each task waits. To know that, all tasks have to be polled once more.
    /// Here none is: the list tells who waits and who runs, not where in its code.
    ///
    /// It locks each list of tasks while it copies it, so it is meant for every now and then: a button on a
    /// status page, a look once a second.
    ///
    /// ```
    /// use heist::runtime::TaskState;
    ///
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let task = heist::task::Builder::new().name("sleeper").spawn(std::future::pending::<()>()).unwrap();
    /// heist::task::yield_now().await;
    ///
    /// let tasks = heist::runtime::Handle::current().tasks();
    /// assert_eq!(tasks[0].id(), task.id());
    /// assert_eq!(tasks[0].name(), Some("sleeper"));
    /// assert_eq!(tasks[0].state(), TaskState::Idle);
    /// assert_eq!(tasks[0].poll_count(), 1);
    /// println!("{}", tasks[0]);
    /// # task.abort();
    /// # }
    /// ```
    pub fn tasks(&self) -> Vec<TaskInfo> {
        let listed = self.scheduler.tasks();
        let now = real_now();
        let mut seen = self.scheduler.services().long_polls.lock();
        let before = std::mem::take(&mut *seen);
        let info = |task: Listed| {
            let running_for = (task.activity == Activity::Running).then(|| {
                let key = (task.id, task.polls);
                let since = before.get(&key).copied().unwrap_or(now);
                seen.insert(key, since);
                now.saturating_duration_since(since)
            });
            TaskInfo { task, running_for }
        };
        listed.into_iter().map(info).collect()
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
        f.write_str(crate::engine::base::words::NO_RUNTIME)
    }
}

impl std::error::Error for TryCurrentError {}
