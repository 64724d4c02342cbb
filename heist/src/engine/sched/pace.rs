//! When a worker's queue is worth a sibling's help, and when a sibling's task is worth taking.
//!
//! # To ask for help
//!
//! Waking a sibling costs some microseconds on both sides, and it comes when these are over. For ten tasks
//! of a hundred nanoseconds that is a loss: they are done before it comes. So a worker asks for help only
//! when what it has queued would take it about as long as the wake ([`WORTH_A_WAKE`]), by the mean of its
//! recent polls, which its counters keep anyway. It is a guess: a single poll may be much longer than the
//! mean. What was held back for that is made good by the looks at the drivers, after [`HOLD_BACK`] in which
//! there was always something; by searchers that are awake anyway; and by the [`watch`](super::watch).
//! A task that yields brings nothing new: for it the worker asks once in as many yields as are worth a wake.
//!
//! The mean is of polls alone ([`Stretch`](super::counters::Stretch)). With the time in which a worker looks for
//! work it would feed itself: two workers that share few tasks look around a lot, so that tasks seem long, and
//! worth sharing. Ten tasks around one lock went from worker to worker with every other poll.
//!
//! Nor is it of polls that take long because siblings are at the same things: tasks around one channel take ten times as
//! long on two processors that pass its lines back and forth, and so seem worth sharing, for as long as they are
//! shared. So what counts is its *pace*, what a poll took when all siblings slept, if that is known of late
//! ([`FRESH`]). And so that it is, a worker that gets up alone, and had short polls before, asks only when it has made
//! some, or one as long as a wake. It looks at the clock after one of them, two more, and [four](PROBE) more, which
//! tell: a long one is found when it ends.
//!
//! # To look
//!
//! The mean tells when to look at the drivers as well: after `event_interval` polls, or sooner if these take longer
//! than [`LOOK_EVERY`]; or when all tasks have yielded some times, which are fewer if they are long. A look costs
//! about a microsecond.
//!
//! Whether a sibling is worth its wake only to take our place in the reactor is not told by the mean, which is high
//! for a while after a single long poll or after the system took the processor away: it is when most of the last
//! stretches of work were slow.
//!
//! # To help
//!
//! The same holds for a worker that has nothing to do and is awake: what would not be worth its wake it
//! leaves to the owner, who has the data at hand, and looks around for a moment; by its own polls, if these are
//! shorter, as what an owner pushes in one long poll need not be long. It helps if [the
//! same](FewTasks) is there for some microseconds, and before it goes to sleep, unless it saw the owner run some.
//! In between it looks seldom: each look takes a line from an owner who writes it at every push, and two that are far
//! from each other spent more time on that than on a million tasks of one who spawns them.
//! Else tasks that wake each other are parted again and again, and run in lockstep on two cores, for more than it
//! costs one. No task is forgotten: the looks end in the sleep's announcement, which is followed by a look that
//! takes whatever was announced (I1), and the owner of the rest is at work on it.

use std::time::{Duration, Instant};

use crate::engine::sched::push::YIELDS_BEFORE_DRIVERS;
use crate::engine::sched::strategy::Place;
use crate::loom::hint;

/// What a sibling should find, in nanoseconds of work, for its wake to pay: on a virtual machine, less than that is done
/// by its owner before the sibling runs. With a fourth of it, few tasks around one channel were parted, and took three times as
/// long on two processors as on one.
const WORTH_A_WAKE: u64 = 20_000;
/// The most tasks that wait for it.
const MOST: u64 = 128;
/// Polls of the last step of the probe, in which a worker that got up alone finds out what they take now; and of any
/// other measurement that is relied on.
const PROBE: u32 = 4;
/// For how long it relies on what they took when it was last alone.
const FRESH: Duration = Duration::from_millis(10);

/// For how long few tasks are held back that never become none.
const HOLD_BACK: Duration = Duration::from_micros(500);
/// The same of any number of tasks where a sibling would have to wait for a processor (I13).
const CROWDED_HOLD_BACK: Duration = Duration::from_millis(10);

/// How long a worker that is busy leaves timers and sockets alone, in nanoseconds.
const LOOK_EVERY: u64 = 200_000;
/// Polls between two such looks, at the least. A look is part of the time by which polls are measured: where
/// system calls are slow, or others take the processor, it would bring the next one nearer, and soon there
/// would be little else.
const LEAST_POLLS: u64 = 8;

/// How long each of the queued tasks may go on yielding before the drivers are looked at, in nanoseconds, and at
/// most [`YIELDS_BEFORE_DRIVERS`] times: what it waits for may be theirs to bring.
const YIELD_FOR: u64 = 10_000;

/// Polls that take so many nanoseconds are long: several times what it costs to wake a sibling.
const SLOW: u64 = 50_000;
/// How many slow stretches more than others it takes to be slow, and how many are remembered.
const SLOW_FROM: u8 = 3;
const SLOW_MOST: u8 = 6;

/// What a worker knows of its own speed.
#[derive(Debug)]
pub(super) struct Pace {
    /// How many polls take [`LOOK_EVERY`].
    polls_to_look: u32,
    /// How often all that is queued may yield before the drivers are looked at.
    yields_to_look: u32,
    /// Up with each slow stretch of work, down with each other.
    slow: u8,
    /// The length of the queue from which help is asked for.
    help_from: u32,
    /// Yields until it is asked for because of them; never 0.
    until_ask: u32,
    /// Since when the looks find some tasks, and it did not ask for help with them.
    held_back_since: Option<Instant>,
    /// No sibling was awake when it last measured.
    was_alone: bool,
    /// What a poll took while none was, and when that was.
    alone: Option<(u64, Instant)>,
    /// How many polls it is from the last step of the probe to the next, when that was, and how many there had been.
    probed: (u32, Instant, u64),
}

/// What a step of the probe tells.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Probe {
    /// So many polls more are to be made.
    More(u32),
    /// What one takes now, in nanoseconds.
    Known(u64),
}

impl Pace {
    /// Asks at once, as it knows nothing yet.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            polls_to_look: u32::MAX,
            yields_to_look: YIELDS_BEFORE_DRIVERS,
            slow: 0,
            help_from: 1,
            until_ask: 1,
            held_back_since: None,
            was_alone: false,
            alone: None,
            probed: (0, now, 0),
        }
    }

    /// A poll takes `mean_nanos` now, 0 if none was measured; and `sample` is what one took since the last time, and how
    /// many there were. The pace.
    pub(super) fn follow(
        &mut self,
        mean_nanos: u64,
        sample: Option<(u64, u64)>,
        is_alone: bool,
        now: Instant,
    ) -> u64 {
        let stayed_alone = std::mem::replace(&mut self.was_alone, is_alone) && is_alone;
        if let Some((nanos, polls)) = sample
            && stayed_alone
            && polls >= u64::from(PROBE)
        {
            self.alone = Some((nanos, now));
        }
        let pace_nanos = match self.alone {
            Some((nanos, at)) if now.saturating_duration_since(at) < FRESH => mean_nanos.min(nanos),
            _ => mean_nanos,
        };
        self.ask_by(pace_nanos);
        let polls = LOOK_EVERY.checked_div(mean_nanos).unwrap_or(u64::MAX);
        self.polls_to_look = polls.clamp(LEAST_POLLS, u64::from(u32::MAX)) as u32;
        let yields = YIELD_FOR.checked_div(mean_nanos).unwrap_or(u64::MAX);
        self.yields_to_look = yields.clamp(1, u64::from(YIELDS_BEFORE_DRIVERS)) as u32;
        self.slow = match sample {
            None => self.slow,
            Some((nanos, _)) if nanos >= SLOW => (self.slow + 1).min(SLOW_MOST),
            Some(_) => self.slow.saturating_sub(1),
        };
        pace_nanos
    }

    fn ask_by(&mut self, pace_nanos: u64) {
        self.help_from = help_from(pace_nanos);
        self.until_ask = self.until_ask.min(self.help_from);
    }

    /// Whether what comes while one task is polled would have to wait for long.
    pub(super) fn is_slow(&self) -> bool {
        self.slow >= SLOW_FROM
    }

    /// After how many polls to look at the drivers, `event_interval` at most.
    pub(super) fn polls_to_look(&self, event_interval: u32) -> u32 {
        self.polls_to_look.min(event_interval)
    }

    /// How often each of the queued tasks may give up its turn before the drivers are looked at.
    #[inline]
    pub(super) fn yields_to_look(&self) -> u32 {
        self.yields_to_look
    }

    /// A task yielded and is queued again behind `others`: whether to ask for help. They were announced when they
    /// came, as far as they were worth it, so there is no need to look for sleepers at each yield: once as many
    /// polls were done as are worth a wake is often enough.
    #[inline(always)]
    pub(super) fn asks_after_yield(&mut self, others: u32) -> bool {
        self.until_ask -= 1;
        self.until_ask == 0 && self.asks_now(others)
    }

    #[cold]
    fn asks_now(&mut self, others: u32) -> bool {
        self.until_ask = self.help_from;
        others > 0 && self.wants_help(others)
    }

    /// The worker slept, until it had made so many `polls`: there was a time with nothing to hold back. Whether it waits with
    /// asking for help until it knows what polls take now, as it is alone and they were short.
    pub(super) fn rested(&mut self, is_alone: bool, now: Instant, polls: u64) -> bool {
        self.held_back_since = None;
        self.was_alone = is_alone;
        let probes = is_alone && self.help_from > PROBE;
        if probes {
            self.probed = (1, now, polls);
            self.help_from = MOST as u32;
        }
        probes
    }

    /// A step of that, after so many `polls`.
    pub(super) fn probe(&mut self, is_alone: bool, now: Instant, polls: u64) -> Probe {
        let (step, at, before) = self.probed;
        let nanos = now.saturating_duration_since(at).as_nanos() as u64;
        let nanos = nanos / polls.saturating_sub(before).max(1);
        if step < PROBE && nanos < WORTH_A_WAKE {
            self.probed = (2 * step, now, polls);
            return Probe::More(2 * step);
        }
        self.alone = is_alone.then_some((nanos, now)).or(self.alone);
        self.ask_by(nanos);
        Probe::Known(nanos)
    }

    /// Whether a queue of this length is worth a sibling's wake.
    #[inline]
    pub(super) fn wants_help(&self, queued: u32) -> bool {
        queued >= self.help_from
    }

    /// The same at a look at the drivers, for what has been there before: few tasks that never become none are
    /// worth it too, after a while; and many only then, where it is `crowded`.
    pub(super) fn still_wants_help(&mut self, queued: u32, now: Instant, crowded: bool) -> bool {
        if queued > 1 && (crowded || !self.wants_help(queued)) {
            let since = *self.held_back_since.get_or_insert(now);
            let hold_back = if crowded {
                CROWDED_HOLD_BACK
            } else {
                HOLD_BACK
            };
            if now.duration_since(since) < hold_back {
                return false;
            }
        }
        self.held_back_since = None;
        queued > 1
    }
}

/// From which length on a queue is worth a sibling's help, if a poll of its owner's takes `mean_nanos`.
fn help_from(mean_nanos: u64) -> u32 {
    let worth = WORTH_A_WAKE.checked_div(mean_nanos).unwrap_or(1);
    worth.clamp(1, MOST) as u32
}

/// Whether the queue of a worker whose polls take `mean_nanos` is worth the help of one who is awake.
pub(super) fn is_worth_help(queued: u32, mean_nanos: u64) -> bool {
    queued >= help_from(mean_nanos)
}

/// All that there is, and not much, as seen by a worker that looks around.
#[derive(Debug, Default)]
pub(crate) struct FewTasks {
    place: Option<Place>,
    looks: u32,
}

impl FewTasks {
    /// Looks after which their owner seems to be busy with something else: some microseconds.
    const PATIENCE: u32 = 12;
    /// Turns of waiting from one look to the next.
    const PAUSE: u32 = 24;

    /// They were seen, the first of them at `place`; true if that was there long enough.
    pub(super) fn is_left(&mut self, place: Place) -> bool {
        (0..Self::PAUSE).for_each(|_| hint::spin_loop());
        if self.place != Some(place) {
            self.place = Some(place);
            self.looks = 0;
        }
        self.looks += 1;
        self.looks >= Self::PATIENCE
    }

    /// Whether their owner was seen to run some of them: what is at `place` now was not the first before.
    pub(super) fn has_moved(&self, (owner, first): Place) -> bool {
        self.place
            .is_some_and(|(seen, before)| seen == owner && before != first)
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::time::{Duration, Instant};

    use super::{CROWDED_HOLD_BACK, FRESH, FewTasks, HOLD_BACK, MOST, PROBE, Pace, Probe};

    fn at(mean_nanos: u64) -> Pace {
        let mut pace = Pace::new(Instant::now());
        measured(&mut pace, mean_nanos, None);
        pace
    }

    /// Beside siblings.
    fn measured(pace: &mut Pace, mean_nanos: u64, sample: Option<u64>) {
        let sample = sample.map(|nanos| (nanos, 10));
        let now = Instant::now();
        assert_eq!(pace.follow(mean_nanos, sample, false, now), mean_nanos);
    }

    #[test]
    fn what_polls_take_without_siblings_counts_for_a_while() {
        let mut pace = at(1_000);
        let start = Instant::now();
        let polls = u64::from(PROBE);
        let mut follow = |mean, sample, is_alone, now| {
            let nanos = pace.follow(mean, sample, is_alone, now);
            assert_eq!(pace.wants_help(20), nanos >= 1_000);
            nanos
        };
        // Somebody was awake for a part of it.
        assert_eq!(follow(1_000, Some((100, polls)), true, start), 1_000);
        // Too few to tell.
        assert_eq!(follow(1_000, Some((100, polls - 1)), true, start), 1_000);
        assert_eq!(follow(1_000, Some((100, polls)), true, start), 100);
        assert_eq!(follow(2_000, Some((2_000, 99)), false, start), 100);
        assert_eq!(
            follow(2_000, Some((2_000, 99)), true, start + FRESH / 2),
            100
        );
        assert_eq!(
            follow(2_000, Some((2_000, 99)), false, start + FRESH),
            2_000
        );
        // It is not made longer by it.
        assert_eq!(follow(50, None, true, start), 50);
        // The drivers are looked at by what polls take in fact.
        assert_eq!(follow(50_000, None, false, start), 100);
        assert_eq!(pace.polls_to_look(61), 8);
    }

    #[test]
    fn who_gets_up_alone_finds_out_what_polls_take() {
        let start = Instant::now();
        let at_nanos = |nanos| start + Duration::from_nanos(nanos);
        let mut pace = at(1_000);
        assert!(!pace.rested(false, start, 0));
        assert!(pace.wants_help(20));
        assert!(pace.rested(true, start, 100));
        assert!(!pace.wants_help(20));
        assert!(pace.wants_help(MOST as u32));
        // The first makes many others, and the second waits for memory.
        assert_eq!(pace.probe(true, at_nanos(10_000), 101), Probe::More(2));
        assert_eq!(pace.probe(true, at_nanos(12_000), 103), Probe::More(4));
        assert!(!pace.wants_help(20));
        assert_eq!(pace.probe(true, at_nanos(12_400), 107), Probe::Known(100));
        assert!(!pace.wants_help(20));
        // That is relied on.
        assert_eq!(pace.follow(1_000, None, false, at_nanos(13_000)), 100);
        // One long poll is enough.
        assert!(pace.rested(true, start, 200));
        assert_eq!(
            pace.probe(true, at_nanos(100_000), 201),
            Probe::Known(100_000)
        );
        assert!(pace.wants_help(1));
        // Long ones are not waited for.
        assert!(!pace.rested(true, start, 300));
        assert!(pace.wants_help(1));
    }

    #[test]
    fn a_new_worker_asks_at_once() {
        assert!(Pace::new(Instant::now()).wants_help(1));
        assert!(at(0).wants_help(1));
    }

    #[test]
    fn long_polls_ask_at_once() {
        assert!(at(20_000).wants_help(1));
        assert!(at(u64::MAX).wants_help(1));
    }

    #[test]
    fn long_polls_do_not_keep_the_drivers_waiting() {
        assert_eq!(at(0).polls_to_look(61), 61);
        assert_eq!(at(500).polls_to_look(61), 61);
        assert_eq!(at(10_000).polls_to_look(61), 20);
        assert_eq!(at(100_000).polls_to_look(61), 8);
        assert_eq!(at(10_000_000).polls_to_look(61), 8);
        assert_eq!(at(10_000).polls_to_look(7), 7);
    }

    #[test]
    fn long_polls_that_yield_do_not_either() {
        assert_eq!(at(0).yields_to_look(), 4);
        assert_eq!(at(1_000).yields_to_look(), 4);
        assert_eq!(at(4_000).yields_to_look(), 2);
        assert_eq!(at(10_000).yields_to_look(), 1);
        assert_eq!(at(1_000_000).yields_to_look(), 1);
    }

    #[test]
    fn one_long_poll_does_not_make_it_slow() {
        let mut pace = Pace::new(Instant::now());
        for _ in 0..100 {
            measured(&mut pace, 1_000_000, Some(5_000_000));
            measured(&mut pace, 1_000_000, Some(1_000));
            measured(&mut pace, 1_000_000, None);
            assert!(!pace.is_slow());
        }
        (0..10).for_each(|_| measured(&mut pace, 1, Some(100_000)));
        assert!(pace.is_slow());
        (0..10).for_each(|_| measured(&mut pace, 1, Some(1_000)));
        assert!(!pace.is_slow());
    }

    #[test]
    fn short_polls_wait_until_it_pays() {
        assert!(!at(800).wants_help(24));
        assert!(at(800).wants_help(25));
        assert!(!at(1).wants_help(10));
        assert!(at(1).wants_help(MOST as u32));
    }

    #[test]
    fn yields_ask_as_often_as_polls_are_worth_a_wake() {
        let asks = |mean_nanos, others| {
            let mut pace = at(mean_nanos);
            (0..200).filter(|_| pace.asks_after_yield(others)).count()
        };
        assert_eq!(asks(20_000, 1), 200);
        assert_eq!(asks(20_000, 0), 0);
        // The first, as what came before is not known, and then every twentieth.
        assert_eq!(asks(1_000, 20), 10);
        assert_eq!(asks(1_000, 19), 0);
        // It does not wait by an old measure.
        let mut pace = at(1);
        assert!(pace.asks_after_yield(200));
        measured(&mut pace, 20_000, None);
        assert!(pace.asks_after_yield(1));
    }

    #[test]
    fn few_tasks_that_never_become_none_are_worth_help_after_a_while() {
        let mut pace = at(100);
        let start = Instant::now();
        assert!(!pace.still_wants_help(3, start, false));
        assert!(!pace.still_wants_help(3, start + HOLD_BACK / 2, false));
        assert!(pace.still_wants_help(3, start + HOLD_BACK, false));
        // From the beginning: help was asked for, or there was a look with nothing to share.
        assert!(!pace.still_wants_help(3, start + HOLD_BACK, false));
        assert!(!pace.still_wants_help(1, start + HOLD_BACK, false));
        assert!(!pace.still_wants_help(3, start + HOLD_BACK * 2, false));
        assert!(pace.still_wants_help(3, start + HOLD_BACK * 3, false));
        assert!(pace.still_wants_help(200, start + HOLD_BACK * 3, false));
        assert!(!pace.still_wants_help(3, start + HOLD_BACK * 3, false));
        assert!(!pace.rested(false, start, 0));
        assert!(!pace.still_wants_help(3, start + HOLD_BACK * 9, false));
    }

    #[test]
    fn where_it_is_crowded_many_wait_as_well_and_longer() {
        let mut pace = at(100_000);
        let start = Instant::now();
        assert!(!pace.still_wants_help(50, start, true));
        assert!(!pace.still_wants_help(50, start + CROWDED_HOLD_BACK / 2, true));
        assert!(pace.still_wants_help(50, start + CROWDED_HOLD_BACK, true));
        assert!(!pace.still_wants_help(50, start + CROWDED_HOLD_BACK, true));
        assert!(pace.still_wants_help(50, start + CROWDED_HOLD_BACK, false));
        assert!(!pace.still_wants_help(1, start + CROWDED_HOLD_BACK * 9, true));
    }

    #[test]
    fn before_the_sleep_they_are_left_only_to_an_owner_who_was_seen_at_work() {
        let mut few = FewTasks::default();
        assert!(!few.has_moved((0, 7)));
        few.is_left((0, 7));
        assert!(!few.has_moved((0, 7)));
        assert!(few.has_moved((0, 8)));
        // Of this one nothing was seen.
        assert!(!few.has_moved((1, 8)));
    }

    #[test]
    fn a_few_tasks_are_their_owners_for_a_while() {
        let mut few = FewTasks::default();
        for looks in 1..FewTasks::PATIENCE {
            assert!(!few.is_left((0, 7)), "after {looks}");
        }
        // The owner ran it; this is another.
        assert!(!few.is_left((0, 8)));
        let mut same = (2..=FewTasks::PATIENCE).map(|_| few.is_left((0, 8)));
        assert_eq!(
            same.position(|left| left),
            Some(FewTasks::PATIENCE as usize - 2)
        );
    }
}
