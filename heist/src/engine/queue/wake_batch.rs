//! Wakers collected under a lock and woken after it.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Waker;

use crate::engine::base::unwind;

const CAPACITY: usize = 32;

/// Up to 32 wakers on the stack. No waker is ever called, cloned or dropped under a lock of ours:
/// what is to be woken goes in here, and [`wake_all`](Self::wake_all) runs once the lock is free. A
/// full batch means: release the lock, wake, take the lock again, go on.
#[derive(Debug)]
pub(crate) struct WakeBatch {
    wakers: [MaybeUninit<Waker>; CAPACITY],
    len: usize,
}

impl WakeBatch {
    pub(crate) const fn new() -> Self {
        Self {
            wakers: [const { MaybeUninit::uninit() }; CAPACITY],
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.len < CAPACITY
    }

    /// Adds a waker; the batch has room.
    #[inline]
    pub(crate) fn push(&mut self, waker: Waker) {
        self.wakers[self.len].write(waker);
        self.len += 1;
    }

    /// Wakes and empties. A waker that panics does not keep the rest from being woken; the first
    /// panic goes on when all are.
    pub(crate) fn wake_all(&mut self) {
        let mut next = 0;
        let mut first_panic = None;
        // Once, unless a waker panics.
        while next < self.len {
            let woken = catch_unwind(AssertUnwindSafe(|| {
                while next < self.len {
                    let i = next;
                    next += 1;
                    // SAFETY: slots below `len` are initialised, and `next` passes each once.
                    let waker = unsafe { self.wakers[i].assume_init_read() };
                    waker.wake();
                }
            }));
            match woken {
                Ok(()) => {}
                Err(payload) if first_panic.is_none() => first_panic = Some(payload),
                Err(payload) => unwind::discard(payload),
            }
        }
        self.len = 0;
        match first_panic {
            None => {}
            // Two at a time would be the end of the process.
            Some(payload) if std::thread::panicking() => unwind::discard(payload),
            Some(payload) => resume_unwind(payload),
        }
    }
}

impl Drop for WakeBatch {
    fn drop(&mut self) {
        self.wake_all();
    }
}
