//! The sleep protocol by itself: workers that only take from a counter, and pushers that add to it.
//! A lost wake is a deadlock, which loom reports.
//!
//! Weakened once, and seen to deadlock: without the fence of `worker_to_notify`; without that of
//! `start_sleep`; without the second look of `sleep`; with a sleeper that looks only if it was a searcher
//! itself (I4); without the second look of `Idle::claim`, and without the fence before it; with a pusher that
//! says only after its announcement that the work is worth it (I7). The last searcher's look (I3) and its
//! fence are needed only where one piece of work waits for the other, as the worker that is awake would come
//! to it some time: `pieces_that_wait_for_each_other_run_side_by_side` was seen to deadlock without the one
//! and without the other. With one who steps aside (I15) and still counts as a searcher afterwards, or sleeps then
//! without a look, it was seen to deadlock; without the look before it work would only wait for it.

use crate::engine::base::parker::Parker;
use crate::engine::sched::idle::{Idle, Rise};
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicBool, AtomicUsize};
use crate::loom::thread;

struct Crew {
    idle: Idle,
    parkers: Vec<Parker>,
    /// Work that anybody can take.
    work: AtomicUsize,
    /// Whether it is worth a wake, by its pusher's mean (I7).
    worth_it: AtomicBool,
    /// Work not yet done; the last one closes.
    left: AtomicUsize,
    closed: AtomicBool,
    /// Whether a piece of work ends only when another has been begun, and where it waits for that.
    in_pairs: bool,
    pair: Parker,
}

impl Crew {
    fn new(workers: usize, work: usize) -> Arc<Self> {
        let idle = Idle::new(workers);
        // Up before the first push: falling asleep is what is modelled.
        (0..workers).for_each(|worker| assert_eq!(idle.rise(worker), Rise::Alone));
        Arc::new(Self {
            idle,
            parkers: (0..workers).map(|_| Parker::new()).collect(),
            work: AtomicUsize::new(0),
            worth_it: AtomicBool::new(false),
            left: AtomicUsize::new(work),
            closed: AtomicBool::new(false),
            in_pairs: false,
            pair: Parker::new(),
        })
    }

    fn of_pairs(workers: usize) -> Arc<Self> {
        let mut crew = Self::new(workers, 2);
        Arc::get_mut(&mut crew).expect("not shared yet").in_pairs = true;
        crew
    }

    fn push(&self) {
        self.worth_it.store(true, Relaxed);
        self.work.fetch_add(1, Relaxed);
        self.notify();
    }

    fn notify(&self) {
        if let Some(worker) = self.idle.worker_to_notify() {
            self.parkers[worker].unpark();
        }
    }

    fn take(&self) -> bool {
        let work = self.work.load(Relaxed);
        work > 0
            && self
                .work
                .compare_exchange(work, work - 1, AcqRel, Relaxed)
                .is_ok()
    }

    fn work_visible(&self) -> bool {
        self.work.load(Relaxed) > 0 && self.worth_it.load(Relaxed)
    }

    /// As `worker::run_task` does before it polls, and `take_injected` where nobody searched.
    fn found(&self, searching: &mut bool) {
        let looks = !std::mem::take(searching) || self.idle.stop_searching();
        if looks && self.work_visible() {
            self.notify();
        }
        let last = self.left.fetch_sub(1, AcqRel) == 1;
        if self.in_pairs {
            match last {
                true => self.pair.unpark(),
                false => self.pair.park(),
            };
        }
        if last {
            self.closed.store(true, Release);
            self.parkers.iter().for_each(|parker| {
                parker.unpark();
            });
        }
    }

    /// As `worker::sleep`.
    fn sleep(&self, worker: usize, searching: &mut bool) {
        let was_searching = std::mem::take(searching);
        if self.idle.start_sleep(worker, was_searching) && self.work_visible() {
            *searching = self.idle.rise(worker) == Rise::Claimed;
            return;
        }
        if !self.closed.load(Acquire) {
            self.parkers[worker].park();
        }
        *searching = self.idle.rise(worker) == Rise::Claimed;
    }

    /// As `worker::step_aside`.
    fn step_aside(&self, searching: &mut bool) {
        let was_last = std::mem::take(searching) && self.idle.stop_searching();
        if !(was_last && self.work_visible()) {
            thread::yield_now();
        }
    }

    fn run(&self, worker: usize) {
        let mut searching = false;
        let mut helped = false;
        while !self.closed.load(Acquire) {
            if self.take() {
                self.found(&mut searching);
                continue;
            }
            if !searching {
                searching = self.idle.try_start_searching();
            }
            if searching && self.take() {
                helped = true;
                self.found(&mut searching);
                continue;
            }
            if std::mem::take(&mut helped) {
                self.step_aside(&mut searching);
                continue;
            }
            self.sleep(worker, &mut searching);
        }
    }
}

fn model(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(f);
}

fn race(workers: usize, pushers: usize, each: usize) {
    model(move || {
        let crew = Crew::new(workers, pushers * each);
        let mut threads = Vec::new();
        for worker in 0..workers {
            let crew = Arc::clone(&crew);
            threads.push(thread::spawn(move || crew.run(worker)));
        }
        for _ in 1..pushers {
            let crew = Arc::clone(&crew);
            threads.push(thread::spawn(move || (0..each).for_each(|_| crew.push())));
        }
        (0..each).for_each(|_| crew.push());
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(crew.left.load(Relaxed), 0);
    });
}

#[test]
fn one_worker_one_pusher() {
    race(1, 1, 2);
}

#[test]
fn two_workers_one_pusher() {
    race(2, 1, 1);
}

#[test]
fn one_worker_two_pushers() {
    race(1, 2, 1);
}

/// I3: the pusher of the second piece may have relied on the searcher that found the first.
#[test]
fn pieces_that_wait_for_each_other_run_side_by_side() {
    model(|| {
        let crew = Crew::of_pairs(2);
        let threads: Vec<_> = (0..2)
            .map(|worker| {
                let crew = Arc::clone(&crew);
                thread::spawn(move || crew.run(worker))
            })
            .collect();
        crew.push();
        crew.push();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(crew.left.load(Relaxed), 0);
    });
}

/// Two pieces of work announced once: the searcher that takes the first has to pass the word on.
#[test]
fn a_batch_announced_once_is_found_by_all_who_are_needed() {
    model(|| {
        let crew = Crew::new(2, 2);
        let threads: Vec<_> = (0..2)
            .map(|worker| {
                let crew = Arc::clone(&crew);
                thread::spawn(move || crew.run(worker))
            })
            .collect();
        crew.worth_it.store(true, Relaxed);
        crew.work.fetch_add(2, Relaxed);
        crew.notify();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(crew.left.load(Relaxed), 0);
    });
}
