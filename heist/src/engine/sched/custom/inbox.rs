//! A queue that any thread pushes into, for strategies.

use std::fmt;

use crate::engine::queue::injector::{Chain, Injector, Push};
use crate::engine::sched::custom::token::Runnable;
use crate::engine::task;

/// A queue into which any thread pushes without a lock or an allocation, and which is emptied at one go.
///
/// It is what a [`Scheduler`](super::Scheduler) needs for tasks that come to a worker from elsewhere: a push is one
/// compare-and-swap, also if many threads push at the same time. What one thread pushed is given in that order.
pub struct Inbox(Injector<task::Runnable>);

impl Inbox {
    /// An empty one.
    pub fn new() -> Self {
        Self(Injector::new())
    }

    /// Puts a task in. True if it was the first since the last [`take_all`](Self::take_all).
    pub fn push(&self, task: Runnable) -> bool {
        match self.0.push(task.into_right()) {
            Push::First => true,
            Push::Joined => false,
            Push::Closed(_) => unreachable!("it is closed by its drop"),
        }
    }

    /// True if there seems to be nothing. A look without a lock: who is to rely on it has a `SeqCst` fence between
    /// his announcement and it, as the runtime puts before [`has_work`](super::Scheduler::has_work).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes all that is there; nothing if another thread is just doing so.
    pub fn take_all(&self) -> Taken {
        Taken(self.0.try_take(|len| len).unwrap_or_else(Chain::new))
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        // As tokens, so that they are counted (C2).
        drop(Taken(self.0.close()));
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox")
            .field("is_empty", &self.is_empty())
            .finish()
    }
}

/// The tasks of an [`Inbox`], in order.
pub struct Taken(Chain<task::Runnable>);

impl Iterator for Taken {
    type Item = Runnable;

    #[inline]
    fn next(&mut self) -> Option<Runnable> {
        self.0.pop_front().map(Runnable::new)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

impl fmt::Debug for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Taken").field("len", &self.0.len()).finish()
    }
}
