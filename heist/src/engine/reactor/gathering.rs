//! Whether all objects are to be in the first shard (rule R9 of [`reactor`](super)).
//!
//! While workers find the time to sleep, shards cost more than they gain: who sleeps for several is woken by way of one more of the
//! system's queues, on whichever processor that picks, and asks again what there is. Where none sleeps any more, each gains by having
//! its own. So objects are *spread*, until the load has been small for a while; then they are *gathered*: what is registered comes
//! into the first shard, and what is read in another one goes there. They are spread again when a socket that belongs elsewhere (R8)
//! finds that nobody sleeps, some times in a row.
//!
//! A hint, which orders nothing: wherever an object is, it is heard ([`attendance`](super::attendance)).
//!
//! **Rejected.** *Gathered from the beginning*: Unix sockets belong nowhere, so that nothing would part them again; where they are
//! made in pairs, as here, it takes a fifth more time.

use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::sync::atomic::{AtomicBool, AtomicU32};

/// So many looks in a row find nobody asleep before the objects are spread: it is not for a moment in which all happen to be awake.
const ENOUGH: u32 = 8;

#[derive(Debug)]
pub(crate) struct Gathering {
    is_on: AtomicBool,
    /// Looks in a row that found nobody asleep.
    all_awake: AtomicU32,
}

impl Gathering {
    pub(super) fn new() -> Self {
        Self {
            is_on: AtomicBool::new(false),
            all_awake: AtomicU32::new(0),
        }
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Relaxed)
    }

    /// The load is small.
    pub(crate) fn gather(&self) {
        self.all_awake.store(0, Relaxed);
        self.is_on.store(true, Relaxed);
    }

    /// Something is read while somebody sleeps.
    #[inline]
    pub(super) fn somebody_sleeps(&self) {
        if self.all_awake.load(Relaxed) != 0 {
            self.all_awake.store(0, Relaxed);
        }
    }

    /// An object belongs elsewhere, and nobody sleeps if it is on: whether it may go there.
    pub(super) fn lets_go(&self) -> bool {
        if !self.is_on() {
            return true;
        }
        // A look of somebody else's at the same time may not be counted.
        let all_awake = self.all_awake.load(Relaxed) + 1;
        self.all_awake.store(all_awake, Relaxed);
        if all_awake >= ENOUGH {
            self.is_on.store(false, Relaxed);
        }
        !self.is_on()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn it_takes_some_looks_in_a_row_at_which_nobody_sleeps() {
        let gathering = Gathering::new();
        assert!(gathering.lets_go());
        gathering.gather();
        let looks = |count: u32| (0..count).any(|_| gathering.lets_go());
        for _ in 0..3 {
            assert!(!looks(ENOUGH - 1));
            gathering.somebody_sleeps();
        }
        assert!(!looks(ENOUGH - 1) && gathering.is_on());
        assert!(looks(1) && !gathering.is_on());
        assert!(looks(1), "until it is gathered");
        gathering.gather();
        assert!(!looks(ENOUGH - 1) && looks(1));
    }
}
