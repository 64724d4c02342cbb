//! Whether somebody sleeps for all shards of the reactor, and what those owe each other who sleep and get up beside.
//!
//! **What.** Who slept for all and is up takes what is in the shards of sleepers, and leaves alone what is in those of others,
//! who come to theirs by themselves. One who goes to sleep in that moment might be taken for awake, and nobody would come.
//!
//! **Rules.**
//! * A1. Who slept for all says that it is up, and *then* asks who sleeps.
//! * A2. Who goes to sleep announces it, and *then* asks whether one is up who may have left it something; if so, it looks at its own
//!   shard before it sleeps. One who is not up yet will see it asleep.
//!
//! **Orderings.** A fence between the two steps of each: one of the two sees the other.
//!
//! **Rejected.** *A look at the own shard before each sleep*: a system call for nothing, mostly, and where it is crowded (I13)
//! it keeps two workers up where one is to be.
//!
//! **Tested by** `loom_tests`, which fails without either fence, and without the look.

use crate::loom::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::loom::sync::atomic::{AtomicBool, fence};

#[derive(Debug)]
pub(super) struct Attendance {
    /// Somebody sleeps for all, and is not up yet.
    sleeps: AtomicBool,
}

impl Attendance {
    pub(super) fn new() -> Self {
        Self {
            sleeps: AtomicBool::new(false),
        }
    }

    /// Somebody goes to sleep for all.
    pub(super) fn begin(&self) {
        self.sleeps.store(true, Relaxed);
    }

    /// It is up, and will ask who sleeps (A1).
    pub(super) fn get_up(&self) {
        self.end();
        // Ordering: A1. Pairs with the fence in `may_have_left`: either that sees that we are up, or we see its bit.
        fence(SeqCst);
    }

    /// It is up, or did not sleep at all.
    pub(super) fn end(&self) {
        self.sleeps.store(false, Relaxed);
    }

    pub(super) fn is_on(&self) -> bool {
        // Relaxed: who sees the old value wakes one too many, or comes by again.
        self.sleeps.load(Relaxed)
    }

    /// For who has announced that it goes to sleep, while another has the attendant: whether that one is up, and may have taken the
    /// caller for awake (A2).
    pub(super) fn may_have_left(&self) -> bool {
        // Ordering: A2. Pairs with the fence in `get_up`.
        fence(SeqCst);
        !self.is_on()
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::reactor::test_support::model;
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
}
