//! When a worker's queue is worth a sibling's help, and when a sibling's task is worth taking.
//!
//! # To ask for help
//!
//! Waking a sibling costs some microseconds on both sides, and it comes when these are over. For ten tasks
//! of a hundred nanoseconds that is a loss: they are done before it comes. So a worker asks for help only
//! when what it has queued would take it about as long as the wake ([`WORTH_A_WAKE`]), by the mean of its
//! recent polls, which its counters keep anyway. It is a guess: a single poll may be much longer than the
//! mean. What was held back for that is made good by the look at every `event_interval`, by searchers that are
//! awake anyway, and by the [`watch`](super::watch).
//!
//! # To help
//!
//! A worker that has nothing to do, and looks around for a moment before it sleeps, leaves a
//! [`LoneTask`] to its owner for some microseconds: that is about to run it, and has its data at hand. Else
//! two tasks that wake each other are parted whenever the slot has had its turns, and then run in
//! lockstep on two cores, for more than it costs one. No task is forgotten: the looks end in the sleep's
//! announcement, which is followed by a look that takes whatever there is (I1).

use crate::engine::sched::strategy::Place;

/// What a sibling should find, in nanoseconds of work, for its wake to pay.
const WORTH_A_WAKE: u64 = 2_000;
/// The most tasks that wait for it.
const MOST: u64 = 32;

/// What a worker knows of its own speed.
#[derive(Debug)]
pub(super) struct Pace {
    /// The length of the queue from which help is asked for.
    help_from: u32,
}

impl Pace {
    /// Asks at once, as it knows nothing yet.
    pub(super) fn new() -> Self {
        Self { help_from: 1 }
    }

    /// A poll takes `mean_nanos` now; 0 if none was measured.
    pub(super) fn follow(&mut self, mean_nanos: u64) {
        let worth = WORTH_A_WAKE.checked_div(mean_nanos).unwrap_or(1);
        self.help_from = worth.clamp(1, MOST) as u32;
    }

    /// Whether a queue of this length is worth a sibling's wake.
    #[inline]
    pub(super) fn wants_help(&self, queued: u32) -> bool {
        queued >= self.help_from
    }
}

/// The only task there is, as seen by a worker that looks around.
#[derive(Debug, Default)]
pub(super) struct LoneTask {
    place: Option<Place>,
    looks: u32,
}

impl LoneTask {
    /// Looks after which its owner seems to be busy with something else: about three microseconds.
    const PATIENCE: u32 = 32;

    /// It was seen at `place`; true if it was there long enough.
    pub(super) fn is_left(&mut self, place: Place) -> bool {
        if self.place != Some(place) {
            self.place = Some(place);
            self.looks = 0;
        }
        self.looks += 1;
        self.looks >= Self::PATIENCE
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::{LoneTask, MOST, Pace};

    fn at(mean_nanos: u64) -> Pace {
        let mut pace = Pace::new();
        pace.follow(mean_nanos);
        pace
    }

    #[test]
    fn a_new_worker_asks_at_once() {
        assert!(Pace::new().wants_help(1));
        assert!(at(0).wants_help(1));
    }

    #[test]
    fn long_polls_ask_at_once() {
        assert!(at(5_000).wants_help(1));
        assert!(at(u64::MAX).wants_help(1));
    }

    #[test]
    fn short_polls_wait_until_it_pays() {
        assert!(!at(100).wants_help(10));
        assert!(at(100).wants_help(20));
        assert!(!at(1).wants_help(10));
        assert!(at(1).wants_help(MOST as u32));
    }

    #[test]
    fn a_lone_task_is_its_owners_for_a_while() {
        let mut lone = LoneTask::default();
        for looks in 1..LoneTask::PATIENCE {
            assert!(!lone.is_left((0, 7)), "after {looks}");
        }
        // The owner ran it; this is another.
        assert!(!lone.is_left((0, 8)));
        let mut same = (2..=LoneTask::PATIENCE).map(|_| lone.is_left((0, 8)));
        assert_eq!(
            same.position(|left| left),
            Some(LoneTask::PATIENCE as usize - 2)
        );
    }
}
