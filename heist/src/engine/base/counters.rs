//! Counters that one thread writes and any thread reads: a plain add, no read-modify-write.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// A statistic with a single writer. Readers see some recent value; nothing is ordered by it, so
/// it is `std`'s atomic also in models, where it would only add interleavings.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

/// The same with 32 bits, for where there are many of them.
#[derive(Debug, Default)]
pub(crate) struct SmallCounter(AtomicU32);

impl SmallCounter {
    /// Only the counter's one writer may call this.
    #[inline(always)]
    pub(crate) fn set(&self, n: u32) {
        self.0.store(n, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

impl Counter {
    /// Adds `n`. Only the counter's one writer may call this: two writers would lose counts.
    #[inline(always)]
    pub(crate) fn add(&self, n: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_add(n), Relaxed);
    }

    #[inline(always)]
    pub(crate) fn set(&self, n: u64) {
        self.0.store(n, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Adds `n` from any thread, at the price of a read-modify-write. A counter is either
    /// shared in all its adds or in none.
    pub(crate) fn add_shared(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }
}
