//! A set of tasks of one kind, joined in the order in which they end.

mod builder;
mod inbox;

pub use self::builder::Builder;

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use slab::Slab;

use self::inbox::Inbox;
use crate::engine::base::budget;
use crate::runtime::Handle;
use crate::task::{self, AbortHandle, Id, JoinError, JoinHandle, LocalSet};

/// Tasks that all give a `T`, to be joined as they end.
///
/// [`join_next`](Self::join_next) gives one output at a time, in the order in which the tasks end,
/// and `None` when the set is empty. Dropping the set aborts all tasks that are still in it.
///
/// ```
/// use heist::task::JoinSet;
///
/// # #[heist::main]
/// # async fn main() {
/// let mut set = JoinSet::new();
/// for i in 0..10 {
///     set.spawn(async move { i });
/// }
/// let mut sum = 0;
/// while let Some(output) = set.join_next().await {
///     sum += output.unwrap();
/// }
/// assert_eq!(sum, 45);
/// # }
/// ```
pub struct JoinSet<T> {
    tasks: Slab<JoinHandle<T>>,
    inbox: Arc<Inbox>,
    /// Taken from the inbox and not looked at yet.
    reports: VecDeque<u32>,
}

impl<T> JoinSet<T> {
    /// An empty set.
    pub fn new() -> Self {
        Self {
            tasks: Slab::new(),
            inbox: Inbox::new(),
            reports: VecDeque::new(),
        }
    }

    /// How many tasks are in the set, ended or not.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// True if no task is in the set.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }
}

impl<T: 'static> JoinSet<T> {
    /// Sets a task up before it is spawned in the set.
    ///
    /// ```
    /// # #[heist::main]
    /// # async fn main() -> std::io::Result<()> {
    /// let mut set = heist::task::JoinSet::new();
    /// set.build_task().name("first").spawn(async { 1 })?;
    /// assert_eq!(set.join_all().await, [1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn build_task(&mut self) -> Builder<'_, T> {
        Builder::new(self)
    }

    /// Spawns a task in the set; see [`heist::spawn`](crate::spawn).
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, task: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(task::spawn(task))
    }

    /// As [`spawn`](Self::spawn), on `handle`'s runtime.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, task: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(handle.spawn(task))
    }

    /// Spawns a task in the set that stays on this thread; see
    /// [`spawn_local`](crate::task::spawn_local).
    ///
    /// # Panics
    ///
    /// Outside of a [`LocalSet`] and a [`LocalRuntime`](crate::runtime::LocalRuntime).
    #[track_caller]
    pub fn spawn_local<F>(&mut self, task: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(task::spawn_local(task))
    }

    /// As [`spawn_local`](Self::spawn_local), on `local_set`.
    #[track_caller]
    pub fn spawn_local_on<F>(&mut self, task: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(local_set.spawn_local(task))
    }

    /// Runs a blocking function as a task of the set; see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    ///
    /// ```
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut set = heist::task::JoinSet::new();
    /// for i in 0..4u64 {
    ///     set.spawn_blocking(move || (0..=i).product::<u64>());
    /// }
    /// assert_eq!(set.join_all().await.len(), 4);
    /// # }
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, f: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(task::spawn_blocking(f))
    }

    /// As [`spawn_blocking`](Self::spawn_blocking), on `handle`'s runtime.
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, f: F, handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(handle.spawn_blocking(f))
    }

    fn insert(&mut self, task: JoinHandle<T>) -> AbortHandle {
        let abort = task.abort_handle();
        let entry = self.tasks.vacant_entry();
        let place = entry.key();
        let task = entry.insert(task);
        if !task.register_first(self.inbox.reporter(place)) {
            // It has ended already, and will not report.
            self.inbox.report(place as u32);
        }
        abort
    }

    /// Waits until a task ends, takes it out of the set and gives its output; `None` if the set is
    /// empty.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if another branch of a `select!` completes first, no task was taken out.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let mut set = heist::task::JoinSet::new();
    /// for n in 0..3 {
    ///     set.spawn(async move { n });
    /// }
    /// let mut sum = 0;
    /// while let Some(result) = set.join_next().await {
    ///     sum += result.unwrap();
    /// }
    /// assert_eq!(sum, 3);
    /// # }
    /// ```
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// As [`join_next`](Self::join_next), with the task's id; that of a task without an output is in
    /// the [`JoinError`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if another branch of a `select!` completes first, no task was taken out.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let mut set = heist::task::JoinSet::new();
    /// let task = set.spawn(async { "done" });
    /// let (id, output) = set.join_next_with_id().await.unwrap().unwrap();
    /// assert_eq!((id, output), (task.id(), "done"));
    /// # }
    /// ```
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        poll_fn(|cx| self.poll_join_next_with_id(cx)).await
    }

    /// Takes out a task that has ended; `None` if there is none, also if the set is empty.
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.try_join_next_with_id().map(without_id)
    }

    /// As [`try_join_next`](Self::try_join_next), with the task's id.
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        self.next_reported().or_else(|| {
            self.inbox.take(&mut self.reports);
            self.next_reported()
        })
    }

    /// Aborts all tasks and waits until they have ended. What they gave or panicked with is dropped.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: all tasks have been aborted when it is first polled, and those that have not been
    /// waited for stay in the set.
    ///
    /// ```
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut set = heist::task::JoinSet::new();
    /// set.spawn(std::future::pending::<()>());
    /// set.shutdown().await;
    /// assert!(set.is_empty());
    /// # }
    /// ```
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Waits for all tasks and gives their outputs, in the order in which they ended.
    ///
    /// # Panics
    ///
    /// If a task panicked, with its panic, or was cancelled. The others are aborted then, as the set
    /// is dropped.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the set goes with the future, so the tasks are aborted and their outputs
    /// lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let mut set = heist::task::JoinSet::new();
    /// for n in 0..3 {
    ///     set.spawn(async move { n });
    /// }
    /// let mut outputs = set.join_all().await;
    /// outputs.sort();
    /// assert_eq!(outputs, [0, 1, 2]);
    /// # }
    /// ```
    pub async fn join_all(mut self) -> Vec<T> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(output) = self.join_next().await {
            match output {
                Ok(output) => outputs.push(output),
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(error) => panic!("{error}"),
                },
            }
        }
        outputs
    }

    /// Asks all tasks to end. They stay in the set, to be joined.
    pub fn abort_all(&mut self) {
        self.tasks.iter().for_each(|(_, task)| task.abort());
    }

    /// Takes all tasks out of the set; they go on, and nobody joins them.
    pub fn detach_all(&mut self) {
        self.reports.clear();
        self.tasks.clear();
    }

    /// Polls for a task that ended: `Ready` with its output, or with `None` if the set is empty;
    /// else the task of `cx` is woken when there is one. Only the last poll's task is woken.
    ///
    /// A set that always has ended tasks may give `Pending` now and then, when the budget of the
    /// task that polls is spent.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.poll_join_next_with_id(cx)
            .map(|output| output.map(without_id))
    }

    /// As [`poll_join_next`](Self::poll_join_next), with the task's id.
    pub fn poll_join_next_with_id(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<(Id, T), JoinError>>> {
        if self.is_empty() {
            return Poll::Ready(None);
        }
        let coop = ready!(budget::poll_proceed(cx));
        loop {
            if let Some(output) = self.next_reported() {
                coop.made_progress();
                return Poll::Ready(Some(output));
            }
            ready!(self.inbox.poll_take(&mut self.reports, cx));
        }
    }

    /// The output of the first of the reported tasks.
    fn next_reported(&mut self) -> Option<Result<(Id, T), JoinError>> {
        while let Some(place) = self.reports.pop_front() {
            // S1: there may be another task by now, or none.
            let place = place as usize;
            if let Some(output) = self.tasks.get_mut(place).and_then(JoinHandle::try_take) {
                let task = self.tasks.remove(place);
                return Some(output.map(|output| (task.id(), output)));
            }
        }
        None
    }
}

fn without_id<T>(output: Result<(Id, T), JoinError>) -> Result<T, JoinError> {
    output.map(|(_, output)| output)
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        self.tasks.iter().for_each(|(_, task)| task.abort());
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.len()).finish()
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Spawns all futures; as many calls of [`JoinSet::spawn`].
///
/// ```
/// # #[heist::main]
/// # async fn main() {
/// let set: heist::task::JoinSet<_> = (0..3).map(|i| async move { i * 2 }).collect();
/// let mut outputs = set.join_all().await;
/// outputs.sort();
/// assert_eq!(outputs, [0, 2, 4]);
/// # }
/// ```
impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn from_iter<I: IntoIterator<Item = F>>(iter: I) -> Self {
        let mut set = Self::new();
        set.extend(iter);
        set
    }
}

/// Spawns all futures; as many calls of [`JoinSet::spawn`].
impl<T, F> Extend<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn extend<I: IntoIterator<Item = F>>(&mut self, iter: I) {
        for future in iter {
            self.spawn(future);
        }
    }
}
