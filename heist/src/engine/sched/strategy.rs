//! The seam between a crew and its strategy.
//!
//! **What.** A [`Crew`] has what every strategy needs: tasks, threads, parking, drivers, budgets,
//! shutdown, counters. A [`Strategy`] has the queues, and says where a runnable task goes, what a
//! worker runs next, what it may take from others, and who is told. There are two:
//! [`Stealing`], the default, whose parts are in `push`, `next_task` and here; and
//! [`Custom`](super::custom::Custom), which asks a [`Scheduler`](super::custom::Scheduler) of the user's.
//!
//! **Resolved at compile time.** `Crew<Stealing>` and `Crew<Custom>` are two types, and their tasks have
//! two sets of functions: a wake of the default asks nobody what strategy it has. The worker's loop is
//! compiled once more for each `Scheduler`: it takes its [`Pick`] as a type, and [`Strategy::work`] is
//! where `Custom` comes from the object it holds to the type that the loop knows.
//!
//! **Rejected.** *One crew with the strategy as an object*: a call through a table for each push and each
//! pick of the default too. *A crew for each `Scheduler`*: handles, contexts and spawning would need a table
//! for all that a crew can do. *An `if` in the default's path*: cheap, and still not nothing.

use std::fmt;

use crate::engine::base::cache_padded::CachePadded;
use crate::engine::driver::BUSY_EVENTS;
use crate::engine::queue::injector::Injector;
use crate::engine::queue::local::{self, CAPACITY, LocalQueue, Stealer};
use crate::engine::queue::slot::Slot;
use crate::engine::sched::crew::{Core, Crew, CrewConfig, Post};
use crate::engine::sched::pace::{self, FewTasks, Probe};
use crate::engine::sched::worker::WorkerContext;
use crate::engine::task::Runnable;
use crate::loom::sync::atomic::AtomicU32;
use crate::loom::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::Instant;

/// How a task became runnable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// It was just made.
    Spawned,
    /// It waited, and was woken.
    Woken,
    /// It was polled, and wants another turn: it yielded, or was woken meanwhile.
    Yielded,
}

/// What a crew leaves to its strategy.
pub(crate) trait Strategy: fmt::Debug + Send + Sync + Sized + 'static {
    /// What others see of a worker's queues.
    type Post: fmt::Debug + Send + Sync;
    /// What is a worker's alone.
    type Core: fmt::Debug + Send;
    /// Whether a worker can be told that only it can do what there is: then it has to look before each
    /// sleep, whoever else is searching (I8).
    const TARGETED: bool;
    /// Whether it does otherwise where workers have to wait for processors (I13).
    const MINDS_CROWDING: bool;

    fn new_worker(&self, index: usize, config: &CrewConfig) -> (Self::Post, Self::Core);

    /// This thread's worker of such a crew, or null; see [`current`](super::current).
    fn current() -> *const WorkerContext<Self>;
    fn replace_current(worker: *const WorkerContext<Self>) -> *const WorkerContext<Self>;

    /// The worker's loop: [`WorkerContext::run`] with the right [`Pick`].
    fn work(worker: &WorkerContext<Self>, core: Box<Core<Self>>);

    /// Takes what became runnable by what runs on `worker`.
    fn push_local(worker: &WorkerContext<Self>, runnable: Runnable, cause: Cause);
    /// Takes what became runnable elsewhere.
    fn push_foreign(crew: &Crew<Self>, runnable: Runnable, cause: Cause);

    /// After a task, within its budget: what is to be run along with it. `followers` is how many were, and
    /// goes up with each.
    #[inline(always)]
    fn follow_up(
        _: &WorkerContext<Self>,
        _: &mut Core<Self>,
        _followers: &mut u32,
    ) -> Option<Runnable> {
        None
    }

    /// True if the worker has something to run that it need not look for.
    fn has_own_work(crew: &Crew<Self>, core: &Core<Self>) -> bool;
    /// Whether the drivers have brought something not long before so many `polls`, as far as that matters here.
    fn begun_waits(_: &Core<Self>, _polls: u64) -> bool {
        false
    }
    /// A sibling that seems to stand still (I10).
    fn stands_still(_: &Crew<Self>, _: &Core<Self>) -> Option<usize> {
        None
    }
    /// False if what the reactor brings would not fit in the worker's queue: the system keeps it, in its order.
    fn has_room(_: &Crew<Self>, _: &Core<Self>) -> bool {
        true
    }
    /// What a worker that looks around would find.
    fn visible(crew: &Crew<Self>, core: &Core<Self>) -> Visible;
    /// The last look before the sleep: what was announced is not left lying, nor what nobody seems to come to.
    fn has_overlooked(crew: &Crew<Self>, core: &Core<Self>, _seen: &FewTasks) -> bool {
        Self::visible(crew, core) != Visible::Nothing
    }
    /// Whether one who is out of work keeps another from its own (I15). Asked once for each time that it helped.
    fn is_in_the_way(_: &Crew<Self>, _: &mut Core<Self>) -> bool {
        false
    }
    /// True if any worker could find something that is worth a wake.
    fn shared_work_visible(crew: &Crew<Self>) -> bool;

    /// The worker has looked at the drivers; what they woke was not announced.
    fn after_maintain(worker: &WorkerContext<Self>, core: &mut Core<Self>, now: Instant);
    /// It was out of work, and has looked at its own shard of the reactor (I16).
    fn after_own_look(_: &WorkerContext<Self>, _: &mut Core<Self>, _now: Instant) {}
    /// It got up alone, and has run some tasks since: what do they take?
    fn probe(_worker: &WorkerContext<Self>, _core: &mut Core<Self>, _now: Instant) {}
    /// As `after_maintain`, and it slept before.
    fn after_sleep(worker: &WorkerContext<Self>, core: &mut Core<Self>, now: Instant);

    /// Makes what waits in the queues of a stuck worker visible to others.
    fn relieve(crew: &Crew<Self>, index: usize);

    /// Whether a worker that blocks in place goes to another thread.
    fn hands_on(&self) -> bool {
        true
    }

    /// A worker leaves: cancels what it can (`shutdown`).
    fn leave(crew: &Crew<Self>, core: &Core<Self>);

    /// The last worker's: brings all tasks to their end (`shutdown`).
    fn end_tasks(crew: &Arc<Crew<Self>>, cores: Vec<Box<Core<Self>>>);

    /// A thread begins and ends to be a guest, and is asked whether it can stay one.
    type Guest: fmt::Debug;
    fn guest(crew: &Crew<Self>, parker: &crate::engine::base::parker::SharedParker) -> Self::Guest;
    /// Panics if the strategy failed.
    fn check(&self) {}

    fn shared_depth(crew: &Crew<Self>) -> usize;
    fn depth(crew: &Crew<Self>, index: usize) -> usize;
}

/// What there is to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visible {
    Nothing,
    /// So little, in the queue of a worker that is awake, that it is not worth the while; and where.
    Few(Place),
    /// A lone task there that was announced, or whose owner takes long for a task: most likely what that runs next.
    Lone(Place),
    /// More, or what is nobody's yet.
    Enough,
}

/// A task's place: whose queue, and how many were in that before it.
pub(crate) type Place = (usize, u32);

/// What the worker's loop asks for at every turn.
pub(crate) trait Pick<S: Strategy> {
    /// What to run next.
    fn next_task(&self, worker: &WorkerContext<S>, core: &mut Core<S>) -> Option<Runnable>;
    /// When there is nothing: what to take from others.
    fn search(&self, worker: &WorkerContext<S>, core: &mut Core<S>) -> Option<Runnable>;
    /// Takes a task that gave up its turn.
    fn push_yielded(&self, worker: &WorkerContext<S>, core: &mut Core<S>, runnable: Runnable);
}

/// The default: local queues that idle siblings steal from.
#[derive(Debug)]
pub(crate) struct Stealing {
    pub(super) injector: Injector<Runnable>,
}

impl Stealing {
    pub(crate) fn new() -> Self {
        Self {
            injector: Injector::new(),
        }
    }
}

/// What siblings see of a worker's queues.
#[derive(Debug)]
pub(crate) struct StealingPost {
    pub(super) stealer: Stealer<Runnable>,
    pub(super) slot: Slot<Runnable>,
    /// The place in the queue before which all was announced, whatever it is worth. Its owner sets it; ordered by the
    /// fences of I1, like its pace.
    pub(super) announced: AtomicU32,
}

impl Post<Stealing> {
    /// What it has, by what its own polls take.
    pub(super) fn visible(&self, index: usize) -> Visible {
        self.visible_to(index, u64::MAX)
    }

    /// The same for one who is awake, whose polls take `nanos`, 0 if that is not known: what it takes from here is most
    /// likely no longer.
    pub(super) fn visible_to(&self, index: usize, nanos: u64) -> Visible {
        let stealer = &self.own.stealer;
        let queued = stealer.len();
        if queued == 0 {
            return Visible::Nothing;
        }
        let place = (index, stealer.first());
        let own_nanos = if nanos == 0 { u64::MAX } else { nanos };
        let pace_nanos = self.counters.pace_nanos.get().min(own_nanos);
        match queued {
            _ if !self.is_announced(place.1) && !pace::is_worth_help(queued, pace_nanos) => {
                Visible::Few(place)
            }
            1 => Visible::Lone(place),
            _ => Visible::Enough,
        }
    }

    /// Whether the task at this place of the queue was announced, whatever it is worth.
    pub(super) fn is_announced(&self, place: u32) -> bool {
        let announced = self.own.announced.load(Relaxed);
        announced.wrapping_sub(place).cast_signed() > 0
    }
}

/// A worker's own.
#[derive(Debug)]
pub(crate) struct StealingCore {
    pub(super) queue: LocalQueue<Runnable>,
    /// Whether woken tasks may go to the slot; off for a moment when too many went in a row.
    pub(super) use_slot: bool,
    /// Turns until the injector comes first; never 0.
    pub(super) until_injector: u32,
    /// What the drivers brought since they were last looked at.
    pub(super) unannounced: u32,
    /// All that is queued has yielded since then, most likely.
    pub(super) all_yielded: bool,
    /// The count of its polls when they last brought something.
    pub(super) polls_at_events: u64,
    /// The sibling that was looked at last, and its count of polls then.
    pub(super) looked_at: (usize, u64),
    /// The sibling from which it took tasks that tasks had pushed there, since it was last out of work.
    pub(super) helped: Option<usize>,
}

impl StealingCore {
    /// Whether the drivers have brought something not long before so many `polls`, which is of tasks that were begun.
    pub(super) fn begun_waits(&self, polls: u64) -> bool {
        polls - self.polls_at_events < u64::from(CAPACITY)
    }

    /// Whether the drivers have brought something since this was last asked; `polls` were made until now.
    fn take_brought(&mut self, polls: u64) -> bool {
        let brought = std::mem::take(&mut self.unannounced) > 0;
        if brought {
            self.polls_at_events = polls;
        }
        brought
    }
}

impl Strategy for Stealing {
    type Post = StealingPost;
    type Core = StealingCore;
    type Guest = ();
    const TARGETED: bool = false;
    const MINDS_CROWDING: bool = true;

    fn new_worker(&self, _index: usize, config: &CrewConfig) -> (StealingPost, StealingCore) {
        let (queue, stealer) = local::new();
        let post = StealingPost {
            stealer,
            slot: Slot::new(),
            announced: AtomicU32::new(0),
        };
        let core = StealingCore {
            queue,
            use_slot: config.use_slot,
            until_injector: config.global_queue_interval,
            unannounced: 0,
            all_yielded: false,
            polls_at_events: 0,
            looked_at: (0, 0),
            helped: None,
        };
        (post, core)
    }

    #[inline(always)]
    fn current() -> *const WorkerContext<Self> {
        super::current::stealing()
    }

    fn replace_current(worker: *const WorkerContext<Self>) -> *const WorkerContext<Self> {
        super::current::replace_stealing(worker)
    }

    fn work(worker: &WorkerContext<Self>, mut core: Box<Core<Self>>) {
        // Of the turn in which another thread handed the core on: the slot may be full, and out of use.
        core.own.until_injector = 1;
        core.own.use_slot = worker.crew.config.use_slot;
        worker.run(core, &Queues);
    }

    #[inline]
    fn push_local(worker: &WorkerContext<Self>, runnable: Runnable, _cause: Cause) {
        worker.push_local(runnable);
    }

    #[inline]
    fn push_foreign(crew: &Crew<Self>, runnable: Runnable, _cause: Cause) {
        crew.inject(runnable);
    }

    #[inline]
    fn follow_up(
        worker: &WorkerContext<Self>,
        core: &mut Core<Self>,
        followers: &mut u32,
    ) -> Option<Runnable> {
        worker.take_follower(core, followers)
    }

    #[inline]
    fn has_own_work(_: &Crew<Self>, core: &Core<Self>) -> bool {
        !core.own.queue.is_empty()
    }

    fn begun_waits(core: &Core<Self>, polls: u64) -> bool {
        core.own.begun_waits(polls)
    }

    fn stands_still(crew: &Crew<Self>, core: &Core<Self>) -> Option<usize> {
        let (sibling, polls) = core.own.looked_at;
        let stands_still = crew.posts[sibling].counters.polls.get() == polls;
        (sibling != core.index && stands_still).then_some(sibling)
    }

    fn has_room(crew: &Crew<Self>, core: &Core<Self>) -> bool {
        // Who wants more events at a time wants them as often, too.
        core.own.queue.room() as usize >= crew.driver.busy_events().min(BUSY_EVENTS)
    }

    fn visible(crew: &Crew<Self>, core: &Core<Self>) -> Visible {
        crew.visible_to(crew.posts[core.index].counters.pace_nanos.get())
    }

    fn has_overlooked(crew: &Crew<Self>, _: &Core<Self>, seen: &FewTasks) -> bool {
        let is_left = |(index, post): (usize, &CachePadded<Post<Self>>)| match post.visible(index) {
            Visible::Nothing => false,
            Visible::Few(place) => !seen.has_moved(place),
            Visible::Lone(_) | Visible::Enough => true,
        };
        !crew.strategy.injector.is_empty() || crew.posts.iter().enumerate().any(is_left)
    }

    fn is_in_the_way(crew: &Crew<Self>, core: &mut Core<Self>) -> bool {
        core.own.helped.take().is_some_and(|sibling| {
            crew.posts[sibling].counters.is_on_this_processor() && !crew.idle.is_asleep(sibling)
        })
    }

    fn shared_work_visible(crew: &Crew<Self>) -> bool {
        matches!(
            crew.visible_to(u64::MAX),
            Visible::Lone(_) | Visible::Enough
        )
    }

    fn after_maintain(worker: &WorkerContext<Self>, core: &mut Core<Self>, now: Instant) {
        let len = core.own.queue.len();
        let counters = &worker.post().counters;
        counters.queue_depth.set(u64::from(len));
        counters.see_processor();
        if std::mem::take(&mut core.own.all_yielded) {
            worker.give_way(core);
        }
        let crowded = worker.is_crowded(core, now);
        let brought = core.own.take_brought(counters.polls.get()) && !crowded;
        let still_wants = core.pace.still_wants_help(len, now, crowded);
        worker.keep_announced(core, brought);
        worker.relieve_sibling(core);
        if still_wants || (brought && len > 1) {
            worker.crew.help();
        }
    }

    fn after_own_look(worker: &WorkerContext<Self>, core: &mut Core<Self>, now: Instant) {
        let polls = worker.post().counters.polls.get();
        let brought = core.own.take_brought(polls) && !worker.is_crowded(core, now);
        worker.keep_announced(core, brought);
        if brought && core.own.queue.len() > 1 {
            worker.crew.help();
        }
    }

    fn probe(worker: &WorkerContext<Self>, core: &mut Core<Self>, now: Instant) {
        let counters = &worker.post().counters;
        match (core.pace).probe(worker.is_alone(), now, counters.polls.get()) {
            Probe::More(polls) => core.probe_after(polls),
            Probe::Known(nanos) => {
                counters.pace_nanos.set(nanos);
                if core.pace.wants_help(core.own.queue.len()) {
                    worker.crew.notify();
                }
            }
        }
    }

    fn after_sleep(worker: &WorkerContext<Self>, core: &mut Core<Self>, now: Instant) {
        let len = core.own.queue.len();
        let shared = len > 1 && !worker.is_crowded(core, now);
        let counters = &worker.post().counters;
        counters.see_processor();
        core.own.take_brought(counters.polls.get());
        core.end_probe();
        if (core.pace).rested(worker.is_alone(), now, counters.polls.get()) {
            // The turn that comes next counts before its poll.
            core.probe_after(2);
        }
        worker.keep_announced(core, shared);
        // One that was claimed looks when it stops searching (I3, I9).
        if !core.searching && (shared || (len > 0 && worker.leaves_reactor_alone(core))) {
            worker.crew.notify();
        }
    }

    fn relieve(crew: &Crew<Self>, index: usize) {
        let post = &crew.posts[index].own;
        if let Some(runnable) = post.slot.take() {
            crew.inject(runnable);
        }
        if !post.stealer.is_empty() {
            crew.help();
        }
    }

    fn leave(crew: &Crew<Self>, core: &Core<Self>) {
        crew.leave(core);
    }

    fn end_tasks(crew: &Arc<Crew<Self>>, cores: Vec<Box<Core<Self>>>) {
        crew.end_tasks(&cores);
    }

    #[inline(always)]
    fn guest(_: &Crew<Self>, _: &crate::engine::base::parker::SharedParker) {}

    fn shared_depth(crew: &Crew<Self>) -> usize {
        crew.strategy.injector.len()
    }

    fn depth(crew: &Crew<Self>, index: usize) -> usize {
        crew.posts[index].own.stealer.len() as usize
    }
}

/// The default's [`Pick`]: its queues are all that it looks at.
pub(super) struct Queues;

impl Pick<Stealing> for Queues {
    #[inline(always)]
    fn next_task(
        &self,
        worker: &WorkerContext<Stealing>,
        core: &mut Core<Stealing>,
    ) -> Option<Runnable> {
        worker.next_task(core)
    }

    #[inline]
    fn search(
        &self,
        worker: &WorkerContext<Stealing>,
        core: &mut Core<Stealing>,
    ) -> Option<Runnable> {
        worker.search(core)
    }

    #[inline(always)]
    fn push_yielded(
        &self,
        worker: &WorkerContext<Stealing>,
        core: &mut Core<Stealing>,
        runnable: Runnable,
    ) {
        worker.push_yielded(core, runnable);
    }
}
