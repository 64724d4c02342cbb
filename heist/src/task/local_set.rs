//! Tasks that stay on their thread.

use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::context;
use crate::engine::sched::SchedHandle;
use crate::engine::sched::custom::local;
use crate::engine::sched::local_set::{self, LocalScheduler, Progress};
use crate::engine::task::Id;
use crate::engine::task::Origin;
use crate::runtime::{self, Runtime, UnhandledPanic};
use crate::task::JoinHandle;

/// Spawns a task that stays on this thread, and so need not be `Send`.
///
/// It becomes one of the [`LocalSet`] or [`LocalRuntime`](crate::runtime::LocalRuntime) in which this
/// is called, or of the worker, if the runtime is [`Sharded`](crate::scheduler::Sharded).
///
/// ```
/// use std::rc::Rc;
/// use heist::task::{LocalSet, spawn_local};
///
/// # #[heist::main]
/// # async fn main() {
/// let text = Rc::new("not `Send`");
/// LocalSet::new()
///     .run_until(async {
///         let task = spawn_local(async move { text.len() });
///         assert_eq!(task.await.unwrap(), 10);
///     })
///     .await;
/// # }
/// ```
///
/// # Panics
///
/// Outside of all these, and within a `LocalRuntime` on a thread that is not its own.
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    spawn_local_from(future, Origin::here())
}

/// As [`spawn_local`], with whatever name it has.
#[track_caller]
pub(super) fn spawn_local_from<F>(future: F, origin: Origin) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    if let Some(SchedHandle::CurrentThread(scheduler)) = context::current()
        && let Some(owner) = scheduler.owner()
    {
        assert!(
            owner.is_here(),
            "Local tasks can only be spawned on a LocalRuntime from the thread the runtime was created on"
        );
        return scheduler.spawn_on_owner(future, Id::next(), origin);
    }
    let set = local_set::current().or_else(|| local::set_here(context::current_runtime_id()));
    match set {
        Some(set) => set.spawn(future, Id::next(), origin),
        None => panic!(
            "`spawn_local` called from outside of a `task::LocalSet` or `runtime::LocalRuntime`"
        ),
    }
}

/// Tasks that all run on the thread that made the set, so that they need not be `Send`.
///
/// The set is a future: polled, it runs its tasks, and it is ready when it has none left.
/// [`run_until`](Self::run_until) runs them beside a future of your own. Tasks of a set that is not
/// polled do not run. Dropping the set cancels them.
///
/// ```
/// use std::cell::Cell;
/// use std::rc::Rc;
/// use heist::task::LocalSet;
///
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// let count = Rc::new(Cell::new(0));
/// let set = LocalSet::new();
/// for _ in 0..10 {
///     let count = Rc::clone(&count);
///     set.spawn_local(async move { count.set(count.get() + 1) });
/// }
/// set.await;
/// assert_eq!(count.get(), 10);
/// # }
/// ```
///
/// On a multi-thread runtime a set can be awaited by the future given to `block_on` (also that of
/// `#[heist::main]`), but not in a spawned task, as it is not `Send`:
///
/// ```compile_fail
/// # #[heist::main]
/// # async fn main() {
/// heist::spawn(heist::task::LocalSet::new());
/// # }
/// ```
pub struct LocalSet {
    scheduler: Rc<LocalScheduler>,
    id: RuntimeId,
}

/// Keeps a thread in a [`LocalSet`]; made by [`LocalSet::enter`].
#[derive(Debug)]
#[must_use = "dropping the guard leaves the set again"]
pub struct LocalEnterGuard(#[expect(dead_code, reason = "kept for its drop")] local_set::Entered);

impl LocalSet {
    /// An empty set, of this thread.
    pub fn new() -> LocalSet {
        LocalSet {
            scheduler: LocalScheduler::new(),
            id: RuntimeId::next(),
        }
    }

    /// Enters the set: until the guard is dropped, [`spawn_local`] on this thread spawns on it. The
    /// tasks run when the set is polled.
    pub fn enter(&self) -> LocalEnterGuard {
        LocalEnterGuard(self.scheduler.enter())
    }

    /// Spawns a task on the set. It runs when the set is polled.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.spawn_local_from(future, Origin::here())
    }

    pub(super) fn spawn_local_from<F>(&self, future: F, origin: Origin) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.scheduler.spawn(future, Id::next(), origin)
    }

    /// Runs `future` to its end on `rt`, and the tasks of the set meanwhile.
    ///
    /// ```
    /// use heist::task::{LocalSet, spawn_local};
    ///
    /// let runtime = heist::runtime::Runtime::new().unwrap();
    /// let set = LocalSet::new();
    /// let sum = set.block_on(&runtime, async { spawn_local(async { 1 }).await.unwrap() + 1 });
    /// assert_eq!(sum, 2);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Runtime::block_on`].
    #[track_caller]
    pub fn block_on<F>(&self, rt: &Runtime, future: F) -> F::Output
    where
        F: Future,
    {
        rt.block_on(self.run_until(future))
    }

    /// Runs `future` to its end, and the tasks of the set meanwhile. Tasks that are left then go on
    /// when the set is polled again.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe if `future` is: the tasks stay in the set.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::task::{LocalSet, spawn_local};
    /// use std::rc::Rc;
    ///
    /// let local = LocalSet::new();
    /// let shared = Rc::new(7);
    /// let seen = local
    ///     .run_until(async move { spawn_local(async move { *shared }).await.unwrap() })
    ///     .await;
    /// assert_eq!(seen, 7);
    /// # }
    /// ```
    pub async fn run_until<F>(&self, future: F) -> F::Output
    where
        F: Future,
    {
        let mut future = pin!(future);
        std::future::poll_fn(|cx| {
            let polled = self
                .scheduler
                .poll(cx, |cx| match future.as_mut().poll(cx) {
                    Poll::Ready(output) => Some(output),
                    Poll::Pending => None,
                });
            match polled {
                Ok(output) => Poll::Ready(output),
                Err(_) => Poll::Pending,
            }
        })
        .await
    }

    /// What happens when a task of the set panics; [`UnhandledPanic::Ignore`] by default. Told to shut
    /// down, the set cancels all tasks, and whoever polls it gets a panic.
    pub fn unhandled_panic(&mut self, behavior: UnhandledPanic) -> &mut Self {
        let shutdown = matches!(behavior, UnhandledPanic::ShutdownRuntime);
        self.scheduler.set_shutdown_on_panic(shutdown);
        self
    }

    /// The set's id, unique among all sets and runtimes.
    pub fn id(&self) -> runtime::Id {
        runtime::Id::of(self.id)
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.scheduler.poll(cx, |_| None::<()>) {
            Err(Progress::Waiting | Progress::More) => Poll::Pending,
            Err(Progress::Empty) | Ok(()) => Poll::Ready(()),
        }
    }
}

impl Drop for LocalSet {
    fn drop(&mut self) {
        self.scheduler.close();
    }
}

impl Default for LocalSet {
    fn default() -> LocalSet {
        LocalSet::new()
    }
}

impl fmt::Debug for LocalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSet").finish_non_exhaustive()
    }
}
