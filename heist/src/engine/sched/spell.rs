//! What holds for a while: until a moment, whether or not anybody says that it is over.
//!
//! The [`watch`](super::watch) finds such things out and may be asleep when they end. One word, relaxed: a hint, which
//! orders nothing.

use std::time::Instant;

use crate::loom::sync::atomic::AtomicU64;
use crate::loom::sync::atomic::Ordering::Relaxed;

#[derive(Debug)]
pub(super) struct Spell {
    origin: Instant,
    /// In nanoseconds since then.
    until: AtomicU64,
}

impl Spell {
    /// One that is over.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            origin: now,
            until: AtomicU64::new(0),
        }
    }

    pub(super) fn lasts(&self, now: Instant) -> bool {
        self.nanos(now) < self.until.load(Relaxed)
    }

    pub(super) fn set_until(&self, until: Instant) {
        self.until.store(self.nanos(until), Relaxed);
    }

    fn nanos(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.origin).as_nanos() as u64
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_ends_by_itself() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let spell = Spell::new(start);
        assert!(!spell.lasts(start));
        spell.set_until(at(5));
        assert!(spell.lasts(start) && spell.lasts(at(4)));
        assert!(!spell.lasts(at(5)));
        spell.set_until(at(9));
        assert!(spell.lasts(at(8)));
        assert!(!spell.lasts(at(10)));
    }
}
