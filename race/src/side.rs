//! Who takes part: the same workloads, compiled once for each runtime, and two who run some of them
//! in their own way.

use crate::workload::{Probe, Tail, Workload};
use crate::{on_floor, on_heist, on_smol, on_tokio};

/// One runtime's copy of the workloads.
pub(crate) struct Side {
    /// How a child process is told which side it is.
    pub(crate) id: &'static str,
    pub(crate) runtime_type: fn() -> &'static str,
    pub(crate) workloads: fn() -> Vec<Workload>,
    pub(crate) tails: fn() -> Vec<Tail>,
    pub(crate) probes: fn() -> Vec<Probe>,
}

impl Side {
    pub(crate) fn tokio() -> Self {
        Self {
            id: "tokio",
            runtime_type: on_tokio::workloads::runtime_type,
            workloads: on_tokio::workloads::all,
            tails: on_tokio::workloads::tails,
            probes: on_tokio::workloads::probes,
        }
    }

    pub(crate) fn heist() -> Self {
        Self {
            id: "heist",
            runtime_type: on_heist::workloads::runtime_type,
            workloads: on_heist::workloads::all,
            tails: on_heist::workloads::tails,
            probes: on_heist::workloads::probes,
        }
    }

    /// smol's executor and its companions: a part of the workloads, in smol's idioms.
    pub(crate) fn smol() -> Self {
        Self {
            id: "smol",
            runtime_type: || "smol",
            workloads: on_smol::all,
            tails: Vec::new,
            probes: Vec::new,
        }
    }

    /// What the machine allows, for a few workloads: no runtime at all.
    pub(crate) fn floor() -> Self {
        Self {
            id: "floor",
            runtime_type: || "floor",
            workloads: on_floor::all,
            tails: Vec::new,
            probes: Vec::new,
        }
    }

    pub(crate) fn from_id(id: &str) -> Option<Self> {
        [Self::tokio(), Self::heist()]
            .into_iter()
            .find(|side| side.id == id)
    }

    /// The crate that this side really runs on, as the compiler knows it: a table cannot be
    /// labelled with a runtime that was not linked.
    pub(crate) fn name(&self) -> &'static str {
        let path = (self.runtime_type)();
        path.split("::").next().unwrap_or(path)
    }
}
