//! Every primitive of `heist::sync` against a plain model of it: random operations, one after the
//! other, on both, and after each step both must agree — on what was returned, on what can be asked,
//! and on who must have been woken.
//!
//! One thread only: what threads do to each other is for the loom models and the stress tests. A
//! failure names its seed, and `HEIST_SEED=n` runs that sequence alone. Nothing here is heist's own: with
//! Tokio 1.54.1 under heist's name all of it passes as well, so that the models are Tokio's semantics.

#[path = "../support/mod.rs"]
mod support;

mod broadcast;
mod harness;
mod locks;
mod mpsc;
mod notify;
mod once;
mod oneshot;
mod permits;
mod watch;
