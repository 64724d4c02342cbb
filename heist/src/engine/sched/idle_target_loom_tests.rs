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
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(move || {
        let crew = Crew::new(workers, work);
        let threads: Vec<_> = (0..workers)
            .map(|worker| {
                let crew = Arc::clone(&crew);
                thread::spawn(move || crew.run(worker))
            })
            .collect();
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

/// One who claims a worker that has risen meanwhile passes for a searcher, and somebody may rely on that (I4).
#[test]
fn a_claim_that_comes_too_late() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(4);
    builder.check(|| {
        // A worker that is asleep.
        let idle = Arc::new(Idle::new(1));
        let shared = Arc::new(AtomicUsize::new(0));
        let worker = {
            let (idle, shared) = (Arc::clone(&idle), Arc::clone(&shared));
            thread::spawn(move || {
                let claimed = idle.rise(0) == Rise::Claimed;
                let _ = idle.start_sleep(0, claimed);
                (claimed, shared.load(Relaxed) > 0)
            })
        };
        let teller = {
            let idle = Arc::clone(&idle);
            thread::spawn(move || idle.claim_worker(0).is_some())
        };
        shared.store(1, Relaxed);
        let by_pusher = idle.worker_to_notify().is_some();
        let by_teller = teller.join().unwrap();
        let (claimed, seen) = worker.join().unwrap();
        // The first of them is the one that it had when it rose.
        let claims = usize::from(by_pusher) + usize::from(by_teller) - usize::from(claimed);
        assert!(seen || claims > 0, "it sleeps, and nobody wakes it");
    });
}
