//! The workloads on the registry's Tokio.

pub(crate) use ::tokio as rt;

#[path = "workloads/mod.rs"]
pub(crate) mod workloads;
