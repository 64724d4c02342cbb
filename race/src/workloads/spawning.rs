//! Spawning from a worker, from foreign threads, wide and deep.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::rt;
use super::{Runtime, multi_thread, on_worker};
use crate::busy::busy;
use crate::counts::{FAN, FAN_REPEATS, LEAVES, REMOTE_SPAWNS, SPAWNS};
use crate::latch::Latch;
use crate::workload::{Round, Workload};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "spawn_from_worker",
        what: "a task spawns 1,000 and joins them",
        ops: FAN_REPEATS * FAN,
        prepare: spawn_from_worker,
    },
    Workload {
        name: "spawn_large",
        what: "the same with tasks of 4 KiB",
        ops: FAN_REPEATS * FAN,
        prepare: spawn_large,
    },
    Workload {
        name: "fan_out_flat",
        what: "a task spawns 32,768 and joins them",
        ops: LEAVES,
        prepare: fan_out_flat,
    },
    Workload {
        name: "fan_out_tree",
        what: "each task spawns two and joins them, down to 32,768 leaves",
        ops: 2 * LEAVES - 1,
        prepare: fan_out_tree,
    },
    Workload {
        name: "remote_spawn_1",
        what: "12,800 tasks spawned through a Handle by 1 plain thread",
        ops: REMOTE_SPAWNS,
        prepare: |workers| remote_spawn(workers, 1),
    },
    Workload {
        name: "remote_spawn_4",
        what: "12,800 tasks spawned through a Handle by 4 plain threads",
        ops: REMOTE_SPAWNS,
        prepare: |workers| remote_spawn(workers, 4),
    },
    Workload {
        name: "spawn_remote_idle",
        what: "a plain thread spawns 10,000 on an idle runtime, then joins them",
        ops: SPAWNS,
        prepare: |workers| spawn_remote(workers, SPAWNS, |_, _| ()),
    },
    Workload {
        name: "spawn_remote_busy_yield",
        what: "the same while 8 tasks work for 10 µs and yield",
        ops: SPAWNS,
        prepare: |workers| spawn_remote(workers, SPAWNS, keep_yielding),
    },
    Workload {
        name: "spawn_remote_busy_respawn",
        what: "1,000 while 4 tasks work for 10 µs and spawn their successor",
        ops: FAN,
        prepare: |workers| spawn_remote(workers, FAN, keep_respawning),
    },
];

async fn spawn_and_join(count: usize) {
    let tasks: Vec<_> = (0..count).map(|_| rt::spawn(async {})).collect();
    for task in tasks {
        task.await.expect("an empty task cannot panic");
    }
}

fn spawn_from_worker(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            for _ in 0..FAN_REPEATS {
                spawn_and_join(FAN).await;
            }
        });
    })
}

fn spawn_large(workers: usize) -> Round {
    /// Has it all across an await.
    async fn large(fill: u8) -> u8 {
        let bytes = [fill; 4096];
        rt::task::yield_now().await;
        std::hint::black_box(&bytes)[usize::from(fill)]
    }
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            for _ in 0..FAN_REPEATS {
                let tasks: Vec<_> = (0..FAN).map(|_| rt::spawn(large(1))).collect();
                for task in tasks {
                    assert_eq!(task.await.expect("it cannot panic"), 1);
                }
            }
        });
    })
}

fn fan_out_flat(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || on_worker(&runtime, spawn_and_join(LEAVES)))
}

fn fan_out_tree(workers: usize) -> Round {
    /// Boxed, because a future cannot hold itself.
    fn node(leaves: usize) -> Pin<Box<dyn Future<Output = usize> + Send>> {
        Box::pin(async move {
            if leaves == 1 {
                return 1;
            }
            let left = rt::spawn(node(leaves / 2));
            let right = rt::spawn(node(leaves / 2));
            left.await.expect("no node panics") + right.await.expect("no node panics")
        })
    }
    let runtime = multi_thread(workers);
    Box::new(move || assert_eq!(on_worker(&runtime, node(LEAVES)), LEAVES))
}

fn remote_spawn(workers: usize, threads: usize) -> Round {
    let runtime = multi_thread(workers);
    let latch = Latch::new();
    Box::new(move || {
        latch.arm(REMOTE_SPAWNS);
        let handle = runtime.handle();
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for _ in 0..REMOTE_SPAWNS / threads {
                        let latch = latch.clone();
                        handle.spawn(async move { latch.count_down() });
                    }
                });
            }
        });
        latch.wait();
    })
}

/// The others run for as long as the round does, and no longer: the next round is another side's.
fn spawn_remote(
    workers: usize,
    count: usize,
    start_others: fn(&Runtime, &Arc<AtomicBool>),
) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        let stop = Arc::new(AtomicBool::new(false));
        start_others(&runtime, &stop);
        let tasks: Vec<_> = (0..count).map(|_| runtime.spawn(async {})).collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.expect("an empty task cannot panic");
            }
        });
        stop.store(true, Ordering::Relaxed);
    })
}

const STALL: Duration = Duration::from_micros(10);

fn keep_yielding(runtime: &Runtime, stop: &Arc<AtomicBool>) {
    for _ in 0..8 {
        let stop = stop.clone();
        runtime.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                rt::task::yield_now().await;
                busy(STALL);
            }
        });
    }
}

fn keep_respawning(runtime: &Runtime, stop: &Arc<AtomicBool>) {
    fn respawn(stop: Arc<AtomicBool>) {
        busy(STALL);
        if !stop.load(Ordering::Relaxed) {
            rt::spawn(async move { respawn(stop) });
        }
    }
    for _ in 0..4 {
        let stop = stop.clone();
        runtime.spawn(async move { respawn(stop) });
    }
}
