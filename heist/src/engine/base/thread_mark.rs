//! Which thread this is, told also while the thread's locals are torn down.

use std::ptr;

use crate::engine::base::current;

/// A thread's mark: the address of its record. No other thread has it as long as this one lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadMark(usize);

impl ThreadMark {
    /// This thread's.
    #[inline]
    pub(crate) fn here() -> Self {
        current::with(|record| Self(ptr::from_ref(record).addr()))
    }

    /// True on the thread whose mark it is.
    #[inline]
    pub(crate) fn is_here(self) -> bool {
        self == Self::here()
    }
}
