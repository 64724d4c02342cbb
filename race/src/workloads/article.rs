//! The four benchmarks of the 2019 article on Tokio's scheduler, twice: as the article has them, started
//! by a plain thread on a worker for each core, and as Tokio's bench directory has them, started from
//! `block_on` on four workers. Either way the thread then blocks until the last task is done.

use std::sync::Arc;

use super::rt;
use super::{Runtime, multi_thread};
use crate::counts::{CHAINS, DEPTH, PAIRS, PING_REPEATS, SPAWN_REPEATS, SPAWNS, YIELDERS, YIELDS};
use crate::latch::Latch;
use crate::workload::{Round, Workload};

use rt::sync::oneshot;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "chained_spawn",
        what: "a task spawns the next, 1,000 deep",
        ops: CHAINS * DEPTH,
        prepare: |workers| chained_spawn(from_thread(workers)),
    },
    Workload {
        name: "ping_pong",
        what: "1,000 pairs of tasks, a oneshot each way",
        ops: PING_REPEATS * PAIRS,
        prepare: |workers| ping_pong(from_thread(workers)),
    },
    Workload {
        name: "spawn_many",
        what: "10,000 empty tasks spawned from a plain thread",
        ops: SPAWN_REPEATS * SPAWNS,
        prepare: |workers| spawn_many(from_thread(workers)),
    },
    Workload {
        name: "yield_many",
        what: "200 tasks yield 1,000 times each",
        ops: YIELDERS * YIELDS,
        prepare: |workers| yield_many(from_thread(workers)),
    },
    Workload {
        name: "chained_spawn_bench",
        what: "the same from block_on, with 4 workers",
        ops: CHAINS * DEPTH,
        prepare: |_| chained_spawn(from_block_on()),
    },
    Workload {
        name: "ping_pong_bench",
        what: "the same from block_on, with 4 workers",
        ops: PING_REPEATS * PAIRS,
        prepare: |_| ping_pong(from_block_on()),
    },
    Workload {
        name: "spawn_many_bench",
        what: "the same from block_on, with 4 workers",
        ops: SPAWN_REPEATS * SPAWNS,
        prepare: |_| spawn_many(from_block_on()),
    },
    Workload {
        name: "yield_many_bench",
        what: "the same from block_on, with 4 workers",
        ops: YIELDERS * YIELDS,
        prepare: |_| yield_many(from_block_on()),
    },
];

/// Who starts the first tasks.
struct Start {
    runtime: Runtime,
    in_block_on: bool,
}

fn from_thread(workers: usize) -> Start {
    Start {
        runtime: multi_thread(workers),
        in_block_on: false,
    }
}

fn from_block_on() -> Start {
    Start {
        runtime: multi_thread(4),
        in_block_on: true,
    }
}

impl Start {
    /// A round that arms a latch for `count` tasks and blocks until they have all counted down,
    /// `repeats` times over.
    fn rounds_of(
        self,
        repeats: usize,
        count: usize,
        spawn_all: impl Fn(&Runtime, &Arc<Latch>) + 'static,
    ) -> Round {
        let latch = Latch::new();
        Box::new(move || {
            for _ in 0..repeats {
                latch.arm(count);
                let run = || {
                    spawn_all(&self.runtime, &latch);
                    latch.wait();
                };
                if self.in_block_on {
                    self.runtime.block_on(async { run() });
                } else {
                    run();
                }
            }
        })
    }
}

fn chained_spawn(start: Start) -> Round {
    fn link(left: usize, latch: Arc<Latch>) {
        if left == 0 {
            latch.count_down();
        } else {
            rt::spawn(async move { link(left - 1, latch) });
        }
    }
    start.rounds_of(CHAINS, 1, |runtime, latch| {
        let latch = latch.clone();
        runtime.spawn(async move { link(DEPTH - 1, latch) });
    })
}

fn ping_pong(start: Start) -> Round {
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
    start.rounds_of(PING_REPEATS, PAIRS, |runtime, latch| {
        let latch = latch.clone();
        runtime.spawn(async move {
            for _ in 0..PAIRS {
                rt::spawn(pair(latch.clone()));
            }
        });
    })
}

fn spawn_many(start: Start) -> Round {
    start.rounds_of(SPAWN_REPEATS, SPAWNS, |runtime, latch| {
        for _ in 0..SPAWNS {
            let latch = latch.clone();
            runtime.spawn(async move { latch.count_down() });
        }
    })
}

fn yield_many(start: Start) -> Round {
    start.rounds_of(1, YIELDERS, |runtime, latch| {
        for _ in 0..YIELDERS {
            let latch = latch.clone();
            runtime.spawn(async move {
                for _ in 0..YIELDS {
                    rt::task::yield_now().await;
                }
                latch.count_down();
            });
        }
    })
}
