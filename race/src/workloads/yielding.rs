//! One task that yields alone: what a worker does when its only task is always ready.

use super::rt;
use super::{multi_thread, on_worker};
use crate::counts::LONE_YIELDS;
use crate::workload::{Round, Workload};

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "yield_lone",
    what: "the only task yields again and again",
    ops: LONE_YIELDS,
    prepare: yield_lone,
}];

fn yield_lone(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            for _ in 0..LONE_YIELDS {
                rt::task::yield_now().await;
            }
        });
    })
}
