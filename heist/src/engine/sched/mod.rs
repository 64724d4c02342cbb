//! L5: the schedulers.
//!
//! [`crew`] is the work-stealing one: its workers, each with a local queue and a next-task slot, an
//! injector for what comes from outside, and a protocol for who sleeps. Its [`strategy`] can be another: what
//! differs, and how that costs the default nothing, is told there, and in [`custom`]. [`current_thread`] runs
//! everything on the thread that calls `block_on`. Both use the same tasks and the same drivers.
//! [`local_set`] has no thread and no driver: it is polled by a task of theirs.
//!
//! # The path of a task, in the work-stealing scheduler
//!
//! `crew::Crew::spawn` makes it and pushes it (`push`) → `worker::WorkerContext::run` finds it
//! (`next_task`: local queue, injector, or `search`: a sibling's queue) → `run_task` polls it, and what it leaves
//! in the slot (`take_follower`)
//! → it waits → its waker pushes it again (`push`).
//!
//! # The sleep protocol
//!
//! **What.** Work is pushed by anybody at any time; a worker that finds none sleeps; a sleeping worker
//! costs 10 µs and more to wake. So: no work may be overlooked, and as few wakes as possible.
//!
//! **States** of a worker: *running* tasks; *searching* for work with siblings; *asleep*. In
//! [`Idle`](idle::Idle) are the number of searchers and a bit for each sleeper. A worker begins asleep, before
//! it has a thread: who claims it leaves an unpark, which its first sleep finds.
//!
//! ```text
//!            out of work: try_start_searching                start_sleep, last look finds nothing
//!   running ───────────────────────────────► searching ────────────────────────────► asleep
//!      ▲        found work: stop_searching       │  ▲   claimed by a pusher: unpark       │
//!      └─────────────────────────────────────────┘  └─────────────────────────────────────┤
//!      ▲                                                        reactor or timer: rise     │
//!      └──────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! **Rules.**
//! * **I1** Push, then fence, then look at searchers and sleepers; announce sleep, then fence, then
//!   look at all queues. One of the two sees the other. A pusher that sees a searcher relies on it;
//!   one that sees a sleeper and no searcher claims the sleeper and wakes it.
//! * **I2** A sleeper's bit has one taker: a claimer, who counts it as searching and unparks it, or
//!   the sleeper itself.
//! * **I3** One at a time: a claim needs that nobody searches. The last searcher that finds work
//!   looks, after a fence, whether there is more, and only then wakes the next one.
//! * **I4** A claimer that finds no bit has passed for a searcher: it takes the count back, and looks
//!   for sleepers again after a fence. A worker that goes to sleep looks at all queues if it sees no
//!   searcher, whether or not it was one.
//! * **I5** So: if there is announced work that can be stolen and a worker sleeps, then somebody searches, or an
//!   unpark is on its way, or a running worker has yet to come to its own look.
//! * **I6** A task in the slot is not announced: its worker runs it next. Nor is one that goes to an empty
//!   queue because the slot has had its turns (`SLOT_RUNS`): two tasks that wake each other would wake a
//!   sibling with every third message. A sibling that is awake leaves so little alone for a moment
//!   ([`pace`]). If the worker is stuck in a long poll, [`watch`] has them taken
//!   by others.
//! * **I7** What a running task pushes on its worker's queue is announced only when the queue is long enough
//!   to be worth a wake ([`pace`]). Nothing is lost by it: the worker comes to its queue. By the same measure
//!   the last searcher looks for more (I3), and who goes to sleep leaves a queue alone whose owner it saw at work
//!   (`has_overlooked`). Pusher and sleeper agree on it: the owner sets its pace before it pushes, and the fences of
//!   I1 show it along with the push. (A worker that has just got up announces less than its pace says, and one that looks
//!   around takes less; the look before its sleep goes by the owner's pace.) What comes from outside or by the drivers is
//!   announced in any case (but for I13): a worker that takes it into its queue marks the place up to which that holds (`keep_announced`), in the same order.
//! * **I9** A worker that gets up for a single task wakes nobody, unless its polls are long by its pace, or somebody was
//!   found in a long poll lately ([`watch`]), or it left something in the reactor to another who is awake ([`driver`](super::driver)),
//!   or it is asked for (`eager_handoff`): then what is in the reactor, or comes by it meanwhile, would wait for them, and a
//!   sibling is woken to find nothing and sleep in the reactor (`leaves_reactor_alone`). The same holds for the last searcher
//!   that finds a task. Without that two tasks that feed each other by a socket can stay on one worker for good: each
//!   time it waits for both, and gets up for one. If the sibling finds something to do, it is for it to see to that; and if
//!   not in time, for the watch.
//! * **I10** Who is never idle helps as well, where a sibling stands still: in a long poll, or because the system gave
//!   its processor to somebody else. At its looks at the drivers a worker sees whether the sibling it looked at
//!   the last time has begun a task since, and takes half of its queue if not (`relieve_sibling`), and what its shard of the reactor has.
//! * **I11** What the reactor has stays with the system, in its order, until there is room for it: by default a turn fetches
//!   no more than a queue holds, and a worker whose queue is nearly full leaves the reactor alone, until the first look
//!   after as many polls as a queue holds, and not if they are long (`looks_at_reactor`). What overflows goes to the injector, behind whose back a busy
//!   worker goes on with its queue (`pace`): sockets that are ready would be overtaken by others, again and again.
//!
//! * **I12** What was begun is finished first: at the injector's turn a busy worker takes up to half a queue from it, but only
//!   a fourth of the turns' number while the drivers bring work and more waits there than all queues hold
//!   (`turns_share`). Else ten thousand new tasks would all begin before the sockets of the first are looked at
//!   (I11), and each would find its memory, and the system its sockets, out of the caches again. What waits in the
//!   injector and is not new, as it was woken from outside, has its turn in this order as well.
//! * **I13** Where the workers wait for processors ([`crowding`]), what the drivers bring to one whose polls are short is
//!   announced no more than what its tasks push (I7), and a look at the drivers asks for help only after [a
//!   while](pace) without a rest. So a worker that cannot cope has help all the same, later; and one that is stuck has
//!   it from the watch. What of it overflows into the injector is seen at the injector's next turn, or by who goes to
//!   sleep. Wakes for other reasons are as ever; above all those of I9, and who is woken by one takes what it finds.
//! * **I14** When the drivers are looked at because all that is queued has yielded, what they bring comes before those who
//!   yielded (`give_way`). Nobody starves: the next such look is after all of these had their turns again.
//! * **I15** Who took from a sibling what its tasks had pushed there, is out of work, and is on the processor on which
//!   that sibling was last seen, keeps it from its tasks: the system gave the processor of who wakes to who was woken,
//!   and that by and by takes all there is, sleeps, and is woken again, though another processor is idle. So it steps
//!   aside once, awake: the sibling runs, and the system, which now has two that want to run, gives one of them the
//!   other processor. For I5 it is a running worker that has yet to come to its own look. It is no searcher
//!   meanwhile: pushers would rely on one who does not run. Where work comes by the drivers it sleeps as ever: for
//!   their next batch it can be woken, and where a processor is idle.
//! * **I16** Who is out of work looks at its own shard of the reactor before it looks at siblings, if the drivers brought
//!   something not long ago (`expects_events`): what its tasks wrote has mostly made others ready by then, whose sockets are in its
//!   processor's cache; and then at those of siblings who sleep. It does so once for each time that it had something to run, and
//!   seldom where it finds nothing ([`foresight`]), and never while objects are gathered (R9): then none is its own. Where it is crowded (I13) only who is awake alone does: the others are to sleep.
//!
//! **Orderings.** The fences are `SeqCst`, on both sides of each pair; the accesses around them are
//! relaxed or read-modify-writes.
//!
//! **Rejected.** *A read-modify-write on the shared count instead of fence and load* (Tokio): the
//! hottest line of a large machine. *`membarrier` in the sleeper, nothing in the pusher*: saves 2 ns a
//! push, costs up to 2 µs a sleep and interrupts all cores. *Always waking the next one when a searcher
//! finds work* (Tokio): half of those wakes find nothing. *Fewer wakes after some that found nothing*, instead of
//! I7: where most polls are short and few are long, those behind a long one would wait for it. *I7 for what the
//! reactor brings*, where there are processors: one batch of events holds polls of all lengths. *Longer queues before
//! a wake*, instead of I15: fewer sleeps, and no less time, as the two still have one processor. *Moving threads by their
//! affinity*: that is the user's to set.
//!
//! **Tested by** `idle_loom_tests`; I7, I9, I10, I11, I13, I14, I15 and I16 by `tests`; I9 and what the watch does for it by `tests/stall.rs`; I12 by `tests/net.rs`.

pub(crate) mod affinity;
pub(crate) mod blocking_job;
pub(crate) mod counters;
pub(crate) mod crew;
mod crowding;
mod current;
pub(crate) mod current_thread;
pub(crate) mod custom;
mod foreign;
mod foresight;
mod guest;
pub(crate) mod handoff;
mod idle;
#[cfg(all(test, heist_loom))]
mod idle_loom_tests;
#[cfg(all(test, heist_loom))]
mod idle_target_loom_tests;
mod load;
pub(crate) mod local_set;
mod next_task;
mod pace;
mod push;
mod shutdown;
mod spell;
pub(crate) mod strategy;
#[cfg(all(test, not(heist_loom)))]
mod tests;
mod vacancy;
mod watch;
mod worker;

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::time::Instant;

use crate::engine::base::budget;
use crate::engine::base::counters::Counter;
use crate::engine::base::histogram::Buckets;
use crate::engine::base::rng::FastRand;
use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::base::unwind;
use crate::engine::blocking::ThreadPool;
use crate::engine::reactor::ReactorHandle;
use crate::engine::sched::blocking_job::BlockingJob;
use crate::engine::sched::counters::WorkerCounters;
use crate::engine::sched::crew::Crew;
use crate::engine::sched::current_thread::CurrentThread;
use crate::engine::sched::custom::Custom;
use crate::engine::task::{Facts, Id, JoinHandle, LATENCY_UNIT, Listed, Origin, Polled, Runnable};
use crate::engine::timer::clock::real_now;
use crate::engine::timer::{Clock, TimerHandle};
use crate::loom::sync::Mutex;
// The schedulers as wholes are not modelled, only their parts: `std`'s own, for `Weak`.
use std::sync::{Arc, Weak};

/// What every scheduler offers to the tasks on it.
#[derive(Debug)]
pub(crate) struct Services {
    pub(crate) id: RuntimeId,
    pub(crate) name: Option<String>,
    /// `None` if I/O was not enabled.
    pub(crate) reactor: Option<ReactorHandle>,
    /// Always there, for the clock; used for timers only if time was enabled.
    pub(crate) timers: TimerHandle,
    pub(crate) time_enabled: bool,
    pub(crate) pool: ThreadPool<BlockingJob>,
    /// Turns that futures in `block_on` had to give up because their budget was spent.
    pub(crate) forced_yields: Counter,
    /// Polls that a list of tasks found under way, and when it first did.
    pub(crate) long_polls: Mutex<BTreeMap<(Id, u32), Instant>>,
    /// Seeds of the random numbers of `block_on`, if they are to be repeatable.
    pub(crate) seeds: Option<Mutex<FastRand>>,
}

impl Services {
    pub(crate) fn clock(&self) -> &Clock {
        &self.timers.clock
    }

    /// Counts what the future in `block_on` had to give up.
    pub(crate) fn count_forced_yields(&self) {
        if budget::take_forced_yield() {
            self.forced_yields.add_shared(1);
        }
    }

    #[inline]
    pub(crate) fn timers(&self) -> Option<&TimerHandle> {
        self.time_enabled.then_some(&self.timers)
    }
}

/// A runtime's scheduler, of either kind.
#[derive(Debug, Clone)]
pub(crate) enum SchedHandle {
    Crew(Arc<Crew>),
    Custom(Arc<Crew<Custom>>),
    CurrentThread(Arc<CurrentThread>),
}

/// As [`SchedHandle`], without keeping it.
#[derive(Debug, Clone)]
pub(crate) enum WeakSchedHandle {
    Crew(Weak<Crew>),
    Custom(Weak<Crew<Custom>>),
    CurrentThread(Weak<CurrentThread>),
}

impl SchedHandle {
    #[inline]
    pub(crate) fn services(&self) -> &Services {
        match self {
            Self::Crew(crew) => crew.services(),
            Self::Custom(crew) => crew.services(),
            Self::CurrentThread(scheduler) => scheduler.services(),
        }
    }

    pub(crate) fn spawn<F>(&self, future: F, id: Id, origin: Origin) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match self {
            Self::Crew(crew) => crew.spawn(future, id, origin),
            Self::Custom(crew) => crew.spawn(future, id, origin),
            // SAFETY: `F` is `Send`.
            Self::CurrentThread(scheduler) => unsafe { scheduler.spawn_local(future, id, origin) },
        }
    }

    /// The tasks that are listed.
    pub(crate) fn tasks(&self) -> Vec<Listed> {
        match self {
            Self::Crew(crew) => crew.owned.list(),
            Self::Custom(crew) => crew.owned.list(),
            Self::CurrentThread(scheduler) => scheduler.tasks(),
        }
    }

    pub(crate) fn spawn_tagged<F>(
        &self,
        future: F,
        id: Id,
        tag: u16,
        origin: Origin,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match self {
            Self::Custom(crew) => crew.spawn_tagged(future, id, tag, origin),
            _ => self.spawn(future, id, origin),
        }
    }

    /// Which worker of this runtime the thread is.
    #[inline]
    pub(crate) fn current_worker(&self) -> Option<usize> {
        match self {
            Self::Crew(crew) => crew.current_worker(),
            Self::Custom(crew) => crew.current_worker(),
            Self::CurrentThread(scheduler) => scheduler.is_current().then_some(0),
        }
    }

    pub(crate) fn downgrade(&self) -> WeakSchedHandle {
        match self {
            Self::Crew(crew) => WeakSchedHandle::Crew(Arc::downgrade(crew)),
            Self::Custom(crew) => WeakSchedHandle::Custom(Arc::downgrade(crew)),
            Self::CurrentThread(scheduler) => {
                WeakSchedHandle::CurrentThread(Arc::downgrade(scheduler))
            }
        }
    }
}

impl WeakSchedHandle {
    pub(crate) fn upgrade(&self) -> Option<SchedHandle> {
        match self {
            Self::Crew(crew) => crew.upgrade().map(SchedHandle::Crew),
            Self::Custom(crew) => crew.upgrade().map(SchedHandle::Custom),
            Self::CurrentThread(scheduler) => scheduler.upgrade().map(SchedHandle::CurrentThread),
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        match self {
            Self::Crew(crew) => crew.strong_count() > 0,
            Self::Custom(crew) => crew.strong_count() > 0,
            Self::CurrentThread(scheduler) => scheduler.strong_count() > 0,
        }
    }
}

type Hook = Arc<dyn Fn() + Send + Sync>;
pub(crate) type TaskHook = Arc<dyn Fn(&Facts<'_>) + Send + Sync>;

/// Functions of the user's, called at certain moments, and what is measured because the user asked.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) before_park: Option<Hook>,
    pub(crate) after_unpark: Option<Hook>,
    pub(crate) task_spawn: Option<TaskHook>,
    pub(crate) task_terminate: Option<TaskHook>,
    pub(crate) before_poll: Option<TaskHook>,
    pub(crate) after_poll: Option<TaskHook>,
    /// Measure how long polls take, which costs two looks at the clock a poll.
    pub(crate) poll_times: Option<Buckets>,
    /// Measure how long tasks wait for their turn: a look at the clock a wake and one a poll.
    pub(crate) latencies: Option<Buckets>,
    /// Tell hooks about it, at least.
    pub(crate) track_latency: bool,
    /// List tasks when they are spawned, not when they first wait.
    pub(crate) list_at_spawn: bool,
    /// What [`latency_clock`] counts from.
    epoch: Option<Instant>,
    /// Any of what concerns a poll.
    observes_polls: bool,
}

impl Hooks {
    /// Called once nothing more is added.
    pub(crate) fn complete(mut self) -> Self {
        self.track_latency |= self.latencies.is_some();
        self.epoch = self.track_latency.then(real_now);
        self.observes_polls = self.track_latency
            || self.poll_times.is_some()
            || self.before_poll.is_some()
            || self.after_poll.is_some();
        self
    }

    /// A task is about to be made: what it is to have as its origin.
    #[inline]
    pub(crate) fn on_spawn(&self, id: Id, origin: Origin) -> Origin {
        if let Some(hook) = &self.task_spawn {
            hook(&Facts {
                id,
                origin: &origin,
                latency: None,
            });
        }
        match self.epoch {
            None => origin,
            Some(_) => origin.timed(),
        }
    }

    #[inline]
    pub(crate) fn on_terminate(&self, task: &Facts<'_>) {
        if let Some(hook) = &self.task_terminate {
            unwind::guarded(|| hook(task));
        }
    }

    /// Notes that a task became runnable, if that is wanted.
    #[inline]
    pub(crate) fn on_runnable(&self, runnable: &Runnable) {
        if let Some(epoch) = self.epoch {
            runnable.stamp(latency_clock(epoch));
        }
    }

    /// Polls `runnable`, with the hooks around it. If it wants another turn, that is noted as by
    /// [`on_runnable`](Self::on_runnable).
    #[inline(always)]
    pub(crate) fn run(&self, runnable: Runnable, worker: &WorkerCounters) -> Polled {
        if self.observes_polls {
            self.run_observed(runnable, worker)
        } else {
            runnable.run()
        }
    }

    #[cold]
    fn run_observed(&self, runnable: Runnable, worker: &WorkerCounters) -> Polled {
        let latency = self
            .epoch
            .map(|epoch| runnable.latency(latency_clock(epoch)));
        if let (Some(latency), Some(histogram)) = (latency, &worker.latencies) {
            histogram.add(latency.as_nanos() as u64);
        }
        // The cell may be gone after the poll.
        let (id, origin) = (runnable.id(), runnable.origin().clone());
        let facts = Facts {
            id,
            origin: &origin,
            latency,
        };
        if let Some(hook) = &self.before_poll {
            unwind::guarded(|| hook(&facts));
        }
        let polled = match &worker.poll_times {
            None => runnable.run(),
            Some(histogram) => {
                let began = real_now();
                let polled = runnable.run();
                histogram.add(real_now().duration_since(began).as_nanos() as u64);
                polled
            }
        };
        if let Some(hook) = &self.after_poll {
            unwind::guarded(|| hook(&facts));
        }
        if let Polled::Again(runnable) = &polled {
            self.on_runnable(runnable);
        }
        polled
    }
}

/// The time in which latencies are measured.
fn latency_clock(epoch: Instant) -> u32 {
    (real_now().duration_since(epoch).as_nanos() / LATENCY_UNIT.as_nanos()) as u32
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
