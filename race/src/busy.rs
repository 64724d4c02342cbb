//! Work that only takes time.

use std::time::{Duration, Instant};

/// Keeps the core for so long.
pub(crate) fn busy(time: Duration) {
    let started = Instant::now();
    while started.elapsed() < time {
        std::hint::spin_loop();
    }
}
