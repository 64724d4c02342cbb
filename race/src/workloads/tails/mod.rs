//! Delays. Each round gives every delay it saw; the rounds of the sides take turns as in the workloads.

mod bimodal;
mod stall;
mod ticks;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::rt;
use super::{Runtime, multi_thread, on_worker};
use crate::workload::{Tail, TailRound};

pub(super) fn all() -> Vec<Tail> {
    [ticks::TAILS, bimodal::TAILS, stall::TAILS].concat()
}

/// A place for each event's delay, so that noting one takes no lock.
struct Notes(Vec<AtomicU64>);

impl Notes {
    fn new(events: usize) -> Arc<Self> {
        Arc::new(Self((0..events).map(|_| AtomicU64::new(0)).collect()))
    }

    fn note(&self, event: usize, delay: Duration) {
        self.0[event].store(delay.as_nanos() as u64, Ordering::Relaxed);
    }

    fn read(&self) -> Vec<Duration> {
        let nanos = self.0.iter().map(|note| note.load(Ordering::Relaxed));
        nanos.map(Duration::from_nanos).collect()
    }
}
