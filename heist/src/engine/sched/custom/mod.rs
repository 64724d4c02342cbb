//! Strategies of the user's: a crew that asks a [`Scheduler`].
//!
//! **What.** [`Custom`] is the [`Strategy`] of all crews but the default's. It gives each runnable task to the
//! scheduler as a token ([`Runnable`]) and gets it back by asking. The scheduler is safe code that may do anything
//! safe code can: panic, drop tokens, forget them, keep them in a static beyond the runtime's end, give
//! them to another runtime, name workers that do not exist, or say that there is no work when there is. None
//! of that may be undefined behaviour, or keep a shutdown from ending.
//!
//! **Rules.**
//! * **C1** A token is made for tasks of a `Crew<Custom>` only, and is the task's run right (T1). A crew runs only
//!   its own: each token's crew is compared with the crew that was given it.
//! * **C2** Tokens are counted: pushed by workers, pushed by others, taken back, dropped. If some are missing when
//!   a crew has ended, the crew is leaked: whoever has one of them may still use it (T11), and the shutdown does
//!   not wait for their tasks. A token is missing only if the queues were drained after the last call from outside
//!   had ended, and no other began since: before that it may be in a queue, or just being refused.
//! * **C3** A dropped token's run right goes to the crew's *orphans*, which the last worker cancels, so that no
//!   future is dropped within a call of the scheduler; once the crew has ended, on the spot.
//! * **C4** A foreign call announces itself (F1), fences, and looks whether the crew has *ended*; the closer sets
//!   that, fences, and waits for the calls that had begun. So after the wait nobody but the closer gives it
//!   tasks or takes them, and what the closer finds in it is all there is. (Metrics may still ask for depths.)
//! * **C5** A fault closes the crew as a shutdown would. The first one is kept: guests of `block_on` are woken and
//!   panic with it, or, if there are none, the owner of the runtime when it drops it.
//! * **C6** *Local tasks.* Where the scheduler says that it keeps tasks on their worker, a worker does not change its
//!   thread, and has a [`LocalScheduler`](super::local_set::LocalScheduler) for tasks that are not `Send`. They are
//!   no tokens: what the scheduler gets is an ordinary task that holds nothing and, polled, runs the set of the
//!   worker it is on; if that is another than it was made on, it is a fault. The worker closes its set before it leaves.
//! * **C7** A worker's state is made by its crew's scheduler, and is in a core, which never gets into another crew: so
//!   its type is known without asking.
//! * **I8** (with I1 to I7 of [`sched`](super)) *Telling one worker.* Push, fence, look at its bit; if it is set,
//!   claim it. The worker sets its bit, fences, and looks at what is its own before each sleep, whether or not
//!   others are searching. One of the two sees the other. A claimed worker counts as searching as any other
//!   does: those who push for anyone may rely on it, as it looks, when it stops searching, whether there is
//!   more for all.
//!
//! **Orderings.** C4 and I8 are pairs of `SeqCst` fences; the rest is the scheduler's own, or a lock's. Each was taken
//! out once, and its models failed: C4's are named there; without the fence in `Idle::claim_worker`, and without the
//! one in `Idle::start_sleep`, all of I8's that have a whole worker do; without the one in `Idle::unclaim`,
//! `a_claim_that_comes_too_late`; with a look before the sleep only if nobody is searching, all that have two workers.
//! The read-modify-writes of `claim_worker` could be relaxed as far as the models see.
//!
//! **Rejected.** *A counted pointer to the crew in each token*: a line that all workers write, at each push.
//! *Tokens bound to a lifetime*: queues of them could not be stored. *Giving a dropped task back to the
//! scheduler*: one that drops all would get it for ever. *A panic where the token is dropped*: in a `Drop`, and on
//! a thread that only woke a task. *Strategies without the type in the loop*: a table call a turn; measured,
//! see `docs/schedulers.md`.
//!
//! **Tested by** `ended::loom_tests` (C4), `idle_target_loom_tests` (I8), `heist/tests/schedulers.rs`,
//! `heist/tests/scheduler_faults.rs`, and Tokio's tests of its runtime (`compat/conformance`, `--schedulers`).

mod ended;
mod inbox;
pub(crate) mod local;
mod scheduler;
mod token;
mod typed;

pub use self::inbox::{Inbox, Taken};
pub use self::scheduler::{Scheduler, Tell, Turn};
pub use self::token::Runnable;

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use self::ended::Ended;
use self::scheduler::Wishes;
use self::typed::{Erased, Typed};
use crate::engine::base::counters::Counter;
use crate::engine::base::parker::SharedParker;
use crate::engine::base::unwind;
use crate::engine::sched::crew::{Core, Crew, CrewConfig};
use crate::engine::sched::strategy::{Cause, Strategy, Visible};
use crate::engine::sched::worker::WorkerContext;
use crate::engine::task::{self, Id, JoinHandle, Origin};
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::thread;

/// A strategy that asks a [`Scheduler`].
pub(crate) struct Custom {
    scheduler: Box<dyn Erased>,
    fault: Fault,
    guests: Guests,
    /// Nothing is pushed any more (C4).
    ended: Ended,
    /// Run rights of dropped tokens; `None` once they are cancelled on the spot (C3).
    orphans: Mutex<Option<Vec<task::Runnable>>>,
    /// Foreign calls that came too late to push (C2).
    refused: Counter,
    /// Tokens that were dropped (C2).
    dropped: Counter,
}

/// The first thing the scheduler did wrong (C5).
#[derive(Debug)]
struct Fault {
    set: AtomicBool,
    message: Mutex<Option<String>>,
    reported: AtomicBool,
}

/// The parkers of threads in `block_on`.
type Guests = Arc<Mutex<Vec<SharedParker>>>;

/// What is counted of a worker (C2), beside what is counted anyway.
#[derive(Debug, Default)]
pub(crate) struct CustomPost {
    /// Tokens that were pushed because their tasks gave up their turn. Others are `local_schedules`.
    yielded: Counter,
    /// Tokens that were taken back to be cancelled. Others are `polls`.
    drained: Counter,
}

/// What a worker has.
pub(crate) struct CustomCore {
    /// The scheduler's.
    state: Box<dyn Any + Send>,
    /// Tasks for anyone that the drivers woke, not announced yet.
    unannounced: u32,
    /// How many tasks in a row went on with a turn.
    in_a_row: u32,
}

impl Custom {
    pub(crate) fn new<T: Scheduler>(scheduler: T) -> Self {
        Self {
            scheduler: Box::new(Typed(scheduler)),
            fault: Fault {
                set: AtomicBool::new(false),
                message: Mutex::new(None),
                reported: AtomicBool::new(false),
            },
            guests: Guests::new(Mutex::new(Vec::new())),
            ended: Ended::new(),
            orphans: Mutex::new(Some(Vec::new())),
            refused: Counter::default(),
            dropped: Counter::default(),
        }
    }
}

/// What a scheduler can fail in. A number, and no text, so that a call that goes well has little to do with it.
#[derive(Debug, Clone, Copy)]
enum Method {
    OnStart,
    Push,
    Next,
    Steal,
    HasWork,
    HasSharedWork,
    QueueDepth,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::OnStart => "on_start",
            Self::Push => "push",
            Self::Next => "next",
            Self::Steal => "steal",
            Self::HasWork => "has_work",
            Self::HasSharedWork => "has_shared_work",
            Self::QueueDepth => "queue_depth",
        }
    }
}

/// Calls the scheduler; `None` if it panicked, which is a fault.
#[inline]
fn guarded<R>(crew: &Crew<Custom>, method: Method, call: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => Some(result),
        Err(payload) => {
            crew.fail_by_panic(method, payload);
            None
        }
    }
}

impl Crew<Custom> {
    /// As [`spawn`](Crew::spawn), with a tag.
    pub(crate) fn spawn_tagged<F>(
        self: &Arc<Self>,
        future: F,
        id: Id,
        tag: u16,
        origin: Origin,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (mut runnable, join) = self.make_task(future, id, origin);
        runnable.set_tag(tag);
        self.admit(runnable);
        join
    }

    /// Panics with the fault, unless somebody has.
    pub(crate) fn report_fault(&self) {
        if !self.strategy.fault.reported.load(Relaxed) {
            self.strategy.check();
        }
    }

    /// The scheduler did what it must not: ends the runtime (C5).
    #[cold]
    fn fail(&self, what: &str) {
        {
            let mut message = self.strategy.fault.message.lock();
            message.get_or_insert_with(|| format!("the scheduler failed: {what}"));
        }
        self.strategy.fault.set.store(true, Relaxed);
        self.close();
        for parker in &*self.strategy.guests.lock() {
            parker.unpark();
        }
    }

    #[cold]
    fn fail_by_panic(&self, method: Method, payload: Box<dyn Any + Send>) {
        let text = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("(not a text)").to_owned();
        unwind::discard(payload);
        self.fail(&format!("it panicked in `{}`: {text}", method.name()));
    }

    /// It gave `task`, which is not of this crew (C1).
    #[cold]
    fn fail_by_stranger(&self, method: Method, task: Runnable) {
        self.fail(&format!(
            "it gave a task of another runtime out of `{}`",
            method.name()
        ));
        // A fault of its own crew too (C3).
        drop(task);
    }

    /// A token was dropped (C3).
    #[cold]
    fn orphaned(&self, right: task::Runnable) {
        self.strategy.dropped.add_shared(1);
        // While it unwinds, the panic is the fault, and will be told.
        if !self.strategy.ended.get() && !std::thread::panicking() {
            self.fail(&format!(
                "it dropped task {}, spawned at {}",
                right.id(),
                right.origin().spawned_at()
            ));
        }
        let on_the_spot = match &mut *self.strategy.orphans.lock() {
            Some(orphans) => {
                orphans.push(right);
                None
            }
            None => Some(right),
        };
        if let Some(right) = on_the_spot {
            right.cancel();
        }
    }

    /// Tokens that the scheduler has, or has lost (C2).
    fn tokens_out(&self) -> u64 {
        let strategy = &self.strategy;
        let back = self
            .posts
            .iter()
            .map(|post| post.own.drained.get() + post.counters.polls.get());
        let back: u64 = back.sum::<u64>() + strategy.dropped.get() + strategy.refused.get();
        let out = self
            .posts
            .iter()
            .map(|post| post.own.yielded.get() + post.counters.local_schedules.get());
        let out: u64 = out.sum::<u64>() + self.foreign_calls.count();
        out.saturating_sub(back)
    }

    /// How many calls from outside there were, if none is under way.
    fn settled_calls(&self) -> Option<u64> {
        let calls = self.foreign_calls.count();
        (self.foreign_calls.all_ended() && self.foreign_calls.count() == calls).then_some(calls)
    }

    /// As [`tokens_out`](Self::tokens_out), of a crew that has ended: a spawn that is just being refused has
    /// lost nothing.
    fn tokens_lost(&self) -> u64 {
        loop {
            let settled = self.settled_calls();
            let lost = self.tokens_out();
            if lost == 0 || (settled.is_some() && settled == self.settled_calls()) {
                return lost;
            }
            thread::yield_now();
        }
    }

    /// Has `worker` come, if it sleeps (I8).
    fn tell_worker(&self, worker: usize) {
        if worker >= self.num_workers() {
            let workers = self.num_workers();
            return self.fail(&format!("it told worker {worker} of {workers}"));
        }
        if let Some(sleeper) = self.idle.claim_worker(worker) {
            self.wake_sibling(sleeper);
        }
    }

    fn cancel_orphans(&self) {
        let orphans = self.strategy.orphans.lock().as_mut().map(std::mem::take);
        orphans
            .into_iter()
            .flatten()
            .for_each(task::Runnable::cancel);
    }

    /// Cancels what the scheduler gives.
    fn drain(&self, cores: &mut [Box<Core<Custom>>]) {
        for core in cores {
            loop {
                core.tick = core.tick.wrapping_add(1);
                let given = guarded(self, Method::Next, || {
                    let mut wishes = Wishes::default();
                    let mut turn = Turn::new(core.index, core.tick, &mut wishes);
                    self.strategy
                        .scheduler
                        .drain(&mut *core.own.state, &mut turn)
                });
                let Some(task) = given.flatten() else { break };
                if task.is_of(self) {
                    self.posts[core.index].own.drained.add(1);
                    task.into_right().cancel();
                }
            }
        }
        self.cancel_orphans();
    }
}

impl WorkerContext<Custom> {
    /// Tells whom the scheduler wants to be told of what this worker pushed.
    #[inline(always)]
    fn tell(&self, core: &mut Core<Custom>, tell: Tell) {
        match tell {
            Tell::Nobody => {}
            Tell::Worker(index) if index == core.index => {}
            Tell::Worker(index) => self.crew.tell_worker(index),
            // Announced once, when the drivers are done.
            Tell::Anyone if self.dispatching.get() => core.own.unannounced += 1,
            Tell::Anyone => self.crew.notify(),
        }
    }
}

impl Strategy for Custom {
    type Post = CustomPost;
    type Core = CustomCore;
    type Guest = Guest;
    const TARGETED: bool = true;
    const MINDS_CROWDING: bool = false;

    fn new_worker(&self, index: usize, _: &CrewConfig) -> (CustomPost, CustomCore) {
        let core = CustomCore {
            state: self.scheduler.worker(index),
            unannounced: 0,
            in_a_row: 0,
        };
        (CustomPost::default(), core)
    }

    #[inline(always)]
    fn current() -> *const WorkerContext<Self> {
        super::current::custom()
    }

    fn replace_current(worker: *const WorkerContext<Self>) -> *const WorkerContext<Self> {
        super::current::replace_custom(worker)
    }

    fn work(worker: &WorkerContext<Self>, core: Box<Core<Self>>) {
        worker.crew.strategy.scheduler.work(worker, core);
    }

    #[inline]
    fn push_local(worker: &WorkerContext<Self>, runnable: task::Runnable, cause: Cause) {
        worker
            .crew
            .strategy
            .scheduler
            .push_local(worker, runnable, cause);
    }

    fn push_foreign(crew: &Crew<Self>, runnable: task::Runnable, cause: Cause) {
        let strategy = &crew.strategy;
        let call = crew.foreign_calls.begin();
        if strategy.ended.refuses() {
            strategy.refused.add_shared(1);
            // As in `Crew::inject`: not within the call.
            drop(call);
            return runnable.cancel();
        }
        let task = Runnable::new(runnable);
        let tell = guarded(crew, Method::Push, || {
            strategy.scheduler.push_foreign(task, cause)
        });
        match tell {
            Some(Tell::Nobody | Tell::Anyone) => crew.notify(),
            Some(Tell::Worker(index)) => crew.tell_worker(index),
            None => {}
        }
    }

    fn has_own_work(crew: &Crew<Self>, core: &Core<Self>) -> bool {
        // What nobody was told of is this worker's to look for.
        core.own.unannounced > 0
            || guarded(crew, Method::HasWork, || {
                crew.strategy.scheduler.has_work(&*core.own.state)
            })
            .unwrap_or(false)
    }

    fn visible(crew: &Crew<Self>, core: &Core<Self>) -> Visible {
        match Self::has_own_work(crew, core) || Self::shared_work_visible(crew) {
            true => Visible::Enough,
            false => Visible::Nothing,
        }
    }

    fn shared_work_visible(crew: &Crew<Self>) -> bool {
        guarded(crew, Method::HasSharedWork, || {
            crew.strategy.scheduler.has_shared_work()
        })
        .unwrap_or(false)
    }

    fn after_maintain(worker: &WorkerContext<Self>, core: &mut Core<Self>, _: Instant) {
        if std::mem::take(&mut core.own.unannounced) > 0 {
            worker.crew.notify();
        }
    }

    fn after_sleep(worker: &WorkerContext<Self>, core: &mut Core<Self>, _now: Instant) {
        let len = std::mem::take(&mut core.own.unannounced);
        // One of them is this worker's; one that was claimed looks when it stops searching (I3, I9).
        if !core.searching && (len > 1 || (len > 0 && worker.leaves_reactor_alone(core))) {
            worker.crew.notify();
        }
    }

    fn relieve(crew: &Crew<Self>, _index: usize) {
        if Self::shared_work_visible(crew) {
            crew.help();
        }
    }

    fn hands_on(&self) -> bool {
        !self.scheduler.keeps_tasks()
    }

    /// What is queued is the strategy's, which is not asked before all workers are back; and what waits may belong to a
    /// worker that is not back.
    fn leave(_: &Crew<Self>, _: &Core<Self>) {}

    fn end_tasks(crew: &Arc<Crew<Self>>, mut cores: Vec<Box<Core<Self>>>) {
        let strategy = &crew.strategy;
        strategy.ended.set();
        crew.owned.close(task::Runnable::cancel);
        loop {
            // What a call pushed that has ended by now is found by the drain that follows.
            let settled = crew.settled_calls();
            crew.drain(&mut cores);
            // F2: the tasks before the calls.
            if crew.owned.is_empty() && crew.foreign_calls.all_ended() {
                break;
            }
            // C2: or all that is left has no token that comes back, as no call has pushed one since.
            let lost = crew.tokens_out();
            if lost > 0
                && crew.owned.len() as u64 <= lost
                && settled.is_some()
                && settled == crew.settled_calls()
            {
                if cores.is_empty() {
                    break;
                }
                // What its workers kept are orphans from here on.
                let _ = unwind::guarded(|| cores.clear());
            }
            thread::yield_now();
        }
        // C4: the calls that had begun have pushed.
        crew.drain(&mut cores);
        let _ = unwind::guarded(|| drop(cores));
        let orphans = strategy.orphans.lock().take();
        orphans
            .into_iter()
            .flatten()
            .for_each(task::Runnable::cancel);
        let lost = crew.tokens_lost();
        if lost > 0 {
            crew.fail(&format!("it lost {lost} tasks"));
        }
        if lost > 0 || !crew.owned.is_empty() {
            // C2: whoever has them may still come.
            std::mem::forget(Arc::clone(crew));
        }
    }

    fn guest(crew: &Crew<Self>, parker: &SharedParker) -> Guest {
        crew.strategy
            .guests
            .lock()
            .push(SharedParker::clone(parker));
        Guest {
            guests: Arc::clone(&crew.strategy.guests),
            parker: SharedParker::clone(parker),
        }
    }

    fn check(&self) {
        if self.fault.set.load(Relaxed) {
            self.fault.reported.store(true, Relaxed);
            let message = self.fault.message.lock().clone();
            panic!("{}", message.unwrap_or_default());
        }
    }

    fn shared_depth(crew: &Crew<Self>) -> usize {
        let local = (0..crew.num_workers()).map(|index| Self::depth(crew, index));
        (crew.tokens_out() as usize).saturating_sub(local.sum())
    }

    fn depth(crew: &Crew<Self>, index: usize) -> usize {
        let scheduler = &crew.strategy.scheduler;
        guarded(crew, Method::QueueDepth, || scheduler.queue_depth(index)).unwrap_or(0)
    }
}

/// A thread in `block_on`, to be woken when the scheduler fails (C5).
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Guests,
    parker: SharedParker,
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut guests = self.guests.lock();
        if let Some(place) = guests
            .iter()
            .position(|guest| SharedParker::ptr_eq(guest, &self.parker))
        {
            guests.swap_remove(place);
        }
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custom")
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CustomCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomCore").finish_non_exhaustive()
    }
}
