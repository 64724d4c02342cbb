//! Models of the depot between threads.
//!
//! What a thread does with a cell that it has is a write to the cell's canary, which loom watches: two
//! threads that have the same cell, or one that has it before the other's last write is known to it, fail
//! the model. No batch is lost, and none is found twice. Seen to fail:
//!
//! | change | models that fail |
//! |---|---|
//! | `take` leaves the batch on its shelf | all |
//! | `take` looks, lets go of the lock and takes it again to change the shelf | `two_takers`, `taken_and_given_again` |
//! | `give` does | `made_here_freed_there`, `taken_and_given_again`, `two_givers` |
//! | `give` forgets what it could not shelve | `a_busy_depot` |

use std::alloc::{alloc, dealloc};
use std::ptr::NonNull;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;

use super::{ALIGN, Class, Depot, Free, LARGEST, Shelves};
use crate::loom::sync::Mutex;

/// The largest cells have the smallest batches.
const CLASS: Class = Class(LARGEST / ALIGN - 1);

/// A batch in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Batch(NonNull<Free>);

// SAFETY: memory and no more, whose one owner has the batch.
unsafe impl Send for Batch {}

/// A depot, and all cells that the model has, with their canaries.
struct Model {
    depot: Depot,
    cells: Vec<(NonNull<Free>, UnsafeCell<()>)>,
}

// SAFETY: the cells' addresses are only compared.
unsafe impl Send for Model {}
// SAFETY: as above.
unsafe impl Sync for Model {}

impl Model {
    /// A model with so many batches in hand.
    fn new(batches: usize) -> (Arc<Self>, Vec<Batch>) {
        let mut cells = Vec::new();
        let mut batch = |_| {
            let mut next = None;
            for _ in 0..CLASS.batch() {
                // SAFETY: no class has size 0.
                let cell = NonNull::new(unsafe { alloc(CLASS.layout()) }).expect("memory");
                let cell = cell.cast::<Free>();
                let next_batch = None;
                // SAFETY: new, and large and aligned enough.
                unsafe { cell.write(Free { next, next_batch }) };
                cells.push((cell, UnsafeCell::new(())));
                next = Some(cell);
            }
            Batch(next.expect("a batch is not empty"))
        };
        let batches = (0..batches).map(&mut batch).collect();
        let depot = Depot(Mutex::new(Shelves::EMPTY));
        (Arc::new(Self { depot, cells }), batches)
    }

    /// A model with so many batches in the depot.
    fn with_all_given(batches: usize) -> (Arc<Self>, Vec<Batch>) {
        let (model, batches) = Self::new(batches);
        for batch in &batches {
            assert_eq!(model.give(*batch), None, "nobody else is here");
        }
        (model, batches)
    }

    /// Uses all cells of a batch, as whoever has it may.
    fn touch(&self, batch: Batch) {
        let mut next = Some(batch.0);
        let mut count = 0;
        while let Some(cell) = next {
            let known = self.cells.iter().find(|(known, _)| *known == cell);
            known.expect("one of ours").1.with_mut(|_| ());
            // SAFETY: the caller has the batch.
            next = unsafe { (*cell.as_ptr()).next };
            count += 1;
        }
        assert_eq!(count, CLASS.batch());
    }

    /// Gives a batch away; it comes back if the depot is busy.
    fn give(&self, batch: Batch) -> Option<Batch> {
        self.touch(batch);
        // SAFETY: whole, and the caller's.
        let refused = unsafe { self.depot.give(CLASS, batch.0) };
        refused.map(|(_, batch)| Batch(batch))
    }

    fn take(&self) -> Option<Batch> {
        let batch = Batch(self.depot.take(CLASS)?);
        self.touch(batch);
        Some(batch)
    }

    /// Ends the model: every batch is here, once.
    fn end(&self, batches: Vec<Batch>, in_hand: impl IntoIterator<Item = Option<Batch>>) {
        let mut found: Vec<_> = in_hand.into_iter().flatten().collect();
        found.extend(std::iter::from_fn(|| self.take()));
        found.sort();
        let mut all = batches;
        all.sort();
        assert_eq!(found, all);
        assert_eq!(self.depot.0.lock().len, 0);
        for (cell, _) in &self.cells {
            // SAFETY: all threads are gone.
            unsafe { dealloc(cell.as_ptr().cast(), CLASS.layout()) };
        }
    }
}

#[test]
fn made_here_freed_there() {
    loom::model(|| {
        let (model, batches) = Model::new(2);
        let giver = {
            let (model, batches) = (model.clone(), batches.clone());
            thread::spawn(move || [model.give(batches[0]), model.give(batches[1])])
        };
        let taken = [model.take(), model.take()];
        let kept = giver.join().unwrap();
        model.end(batches, taken.into_iter().chain(kept));
    });
}

#[test]
fn two_takers() {
    loom::model(|| {
        let (model, batches) = Model::with_all_given(2);
        let other = {
            let model = model.clone();
            thread::spawn(move || model.take())
        };
        let taken = model.take();
        let others = other.join().unwrap();
        model.end(batches, [taken, others]);
    });
}

#[test]
fn taken_and_given_again() {
    loom::model(|| {
        let (model, batches) = Model::with_all_given(2);
        let other = {
            let model = model.clone();
            thread::spawn(move || [model.take(), model.take()])
        };
        // What a stack without a lock gets wrong: the top is the same again, what is below it is not.
        let kept = model.take().and_then(|batch| model.give(batch));
        let [first, second] = other.join().unwrap();
        model.end(batches, [kept, first, second]);
    });
}

#[test]
fn two_givers() {
    loom::model(|| {
        let (model, batches) = Model::new(2);
        let other = {
            let (model, batch) = (model.clone(), batches[0]);
            thread::spawn(move || model.give(batch))
        };
        let kept = model.give(batches[1]);
        let others = other.join().unwrap();
        model.end(batches, [kept, others]);
    });
}

#[test]
fn a_busy_depot() {
    loom::model(|| {
        let (model, batches) = Model::new(2);
        assert_eq!(model.give(batches[0]), None, "nobody else is here");
        // loom changes threads only at what it models: at this, with the lock held.
        let midst = Arc::new(AtomicUsize::new(0));
        let other = {
            let (model, midst) = (model.clone(), midst.clone());
            thread::spawn(move || {
                let _busy = model.depot.0.lock();
                midst.fetch_add(1, Relaxed);
                midst.fetch_add(1, Relaxed);
            })
        };
        midst.fetch_add(1, Relaxed);
        let (kept, taken) = (model.give(batches[1]), model.take());
        other.join().unwrap();
        model.end(batches, [kept, taken]);
    });
}
