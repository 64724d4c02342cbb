//! heist under Tokio's name.
//!
//! Patched in for `tokio`, it makes every crate that asks for Tokio run on heist:
//!
//! ```toml
//! [patch.crates-io]
//! tokio = { path = "<heist>/compat/tokio" }
//! ```
//!
//! Run `cargo update -p tokio` once, then see that the registry's Tokio has left the graph:
//! `cargo tree -i tokio` must show this path. Cargo only warns when it drops a patch.
//!
//! There is nothing here but names. The macros of [`heist`] reach their internals through `$crate`
//! and pass through as they are; the two attributes expand to paths of the crate they were called
//! through, so here they are the twins that write `::tokio`.

pub use heist::*;

// Named, so they win over the glob's `main` and `test`, which write `::heist`.
pub use heist::{tokio_main as main, tokio_test as test};
