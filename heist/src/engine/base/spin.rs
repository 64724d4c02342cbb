//! The short wait before the sleep.
//!
//! Sleeping and being woken costs some microseconds on both sides. A thread that has just become
//! idle therefore looks around for about as long as that: at worst it wastes what a sleep would have
//! cost. Three guards keep the waste down:
//!
//! * one thread at a time spins;
//! * none spins while there are as many threads awake as the machine has cores;
//! * a spin that pays raises the [`patience`](Spin::patience), one that does not lowers it; at zero,
//!   only every [`PROBE`]th wait tries. So it goes on only while it pays at least every other time.
//!
//! The words are hints: relaxed, and nothing is ordered by them.

use std::time::{Duration, Instant};

use crate::loom::hint;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::sync::atomic::{AtomicBool, AtomicU32};

/// The most [`patience`](Spin::patience) there is.
const PATIENCE: u32 = 4;
/// Waits without a spin after which it is tried once.
const PROBE: u32 = 64;
/// Looks between two looks at the clock.
const LOOKS: u32 = 8;

#[derive(Debug)]
pub(crate) struct Spin {
    limit: Duration,
    cores: usize,
    /// A thread spins.
    taken: AtomicBool,
    patience: AtomicU32,
    /// Waits without a spin since the last one with.
    skipped: AtomicU32,
}

impl Spin {
    pub(crate) fn new(limit: Duration, cores: usize) -> Self {
        Self {
            limit,
            cores,
            taken: AtomicBool::new(false),
            patience: AtomicU32::new(PATIENCE),
            skipped: AtomicU32::new(0),
        }
    }

    /// Looks for a little while; true if `look` found what it looks for. `awake` counts the other
    /// threads that want to run.
    pub(crate) fn wait(&self, awake: usize, look: impl FnMut() -> bool) -> bool {
        if self.limit.is_zero() || awake >= self.cores || !self.is_worth_it() {
            return false;
        }
        if self.taken.load(Relaxed) || self.taken.swap(true, Relaxed) {
            return false;
        }
        let found = self.run(look);
        self.taken.store(false, Relaxed);
        let patience = self.patience.load(Relaxed);
        let patience = if found {
            (patience + 1).min(PATIENCE)
        } else {
            patience.saturating_sub(1)
        };
        self.patience.store(patience, Relaxed);
        found
    }

    fn is_worth_it(&self) -> bool {
        if self.patience.load(Relaxed) > 0 {
            return true;
        }
        let skipped = self.skipped.load(Relaxed) + 1;
        self.skipped.store(skipped % PROBE, Relaxed);
        skipped == PROBE
    }

    fn run(&self, mut look: impl FnMut() -> bool) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..LOOKS {
                if look() {
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
