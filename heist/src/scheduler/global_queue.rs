//! One queue for all.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::scheduler::{Cause, Runnable, Scheduler, Tell, Turn};

/// One queue for all workers, strictly first in, first out.
///
/// Tasks begin their turns in the order in which they became runnable, whoever woke them, and nothing is
/// faster than anything else. All workers meet at one lock: with few workers and turns of some
/// microseconds nobody notices, with many short ones it is the bottleneck.
///
/// **When to take it.** When order matters, as for fair queueing, or to find out whether it does.
pub struct GlobalQueue {
    queue: Mutex<VecDeque<Runnable>>,
    /// The queue's length, to be read without the lock.
    len: AtomicUsize,
}

impl GlobalQueue {
    /// For a runtime with any number of workers.
    #[inline]
    pub fn new(_workers: usize) -> Self {
        Self {
            queue: Mutex::default(),
            len: AtomicUsize::new(0),
        }
    }

    #[inline]
    fn queue(&self) -> MutexGuard<'_, VecDeque<Runnable>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        // Relaxed: the runtime has put a fence between the push and our look, or it will be told.
        self.len.load(Ordering::Relaxed) == 0
    }
}

impl Scheduler for GlobalQueue {
    type Worker = ();

    #[inline]
    fn worker(&self, _index: usize) {}

    fn push(&self, task: Runnable, _: Cause, _: Option<&mut ()>) -> Tell {
        let mut queue = self.queue();
        queue.push_back(task);
        self.len.store(queue.len(), Ordering::Relaxed);
        Tell::Anyone
    }

    #[inline]
    fn next(&self, _: &mut (), _: &mut Turn<'_>) -> Option<Runnable> {
        if self.is_empty() {
            return None;
        }
        let mut queue = self.queue();
        let task = queue.pop_front();
        self.len.store(queue.len(), Ordering::Relaxed);
        task
    }

    #[inline]
    fn has_work(&self, _: &()) -> bool {
        !self.is_empty()
    }

    #[inline]
    fn has_shared_work(&self) -> bool {
        !self.is_empty()
    }
}

impl fmt::Debug for GlobalQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalQueue")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}
