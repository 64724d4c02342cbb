//! The four benchmarks of the 2019 article on Tokio's scheduler, with the counts and the shape that
//! Tokio's own bench directory gives them: `block_on` spawns the first tasks, and its thread then
//! blocks until the last of them says it is done.

use std::sync::Arc;

use super::rt;
use super::{Runtime, multi_thread};
use crate::latch::Latch;
use crate::workload::{Round, Workload};

use rt::sync::oneshot;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "chained_spawn",
        what: "a task spawns the next, 1,000 deep",
        ops: CHAINS * DEPTH,
        prepare: chained_spawn,
    },
    Workload {
        name: "ping_pong",
        what: "1,000 pairs of tasks, a oneshot each way",
        ops: PING_REPEATS * PAIRS,
        prepare: ping_pong,
    },
    Workload {
        name: "spawn_many",
        what: "10,000 empty tasks spawned from block_on",
        ops: SPAWN_REPEATS * SPAWNS,
        prepare: spawn_many,
    },
    Workload {
        name: "yield_many",
        what: "200 tasks yield 1,000 times each",
        ops: YIELDERS * YIELDS,
        prepare: yield_many,
    },
];

const CHAINS: usize = 50;
const DEPTH: usize = 1_000;
const PING_REPEATS: usize = 20;
const PAIRS: usize = 1_000;
const SPAWN_REPEATS: usize = 3;
const SPAWNS: usize = 10_000;
const YIELDERS: usize = 200;
const YIELDS: usize = 1_000;

/// A round that arms a latch for `count` tasks and blocks until they have all counted down,
/// `repeats` times over.
fn rounds_of(
    workers: usize,
    repeats: usize,
    count: usize,
    spawn_all: impl Fn(&Arc<Latch>) + 'static,
) -> Round {
    let runtime: Runtime = multi_thread(workers);
    let latch = Latch::new();
    Box::new(move || {
        for _ in 0..repeats {
            latch.arm(count);
            runtime.block_on(async {
                spawn_all(&latch);
                latch.wait();
            });
        }
    })
}

fn chained_spawn(workers: usize) -> Round {
    fn link(left: usize, latch: Arc<Latch>) {
        if left == 0 {
            latch.count_down();
        } else {
            rt::spawn(async move { link(left - 1, latch) });
        }
    }
    rounds_of(workers, CHAINS, 1, |latch| link(DEPTH, latch.clone()))
}

fn ping_pong(workers: usize) -> Round {
    async fn pair(latch: Arc<Latch>) {
        let (ping, pinged) = oneshot::channel();
        let (pong, ponged) = oneshot::channel();
        rt::spawn(async move {
            pinged.await.expect("the first task pings");
            pong.send(()).expect("the first task waits");
        });
        ping.send(()).expect("the second task waits");
        ponged.await.expect("the second task answers");
        latch.count_down();
    }
    rounds_of(workers, PING_REPEATS, PAIRS, |latch| {
        let latch = latch.clone();
        rt::spawn(async move {
            for _ in 0..PAIRS {
                rt::spawn(pair(latch.clone()));
            }
        });
    })
}

fn spawn_many(workers: usize) -> Round {
    rounds_of(workers, SPAWN_REPEATS, SPAWNS, |latch| {
        for _ in 0..SPAWNS {
            let latch = latch.clone();
            rt::spawn(async move { latch.count_down() });
        }
    })
}

fn yield_many(workers: usize) -> Round {
    rounds_of(workers, 1, YIELDERS, |latch| {
        for _ in 0..YIELDERS {
            let latch = latch.clone();
            rt::spawn(async move {
                for _ in 0..YIELDS {
                    rt::task::yield_now().await;
                }
                latch.count_down();
            });
        }
    })
}
