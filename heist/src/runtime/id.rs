//! Runtime ids.

use std::fmt;
use std::num::NonZeroU64;

use crate::engine::base::runtime_id::RuntimeId;

/// Tells runtimes apart: unique among the runtimes of this process.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// println!("this is runtime {}", heist::runtime::Handle::current().id());
/// # }
/// ```
#[derive(Clone, Copy, Debug, Hash, Eq, PartialEq)]
pub struct Id(NonZeroU64);

impl Id {
    pub(crate) fn of(id: RuntimeId) -> Self {
        Self(id.get())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
