//! Wakers collected under a lock and woken after it.

use std::mem::MaybeUninit;
use std::task::Waker;

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

    /// Wakes and empties. A waker that panics does not keep the rest from being woken.
    pub(crate) fn wake_all(&mut self) {
        /// Owns what is not yet woken, so that unwinding goes on with it.
        struct Rest<'a>(&'a mut WakeBatch, usize);

        impl Rest<'_> {
            fn run(&mut self) {
                while self.1 < self.0.len {
                    let i = self.1;
                    self.1 += 1;
                    // SAFETY: slots below `len` are initialised, and `self.1` passes each once.
                    let waker = unsafe { self.0.wakers[i].assume_init_read() };
                    waker.wake();
                }
                self.0.len = 0;
            }
        }

        impl Drop for Rest<'_> {
            fn drop(&mut self) {
                self.run();
            }
        }

        Rest(self, 0).run();
    }
}

impl Drop for WakeBatch {
    fn drop(&mut self) {
        self.wake_all();
    }
}
