//! Queues of workers that keep their tasks: what [`RoundRobin`](super::RoundRobin) and [`Sharded`](super::Sharded)
//! share.
//!
//! **What.** A task's home is a worker: its index plus one is the task's tag, 0 if it has none yet. At home a task waits
//! in a queue that no other thread sees; from elsewhere it comes through an [`Inbox`].
//!
//! **Order.** Tasks wait in the order in which they became runnable, so that one that many talk to finds many messages
//! at its turn. What one turn made runnable is a *batch*. Three exceptions, for tasks that talk to each other:
//!
//! * An *answer*: where a turn made a single task runnable, and was itself due to such a turn, two are in a
//!   conversation, and the other is run next, while what was said is in the cache ([`Turn::goes_on`]).
//! * A *gatherer*: where a turn of a batch made a single task runnable, that is run when the batch has ended, and not
//!   behind all that was queued meanwhile. Most often it is who asked them all: it finds all answers, and them
//!   and their channels in the cache when it asks again.
//! * An *encore*: the batch that a gatherer made runnable is run next, as an answer is, while the questions are in the
//!   cache.
//!
//! All are limited: of answers and of encores there are [`IN_A_ROW`] before the queue has its turn, in an encore are no
//! more than [`ENCORE`] tasks, and of gatherers there are no more than [`GATHERERS`]. All other batches of more than
//! one take the queue, and so does all that is beyond these limits: nobody waits for ever. Who is first in the queue
//! waits for `IN_A_ROW * ENCORE` turns of encores at most, and those of the gatherers and answers between them.
//!
//! **Rejected.** *What was woken last is next*, as in the default: the first of sixteen answers is handled
//! alone, and so is each of the others; twice as many polls where one asks many. *The queue alone*: where two
//! talk, each message finds the cache with what fifty others said (a fifth slower); and where one asks many, it
//! comes when all others have answered too, and has lost its own out of the cache (8.5 misses a message, with ten
//! that ask sixteen each and 32 KiB; 5.2 with gatherers, 1.5 with encores).

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::engine::base::cache_padded::CachePadded;
use crate::engine::base::counters::Counter;
use crate::scheduler::{Cause, Inbox, Runnable, Tell, Turn};

/// How many answers, and how many encores, may be run one after another before the queue has its turn.
const IN_A_ROW: u32 = 3;
/// How many tasks may be run between a batch and the rest of the queue.
const GATHERERS: usize = 4;
/// How many tasks there may be in an encore.
const ENCORE: usize = 32;
/// How many turns a worker takes from its own queue before it looks at its inbox.
const INBOX_INTERVAL: u32 = 31;

/// All workers' inboxes.
pub(super) struct Shards {
    shards: Box<[Arc<Shard>]>,
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
    /// The worker's own, at hand.
    shard: Arc<Shard>,
    /// The tag of tasks that are at home here.
    pub(super) tag: u16,
    /// How many turns are left until it looks at its inbox; never 0.
    until_inbox: u32,
    /// Batch by batch: the last one in it is the last of its batch, unless this turn is just making them runnable.
    queue: VecDeque<Queued>,
    /// Tasks to be run when the batch has ended.
    gatherers: VecDeque<Runnable>,
    /// The rest of the encore that is run now, or the one that this turn is just making runnable.
    encore: VecDeque<Runnable>,
    /// Whether the batch that this turn makes runnable is an encore.
    to_encore: bool,
    /// How many encores there were since the queue had its turn.
    encores: u32,
    /// The only task that this turn has made runnable. None if it has made several so.
    only: Option<Runnable>,
    /// Whether this turn has made several runnable.
    several: bool,
    /// Whether the task whose turn it is was made runnable alone: its batch is itself.
    alone: bool,
    /// Whether what came out of the queue last was the last of its batch.
    ended: bool,
    /// How many answers were run in a row.
    in_a_row: u32,
}

struct Queued {
    task: Runnable,
    /// Whether it is the last of its batch.
    last: bool,
}

impl Shards {
    #[inline]
    pub(super) fn new(workers: usize) -> Self {
        let shard = |_| {
            Arc::new(Shard {
                inbox: Inbox::new(),
                queued: CachePadded::default(),
            })
        };
        Self {
            shards: (0..workers).map(shard).collect(),
            turn: AtomicUsize::new(0),
        }
    }

    /// The next worker in turn.
    #[inline]
    pub(super) fn deal(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed) % self.shards.len()
    }

    /// What worker `index` has for itself.
    #[inline]
    pub(super) fn own(&self, index: usize) -> Own {
        Own {
            shard: Arc::clone(&self.shards[index]),
            tag: tag_of(index),
            until_inbox: INBOX_INTERVAL,
            queue: VecDeque::new(),
            gatherers: VecDeque::with_capacity(GATHERERS),
            encore: VecDeque::with_capacity(ENCORE),
            to_encore: false,
            encores: 0,
            only: None,
            several: false,
            alone: true,
            ended: true,
            in_a_row: 0,
        }
    }

    /// Pushes `task`, which has a home, there.
    #[inline(always)]
    pub(super) fn push(&self, task: Runnable, cause: Cause, worker: Option<&mut Own>) -> Tell {
        match worker {
            Some(own) if own.tag == task.tag() => own.push(task, cause),
            worker => self.send(task, cause, worker),
        }
    }

    /// Pushes `task`, whose tag is not that of `worker`.
    #[cold]
    #[inline]
    fn send(&self, task: Runnable, cause: Cause, worker: Option<&mut Own>) -> Tell {
        // Beyond the last worker only if a user gave the tag.
        let home = (task.tag() as usize - 1) % self.shards.len();
        match worker {
            Some(own) if own.tag == tag_of(home) => own.push(task, cause),
            _ => {
                // Later pushes ride on the first: the worker that is told takes them all.
                self.shards[home].inbox.push(task);
                Tell::Worker(home)
            }
        }
    }

    /// What is next for the worker of `own`.
    #[inline(always)]
    pub(super) fn next(&self, own: &mut Own, turn: &mut Turn<'_>) -> Option<Runnable> {
        let task = match own.end_turn() {
            Some(answer) => {
                turn.goes_on();
                answer
            }
            None => own.next_in_line()?,
        };
        let queued = &own.shard.queued;
        queued.set(queued.get() - 1);
        Some(task)
    }

    #[inline]
    pub(super) fn has_work(&self, own: &Own) -> bool {
        own.len() > 0 || !own.shard.inbox.is_empty()
    }

    #[inline]
    pub(super) fn queue_depth(&self, index: usize) -> usize {
        self.shards[index].queued.get() as usize
    }
}

/// The tag of tasks that are at home on worker `index`.
pub(super) fn tag_of(index: usize) -> u16 {
    index as u16 + 1
}

impl Own {
    /// Takes what others have sent.
    #[cold]
    #[inline]
    fn open_inbox(&mut self) {
        self.until_inbox = INBOX_INTERVAL;
        if self.shard.inbox.is_empty() {
            return;
        }
        let taken = self.shard.inbox.take_all();
        let count = taken.size_hint().0;
        for task in taken {
            self.enqueue(task, false);
        }
        self.end_batch();
        self.shard.queued.add(count as u64);
    }

    /// Files what a turn made runnable, unless it is an answer, which is next.
    #[inline(always)]
    fn end_turn(&mut self) -> Option<Runnable> {
        if let Some(task) = self.only.take() {
            if self.alone && self.in_a_row < IN_A_ROW {
                self.in_a_row += 1;
                return Some(task);
            }
            if !self.alone && self.gatherers.len() < GATHERERS {
                self.gatherers.push_back(task);
            } else {
                self.enqueue(task, true);
            }
        } else if self.several {
            self.end_several();
        }
        None
    }

    /// The batch that this turn made runnable is complete.
    #[inline]
    fn end_several(&mut self) {
        self.several = false;
        self.encores += u32::from(self.to_encore);
        self.end_batch();
    }

    /// What is next, if it is no answer.
    #[inline(always)]
    fn next_in_line(&mut self) -> Option<Runnable> {
        self.in_a_row = 0;
        self.until_inbox -= 1;
        if self.until_inbox == 0 {
            self.open_inbox();
        }
        if let Some(task) = self.encore.pop_front() {
            self.alone = false;
            self.to_encore = false;
            self.ended = self.encore.is_empty();
            return Some(task);
        }
        if self.ended
            && let Some(task) = self.gatherers.pop_front()
        {
            self.alone = true;
            self.to_encore = self.encores < IN_A_ROW;
            return Some(task);
        }
        self.to_encore = false;
        self.encores = 0;
        if self.queue.is_empty() {
            self.open_inbox();
        }
        let Queued { task, last } = self.queue.pop_front()?;
        self.alone = self.ended && last;
        self.ended = last;
        if let Some(next) = self.queue.front() {
            next.task.prefetch();
        }
        Some(task)
    }

    /// Pushes `task`, which is at home here.
    #[inline(always)]
    fn push(&mut self, task: Runnable, cause: Cause) -> Tell {
        self.shard.queued.add(1);
        if cause == Cause::Yielded {
            if self.several {
                self.end_several();
            }
            self.enqueue(task, true);
        } else if self.several {
            self.join(task);
        } else if let Some(first) = self.only.take() {
            self.several = true;
            self.join(first);
            self.join(task);
        } else {
            self.only = Some(task);
        }
        Tell::Nobody
    }

    /// Puts `task` into the batch that this turn is making runnable.
    #[inline]
    fn join(&mut self, task: Runnable) {
        if self.to_encore && self.encore.len() < ENCORE {
            self.encore.push_back(task);
        } else {
            self.enqueue(task, false);
        }
    }

    #[inline]
    fn enqueue(&mut self, task: Runnable, last: bool) {
        self.queue.push_back(Queued { task, last });
    }

    /// What is queued from here on is another batch.
    #[inline]
    fn end_batch(&mut self) {
        if let Some(last) = self.queue.back_mut() {
            last.last = true;
        }
    }

    #[inline]
    fn len(&self) -> usize {
        let only = usize::from(self.only.is_some());
        only + self.gatherers.len() + self.encore.len() + self.queue.len()
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
            .field("tag", &self.tag)
            .field("queued", &self.len())
            .finish()
    }
}
