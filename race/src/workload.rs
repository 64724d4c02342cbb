//! What a workload, a tail and a probe are. Those themselves are in `workloads/`.

use std::time::Duration;

/// One timed thing to do, again and again, on a runtime that is made once.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// One line for `--list`.
    pub(crate) what: &'static str,
    /// Operations in one round: times in the table are a round's time over this.
    pub(crate) ops: usize,
    /// Makes the runtime and whatever outlives a round; what it returns runs one round.
    pub(crate) prepare: fn(workers: usize) -> Round,
}

/// Runs one round. Dropping it shuts the workload's runtime down.
pub(crate) type Round = Box<dyn FnMut()>;

/// Something whose delays matter, not its sum: a round gives each delay that it saw.
#[derive(Clone, Copy)]
pub(crate) struct Tail {
    pub(crate) name: &'static str,
    /// One line for `--list`.
    pub(crate) what: &'static str,
    /// As a workload's.
    pub(crate) prepare: fn(workers: usize) -> TailRound,
}

/// Runs one round and says how late each event was.
pub(crate) type TailRound = Box<dyn FnMut() -> Vec<Duration>>;

/// Something that needs a process of its own, because it reads the whole process.
#[derive(Clone, Copy)]
pub(crate) struct Probe {
    pub(crate) name: &'static str,
    /// One line for `--list`.
    pub(crate) what: &'static str,
    pub(crate) run: fn(Extent) -> Vec<Reading>,
}

/// How large a probe is to be.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) workers: usize,
    /// How long a runtime is watched that has nothing, or little, to do.
    pub(crate) watch: Duration,
}

/// One figure that a probe read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    /// What was read, with its unit: `bytes_per_task`.
    pub(crate) key: String,
    pub(crate) value: f64,
}

impl Reading {
    pub(crate) fn new(key: &str, value: f64) -> Self {
        Self {
            key: key.to_owned(),
            value,
        }
    }
}
