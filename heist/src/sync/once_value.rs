//! A value that is written once: what [`OnceCell`](super::OnceCell) and [`SetOnce`](super::SetOnce) have
//! in common.
//!
//! **What.** A place for a value and a flag that says whether it is there. Who may write is for the
//! owner to decide.
//!
//! **Rules.**
//! * K1. The value is written once, while the flag is not set, by the one whom the owner gave the right
//!   to; from the flag on it is only read, by as many as like. Only `&mut` takes it out again.
//!
//! **Orderings.** The flag is set with release and read with acquire: the value.
//!
//! **Tested by** the `loom_tests` of both owners.

use std::mem::MaybeUninit;

use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::UnsafeValueCell;

pub(super) struct OnceValue<T> {
    is_set: AtomicBool,
    value: UnsafeValueCell<MaybeUninit<T>>,
}

// SAFETY: K1 — shared, it gives `&T` to all threads, and takes a `T` of one to be dropped by another.
unsafe impl<T: Send + Sync> Sync for OnceValue<T> {}
// SAFETY: it owns its value.
unsafe impl<T: Send> Send for OnceValue<T> {}

impl<T> OnceValue<T> {
    pub(super) fn new(value: Option<T>) -> Self {
        Self {
            is_set: AtomicBool::new(value.is_some()),
            value: UnsafeValueCell::new(match value {
                Some(value) => MaybeUninit::new(value),
                None => MaybeUninit::uninit(),
            }),
        }
    }

    /// Without a value, in constants.
    #[cfg(not(all(test, heist_loom)))]
    pub(super) const fn const_empty() -> Self {
        Self {
            is_set: AtomicBool::new(false),
            value: UnsafeValueCell::new(MaybeUninit::uninit()),
        }
    }

    /// With a value, in constants.
    #[cfg(not(all(test, heist_loom)))]
    pub(super) const fn const_with(value: T) -> Self {
        Self {
            is_set: AtomicBool::new(true),
            value: UnsafeValueCell::new(MaybeUninit::new(value)),
        }
    }

    #[inline]
    pub(super) fn is_set(&self) -> bool {
        // Ordering: pairs with the release in `write`.
        self.is_set.load(Acquire)
    }

    #[inline]
    pub(super) fn get(&self) -> Option<&T> {
        self.is_set().then(|| {
            // SAFETY: K1 — the flag is set: written, and only read from now on.
            unsafe { (*self.value.get()).assume_init_ref() }
        })
    }

    pub(super) fn get_mut(&mut self) -> Option<&mut T> {
        let is_set = self.is_set.load(Relaxed);
        is_set.then(|| {
            // SAFETY: K1 — the flag is set, and we have it alone.
            unsafe { self.value.get_mut().assume_init_mut() }
        })
    }

    /// Writes the value and sets the flag.
    ///
    /// # Safety
    ///
    /// K1: the flag is not set, and nobody else writes.
    pub(super) unsafe fn write(&self, value: T) -> &T {
        // SAFETY: the caller's word.
        let value = unsafe { (*self.value.get()).write(value) };
        // Ordering: pairs with the acquire in `is_set`.
        self.is_set.store(true, Release);
        value
    }

    /// Takes the value out.
    pub(super) fn take(&mut self) -> Option<T> {
        if !self.is_set.load(Relaxed) {
            return None;
        }
        // So that the drop leaves the value to us.
        self.is_set.store(false, Relaxed);
        // SAFETY: K1 — the flag was set, and we have it alone.
        Some(unsafe { self.value.get_mut().assume_init_read() })
    }
}

impl<T> Drop for OnceValue<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// `Default`, `Clone`, `PartialEq`, `Eq` and `Debug` of a cell that has `new`, `new_with` and `get`.
macro_rules! once_impls {
    ($Cell:ident) => {
        impl<T> Default for $Cell<T> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T: Clone> Clone for $Cell<T> {
            fn clone(&self) -> Self {
                Self::new_with(self.get().cloned())
            }
        }

        impl<T: PartialEq> PartialEq for $Cell<T> {
            fn eq(&self, other: &Self) -> bool {
                self.get() == other.get()
            }
        }

        impl<T: Eq> Eq for $Cell<T> {}

        impl<T: fmt::Debug> fmt::Debug for $Cell<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Cell))
                    .field("value", &self.get())
                    .finish()
            }
        }
    };
}
pub(super) use once_impls;
