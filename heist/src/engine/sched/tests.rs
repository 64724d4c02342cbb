//! The default strategy without luck: workers that are moved step by step, and threads without a watch that
//! would help in the end.

use std::future::Future;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use crate::engine::base::counters::Counter;
use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::blocking::{self, ThreadPool};
use crate::engine::driver::{BUSY_EVENTS, Driver, EVENTS, IoLimits};
use crate::engine::queue::local::CAPACITY;
use crate::engine::sched::crew::{Core, Crew, CrewConfig};
use crate::engine::sched::strategy::{Stealing, Strategy, Visible};
use crate::engine::sched::worker::WorkerContext;
use crate::engine::sched::{Hooks, Services, affinity, current};
use crate::engine::task::{Id, Origin, Runnable};
use crate::engine::timer::{Armed, Clock, TimerHandle};
use crate::loom::sync::atomic::Ordering::Relaxed;

/// Far longer than anything here takes: reaching it is a hang.
const HANG: Duration = Duration::from_secs(60);

/// Polls so short that a few of them are not worth a wake.
const SHORT_NANOS: u64 = 100;

fn config(workers: usize) -> CrewConfig {
    CrewConfig {
        workers,
        global_queue_interval: 61,
        event_interval: 61,
        use_slot: true,
        eager_handoff: false,
        seed: 1,
        cores: 2,
        last_timers: Armed::ShutDown,
    }
}

/// A crew whose workers have no threads.
fn crew(workers: usize) -> Arc<Crew<Stealing>> {
    crew_of(config(workers))
}

fn crew_of(config: CrewConfig) -> Arc<Crew<Stealing>> {
    crew_with(config, 1)
}

/// With so many shards of the reactor.
fn crew_with(config: CrewConfig, shards: usize) -> Arc<Crew<Stealing>> {
    let workers = config.workers;
    let services = Services {
        id: RuntimeId::next(),
        name: None,
        reactor: None,
        timers: TimerHandle::new(workers, Clock::new(false, false)),
        time_enabled: false,
        pool: ThreadPool::new(blocking::Config::new(2)),
        forced_yields: Counter::default(),
        long_polls: crate::loom::sync::Mutex::default(),
        seeds: None,
    };
    let limits = IoLimits {
        events: EVENTS,
        busy_events: None,
    };
    let driver = Driver::new(Some(limits), shards).unwrap();
    Crew::new(Stealing::new(), config, driver, services, Hooks::default())
}

fn spawn(crew: &Arc<Crew<Stealing>>, future: impl Future<Output = ()> + Send + 'static) {
    drop(crew.spawn(future, Id::next(), Origin::here()));
}

/// A worker that does what it is told to. Its polls are short.
struct Puppet {
    worker: WorkerContext<Stealing>,
    core: Box<Core<Stealing>>,
}

impl Puppet {
    fn new(crew: &Arc<Crew<Stealing>>, index: usize) -> Self {
        let core = crew.posts[index].vacancy.fill().unwrap();
        let worker = WorkerContext::new(crew, index);
        let mut puppet = Self { worker, core };
        puppet.measured(SHORT_NANOS, None);
        puppet
    }

    /// What its polls take on the average, and the last.
    fn measured(&mut self, mean_nanos: u64, sample: Option<u64>) {
        let sample = sample.map(|nanos| (nanos, 10));
        let pace = (self.core.pace).follow(mean_nanos, sample, false, Instant::now());
        self.worker.post().counters.pace_nanos.set(pace);
    }

    fn next_task(&mut self) -> Option<Runnable> {
        self.worker.next_task(&mut self.core)
    }

    /// Ends all that it has.
    fn finish(&mut self) {
        while let Some(runnable) = self.worker.post().own.slot.take() {
            runnable.cancel();
        }
        while let Some(runnable) = self.next_task() {
            runnable.cancel();
        }
    }

    fn queued(&self) -> u32 {
        self.core.own.queue.len()
    }

    fn visible(&self) -> Visible {
        self.worker.post().visible(self.worker.index())
    }

    /// Runs `f` as a task of this worker would.
    fn in_task(self, f: impl FnOnce(&Arc<Crew<Stealing>>)) -> Self {
        let Self { worker, core } = self;
        worker.lend(core);
        current::scope(&worker, || f(&worker.crew));
        let core = worker.core.take().unwrap();
        Self { worker, core }
    }

    /// Has the drivers wake as many tasks.
    fn wake_by_drivers(mut self, tasks: usize) -> Self {
        self.worker.dispatching.set(true);
        self = self.in_task(|crew| (0..tasks).for_each(|_| spawn(crew, async {})));
        self.worker.dispatching.set(false);
        self
    }

    fn after_maintain(&mut self) {
        Stealing::after_maintain(&self.worker, &mut self.core, Instant::now());
    }

    fn after_sleep(&mut self) {
        Stealing::after_sleep(&self.worker, &mut self.core, Instant::now());
    }
}

#[test]
fn what_a_task_spawns_is_announced_by_its_worth() {
    let crew = crew(2);
    let mut puppet = Puppet::new(&crew, 0);
    assert_eq!(puppet.visible(), Visible::Nothing);
    // The last one is in the slot.
    puppet = puppet.in_task(|crew| (0..4).for_each(|_| spawn(crew, async {})));
    assert_eq!(puppet.queued(), 3);
    assert_eq!(puppet.visible(), Visible::Few((0, 0)));
    puppet = puppet.in_task(|crew| (0..150).for_each(|_| spawn(crew, async {})));
    assert_eq!(puppet.visible(), Visible::Enough);
    puppet.finish();
}

/// I7.
#[test]
fn what_comes_from_outside_is_announced_whatever_it_is_worth() {
    let crew = crew(2);
    let mut puppet = Puppet::new(&crew, 0);
    // It takes half, and one more.
    (0..4).for_each(|_| spawn(&crew, async {}));
    let first = puppet.next_task().unwrap();
    assert_eq!(puppet.queued(), 2);
    assert_eq!(puppet.visible(), Visible::Enough);
    first.cancel();
    // That holds for each of them.
    puppet.next_task().unwrap().cancel();
    assert!(matches!(puppet.visible(), Visible::Lone(_)));
    // And not for what is queued behind them.
    puppet = puppet.in_task(|crew| (0..3).for_each(|_| spawn(crew, async {})));
    assert_eq!(puppet.visible(), Visible::Enough);
    puppet.next_task().unwrap().cancel();
    assert_eq!(puppet.queued(), 2);
    assert!(matches!(puppet.visible(), Visible::Few(_)));
    puppet.finish();
}

/// I7.
#[test]
fn what_the_drivers_bring_is_announced_whatever_it_is_worth() {
    for sleeps in [false, true] {
        let crew = crew(2);
        let mut puppet = Puppet::new(&crew, 0).wake_by_drivers(3);
        assert!(matches!(puppet.visible(), Visible::Few(_)));
        if sleeps {
            puppet.after_sleep();
        } else {
            puppet.after_maintain();
        }
        assert_eq!(puppet.queued(), 3);
        assert_eq!(puppet.visible(), Visible::Enough);
        puppet.finish();
    }
}

/// I9.
#[test]
fn who_may_be_long_away_does_not_leave_the_reactor_alone() {
    let one_sleeps = |prepare: &dyn Fn(&mut Puppet), tasks, eager_handoff| {
        let crew = crew_of(CrewConfig {
            eager_handoff,
            ..config(2)
        });
        let _ = crew.idle.rise(0);
        // One task is no matter of crowding.
        crew.crowded.set_until(Instant::now() + HANG);
        let mut puppet = Puppet::new(&crew, 0);
        prepare(&mut puppet);
        puppet = puppet.wake_by_drivers(tasks);
        puppet.after_sleep();
        puppet.finish();
        crew.idle.is_asleep(1)
    };
    let nothing = |_: &mut Puppet| ();
    let slow = |puppet: &mut Puppet| {
        (0..3).for_each(|_| puppet.measured(SHORT_NANOS, Some(1_000_000)));
    };
    let wary = |puppet: &mut Puppet| puppet.worker.crew.wary.set_until(Instant::now() + HANG);
    let leaves_events = |puppet: &mut Puppet| puppet.core.left_events = true;
    for tasks in [1, 2] {
        assert!(one_sleeps(&nothing, tasks, false));
        assert!(!one_sleeps(&slow, tasks, false));
        assert!(!one_sleeps(&wary, tasks, false));
        assert!(!one_sleeps(&leaves_events, tasks, false));
        assert!(!one_sleeps(&nothing, tasks, true));
    }
    assert!(one_sleeps(&wary, 0, true), "it has nothing to do");
    let claimed = |puppet: &mut Puppet| puppet.core.searching = true;
    assert!(one_sleeps(&claimed, 1, true), "it looks later");
}

/// I13.
#[test]
fn where_it_is_crowded_nobody_is_woken_for_what_the_drivers_bring() {
    let one_sleeps = |crowded, sleeps, slow: bool| {
        let crew = crew(2);
        let _ = crew.idle.rise(0);
        if crowded {
            crew.crowded.set_until(Instant::now() + HANG);
        }
        let mut puppet = Puppet::new(&crew, 0);
        let samples = if slow { 3 } else { 0 };
        (0..samples).for_each(|_| puppet.measured(SHORT_NANOS, Some(1_000_000)));
        puppet = puppet.wake_by_drivers(30);
        if sleeps {
            puppet.after_sleep();
        } else {
            puppet.after_maintain();
        }
        puppet.finish();
        crew.idle.is_asleep(1)
    };
    for sleeps in [false, true] {
        assert!(one_sleeps(true, sleeps, false));
        assert!(!one_sleeps(false, sleeps, false));
        assert!(!one_sleeps(true, sleeps, true), "long polls are shared");
    }
}

/// I13: who cannot cope has help in the end.
#[test]
fn where_it_is_crowded_who_has_no_rest_is_helped() {
    let crew = crew(2);
    let _ = crew.idle.rise(0);
    crew.crowded.set_until(Instant::now() + HANG);
    let mut puppet = Puppet::new(&crew, 0).wake_by_drivers(30);
    let start = Instant::now();
    let mut look = |after: u64| {
        let now = start + Duration::from_millis(after);
        Stealing::after_maintain(&puppet.worker, &mut puppet.core, now);
        crew.idle.is_asleep(1)
    };
    assert!(look(0));
    assert!(look(5));
    assert!(!look(10), "it was woken");
    puppet.finish();
}

/// Left behind, the place would seem to be ahead when the indices have wrapped.
#[test]
fn the_announced_place_keeps_up() {
    let crew = crew(2);
    let mut puppet = Puppet::new(&crew, 0);
    for _ in 0..100 {
        puppet = puppet.in_task(|crew| (0..3).for_each(|_| spawn(crew, async {})));
        puppet.finish();
    }
    puppet.after_maintain();
    let own = &puppet.worker.post().own;
    assert_eq!(own.stealer.first(), 200);
    assert_eq!(own.announced.load(Relaxed), 200);
}

/// What a task leaves behind when it ends.
struct Mark(&'static str, Arc<Mutex<Vec<&'static str>>>);

impl Drop for Mark {
    fn drop(&mut self) {
        self.1.lock().unwrap().push(self.0);
    }
}

/// I14.
#[test]
fn those_who_yielded_give_way_to_what_the_drivers_bring() {
    for yields in [1, 2] {
        let crew = crew(2);
        let mut puppet = Puppet::new(&crew, 0);
        // Long enough for one turn to be all.
        puppet.measured(10_000, None);
        let ended = Arc::default();
        let task = |name| {
            let mark = Mark(name, Arc::clone(&ended));
            async move { drop(mark) }
        };
        let bring = |puppet: Puppet, names: [&'static str; 2]| {
            puppet.worker.dispatching.set(true);
            let mut puppet =
                puppet.in_task(|crew| names.into_iter().for_each(|name| spawn(crew, task(name))));
            puppet.worker.dispatching.set(false);
            puppet.after_maintain();
            puppet
        };
        puppet = puppet.in_task(|crew| {
            spawn(crew, task("a"));
            spawn(crew, task("b"));
        });
        let next = puppet.worker.post().own.slot.take().unwrap();
        puppet.worker.push_back(&puppet.core, next);
        for _ in 0..yields {
            let runnable = puppet.next_task().unwrap();
            puppet.worker.push_yielded(&mut puppet.core, runnable);
        }
        puppet = bring(puppet, ["c", "d"]);
        // Nobody yielded before these.
        puppet = bring(puppet, ["e", "f"]);
        puppet.finish();
        let order = ended.lock().unwrap().concat();
        assert_eq!(order, if yields == 2 { "cdabef" } else { "bacdef" });
    }
}

/// I15.
#[test]
#[cfg(target_os = "linux")]
fn who_helped_and_is_out_of_work_is_in_the_way_on_the_others_processor() {
    fn on_one_processor(f: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(affinity::pin(0));
                f();
            });
        });
    }
    let is_in_the_way = |awake: bool, helps: bool, seen_by: &dyn Fn(&Puppet)| {
        let crew = crew(2);
        let _ = (crew.idle.rise(0), crew.idle.rise(1));
        let mut puppet = Puppet::new(&crew, 0);
        let mut sibling =
            Puppet::new(&crew, 1).in_task(|crew| (0..150).for_each(|_| spawn(crew, async {})));
        seen_by(&sibling);
        if helps {
            puppet.worker.search(&mut puppet.core).unwrap().cancel();
        }
        if !awake {
            let _ = crew.idle.start_sleep(1, false);
        }
        let answers = [(); 2].map(|()| Stealing::is_in_the_way(&crew, &mut puppet.core));
        assert!(!answers[1], "once a help");
        puppet.finish();
        sibling.finish();
        answers[0]
    };
    let see = |sibling: &Puppet| sibling.worker.post().counters.see_processor();
    let announce = |sibling: &Puppet| {
        see(sibling);
        sibling.worker.keep_announced(&sibling.core, true);
    };
    on_one_processor(|| {
        assert!(is_in_the_way(true, true, &see));
        assert!(!is_in_the_way(false, true, &see), "it sleeps");
        assert!(!is_in_the_way(true, false, &see), "it was not helped");
        assert!(!is_in_the_way(true, true, &|_| ()), "it is elsewhere");
        assert!(
            !is_in_the_way(true, true, &announce),
            "more comes by the drivers"
        );
    });
}

/// I15: it does not count as a searcher then, and stays for what pushers left to it.
#[test]
fn who_steps_aside_is_no_searcher() {
    for work in [0, 2] {
        let crew = crew(2);
        let _ = crew.idle.rise(0);
        let mut puppet = Puppet::new(&crew, 0);
        assert!(crew.idle.try_start_searching());
        puppet.core.searching = true;
        // Nobody is woken: there is one who searches.
        (0..work).for_each(|_| spawn(&crew, async {}));
        assert!(crew.idle.is_asleep(1));
        puppet.worker.step_aside(&mut puppet.core);
        assert!(!puppet.core.searching);
        spawn(&crew, async {});
        assert!(!crew.idle.is_asleep(1), "a sibling is woken");
        puppet.finish();
    }
}

/// I16.
#[test]
fn who_is_out_of_work_looks_at_its_own_shard_first() {
    for shards in [1, 2] {
        let crew = crew_with(config(2), shards);
        let mut one = Puppet::new(&crew, 0);
        let expects = |one: &mut Puppet| one.worker.expects_events(&mut one.core);
        let polls = |one: &Puppet, count| one.worker.post().counters.polls.add(count);
        polls(&one, 1_000);
        // Nothing came by the drivers for long.
        assert!(!expects(&mut one));
        one = one.wake_by_drivers(1);
        one.after_maintain();
        one.finish();
        assert_eq!(expects(&mut one), shards == 2);
        // It has looked, and had nothing to run since.
        one.worker.looks_at_reactor(&mut one.core);
        assert!(!expects(&mut one));
        polls(&one, 1);
        assert_eq!(expects(&mut one), shards == 2);
        // Where it is crowded, only if nobody else is up.
        crew.crowded.set_until(Instant::now() + HANG);
        let _ = crew.idle.rise(0);
        assert_eq!(expects(&mut one), shards == 2);
        let _ = crew.idle.rise(1);
        assert!(!expects(&mut one));
        crew.crowded.set_until(Instant::now());
        // Others rely on it to search.
        one.core.searching = true;
        assert!(!expects(&mut one));
        one.core.searching = false;
        // Nor while all sockets are in the first shard, and none has its own.
        assert_eq!(expects(&mut one), shards == 2);
        crew.driver.set_gathered(true);
        assert!(!expects(&mut one));
        polls(&one, u64::from(CAPACITY));
        assert!(!expects(&mut one));
    }
}

/// I10.
#[test]
fn who_is_busy_takes_from_a_sibling_that_stands_still() {
    let crew = crew(3);
    let mut puppet = Puppet::new(&crew, 0);
    let mut siblings = [1, 2].map(|index| {
        let sibling = Puppet::new(&crew, index);
        sibling.in_task(|crew| (0..5).for_each(|_| spawn(crew, async {})))
    });
    let polls = |index: usize| &crew.posts[index].counters.polls;
    // One at a time: the first look is at the first, and so on.
    puppet.after_maintain();
    assert_eq!(puppet.queued(), 0, "it was not looked at before");
    polls(1).add(1);
    puppet.after_maintain();
    assert_eq!(puppet.queued(), 0, "it moved");
    puppet.after_maintain();
    assert_eq!(puppet.queued(), 2, "the second stood still");
    polls(1).add(1);
    puppet.after_maintain();
    puppet.after_maintain();
    assert_eq!(puppet.queued(), 3, "and again");
    assert_eq!(siblings.each_ref().map(Puppet::queued), [4, 1]);
    puppet.after_maintain();
    assert_eq!(siblings.each_ref().map(Puppet::queued), [2, 1]);
    let counters = &crew.posts[0].counters;
    assert_eq!((counters.steals.get(), counters.stolen.get()), (3, 5));
    puppet.finish();
    siblings.iter_mut().for_each(Puppet::finish);
}

/// I11.
#[test]
fn a_full_queue_leaves_the_reactor_alone_for_a_while() {
    let crew = crew(1);
    let mut puppet = Puppet::new(&crew, 0);
    let looks = |puppet: &mut Puppet| puppet.worker.looks_at_reactor(&mut puppet.core);
    assert!(looks(&mut puppet));
    // The last one is in the slot.
    puppet = puppet.in_task(|crew| (0..CAPACITY).for_each(|_| spawn(crew, async {})));
    assert!(!looks(&mut puppet), "there is no room");
    let polls = &crew.posts[0].counters.polls;
    polls.add(u64::from(CAPACITY) - 1);
    assert!(!looks(&mut puppet));
    polls.add(1);
    assert!(looks(&mut puppet), "it had its turn");
    assert!(!looks(&mut puppet), "and has it once");
    while (puppet.core.own.queue.room() as usize) < BUSY_EVENTS - 1 {
        puppet.next_task().unwrap().cancel();
    }
    assert!(!looks(&mut puppet), "nearly room");
    puppet.next_task().unwrap().cancel();
    assert!(looks(&mut puppet), "room");
    puppet = puppet.in_task(|crew| (0..8).for_each(|_| spawn(crew, async {})));
    assert!(!looks(&mut puppet));
    (0..3).for_each(|_| puppet.measured(1_000_000, Some(1_000_000)));
    assert!(looks(&mut puppet), "long polls");
    puppet.finish();
}

/// A crew at work, without a watch: what nobody is told of waits for ever.
struct Unwatched(Arc<Crew<Stealing>>);

impl Unwatched {
    fn new(workers: usize) -> Self {
        let crew = crew(workers);
        for index in 0..workers {
            assert!(crew.start_worker(index).is_ok());
        }
        Self(crew)
    }

    /// Waits until all its workers sleep.
    fn rest(&self) {
        let start = Instant::now();
        while self.0.idle.num_asleep() < self.0.num_workers() {
            assert!(start.elapsed() < HANG, "somebody stays awake");
            std::thread::yield_now();
        }
    }
}

impl Drop for Unwatched {
    fn drop(&mut self) {
        self.0.close();
        let pool = &self.0.services().pool;
        pool.shutdown();
        assert!(pool.wait(None));
    }
}

/// I13: of each worker the watch can ask the system.
#[test]
fn the_system_knows_the_workers() {
    if !std::path::Path::new("/proc/thread-self/schedstat").exists() {
        return;
    }
    let crew = Unwatched::new(3);
    let start = Instant::now();
    while (0..3).any(|worker| crew.0.read(worker).is_none()) {
        assert!(start.elapsed() < HANG, "a worker is not known");
        std::thread::yield_now();
    }
}

/// Where some wait for each other.
struct Meeting {
    missing: Mutex<usize>,
    complete: Condvar,
}

impl Meeting {
    fn new(members: usize) -> Arc<Self> {
        Arc::new(Self {
            missing: Mutex::new(members),
            complete: Condvar::new(),
        })
    }

    /// Blocks the thread until all are there; false if somebody does not come.
    fn wait(&self) -> bool {
        let mut missing = self.missing.lock().unwrap();
        *missing -= 1;
        self.complete.notify_all();
        let waited = self
            .complete
            .wait_timeout_while(missing, HANG / 2, |missing| *missing > 0);
        let (missing, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *missing == 0
    }
}

/// What comes from outside is announced however short the polls were before: a worker that takes two tasks has
/// the other one run by a sibling.
#[test]
fn long_tasks_after_short_ones_run_side_by_side() {
    for workers in [2, 4] {
        let crew = Unwatched::new(workers);
        for round in 0..100 {
            let (tx, rx) = mpsc::channel();
            for _ in 0..500 {
                let tx = tx.clone();
                spawn(&crew.0, async move {
                    crate::task::yield_now().await;
                    tx.send(()).unwrap();
                });
            }
            (0..500).for_each(|_| rx.recv_timeout(HANG).unwrap());
            crew.rest();
            let meeting = Meeting::new(workers);
            let (tx, rx) = mpsc::channel();
            for _ in 0..workers {
                let (meeting, tx) = (Arc::clone(&meeting), tx.clone());
                spawn(&crew.0, async move { tx.send(meeting.wait()).unwrap() });
            }
            for _ in 0..workers {
                let met = rx.recv_timeout(HANG).unwrap();
                assert!(met, "round {round} of {workers} workers");
            }
        }
    }
}

/// I7.
#[test]
fn who_gets_up_alone_and_finds_long_polls_asks_for_help() {
    let crew = crew(2);
    let _ = crew.idle.rise(0);
    let mut puppet = Puppet::new(&crew, 0);
    puppet.after_sleep();
    puppet = puppet.in_task(|crew| (0..40).for_each(|_| spawn(crew, async {})));
    assert!(crew.idle.is_asleep(1));
    let turns = puppet.core.until_maintain + puppet.core.turns_after_probe.unwrap();
    assert_eq!(turns, crew.config.event_interval);
    crew.posts[0].counters.polls.add(1);
    let later = Instant::now() + Duration::from_millis(1);
    Stealing::probe(&puppet.worker, &mut puppet.core, later);
    assert!(!crew.idle.is_asleep(1));
    assert_eq!(puppet.visible(), Visible::Enough);
    // Where nobody is alone there is no probe.
    puppet.after_sleep();
    assert_eq!(puppet.core.turns_after_probe, None);
    assert_eq!(puppet.core.until_maintain, crew.config.event_interval);
    puppet.finish();
}

#[test]
fn who_is_about_to_sleep_is_no_sleeping_sibling() {
    let crew = crew(2);
    let _ = (crew.idle.rise(0), crew.idle.rise(1));
    let mut puppet = Puppet::new(&crew, 0);
    assert!(!puppet.worker.is_alone());
    let _ = crew.idle.start_sleep(0, false);
    assert!(!puppet.worker.is_alone());
    let _ = crew.idle.start_sleep(1, false);
    assert!(puppet.worker.is_alone());
    puppet.finish();
}
