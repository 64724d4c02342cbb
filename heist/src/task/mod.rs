//! Tasks: futures that a runtime runs on its own.
//!
//! ```
//! # #[heist::main]
//! # async fn main() {
//! let task = heist::spawn(async { "ran beside us" });
//! assert_eq!(task.await.unwrap(), "ran beside us");
//! # }
//! ```

mod blocking;
mod builder;
pub mod coop;
pub mod join_set;
mod local_set;
pub(crate) mod spawning;
mod task_local;
mod yield_now;

pub use self::blocking::{block_in_place, spawn_blocking};
pub use self::builder::Builder;
pub use self::join_set::JoinSet;
pub use self::local_set::{LocalEnterGuard, LocalSet, spawn_local};
pub use self::spawning::spawn;
pub use self::task_local::LocalKey;
pub use self::yield_now::yield_now;
pub use crate::engine::task::{AbortHandle, Id, JoinError, JoinHandle};

// Where Tokio had them first, and older callers still look.
#[doc(hidden)]
pub use self::coop::{Unconstrained, consume_budget, unconstrained};

/// The id of the task this is called in.
///
/// # Panics
///
/// Outside of a task, also in the future that `block_on` runs; [`try_id`] does not.
#[track_caller]
pub fn id() -> Id {
    try_id().expect("Can't get a task id when not inside a task")
}

/// The id of the task this is called in, if it is one.
pub fn try_id() -> Option<Id> {
    Id::current()
}

/// The futures that methods of this module return.
pub mod futures {
    pub use super::task_local::TaskLocalFuture;
}
