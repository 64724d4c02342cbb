//! Calls into a scheduler by threads that do not hold it.
//!
//! A waker points to its task and the task to its scheduler, without a count (T11): the scheduler lives
//! as long as the task is incomplete. But a wake goes on after it has queued the task: it looks whom to
//! tell. Meanwhile another thread may run the task to its end, and the runtime may be shut down. So
//! these calls are counted, and the closer waits for them.
//!
//! * **F1** `begun` goes up while the caller has the run right, that is, while the task is incomplete;
//!   `ended` is the last thing the call touches of the scheduler.
//! * **F2** The closer first sees all tasks complete, so that no call can begin, and then waits until as
//!   many have ended as have begun.
//!
//! The counts are also the metric of how many tasks were scheduled from outside.
//!
//! **Tested by** `task::loom_tests::shutdown_*`, whose toy scheduler counts in the same way: without the
//! count, or with the look at it before the one at the tasks, they fail.

use crate::engine::base::cache_padded::CachePadded;
use crate::loom::sync::atomic::AtomicU64;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// How many calls have begun, and ended.
#[derive(Debug)]
pub(super) struct ForeignCalls {
    begun: CachePadded<AtomicU64>,
    ended: CachePadded<AtomicU64>,
}

/// A call; dropping it is the last touch of the scheduler.
#[derive(Debug)]
#[must_use]
pub(super) struct ForeignCall<'a>(&'a ForeignCalls);

impl ForeignCalls {
    pub(super) fn new() -> Self {
        Self {
            begun: CachePadded::new(AtomicU64::new(0)),
            ended: CachePadded::new(AtomicU64::new(0)),
        }
    }

    /// The caller has a run right that it is about to queue (F1).
    #[inline]
    pub(super) fn begin(&self) -> ForeignCall<'_> {
        // Relaxed: what follows, the queueing, is the release by which the closer gets to know.
        self.begun.fetch_add(1, Relaxed);
        ForeignCall(self)
    }

    pub(super) fn count(&self) -> u64 {
        self.begun.load(Relaxed)
    }

    /// True if no call is under way. For the closer, once all tasks are complete (F2).
    pub(super) fn all_ended(&self) -> bool {
        // Ordering: acquire pairs with the release in `drop`: what the call did comes before what we
        // do to the scheduler.
        self.ended.load(Acquire) == self.begun.load(Relaxed)
    }
}

impl Drop for ForeignCall<'_> {
    #[inline]
    fn drop(&mut self) {
        // Ordering: release pairs with the acquire in `all_ended`.
        self.0.ended.fetch_add(1, Release);
    }
}
