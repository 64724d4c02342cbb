//! Whether the workers find the time to sleep, and so whether the reactor's objects are gathered or spread (R9).
//!
//! **What.** How many workers are up on the average, of the time in which any is: at a small load one does what there is and the others
//! sleep on, whether that is for a moment in each millisecond or for long; at a large one all are up. Pauses do not count: what they
//! interrupt will go on. The [`watch`](super::watch) asks at its looks, and knows when [enough](TELLING) has passed since it last
//! knew. Where workers have to wait for processors ([`crowding`](super::crowding)), or had to [not long ago](AFTER_CROWD), the
//! load is as good as small: others are to have the processors.
//!
//! **Rejected.** *The part of all time*: a burst of 10 ms in each 50 is a small load by that, and has its sockets moved to and fro.
//! *A verdict for each look*: a worker in long polls is counted at the end of several, for the looks of that time at once.

use std::time::{Duration, Instant};

use crate::loom::sync::atomic::AtomicU64;
use crate::loom::sync::atomic::Ordering::Relaxed;

/// Less than so many percent of the workers that can run at a time are few.
const FEW: u32 = 70;
/// But so many workers are not, as they would all turn the first shard.
const NOT_FEW: u32 = 8;
/// A fifth more than few are many: it is not by a hair that objects are moved.
const MANY: u32 = 120;
/// For how long somebody has to be up, all in all, to tell that few are. Where there is little to do it takes a while.
const TELLING: Duration = Duration::from_millis(30);
/// The same to tell that many are: nobody waits for that.
const TELLING_MUCH: Duration = Duration::from_millis(100);
/// What is free again for so short is on trial.
const AFTER_CROWD: Duration = Duration::from_secs(2);

/// For how long nobody has been up, counted by those who go to sleep and get up: a hint, which orders nothing.
#[derive(Debug)]
pub(super) struct Calm {
    origin: Instant,
    /// When the one that lasts began, in nanoseconds and plus one; 0 if somebody is up.
    began: AtomicU64,
    /// All that are over, in nanoseconds.
    past: AtomicU64,
}

impl Calm {
    /// Nobody has got up yet.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            origin: now,
            began: AtomicU64::new(1),
            past: AtomicU64::new(0),
        }
    }

    /// All sleep from `now` on.
    pub(super) fn begin(&self, now: Instant) {
        self.began.store(self.nanos(now) + 1, Relaxed);
    }

    /// Somebody is up.
    #[inline]
    pub(super) fn end(&self, now: Instant) {
        if self.began.load(Relaxed) != 0 {
            let began = self.began.swap(0, Relaxed);
            let lasted = (self.nanos(now) + 1).saturating_sub(began);
            // Of two who get up at once the other has swapped 0.
            if began != 0 {
                self.past.fetch_add(lasted, Relaxed);
            }
        }
    }

    /// How long it was, until `now`.
    fn sum(&self, now: Instant) -> Duration {
        let began = self.began.load(Relaxed);
        let lasts = match began {
            0 => 0,
            _ => (self.nanos(now) + 1).saturating_sub(began),
        };
        Duration::from_nanos(self.past.load(Relaxed) + lasts)
    }

    fn nanos(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.origin).as_nanos() as u64
    }
}

/// What the watch remembers for it.
#[derive(Debug)]
pub(super) struct Load {
    /// How many workers can be up at a time.
    most_up: u32,
    /// So many up on the average are few; in percent of one.
    few: u32,
    /// When it was asked last, and until then: the calm, and for how long all workers together had been up.
    last: Option<(Instant, Duration, Duration)>,
    /// Since it last knew: for how long somebody was up, and for how long all together.
    any: Duration,
    all: Duration,
    crowded_at: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Small,
    Large,
    Unknown,
}

impl Load {
    pub(super) fn new(most_up: usize) -> Self {
        Self {
            most_up: most_up as u32,
            few: (most_up as u32 * FEW).min(NOT_FEW * 100),
            last: None,
            any: Duration::ZERO,
            all: Duration::ZERO,
            crowded_at: None,
        }
    }

    /// Somebody is in a long poll: it is not known yet for how long it was up. What was before is.
    pub(super) fn skip(&mut self) {
        self.last = None;
    }

    /// Until `now` all workers together were `up` for so long.
    pub(super) fn weigh(
        &mut self,
        now: Instant,
        calm: &Calm,
        up: Duration,
        crowded: bool,
    ) -> Verdict {
        let calm = calm.sum(now);
        if let Some((at, calm_before, up_before)) = self.last.replace((now, calm, up)) {
            let passed = now.saturating_duration_since(at);
            self.any += passed.saturating_sub(calm.saturating_sub(calm_before));
            // A worker counts its time at the end of some polls: not more than there was.
            let most = passed * self.most_up;
            self.all += up.saturating_sub(up_before).min(most);
        }
        if crowded {
            self.crowded_at = Some(now);
        }
        let since_crowd = |at| now.saturating_duration_since(at);
        let is_on_trial = (self.crowded_at).is_some_and(|at| since_crowd(at) < AFTER_CROWD);
        if self.any < TELLING && !is_on_trial {
            return Verdict::Unknown;
        }
        let (any, all) = (self.any, self.all * 100);
        let is_small = is_on_trial || all < any * self.few;
        if is_small || self.any >= TELLING_MUCH {
            self.any = Duration::ZERO;
            self.all = Duration::ZERO;
        }
        match () {
            () if is_small => Verdict::Small,
            () if any >= TELLING_MUCH && all * 100 > any * self.few * MANY => Verdict::Large,
            () => Verdict::Unknown,
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    const LOOK: Duration = Duration::from_millis(10);

    /// Workers that are looked at every 10 ms.
    struct Machine {
        load: Load,
        calm: Calm,
        now: Instant,
        up: Duration,
    }

    impl Machine {
        fn new(workers: usize) -> Self {
            let now = Instant::now();
            let calm = Calm::new(now);
            calm.end(now);
            Self {
                load: Load::new(workers),
                calm,
                now,
                up: Duration::ZERO,
            }
        }

        /// From one look to the next somebody was up for these percent of the time, and all together for those.
        fn look(&mut self, any: u32, all: u32) -> Verdict {
            self.calm.begin(self.now);
            self.calm.end(self.now + LOOK * (100 - any) / 100);
            self.now += LOOK;
            self.up += LOOK * all / 100;
            self.load.weigh(self.now, &self.calm, self.up, false)
        }

        /// What is known in the end, and how many looks it takes.
        fn verdict(&mut self, any: u32, all: u32) -> (Verdict, u32) {
            self.load.skip();
            self.load.any = Duration::ZERO;
            self.load.all = Duration::ZERO;
            self.look(any, all);
            let known = (1..1_000).map(|looks| (self.look(any, all), looks));
            let known = known
                .take(200)
                .find(|(verdict, _)| *verdict != Verdict::Unknown);
            known.unwrap_or((Verdict::Unknown, 0))
        }
    }

    #[test]
    fn few_who_are_up_are_a_small_load_however_long_they_are() {
        let mut two = Machine::new(2);
        assert_eq!(two.verdict(100, 100), (Verdict::Small, 3));
        assert_eq!(two.verdict(10, 12), (Verdict::Small, 30));
        assert_eq!(two.verdict(100, 150), (Verdict::Unknown, 0));
        assert_eq!(two.verdict(100, 190), (Verdict::Large, 10));
        assert_eq!(two.verdict(20, 38), (Verdict::Large, 50));
    }

    #[test]
    fn many_workers_are_not_few_even_if_others_sleep() {
        let mut many = Machine::new(64);
        assert_eq!(many.verdict(100, 700), (Verdict::Small, 3));
        assert_eq!(many.verdict(100, 900), (Verdict::Unknown, 0));
        assert_eq!(many.verdict(100, 1_000), (Verdict::Large, 10));
    }

    #[test]
    fn a_long_poll_is_not_taken_for_a_calm_nor_its_end_for_more_than_there_was() {
        let mut machine = Machine::new(2);
        for _ in 0..5 {
            assert_eq!(machine.look(100, 200), Verdict::Unknown);
        }
        // Counted by nobody yet, and then all at once.
        machine.load.skip();
        machine.now += 100 * LOOK;
        assert_eq!(machine.look(100, 0), Verdict::Unknown);
        assert_eq!(machine.look(100, 10_000), Verdict::Unknown);
        // The first look of either time has nothing to compare with.
        assert_eq!(machine.load.all, 4 * 2 * LOOK + 2 * LOOK);
    }

    #[test]
    fn a_calm_that_lasts_is_counted_and_that_is_all() {
        let mut machine = Machine::new(2);
        assert_eq!(machine.look(100, 200), Verdict::Unknown);
        machine.calm.begin(machine.now);
        for _ in 0..100 {
            machine.now += LOOK;
            let (now, up) = (machine.now, machine.up);
            assert_eq!(
                machine.load.weigh(now, &machine.calm, up, false),
                Verdict::Unknown
            );
        }
        machine.calm.end(machine.now);
        machine.calm.end(machine.now + LOOK);
        assert_eq!(machine.load.any, Duration::ZERO);
        assert_eq!(machine.calm.sum(machine.now), 100 * LOOK);
    }

    #[test]
    fn a_crowd_is_as_good_as_a_small_load_and_for_a_while_after() {
        let mut machine = Machine::new(2);
        machine
            .load
            .weigh(machine.now, &machine.calm, machine.up, true);
        let small = (0..1_000).take_while(|_| machine.look(100, 200) == Verdict::Small);
        assert_eq!(
            small.count() as u32,
            AFTER_CROWD.as_millis() as u32 / 10 - 1
        );
        assert_eq!(machine.verdict(100, 200).0, Verdict::Large);
    }
}
