//! Tasks dealt to the workers in turn.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::scheduler::{Cause, Inbox, Runnable, Scheduler, Tell, Turn};

/// Deals new tasks to the workers in turn; a task stays on the worker it was dealt to.
///
/// Each worker has as many tasks as any other, and none takes from another: a worker whose tasks
/// happen to be the busy ones has more to do.
///
/// **When to take it.** For many long-lived tasks that are alike, such as connections: they are spread evenly from
/// the first moment, their data stays in one core's cache, and no time is spent on looking at others' queues.
pub struct RoundRobin {
    inboxes: Box<[Inbox]>,
    /// Whose turn it is to be dealt a task.
    turn: AtomicUsize,
}

/// What a worker of [`RoundRobin`] or [`Sharded`](crate::scheduler::Sharded) has for itself.
pub struct Own {
    pub(super) index: usize,
    pub(super) queue: VecDeque<Runnable>,
    /// What was woken last, and is run next: it and who woke it have their data in the cache.
    pub(super) slot: Option<Runnable>,
    /// How many were run out of the slot in a row.
    pub(super) slot_runs: u32,
}

impl RoundRobin {
    /// For a runtime with `workers` workers.
    pub fn new(workers: usize) -> Self {
        Self {
            inboxes: (0..workers).map(|_| Inbox::new()).collect(),
            turn: AtomicUsize::new(0),
        }
    }
}

/// Pushes `task` where it belongs: its worker's index plus one is its tag.
#[inline]
pub(super) fn push_home(
    inboxes: &[Inbox],
    task: Runnable,
    cause: Cause,
    worker: Option<&mut Own>,
) -> Tell {
    let home = (task.tag() as usize - 1) % inboxes.len();
    match worker {
        Some(own) if own.index == home => {
            own.push(task, cause);
            Tell::Nobody
        }
        // Later pushes ride on the first: the worker that is told takes them all.
        _ => {
            inboxes[home].push(task);
            Tell::Worker(home)
        }
    }
}

/// How many tasks may be run out of the slot in a row, before the queue has its turn.
const SLOT_RUNS: u32 = 3;
/// How many turns a worker takes from its own queue before it looks at its inbox.
const INBOX_INTERVAL: u32 = 31;

/// What is next for the worker of `own`, whose inbox is `inbox`.
#[inline]
pub(super) fn next_own(inbox: &Inbox, own: &mut Own, turn: &Turn<'_>) -> Option<Runnable> {
    if own.slot.is_some() && own.slot_runs < SLOT_RUNS {
        own.slot_runs += 1;
        return own.slot.take();
    }
    own.slot_runs = 0;
    if !turn.tick().is_multiple_of(INBOX_INTERVAL)
        && let Some(task) = own.queue.pop_front()
    {
        return Some(task);
    }
    if !inbox.is_empty() {
        own.queue.extend(inbox.take_all());
    }
    own.queue.pop_front().or_else(|| own.slot.take())
}

impl Scheduler for RoundRobin {
    type Worker = Own;

    fn worker(&self, index: usize) -> Own {
        Own::new(index)
    }

    fn push(&self, mut task: Runnable, cause: Cause, worker: Option<&mut Own>) -> Tell {
        if task.tag() == 0 {
            let home = self.turn.fetch_add(1, Ordering::Relaxed) % self.inboxes.len();
            task.set_tag(home as u16 + 1);
        }
        push_home(&self.inboxes, task, cause, worker)
    }

    fn next(&self, own: &mut Own, turn: &mut Turn<'_>) -> Option<Runnable> {
        next_own(&self.inboxes[own.index], own, turn)
    }

    fn has_work(&self, own: &Own) -> bool {
        own.has_work() || !self.inboxes[own.index].is_empty()
    }
}

impl Own {
    pub(super) fn new(index: usize) -> Self {
        Self {
            index,
            queue: VecDeque::new(),
            slot: None,
            slot_runs: 0,
        }
    }
}

impl Own {
    #[inline]
    fn push(&mut self, task: Runnable, cause: Cause) {
        if cause != Cause::Woken {
            self.queue.push_back(task);
        } else if let Some(displaced) = self.slot.replace(task) {
            self.queue.push_back(displaced);
        }
    }

    pub(super) fn has_work(&self) -> bool {
        self.slot.is_some() || !self.queue.is_empty()
    }
}

impl fmt::Debug for RoundRobin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundRobin")
            .field("inboxes", &self.inboxes)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own")
            .field("index", &self.index)
            .field("queued", &self.queue.len())
            .finish()
    }
}
