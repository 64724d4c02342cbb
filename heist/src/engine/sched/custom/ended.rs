//! Whether a crew has ended (C4).

use crate::loom::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::loom::sync::atomic::{AtomicBool, fence};

#[cfg(all(test, heist_loom))]
mod loom_tests;

/// Set once, by the closer.
#[derive(Debug)]
pub(super) struct Ended(AtomicBool);

impl Ended {
    pub(super) fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// From here on calls are refused. Those that are not had begun before: the closer sees them in a look that
    /// follows, and waits for their end.
    pub(super) fn set(&self) {
        self.0.store(true, Relaxed);
        // Ordering: C4. Pairs with the fence in `refuses`.
        fence(SeqCst);
    }

    /// For a foreign call that has announced itself: whether it came too late.
    #[inline]
    pub(super) fn refuses(&self) -> bool {
        // Ordering: C4. Pairs with the fence in `set`: either we see that it ended, or the closer waits
        // for us.
        fence(SeqCst);
        self.0.load(Relaxed)
    }

    /// Whether it was set; nothing follows from it.
    pub(super) fn get(&self) -> bool {
        self.0.load(Relaxed)
    }
}
