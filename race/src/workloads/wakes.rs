//! Wakes from threads that are no workers, many at once.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;

use super::rt;
use super::{Runtime, multi_thread};
use crate::latch::Latch;
use crate::workload::{Round, Workload};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "wake_storm_one",
        what: "4 plain threads wake one and the same task",
        ops: THREADS * WAKES,
        prepare: |workers| wake_storm(workers, 1),
    },
    Workload {
        name: "wake_storm_many",
        what: "4 plain threads wake 100 tasks in turn",
        ops: THREADS * WAKES,
        prepare: |workers| wake_storm(workers, 100),
    },
];

const THREADS: usize = 4;
const WAKES: usize = 20_000;

/// What the tasks and the threads share in one round.
struct Storm {
    over: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
    ready: Arc<Latch>,
}

/// Shows its waker, and then waits for the end of the storm.
async fn target(storm: Arc<Storm>) {
    let mut shown = false;
    poll_fn(|cx| {
        if !shown {
            storm.wakers.lock().unwrap().push(cx.waker().clone());
            storm.ready.count_down();
            shown = true;
        }
        match storm.over.load(Ordering::Acquire) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
}

fn wake_storm(workers: usize, targets: usize) -> Round {
    let runtime: Runtime = multi_thread(workers);
    let ready = Latch::new();
    Box::new(move || {
        ready.arm(targets);
        let storm = Arc::new(Storm {
            over: AtomicBool::new(false),
            wakers: Mutex::new(Vec::new()),
            ready: ready.clone(),
        });
        let tasks: Vec<rt::task::JoinHandle<()>> = (0..targets)
            .map(|_| runtime.spawn(target(storm.clone())))
            .collect();
        ready.wait();
        let wakers = std::mem::take(&mut *storm.wakers.lock().unwrap());
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    wakers
                        .iter()
                        .cycle()
                        .take(WAKES)
                        .for_each(Waker::wake_by_ref)
                });
            }
        });
        storm.over.store(true, Ordering::Release);
        wakers.into_iter().for_each(Waker::wake);
        runtime.block_on(async {
            for task in tasks {
                task.await.expect("no task panics");
            }
        });
    })
}
