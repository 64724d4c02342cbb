//! What the expansions name. Public because it must be; not for use by hand, and free to change.

// What Tokio has here and its own tests use.
pub use std::future::poll_fn;

pub use super::join::{Join, MaybeDone, TryJoin};
pub use super::list::Nil;
pub use super::order::{Biased, Random, Rotating};
pub use super::select::Select;

/// A random number below `n`, which is not 0: what Tokio's `select!` used to ask for.
pub fn thread_rng_n(n: u32) -> u32 {
    crate::engine::base::rng::thread_below(n)
}
