//! The crew: all workers of a work-stealing runtime, and what they share.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use crate::engine::base::cache_padded::CachePadded;
use crate::engine::base::counters::Counter;
use crate::engine::base::parker::Parker;
use crate::engine::base::rng::FastRand;
use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::base::spin::{SPARED, SPARED_OF_MANY, Spin};
use crate::engine::base::unwind;
use crate::engine::driver::Driver;
use crate::engine::sched::counters::WorkerCounters;
use crate::engine::sched::foreign::ForeignCalls;
use crate::engine::sched::foresight::Foresight;
use crate::engine::sched::idle::Idle;
use crate::engine::sched::load::Calm;
use crate::engine::sched::pace::Pace;
use crate::engine::sched::spell::Spell;
use crate::engine::sched::strategy::{Stealing, Strategy, Visible};
use crate::engine::sched::vacancy::Vacancy;
use crate::engine::sched::watch::Watch;
use crate::engine::sched::worker::WorkerContext;
use crate::engine::sched::{Hooks, Services, current};
use crate::engine::task::{
    self, Closed, Facts, Id, JoinHandle, Origin, OwnedTasks, Runnable, Schedule, Task,
};
use crate::engine::timer::{Armed, NEVER, TimerShard};
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::{Acquire, Release};
use std::sync::Arc;

// The crew as a whole is not modelled, only its parts, so it is `std`'s `Arc` that holds it.
type SharedTimers = crate::loom::sync::Arc<TimerShard>;

/// How late a worker may be for its timers before a sibling that comes by fires them, or the watch: later
/// than it is by itself, between two looks (`pace`) or getting up.
pub(super) const OVERDUE: Duration = Duration::from_micros(200);

/// How a crew works.
#[derive(Debug, Clone)]
pub(crate) struct CrewConfig {
    pub(crate) workers: usize,
    /// Ticks between looks at the injector before the local queue.
    pub(crate) global_queue_interval: u32,
    /// Ticks between looks at reactor and timers.
    pub(crate) event_interval: u32,
    pub(crate) use_slot: bool,
    /// Who gets up to run a task has a sibling look at the reactor (I9).
    pub(crate) eager_handoff: bool,
    pub(crate) seed: u64,
    /// How many threads can run at a time.
    pub(crate) cores: usize,
    /// What becomes of timers that still wait when the runtime ends.
    pub(crate) last_timers: Armed,
}

/// All workers of a runtime and what they share.
pub(crate) struct Crew<S: Strategy = Stealing> {
    pub(super) posts: Box<[CachePadded<Post<S>>]>,
    pub(super) strategy: S,
    pub(super) idle: Idle,
    pub(super) owned: OwnedTasks,
    pub(super) driver: Driver,
    pub(super) config: CrewConfig,
    pub(super) hooks: Hooks,
    services: Services,
    /// Set once; workers leave when they see it.
    closing: AtomicBool,
    /// Cores of workers that have left; the last one brings the runtime down.
    pub(super) returned: Mutex<Vec<Box<Core<S>>>>,
    /// Spawned and ended by threads that are no workers of ours.
    pub(super) foreign_spawned: Counter,
    pub(super) foreign_completed: Counter,
    pub(super) foreign_calls: ForeignCalls,
    pub(super) watch: Watch,
    /// The workers have to wait for processors (I13).
    pub(super) crowded: Spell,
    /// Somebody was found in a long poll (I9).
    pub(super) wary: Spell,
    /// All workers sleep.
    pub(super) calm: Calm,
    /// Of workers that ran out of work.
    pub(super) worker_spin: Spin,
    /// Of threads in `block_on`.
    pub(super) guest_spin: Spin,
}

/// A worker's post: what the others see of it. It stays when the thread behind it changes.
#[derive(Debug)]
pub(crate) struct Post<S: Strategy> {
    pub(super) own: S::Post,
    pub(super) parker: Parker,
    pub(super) timers: Option<SharedTimers>,
    pub(super) counters: WorkerCounters,
    /// The core, when no thread has it.
    pub(super) vacancy: Vacancy<Box<Core<S>>>,
}

/// What exactly one thread owns of a worker at a time.
#[derive(Debug)]
pub(crate) struct Core<S: Strategy> {
    pub(super) index: usize,
    pub(super) own: S::Core,
    pub(super) rng: FastRand,
    /// Goes up with each turn, where the strategy wants to know.
    pub(super) tick: u32,
    /// The look before the sleep has found something: however little, it is taken.
    pub(super) takes_all: bool,
    /// Turns until the next look at the drivers.
    pub(super) until_maintain: u32,
    /// That turn is only a probe of what polls take (`pace`), and from there it is so many to the look.
    pub(super) turns_after_probe: Option<u32>,
    /// How many polls there had been when it looked at the reactor last.
    pub(super) polls_at_look: u64,
    /// What its looks before it goes looking for work elsewhere have brought (I16).
    pub(super) own_looks: Foresight,
    /// What looking around before its sleeps has found, or would have.
    pub(super) spins: Foresight,
    /// It left something in the reactor, when it got up, to another who was awake (I9).
    pub(super) left_events: bool,
    /// The same, when it last stayed awake for work that it had seen.
    pub(super) polls_at_stay: Option<u64>,
    /// Tasks that gave up their turn since the last one.
    pub(super) yields: u32,
    pub(super) pace: Pace,
    /// The deadline, as a tick, that the watch need not be told of (W6).
    pub(super) known_tick: u64,
    /// No thread had it yet: its worker counts as asleep, and begins by lying down.
    pub(super) newborn: bool,
    /// Counted as searching in [`Idle`].
    pub(super) searching: bool,
}

impl<S: Strategy> Core<S> {
    /// Makes a step of the probe after so many turns, if no look at the drivers comes before.
    pub(super) fn probe_after(&mut self, turns: u32) {
        if turns < self.until_maintain {
            self.turns_after_probe = Some(self.until_maintain - turns);
            self.until_maintain = turns;
        }
    }

    /// Makes no more steps.
    pub(super) fn end_probe(&mut self) {
        self.until_maintain += self.turns_after_probe.take().unwrap_or(0);
    }
}

impl<S: Strategy> Crew<S> {
    pub(crate) fn new(
        strategy: S,
        config: CrewConfig,
        driver: Driver,
        services: Services,
        hooks: Hooks,
    ) -> Arc<Self> {
        let hooks = hooks.complete();
        let now = services.clock().now();
        let mut rng = FastRand::new(config.seed);
        let posts = (0..config.workers)
            .map(|index| {
                let (post, own) = strategy.new_worker(index, &config);
                let core = Core {
                    index,
                    own,
                    rng: FastRand::new(rng.next_u64()),
                    tick: 0,
                    takes_all: false,
                    until_maintain: config.event_interval,
                    turns_after_probe: None,
                    polls_at_look: 0,
                    own_looks: Foresight::default(),
                    spins: Foresight::default(),
                    left_events: false,
                    polls_at_stay: None,
                    yields: 0,
                    pace: Pace::new(now),
                    known_tick: NEVER,
                    newborn: true,
                    searching: false,
                };
                CachePadded::new(Post {
                    own: post,
                    parker: Parker::new(),
                    timers: services
                        .timers()
                        .map(|timers| SharedTimers::clone(&timers.shards[index])),
                    counters: WorkerCounters::new(&hooks),
                    vacancy: Vacancy::new(Box::new(core)),
                })
            })
            .collect();
        let crew = Arc::new(Self {
            posts,
            strategy,
            idle: Idle::new(config.workers),
            owned: OwnedTasks::new(config.workers),
            driver,
            hooks,
            services,
            closing: AtomicBool::new(false),
            returned: Mutex::new(Vec::with_capacity(config.workers)),
            foreign_spawned: Counter::default(),
            foreign_completed: Counter::default(),
            foreign_calls: ForeignCalls::new(),
            watch: Watch::new(),
            crowded: Spell::new(now),
            wary: Spell::new(now),
            calm: Calm::new(now),
            worker_spin: Spin::new(config.cores, SPARED_OF_MANY),
            guest_spin: Spin::new(config.cores, SPARED),
            config,
        });
        for (index, post) in crew.posts.iter().enumerate() {
            if let Some(timers) = &post.timers {
                // A timer that is set by a foreign thread for earlier than the worker would get up.
                let crew = Arc::downgrade(&crew);
                timers.set_wake_hook(Box::new(move || {
                    if let Some(crew) = crew.upgrade() {
                        crew.unpark(index);
                    }
                }));
            }
        }
        crew
    }

    /// Starts the workers' threads.
    ///
    /// # Errors
    ///
    /// If the system gives no thread. Workers that were started are told to leave.
    pub(crate) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        for index in 0..self.config.workers {
            if let Err((error, _)) = self.start_worker(index) {
                // Those that did not start return their cores as well: shutdown counts them.
                self.close();
                (index..self.config.workers).for_each(|index| super::worker::run(self, index));
                return Err(error);
            }
        }
        self.watch.start(self).inspect_err(|_| self.close())
    }

    /// Ends what is not a worker: the last step of a shutdown.
    pub(crate) fn stop_watch(&self, wait: bool) {
        self.watch.stop(wait);
    }

    pub(crate) fn services(&self) -> &Services {
        &self.services
    }

    /// Makes a task of `future`. Inlined, as each call on the way would copy the future.
    #[inline(always)]
    pub(crate) fn spawn<F>(
        self: &Arc<Self>,
        future: F,
        id: Id,
        origin: Origin,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (runnable, join) = self.make_task(future, id, origin);
        self.admit(runnable);
        join
    }

    /// Makes a task, which is to be admitted next.
    #[inline(always)]
    pub(super) fn make_task<F>(
        self: &Arc<Self>,
        future: F,
        id: Id,
        origin: Origin,
    ) -> (Runnable, JoinHandle<F::Output>)
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let origin = self.hooks.on_spawn(id, origin);
        // SAFETY: T11 — shutdown brings every task to its end before it lets go of the crew, and a
        // push after it comes back and is cancelled here, with `self` still held.
        unsafe { task::new(future, Arc::as_ptr(self), id, origin) }
    }

    /// Takes a new task in.
    #[inline]
    pub(super) fn admit(&self, runnable: Runnable) {
        // At the end nobody may look again where it would be queued, until the poll is over that spawns it.
        // SAFETY: the runnable is the run right, and the task is new.
        let refused = self.is_closing()
            || self.hooks.list_at_spawn && unsafe { self.adopt(runnable.task()) }.is_err();
        if refused {
            self.foreign_spawned.add_shared(1);
            runnable.cancel();
        } else {
            self.push_spawned(runnable);
        }
    }

    pub(crate) fn close(&self) {
        // Ordering: release pairs with the acquire in `is_closing`.
        self.closing.store(true, Release);
        (0..self.config.workers).for_each(|index| self.unpark(index));
    }

    #[inline]
    pub(super) fn is_closing(&self) -> bool {
        // Ordering: acquire pairs with the release in `close`.
        self.closing.load(Acquire)
    }

    /// Wakes worker `index`, wherever it sleeps.
    pub(super) fn unpark(&self, index: usize) {
        self.driver.unpark(&self.posts[index].parker);
    }

    /// Fires the timers that their worker should have fired: it is in a long poll, or the system has taken
    /// its processor away.
    pub(super) fn fire_overdue(&self, now: Instant) {
        for timers in self.posts.iter().filter_map(|post| post.timers.as_ref()) {
            let next = timers.next_deadline();
            if next.is_some_and(|next| now.saturating_duration_since(next) >= OVERDUE) {
                let _ = unwind::guarded(|| timers.fire(now));
            }
        }
    }

    /// How many tasks have not ended.
    pub(crate) fn num_alive_tasks(&self) -> usize {
        let ended: u64 = self
            .posts
            .iter()
            .map(|post| post.counters.completed.get())
            .sum();
        let ended = ended + self.foreign_completed.get();
        self.spawned_tasks().saturating_sub(ended) as usize
    }

    pub(crate) fn spawned_tasks(&self) -> u64 {
        let local: u64 = self
            .posts
            .iter()
            .map(|post| post.counters.spawned.get())
            .sum();
        local + self.foreign_spawned.get()
    }

    pub(crate) fn injector_depth(&self) -> usize {
        S::shared_depth(self)
    }

    pub(crate) fn num_workers(&self) -> usize {
        self.config.workers
    }

    pub(crate) fn worker_counters(&self, worker: usize) -> &WorkerCounters {
        &self.posts[worker].counters
    }

    pub(crate) fn queue_depth(&self, worker: usize) -> usize {
        S::depth(self, worker)
    }

    pub(crate) fn foreign_schedules(&self) -> u64 {
        self.foreign_calls.count()
    }

    /// Which worker of this crew the thread is.
    pub(crate) fn current_worker(&self) -> Option<usize> {
        current::with(|worker| worker.filter(|w| w.is_of(self)).map(|w| w.index()))
    }
}

/// Runs `f` on the crew that this thread is a worker of, if that is runtime `id`: without counting a
/// reference, which all workers would write.
#[inline]
pub(crate) fn with_own<S: Strategy, R>(
    id: Option<RuntimeId>,
    f: impl FnOnce(Option<&Arc<Crew<S>>>) -> R,
) -> R {
    current::with(|worker: Option<&WorkerContext<S>>| {
        let crew = worker.map(|worker| &worker.crew);
        f(crew.filter(|crew| Some(crew.services().id) == id))
    })
}

impl Crew<Stealing> {
    /// What a worker that looks around would find, if its own polls take `nanos`.
    pub(super) fn visible_to(&self, nanos: u64) -> Visible {
        if !self.strategy.injector.is_empty() {
            return Visible::Enough;
        }
        let mut found = Visible::Nothing;
        for (index, post) in self.posts.iter().enumerate() {
            found = match (found, post.visible_to(index, nanos)) {
                (_, Visible::Enough) => return Visible::Enough,
                (Visible::Nothing, other) | (Visible::Few(_), other @ Visible::Lone(_)) => other,
                (first, _) => first,
            };
        }
        found
    }
}

impl<S: Strategy> Schedule for Crew<S> {
    #[inline]
    fn schedule(&self, runnable: Runnable) {
        self.push_woken(runnable);
    }

    unsafe fn adopt(&self, task: Task) -> Result<(), Closed> {
        let shard = self.current_worker().unwrap_or(0);
        // SAFETY: passed on.
        unsafe { self.owned.adopt(shard, task) }
    }

    unsafe fn release(&self, task: Task) {
        // SAFETY: passed on.
        unsafe { self.owned.release(task) }
    }

    #[inline]
    fn on_complete(&self, task: &Facts<'_>) {
        match self.current_worker() {
            Some(worker) => self.posts[worker].counters.completed.add(1),
            None => self.foreign_completed.add_shared(1),
        }
        self.hooks.on_terminate(task);
    }
}

impl<S: Strategy> fmt::Debug for Crew<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crew")
            .field("config", &self.config)
            .field("strategy", &self.strategy)
            .finish_non_exhaustive()
    }
}
