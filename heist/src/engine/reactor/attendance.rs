//! Whether somebody sleeps for all shards of the reactor, in which of them, and what those owe each other who sleep, get up and
//! put objects in beside.
//!
//! **What.** Who slept for all and is up takes what is in the shards of sleepers, and leaves alone what is in those of others,
//! who come to theirs by themselves. One who goes to sleep in that moment might be taken for awake, and nobody would come. And
//! where all objects are in the first shard ([`gathering`](super::gathering)), it sleeps in that alone, which is one call of the
//! system's instead of two: then nobody would come to what is put into another one meanwhile.
//!
//! **States**: *nobody*; somebody sleeps *in all* shards; or *in the first* alone.
//!
//! **Rules.**
//! * A1. Who slept for all says that it is up, and *then* asks who sleeps.
//! * A2. Who goes to sleep announces it, and *then* asks whether one is up who may have left it something; if so, it looks at its own
//!   shard before it sleeps. One who is not up yet will see it asleep.
//! * A3. Who is to sleep in the first shard alone says so, and *then* sees whether the others are empty. If they are not, it sleeps in
//!   all.
//! * A4. Who puts an object into another shard does so, and *then* asks whether somebody sleeps in the first alone; if so, that one
//!   is woken, and comes to A3 again.
//!
//! **Orderings.** A fence between the two steps of each: one of the two sees the other. Where the sleeper is, those who
//! wake it know by the order of its parker's word (P4).
//!
//! **Rejected.** *A look at the own shard before each sleep*: a system call for nothing, mostly, and where it is crowded (I13)
//! it keeps two workers up where one is to be.
//!
//! **Tested by** `loom_tests`, which fails without any of the four fences, and without the look or the wake.

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

    /// Somebody goes to sleep for all, in the first shard alone. False if something is in the others: then not (A3).
    pub(crate) fn begin_in_first(&self, others_are_empty: impl FnOnce() -> bool) -> bool {
        self.sleeper.store(IN_FIRST, Relaxed);
        // Ordering: A3. Pairs with the fence in `overlooks_others`: either that sees us, or we see what was put there.
        fence(SeqCst);
        others_are_empty()
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

    /// For who found the sleeper's parker parked elsewhere: whether that is in the first shard alone.
    pub(crate) fn is_in_first(&self) -> bool {
        // Relaxed: the parker's word orders it. If another sleeps by now, the one to be woken is up.
        self.sleeper.load(Relaxed) == IN_FIRST
    }

    /// For who has announced that it goes to sleep, while another has the attendant: whether that one is up, and may have taken the
    /// caller for awake (A2).
    pub(crate) fn may_have_left(&self) -> bool {
        // Ordering: A2. Pairs with the fence in `get_up`.
        fence(SeqCst);
        !self.is_on()
    }

    /// For who has put something into another shard than the first: whether there is a sleeper who has to be told (A4).
    pub(crate) fn overlooks_others(&self) -> bool {
        // Ordering: A4. Pairs with the fence in `begin_in_first`.
        fence(SeqCst);
        self.sleeper.load(Relaxed) == IN_FIRST
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
    fn who_sleeps_in_the_first_shard_hears_of_what_is_put_elsewhere() {
        model(|| {
            let attendance = Arc::new(Attendance::new());
            let holds_object = Arc::new(AtomicBool::new(false));
            let woken = Arc::new(AtomicBool::new(false));
            let other = {
                let (attendance, woken) = (Arc::clone(&attendance), Arc::clone(&woken));
                let holds_object = Arc::clone(&holds_object);
                thread::spawn(move || {
                    holds_object.store(true, Relaxed);
                    if attendance.overlooks_others() {
                        woken.store(true, Relaxed);
                    }
                })
            };
            let sleeps_in_first = attendance.begin_in_first(|| !holds_object.load(Relaxed));
            other.join().unwrap();
            assert!(!sleeps_in_first || woken.load(Relaxed));
        });
    }
}
