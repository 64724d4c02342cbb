//! The workloads on heist: the same files again, with `rt` naming another crate.

pub(crate) use ::heist as rt;

#[allow(
    clippy::duplicate_mod,
    reason = "loading the same source for both runtimes is the whole point"
)]
#[path = "workloads/mod.rs"]
pub(crate) mod workloads;
