//! What the models of this module share.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::loom::cell::UnsafeCell;

/// Explores `f` with at most two preemptions.
pub(crate) fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(f);
}

/// A number that loom watches: a read or write that is not ordered with an earlier one of another
/// thread, its making included, fails the model. That ordering is what the primitive under test owes.
pub(crate) struct Tracked(UnsafeCell<u32>);

// SAFETY: the primitive under test orders what is done to it; loom watches.
unsafe impl Send for Tracked {}
// SAFETY: as above.
unsafe impl Sync for Tracked {}

impl Tracked {
    pub(crate) fn new(value: u32) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub(crate) fn get(&self) -> u32 {
        // SAFETY: as said above.
        self.0.with(|p| unsafe { *p })
    }

    pub(crate) fn set(&self, value: u32) {
        // SAFETY: as said above.
        self.0.with_mut(|p| unsafe { *p = value });
    }

    pub(crate) fn add_one(&self) {
        // SAFETY: as said above.
        self.0.with_mut(|p| unsafe { *p += 1 });
    }
}

/// A receiver's clone of a value does look at it.
impl Clone for Tracked {
    fn clone(&self) -> Self {
        Self::new(self.get())
    }
}

/// Polls once, with a waker that does nothing.
pub(crate) fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
