//! The short wait before the sleep.
//!
//! Sleeping and being woken costs some microseconds on both sides. A thread that has just become
//! idle therefore looks at its bell for about as long as that: at worst it wastes what a sleep
//! would have cost. Three guards keep the waste down:
//!
//! * one thread at a time spins (it is the top of the idle stack, so the next claim is its own);
//! * none spins while the pool has more threads awake than the machine has cores;
//! * a spin that finds nothing lowers the [`patience`](Spin::patience), one that is rung restores
//!   it; at zero, only every [`PROBE`]th nap tries again.
//!
//! The words are hints: relaxed, and nothing is ordered by them.

use std::time::{Duration, Instant};

use crate::engine::base::parker::Parker;
use crate::loom::hint;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::sync::atomic::{AtomicBool, AtomicU32};

/// Misses in a row after which spinning stops.
const PATIENCE: u32 = 4;
/// Naps without a spin after which it is tried once.
const PROBE: u32 = 64;
/// Looks at the bell between two looks at the clock.
const LOOKS: u32 = 8;

#[derive(Debug)]
pub(super) struct Spin {
    limit: Duration,
    cores: usize,
    /// A thread spins.
    taken: AtomicBool,
    patience: AtomicU32,
    /// Naps without a spin since the last one with.
    skipped: AtomicU32,
}

impl Spin {
    pub(super) fn new(limit: Duration, cores: usize) -> Self {
        Self {
            limit,
            cores,
            taken: AtomicBool::new(false),
            patience: AtomicU32::new(PATIENCE),
            skipped: AtomicU32::new(0),
        }
    }

    /// Waits a little for the bell; true if it rang. `awake` counts the pool's threads that are
    /// not idle.
    pub(super) fn wait(&self, bell: &Parker, awake: usize) -> bool {
        if self.limit.is_zero() || awake >= self.cores || !self.is_worth_it() {
            return false;
        }
        if self.taken.load(Relaxed) || self.taken.swap(true, Relaxed) {
            return false;
        }
        let rang = self.look(bell);
        self.taken.store(false, Relaxed);
        if rang {
            self.patience.store(PATIENCE, Relaxed);
        } else {
            let patience = self.patience.load(Relaxed);
            self.patience.store(patience.saturating_sub(1), Relaxed);
        }
        rang
    }

    fn is_worth_it(&self) -> bool {
        if self.patience.load(Relaxed) > 0 {
            return true;
        }
        let skipped = self.skipped.load(Relaxed) + 1;
        self.skipped.store(skipped % PROBE, Relaxed);
        skipped == PROBE
    }

    fn look(&self, bell: &Parker) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..LOOKS {
                if bell.try_consume() {
                    return true;
                }
                hint::spin_loop();
            }
            if start.elapsed() >= self.limit {
                return false;
            }
        }
    }
}
