//! L2: the task. One allocation that holds the future, then its output, and everything about it.
//!
//! # States
//!
//! All state is in one word ([`state`]):
//!
//! | bits | name | meaning |
//! |---|---|---|
//! | 0 | `COMPLETE` | the future is gone; final |
//! | 1 | `CANCELLED` | drop the future instead of polling it; final |
//! | 2 | `JOIN_INTEREST` | a `JoinHandle` exists; once cleared, never set again |
//! | 3 | `JOIN_WAKER` | the join waker is set |
//! | 8–31 | wakes | wakes that no finished poll has answered |
//! | 32–63 | refs | wakers and abort handles |
//!
//! | phase | wakes | `COMPLETE` | the run right is |
//! |---|---|---|---|
//! | idle | 0 | – | nobody's |
//! | runnable | ≥ 1 | – | a [`Runnable`]'s, in exactly one queue, slot or hand |
//! | running | ≥ 1 | – | the polling worker's |
//! | complete | ≥ 1 (stays) | set | gone |
//!
//! ```text
//!              wake 0→1: waker::wake, Schedule::schedule
//!         ┌──────────────────────────────────────────────┐
//!         │                                              ▼
//!      (idle)                                       (runnable) ◄── spawn
//!         ▲                                              │ Runnable::run
//!         │ state::finish_poll, no wake left             ▼
//!         └────────────────────────────────────────── (running) ──┐ wake left, or yielded:
//!                                                        │  ▲     │ Polled::Again, to a queue
//!                              run::complete, run::cancel│  └─────┘
//!                                                        ▼
//!                                                   (complete) ──► freed when refs = 0 and no handle
//! ```
//!
//! # Rules
//!
//! * **T1** Run right. While the task is incomplete and its wake count is not 0, exactly one run
//!   right exists. It moves by value (a [`Runnable`], or the running poll) and carries the future,
//!   `queue_next`, `home` and `tag`. Whoever moves the count 0 → 1 gets it; `finish_poll` that brings the
//!   count to 0 gives it up. An incomplete task is kept alive by its scheduler, so the run right
//!   needs no reference.
//! * **T2** A wake happens before the first poll that starts after it, and each wake is followed by a
//!   poll start or by `COMPLETE`.
//! * **T3** A poll that began with n wakes takes back n when it ends; more arrived meanwhile ⇔ it
//!   must run again. One read-modify-write a wake, one a poll.
//! * **T4** The count cannot overflow. A waker that sees `WAKE_LIMIT` wakes or more does a
//!   read-modify-write that changes nothing, and is done if the count is still that high; a poll
//!   that began at the limit or above takes back all but one and runs again, whatever comes. Both
//!   halves are needed: without either a wake is lost.
//! * **T5** The stage is the run right's until `COMPLETE`. After it the output is the `JoinHandle`'s.
//!   A completer that finds no handle drops the output *before* `COMPLETE`, as it must not touch the
//!   cell afterwards.
//! * **T6** While `JOIN_WAKER` is unset, the join waker field is the `JoinHandle`'s. While it is set
//!   and the task is incomplete, nobody touches the field.
//! * **T7** If `JOIN_WAKER` is set at the moment of `COMPLETE`, the field is the completer's, who
//!   takes a reference in the same step and gives it back after waking: the handle may see
//!   `COMPLETE`, take the output and be gone before.
//! * **T8** `JOIN_WAKER` set or unset after `COMPLETE` means nothing to the completer: the field
//!   stays with whom T6 and T7 gave it to.
//! * **T9** An incomplete task is in a queue that has not been polled yet, being polled, or listed
//!   in an owned list; it is listed before it goes idle for the first time (or when it is spawned, if
//!   that was asked for) and unlisted before `COMPLETE`.
//! * **T10** The cell is freed by the operation after which `COMPLETE` is set, `JOIN_INTEREST` is
//!   not and refs is 0. That happens once.
//! * **T11** The scheduler a cell points to outlives its use by the task, of which `release` is the
//!   last. A call of `schedule` can outlast even that: by the time it returns, another thread may
//!   have taken the runnable, run it to its end and unlisted it. So a scheduler counts the calls of
//!   threads that do not keep it alive themselves (foreign wakes and aborts), each before it queues
//!   its runnable; and a runtime lets go of its scheduler when its workers are gone, its lists are
//!   empty, and *then* no such call is under way. A wake of a complete task touches the cell alone.
//!
//! # Orderings
//!
//! The word's read-modify-writes form one modification order; each place says what it pairs with.
//! Waking is a release, starting to poll an acquire load; ending a poll a release, winning the run
//! right an acquire. Setting the join waker is a release, completing an acquire of it and a release
//! of the output.
//!
//! # Rejected
//!
//! * *A "notified" flag and a "running" flag* (Tokio): two compare-and-swap loops a poll, one a wake.
//! * *A counted reference for the queue and for the owned list*: three more read-modify-writes a task.
//! * *A counted pointer to the runtime in each cell*: a line that all workers write at each spawn; T11
//!   does without.
//! * *Clearing `JOIN_INTEREST` with the waker still set*: the waker would live as long as the task.
//!
//! # Tested by
//!
//! `loom_tests` and `tests` in this module, `tests/task_*.rs` and `tests/stress.rs`. Weakened once and
//! seen to fail: see the table at the head of `loom_tests`.

mod cells;
mod error;
mod header;
mod id;
mod join;
mod origin;
mod owned;
mod run;
mod state;
mod waker;

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;

pub(crate) use self::cells::{keeps_large_cells, release_large_cells};
pub use self::error::JoinError;
pub(crate) use self::header::Header;
pub use self::id::Id;
pub use self::join::{AbortHandle, JoinHandle};
pub(crate) use self::origin::Origin;
pub(crate) use self::owned::{Closed, OwnedTasks};

use std::future::Future;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::time::Duration;

use self::header::Cell;
use self::state::Wake;
use crate::engine::base::current;

/// What a scheduler does for its tasks.
pub(crate) trait Schedule: 'static {
    /// Takes a task that was woken; sees to it that it is run.
    fn schedule(&self, runnable: Runnable);

    /// Lists a task that is about to sleep for the first time (T9).
    ///
    /// # Safety
    ///
    /// The caller has the run right; the task is not listed.
    unsafe fn adopt(&self, task: Task) -> Result<(), Closed>;

    /// Takes a listed task that ends off its list (T9).
    ///
    /// # Safety
    ///
    /// The caller has the run right; the task is listed.
    unsafe fn release(&self, task: Task);

    /// A task ended.
    fn on_complete(&self, _task: &Facts<'_>) {}

    /// A task panicked.
    fn on_panic(&self) {}
}

/// What latencies are measured in: as fine as the clock, and 2³² of them are nine minutes.
pub(crate) const LATENCY_UNIT: Duration = Duration::from_nanos(128);

/// What can be told about a task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) id: Id,
    pub(crate) origin: &'a Origin,
    /// How long it was runnable before this poll, if that is measured.
    pub(crate) latency: Option<Duration>,
}

/// A task, as a list shows it: as it was a moment ago.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) id: Id,
    pub(crate) origin: Origin,
    /// Polls that have begun.
    pub(crate) polls: u32,
    pub(crate) activity: Activity,
}

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It waits to be woken.
    Idle,
    /// It waits for its turn.
    Runnable,
    /// It is being polled.
    Running,
}

/// The address of a task's cell: no right and no reference by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Task(NonNull<Header>);

impl Task {
    fn header<'a>(self) -> &'a Header {
        // SAFETY: whoever holds a `Task` has something that keeps the cell: a run right, a handle,
        // a reference, or the lock of the list it is on.
        unsafe { self.0.as_ref() }
    }

    /// The task that this thread is polling.
    pub(crate) fn running() -> Option<Self> {
        NonNull::new(current::task().cast_mut().cast()).map(Self)
    }

    /// What a list of tasks tells of it.
    fn describe(self) -> Listed {
        let header = self.header();
        // SAFETY: whoever holds a `Task` has something that keeps the cell.
        let origin = &unsafe { Header::trailer(self.0) }.origin;
        let polls = header.polls.get();
        Listed {
            id: header.id,
            origin: origin.clone(),
            polls: polls.div_ceil(2),
            activity: match polls % 2 {
                1 => Activity::Running,
                _ if header.state.is_idle() => Activity::Idle,
                _ => Activity::Runnable,
            },
        }
    }

    /// Takes the running task off its owned list, if it is on one of `scheduler`'s: it is listed
    /// again when its poll ends. Only for the task that this thread is polling.
    pub(crate) fn unlist<S: Schedule>(self, scheduler: *const S) {
        let header = self.header();
        if !std::ptr::eq(header.scheduler, scheduler.cast()) {
            return;
        }
        // SAFETY: this thread has the run right of what it polls, and `home` belongs to it.
        if header.home.with(|home| unsafe { *home }) != 0 {
            // SAFETY: T11 — the task is incomplete, and its scheduler is an `S`, says the address.
            let scheduler = unsafe { &*scheduler };
            // SAFETY: this thread has the run right, and the task is listed.
            unsafe { scheduler.release(self) };
        }
    }

    /// The running task's tag. Only for the task that this thread is polling.
    pub(crate) fn running_tag(self) -> u16 {
        // SAFETY: this thread has the run right of what it polls, and the tag belongs to it.
        self.header().tag.with(|tag| unsafe { *tag })
    }

    /// Changes it. Only for the task that this thread is polling.
    pub(crate) fn set_running_tag(self, tag: u16) {
        // SAFETY: as above.
        self.header().tag.with_mut(|old| unsafe { *old = tag });
    }

    /// Cancels the task from anywhere.
    fn abort(self) {
        if self.header().state.cancel() == Wake::Schedule {
            Runnable(self.0).schedule();
        }
    }
}

/// The permission to poll a task once. It exists at most once for each task (T1).
///
/// Dropped unused, it cancels the task: a run right never just disappears.
#[derive(Debug)]
#[must_use]
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: T1 — it is the only right to the future, and moving it moves the future. For futures that
// are not `Send`, whoever spawned them promised to keep it on their thread.
unsafe impl Send for Runnable {}

/// How a poll ended.
#[derive(Debug)]
#[must_use]
pub(crate) enum Polled {
    /// The task is complete.
    Done,
    /// It waits to be woken.
    Idle,
    /// It was woken during the poll, or gave up its turn: it wants another.
    Again(Runnable),
}

/// The header, and where most futures have what they are about.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const PREFETCHED_LINES: usize = 3;

impl Runnable {
    /// The task that this is the right to poll.
    pub(crate) fn task(&self) -> Task {
        Task(self.0)
    }

    /// Polls the task.
    #[inline]
    pub(crate) fn run(self) -> Polled {
        let header = self.into_raw();
        // SAFETY: T1 — the runnable was the run right, and keeps the cell.
        let poll = unsafe { header.as_ref() }.vtable.poll;
        // SAFETY: as above.
        unsafe { poll(header) }
    }

    /// Has the processor fetch what a poll begins with.
    #[inline]
    pub(crate) fn prefetch(&self) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let start = self.0.as_ptr().cast::<i8>();
            for line in 0..PREFETCHED_LINES {
                // SAFETY: a prefetch is a hint, and does nothing where there is no memory.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * 64)) };
            }
        }
    }

    /// Drops the future; the handle gets a "cancelled" error.
    pub(crate) fn cancel(self) {
        let header = self.into_raw();
        // SAFETY: T1 — the runnable was the run right, and keeps the cell.
        let cancel = unsafe { header.as_ref() }.vtable.cancel;
        // SAFETY: as above.
        unsafe { cancel(header) };
    }

    /// Gives it to its scheduler.
    #[inline]
    fn schedule(self) {
        // SAFETY: T1 — the run right keeps the cell.
        let schedule = unsafe { self.0.as_ref() }.vtable.schedule;
        // SAFETY: the vtable is the cell's own.
        unsafe { schedule(self) };
    }

    pub(crate) fn id(&self) -> Id {
        Task(self.0).header().id
    }

    /// Whose it is.
    pub(crate) fn scheduler(&self) -> *const () {
        Task(self.0).header().scheduler
    }

    #[inline]
    pub(crate) fn tag(&self) -> u16 {
        // SAFETY: T1 — the tag belongs to the run right.
        Task(self.0).header().tag.with(|tag| unsafe { *tag })
    }

    #[inline]
    pub(crate) fn set_tag(&mut self, tag: u16) {
        // SAFETY: as above.
        Task(self.0)
            .header()
            .tag
            .with_mut(|old| unsafe { *old = tag });
    }

    pub(crate) fn origin(&self) -> &Origin {
        // SAFETY: T1 — the run right keeps the cell.
        &unsafe { Header::trailer(self.0) }.origin
    }

    /// Notes when the task became runnable: `now`, in units of [`LATENCY_UNIT`]. Its origin is to be
    /// [timed](Origin::timed).
    pub(crate) fn stamp(&self, now: u32) {
        self.origin().set_runnable_since(now);
    }

    /// How long it has been runnable at `now`.
    pub(crate) fn latency(&self, now: u32) -> Duration {
        LATENCY_UNIT * now.wrapping_sub(self.origin().runnable_since())
    }

    #[inline]
    pub(crate) fn into_raw(self) -> NonNull<Header> {
        ManuallyDrop::new(self).0
    }

    /// # Safety
    ///
    /// `header` came out of [`into_raw`](Self::into_raw), and comes back once.
    #[inline]
    pub(crate) unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Self(header)
    }
}

impl Drop for Runnable {
    fn drop(&mut self) {
        Runnable(self.0).cancel();
    }
}

// SAFETY: `queue_next` belongs to the run right, and a `Runnable` is that right.
unsafe impl crate::engine::queue::injector::Linked for Runnable {
    type Node = Header;

    fn into_node(self) -> NonNull<Header> {
        self.into_raw()
    }

    unsafe fn from_node(node: NonNull<Header>) -> Self {
        // SAFETY: passed on.
        unsafe { Self::from_raw(node) }
    }

    unsafe fn next(node: NonNull<Header>) -> Option<NonNull<Header>> {
        // SAFETY: the caller has the run right, which keeps the cell.
        let header = unsafe { node.as_ref() };
        // SAFETY: T1 — the link belongs to the run right.
        header.queue_next.with(|next| unsafe { *next })
    }

    unsafe fn set_next(node: NonNull<Header>, next: Option<NonNull<Header>>) {
        // SAFETY: the caller has the run right, which keeps the cell.
        let header = unsafe { node.as_ref() };
        // SAFETY: T1 — the link belongs to the run right.
        header.queue_next.with_mut(|link| unsafe { *link = next });
    }
}

/// Makes a task. The maker has its run right.
///
/// # Safety
///
/// T11: `scheduler` lives until the task is complete. If `F` or its output is not `Send`, the
/// runnable is run, and the handle used, on this thread only.
#[inline]
pub(crate) unsafe fn new<F, S>(
    future: F,
    scheduler: *const S,
    id: Id,
    origin: Origin,
) -> (Runnable, JoinHandle<F::Output>)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    let header = Cell::<F, S>::allocate(future, scheduler, id, origin);
    // SAFETY: a new task has `JOIN_INTEREST`, and this is the one handle.
    let join = unsafe { JoinHandle::new(Task(header)) };
    (Runnable(header), join)
}

/// Frees the cell.
///
/// # Safety
///
/// T10.
unsafe fn free(header: NonNull<Header>) {
    // SAFETY: nobody else has it, but it is still there.
    let dealloc = unsafe { header.as_ref() }.vtable.dealloc;
    // SAFETY: T10.
    unsafe { dealloc(header) };
}
