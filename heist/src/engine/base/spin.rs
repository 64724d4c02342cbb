//! The short wait before the sleep.
//!
//! Sleeping and being woken costs some microseconds on both sides. A thread that has just become
//! idle therefore looks around for about [as long as that](LIMIT), so that two that talk to each other, a worker and
//! a thread of the pool, do not sleep at each word; with less they would, as who is answered by one that has to be
//! woken first gives up just before. Three guards keep the waste down:
//!
//! * one thread of a kind (workers, guests, the pool's) spins at a time;
//! * none spins while there are as many threads awake as the machine has cores;
//! * there is an [account](Spin::credit) of processor time. A spin is paid from it, whether it found or not; one that
//!   found earns what the [spared sleep](Spin::spared) would have taken, and a wait that could not be paid a
//!   [little](TRIAL) towards another try. Who cannot pay for a whole spin sleeps at once.
//!
//! So whatever the rhythm, all the time that is spun is at most what the spared sleeps would have taken, and beyond
//! that 0.3 us for each sleep that was made (3 % of a core at 100,000 of them a second), and the
//! [size of the account](MOST) once; but for the [looks](LOOKS) since the clock was last read, and a payment that two
//! threads write at once. Tried before: to count the spins that found against those that did not. That
//! spins on where every other one finds, just before its end, and takes a third of a core.
//!
//! The words are hints: relaxed, and nothing is ordered by them.

use std::time::{Duration, Instant};

use crate::loom::hint;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::sync::atomic::{AtomicBool, AtomicU32};

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
/// What a sleep earns: where spins do not pay, one wait in 64 is tried.
const TRIAL: u32 = PRICE / 64;
/// The most that can be in the account: with less, what was earned in a good stretch is gone after a short bad one.
const MOST: u32 = 16 * PRICE;
/// Looks between two looks at the clock.
const LOOKS: u32 = 8;

#[derive(Debug)]
pub(crate) struct Spin {
    cores: usize,
    /// A thread spins.
    taken: AtomicBool,
    /// What a sleep would have taken, in nanoseconds.
    spared: u32,
    /// The account, in nanoseconds.
    credit: AtomicU32,
}

impl Spin {
    /// Without `cores` none spins. `spared`: [`SPARED`] or [`SPARED_OF_MANY`].
    pub(crate) fn new(cores: usize, spared: u32) -> Self {
        Self {
            cores,
            taken: AtomicBool::new(false),
            spared,
            credit: AtomicU32::new(MOST),
        }
    }

    /// Looks for a little while; true if `look` found what it looks for. `awake` counts the other
    /// threads that want to run.
    pub(crate) fn wait(&self, awake: usize, look: impl FnMut() -> bool) -> bool {
        if awake >= self.cores {
            return false;
        }
        let credit = self.credit.load(Relaxed);
        if credit < PRICE {
            self.credit.store(credit + TRIAL, Relaxed);
            return false;
        }
        if self.taken.load(Relaxed) || self.taken.swap(true, Relaxed) {
            return false;
        }
        let found = spin(look);
        let credit = settle(self.credit.load(Relaxed), self.spared, found);
        self.credit.store(credit, Relaxed);
        self.taken.store(false, Relaxed);
        found.is_some()
    }
}

/// What is left of the credit after a spin that took `found` nanoseconds, or all, and found nothing.
fn settle(credit: u32, spared: u32, found: Option<u32>) -> u32 {
    match found {
        Some(spent) => (credit + spared).saturating_sub(spent).min(MOST),
        None => credit.saturating_sub(PRICE),
    }
}

/// The nanoseconds after which `look` found something, at most [`PRICE`].
fn spin(mut look: impl FnMut() -> bool) -> Option<u32> {
    let start = Instant::now();
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

    /// Waits `times` times: something comes after `gap()` nanoseconds, which a spin finds if it is that soon. Gives the
    /// nanoseconds spun, the sleeps spared and the sleeps made.
    fn rehearse(times: u32, earns: u32, mut gap: impl FnMut(u32) -> u32) -> (u64, u64, u64) {
        let (mut credit, mut spun, mut spared, mut slept) = (MOST, 0, 0, 0);
        for wait in 0..times {
            let gap = gap(wait);
            if credit < PRICE {
                credit += TRIAL;
                slept += 1;
                continue;
            }
            let found = (gap < PRICE).then_some(gap);
            credit = settle(credit, earns, found);
            spun += u64::from(found.unwrap_or(PRICE));
            if found.is_some() {
                spared += 1;
            } else {
                slept += 1;
            }
        }
        (spun, spared, slept)
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
            Box::new(|wait| if wait % 64 < 60 { 100 } else { PRICE - 1 }),
        ];
        rhythms.push(Box::new(move |_| random.below(2 * PRICE)));
        for (number, rhythm) in rhythms.iter_mut().enumerate() {
            for earns in [SPARED, SPARED_OF_MANY] {
                let (spun, spared, slept) = rehearse(100_000, earns, &mut *rhythm);
                let most = spared * u64::from(earns) + slept * u64::from(TRIAL) + u64::from(MOST);
                assert!(spun <= most, "rhythm {number}: spun {spun} ns of {most}");
            }
        }
    }

    #[test]
    fn quick_answers_are_all_waited_for() {
        let (_, spared, slept) = rehearse(100_000, SPARED, |_| SPARED - 1);
        assert_eq!((spared, slept), (100_000, 0));
    }

    #[test]
    fn where_nothing_comes_one_wait_in_64_is_tried() {
        let (spun, spared, _) = rehearse(64_000, SPARED, |_| u32::MAX);
        assert_eq!(spared, 0);
        let tries = spun / u64::from(PRICE);
        assert!((900..=1_016).contains(&tries), "{tries} tries");
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
