//! A runtime's number: how a timer or a socket names its runtime without holding it.

use std::num::NonZeroU64;
// `std`'s atomic also in models: ids order nothing.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Unique in the process, never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RuntimeId(NonZeroU64);

impl RuntimeId {
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NonZeroU64::new(NEXT.fetch_add(1, Relaxed)).expect("fewer than 2^64 runtimes"))
    }

    pub(crate) fn get(self) -> NonZeroU64 {
        self.0
    }
}
