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
//! The workers know: the system counts for each thread how long it ran, and how long it could have run and had to wait
//! for a processor (Linux, `schedstat`). The [`watch`](super::watch) reads that of [a few](GROUP) workers, and again
//! [a while](WINDOW) later.
//!
//! # States
//!
//! *Free*, until a group of workers has waited for more than a [share](CROWDED_FROM) of the time that it ran. Then
//! *crowded*, for a [time](HOLD), in which there is nothing to learn: with fewer threads awake there is no waiting.
//! Then free again, on trial: if the next comparison that tells anything soon says the same, it is crowded for twice as
//! long, up to [`LONGEST`]. It ends by the clock ([`spell`](super::spell)). What follows from it is rule I13.
//!
//! # Rejected
//!
//! *The pressure that the system reports for all processes* (`/proc/pressure/cpu`): others' waiting is not ours, and in a
//! container it may be another machine's. *Involuntary switches*: a worker that was just woken is seldom interrupted, it
//! interrupts. *Napping on the parker while a sibling is awake*, to leave the reactor to that one: more sleeps, no
//! gain. *The count of threads that can run* (`/proc/loadavg`): a moment's, and the whole machine's. *One worker's waiting
//! from one look to the next*: a single hiccup of one would do.
//!
//! # Tested by
//!
//! `tests` below, and for I13 `sched::tests`.

use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use crate::engine::base::thread_mark;

/// One part of waiting in so many of running is crowded. On two processors, two busy workers beside another thread wait
/// for half to all of the time that they run, and one for a two-hundredth.
const CROWDED_FROM: u32 = 4;
/// What a thread waits for at each turn in any case: until it was woken.
const WAKE: Duration = Duration::from_micros(20);
/// The least time from a reading to the one that it is compared with.
const WINDOW: Duration = Duration::from_millis(50);
/// And the longest: what was waited before the runtime slept for long is no news.
const STALE: Duration = Duration::from_millis(200);
/// The least that was run and waited then to tell anything.
const TELLING: Duration = Duration::from_millis(10);
/// The least that was waited, for it to be more than one neighbour's turn.
const LEAST_WAITED: Duration = Duration::from_millis(5);
/// How long it is crowded, the first time.
const HOLD: Duration = Duration::from_millis(100);
/// And after many times in a row.
const LONGEST: Duration = Duration::from_millis(1600);
/// How many workers are asked at a time, so that it costs the same however many there are: up to 130 readings a second
/// while somebody is awake and it is free, of three system calls each.
const GROUP: usize = 4;

/// What a thread has had of the processors since it began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reading {
    thread: u32,
    ran: Duration,
    waited: Duration,
    turns: u32,
}

impl Reading {
    /// The system's word; `thread` is its number of a thread of this process.
    pub(super) fn of(thread: u32) -> Option<Self> {
        let mut file = File::open(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        let mut text = [0; 64];
        let len = file.read(&mut text).ok()?;
        let mut numbers = str::from_utf8(&text[..len]).ok()?.split_ascii_whitespace();
        let mut number = || numbers.next()?.parse::<u64>().ok();
        Some(Self {
            thread,
            ran: Duration::from_nanos(number()?),
            waited: Duration::from_nanos(number()?),
            turns: number()? as u32,
        })
    }

    /// How long the thread ran, and waited longer than it takes to be woken, since an `earlier` reading; nothing if that
    /// was another thread's.
    fn since(self, earlier: Self) -> (Duration, Duration) {
        if self.thread != earlier.thread {
            return (Duration::ZERO, Duration::ZERO);
        }
        let wakes = WAKE * self.turns.wrapping_sub(earlier.turns);
        let waited = self.waited.saturating_sub(earlier.waited);
        let ran = self.ran.saturating_sub(earlier.ran);
        (ran, waited.saturating_sub(wakes))
    }
}

/// What the watch remembers for it.
#[derive(Debug)]
pub(super) struct Census {
    workers: usize,
    /// The first of those who are asked.
    first: usize,
    /// What was read of them, and when.
    readings: [Option<Reading>; GROUP],
    since: Option<Instant>,
    /// Until when it is crowded.
    until: Option<Instant>,
    /// When that ended, if there has been no comparison since.
    on_trial: Option<Instant>,
    hold: Duration,
}

impl Census {
    /// `None` where the system does not tell.
    pub(super) fn new(workers: usize) -> Option<Self> {
        let reading = thread_mark::system_number().and_then(Reading::of);
        // This thread has had one; some systems say nothing but zeros.
        let is_told = reading.is_some_and(|reading| reading.turns > 0);
        is_told.then(|| Self::told(workers))
    }

    fn told(workers: usize) -> Self {
        Self {
            workers,
            first: 0,
            readings: [None; GROUP],
            since: None,
            until: None,
            on_trial: None,
            hold: HOLD,
        }
    }

    /// A look; `read` tells what a worker's thread has had. Until when it is crowded, if that is news.
    pub(super) fn take(
        &mut self,
        now: Instant,
        read: impl Fn(usize) -> Option<Reading>,
    ) -> Option<Instant> {
        if let Some(until) = self.until {
            if now < until {
                return None;
            }
            self.until = None;
            self.on_trial = Some(until);
            // What was read before is of another time.
            self.since = None;
        }
        match self.since.map(|since| now.saturating_duration_since(since)) {
            Some(passed) if passed < WINDOW => None,
            Some(passed) if passed <= STALE => self.compare(now, read),
            _ => self.read(now, read),
        }
    }

    /// The workers who are asked.
    fn group(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, workers) = (self.first, self.workers);
        (0..workers.min(GROUP)).map(move |i| (first + i) % workers)
    }

    fn read(&mut self, now: Instant, read: impl Fn(usize) -> Option<Reading>) -> Option<Instant> {
        self.readings = [None; GROUP];
        for (worker, reading) in self.group().zip(&mut self.readings) {
            *reading = read(worker);
        }
        self.since = Some(now);
        None
    }

    fn compare(
        &mut self,
        now: Instant,
        read: impl Fn(usize) -> Option<Reading>,
    ) -> Option<Instant> {
        let (mut ran, mut waited) = (Duration::ZERO, Duration::ZERO);
        for (worker, earlier) in self.group().zip(&self.readings) {
            if let (Some(earlier), Some(reading)) = (earlier, read(worker)) {
                let (ran_since, waited_since) = reading.since(*earlier);
                ran += ran_since;
                waited += waited_since;
            }
        }
        self.since = None;
        self.first = (self.first + GROUP) % self.workers;
        if ran + waited < TELLING {
            return None;
        }
        let on_trial = self.on_trial.take();
        if waited < LEAST_WAITED || waited * CROWDED_FROM <= ran {
            return None;
        }
        // Not for what comes once a minute. Each group has its turn meanwhile.
        let trial = LONGEST.max(2 * WINDOW * self.workers.div_ceil(GROUP) as u32);
        let soon = |ended| now.saturating_duration_since(ended) <= trial;
        self.hold = match on_trial.is_some_and(soon) {
            true => (2 * self.hold).min(LONGEST),
            false => HOLD,
        };
        self.until = Some(now + self.hold);
        self.until
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::engine::sched::spell::Spell;

    const LOOK: Duration = Duration::from_millis(10);

    /// A machine with workers that want to run all the time, and are looked at every 10 ms.
    struct Machine {
        census: Census,
        crowded: Spell,
        start: Instant,
        looks: u32,
        workers: RefCell<Vec<Reading>>,
    }

    impl Machine {
        fn new(workers: usize) -> Self {
            let start = Instant::now();
            let thread = |thread| Reading {
                thread,
                ..Reading::default()
            };
            Self {
                census: Census::told(workers),
                crowded: Spell::new(start),
                start,
                looks: 0,
                workers: RefCell::new((0..workers as u32).map(thread).collect()),
            }
        }

        /// Time passes, of which each worker waits for this percentage; but not while it is crowded. Whether it is.
        fn look(&mut self, percent_of: impl Fn(usize) -> u32) -> bool {
            let was_crowded = self.is_crowded();
            for (worker, reading) in self.workers.borrow_mut().iter_mut().enumerate() {
                let percent = if was_crowded { 0 } else { percent_of(worker) };
                reading.ran += LOOK * (100 - percent) / 100;
                reading.waited += LOOK * percent / 100;
            }
            self.looks += 1;
            let read = |worker: usize| Some(self.workers.borrow()[worker]);
            if let Some(until) = self.census.take(self.now(), read) {
                self.crowded.set_until(until);
            }
            self.is_crowded()
        }

        fn now(&self) -> Instant {
            self.start + LOOK * self.looks
        }

        fn is_crowded(&self) -> bool {
            self.crowded.lasts(self.now())
        }

        /// How many looks it takes until it is crowded, or is not any more.
        fn until(&mut self, crowded: bool, percent: u32) -> u32 {
            let looks = (1..=1_000).find(|_| self.look(|_| percent) == crowded);
            looks.expect("it comes to that")
        }
    }

    #[test]
    fn who_waits_little_is_free() {
        let mut machine = Machine::new(2);
        assert!((0..1_000).all(|_| !machine.look(|_| 20)));
    }

    #[test]
    fn a_hiccup_now_and_then_is_no_crowd() {
        for phase in 0..6 {
            let mut machine = Machine::new(2);
            for look in 0..100 {
                let hiccup = |worker: usize| 90 * u32::from(worker == 0 && look % 6 == phase);
                assert!(!machine.look(hiccup), "look {look}");
            }
        }
    }

    #[test]
    fn one_of_many_who_waits_is_no_crowd() {
        let mut machine = Machine::new(16);
        assert!((0..1_000).all(|_| !machine.look(|worker| 50 * u32::from(worker == 0))));
    }

    #[test]
    fn where_it_stays_crowded_trials_become_rare() {
        for workers in [2, 64] {
            let mut machine = Machine::new(workers);
            // The first look has nothing to compare with.
            assert_eq!(machine.until(true, 33), 6);
            let mut holds = Vec::new();
            for _ in 0..7 {
                holds.push(machine.until(false, 33));
                assert_eq!(machine.until(true, 33), 5, "that long is a trial");
            }
            assert_eq!(holds, [10, 20, 40, 80, 160, 160, 160]);
        }
    }

    #[test]
    fn what_was_free_for_a_while_is_crowded_for_a_short_time_again() {
        let mut machine = Machine::new(2);
        machine.until(true, 33);
        machine.until(false, 33);
        machine.until(true, 33);
        assert_eq!(machine.until(false, 33), 20);
        assert!((0..20).all(|_| !machine.look(|_| 1)));
        machine.until(true, 33);
        assert_eq!(machine.until(false, 33), 10);
    }

    #[test]
    fn what_comes_once_a_minute_is_no_trial() {
        let mut machine = Machine::new(2);
        for _ in 0..3 {
            machine.until(true, 33);
            assert_eq!(machine.until(false, 33), 10);
            // Asleep: nobody looks.
            machine.looks += 6_000;
        }
        // Nor is what was read before compared with.
        machine.look(|_| 0);
        (0..3).for_each(|_| assert!(!machine.look(|_| 33)));
        machine.looks += 6_000;
        (0..5).for_each(|_| assert!(!machine.look(|_| 33)));
    }

    #[test]
    fn it_ends_by_the_clock() {
        let mut machine = Machine::new(2);
        machine.until(true, 33);
        // Nobody looks any more.
        assert!(machine.crowded.lasts(machine.now() + HOLD / 2));
        assert!(!machine.crowded.lasts(machine.now() + HOLD));
    }

    #[test]
    fn of_many_workers_each_has_its_turn() {
        let mut machine = Machine::new(10);
        let last_four = |worker: usize| 50 * u32::from(worker >= 6);
        assert!((0..40).any(|_| machine.look(last_four)));
    }

    #[test]
    fn what_tells_nothing_is_not_compared() {
        let reading = |thread, waited, turns| Reading {
            thread,
            ran: Duration::ZERO,
            waited: Duration::from_millis(waited),
            turns,
        };
        let crowded = |before: Reading, after: Reading| {
            let start = Instant::now();
            let mut census = Census::told(1);
            assert!(census.take(start, |_| Some(before)).is_none());
            census.take(start + WINDOW, |_| Some(after)).is_some()
        };
        assert!(crowded(reading(7, 0, 0), reading(7, 20, 0)));
        assert!(!crowded(reading(7, 0, 0), reading(8, 20, 0)), "another's");
        assert!(!crowded(reading(7, 0, 0), reading(7, 9, 0)), "little");
        assert!(!crowded(reading(7, 0, 0), reading(7, 20, 1_000)), "wakes");
        let ran = |millis, reading| Reading {
            ran: Duration::from_millis(millis),
            ..reading
        };
        let after = |waited| ran(8, reading(7, waited, 0));
        assert!(!crowded(reading(7, 0, 0), after(4)), "one turn of another");
        assert!(crowded(reading(7, 0, 0), after(5)));
        let mut census = Census::told(1);
        assert!(census.take(Instant::now(), |_| None).is_none());
        assert!(census.take(Instant::now() + WINDOW, |_| None).is_none());
    }

    /// Where the system has `schedstat`, which some sandboxes do not.
    #[test]
    fn the_system_tells_what_this_thread_has_had() {
        let began = Instant::now();
        let told = std::thread::spawn(move || {
            let Some(first) = thread_mark::system_number().and_then(Reading::of) else {
                return !std::path::Path::new("/proc/thread-self/schedstat").exists();
            };
            // It is counted at a tick of the system's, or when the thread is interrupted.
            while began.elapsed() < Duration::from_secs(60) {
                let second = Reading::of(first.thread).expect("as before");
                let (ran, waited) = second.since(first);
                if ran > Duration::ZERO {
                    return ran + waited <= began.elapsed();
                }
            }
            false
        });
        assert!(told.join().unwrap());
        assert!(Reading::of(u32::MAX).is_none());
    }
}
