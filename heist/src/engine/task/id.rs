//! Task ids: unique in the process, handed out in blocks so that spawning threads do not share a line.

use std::cell::Cell;
use std::fmt;
use std::num::NonZeroU64;

use crate::engine::base::current;

// `std`'s atomic also in models: ids order nothing.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const BLOCK: u64 = 1024;

static NEXT_BLOCK: AtomicU64 = AtomicU64::new(1);

crate::loom::thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// An opaque id that no other task of this process has had.
///
/// Ids are not in spawning order: each thread takes them from blocks of its own. They can be compared,
/// so as to be kept in a sorted map, but which of two is the greater tells nothing.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// let task = heist::spawn(async { heist::task::id() });
/// let seen_from_outside = task.id();
/// assert_eq!(task.await.unwrap(), seen_from_outside);
/// # }
/// ```
#[derive(Clone, Copy, Debug, Hash, Eq, Ord, PartialEq, PartialOrd)]
pub struct Id(NonZeroU64);

impl Id {
    #[inline]
    pub(crate) fn next() -> Self {
        NEXT.with(|next| {
            let mut id = next.get();
            if id % BLOCK == 0 {
                // A block's first id is 1 mod BLOCK, so that 0 both means "none left" and is
                // never given out.
                id = NEXT_BLOCK.fetch_add(BLOCK, Relaxed);
            }
            next.set(id + 1);
            Self(NonZeroU64::new(id).expect("fewer than 2^64 tasks"))
        })
    }

    pub(crate) fn as_u64(self) -> u64 {
        self.0.get()
    }

    /// The id of the task this thread is polling.
    pub(crate) fn current() -> Option<Self> {
        current::task_id().map(Self)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
