//! Where a task goes that became runnable.

use crate::engine::queue::injector::{Chain, Push};
use crate::engine::sched::crew::{Core, Crew, Post};
use crate::engine::sched::current;
use crate::engine::sched::strategy::{Cause, Stealing, Strategy};
use crate::engine::sched::worker::WorkerContext;
use crate::engine::task::Runnable;

/// How often a task can give up its turn before the drivers are looked at.
pub(super) const YIELDS_BEFORE_DRIVERS: u32 = 4;

impl<S: Strategy> Crew<S> {
    /// A task that was just made.
    pub(super) fn push_spawned(&self, runnable: Runnable) {
        self.hooks.on_runnable(&runnable);
        current::with(|worker| match worker.filter(|worker| worker.is_of(self)) {
            Some(worker) => {
                self.posts[worker.index()].counters.spawned.add(1);
                S::push_local(worker, runnable, Cause::Spawned);
            }
            None => {
                self.foreign_spawned.add_shared(1);
                S::push_foreign(self, runnable, Cause::Spawned);
            }
        });
    }

    /// A task that was woken.
    #[inline]
    pub(super) fn push_woken(&self, runnable: Runnable) {
        self.hooks.on_runnable(&runnable);
        current::with(|worker| match worker.filter(|worker| worker.is_of(self)) {
            Some(worker) => S::push_local(worker, runnable, Cause::Woken),
            None => S::push_foreign(self, runnable, Cause::Woken),
        });
    }
}

impl Crew<Stealing> {
    /// From outside: into the injector, and somebody is told.
    pub(super) fn inject(&self, runnable: Runnable) {
        let call = self.foreign_calls.begin();
        match self.strategy.injector.push(runnable) {
            Push::First => self.notify(),
            // J4: the first was announced. Its pusher may have been stopped before it did, so a
            // look; without a fence, as the announcement will come.
            Push::Joined => self.help(),
            // The runtime is gone, which only a spawn can find; its task is told by being dropped.
            // That is user code, which may itself wait for a shutdown: not within the call.
            Push::Closed(runnable) => {
                drop(call);
                runnable.cancel();
            }
        }
    }

    /// What a full local queue spilled.
    #[cold]
    pub(super) fn inject_overflow(&self, post: &Post<Stealing>, chain: Chain<Runnable>) {
        post.counters.overflows.add(1);
        match self.strategy.injector.push_chain(chain) {
            Push::First | Push::Joined => {}
            Push::Closed(chain) => chain.for_each(Runnable::cancel),
        }
    }
}

impl<S: Strategy> Crew<S> {
    /// There is new work: wakes a sibling, unless somebody looks already (I1).
    #[inline]
    pub(super) fn notify(&self) {
        if let Some(index) = self.idle.worker_to_notify() {
            self.wake_sibling(index);
        }
    }

    /// There is work whose owner will come to it: wakes a sibling to help.
    #[inline]
    pub(super) fn help(&self) {
        if let Some(index) = self.idle.worker_to_help() {
            self.wake_sibling(index);
        }
    }

    #[cold]
    pub(super) fn wake_sibling(&self, index: usize) {
        if let Some(own) = self.current_worker() {
            self.posts[own].counters.wakes.add(1);
        }
        self.unpark(index);
    }
}

impl WorkerContext<Stealing> {
    /// A task that was spawned or woken by what runs on this worker.
    #[inline]
    pub(super) fn push_local(&self, runnable: Runnable) {
        // The core is gone while a task of this worker blocks in place.
        let Some(mut core) = self.core.take() else {
            return self.crew.inject(runnable);
        };
        let post = self.post();
        post.counters.local_schedules.add(1);
        let announce = if core.own.use_slot && !self.dispatching.get() {
            match post.own.slot.replace(runnable) {
                // I6: not announced, as it is next.
                None => false,
                Some(displaced) => {
                    let others = self.push_back(&core, displaced);
                    core.pace.wants_help(others + 1)
                }
            }
        } else {
            // What the drivers wake is announced once, by whoever turned them.
            core.own.unannounced += u32::from(self.dispatching.get());
            // I6 again: the slot has had its turns, but nobody waits for the next one.
            let others = self.push_back(&core, runnable);
            let is_next = self.crew.config.use_slot && others == 0;
            !is_next && core.pace.wants_help(others + 1)
        };
        self.lend(core);
        if announce && !self.dispatching.get() {
            self.crew.notify();
        }
    }

    /// A task that gave up its turn: behind all others. Its worker will come to it, so siblings are
    /// only asked for help, and only if there is something for them besides.
    #[inline(always)]
    pub(super) fn push_yielded(&self, core: &mut Core<Stealing>, runnable: Runnable) {
        let others = self.push_back(core, runnable);
        if core.pace.asks_after_yield(others) {
            self.crew.help();
        }
        // Who yields may wait for what only the drivers bring: when all that is queued has yielded
        // so often, they are looked at before their time.
        core.yields += 1;
        if core.yields >= core.pace.yields_to_look() * (others + 1) {
            core.until_maintain = 1;
            core.turns_after_probe = None;
            core.own.all_yielded = true;
        }
    }

    /// To the end of the queue; says how many are before it.
    #[inline(always)]
    pub(super) fn push_back(&self, core: &Core<Stealing>, runnable: Runnable) -> u32 {
        match core.own.queue.push_back(runnable) {
            Ok(others) => others,
            Err(overflow) => {
                self.crew.inject_overflow(self.post(), overflow);
                core.own.queue.len()
            }
        }
    }
}
