//! The next-task slot: one task that its worker will run next, before its queue.
//!
//! # What
//!
//! A pointer. The owner puts a task in and takes it out; a thief may take it when the owner is
//! stuck. Whether it should is the scheduler's business (`sched::strategy`): the slot only makes it
//! possible, at no cost to the owner but that taking is a compare-and-swap.
//!
//! # Rules
//!
//! * **S1** Only the owner fills the slot; owner and thieves empty it. So an owner that sees it
//!   empty may fill it with a plain store.
//! * **S2** Whoever exchanges a pointer for null owns the item. A thief never looks behind the
//!   pointer before: if the item was run, freed and another put at the same address meanwhile, the
//!   exchange takes that one, which is as good.
//!
//! # Orderings
//!
//! Filling is a release, taking an acquire.
//!
//! # Rejected
//!
//! *A plain field, not stealable* (Tokio): a task in the slot of a worker that blocks waits for it.
//! *Notifying a sibling when the slot is filled* (what made others revert): a thread wake for every
//! message passed.
//!
//! # Tested by
//!
//! The models in `loom_tests`, which also list what was weakened once and seen to fail; `tests` has the
//! randomised ones and a stress with threads.

use std::fmt;
use std::ptr::{self, NonNull};

use crate::engine::queue::injector::Linked;
use crate::loom::sync::atomic::AtomicPtr;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;

/// Room for one item.
pub(crate) struct Slot<T: Linked>(AtomicPtr<T::Node>);

// SAFETY: S2 — the item has one owner, and crosses threads as a `T` would.
unsafe impl<T: Linked + Send> Send for Slot<T> {}
// SAFETY: as above.
unsafe impl<T: Linked + Send> Sync for Slot<T> {}

impl<T: Linked> Slot<T> {
    pub(crate) fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// Puts `item` in and gives what was there. The owner's alone (S1).
    #[inline]
    pub(crate) fn replace(&self, item: T) -> Option<T> {
        let node = item.into_node().as_ptr();
        let old = if self.0.load(Relaxed).is_null() {
            // S1: nobody else fills it.
            // Ordering: release gives the item to a thief's acquire.
            self.0.store(node, Release);
            ptr::null_mut()
        } else {
            // Ordering: as above; what we get back we put in ourselves.
            self.0.swap(node, Release)
        };
        // SAFETY: S2 — exchanged, so ours.
        NonNull::new(old).map(|node| unsafe { T::from_node(node) })
    }

    /// Takes the item out.
    #[inline]
    pub(crate) fn take(&self) -> Option<T> {
        let mut found = self.0.load(Relaxed);
        loop {
            let node = NonNull::new(found)?;
            // Not a swap: that would write null over null when somebody else was faster, and in
            // loom's eyes race the owner's plain store of the next item (S1).
            // Ordering: acquire pairs with the release in `replace`.
            match self
                .0
                .compare_exchange_weak(found, ptr::null_mut(), Acquire, Relaxed)
            {
                // SAFETY: S2 — exchanged, so ours.
                Ok(_) => return Some(unsafe { T::from_node(node) }),
                Err(now) => found = now,
            }
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.load(Relaxed).is_null()
    }

    /// What is in it, as an address to compare with.
    #[cfg(all(test, heist_loom))]
    fn peek(&self) -> *const () {
        self.0.load(Relaxed).cast_const().cast()
    }
}

impl<T: Linked> Drop for Slot<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T: Linked> fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("is_empty", &self.is_empty())
            .finish()
    }
}
