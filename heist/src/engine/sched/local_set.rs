//! The scheduler within a task: what a `LocalSet` is made of.
//!
//! **What.** Tasks whose futures are not `Send`, run by whoever polls the set, on the thread that made
//! it. Their wakers are `Send` as all wakers are, and are used from everywhere.
//!
//! **Rules.**
//! * **L1** The set's *owner* is the thread that made it. Everything in [`LocalScheduler`] that is a
//!   cell belongs to that thread; what others may touch is the injector, the owned list, the waker
//!   and the count of foreign calls. Handles to the whole ([`Rc`]) never leave the owner.
//! * **L2** A future is polled and dropped by the owner only. A runnable in a foreign thread's hands
//!   (it woke or aborted an idle task) goes into the injector, and only the owner takes from there.
//! * **L3** The owner registers the polling task's waker, then looks at its queues. A foreign thread
//!   pushes, then wakes. The fences of [`AtomicWaker`] see to it that one of them sees the other.
//! * **L4** The owner queues without waking while it is in [`poll`](LocalScheduler::poll), whose end
//!   looks at the queue; otherwise it wakes, as a foreign thread does.
//! * **L5** Closing, on the owner: no more spawns; idle tasks are cancelled, queued ones as they are
//!   found, until none is listed; then the foreign calls under way are waited for (F2). Only then may
//!   the memory go (T11). A spawn that comes later (out of a guard that outlived the set, or out of
//!   the drop of a task) ends its task on the spot.
//!
//! **Orderings.** None of its own.
//!
//! **Rejected.** *Counting references to the set in its tasks* (Tokio): T11 does without. *Thread ids*:
//! asking for one while the thread's locals are torn down has aborted programs.
//!
//! **Tested by** `loom_tests` and `tests/local_set.rs`. Seen to fail: without the wait for foreign calls
//! all models; with the waker registered after the look at the queues, `a_foreign_wake_vs_poll`.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;
use std::task::Context;

use crate::engine::base::budget::{Budget, BudgetScope};
use crate::engine::base::thread_mark::ThreadMark;
use crate::engine::queue::atomic_waker::AtomicWaker;
use crate::engine::queue::injector::{Injector, Push};
use crate::engine::sched::foreign::ForeignCalls;
use crate::engine::task::{
    self, Closed, Id, JoinHandle, Origin, OwnedTasks, Polled, Runnable, Schedule, Task,
};
use crate::loom::cell::UnsafeCell;
use crate::loom::thread;

#[cfg(all(test, heist_loom))]
mod loom_tests;

/// Tasks that are run in one go, before those who share the thread with the set have their turn.
const TASKS_A_POLL: u32 = 61;
/// How many tasks are run between two looks at the injector.
const INJECTOR_INTERVAL: u32 = 31;

crate::loom::thread_local! {
    static HERE: Here = const {
        Here { set: Cell::new(ptr::null()), polling: Cell::new(false) }
    };
}

struct Here {
    /// The set that `spawn_local` is to use; an `Rc`'s pointer that is owned, or null. No destructor
    /// runs on it: whoever enters leaves, by the guard.
    set: Cell<*const LocalScheduler>,
    /// True while a set is polled.
    polling: Cell<bool>,
}

/// The scheduler of one set.
pub(crate) struct LocalScheduler {
    owner: ThreadMark,
    /// Runnables, first in, first out. The owner's (L1).
    queue: UnsafeCell<VecDeque<Runnable>>,
    /// How many tasks were run. The owner's (L1).
    ticks: Cell<u32>,
    /// Whether `poll` is at work. The owner's (L1).
    polling: Cell<bool>,
    /// Whether tasks are refused. The owner's (L1).
    closed: Cell<bool>,
    /// Whether a panic of a task ends all of them. The owner's (L1).
    shutdown_on_panic: Cell<bool>,
    /// Whether one has. The owner's (L1).
    panicked: Cell<bool>,
    injector: Injector<Runnable>,
    owned: OwnedTasks,
    /// Of the task that polls the set.
    waker: AtomicWaker,
    foreign_calls: ForeignCalls,
    /// Tells loom when the memory goes, and who still uses it.
    #[cfg(all(test, heist_loom))]
    memory: UnsafeCell<()>,
}

/// How a poll of the set ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There are no tasks.
    Empty,
    /// All tasks wait.
    Waiting,
    /// More tasks could run.
    More,
}

/// Leaves the set when dropped.
#[must_use]
pub(crate) struct Entered {
    outer: *const LocalScheduler,
    _thread_bound: PhantomData<*const ()>,
}

/// True if this thread is polling a set: its tasks can be handed to nobody.
pub(crate) fn is_polling() -> bool {
    HERE.with(|here| here.polling.get())
}

/// The set this thread is in.
pub(crate) fn current() -> Option<Rc<LocalScheduler>> {
    let set = HERE.with(|here| here.set.get());
    if set.is_null() {
        return None;
    }
    // SAFETY: the thread-local owns a count, so the set is there; it is this thread's (L1).
    unsafe { Rc::increment_strong_count(set) };
    // SAFETY: the count just made.
    Some(unsafe { Rc::from_raw(set) })
}

impl LocalScheduler {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(Self {
            owner: ThreadMark::here(),
            queue: UnsafeCell::new(VecDeque::new()),
            ticks: Cell::new(0),
            polling: Cell::new(false),
            closed: Cell::new(false),
            shutdown_on_panic: Cell::new(false),
            panicked: Cell::new(false),
            injector: Injector::new(),
            owned: OwnedTasks::new(1),
            waker: AtomicWaker::new(),
            foreign_calls: ForeignCalls::new(),
            #[cfg(all(test, heist_loom))]
            memory: UnsafeCell::new(()),
        })
    }

    /// Makes this the set that `spawn_local` on this thread uses.
    pub(crate) fn enter(self: &Rc<Self>) -> Entered {
        let inner = Rc::into_raw(Rc::clone(self));
        Entered {
            outer: HERE.with(|here| here.set.replace(inner)),
            _thread_bound: PhantomData,
        }
    }

    pub(crate) fn spawn<F>(
        self: &Rc<Self>,
        future: F,
        id: Id,
        origin: Origin,
    ) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        debug_assert!(self.owner.is_here());
        // SAFETY: T11 — closing brings every task to its end before it lets go of the scheduler. L2:
        // the future stays here, and so does its output, as an `Rc` keeps the caller here and the
        // handle is `Send` only if the output is.
        let (runnable, join) = unsafe { task::new(future, Rc::as_ptr(self), id, origin) };
        if self.closed.get() {
            runnable.cancel();
        } else {
            self.schedule_here(runnable);
        }
        join
    }

    /// Runs `f` on the queue.
    ///
    /// # Safety
    ///
    /// This is the owner's thread, and `f` runs no code of the user's.
    #[inline]
    unsafe fn with_queue<R>(&self, f: impl FnOnce(&mut VecDeque<Runnable>) -> R) -> R {
        // SAFETY: L1 — the caller is the owner; and as `f` calls nothing that could come here, this
        // is the only borrow.
        self.queue.with_mut(|queue| f(unsafe { &mut *queue }))
    }

    fn push_here(&self, runnable: Runnable) {
        debug_assert!(self.owner.is_here());
        // SAFETY: the callers are on the owner's thread; pushing moves a pointer.
        unsafe { self.with_queue(|queue| queue.push_back(runnable)) };
    }

    fn schedule_here(&self, runnable: Runnable) {
        self.push_here(runnable);
        // L4.
        if !self.polling.get() {
            // The last use of `self`: a waker may do anything.
            self.waker.wake();
        }
    }

    fn next_task(self: &Rc<Self>) -> Option<Runnable> {
        let tick = self.ticks.get().wrapping_add(1);
        self.ticks.set(tick);
        // SAFETY: an `Rc` is the owner's; popping moves a pointer.
        let pop = || unsafe { self.with_queue(VecDeque::pop_front) };
        if !tick.is_multiple_of(INJECTOR_INTERVAL)
            && let Some(runnable) = pop()
        {
            return Some(runnable);
        }
        if !self.injector.is_empty()
            && let Some(mut injected) = self.injector.try_take(|len| len)
        {
            let first = injected.pop_front();
            // SAFETY: as above; the chain is emptied, so that its drop has nothing to do.
            unsafe { self.with_queue(|queue| queue.extend(injected)) };
            if first.is_some() {
                return first;
            }
        }
        pop()
    }

    /// Polls the set on behalf of `cx`: runs `before`, and if that gives `None`, tasks.
    pub(crate) fn poll<R>(
        self: &Rc<Self>,
        cx: &mut Context<'_>,
        before: impl FnOnce(&mut Context<'_>) -> Option<R>,
    ) -> Result<R, Progress> {
        // L3.
        self.waker.register(cx.waker());
        let _entered = self.enter();
        let _polling = Polling::begin(self);
        if let Some(result) = before(cx) {
            return Ok(result);
        }
        let progress = self.run_tasks();
        if progress == Progress::More {
            cx.waker().wake_by_ref();
        }
        Err(progress)
    }

    /// Says whether a panic of a task ends all of them.
    pub(crate) fn set_shutdown_on_panic(self: &Rc<Self>, shutdown: bool) {
        self.shutdown_on_panic.set(shutdown);
    }

    fn run_tasks(self: &Rc<Self>) -> Progress {
        for _ in 0..TASKS_A_POLL {
            if self.panicked.get() {
                self.end_tasks();
                panic!(
                    "a spawned task panicked and the LocalSet is configured to shutdown on unhandled \
                     panic"
                );
            }
            let Some(runnable) = self.next_task() else {
                // What is neither queued nor listed does not exist: a spawn queues, and a foreign
                // thread has only what is listed.
                return if self.owned.is_empty() && self.injector.is_empty() {
                    Progress::Empty
                } else {
                    Progress::Waiting
                };
            };
            let polled = {
                let _budget = BudgetScope::enter(Budget::initial());
                runnable.run()
            };
            if let Polled::Again(runnable) = polled {
                self.push_here(runnable);
            }
        }
        Progress::More
    }

    /// Ends all tasks, and the calls of others (L5).
    pub(crate) fn close(self: &Rc<Self>) {
        // What tasks drop may spawn.
        let _entered = self.enter();
        let polling = Polling::begin(self);
        self.end_tasks();
        drop(polling);
        drop(self.waker.take());
    }

    fn end_tasks(self: &Rc<Self>) {
        self.closed.set(true);
        self.owned.close(Runnable::cancel);
        loop {
            // SAFETY: an `Rc` is the owner's; taking moves pointers.
            let queued = unsafe { self.with_queue(std::mem::take) };
            queued.into_iter().for_each(Runnable::cancel);
            if let Some(injected) = self.injector.try_take(|len| len) {
                injected.for_each(Runnable::cancel);
            }
            // SAFETY: as above; it only looks.
            let drained = unsafe { self.with_queue(|queue| queue.is_empty()) };
            // F2: the tasks before the calls.
            if drained && self.owned.is_empty() && self.foreign_calls.all_ended() {
                break;
            }
            thread::yield_now();
        }
    }
}

/// While the set is polled.
struct Polling<'a> {
    set: &'a LocalScheduler,
    outer: (bool, bool),
}

impl<'a> Polling<'a> {
    fn begin(set: &'a LocalScheduler) -> Self {
        let here = HERE.with(|here| here.polling.replace(true));
        let outer = (set.polling.replace(true), here);
        Self { set, outer }
    }
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.set.polling.set(self.outer.0);
        HERE.with(|here| here.polling.set(self.outer.1));
    }
}

impl Schedule for LocalScheduler {
    fn schedule(&self, runnable: Runnable) {
        if self.owner.is_here() {
            return self.schedule_here(runnable);
        }
        let call = self.foreign_calls.begin();
        match self.injector.push(runnable) {
            Push::First | Push::Joined => {
                let waker = self.waker.take();
                #[cfg(all(test, heist_loom))]
                self.memory.with(|_| ());
                // The set may be gone from here on: the waker is ours.
                drop(call);
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
            // An injector is closed by its drop, and not while there are tasks. The future could not
            // be dropped here (L2).
            Push::Closed(runnable) => std::mem::forget(runnable),
        }
    }

    unsafe fn adopt(&self, task: Task) -> Result<(), Closed> {
        // SAFETY: passed on.
        unsafe { self.owned.adopt(0, task) }
    }

    unsafe fn release(&self, task: Task) {
        // SAFETY: passed on.
        unsafe { self.owned.release(task) }
    }

    fn on_panic(&self) {
        // Tasks are polled on the owner's thread.
        if self.shutdown_on_panic.get() {
            self.panicked.set(true);
        }
    }
}

#[cfg(all(test, heist_loom))]
impl Drop for LocalScheduler {
    fn drop(&mut self) {
        self.memory.with_mut(|_| ());
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let inner = HERE.with(|here| here.set.replace(self.outer));
        if !inner.is_null() {
            // SAFETY: the thread-local owned a count, which is ours now.
            drop(unsafe { Rc::from_raw(inner) });
        }
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").finish_non_exhaustive()
    }
}

impl fmt::Debug for LocalScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalScheduler").finish_non_exhaustive()
    }
}
