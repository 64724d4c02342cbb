//! A work-stealing async runtime that speaks Tokio's names.
//!
//! Whoever knows Tokio 1.54 knows heist: the same paths, signatures, meaning and panics. What is
//! heist's own lives under names Tokio does not have. `ARCHITECTURE.md` in the repository tells how
//! the inside is laid out; the [`runtime`] module is where a program starts.

// L0: std or loom, chosen once.
mod loom;

// L1 to L6: the engine. Nothing in it is public.
mod engine;

// L7: the public surface. Thin: check, translate, delegate.
#[cfg(any(feature = "futures-io", feature = "hyper"))]
pub mod adapt;
pub mod fs;
pub mod io;
#[doc(hidden)]
pub mod macros;
pub mod net;
pub mod process;
pub mod runtime;
pub mod scheduler;
pub mod signal;
pub mod stream;
pub mod sync;
pub mod task;
pub mod time;

pub use heist_macros::{main, test};
pub use task::spawn;

// The twins for the compatibility shim, whose dependents know the runtime as `tokio`.
#[doc(hidden)]
pub use heist_macros::{tokio_main, tokio_test};

/// The examples of the README are compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
