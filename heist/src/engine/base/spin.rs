//! The short wait before the sleep.
//!
//! Sleeping and being woken costs some microseconds on both sides. A thread that has just become
//! idle therefore looks around for about [as long as that](LIMIT), so that what it wastes is of the order of what a
//! sleep would have cost. So two that talk to each other, a worker and a thread of the pool, do not sleep at each
//! word; with less they would, as who is answered by one that has to be woken first gives up just before. Three
//! guards keep the waste down:
//!
//! * one thread of a kind (workers, guests, the pool's) spins at a time;
//! * none spins while there are as many threads awake as the machine has cores;
//! * a spin that pays raises the [`patience`](Spin::patience), one that does not lowers it; at zero,
//!   only every [`PROBE`]th wait tries. So it goes on only while it pays at least every other time.
//!
//! The words are hints: relaxed, and nothing is ordered by them.

use std::time::{Duration, Instant};

use crate::loom::hint;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::sync::atomic::{AtomicBool, AtomicU32};

/// What a sleep costs on a virtual machine, from the call that ends it until the sleeper runs: there a processor
/// without work is given back to the host. Elsewhere it is a quarter of that, and the guards have more to do.
const LIMIT: Duration = Duration::from_micros(20);
/// The most [`patience`](Spin::patience) there is.
const PATIENCE: u32 = 4;
/// Waits without a spin after which it is tried once.
const PROBE: u32 = 64;
/// Looks between two looks at the clock.
const LOOKS: u32 = 8;

#[derive(Debug)]
pub(crate) struct Spin {
    cores: usize,
    /// A thread spins.
    taken: AtomicBool,
    patience: AtomicU32,
    /// Waits without a spin since the last one with.
    skipped: AtomicU32,
}

impl Spin {
    /// Without `cores` none spins.
    pub(crate) fn new(cores: usize) -> Self {
        Self {
            cores,
            taken: AtomicBool::new(false),
            patience: AtomicU32::new(PATIENCE),
            skipped: AtomicU32::new(0),
        }
    }

    /// Looks for a little while; true if `look` found what it looks for. `awake` counts the other
    /// threads that want to run.
    pub(crate) fn wait(&self, awake: usize, look: impl FnMut() -> bool) -> bool {
        if awake >= self.cores || !self.is_worth_it() {
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
            if start.elapsed() >= LIMIT {
                return false;
            }
        }
    }
}
