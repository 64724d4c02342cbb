//! The sleep protocol by itself: workers that only take from a counter, and pushers that add to it.
//! A lost wake is a deadlock, which loom reports.
//!
//! Weakened once, and seen to deadlock: without the fence of `worker_to_notify`; without that of
//! `start_sleep`; without the second look of `sleep`; with a sleeper that looks only if it was a searcher
//! itself (I4); without the second look of `Idle::claim`, and without the fence before it. What the models
//! do not show is the last searcher's look (I3) and its fence: without them nothing is lost, as the worker
//! that is awake comes to it; a sleeping sibling would just not help.

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
    /// Work not yet done; the last one closes.
    left: AtomicUsize,
    closed: AtomicBool,
}

impl Crew {
    fn new(workers: usize, work: usize) -> Arc<Self> {
        Arc::new(Self {
            idle: Idle::new(workers),
            parkers: (0..workers).map(|_| Parker::new()).collect(),
            work: AtomicUsize::new(0),
            left: AtomicUsize::new(work),
            closed: AtomicBool::new(false),
        })
    }

    fn push(&self) {
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
        self.work.load(Relaxed) > 0
    }

    /// As `worker::run_task` does before it polls.
    fn found(&self, searching: &mut bool) {
        if std::mem::take(searching) && self.idle.stop_searching() && self.work_visible() {
            self.notify();
        }
        if self.left.fetch_sub(1, AcqRel) == 1 {
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

    fn run(&self, worker: usize) {
        let mut searching = false;
        while !self.closed.load(Acquire) {
            if self.take() {
                self.found(&mut searching);
                continue;
            }
            if !searching {
                searching = self.idle.try_start_searching();
            }
            if searching && self.take() {
                self.found(&mut searching);
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
        crew.work.fetch_add(2, Relaxed);
        crew.notify();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(crew.left.load(Relaxed), 0);
    });
}
