//! The short wait before the sleep.
//!
//! Sleeping and being woken costs some microseconds on both sides. A thread that has just become
//! idle therefore looks around for about [as long as that](LIMIT), so that two that talk to each other, a worker and
//! a thread of the pool, do not sleep at each word; with less they would, as who is answered by one that has to be
//! woken first gives up just before. Three guards keep the waste down:
//!
//! * one thread of a kind (workers, guests, the pool's) spins at a time;
//! * none spins while there are as many threads awake as the machine has cores;
//! * there is an [account](Spin::credit) of processor time. A spin that found nothing is paid from it, and of one that
//!   found what it took beyond the [spared sleep](Spin::spared). It earns by the clock, a [32nd](SHARE) of the time
//!   that passes and at most a [little](TRIAL) a wait; and an 8th of that where of the last spins [many more](PATIENCE)
//!   found nothing than something. Who cannot pay for a whole spin sleeps at once.
//!
//! So whatever the rhythm, what a kind spins in vain is at most 3 % of one core, less than 1 % where most of it is in vain, and the
//! [size of the account](MOST) once; but for the [looks](LOOKS) since the clock was last read. The same holds of what it spins beyond the
//! [spared sleeps](SPARED), a constant that was measured on a virtual machine; on others a sleep takes less. A spin that
//! saves a longer sleep is no waste, and has no other bound: two that answer each other in a microsecond spin half of the
//! time, and take less of the processors than if they slept. (Nor is one charged that soon saw work, which another
//! worker then took.) There is one account a kind: where one waits in vain and another is answered at once, the first
//! may leave the second nothing to spin for.
//!
//! Tried before. To count the spins that found against those that did not: it spins on where every other one finds,
//! just before its end, and takes a third of a core. To let the spared sleeps pay for spins in vain: so does a rhythm of
//! five quick answers and one that does not come; and with a message every 3 us at random times a worker took 96 % of a
//! core, now 38 (Tokio's 49). To earn a 64th of a spin a wait: two that have once fallen asleep find each other again
//! only when both try at the same word, which took them half a second. To earn an 8th for ever: at 5,000 requests a second,
//! of which none comes soon, that was 2.5 us of the processor for each. To be patient again at the first find: at 20,000 a second, where one in three
//! comes soon enough, it took 10 % more of the processor a request than Tokio. To earn a 128th of the time always: two that
//! answer each other sleep for half of it if one answer in a thousand stays away.
//!
//! The account is written by who has [`taken`](Spin::taken) it, and handed on with that; nothing else is ordered by it.

use std::time::{Duration, Instant};

use crate::loom::hint;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// What a sleep costs on a virtual machine, from the call that ends it until the sleeper runs: there a processor
/// without work is given back to the host. Elsewhere it is a quarter of that, and the guards have more to do.
const LIMIT: Duration = Duration::from_micros(20);
/// The price of a spin that finds nothing, in nanoseconds.
const PRICE: u32 = LIMIT.as_nanos() as u32;
/// What a sleep takes of the processors, the sleeper's and the waker's, in nanoseconds and without the host's part,
/// if it ends with the one thing that was waited for: an answer, a job.
pub(crate) const SPARED: u32 = PRICE / 2;
/// The same of a worker's, for whom several things can come while it sleeps: with more, a message every 5 us keeps it
/// spinning, for twice the time that sleeps would take.
pub(crate) const SPARED_OF_MANY: u32 = PRICE / 5;
/// The part of the time that may be spun in vain, on average: one in so many.
const SHARE: u64 = 32;
/// The most that a wait earns: where spins do not pay, and waits are far apart, one in 8 is tried, for a while.
const TRIAL: u32 = PRICE / 8;
/// After so many more spins in vain than that found something, less is earned: [one in so many](IMPATIENCE).
const PATIENCE: u32 = 64;
const IMPATIENCE: u32 = 8;
/// The most that can be in the account: with less, a short bad stretch ends the spinning of two who had answered each
/// other for long.
const MOST: u32 = 16 * PRICE;
/// Looks between two looks at the clock.
const LOOKS: u32 = 8;

#[derive(Debug)]
pub(crate) struct Spin {
    cores: usize,
    /// A thread spins, or looks whether it may.
    taken: AtomicBool,
    /// What a sleep would have taken, in nanoseconds.
    spared: u32,
    /// The account, in nanoseconds.
    credit: AtomicU32,
    /// When it was made.
    opened: Instant,
    /// Until when it has earned, in nanoseconds since then.
    earned: AtomicU64,
    /// How many more spins were in vain than found something, of those that count.
    failures: AtomicU32,
}

impl Spin {
    /// Without `cores` none spins. `spared`: [`SPARED`] or [`SPARED_OF_MANY`].
    pub(crate) fn new(cores: usize, spared: u32) -> Self {
        Self {
            cores,
            taken: AtomicBool::new(false),
            spared,
            credit: AtomicU32::new(MOST),
            opened: Instant::now(),
            earned: AtomicU64::new(0),
            failures: AtomicU32::new(0),
        }
    }

    /// Looks for a little while; true if `look` found what it looks for. `awake` counts the other
    /// threads that want to run.
    pub(crate) fn wait(&self, awake: usize, look: impl FnMut() -> bool) -> bool {
        // Ordering: acquire pairs with the release below: the account is as the last one left it.
        if awake >= self.cores || self.taken.load(Relaxed) || self.taken.swap(true, Acquire) {
            return false;
        }
        let start = Instant::now();
        let mut account = self.account();
        let mut found = None;
        if account.affords(start.saturating_duration_since(self.opened)) {
            found = spin(start, look);
            account.pay(found, self.spared);
        }
        self.credit.store(account.credit, Relaxed);
        self.earned.store(account.earned, Relaxed);
        self.failures.store(account.failures, Relaxed);
        // Ordering: release pairs with the acquire above.
        self.taken.store(false, Release);
        found.is_some()
    }

    /// As the last one left it.
    fn account(&self) -> Account {
        Account {
            credit: self.credit.load(Relaxed),
            earned: self.earned.load(Relaxed),
            failures: self.failures.load(Relaxed),
        }
    }
}

/// The account of processor time, in nanoseconds.
#[derive(Debug)]
struct Account {
    credit: u32,
    /// Until when it has earned.
    earned: u64,
    /// How many more spins were in vain than found something, of those that count: as many finds as
    /// [patience](PATIENCE) has make up for whatever was before.
    failures: u32,
}

impl Account {
    /// Earns until `now`; whether that is enough for a whole spin.
    fn affords(&mut self, now: Duration) -> bool {
        let now = now.as_nanos() as u64;
        let passed = now.saturating_sub(self.earned);
        self.earned = now;
        let mut earnings = (passed / SHARE).min(u64::from(TRIAL)) as u32;
        if self.failures >= PATIENCE {
            earnings /= IMPATIENCE;
        }
        self.credit = (self.credit + earnings).min(MOST);
        self.credit >= PRICE
    }

    /// For a spin that found something after so many nanoseconds, or nothing.
    fn pay(&mut self, found: Option<u32>, spared: u32) {
        let price = found.map_or(PRICE, |spent| spent.saturating_sub(spared));
        self.credit = self.credit.saturating_sub(price);
        self.failures = match found {
            Some(_) => self.failures.saturating_sub(1),
            None => (self.failures + 1).min(2 * PATIENCE - 1),
        };
    }
}

/// The nanoseconds from `start` until `look` found something, at most [`PRICE`].
fn spin(start: Instant, mut look: impl FnMut() -> bool) -> Option<u32> {
    let mut spent = 0;
    loop {
        for _ in 0..LOOKS {
            if look() {
                return Some(spent);
            }
            hint::spin_loop();
        }
        let elapsed = start.elapsed();
        if elapsed >= LIMIT {
            return None;
        }
        spent = elapsed.as_nanos() as u32;
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::rng::FastRand;

    /// What came of many waits, in nanoseconds where it is time.
    #[derive(Debug, Default)]
    struct Rehearsal {
        passed: u64,
        spun: u64,
        spun_in_vain: u64,
        spared: u64,
        slept: u64,
    }

    /// Waits `times` times: something comes after `gap()` nanoseconds, which a spin finds if it is that soon, and which
    /// takes a tenth of a microsecond to do.
    fn rehearse(times: u32, spared: u32, mut gap: impl FnMut(u32) -> u32) -> Rehearsal {
        let mut sum = Rehearsal::default();
        let mut account = Account {
            credit: MOST,
            earned: 0,
            failures: 0,
        };
        for wait in 0..times {
            let gap = gap(wait);
            let found = (gap < PRICE).then_some(gap);
            if account.affords(Duration::from_nanos(sum.passed)) {
                account.pay(found, spared);
                sum.spun += u64::from(found.unwrap_or(PRICE));
                match found {
                    Some(_) => sum.spared += 1,
                    None => {
                        sum.spun_in_vain += u64::from(PRICE);
                        sum.slept += 1;
                    }
                }
            } else {
                sum.slept += 1;
            }
            sum.passed += u64::from(gap) + 100;
        }
        sum
    }

    #[test]
    fn what_is_spun_is_bounded_in_every_rhythm() {
        let mut random = FastRand::new(7);
        let mut rhythms: Vec<Box<dyn FnMut(u32) -> u32>> = vec![
            Box::new(|_| 0),
            Box::new(|_| SPARED),
            Box::new(|_| SPARED_OF_MANY),
            Box::new(|_| PRICE - 1),
            Box::new(|_| PRICE),
            Box::new(|wait| if wait % 2 == 0 { 0 } else { PRICE }),
            Box::new(|wait| if wait % 2 == 0 { PRICE - 1 } else { PRICE }),
            Box::new(|wait| if wait % 6 < 5 { 100 } else { PRICE }),
            Box::new(|wait| if wait % 64 < 60 { 100 } else { PRICE - 1 }),
        ];
        rhythms.push(Box::new(move |_| random.below(2 * PRICE)));
        for (number, rhythm) in rhythms.iter_mut().enumerate() {
            for spared in [SPARED, SPARED_OF_MANY] {
                let sum = rehearse(100_000, spared, &mut *rhythm);
                let share = sum.passed / SHARE + u64::from(MOST);
                assert!(sum.spun_in_vain <= share, "rhythm {number}: {sum:?}");
                let spared = sum.spared * u64::from(spared);
                assert!(sum.spun <= spared + share, "rhythm {number}: {sum:?}");
            }
        }
    }

    #[test]
    fn quick_answers_are_all_waited_for() {
        let sum = rehearse(100_000, SPARED, |_| SPARED - 1);
        assert_eq!((sum.spared, sum.slept), (100_000, 0));
    }

    #[test]
    fn a_quick_answer_that_stays_away_at_times_ends_nothing() {
        let sum = rehearse(100_000, SPARED, |wait| {
            if wait % 1_000 == 0 { PRICE } else { 1_000 }
        });
        assert_eq!(sum.slept, 100);
    }

    #[test]
    fn where_nothing_comes_one_wait_in_8_is_tried_and_one_in_64_later() {
        let sum = rehearse(8_000, SPARED, |_| u32::MAX);
        assert_eq!(sum.spared, 0);
        let tries = sum.spun / u64::from(PRICE);
        assert!((175..=195).contains(&tries), "{tries} tries");
    }

    #[test]
    fn so_many_that_find_something_make_patient_again() {
        let mut account = Account {
            credit: 0,
            earned: 0,
            failures: 0,
        };
        for _ in 0..10 * PATIENCE {
            account.pay(None, SPARED);
        }
        assert!(!account.affords(Duration::from_secs(1)));
        assert_eq!(account.credit, TRIAL / IMPATIENCE);
        for _ in 0..PATIENCE {
            account.pay(Some(0), SPARED);
        }
        assert!(!account.affords(Duration::from_secs(2)));
        assert_eq!(account.credit, TRIAL / IMPATIENCE + TRIAL);
    }

    #[test]
    fn where_one_in_three_finds_less_is_spun_in_vain() {
        let sum = rehearse(100_000, SPARED, |wait| {
            if wait % 3 == 0 { SPARED } else { 4 * PRICE }
        });
        let share = sum.passed / (SHARE * u64::from(IMPATIENCE));
        let begin = u64::from(MOST + 2 * PATIENCE * PRICE);
        assert!(sum.spun_in_vain <= share + begin, "{sum:?}");
        assert!(sum.spared > 0, "{sum:?}");
    }

    #[test]
    fn who_cannot_pay_does_not_look() {
        const WAITS: u32 = 40;
        let spin = Spin::new(1, SPARED);
        let mut tries = 0;
        for _ in 0..WAITS {
            let mut looked = false;
            assert!(!spin.wait(0, || {
                looked = true;
                false
            }));
            tries += u32::from(looked);
        }
        // What was there at the beginning, and the most that so many waits can earn.
        assert!(tries >= MOST / PRICE, "{tries} tries");
        assert!(tries <= (MOST + WAITS * TRIAL) / PRICE, "{tries} tries");
    }

    #[test]
    fn a_spin_finds_what_comes() {
        let spin = Spin::new(2, SPARED);
        let mut looks = 0;
        let found = spin.wait(1, || {
            looks += 1;
            looks == 3
        });
        assert!(found);
        assert!(!spin.wait(2, || true), "as many awake as there are cores");
        assert!(!Spin::new(0, SPARED).wait(0, || true), "without a core");
    }
}
