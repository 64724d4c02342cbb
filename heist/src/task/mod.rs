//! Stub.

mod task_local;

pub use self::task_local::LocalKey;

/// The futures that methods of this module return.
pub mod futures {
    pub use super::task_local::TaskLocalFuture;
}
