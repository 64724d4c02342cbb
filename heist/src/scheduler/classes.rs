//! Classes of tasks, with weights.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::engine::base::cache_padded::CachePadded;
use crate::scheduler::{self, Cause, Runnable, Scheduler, Tell, Turn};
use crate::task::JoinHandle;

/// The class of a task, for [`Classes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Class {
    /// What is not said to be anything else.
    #[default]
    Normal = 0,
    /// Short turns that must come soon: requests, heartbeats.
    Latency = 1,
    /// Long turns that can wait: computing, compressing.
    Batch = 2,
}

impl Class {
    /// Spawns a task of this class: [`spawn_tagged`](crate::scheduler::spawn_tagged) with the class as the tag. With
    /// another strategy than [`Classes`] it is [`spawn`](crate::spawn).
    ///
    /// A class is not inherited: what a task spawns is [`Normal`](Self::Normal) if it does not say.
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        scheduler::spawn_tagged(self as u16, future)
    }

    /// Makes the task in which this is called one of this class, from its next turn on.
    ///
    /// # Panics
    ///
    /// Outside of a task.
    #[track_caller]
    #[inline]
    pub fn enter(self) {
        scheduler::set_tag(self as u16);
    }

    #[inline]
    fn of(task: &Runnable) -> Self {
        match task.tag() {
            1 => Self::Latency,
            2 => Self::Batch,
            _ => Self::Normal,
        }
    }
}

/// In the order in which they are looked at.
const BY_RANK: [Class; 3] = [Class::Latency, Class::Normal, Class::Batch];

/// Latency, normal and batch tasks, which get turns by weight: 16 to 4 to 1 by default.
///
/// While tasks of all classes wait, a worker runs 16 of [`Class::Latency`], then 4 of [`Class::Normal`], then one of
/// [`Class::Batch`]. A class that has nothing leaves its turns to the others, and none starves. So a latency task waits
/// for at most the turn that is under way, one batch turn and 4 normal ones, however many batch tasks are queued.
///
/// * Latency tasks are in one queue for all workers: whichever is the first to finish a turn takes them.
/// * Normal and batch tasks are queued on the worker where they became runnable; an idle worker takes half of
///   another's.
/// * After each batch turn the worker looks at I/O and timers: what a latency task waits for is seen at once.
///
/// A turn that is under way is not interrupted: a batch task should yield from time to time,
/// or be given to [`spawn_blocking`](crate::task::spawn_blocking).
///
/// **When to take it.** When requests that must be answered soon share the process with work that takes long, and one
/// knows which is which.
///
/// ```
/// use heist::runtime::Builder;
/// use heist::scheduler::{Class, Classes};
///
/// let runtime = Builder::new_multi_thread()
///     .scheduler(|workers| Classes::new(workers).weights(32, 4, 1))
///     .build()
///     .unwrap();
/// runtime.block_on(async {
///     let index = Class::Batch.spawn(async {
///         // … much work, with a `yield_now` now and then
///     });
///     let answer = Class::Latency.spawn(async { "at once" });
///     assert_eq!(answer.await.unwrap(), "at once");
///     index.await.unwrap();
/// });
/// ```
pub struct Classes {
    /// One for each worker, and a last one for all: latency tasks, and what comes from outside.
    shelves: Box<[CachePadded<Shelf>]>,
    weights: [u32; 3],
}

/// A queue for each class.
#[derive(Default)]
struct Shelf {
    queues: Mutex<[VecDeque<Runnable>; 3]>,
    /// Their lengths, to be read without the lock.
    lens: [AtomicUsize; 3],
}

impl Shelf {
    #[inline]
    fn len(&self, class: Class) -> usize {
        // Relaxed: the runtime has put a fence between the push and our look, or it will be told.
        self.lens[class as usize].load(Ordering::Relaxed)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        BY_RANK.iter().all(|&class| self.len(class) == 0)
    }

    fn with<R>(&self, class: Class, f: impl FnOnce(&mut VecDeque<Runnable>) -> R) -> R {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = &mut queues[class as usize];
        let result = f(queue);
        self.lens[class as usize].store(queue.len(), Ordering::Relaxed);
        result
    }

    #[inline]
    fn pop(&self, class: Class) -> Option<Runnable> {
        if self.len(class) == 0 {
            return None;
        }
        self.with(class, VecDeque::pop_front)
    }
}

/// What a worker has for itself.
#[derive(Debug)]
pub struct Credits {
    index: usize,
    /// How many turns of each class are left before the others have theirs.
    left: [u32; 3],
}

impl Classes {
    /// For a runtime with `workers` workers, with weights 16, 4 and 1.
    #[inline]
    pub fn new(workers: usize) -> Self {
        Self {
            shelves: (0..=workers).map(|_| CachePadded::default()).collect(),
            weights: [4, 16, 1],
        }
    }

    /// How many turns each class gets while the others wait.
    ///
    /// # Panics
    ///
    /// If one is 0, which would starve a class.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn weights(mut self, latency: u32, normal: u32, batch: u32) -> Self {
        assert!(
            latency > 0 && normal > 0 && batch > 0,
            "a class without turns would starve"
        );
        self.weights = [normal, latency, batch];
        self
    }

    #[inline]
    fn common(&self) -> &Shelf {
        &self.shelves[self.shelves.len() - 1]
    }

    /// Of a class, from the worker's own queue or the common one, in turn.
    #[inline]
    fn pop(&self, index: usize, class: Class, tick: u32) -> Option<Runnable> {
        let (own, common) = (&self.shelves[index], self.common());
        if tick.is_multiple_of(2) {
            own.pop(class).or_else(|| common.pop(class))
        } else {
            common.pop(class).or_else(|| own.pop(class))
        }
    }
}

impl Scheduler for Classes {
    type Worker = Credits;

    #[inline]
    fn worker(&self, index: usize) -> Credits {
        Credits {
            index,
            left: self.weights,
        }
    }

    #[inline]
    fn push(&self, task: Runnable, _: Cause, worker: Option<&mut Credits>) -> Tell {
        let class = Class::of(&task);
        match worker {
            Some(own) if class != Class::Latency => {
                let shelf = &self.shelves[own.index];
                let first = shelf.is_empty();
                shelf.with(class, |queue| queue.push_back(task));
                // The only one is next on this worker: no reason to wake another.
                if first { Tell::Nobody } else { Tell::Anyone }
            }
            _ => {
                self.common().with(class, |queue| queue.push_back(task));
                Tell::Anyone
            }
        }
    }

    #[inline]
    fn next(&self, own: &mut Credits, turn: &mut Turn<'_>) -> Option<Runnable> {
        // Twice: when all who have turns left have nothing, everybody gets new ones.
        for _ in 0..2 {
            for class in BY_RANK {
                let left = &mut own.left[class as usize];
                if *left == 0 {
                    continue;
                }
                if let Some(task) = self.pop(own.index, class, turn.tick()) {
                    *left -= 1;
                    if class == Class::Batch {
                        turn.look_at_drivers();
                    }
                    return Some(task);
                }
            }
            own.left = self.weights;
        }
        None
    }

    #[inline]
    fn steal(&self, own: &mut Credits, turn: &mut Turn<'_>) -> Option<Runnable> {
        let workers = self.shelves.len() - 1;
        for class in BY_RANK {
            for i in 1..workers {
                let victim = &self.shelves[(own.index + i) % workers];
                if victim.len(class) == 0 {
                    continue;
                }
                let mut taken = victim.with(class, |queue| {
                    let half = queue.len().div_ceil(2);
                    queue.drain(..half).collect::<VecDeque<_>>()
                });
                let Some(first) = taken.pop_front() else {
                    continue;
                };
                self.shelves[own.index].with(class, |queue| queue.append(&mut taken));
                if class == Class::Batch {
                    turn.look_at_drivers();
                }
                return Some(first);
            }
        }
        None
    }

    #[inline]
    fn has_work(&self, own: &Credits) -> bool {
        !self.shelves[own.index].is_empty() || !self.common().is_empty()
    }

    #[inline]
    fn has_shared_work(&self) -> bool {
        self.shelves.iter().any(|shelf| !shelf.is_empty())
    }

    #[inline]
    fn queue_depth(&self, index: usize) -> usize {
        let shelf = &self.shelves[index];
        BY_RANK.iter().map(|&class| shelf.len(class)).sum()
    }
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classes")
            .field("workers", &(self.shelves.len() - 1))
            .field("weights", &self.weights)
            .finish_non_exhaustive()
    }
}
