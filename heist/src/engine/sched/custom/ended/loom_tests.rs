//! C4 by itself: calls that come while the crew ends. The scheduler is a cell, so that loom reports whoever is in it
//! beside the closer.
//!
//! Weakened once, and seen to fail: without the fence in `refuses`; without the fence in `set`; with the release in
//! `ForeignCall`'s drop, or the acquire in `all_ended`, relaxed; with the look at `ended` before the call announces
//! itself.

use crate::engine::sched::custom::ended::Ended;
use crate::engine::sched::foreign::ForeignCalls;
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::thread;

struct Crew {
    calls: ForeignCalls,
    ended: Ended,
    /// A queue for each caller: the scheduler's own locks are none of C4's business.
    queues: Vec<UnsafeCell<usize>>,
    refused: AtomicUsize,
}

// SAFETY: that the cells are used by one thread at a time is what the models are to find out.
unsafe impl Sync for Crew {}

impl Crew {
    fn new(callers: usize) -> Arc<Self> {
        Arc::new(Self {
            calls: ForeignCalls::new(),
            ended: Ended::new(),
            queues: (0..callers).map(|_| UnsafeCell::new(0)).collect(),
            refused: AtomicUsize::new(0),
        })
    }

    /// As `Custom::push_foreign`.
    fn push(&self, caller: usize) {
        let call = self.calls.begin();
        if self.ended.refuses() {
            self.refused.fetch_add(1, Relaxed);
        } else {
            // SAFETY: C4 — the closer is not here before this call has ended.
            self.queues[caller].with_mut(|queue| unsafe { *queue += 1 });
        }
        drop(call);
    }

    /// As `Custom::end_tasks`; what it found.
    fn end(&self) -> usize {
        self.ended.set();
        while !self.calls.all_ended() {
            thread::yield_now();
        }
        let take = |queue: &UnsafeCell<usize>| {
            // SAFETY: C4 — no call is under way, and none that begins gets here.
            queue.with_mut(|queue| unsafe { std::mem::take(&mut *queue) })
        };
        self.queues.iter().map(take).sum()
    }
}

/// Callers that push so often each, beside the closer.
fn race(callers: usize, pushes: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let crew = Crew::new(callers);
        let threads: Vec<_> = (0..callers)
            .map(|caller| {
                let crew = Arc::clone(&crew);
                thread::spawn(move || (0..pushes).for_each(|_| crew.push(caller)))
            })
            .collect();
        let found = crew.end();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(found + crew.refused.load(Relaxed), callers * pushes);
    });
}

#[test]
fn a_call_beside_the_end() {
    race(1, 1);
}

#[test]
fn a_call_after_another() {
    race(1, 2);
}

#[test]
fn two_calls_beside_the_end() {
    race(2, 1);
}
