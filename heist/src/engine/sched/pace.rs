//! How long a worker's polls take, and so when its queue is worth a sibling's help.
//!
//! Waking a sibling costs some microseconds on both sides, and it comes when these are over. For ten tasks
//! of a hundred nanoseconds that is a loss: they are done before it comes. So a worker asks for help only
//! when what it has queued would take it about as long as the wake ([`WORTH_A_WAKE`]), by the mean of its
//! recent polls. It is a guess: a single poll may be much longer than the mean. What was held back for
//! that is made good by the look at every `event_interval`, by searchers that are awake anyway, and by
//! the [`watch`](super::watch).
//!
//! The clock is read where it is read anyway, when a worker goes to sleep or gets up, and once in
//! `event_interval` turns.

use std::time::Instant;

/// What a sibling should find, in nanoseconds of work, for its wake to pay.
const WORTH_A_WAKE: u64 = 2_000;
/// The most tasks that wait for it.
const MOST: u64 = 32;

#[derive(Debug)]
pub(super) struct Pace {
    since: Instant,
    polls: u64,
    /// Nanoseconds a poll, of the last laps.
    mean: u64,
    /// The length of the queue from which help is asked for.
    help_from: u32,
}

impl Pace {
    /// Asks at once, as it knows nothing yet.
    pub(super) fn new() -> Self {
        Self {
            since: Instant::now(),
            polls: 0,
            mean: WORTH_A_WAKE,
            help_from: 1,
        }
    }

    /// The worker got up.
    pub(super) fn start(&mut self, now: Instant) {
        self.since = now;
    }

    /// The worker has polled `polls` times in all by `now`, without a sleep since the last lap.
    pub(super) fn lap(&mut self, now: Instant, polls: u64) {
        let busy = now.duration_since(self.since).as_nanos() as u64;
        if let Some(lap) = busy.checked_div(polls.wrapping_sub(self.polls)) {
            self.mean = (3 * self.mean + lap) / 4;
            self.help_from = (WORTH_A_WAKE / self.mean.max(1)).clamp(1, MOST) as u32;
            self.polls = polls;
        }
        self.since = now;
    }

    /// Whether a queue of this length is worth a sibling's wake.
    #[inline]
    pub(super) fn wants_help(&self, queued: u32) -> bool {
        queued >= self.help_from
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::time::{Duration, Instant};

    use super::{MOST, Pace};

    fn after_laps(poll: Duration) -> Pace {
        let mut pace = Pace::new();
        let mut now = Instant::now();
        pace.start(now);
        for lap in 1..=20 {
            now += 61 * poll;
            pace.lap(now, 61 * lap);
        }
        pace
    }

    #[test]
    fn a_new_worker_asks_at_once() {
        assert!(Pace::new().wants_help(1));
    }

    #[test]
    fn long_polls_ask_at_once() {
        assert!(after_laps(Duration::from_micros(5)).wants_help(1));
        assert!(after_laps(Duration::from_secs(5)).wants_help(1));
    }

    #[test]
    fn short_polls_wait_until_it_pays() {
        let pace = after_laps(Duration::from_nanos(100));
        assert!(!pace.wants_help(10));
        assert!(pace.wants_help(30));
        assert!(after_laps(Duration::ZERO).wants_help(MOST as u32));
    }

    #[test]
    fn sleep_does_not_count() {
        let mut pace = after_laps(Duration::from_nanos(100));
        pace.start(Instant::now() + Duration::from_secs(100));
        assert!(!pace.wants_help(10));
    }
}
