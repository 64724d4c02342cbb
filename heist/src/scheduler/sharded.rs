//! A thread per core, and tasks that stay on it.

use crate::engine::sched::affinity;
use crate::scheduler::shards::{Own, Shards, tag_of};
use crate::scheduler::{Cause, Runnable, Scheduler, Tell, Turn};

/// Each worker is a shard of its own: a task runs on the worker on which it was spawned, always.
///
/// * What is spawned on a worker stays there; what is spawned from outside is dealt in turn;
///   [`spawn_on`](crate::scheduler::spawn_on) names the worker.
/// * A worker's queue is a plain one, as nobody else looks into it: a wake within a shard costs no atomic operation
///   for the queue. Tasks run in the order in which they became runnable, so that one that many talk to gets their
///   messages by the dozen. Only where tasks talk to each other, it is left for some turns: of two, the answer is run
///   next; and who has asked many is run when the last of them has had its turn, and they when it asks again. A wake
///   from another shard costs one compare-and-swap, and the waking of that one worker if it sleeps.
/// * [`spawn_local`](crate::task::spawn_local) works on each worker: tasks that are not `Send`, such as those with an
///   `Rc` that all tasks of a shard share.
/// * [`block_in_place`](crate::task::block_in_place) blocks the whole shard; use
///   [`spawn_blocking`](crate::task::spawn_blocking).
/// * [`pin_to_cores`](Self::pin_to_cores) binds each worker to a core.
///
/// **When to take it.** When the work can be divided so that tasks mostly talk to those of the same shard, and the
/// shards have about equally much to do: sessions, partitions of a store, one accept loop a core. An idle
/// worker does not help a busy one: with uneven work, [`WorkStealing`](crate::scheduler::WorkStealing) is better.
///
/// ```
/// use std::cell::Cell;
/// use std::rc::Rc;
/// use heist::runtime::Builder;
/// use heist::scheduler::{self, Sharded};
/// use heist::task::spawn_local;
///
/// let runtime = Builder::new_multi_thread()
///     .worker_threads(2)
///     .scheduler(|workers| Sharded::new(workers).pin_to_cores(true))
///     .build()
///     .unwrap();
///
/// let total = runtime.handle().spawn_on(1, async {
///     assert_eq!(scheduler::current_worker(), Some(1));
///     // All of this happens on worker 1, so it can share without locks.
///     spawn_local(async {
///         let total = Rc::new(Cell::new(0));
///         let tasks: Vec<_> = (1..=4)
///             .map(|n| {
///                 let total = Rc::clone(&total);
///                 spawn_local(async move { total.set(total.get() + n) })
///             })
///             .collect();
///         for task in tasks {
///             task.await.unwrap();
///         }
///         total.get()
///     })
///     .await
///     .unwrap()
/// });
/// assert_eq!(runtime.block_on(total).unwrap(), 10);
/// ```
#[derive(Debug)]
pub struct Sharded {
    shards: Shards,
    pin: bool,
}

impl Sharded {
    /// For a runtime with `workers` workers.
    #[inline]
    pub fn new(workers: usize) -> Self {
        Self {
            shards: Shards::new(workers),
            pin: false,
        }
    }

    /// Whether each worker is bound to one core: worker 0 to the first that the process may use, and so on. Not by
    /// default: it pays if the machine does nothing else, and costs if it does. Only on Linux; where the system
    /// refuses, workers are not bound.
    #[must_use]
    #[inline]
    pub fn pin_to_cores(mut self, pin: bool) -> Self {
        self.pin = pin;
        self
    }
}

impl Scheduler for Sharded {
    type Worker = Own;

    #[inline]
    fn worker(&self, index: usize) -> Own {
        self.shards.own(index)
    }

    #[inline]
    fn push(&self, mut task: Runnable, cause: Cause, worker: Option<&mut Own>) -> Tell {
        if task.tag() == 0 {
            let tag = match &worker {
                Some(own) => own.tag,
                None => tag_of(self.shards.deal()),
            };
            task.set_tag(tag);
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

    #[inline]
    fn on_start(&self, index: usize) {
        if self.pin {
            let _ = affinity::pin(index);
        }
    }

    #[inline]
    fn keeps_tasks(&self) -> bool {
        true
    }
}
