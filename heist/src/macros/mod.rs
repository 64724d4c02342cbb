//! `select!`, `join!`, `try_join!`, `pin!` and `task_local!`.
//!
//! The macros translate; they do not poll. What they expand to is a list of futures (`list`) and
//! one `await` of a future from here, so that the logic is ordinary code: type-checked once,
//! testable, and without a single `unsafe` in the user's crate. The names an expansion needs are
//! public but hidden, in [`support`].

#[allow(unsafe_code, reason = "a list of pinned futures is projected by hand")]
mod list;
pub(crate) mod order;

mod join;
mod pin;
mod select;
mod task_local;

pub mod support;
