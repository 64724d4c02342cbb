//! Spawning from a worker, from foreign threads, wide and deep.

use std::future::Future;
use std::pin::Pin;
use std::thread;

use super::rt;
use super::{multi_thread, on_worker};
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
];

const FAN_REPEATS: usize = 25;
const FAN: usize = 1_000;
const LEAVES: usize = 32_768;
const REMOTE_SPAWNS: usize = 12_800;

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
