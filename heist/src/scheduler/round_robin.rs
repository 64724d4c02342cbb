//! Tasks dealt to the workers in turn.

use crate::scheduler::shards::{Own, Shards, tag_of};
use crate::scheduler::{Cause, Runnable, Scheduler, Tell, Turn};

/// Deals new tasks to the workers in turn; a task stays on the worker it was dealt to.
///
/// Each worker has as many tasks as any other, and none takes from another: a worker whose tasks
/// happen to be the busy ones has more to do.
///
/// **When to take it.** For many long-lived tasks that are alike, such as connections: they are spread evenly from
/// the first moment, their data stays in one core's cache, and no time is spent on looking at others' queues.
#[derive(Debug)]
pub struct RoundRobin {
    shards: Shards,
}

impl RoundRobin {
    /// For a runtime with `workers` workers.
    #[inline]
    pub fn new(workers: usize) -> Self {
        Self {
            shards: Shards::new(workers),
        }
    }
}

impl Scheduler for RoundRobin {
    type Worker = Own;

    #[inline]
    fn worker(&self, index: usize) -> Own {
        self.shards.own(index)
    }

    #[inline]
    fn push(&self, mut task: Runnable, cause: Cause, worker: Option<&mut Own>) -> Tell {
        if task.tag() == 0 {
            task.set_tag(tag_of(self.shards.deal()));
        }
        self.shards.push(task, cause, worker)
    }

    #[inline]
    fn next(&self, own: &mut Own, turn: &mut Turn<'_>) -> Option<Runnable> {
        self.shards.next(own, turn)
    }

    #[inline]
    fn has_work(&self, own: &Own) -> bool {
        self.shards.has_work(own)
    }

    #[inline]
    fn queue_depth(&self, index: usize) -> usize {
        self.shards.queue_depth(index)
    }
}
