//! As `workloads/spawning.rs` and `workloads/yielding.rs`.

use std::future::Future;
use std::pin::Pin;
use std::thread;

use smol::Executor;
use smol::future::yield_now;

use super::{Crew, Entry};
use crate::counts::{FAN, FAN_REPEATS, LEAVES, LONE_YIELDS, REMOTE_SPAWNS};
use crate::latch::Latch;
use crate::workload::Round;

type Shared = &'static Executor<'static>;

pub(super) const ENTRIES: &[Entry] = &[
    ("spawn_from_worker", spawn_from_worker),
    ("fan_out_flat", fan_out_flat),
    ("fan_out_tree", fan_out_tree),
    ("remote_spawn_1", |workers| remote_spawn(workers, 1)),
    ("remote_spawn_4", |workers| remote_spawn(workers, 4)),
    ("yield_lone", yield_lone),
];

async fn spawn_and_join(executor: Shared, count: usize) {
    let tasks: Vec<_> = (0..count).map(|_| executor.spawn(async {})).collect();
    for task in tasks {
        task.await;
    }
}

fn spawn_from_worker(workers: usize) -> Round {
    let crew = Crew::new(workers);
    let executor = crew.executor();
    Box::new(move || {
        crew.run(async move {
            for _ in 0..FAN_REPEATS {
                spawn_and_join(executor, FAN).await;
            }
        });
    })
}

fn fan_out_flat(workers: usize) -> Round {
    let crew = Crew::new(workers);
    let executor = crew.executor();
    Box::new(move || crew.run(spawn_and_join(executor, LEAVES)))
}

fn fan_out_tree(workers: usize) -> Round {
    /// Boxed, because a future cannot hold itself.
    fn node(executor: Shared, leaves: usize) -> Pin<Box<dyn Future<Output = usize> + Send>> {
        Box::pin(async move {
            if leaves == 1 {
                return 1;
            }
            let left = executor.spawn(node(executor, leaves / 2));
            let right = executor.spawn(node(executor, leaves / 2));
            left.await + right.await
        })
    }
    let crew = Crew::new(workers);
    let executor = crew.executor();
    Box::new(move || assert_eq!(crew.run(node(executor, LEAVES)), LEAVES))
}

fn remote_spawn(workers: usize, threads: usize) -> Round {
    let crew = Crew::new(workers);
    let latch = Latch::new();
    Box::new(move || {
        latch.arm(REMOTE_SPAWNS);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for _ in 0..REMOTE_SPAWNS / threads {
                        let latch = latch.clone();
                        let task = crew.executor().spawn(async move { latch.count_down() });
                        task.detach();
                    }
                });
            }
        });
        latch.wait();
    })
}

fn yield_lone(workers: usize) -> Round {
    let crew = Crew::new(workers);
    Box::new(move || {
        crew.run(async {
            for _ in 0..LONE_YIELDS {
                yield_now().await;
            }
        });
    })
}
