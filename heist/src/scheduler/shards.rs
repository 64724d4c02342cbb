//! Queues of workers that keep their tasks: what [`RoundRobin`](super::RoundRobin) and [`Sharded`](super::Sharded)
//! share.
//!
//! **What.** A task's home is a worker: its index plus one is the task's tag, 0 if it has none yet. At home a task waits
//! in a queue that no other thread sees; from elsewhere it comes through an [`Inbox`].
//!
//! **Order.** Tasks wait in the order in which they became runnable, so that one that many talk to finds many messages
//! at its turn. One exception: where a turn made a single task runnable, and was itself due to such a turn, it is a
//! conversation, and the answer is run next, while what was said is in the cache ([`Turn::goes_on`]). Turns that made
//! several runnable, and the turns of those, take the queue.
//!
//! **Rejected.** *What was woken last is next*, as in the default: the first of sixteen answers is handled
//! alone, and so is each of the others; twice as many polls where one asks many. *The queue alone*: where two
//! talk, each message finds the cache with what fifty others said (a fifth slower).

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

use crate::engine::base::counters::Counter;
use crate::scheduler::{Cause, Inbox, Runnable, Tell, Turn};

/// How many answers may be run one after another before the queue has its turn.
const IN_A_ROW: u32 = 3;
/// How many turns a worker takes from its own queue before it looks at its inbox.
const INBOX_INTERVAL: u32 = 31;

/// All workers' inboxes.
pub(super) struct Shards {
    shards: Box<[Shard]>,
    /// Whose turn it is to be dealt a task.
    turn: AtomicUsize,
}

struct Shard {
    inbox: Inbox,
    /// How many tasks are in its [`Own`], which is the one to write it.
    queued: CachePadded<Counter>,
}

/// What a worker has for itself.
pub struct Own {
    pub(super) index: usize,
    queue: VecDeque<Queued>,
    /// The only task that this turn has made runnable.
    only: Option<Runnable>,
    /// Whether this turn has made several runnable.
    several: bool,
    /// Whether the task whose turn it is was made runnable alone.
    alone: bool,
    /// How many turns in a row did not come out of the queue.
    in_a_row: u32,
}

struct Queued {
    task: Runnable,
    /// Whether no other was made runnable in the same turn.
    alone: bool,
}

impl Shards {
    pub(super) fn new(workers: usize) -> Self {
        let shard = |_| Shard {
            inbox: Inbox::new(),
            queued: CachePadded::default(),
        };
        Self {
            shards: (0..workers).map(shard).collect(),
            turn: AtomicUsize::new(0),
        }
    }

    /// The next worker in turn.
    pub(super) fn deal(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed) % self.shards.len()
    }

    /// Pushes `task`, which has a home, there.
    #[inline(always)]
    pub(super) fn push(&self, task: Runnable, cause: Cause, worker: Option<&mut Own>) -> Tell {
        let mut home = task.tag() as usize - 1;
        if home >= self.shards.len() {
            // Only if a user gave the tag: a division takes longer than all the rest here.
            home %= self.shards.len();
        }
        match worker {
            Some(own) if own.index == home => {
                self.shards[home].queued.add(1);
                own.push(task, cause);
                Tell::Nobody
            }
            _ => self.send(task, home),
        }
    }

    #[cold]
    fn send(&self, task: Runnable, home: usize) -> Tell {
        // Later pushes ride on the first: the worker that is told takes them all.
        self.shards[home].inbox.push(task);
        Tell::Worker(home)
    }

    /// What is next for the worker of `own`.
    #[inline]
    pub(super) fn next(&self, own: &mut Own, turn: &mut Turn<'_>) -> Option<Runnable> {
        let shard = &self.shards[own.index];
        own.several = false;
        let task = match own.only.take() {
            Some(task) if own.alone && own.in_a_row < IN_A_ROW => {
                own.in_a_row += 1;
                turn.goes_on();
                task
            }
            only => {
                if let Some(task) = only {
                    own.enqueue(task, true);
                }
                own.in_a_row = 0;
                if turn.tick().is_multiple_of(INBOX_INTERVAL) || own.queue.is_empty() {
                    shard.open(own);
                }
                let Queued { task, alone } = own.queue.pop_front()?;
                own.alone = alone;
                task
            }
        };
        shard.queued.set(shard.queued.get() - 1);
        Some(task)
    }

    pub(super) fn has_work(&self, own: &Own) -> bool {
        own.len() > 0 || !self.shards[own.index].inbox.is_empty()
    }

    pub(super) fn queue_depth(&self, index: usize) -> usize {
        self.shards[index].queued.get() as usize
    }
}

impl Shard {
    /// Takes what others have sent.
    fn open(&self, own: &mut Own) {
        if self.inbox.is_empty() {
            return;
        }
        let taken = self.inbox.take_all();
        let count = taken.size_hint().0;
        for task in taken {
            own.enqueue(task, count == 1);
        }
        self.queued.add(count as u64);
    }
}

impl Own {
    pub(super) fn new(index: usize) -> Self {
        Self {
            index,
            queue: VecDeque::new(),
            only: None,
            several: false,
            alone: true,
            in_a_row: 0,
        }
    }

    #[inline]
    fn push(&mut self, task: Runnable, cause: Cause) {
        if cause == Cause::Yielded {
            return self.enqueue(task, true);
        }
        if !self.several {
            match self.only.take() {
                None => {
                    self.only = Some(task);
                    return;
                }
                Some(first) => {
                    self.several = true;
                    self.enqueue(first, false);
                }
            }
        }
        self.enqueue(task, false);
    }

    #[inline]
    fn enqueue(&mut self, task: Runnable, alone: bool) {
        self.queue.push_back(Queued { task, alone });
    }

    fn len(&self) -> usize {
        usize::from(self.only.is_some()) + self.queue.len()
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inboxes = self.shards.iter().map(|shard| &shard.inbox);
        f.debug_list().entries(inboxes).finish()
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own")
            .field("index", &self.index)
            .field("queued", &self.len())
            .finish()
    }
}
