//! All sleeping tasks of a runtime, so that shutdown finds them.
//!
//! A task that ends at its first poll is never listed: until then it is reachable from the one queue
//! it is in. One that goes to sleep is listed first (T9), in the shard of the worker that polled it:
//! a lock that only this worker takes, but for tasks that end elsewhere.
//!
//! **Shutdown.** [`OwnedTasks::close`] closes each shard, so that later adoptions fail and the
//! adopter cancels the task itself, and marks every listed task as cancelled. Those that were idle
//! come back as runnables: the closer has their run right. The others' run right is in a queue that
//! the closer drains, in the hands of a worker that sees the mark when its poll ends, or on its way
//! into the injector from a foreign thread: so the closer drains until
//! [`is_empty`](OwnedTasks::is_empty), then waits for foreign calls of `schedule` that have not
//! returned yet, and only then lets go of the scheduler (T11). Several may close, one after the other or at once (each
//! worker that leaves does): a shard is closed and its tasks are marked in one critical section, by the first.
//!
//! **Rejected.** *One list, one lock*: every spawn of every worker on one line. *Listing at spawn*:
//! two list operations for the many tasks that end at their first poll. *Lists private to workers,
//! with a stack of departed tasks that ended elsewhere*: saves two uncontended lock operations a
//! task, and keeps the memory of ended tasks until a worker that may sleep or block comes round.
//!
//! **Tested by** `task::loom_tests::shutdown_*`.

use crate::engine::base::cache_padded::CachePadded;
use crate::engine::queue::list::LinkedList;
use crate::engine::task::header::Header;
use crate::engine::task::state::Wake;
use crate::engine::task::{Listed, Runnable, Task};
use crate::loom::sync::Mutex;

/// The runtime shuts down.
#[derive(Debug)]
pub(crate) struct Closed;

/// The lists, one a worker.
#[derive(Debug)]
pub(crate) struct OwnedTasks {
    shards: Box<[CachePadded<Mutex<Shard>>]>,
}

#[derive(Debug)]
struct Shard {
    tasks: LinkedList<Header>,
    closed: bool,
}

impl OwnedTasks {
    pub(crate) fn new(shards: usize) -> Self {
        assert!(
            shards < usize::from(u16::MAX),
            "a task tells its list by 16 bits"
        );
        let shard = || {
            CachePadded::new(Mutex::new(Shard {
                tasks: LinkedList::new(),
                closed: false,
            }))
        };
        Self {
            shards: (0..shards).map(|_| shard()).collect(),
        }
    }

    /// Lists a task that is about to sleep for the first time.
    ///
    /// # Safety
    ///
    /// The caller has the task's run right, and the task is not listed.
    pub(crate) unsafe fn adopt(&self, shard: usize, task: Task) -> Result<(), Closed> {
        let mut list = self.shards[shard].lock();
        if list.closed {
            return Err(Closed);
        }
        // SAFETY: `home` belongs to the run right.
        task.header()
            .home
            .with_mut(|home| unsafe { *home = shard as u16 + 1 });
        // SAFETY: a cell never moves, is in no list (says the caller), and is taken out before it
        // is freed (T9).
        unsafe { list.tasks.push_front(task.0) };
        Ok(())
    }

    /// Takes a task that ends off its list.
    ///
    /// # Safety
    ///
    /// The caller has the task's run right, and the task is listed here.
    pub(crate) unsafe fn release(&self, task: Task) {
        // SAFETY: `home` belongs to the run right.
        let home = task
            .header()
            .home
            .with_mut(|home| std::mem::take(unsafe { &mut *home }));
        let mut list = self.shards[home as usize - 1].lock();
        // SAFETY: `home` names the list it is in.
        unsafe { list.tasks.remove(task.0) };
    }

    /// Refuses new tasks and cancels all listed ones; gives those that were idle to `cancelled`.
    pub(crate) fn close(&self, mut cancelled: impl FnMut(Runnable)) {
        for shard in &self.shards {
            let mut idle = Vec::new();
            {
                let mut list = shard.lock();
                if std::mem::replace(&mut list.closed, true) {
                    // All are marked, and none came since.
                    continue;
                }
                let mut next = list.tasks.front();
                while let Some(node) = next {
                    // A listed task is incomplete, and stays so while we hold the lock (T9).
                    let task = Task(node);
                    if task.header().state.cancel() == Wake::Schedule {
                        idle.push(Runnable(node));
                    }
                    // SAFETY: `node` is in this list, and nothing leaves it while we hold the lock.
                    next = unsafe { list.tasks.next(node) };
                }
            }
            // The last that was listed is the first: they end in the order in which they first slept.
            idle.into_iter().rev().for_each(&mut cancelled);
        }
    }

    /// How many are listed: walks all lists.
    pub(crate) fn len(&self) -> usize {
        let shards = self.shards.iter().map(|shard| {
            let list = shard.lock();
            let mut next = list.tasks.front();
            let mut len = 0;
            while let Some(node) = next {
                len += 1;
                // SAFETY: `node` is in this list, and nothing leaves it while we hold the lock.
                next = unsafe { list.tasks.next(node) };
            }
            len
        });
        shards.sum()
    }

    /// What is listed, task by task; each shard at one moment, and not all at the same.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let mut all = Vec::new();
        for shard in &self.shards {
            let list = shard.lock();
            let mut next = list.tasks.front();
            while let Some(node) = next {
                // A listed task is incomplete, and stays so while we hold the lock (T9).
                all.push(Task(node).describe());
                // SAFETY: `node` is in this list, and nothing leaves it while we hold the lock.
                next = unsafe { list.tasks.next(node) };
            }
        }
        all
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shards
            .iter()
            .all(|shard| shard.lock().tasks.is_empty())
    }
}
