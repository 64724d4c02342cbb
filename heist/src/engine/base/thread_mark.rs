//! Which thread this is, told also while the thread's locals are torn down.

use std::cell::{Cell, OnceCell};
use std::ptr;

use crate::engine::base::current;
use crate::loom::thread;

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

crate::loom::thread_local! {
    /// 0 until it is asked for.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// This thread's number: they are given out one after the other, to those that ask. For what is spread
/// over threads; more than one may get the same after very many.
#[inline]
pub(crate) fn number() -> usize {
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(thread::next_number());
        }
        number.get()
    })
}

crate::loom::thread_local! {
    static SYSTEM_NUMBER: OnceCell<Option<u32>> = const { OnceCell::new() };
}

/// The system's number of this thread, where it tells: on Linux, with `/proc`.
pub(crate) fn system_number() -> Option<u32> {
    let find = || {
        let link = std::fs::read_link("/proc/thread-self").ok()?;
        link.file_name()?.to_str()?.parse().ok()
    };
    SYSTEM_NUMBER.with(|number| *number.get_or_init(find))
}
