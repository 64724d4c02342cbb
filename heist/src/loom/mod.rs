//! The seam between the engine and the machine: std in real builds, loom in models.
//!
//! Everything concurrent below the public surface takes its atomics, cells, locks and threads from
//! here and never from `std` directly (`tests/tidy.rs` checks it), so that a loom model runs the
//! very code that ships. A model build is `all(test, heist_loom)`: our own cfg, because `--cfg loom`
//! would flip every dependency that has models of its own.
//!
//! loom does not model `SeqCst` on plain loads and stores: a Dekker pair is written with explicit
//! `fence(SeqCst)` on both sides, or the model proves nothing.

#[cfg(not(all(test, heist_loom)))]
mod std;
#[cfg(not(all(test, heist_loom)))]
pub(crate) use self::std::*;

#[cfg(all(test, heist_loom))]
mod model;
#[cfg(all(test, heist_loom))]
pub(crate) use self::model::*;
