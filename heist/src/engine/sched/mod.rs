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
//! (`next_task`: slot, local queue, injector, or `search`: a sibling's queue) → `run_task` polls it
//! → it waits → its waker pushes it again (`push`).
//!
//! # The sleep protocol
//!
//! **What.** Work is pushed by anybody at any time; a worker that finds none sleeps; a sleeping worker
//! costs 10 µs and more to wake. So: no work may be overlooked, and as few wakes as possible.
//!
//! **States** of a worker: *running* tasks; *searching* for work with siblings; *asleep*. In
//! [`Idle`](idle::Idle) are the number of searchers and a bit for each sleeper.
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
//! * **I5** So: if there is work that can be stolen and a worker sleeps, then somebody searches, or an
//!   unpark is on its way, or a running worker has yet to come to its own look.
//! * **I6** A task in the slot is not announced: its worker runs it next. If the worker is stuck in
//!   a long poll, [`watch`] has it taken by others.
//!
//! **Orderings.** The fences are `SeqCst`, on both sides of each pair; the accesses around them are
//! relaxed or read-modify-writes.
//!
//! **Rejected.** *A read-modify-write on the shared count instead of fence and load* (Tokio): the
//! hottest line of a large machine. *`membarrier` in the sleeper, nothing in the pusher*: saves 2 ns a
//! push, costs up to 2 µs a sleep and interrupts all cores. *Always waking the next one when a searcher
//! finds work* (Tokio): half of those wakes find nothing.
//!
//! **Tested by** `idle_loom_tests`.

pub(crate) mod affinity;
pub(crate) mod blocking_job;
pub(crate) mod counters;
pub(crate) mod crew;
mod current;
pub(crate) mod current_thread;
pub(crate) mod custom;
mod foreign;
mod guest;
pub(crate) mod handoff;
mod idle;
#[cfg(all(test, heist_loom))]
mod idle_loom_tests;
#[cfg(all(test, heist_loom))]
mod idle_target_loom_tests;
pub(crate) mod local_set;
mod next_task;
mod push;
mod shutdown;
pub(crate) mod strategy;
mod watch;
mod worker;

use std::fmt;
use std::future::Future;
use std::panic::Location;

use crate::engine::base::rng::FastRand;
use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::base::unwind;
use crate::engine::blocking::ThreadPool;
use crate::engine::reactor::ReactorHandle;
use crate::engine::sched::blocking_job::BlockingJob;
use crate::engine::sched::crew::Crew;
use crate::engine::sched::current_thread::CurrentThread;
use crate::engine::sched::custom::Custom;
use crate::engine::task::{Id, JoinHandle, Runnable};
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
    /// Seeds of the random numbers of `block_on`, if they are to be repeatable.
    pub(crate) seeds: Option<Mutex<FastRand>>,
}

impl Services {
    pub(crate) fn clock(&self) -> &Clock {
        &self.timers.clock
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

    #[track_caller]
    pub(crate) fn spawn<F>(&self, future: F, id: Id) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.spawn_at(future, id, Location::caller())
    }

    pub(crate) fn spawn_at<F>(
        &self,
        future: F,
        id: Id,
        spawned_at: &'static Location<'static>,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match self {
            Self::Crew(crew) => crew.spawn(future, id, spawned_at),
            Self::Custom(crew) => crew.spawn(future, id, spawned_at),
            // SAFETY: `F` is `Send`.
            Self::CurrentThread(scheduler) => unsafe {
                scheduler.spawn_local(future, id, spawned_at)
            },
        }
    }

    pub(crate) fn spawn_tagged_at<F>(
        &self,
        future: F,
        id: Id,
        tag: u32,
        spawned_at: &'static Location<'static>,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match self {
            Self::Custom(crew) => crew.spawn_tagged(future, id, tag, spawned_at),
            _ => self.spawn_at(future, id, spawned_at),
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
pub(crate) type TaskHook = Arc<dyn Fn(Id, &'static Location<'static>) + Send + Sync>;

/// Functions of the user's, called at certain moments.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) before_park: Option<Hook>,
    pub(crate) after_unpark: Option<Hook>,
    pub(crate) task_spawn: Option<TaskHook>,
    pub(crate) task_terminate: Option<TaskHook>,
    pub(crate) before_poll: Option<TaskHook>,
    pub(crate) after_poll: Option<TaskHook>,
}

impl Hooks {
    #[inline]
    pub(crate) fn on_spawn(&self, id: Id, spawned_at: &'static Location<'static>) {
        if let Some(hook) = &self.task_spawn {
            hook(id, spawned_at);
        }
    }

    #[inline]
    pub(crate) fn on_terminate(&self, id: Id, spawned_at: &'static Location<'static>) {
        if let Some(hook) = &self.task_terminate {
            unwind::guarded(|| hook(id, spawned_at));
        }
    }

    /// Polls `runnable`, with the hooks around it.
    #[inline]
    pub(crate) fn run(&self, runnable: Runnable) -> crate::engine::task::Polled {
        if self.before_poll.is_none() && self.after_poll.is_none() {
            return runnable.run();
        }
        let (id, spawned_at) = (runnable.id(), runnable.spawned_at());
        if let Some(hook) = &self.before_poll {
            unwind::guarded(|| hook(id, spawned_at));
        }
        let polled = runnable.run();
        if let Some(hook) = &self.after_poll {
            unwind::guarded(|| hook(id, spawned_at));
        }
        polled
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
