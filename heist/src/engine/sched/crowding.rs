//! Whether the system has a processor for one more worker.
//!
//! # What
//!
//! A worker to whom the reactor brings several tasks has a sibling woken to share them. That pays if the sibling gets a
//! processor that nobody needs. Where all are taken, by a load generator, a database, a neighbour, it takes one from
//! somebody: from the waker, or from the very client whose next request the workers are about to wait for. The same
//! work is then done by more threads in turns, and between the turns processors stand idle, as whoever would use them
//! waits behind somebody on another one.
//!
//! The workers know: the system counts for each thread how long it could have run and had to wait for a processor
//! (Linux, `schedstat`). The [`watch`](super::watch) reads that at its looks, of [a few](AT_A_LOOK) workers at a time.
//!
//! # States
//!
//! *Free*, until a worker has waited for more than a [share](CROWDED_FROM) of the time between two readings. Then
//! *crowded*, for a [while](HOLD), as nothing is to be learned meanwhile: with fewer threads awake there is no
//! waiting. Then free again, on [trial](TRIAL): if that ends as before, the next while is twice as long, up to
//! [`LONGEST`]. What follows from it is rule I13.
//!
//! # Orderings
//!
//! One flag, relaxed: a hint. No wake depends on it alone (I13).
//!
//! # Rejected
//!
//! *The pressure that the system reports for all processes* (`/proc/pressure/cpu`): others' waiting is not ours, and in a
//! container it may be another machine's. *Involuntary switches*: a worker that was just woken is seldom interrupted, it
//! interrupts. *Napping on the parker while a sibling is awake*, to leave the reactor to that one: more sleeps, no
//! gain. *The count of threads that can run* (`/proc/loadavg`): a moment's, and the whole machine's.
//!
//! # Tested by
//!
//! `tests` below, and for I13 `sched::tests`.

use std::fs;
use std::time::{Duration, Instant};

use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::Relaxed;

/// Waiting for more than one part in so many of the time is crowded. Three busy threads on two processors wait for a third
/// of it, two for a two-hundredth.
const CROWDED_FROM: u32 = 8;
/// How long it is taken for granted, the first time.
const HOLD: Duration = Duration::from_millis(100);
/// And after many times in a row.
const LONGEST: Duration = Duration::from_millis(1600);
/// What is crowded again within this time was so all the while.
const TRIAL: Duration = Duration::from_millis(50);
/// How many workers are asked at a look, so that it costs the same however many there are.
const AT_A_LOOK: usize = 4;

/// What the crew knows of it.
#[derive(Debug, Default)]
pub(crate) struct Crowding {
    crowded: AtomicBool,
}

impl Crowding {
    #[inline]
    pub(super) fn is_crowded(&self) -> bool {
        self.crowded.load(Relaxed)
    }

    pub(super) fn set(&self, crowded: bool) {
        self.crowded.store(crowded, Relaxed);
    }
}

/// What the watch remembers for it.
#[derive(Debug)]
pub(super) struct Census {
    /// What was read last of each worker.
    last: Vec<Option<(Reading, Instant)>>,
    /// Whom to ask next.
    next: usize,
    /// Until when it is crowded.
    until: Option<Instant>,
    /// When that last ended.
    free_since: Option<Instant>,
    hold: Duration,
}

/// How long a thread has waited for a processor since it began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    thread: u32,
    waited: Duration,
}

impl Reading {
    /// The system's word; `thread` is its number of a thread of this process.
    pub(super) fn of(thread: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        let waited = Duration::from_nanos(text.split(' ').nth(1)?.parse().ok()?);
        Some(Self { thread, waited })
    }
}

impl Census {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            last: vec![None; workers],
            next: 0,
            until: None,
            free_since: None,
            hold: HOLD,
        }
    }

    /// A look at some workers, whose waiting `read` tells. True if it is crowded from now on.
    pub(super) fn take(
        &mut self,
        now: Instant,
        mut read: impl FnMut(usize) -> Option<Reading>,
    ) -> bool {
        if let Some(until) = self.until {
            if now < until {
                return true;
            }
            self.until = None;
            self.free_since = Some(now);
            // What was read before is of another time.
            self.last.fill(None);
        }
        let workers = self.last.len();
        let mut crowded = false;
        for _ in 0..workers.min(AT_A_LOOK) {
            crowded |= self.has_waited(self.next, now, &mut read);
            self.next = (self.next + 1) % workers;
        }
        if crowded {
            let again = |since| now.saturating_duration_since(since) <= TRIAL;
            self.hold = match self.free_since.is_some_and(again) {
                true => (2 * self.hold).min(LONGEST),
                false => HOLD,
            };
            self.until = Some(now + self.hold);
        }
        crowded
    }

    /// Reads of a worker; true if it has waited too long since the last time.
    fn has_waited(
        &mut self,
        worker: usize,
        now: Instant,
        read: &mut impl FnMut(usize) -> Option<Reading>,
    ) -> bool {
        let Some(reading) = read(worker) else {
            return false;
        };
        let Some((before, at)) = self.last[worker].replace((reading, now)) else {
            return false;
        };
        let waited = reading.waited.saturating_sub(before.waited);
        before.thread == reading.thread && waited * CROWDED_FROM > now.saturating_duration_since(at)
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::thread_mark;

    /// Looks every 10 ms at workers of which the first waits for this share of the time, in percent, while it is free.
    struct Machine {
        census: Census,
        start: Instant,
        looks: u32,
        waited: Duration,
        crowded: bool,
    }

    impl Machine {
        fn new(workers: usize) -> Self {
            Self {
                census: Census::new(workers),
                start: Instant::now(),
                looks: 0,
                waited: Duration::ZERO,
                crowded: false,
            }
        }

        fn look(&mut self, percent: u32) -> bool {
            const INTERVAL: Duration = Duration::from_millis(10);
            self.looks += 1;
            if !self.crowded {
                self.waited += INTERVAL * percent / 100;
            }
            let waited = self.waited;
            self.crowded = self
                .census
                .take(self.start + INTERVAL * self.looks, |worker| {
                    Some(Reading {
                        thread: worker as u32,
                        waited: if worker == 0 { waited } else { Duration::ZERO },
                    })
                });
            self.crowded
        }

        /// How many looks in a row have this outcome.
        fn run_of(&mut self, crowded: bool, percent: u32) -> u32 {
            (0..).take_while(|_| self.look(percent) == crowded).count() as u32
        }
    }

    #[test]
    fn who_waits_little_is_free() {
        let mut machine = Machine::new(2);
        assert!((0..1_000).all(|_| !machine.look(12)));
    }

    #[test]
    fn where_it_stays_crowded_trials_become_rare() {
        let mut machine = Machine::new(2);
        // The first reading says nothing.
        assert_eq!(machine.run_of(false, 30), 1);
        let mut holds = Vec::new();
        for _ in 0..7 {
            // `run_of` has taken the look that ended the run before.
            holds.push(machine.run_of(true, 30) + 1);
            assert!(machine.run_of(false, 30) <= 1, "a trial takes two looks");
        }
        assert_eq!(holds, [10, 20, 40, 80, 160, 160, 160]);
    }

    #[test]
    fn a_while_after_it_was_crowded_it_is_so_for_a_short_time_again() {
        let mut machine = Machine::new(2);
        machine.run_of(false, 30);
        machine.run_of(true, 30);
        machine.run_of(false, 30);
        assert_eq!(machine.run_of(true, 30) + 1, 20);
        assert!((0..20).all(|_| !machine.look(1)));
        machine.run_of(false, 30);
        assert_eq!(machine.run_of(true, 30) + 1, 10);
    }

    #[test]
    fn of_many_workers_each_has_its_turn() {
        let mut machine = Machine::new(10);
        // Three looks for all of them, and the second time there is something to compare.
        assert!(machine.run_of(false, 30) <= 5);
    }

    #[test]
    fn another_thread_s_waiting_is_not_compared() {
        let mut census = Census::new(1);
        let start = Instant::now();
        for (look, thread) in [7, 8].into_iter().enumerate() {
            let waited = Duration::from_secs(look as u64);
            let now = start + Duration::from_millis(10) * look as u32;
            assert!(!census.take(now, |_| Some(Reading { thread, waited })));
        }
        assert!(!census.take(start + Duration::from_secs(9), |_| None));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_how_long_this_thread_has_waited() {
        let began = Instant::now();
        std::thread::spawn(move || {
            let thread = thread_mark::system_number().expect("there is /proc");
            let first = Reading::of(thread).expect("the system counts it");
            std::thread::yield_now();
            let second = Reading::of(thread).expect("the system counts it");
            assert!(first.waited <= second.waited);
            assert!(second.waited <= began.elapsed());
        })
        .join()
        .unwrap();
        assert!(Reading::of(u32::MAX).is_none());
    }
}
