//! The trait that users implement.

use std::fmt;

use crate::engine::sched::custom::token::Runnable;
use crate::engine::sched::strategy::Cause;

/// A scheduling strategy: where runnable tasks wait, and what a worker runs next.
///
/// The runtime keeps everything else: tasks, threads, sleep and wake-up, I/O and timers, budgets, shutdown,
/// counters. It calls the strategy with a task that became runnable ([`push`](Self::push)), asks it for the
/// next one ([`next`](Self::next), [`steal`](Self::steal)), and before a worker sleeps, whether there is
/// something after all ([`has_work`](Self::has_work), [`has_shared_work`](Self::has_shared_work)). The worker's
/// loop is compiled for each strategy: these are ordinary calls, which the compiler can inline.
///
/// # What a strategy owes
///
/// 1. Every task that is pushed comes back once, out of `next` or `steal`. A [`Runnable`] cannot be copied; one
///    that is dropped, or kept when the runtime ends, is a fault.
/// 2. Nothing waits for ever while others are served.
/// 3. Who is [told](Tell) can get the task: [`Tell::Worker`] names a worker whose `next` or `steal` will give it,
///    [`Tell::Anyone`] says that all workers' would, and [`Tell::Nobody`] that the pushing worker itself comes to
///    it.
/// 4. `has_work` and `has_shared_work` do not miss what was pushed before they were called, by whatever thread.
///    With a lock that is so; with atomics, the runtime puts a `SeqCst` fence between each push and its
///    look at who sleeps, and between the announcement of a sleep and these calls.
/// 5. No method waits for a task, or for another worker's call.
///
/// # When it does not
///
/// A panic, a dropped task, a task handed to another runtime, or a worker told that does not exist is a *fault*:
/// the runtime shuts down in order, all tasks are cancelled, and `block_on` (or else the drop of the runtime)
/// panics and says what it was. A task that the strategy forgets (`std::mem::forget`, or a queue that `next` never
/// gives) is found when the runtime ends: that panics, and leaks what cannot be freed safely. Broken promises 2
/// to 5 can make tasks wait for ever, as a lost wake would, but never the shutdown, and never lead to undefined
/// behaviour. [`check`](fn@crate::scheduler::check) finds most of them in a test.
///
/// # Example
///
/// First in, first out, for all workers together:
///
/// ```
/// use std::collections::VecDeque;
/// use std::sync::Mutex;
/// use heist::scheduler::{Cause, Runnable, Scheduler, Tell, Turn};
///
/// struct Fifo(Mutex<VecDeque<Runnable>>);
///
/// impl Scheduler for Fifo {
///     type Worker = ();
///
///     fn worker(&self, _index: usize) {}
///
///     fn push(&self, task: Runnable, _: Cause, _: Option<&mut ()>) -> Tell {
///         self.0.lock().unwrap().push_back(task);
///         Tell::Anyone
///     }
///
///     fn next(&self, _: &mut (), _: &mut Turn<'_>) -> Option<Runnable> {
///         self.0.lock().unwrap().pop_front()
///     }
///
///     fn has_work(&self, _: &()) -> bool {
///         !self.0.lock().unwrap().is_empty()
///     }
///
///     fn has_shared_work(&self) -> bool {
///         !self.0.lock().unwrap().is_empty()
///     }
/// }
///
/// let runtime = heist::runtime::Builder::new_multi_thread()
///     .scheduler(|_workers| Fifo(Mutex::default()))
///     .build()
///     .unwrap();
/// let task = runtime.spawn(async { 40 + 2 });
/// assert_eq!(runtime.block_on(task).unwrap(), 42);
/// ```
pub trait Scheduler: Send + Sync + 'static {
    /// What one worker has for itself: no other thread sees it at the same time, so it needs no lock.
    type Worker: Send + 'static;

    /// Makes the state of worker `index`; called once for each, before any task is pushed.
    fn worker(&self, index: usize) -> Self::Worker;

    /// Takes a task that became runnable, and says who is to be told.
    ///
    /// `worker` is the worker on which that happened. It is `None` if it happened elsewhere: on a thread that is
    /// no worker, or in a call of this strategy itself.
    fn push(&self, task: Runnable, cause: Cause, worker: Option<&mut Self::Worker>) -> Tell;

    /// Gives what the worker is to run next. At shutdown it is called for every worker until it gives nothing.
    fn next(&self, worker: &mut Self::Worker, turn: &mut Turn<'_>) -> Option<Runnable>;

    /// The worker has nothing: gives it something that was meant for others.
    #[expect(unused_variables, reason = "the names are for the documentation")]
    fn steal(&self, worker: &mut Self::Worker, turn: &mut Turn<'_>) -> Option<Runnable> {
        None
    }

    /// True if `next` has something for this worker. Called often by a worker without work.
    fn has_work(&self, worker: &Self::Worker) -> bool;

    /// True if there is something that any worker would get, out of `next` or `steal`.
    fn has_shared_work(&self) -> bool {
        false
    }

    /// How many tasks are in the queue of worker `index`. For the metrics
    /// ([`worker_local_queue_depth`](crate::runtime::RuntimeMetrics::worker_local_queue_depth)), from any thread, and
    /// for when a worker whose tasks yield looks at I/O and timers. What waits and is not counted here counts as
    /// [global](crate::runtime::RuntimeMetrics::global_queue_depth), such as what is in an
    /// [`Inbox`](crate::scheduler::Inbox). A panic here is a fault as any other, also when metrics ask.
    #[expect(unused_variables, reason = "the names are for the documentation")]
    fn queue_depth(&self, index: usize) -> usize {
        0
    }

    /// Called on the worker's thread before its first task. If a task [blocks in
    /// place](crate::task::block_in_place), another thread goes on as the worker, and this is called there.
    #[expect(unused_variables, reason = "the names are for the documentation")]
    fn on_start(&self, index: usize) {}

    /// True if a task that is spawned on a worker is run there, and nowhere else. Then workers stay on their threads:
    /// [`block_in_place`](crate::task::block_in_place) blocks the worker, and
    /// [`spawn_local`](crate::task::spawn_local) works on each of them.
    fn keeps_tasks(&self) -> bool {
        false
    }
}

/// Who is to be told of a task that was [pushed](Scheduler::push).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tell {
    /// The worker that pushed it comes to it. From elsewhere it means [`Anyone`](Self::Anyone).
    Nobody,
    /// This worker: it is woken if it sleeps.
    Worker(usize),
    /// One worker, whichever: one is woken if some sleep and none is awake and looking for work.
    Anyone,
}

/// One turn of a worker's loop.
pub struct Turn<'a> {
    worker: usize,
    tick: u32,
    wishes: &'a mut Wishes,
}

/// What a strategy has said about a turn.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    pub(super) drivers: bool,
    pub(super) goes_on: bool,
}

impl<'a> Turn<'a> {
    pub(super) fn new(worker: usize, tick: u32, wishes: &'a mut Wishes) -> Self {
        Self {
            worker,
            tick,
            wishes,
        }
    }

    /// Which worker it is.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// Goes up by one with each turn of the worker, and wraps.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Has the worker look at I/O and timers after the task it is given now, instead of after as many as
    /// [`event_interval`](crate::runtime::Builder::event_interval) says. For tasks that run for long: what waits
    /// for a timer would wait for all of them.
    pub fn look_at_drivers(&mut self) {
        self.wishes.drivers = true;
    }

    /// The task that is given now goes on with what the one before it began, as an answer does with a question: both
    /// count as one turn when it comes to [`event_interval`](crate::runtime::Builder::event_interval). Only three in
    /// a row do, so that nobody keeps a worker from its I/O.
    #[inline]
    pub fn goes_on(&mut self) {
        self.wishes.goes_on = true;
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("worker", &self.worker)
            .field("tick", &self.tick)
            .finish_non_exhaustive()
    }
}
