//! What is counted about a worker. Always on: each is a plain store on the worker's own line.

use crate::engine::base::counters::Counter;

/// Written by the worker alone.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounters {
    /// Tasks polled. Also how siblings see that a worker moves (`sched::watch`).
    pub(crate) polls: Counter,
    /// Tasks spawned by tasks of this worker, and ended on it.
    pub(crate) spawned: Counter,
    pub(crate) completed: Counter,
    /// Tasks that this worker pushed on its own queue or slot.
    pub(crate) local_schedules: Counter,
    /// Times that the local queue was full.
    pub(crate) overflows: Counter,
    /// Tasks taken from siblings, and how often.
    pub(crate) stolen: Counter,
    pub(crate) steals: Counter,
    /// Times that it went to sleep, got up, and got up for nothing.
    pub(crate) parks: Counter,
    pub(crate) unparks: Counter,
    pub(crate) noops: Counter,
    /// Siblings it woke.
    pub(crate) wakes: Counter,
    /// Nanoseconds between getting up and going to sleep.
    pub(crate) busy_nanos: Counter,
    /// The queue's length, as of a short while ago.
    pub(crate) queue_depth: Counter,
}
