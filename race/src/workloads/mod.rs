//! The workloads, written once. `on_tokio.rs` and `on_heist.rs` each load these very files, with
//! `rt` naming the runtime crate: nothing here may depend on which one it is.
//!
//! Counts are chosen so that a round takes Tokio 5–50 ms on two cores. The wait for a round's end
//! costs a thread wake or two, the same on both sides and small against the round.

mod article;
mod blocking;
mod channels;
mod current_thread;
mod datagrams;
mod fs;
mod join_set;
mod locks;
mod net;
mod process;
mod request_reply;
mod spawning;
mod tails;
mod telling;
mod timers;
mod wakes;
mod yielding;

use std::future::Future;

use super::rt;
use crate::workload::{Probe, Tail, Workload};

use rt::runtime::{Builder, Runtime};

/// Every timed workload, in the table's order.
pub(crate) fn all() -> Vec<Workload> {
    [
        article::WORKLOADS,
        spawning::WORKLOADS,
        join_set::WORKLOADS,
        yielding::WORKLOADS,
        wakes::WORKLOADS,
        request_reply::WORKLOADS,
        channels::WORKLOADS,
        telling::WORKLOADS,
        locks::WORKLOADS,
        timers::WORKLOADS,
        blocking::WORKLOADS,
        fs::WORKLOADS,
        net::WORKLOADS,
        datagrams::WORKLOADS,
        current_thread::WORKLOADS,
    ]
    .concat()
}

/// Every tail, in the table's order.
pub(crate) fn tails() -> Vec<Tail> {
    tails::all()
}

/// Every probe, in the table's order.
pub(crate) fn probes() -> Vec<Probe> {
    process::PROBES.to_vec()
}

/// The full name of the runtime's type: it begins with the crate that was linked.
pub(crate) fn runtime_type() -> &'static str {
    std::any::type_name::<Runtime>()
}

fn multi_thread(workers: usize) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .expect("a runtime can be built")
}

/// Runs a future as a task: `block_on` alone would run it on the calling thread, which is no worker.
fn on_worker<T: Send + 'static>(
    runtime: &Runtime,
    future: impl Future<Output = T> + Send + 'static,
) -> T {
    runtime
        .block_on(runtime.spawn(future))
        .expect("no workload panics")
}
