//! As `workloads/article.rs`. smol has no oneshot: a channel of capacity 1 stands in for it.

use std::sync::Arc;

use smol::Executor;
use smol::channel::bounded;
use smol::future::yield_now;

use super::{Crew, Entry};
use crate::counts::{CHAINS, DEPTH, PAIRS, PING_REPEATS, SPAWN_REPEATS, SPAWNS, YIELDERS, YIELDS};
use crate::latch::Latch;
use crate::workload::Round;

type Shared = &'static Executor<'static>;

pub(super) const ENTRIES: &[Entry] = &[
    ("chained_spawn", chained_spawn),
    ("ping_pong", ping_pong),
    ("spawn_many", spawn_many),
    ("yield_many", yield_many),
    ("chained_spawn_bench", |_| chained_spawn(4)),
    ("ping_pong_bench", |_| ping_pong(4)),
    ("spawn_many_bench", |_| spawn_many(4)),
    ("yield_many_bench", |_| yield_many(4)),
];

fn rounds_of(
    workers: usize,
    repeats: usize,
    count: usize,
    spawn_all: impl Fn(Shared, &Arc<Latch>) + 'static,
) -> Round {
    let crew = Crew::new(workers);
    let latch = Latch::new();
    Box::new(move || {
        for _ in 0..repeats {
            latch.arm(count);
            spawn_all(crew.executor(), &latch);
            latch.wait();
        }
    })
}

fn chained_spawn(workers: usize) -> Round {
    fn link(executor: Shared, left: usize, latch: Arc<Latch>) {
        if left == 0 {
            latch.count_down();
        } else {
            let next = async move { link(executor, left - 1, latch) };
            executor.spawn(next).detach();
        }
    }
    rounds_of(workers, CHAINS, 1, |executor, latch| {
        link(executor, DEPTH, latch.clone());
    })
}

fn ping_pong(workers: usize) -> Round {
    async fn pair(executor: Shared, latch: Arc<Latch>) {
        let (ping, pinged) = bounded(1);
        let (pong, ponged) = bounded(1);
        let other = async move {
            pinged.recv().await.expect("the first task pings");
            pong.send(()).await.expect("the first task waits");
        };
        executor.spawn(other).detach();
        ping.send(()).await.expect("the second task waits");
        ponged.recv().await.expect("the second task answers");
        latch.count_down();
    }
    rounds_of(workers, PING_REPEATS, PAIRS, |executor, latch| {
        let latch = latch.clone();
        let root = async move {
            for _ in 0..PAIRS {
                executor.spawn(pair(executor, latch.clone())).detach();
            }
        };
        executor.spawn(root).detach();
    })
}

fn spawn_many(workers: usize) -> Round {
    rounds_of(workers, SPAWN_REPEATS, SPAWNS, |executor, latch| {
        for _ in 0..SPAWNS {
            let latch = latch.clone();
            executor.spawn(async move { latch.count_down() }).detach();
        }
    })
}

fn yield_many(workers: usize) -> Round {
    rounds_of(workers, 1, YIELDERS, |executor, latch| {
        for _ in 0..YIELDERS {
            let latch = latch.clone();
            let yielder = async move {
                for _ in 0..YIELDS {
                    yield_now().await;
                }
                latch.count_down();
            };
            executor.spawn(yielder).detach();
        }
    })
}
