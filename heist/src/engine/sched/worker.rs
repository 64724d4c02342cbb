//! The worker: a thread that runs tasks until there are none, and then sleeps.

use std::cell::{Cell, OnceCell};
use std::ptr::NonNull;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::engine::base::budget::{self, Budget, BudgetScope};
use crate::engine::base::current as poll;
use crate::engine::base::rng::{FastRand, ThreadRngScope};
use crate::engine::base::unwind::{self, AbortOnUnwind};
use crate::engine::driver::Rest;
use crate::engine::queue::local::CAPACITY;
use crate::engine::sched::counters::Stretch;
use crate::engine::sched::crew::{Core, Crew, Post};
use crate::engine::sched::idle::Rise;
use crate::engine::sched::local_set::LocalScheduler;
use crate::engine::sched::pace::FewTasks;
use crate::engine::sched::strategy::{Cause, Pick, Strategy, Visible};
use crate::engine::sched::{affinity, current};
use crate::engine::task::{Polled, Runnable};
use crate::loom::thread;
use std::sync::Arc;

/// A thread that is a worker.
pub(crate) struct WorkerContext<S: Strategy> {
    pub(super) crew: Arc<Crew<S>>,
    index: usize,
    /// The crew's post of that index: at hand, as every turn needs it more than once.
    post: NonNull<Post<S>>,
    /// The core, while user code runs that might push or hand it on; the loop has it otherwise.
    pub(super) core: Cell<Option<Box<Core<S>>>>,
    /// False once the core went to another thread, which is the worker now.
    pub(super) on_duty: Cell<bool>,
    /// True while the drivers are turned: what they wake goes to the queue, and is announced once.
    pub(super) dispatching: Cell<bool>,
    /// Tasks that are not `Send`, where a strategy keeps its workers on their threads (`custom::local`).
    pub(super) local: OnceCell<Rc<LocalScheduler>>,
}

/// Takes up post `index`, until the runtime closes or the core is handed on.
pub(super) fn run<S: Strategy>(crew: &Arc<Crew<S>>, index: usize) {
    // None: the thread that handed the core on took it back before we came.
    let Some(mut core) = crew.posts[index].vacancy.fill() else {
        return;
    };
    let worker = WorkerContext::new(crew, index);
    worker.post().counters.set_thread();
    // What tasks choose at random is to be repeatable as well: a worker's own choices go on after it.
    let seeded = crew.services().seeds.is_some();
    let _seeded = seeded.then(|| ThreadRngScope::enter(FastRand::new(core.rng.next_u64())));
    // A worker that handed its core on comes back here in the middle of a task's turn, and the thread
    // goes to the pool: without what was left of that task's budget.
    let _budget = BudgetScope::enter(Budget::unconstrained());
    // Tasks point to the crew, and it is the workers who end them (T11): none may be missing.
    let _alive = AbortOnUnwind("a worker");
    let may_block = poll::set_may_block(false);
    current::scope(&worker, || S::work(&worker, core));
    poll::set_may_block(may_block);
}

impl<S: Strategy> WorkerContext<S> {
    /// The worker at post `index`, whose core the caller has.
    pub(super) fn new(crew: &Arc<Crew<S>>, index: usize) -> Self {
        Self {
            crew: Arc::clone(crew),
            index,
            post: NonNull::from(&*crew.posts[index]),
            core: Cell::new(None),
            on_duty: Cell::new(true),
            dispatching: Cell::new(false),
            local: OnceCell::new(),
        }
    }

    /// True if this thread is a worker of `crew`, now.
    #[inline]
    pub(super) fn is_of(&self, crew: &Crew<S>) -> bool {
        std::ptr::eq(&*self.crew, crew) && self.on_duty.get()
    }

    #[inline]
    pub(super) fn index(&self) -> usize {
        self.index
    }

    #[inline(always)]
    pub(super) fn post(&self) -> &Post<S> {
        // SAFETY: the posts live as long as the crew, which we hold, and do not move.
        unsafe { self.post.as_ref() }
    }

    fn now(&self) -> Instant {
        self.crew.services().clock().now()
    }

    /// The loop, with the strategy's choices compiled in.
    pub(super) fn run<P: Pick<S>>(&self, mut core: Box<Core<S>>, pick: &P) {
        let mut stretch = Stretch::new(self.now());
        if std::mem::take(&mut core.newborn) {
            core = self.lie(core, &mut stretch);
        }
        while !self.crew.is_closing() {
            core.until_maintain -= 1;
            if core.until_maintain == 0 {
                core = self.maintain(core, &mut stretch);
            }
            let runnable = match pick.next_task(self, &mut core) {
                Some(runnable) => runnable,
                None if self.expects_events(&mut core) => {
                    core = self.look_at_own_shard(core, &mut stretch);
                    continue;
                }
                None => {
                    stretch.out_of_work(self.now());
                    // They have come to it by now.
                    core.left_events = false;
                    let Some(runnable) = pick.search(self, &mut core) else {
                        core = self.sleep(core, &mut stretch);
                        continue;
                    };
                    stretch.at_work(self.now());
                    runnable
                }
            };
            core = match self.run_task(core, runnable, pick) {
                Some(core) => core,
                None => {
                    budget::replace(Budget::unconstrained());
                    return;
                }
            };
        }
        if core.searching {
            core.searching = false;
            let _ = self.crew.idle.stop_searching();
        }
        self.post().counters.count_busy(&mut stretch, self.now());
        if let Some(local) = self.local.get() {
            local.close();
        }
        self.crew.return_core(core);
    }

    /// Runs a task, and those that are run along with it. `None` if the core was handed on.
    #[inline(always)]
    fn run_task<P: Pick<S>>(
        &self,
        mut core: Box<Core<S>>,
        mut runnable: Runnable,
        pick: &P,
    ) -> Option<Box<Core<S>>> {
        if core.searching {
            core.searching = false;
            // I3: one more is woken only if there is more to find, or the reactor to look at.
            if self.crew.idle.stop_searching()
                && (S::shared_work_visible(&self.crew) || self.leaves_reactor_alone(&core))
            {
                self.crew.notify();
            }
        }
        budget::replace(Budget::initial());
        let mut followers = 0;
        loop {
            core = self.poll(core, runnable, pick)?;
            match S::follow_up(self, &mut core, &mut followers) {
                Some(follower) => runnable = follower,
                None => break,
            }
        }
        budget::replace(Budget::unconstrained());
        Some(core)
    }

    /// Puts the core where user code that pushes finds it.
    #[inline(always)]
    pub(super) fn lend(&self, core: Box<Core<S>>) {
        let before = self.core.replace(Some(core));
        debug_assert!(before.is_none(), "the loop had it");
        // Not dropped: it is not there, but the compiler does not know.
        std::mem::forget(before);
    }

    #[inline(always)]
    fn poll<P: Pick<S>>(
        &self,
        mut core: Box<Core<S>>,
        runnable: Runnable,
        pick: &P,
    ) -> Option<Box<Core<S>>> {
        // W6: what this task does may take long.
        let post = self.post();
        if let Some(timers) = &post.timers {
            let tick = timers.next_tick();
            if self.crew.watch.misses(tick) && tick != core.known_tick {
                core.known_tick = tick;
                self.crew.tell_watch();
            }
        }
        post.counters.polls.add(1);
        self.lend(core);
        let polled = self.crew.hooks.run(runnable, &post.counters);
        let mut core = self.core.take();
        if let Polled::Again(runnable) = polled {
            if budget::take_forced_yield() {
                post.counters.forced_yields.add(1);
            }
            match &mut core {
                Some(core) => pick.push_yielded(self, core, runnable),
                None => S::push_foreign(&self.crew, runnable, Cause::Yielded),
            }
        }
        core
    }

    /// I16: whether who is out of work looks at its part of the reactor first, as that had something not long ago.
    pub(super) fn expects_events(&self, core: &mut Core<S>) -> bool {
        let polls = self.post().counters.polls.get();
        !core.searching
            && self.crew.driver.is_shared_out()
            && polls != core.polls_at_look
            && S::begun_waits(core, polls)
            && (self.is_alone() || !self.crew.crowded.lasts(self.now()))
            && core.own_looks.takes_chance()
    }

    /// I16: that look, also at the shards of sleepers. It is no part of any poll, and says nothing of what those take.
    #[cold]
    fn look_at_own_shard(&self, mut core: Box<Core<S>>, stretch: &mut Stretch) -> Box<Core<S>> {
        stretch.out_of_work(self.now());
        core.polls_at_look = self.post().counters.polls.get();
        core.end_probe();
        let mut core = self.dispatch(core, || {
            let (driver, idle) = (&self.crew.driver, &self.crew.idle);
            let brought = driver.poll(self.index, affinity::processor());
            driver.poll_for_others(self.index, brought, |worker| idle.is_asleep(worker));
        });
        let found = S::has_own_work(&self.crew, &core);
        core.own_looks.learn(found);
        let now = self.now();
        stretch.at_work(now);
        S::after_own_look(self, &mut core, now);
        core
    }

    /// The look at reactor and timers that a busy worker owes every so often; or, before that, a step of the probe.
    #[cold]
    fn maintain(&self, mut core: Box<Core<S>>, stretch: &mut Stretch) -> Box<Core<S>> {
        let now = self.now();
        if let Some(turns) = core.turns_after_probe.take() {
            core.until_maintain = turns;
            S::probe(self, &mut core, now);
            return core;
        }
        self.measure(&mut core, stretch, now);
        self.crew.calm.end(now);
        core.yields = 0;
        core.until_maintain = core.pace.polls_to_look(self.crew.config.event_interval);
        let looks = self.looks_at_reactor(&mut core);
        let still = S::stands_still(&self.crew, &core);
        let mut core = self.dispatch(core, || {
            if looks {
                let (driver, idle) = (&self.crew.driver, &self.crew.idle);
                let brought = driver.poll(self.index, affinity::processor());
                driver.poll_for_others(self.index, brought, |worker| {
                    still == Some(worker) || idle.is_asleep(worker)
                });
            }
            if let Some(timers) = self
                .post()
                .timers
                .as_ref()
                .filter(|timers| timers.has_timers())
            {
                let _ = unwind::guarded(|| timers.fire(now));
            }
            self.crew.fire_overdue(now);
        });
        S::after_maintain(self, &mut core, now);
        core
    }

    /// Measures what polls take; also of a worker that never sleeps, which is to be seen as the busy one it is.
    fn measure(&self, core: &mut Core<S>, stretch: &mut Stretch, now: Instant) {
        let counters = &self.post().counters;
        let sample = counters.count_busy(stretch, now);
        let mean = counters.mean_poll_nanos.get();
        let pace = core.pace.follow(mean, sample, self.is_alone(), now);
        counters.pace_nanos.set(pace);
    }

    /// Whether there are siblings, and all of them sleep. This worker may have announced its own sleep.
    pub(super) fn is_alone(&self) -> bool {
        let (idle, siblings) = (&self.crew.idle, self.crew.num_workers() - 1);
        siblings > 0 && idle.num_asleep() >= siblings + usize::from(idle.is_asleep(self.index))
    }

    /// Whether it is time to see what the reactor has: if there is room for it; if it was left alone for as many polls
    /// as a queue holds; and if polls are long, as then that is too long (I11).
    pub(super) fn looks_at_reactor(&self, core: &mut Core<S>) -> bool {
        let polls = self.post().counters.polls.get();
        let looks = S::has_room(&self.crew, core)
            || core.pace.is_slow()
            || polls - core.polls_at_look >= u64::from(CAPACITY);
        if looks {
            core.polls_at_look = polls;
        }
        looks
    }

    /// I9: whether somebody is to be woken to look at the reactor while this worker polls, which may take long.
    pub(super) fn leaves_reactor_alone(&self, core: &Core<S>) -> bool {
        let crew = &self.crew;
        let keeps_it_attended = || {
            core.left_events
                || core.pace.is_slow()
                || crew.config.eager_handoff
                || crew.wary.lasts(self.now())
        };
        crew.num_workers() > 1 && keeps_it_attended() && !crew.driver.is_attended()
    }

    /// Turns drivers: what they wake goes to this worker's queue, unannounced. `turn` guards against
    /// panics of what it calls.
    fn dispatch(&self, core: Box<Core<S>>, turn: impl FnOnce()) -> Box<Core<S>> {
        self.lend(core);
        self.dispatching.set(true);
        turn();
        self.dispatching.set(false);
        self.core
            .take()
            .expect("nobody blocks in place while the drivers are turned")
    }

    /// Looks around for a moment, as a searcher, whom pushers rely on and need not wake.
    fn spin(&self, core: &Core<S>, few: &mut FewTasks) -> bool {
        let others = self.crew.num_workers() - self.crew.idle.num_asleep() - 1;
        self.crew.worker_spin.wait(others, || {
            let worth_it = match S::visible(&self.crew, core) {
                Visible::Nothing => false,
                Visible::Few(place) | Visible::Lone(place) => few.is_left(place),
                Visible::Enough => true,
            };
            worth_it || self.crew.is_closing()
        })
    }

    /// Sleeps until there is something to do, or something to look for.
    #[cold]
    fn sleep(&self, mut core: Box<Core<S>>, stretch: &mut Stretch) -> Box<Core<S>> {
        let mut few = FewTasks::default();
        if core.searching && core.spins.takes_chance() {
            let found = self.spin(&core, &mut few);
            core.spins.learn(found);
            if found {
                return self.stay(core, stretch);
            }
        }
        if S::is_in_the_way(&self.crew, &mut core) {
            self.step_aside(&mut core);
            return self.stay(core, stretch);
        }
        let was_searching = std::mem::take(&mut core.searching);
        let unseen = self.crew.idle.start_sleep(self.index, was_searching);
        if (unseen || S::TARGETED) && S::has_overlooked(&self.crew, &core, &few) {
            // I1, I8: something came while we were announcing.
            core.searching = self.crew.idle.rise(self.index) == Rise::Claimed;
            core.takes_all = true;
            return self.stay(core, stretch);
        }
        self.crew.leave_to_watch();
        self.lie(core, stretch)
    }

    /// I15: leaves the processor to who waits for it. Not as a searcher, as pushers would rely on one who does not run;
    /// so the last one has to look first (I3).
    pub(super) fn step_aside(&self, core: &mut Core<S>) {
        let was_last = std::mem::take(&mut core.searching) && self.crew.idle.stop_searching();
        if !(was_last && S::shared_work_visible(&self.crew)) {
            thread::yield_now();
        }
    }

    /// Stays awake for work that it has seen. If it did so before, and got nothing, the work is in the hands of another
    /// (J6; or a thief's, Q1), who may wait for this very processor.
    fn stay(&self, mut core: Box<Core<S>>, stretch: &mut Stretch) -> Box<Core<S>> {
        let polls = self.post().counters.polls.get();
        if core.polls_at_stay.replace(polls) == Some(polls) {
            thread::yield_now();
        }
        let now = self.now();
        stretch.at_work(now);
        // Another, which took this one for asleep, may have begun one.
        self.crew.calm.end(now);
        core
    }

    fn park(&self, timeout: Option<Duration>) -> Rest {
        let Crew { driver, idle, .. } = &*self.crew;
        let parker = &self.post().parker;
        driver.park(self.index, parker, timeout, |worker| idle.is_asleep(worker))
    }

    /// The sleep itself, once it is announced.
    fn lie(&self, mut core: Box<Core<S>>, stretch: &mut Stretch) -> Box<Core<S>> {
        if let Some(hook) = &self.crew.hooks.before_park {
            // The hook may spawn and wake: then the queue is not empty, and there is no sleep.
            core = self.dispatch(core, || {
                let _ = unwind::guarded(|| hook());
            });
        }
        let counters = &self.post().counters;
        let mut now = self.now();
        self.measure(&mut core, stretch, now);
        counters.parks.add(1);
        if self.crew.idle.num_asleep() == self.crew.num_workers() {
            self.crew.calm.begin(now);
        }

        let mut rest = Rest::default();
        while !rest.was_unparked && !S::has_own_work(&self.crew, &core) && !self.crew.is_closing() {
            let timers = self.post().timers.as_ref();
            let deadline = timers.and_then(|timers| timers.prepare_sleep(now));
            let timeout = deadline.map(|deadline| deadline.saturating_duration_since(now));
            core = self.dispatch(core, || {
                rest = self.park(timeout);
                now = self.now();
                if let Some(timers) = timers {
                    timers.awake();
                    let _ = unwind::guarded(|| timers.fire(now));
                }
            });
        }
        // Whoever claimed us has taken our bit: we are searching on its behalf.
        core.searching = self.crew.idle.rise(self.index) == Rise::Claimed;
        self.crew.watch.worker_up();
        self.crew.calm.end(now);
        if let Some(timers) = &self.post().timers {
            // W6: of those the watch is not told.
            core.known_tick = timers.next_tick();
        }
        *stretch = Stretch::new(now);
        // Nobody was left who had yielded.
        core.yields = 0;
        counters.unparks.add(1);
        if !S::has_own_work(&self.crew, &core) {
            counters.noops.add(1);
        }
        core.left_events = rest.left_events;
        if rest.was_unparked {
            // It would have found that by looking around.
            core.spins.learn(true);
        }
        S::after_sleep(self, &mut core, now);
        if let Some(hook) = &self.crew.hooks.after_unpark {
            core = self.dispatch(core, || {
                let _ = unwind::guarded(|| hook());
            });
        }
        core
    }
}
