//! Runtime ids.

use std::fmt;
use std::num::NonZeroU64;

/// Tells runtimes apart: unique among the runtimes of this process.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// println!("this is runtime {}", heist::runtime::Handle::current().id());
/// # }
/// ```
#[derive(Clone, Copy, Debug, Hash, Eq, PartialEq)]
pub struct Id(pub(super) NonZeroU64);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
