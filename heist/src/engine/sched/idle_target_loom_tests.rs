//! I8 by itself: workers with work of their own, beside work for anyone. A lost wake is a deadlock, which
//! loom reports.

use crate::engine::base::parker::Parker;
use crate::engine::sched::idle::{Idle, Rise};
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicBool, AtomicUsize};
use crate::loom::thread;

struct Crew {
    idle: Idle,
    parkers: Vec<Parker>,
    /// Work that only one worker can do.
    own: Vec<AtomicUsize>,
    /// Work that anybody can do.
    shared: AtomicUsize,
    /// Work not yet done; the last one closes.
    left: AtomicUsize,
    closed: AtomicBool,
}

impl Crew {
    fn new(workers: usize, work: usize) -> Arc<Self> {
        let idle = Idle::new(workers);
        // They are born asleep; here they begin awake.
        (0..workers).for_each(|worker| assert_eq!(idle.rise(worker), Rise::Alone));
        Arc::new(Self {
            idle,
            parkers: (0..workers).map(|_| Parker::new()).collect(),
            own: (0..workers).map(|_| AtomicUsize::new(0)).collect(),
            shared: AtomicUsize::new(0),
            left: AtomicUsize::new(work),
            closed: AtomicBool::new(false),
        })
    }

    fn push_to(&self, worker: usize) {
        self.own[worker].fetch_add(1, Relaxed);
        if let Some(sleeper) = self.idle.claim_worker(worker) {
            self.parkers[sleeper].unpark();
        }
    }

    fn push_for_anyone(&self) {
        self.shared.fetch_add(1, Relaxed);
        self.notify();
    }

    fn notify(&self) {
        if let Some(sleeper) = self.idle.worker_to_notify() {
            self.parkers[sleeper].unpark();
        }
    }

    fn take(from: &AtomicUsize) -> bool {
        let work = from.load(Relaxed);
        work > 0
            && from
                .compare_exchange(work, work - 1, AcqRel, Relaxed)
                .is_ok()
    }

    /// As `worker::run_task` does before it polls.
    fn found(&self, searching: &mut bool) {
        if std::mem::take(searching) && self.idle.stop_searching() && self.shared.load(Relaxed) > 0
        {
            self.notify();
        }
        if self.left.fetch_sub(1, AcqRel) == 1 {
            self.closed.store(true, Release);
            self.parkers.iter().for_each(|parker| {
                parker.unpark();
            });
        }
    }

    /// As `worker::sleep` of a `TARGETED` strategy.
    fn sleep(&self, worker: usize, searching: &mut bool) {
        let was_searching = std::mem::take(searching);
        let _ = self.idle.start_sleep(worker, was_searching);
        if self.own[worker].load(Relaxed) > 0 || self.shared.load(Relaxed) > 0 {
            *searching = self.idle.rise(worker) == Rise::Claimed;
            return;
        }
        if !self.closed.load(Acquire) {
            self.parkers[worker].park();
        }
        *searching = self.idle.rise(worker) == Rise::Claimed;
    }

    fn run(&self, worker: usize) {
        let mut searching = false;
        while !self.closed.load(Acquire) {
            if Self::take(&self.own[worker]) {
                self.found(&mut searching);
                continue;
            }
            if !searching {
                self.idle.start_searching();
                searching = true;
            }
            if Self::take(&self.shared) {
                self.found(&mut searching);
                continue;
            }
            self.sleep(worker, &mut searching);
        }
    }
}

fn race(workers: usize, work: usize, push: impl Fn(&Crew) + Send + Sync + 'static) {
    race_within(2, workers, work, push, None);
}

fn race_within(
    preemptions: usize,
    workers: usize,
    work: usize,
    push: impl Fn(&Crew) + Send + Sync + 'static,
    beside: Option<fn(&Crew)>,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(move || {
        let crew = Crew::new(workers, work);
        let mut threads: Vec<_> = (0..workers)
            .map(|worker| {
                let crew = Arc::clone(&crew);
                thread::spawn(move || crew.run(worker))
            })
            .collect();
        threads.extend(beside.map(|push| {
            let crew = Arc::clone(&crew);
            thread::spawn(move || push(&crew))
        }));
        push(&crew);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(crew.left.load(Relaxed), 0);
    });
}

#[test]
fn one_worker_is_told_twice() {
    race(1, 2, |crew| {
        crew.push_to(0);
        crew.push_to(0);
    });
}

#[test]
fn the_right_one_of_two_is_told() {
    race(2, 1, |crew| crew.push_to(1));
}

#[test]
fn each_of_two_is_told() {
    race(2, 2, |crew| {
        crew.push_to(0);
        crew.push_to(1);
    });
}

/// Who pushes for anyone relies on a worker that was claimed for its own work.
#[test]
fn work_of_one_beside_work_for_anyone() {
    race(2, 2, |crew| {
        crew.push_to(0);
        crew.push_for_anyone();
    });
}

/// Who pushes for anyone relies on one who claims a worker, finds it risen, and has nobody to search.
#[test]
fn a_claim_that_comes_too_late() {
    race_within(3, 1, 2, |crew| crew.push_to(0), Some(Crew::push_for_anyone));
}
