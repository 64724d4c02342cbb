//! What the tests of this module share.
#![allow(dead_code, reason = "models and tests use different parts")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Wake, Waker};

/// A waker that counts its wakes and its references.
pub(crate) struct CountingWaker(Arc<Count>);

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl CountingWaker {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Count(AtomicUsize::new(0))))
    }

    pub(crate) fn waker(&self) -> Waker {
        Waker::from(Arc::clone(&self.0))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.0.load(SeqCst)
    }

    /// This one included.
    pub(crate) fn references(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

/// Runs `f` in all interleavings with few preemptions: a lost wake needs one or two.
#[cfg(heist_loom)]
pub(crate) fn model(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(2));
    builder.check(f);
}
