//! The current-thread runtime: no stealing, no thread wakes, so what is left is the cost of a task.

use super::rt;
use super::{Builder, Runtime};
use crate::workload::{Round, Workload};

use rt::sync::oneshot;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "ct_spawn",
        what: "current thread: spawn 1,000 and join them",
        ops: SPAWN_REPEATS * SPAWNS,
        prepare: spawn,
    },
    Workload {
        name: "ct_yield_many",
        what: "current thread: 200 tasks yield 1,000 times each",
        ops: YIELDERS * YIELDS,
        prepare: yield_many,
    },
    Workload {
        name: "ct_yield_lone",
        what: "current thread: the only task yields",
        ops: LONE_YIELDS,
        prepare: yield_lone,
    },
    Workload {
        name: "ct_ping_pong",
        what: "current thread: pairs of tasks, a oneshot each way",
        ops: PAIRS,
        prepare: ping_pong,
    },
];

const SPAWN_REPEATS: usize = 50;
const SPAWNS: usize = 1_000;
const YIELDERS: usize = 200;
const YIELDS: usize = 1_000;
const LONE_YIELDS: usize = 25_000;
const PAIRS: usize = 20_000;

fn current_thread() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be built")
}

fn spawn(_: usize) -> Round {
    let runtime = current_thread();
    Box::new(move || {
        runtime.block_on(async {
            for _ in 0..SPAWN_REPEATS {
                let tasks: Vec<_> = (0..SPAWNS).map(|_| rt::spawn(async {})).collect();
                for task in tasks {
                    task.await.expect("an empty task cannot panic");
                }
            }
        });
    })
}

async fn yield_times(count: usize) {
    for _ in 0..count {
        rt::task::yield_now().await;
    }
}

fn yield_many(_: usize) -> Round {
    let runtime = current_thread();
    Box::new(move || {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..YIELDERS)
                .map(|_| rt::spawn(yield_times(YIELDS)))
                .collect();
            for task in tasks {
                task.await.expect("no task panics");
            }
        });
    })
}

fn yield_lone(_: usize) -> Round {
    let runtime = current_thread();
    Box::new(move || {
        runtime.block_on(async {
            rt::spawn(yield_times(LONE_YIELDS))
                .await
                .expect("no task panics");
        });
    })
}

fn ping_pong(_: usize) -> Round {
    let runtime = current_thread();
    Box::new(move || {
        runtime.block_on(async {
            for _ in 0..PAIRS {
                let (ping, pinged) = oneshot::channel();
                let (pong, ponged) = oneshot::channel();
                rt::spawn(async move {
                    pinged.await.expect("the first task pings");
                    pong.send(()).expect("the first task waits");
                });
                ping.send(()).expect("the second task waits");
                ponged.await.expect("the second task answers");
            }
        });
    })
}
