//! Whether all objects are to be in the first shard (rule R9 of [`reactor`](super)).
//!
//! **What.** While workers find the time to sleep, shards cost more than they gain: who sleeps for several is woken by way of one
//! more of the system's queues, on whichever processor that picks, and asks again what there is. Where none sleeps any more, each
//! gains by having its own. So objects are *spread*, each in its home, or *gathered*: all in the first shard. Which it is, the
//! [watch](crate::engine::sched) says; an object goes there when it is next read. Those that are not read stay where they
//! are: while objects are gathered, the other shards' selectors are in the first one's, so that who sleeps in that hears of
//! them as well.
//!
//! **Rules.**
//! * G1. Who is to sleep in the first shard alone says so, and *then* sees whether objects are gathered. If not, it sleeps in all.
//! * G2. Who spreads them says so, and *then* asks whether somebody sleeps in the first alone; if so, that one is woken, and
//!   comes to G1 again. One at a time gathers and spreads.
//!
//! **Orderings.** A fence between the two steps of each: one of the two sees the other. All else reads a hint, which orders
//! nothing: wherever an object is, it is heard.
//!
//! **Rejected.** *Instead of the nested selectors, to sleep in the first shard only while the others are empty*: one idle
//! connection that was made while objects were spread, and all sleep as before for as long as it lives. *Nested always*: each event
//! of each shard would write to the outer selector as well (5 to 10 % of an exchange on loopback), and adding a socket to an inner
//! one takes a lock of the whole system's. (Putting a selector into another one looks at all that is in it: some 10 us a thousand
//! sockets, at each change.) *The sockets decide, by whether anybody sleeps when they are read*: the sleeper of few
//! workers is up whenever one is read.
//!
//! **Tested by** `loom_tests` in [`attendance`](super::attendance), which fail without either fence, and by `tests` in
//! [`reactor`](super).

use crate::loom::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::loom::sync::atomic::{AtomicBool, fence};

#[derive(Debug)]
pub(crate) struct Gathering {
    is_on: AtomicBool,
}

impl Gathering {
    pub(super) fn new() -> Self {
        Self {
            is_on: AtomicBool::new(false),
        }
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Relaxed)
    }

    /// The other selectors are in the first one's.
    pub(super) fn begin(&self) {
        self.is_on.store(true, Relaxed);
    }

    /// They will not be any more, once the caller has asked who sleeps.
    pub(super) fn end(&self) {
        self.is_on.store(false, Relaxed);
        // Ordering: G2. Pairs with the fence in `Attendance::begin_in_first`: either that sees the end, or we see who sleeps.
        fence(SeqCst);
    }
}
