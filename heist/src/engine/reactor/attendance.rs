//! Whether somebody sleeps for all shards of the reactor, in which of them, and what those owe each other who sleep and get up
//! beside.
//!
//! **What.** Who slept for all and is up takes what is in the shards of sleepers, and leaves alone what is in those of others,
//! who come to theirs by themselves. One who goes to sleep in that moment might be taken for awake, and nobody would come.
//!
//! **States**: *nobody*; somebody sleeps *in all* shards; or *in the first* alone, while objects are gathered
//! ([`gathering`](super::gathering), G1 and G2).
//!
//! **Rules.**
//! * A1. Who slept for all says that it is up, and *then* asks who sleeps.
//! * A2. Who goes to sleep announces it, and *then* asks whether one is up who may have left it something; if so, it looks at its own
//!   shard before it sleeps. One who is not up yet will see it asleep.
//!
//! **Orderings.** A fence between the two steps of each: one of the two sees the other. Where the sleeper is, those who
//! wake it know by the order of its parker's word (P4).
//!
//! **Rejected.** *A look at the own shard before each sleep*: a system call for nothing, mostly, and where it is crowded (I13)
//! it keeps two workers up where one is to be.
//!
//! **Tested by** `loom_tests`, which fails without any of the fences, and without the look or the wake.

use super::gathering::Gathering;
use crate::loom::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::loom::sync::atomic::{AtomicU8, fence};

const NOBODY: u8 = 0;
const IN_ALL: u8 = 1;
const IN_FIRST: u8 = 2;

#[derive(Debug)]
pub(crate) struct Attendance {
    /// Where somebody sleeps for all who is not up yet.
    sleeper: AtomicU8,
}

impl Attendance {
    pub(crate) fn new() -> Self {
        Self {
            sleeper: AtomicU8::new(NOBODY),
        }
    }

    /// Somebody goes to sleep for all, in all shards.
    pub(crate) fn begin(&self) {
        self.sleeper.store(IN_ALL, Relaxed);
    }

    /// Somebody goes to sleep for all, in the first shard alone. False if objects are not gathered: then not (G1).
    pub(crate) fn begin_in_first(&self, gathering: &Gathering) -> bool {
        self.sleeper.store(IN_FIRST, Relaxed);
        // Ordering: G1. Pairs with the fence in `Gathering::end`: either that is followed by a look that sees us, or we see the end.
        fence(SeqCst);
        gathering.is_on()
    }

    /// It is up, and will ask who sleeps (A1).
    pub(crate) fn get_up(&self) {
        self.end();
        // Ordering: A1. Pairs with the fence in `may_have_left`: either that sees that we are up, or we see its bit.
        fence(SeqCst);
    }

    /// It is up, or did not sleep at all.
    pub(crate) fn end(&self) {
        self.sleeper.store(NOBODY, Relaxed);
    }

    pub(crate) fn is_on(&self) -> bool {
        // Relaxed: who sees the old value wakes one too many, or comes by again.
        self.sleeper.load(Relaxed) != NOBODY
    }

    /// Whether somebody sleeps in the first shard alone.
    pub(crate) fn is_in_first(&self) -> bool {
        // Relaxed: for who found the sleeper's parker parked elsewhere, that word orders it; if another sleeps by now, the one
        // to be woken is up. For who spreads objects, the fence does (G2).
        self.sleeper.load(Relaxed) == IN_FIRST
    }

    /// For who has announced that it goes to sleep, while another has the attendant: whether that one is up, and may have taken the
    /// caller for awake (A2).
    pub(crate) fn may_have_left(&self) -> bool {
        // Ordering: A2. Pairs with the fence in `get_up`.
        fence(SeqCst);
        !self.is_on()
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::super::test_support::model;
    use super::*;
    use crate::loom::sync::atomic::AtomicBool;
    use crate::loom::sync::{Arc, Mutex};
    use crate::loom::thread;

    #[test]
    fn what_is_in_the_shard_of_who_goes_to_sleep_is_taken() {
        model(|| {
            let attendance = Arc::new(Attendance::new());
            let asleep = Arc::new(AtomicBool::new(false));
            let events = Arc::new(Mutex::new(true));
            // Somebody sleeps for all, and has just found that there are some.
            attendance.begin();
            let owner = {
                let (attendance, asleep) = (Arc::clone(&attendance), Arc::clone(&asleep));
                let events = Arc::clone(&events);
                thread::spawn(move || {
                    asleep.store(true, Relaxed);
                    if attendance.may_have_left() {
                        *events.lock() = false;
                    }
                })
            };
            attendance.get_up();
            if asleep.load(Relaxed) {
                *events.lock() = false;
            }
            owner.join().unwrap();
            assert!(!*events.lock());
        });
    }

    #[test]
    fn who_sleeps_in_the_first_shard_hears_that_objects_are_spread() {
        model(|| {
            let attendance = Arc::new(Attendance::new());
            let gathering = Arc::new(Gathering::new());
            gathering.begin();
            let woken = Arc::new(AtomicBool::new(false));
            let other = {
                let (attendance, woken) = (Arc::clone(&attendance), Arc::clone(&woken));
                let gathering = Arc::clone(&gathering);
                thread::spawn(move || {
                    gathering.end();
                    woken.store(attendance.is_in_first(), Relaxed);
                })
            };
            let sleeps_in_first = attendance.begin_in_first(&gathering);
            other.join().unwrap();
            assert!(!sleeps_in_first || woken.load(Relaxed));
        });
    }
}
