//! Whether the workers find the time to sleep, and so whether the reactor's objects are to be gathered (R9).
//!
//! The [`watch`](super::watch) asks at each of its looks that finds something polled. Time in which less than [most](MOST) of
//! the processors had something to do counts for it, other time against it, and that several times; where workers have to
//! wait for processors ([`crowding`](super::crowding)), or had to [not long ago](AFTER_CROWD), they are as good as asleep. A
//! pause counts for nothing: what it interrupts will go on.

use std::time::{Duration, Instant};

/// With so many percent of its time taken a processor finds hardly any to sleep.
const MOST: u128 = 60;
/// For how long, all in all, the load is small before the objects are gathered.
const LONG_ENOUGH: Duration = Duration::from_millis(160);
/// How much more the time counts in which it is not.
const WEIGHT: u32 = 4;
/// What is free again for so short is on trial.
const AFTER_CROWD: Duration = Duration::from_secs(2);

/// What the watch remembers for it.
#[derive(Debug)]
pub(super) struct Load {
    /// How many workers can run at a time.
    most_at_work: u32,
    /// When it was asked last, and for how long all workers together had been busy until then.
    last: Option<(Instant, Duration)>,
    /// For how long the load was small.
    small_for: Duration,
    crowded_at: Option<Instant>,
}

impl Load {
    pub(super) fn new(most_at_work: usize) -> Self {
        Self {
            most_at_work: most_at_work as u32,
            last: None,
            small_for: Duration::ZERO,
            crowded_at: None,
        }
    }

    /// All slept: what comes next begins from here.
    pub(super) fn pause(&mut self) {
        self.last = None;
    }

    /// Until `now` all workers together were `busy` for so long. Whether the objects are to be gathered.
    pub(super) fn is_small(&mut self, now: Instant, busy: Duration, is_crowded: bool) -> bool {
        if is_crowded {
            self.crowded_at = Some(now);
        }
        if let Some((at, before)) = self.last.replace((now, busy)) {
            let passed = now.saturating_duration_since(at);
            let had = (passed * self.most_at_work).as_nanos();
            let took = busy.saturating_sub(before).as_nanos();
            self.small_for = match took * 100 < had * MOST {
                true => (self.small_for + passed).min(LONG_ENOUGH),
                false => self.small_for.saturating_sub(passed * WEIGHT),
            };
        }
        let since_crowd = |at| now.saturating_duration_since(at);
        self.small_for >= LONG_ENOUGH
            || (self.crowded_at).is_some_and(|at| since_crowd(at) < AFTER_CROWD)
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    const LOOK: Duration = Duration::from_millis(10);

    /// Two workers on two processors.
    struct Machine {
        load: Load,
        now: Instant,
        busy: Duration,
    }

    impl Machine {
        fn new() -> Self {
            let (now, busy) = (Instant::now(), Duration::ZERO);
            let mut load = Load::new(2);
            assert!(!load.is_small(now, busy, false));
            Self { load, now, busy }
        }

        /// A look's time in which both are busy for this percentage.
        fn look(&mut self, percent: u32, is_crowded: bool) -> bool {
            self.now += LOOK;
            self.busy += 2 * LOOK * percent / 100;
            self.load.is_small(self.now, self.busy, is_crowded)
        }

        /// How many looks it takes, all at this load.
        fn until_small(&mut self, percent: u32) -> u32 {
            let looks = (1..1_000).find(|_| self.look(percent, false));
            looks.expect("it is small")
        }
    }

    #[test]
    fn a_small_load_for_a_while_is_small() {
        let mut machine = Machine::new();
        assert!((0..1_000).all(|_| !machine.look(70, false)));
        assert_eq!(machine.until_small(50), 16);
        assert!(!machine.look(70, false));
        assert_eq!(machine.until_small(0), 4);
    }

    #[test]
    fn pauses_count_for_nothing() {
        let mut machine = Machine::new();
        for _ in 0..100 {
            assert!(!machine.look(100, false) && !machine.look(20, false));
            machine.load.pause();
            machine.now += 100 * LOOK;
            assert!(!machine.look(0, false));
        }
        // The same without them.
        assert!(
            (0..100).any(|_| machine.look(100, false) || (0..5).any(|_| machine.look(20, false)))
        );
    }

    #[test]
    fn a_crowd_is_as_good_as_a_small_load_and_for_a_while_after() {
        let mut machine = Machine::new();
        assert!(!machine.look(100, false) && machine.look(100, true));
        let after = (0..1_000).take_while(|_| machine.look(100, false)).count();
        assert_eq!(after as u32, AFTER_CROWD.as_millis() as u32 / 10 - 1);
    }
}
