//! The watch: a thread that sleeps, and now and then looks whether a worker is stuck in a long poll.
//!
//! # What
//!
//! A poll that runs for long keeps three things waiting that only its worker would come to: the task in
//! its slot, the timers on its wheel, and, if nobody sleeps for the reactor, its shard of that. The
//! watch gives the task to the injector, fires the timers, and wakes a sleeper, who has nothing to do
//! and so goes to sleep for the reactor; where nobody sleeps, it looks at the shard itself. It starts no threads and judges nobody: if no worker is free,
//! all it does is make the work visible.
//!
//! # Rules
//!
//! * **W1** The ordinary path pays next to nothing (W6): no clock is read and no flag written for the watch. It
//!   looks at the count of polls that each worker keeps anyway: unchanged from one look to the next, and the
//!   worker awake at both, means stuck.
//! * **W2** Where a look finds somebody awake, the next one comes [`SOON`]: it may be the beginning of a stall.
//!   If a worker has made [few](FEW) polls since the last look, while another sleeps who could help, a [`CLOSE`] one
//!   comes before that, once. Each look that finds all asleep makes the wait four times as long, up to [`LATE`]. So a
//!   busy runtime is looked at a hundred times a second, at most 170, which is nothing to what it does itself, and one
//!   that sleeps most of the time about six times. Where looks come soon, a stall is seen after 12 ms if there was little
//!   to do, 20 ms if much; where all slept at the last looks, after 170 ms. A close look takes a poll of 2 ms for a stall,
//!   and has it relieved. After a stall looks come soon for a while, which is shorter if nothing is polled, or if only a
//!   close look saw it. Where another look did, workers are wary for [a second](WARY): they do not leave the reactor alone
//!   (I9). Who was not up all the time, or may have had to wait for a processor, was not seen to be in a long poll.
//!   At its looks the watch also sees whether workers have to wait for processors ([`crowding`](super::crowding)), and whether
//!   they find the time to sleep ([`load`](super::load)).
//! * **W3** When all are asleep and nothing was polled for a while ([`SETTLED`]), the watch dozes until a
//!   worker that gets up sees it and wakes it: an idle runtime has no wake-ups, but for one after which what it keeps
//!   of large tasks' memory is [given back](KEPT_AT_REST). It begins like that.
//!   From the last poll to the doze it has two looks; but if the last doze was shorter than [`CALM`],
//!   it settles only after [`LATE`]: what comes many times a second would wake it as often.
//! * **W4** It takes from the slot as any thief does (S2), and locks a wheel as any thread may.
//! * **W5** A timer does not have to wait for a look. While some are awake and some asleep the watch gets up
//!   between looks, [`OVERDUE`] after the earliest deadline on the wheel of a worker that is awake, and fires
//!   what is so late. (Where all are awake, siblings see to that when they look at the drivers; a worker that
//!   sleeps gets up for its timers.) Up to which tick it has counted all deadlines in, it publishes: the
//!   *horizon*.
//! * **W6** A worker that is about to poll, and has on its wheel a deadline before the horizon, tells the watch:
//!   the poll may be a long one. But only if somebody sleeps; once for a deadline; and not of one that it knew
//!   when it got up, so that a task that sleeps, works and sleeps again, alone, tells nobody. It costs two loads
//!   and a comparison a poll. After that looks come soon for a moment (as after a stall), which keeps
//!   the horizon near and so most deadlines beyond it.
//! * **W7** A worker that goes to sleep and leaves one awake does that for the other, who had nobody to tell.
//! * **W8** What is not told waits for the next look, if its worker is stuck by then: a timer that a foreign thread
//!   arms on its wheel; one that it knew when it got up (W6); and, if several stay awake when another falls
//!   asleep, those that they had nobody to tell of.
//!
//! # Orderings
//!
//! W3: two fences, as in I1. W5 against W6: the watch publishes the horizon and *then* takes each wheel's lock
//! to read its next deadline; a timer is armed under that lock. So either the watch counts it in, or who armed it
//! sees the horizon before its next poll. W6 against W7: arming, fence, sleepers; sleeper's bit, fence (`start_sleep`), deadline. W5
//! against W7: horizon, fence, sleepers; sleeper's bit, fence, horizon.
//! Each pair is safe; that all three meet within the nanoseconds that a store takes to be seen is not excluded, and
//! makes a timer wait for the next look.
//!
//! # Rejected
//!
//! *Waking a sibling whenever the slot is filled, or the reactor left* (what others tried, and
//! reverted; for the reactor it is done after a stall, and on request): a thread wake for each message and each event. *A timer armed when a worker gets up and
//! disarmed when it sleeps*: a timer's system call costs 2.5 µs here, as much as the rest of the
//! wake. *Siblings that sleep with a time-out*: the same, at every sleep. *More workers while some are
//! stuck*: how many is right cannot be known; see the article on cooperative yielding. *Looks every
//! millisecond or two*, instead of W5 to W7: they cost a busy runtime up to half a percent, and one that sleeps
//! most of the time would not have them. *Telling when a timer is armed*: a task that ticks would wake the watch
//! at every tick. *Telling of every deadline, those included that a worker got up with*: as often.
//!
//! # Tested by
//!
//! `tests/stall.rs`, `tests` below for W2, and the loom models. W3's ends in a deadlock without either fence. Those of W5 to W7
//! fail if the deadline is read before the horizon is published or without the lock, and without the fence in
//! `plan`, in `is_concern`, or in `start_sleep`.

use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::engine::base::parker::Parker;
use crate::engine::base::unwind;
use crate::engine::sched::crew::{Crew, OVERDUE};
use crate::engine::sched::crowding::{Census, Reading};
use crate::engine::sched::idle::Idle;
use crate::engine::sched::load::{Load, Verdict};
use crate::engine::sched::strategy::Strategy;
use crate::engine::task;
use crate::engine::timer::TimerShard;
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use crate::loom::sync::atomic::{AtomicBool, AtomicU64, fence};
use crate::loom::thread;

/// How long after a stall workers act as if the next poll might be one.
const WARY: Duration = Duration::from_secs(1);
/// The wait for the next look while somebody is awake.
const SOON: Duration = Duration::from_millis(10);
/// The wait for the next look while somebody may be stuck.
const CLOSE: Duration = Duration::from_millis(2);
/// With fewer polls from one look to the next, a worker may be stuck.
const FEW: u64 = 64;
/// How much longer each wait is than the last while all are asleep.
const GROWTH: u32 = 4;
/// After waits shorter than this, the watch does not doze.
const SETTLED: Duration = Duration::from_millis(40);
/// The longest wait.
const LATE: Duration = Duration::from_millis(160);
/// After a doze of this length it dozes again as soon as it can.
const CALM: Duration = Duration::from_secs(1);
/// How long the memory of large tasks is kept while there are none.
const KEPT_AT_REST: Duration = Duration::from_secs(5);
/// Looks after a stall that come soon in any case; one that finds nothing polled counts for ten.
const ALERT_LOOKS: u32 = 100;
/// The same after it was told of a timer.
const TOLD_LOOKS: u32 = 10;

/// The watch, as the crew has it.
#[derive(Debug)]
pub(super) struct Watch {
    bed: Arc<Bed>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

/// Where the watch sleeps.
#[derive(Debug)]
struct Bed {
    parker: Parker,
    /// Set while it sleeps without an end (W3).
    dozing: AtomicBool,
    closing: AtomicBool,
    /// Deadlines before this tick that it has not counted in are news to it (W5). 0 until it is awake for
    /// the first time.
    horizon: AtomicU64,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            bed: Arc::new(Bed::new()),
            thread: Mutex::new(None),
        }
    }

    /// Starts the thread. A crew of one has nobody who could help, and needs no watch.
    pub(super) fn start<S: Strategy>(&self, crew: &Arc<Crew<S>>) -> io::Result<()> {
        if crew.num_workers() < 2 {
            return Ok(());
        }
        let (bed, crew) = (Arc::clone(&self.bed), Arc::downgrade(crew));
        // Boxed as the pool's are: std's part is compiled once for all.
        let life: Box<dyn FnOnce() + Send> = Box::new(move || keep(&bed, &crew));
        let thread = thread::Builder::new()
            .name("heist-watch".to_owned())
            .spawn(life)?;
        *self.thread.lock() = Some(thread);
        Ok(())
    }

    /// A worker got up: the watch is to be awake as well.
    #[inline]
    pub(super) fn worker_up(&self) {
        self.bed.worker_up();
    }

    /// True if a timer for `tick` may be news to it.
    #[inline]
    pub(super) fn misses(&self, tick: u64) -> bool {
        self.bed.misses(tick)
    }

    /// Ends the thread, and waits for it unless it is the caller.
    pub(super) fn stop(&self, wait: bool) {
        // Ordering: release pairs with the acquire in `keep`.
        self.bed.closing.store(true, Release);
        self.bed.parker.unpark();
        if !wait {
            return;
        }
        let thread = self.thread.lock().take();
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id())
        {
            // A panic of a waker that was called there was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// The thread.
fn keep<S: Strategy>(bed: &Bed, crew: &Weak<Crew<S>>) {
    let mut seen = Vec::new();
    let mut rhythm = Rhythm::new();
    let mut settled = SETTLED;
    let mut next_look = None;
    let mut census = None;
    let mut load = None;
    bed.parker.park();
    // Ordering: acquire pairs with the release in `stop`.
    while !bed.closing.load(Acquire) {
        let Some(strong) = crew.upgrade() else { return };
        let now = strong.services().clock().now();
        let look_at = *next_look.get_or_insert(now + rhythm.interval);
        let wait = strong.plan(bed, now, look_at);
        drop(strong);
        let told = bed.parker.park_timeout(wait);

        let Some(crew) = crew.upgrade() else { return };
        let now = crew.services().clock().now();
        crew.fire_overdue(now);
        if told {
            rhythm.told();
            next_look = Some(look_at.min(now + SOON));
        }
        if now < look_at {
            continue;
        }
        let look = crew.look(&mut seen);
        if S::MINDS_CROWDING && look.found > Found::Resting {
            let census = census.get_or_insert_with(|| Census::new(crew.num_workers()));
            if let Some(census) = census {
                crew.count_waiting(census);
            }
        }
        crew.weigh(&mut load, look.found, now);
        let idle = look.found == Found::Idle && rhythm.interval >= settled;
        if look.blocked && !rhythm.is_close() && !crew.crowded.lasts(now) {
            crew.wary.set_until(now + WARY);
        }
        rhythm.after(look);
        next_look = Some(now + rhythm.interval);
        if idle && bed.doze(|| crew.idle.num_asleep() == crew.num_workers()) {
            drop(crew);
            let since = Instant::now();
            bed.rest();
            settled = match since.elapsed() < CALM {
                true => LATE,
                false => SETTLED,
            };
            rhythm.interval = SOON;
            next_look = None;
        }
    }
}

impl Bed {
    /// Nobody has got up yet.
    fn new() -> Self {
        Self {
            parker: Parker::new(),
            dozing: AtomicBool::new(true),
            closing: AtomicBool::new(false),
            horizon: AtomicU64::new(0),
        }
    }

    /// Sleeps till somebody gets up. What tasks left behind is kept for the next ones only for a while.
    fn rest(&self) {
        let woken = task::keeps_large_cells() && self.parker.park_timeout(KEPT_AT_REST);
        if !woken {
            task::release_large_cells();
            self.parker.park();
        }
    }

    /// Publishes how far the watch sees that will look at tick `look`, and returns it (W5).
    fn plan<'a>(
        &self,
        look: u64,
        idle: &Idle,
        wheels: impl Iterator<Item = &'a TimerShard>,
    ) -> u64 {
        // Relaxed: the wheels' locks order it for those who arm timers, the fence for those who fall asleep.
        self.horizon.store(look, Relaxed);
        // Ordering: W7. Pairs with the fence in `start_sleep`: either we see the sleeper, or it sees the
        // horizon.
        fence(SeqCst);
        if !idle.some_asleep() {
            return look;
        }
        let horizon = wheels
            .map(TimerShard::next_tick_if_awake)
            .fold(look, u64::min);
        self.horizon.store(horizon, Relaxed);
        horizon
    }

    #[inline]
    fn misses(&self, tick: u64) -> bool {
        // Relaxed: see `plan`.
        tick < self.horizon.load(Relaxed)
    }

    /// Whether the watch is to be told of a timer that it misses and the caller has on its wheel (W6).
    fn is_concern(idle: &Idle) -> bool {
        // Ordering: W6. Pairs with the fence in `start_sleep`: either we see the sleeper, or it sees the
        // timer.
        fence(SeqCst);
        idle.some_asleep()
    }

    /// The same for who has just announced its sleep: of the only one awake, if its wheel has what the watch
    /// misses (W7).
    fn misses_of_only_awake<'a>(
        &self,
        idle: &Idle,
        wheel: impl FnOnce(usize) -> Option<&'a TimerShard>,
    ) -> bool {
        // Ordering: the fence in `start_sleep` is before this.
        let wheel = idle.only_awake().and_then(wheel);
        // One that was woken and does not run yet will see to its timers first.
        wheel.is_some_and(|wheel| wheel.owner_is_awake() && self.misses(wheel.next_tick()))
    }

    /// Announces that it will sleep without an end; false if a worker is up (W3).
    fn doze(&self, all_asleep: impl FnOnce() -> bool) -> bool {
        self.dozing.store(true, Relaxed);
        // Ordering: pairs with the fence in `worker_up`.
        fence(SeqCst);
        if all_asleep() {
            return true;
        }
        self.dozing.store(false, Relaxed);
        false
    }

    #[inline]
    fn worker_up(&self) {
        // Ordering: W3. Pairs with the fence in `doze`: either we see it dozing, or it sees a worker up
        // (whose bit was taken before).
        fence(SeqCst);
        if self.dozing.load(Relaxed) {
            self.rouse();
        }
    }

    #[cold]
    fn rouse(&self) {
        if self.dozing.swap(false, Relaxed) {
            self.parker.unpark();
        }
    }
}

/// What is seen of a worker.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    polls: u64,
    sleeps: u64,
    awake: bool,
}

/// What a look found, in ascending order: of several workers, the last counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// All asleep, and nothing polled since the last look.
    Idle,
    /// All asleep now.
    Resting,
    /// Somebody is awake.
    Moving,
    /// A worker is in the same poll as at the last look.
    Stuck,
}

#[derive(Debug, Clone, Copy)]
struct Look {
    found: Found,
    /// Somebody stuck was up all the time since the last look.
    blocked: bool,
    /// Somebody is awake who has made few polls since the last look, and somebody asleep.
    slow: bool,
}

/// How the looks follow each other (W2).
#[derive(Debug)]
struct Rhythm {
    /// From the last look to the next.
    interval: Duration,
    /// Looks that come soon in any case.
    alert: u32,
}

impl Rhythm {
    fn new() -> Self {
        Self {
            interval: SOON,
            alert: 0,
        }
    }

    /// W6: somebody is awake.
    fn told(&mut self) {
        self.alert = self.alert.max(TOLD_LOOKS);
        // A close look stays one: none follows it at once.
        self.interval = self.interval.min(SOON);
    }

    /// Whether the next look is a close one: all it finds is a poll of two milliseconds.
    fn is_close(&self) -> bool {
        self.interval == CLOSE
    }

    fn after(&mut self, look: Look) {
        let was_close = self.is_close();
        self.alert = match look.found {
            Found::Stuck if was_close => self.alert.max(TOLD_LOOKS),
            Found::Stuck => ALERT_LOOKS,
            Found::Idle => self.alert.saturating_sub(10),
            Found::Resting | Found::Moving if was_close => self.alert,
            Found::Resting | Found::Moving => self.alert.saturating_sub(1),
        };
        self.interval = match look.found {
            Found::Idle | Found::Resting if self.alert == 0 => {
                (GROWTH * self.interval.max(SOON)).min(LATE)
            }
            _ if look.slow && !was_close => CLOSE,
            _ => SOON,
        };
    }
}

impl<S: Strategy> Crew<S> {
    /// How long the watch may sleep that will look at `look_at`.
    fn plan(&self, bed: &Bed, now: Instant, look_at: Instant) -> Duration {
        let wait = look_at.saturating_duration_since(now);
        let wheels = || self.posts.iter().filter_map(|post| post.timers.as_deref());
        let Some(wheel) = wheels().next() else {
            return wait;
        };
        let look = wheel.tick_for(look_at);
        let horizon = bed.plan(look, &self.idle, wheels());
        if horizon == look {
            return wait;
        }
        // What is overdue was fired a moment ago: never at once, come what may.
        let late = wheel
            .instant_at(horizon)
            .map(|due| (due + OVERDUE).saturating_duration_since(now));
        late.map_or(wait, |late| wait.min(late.max(OVERDUE / 2)))
    }

    /// The worker that is to poll next has a deadline that the watch misses: it is told, if it can do something
    /// about it (W6).
    #[cold]
    pub(super) fn tell_watch(&self) {
        if Bed::is_concern(&self.idle) {
            self.watch.bed.parker.unpark();
        }
    }

    /// The caller has announced its sleep. Tells the watch of what its last sibling awake had nobody to tell (W7).
    pub(super) fn leave_to_watch(&self) {
        let wheel = |index: usize| self.posts[index].timers.as_deref();
        if self.watch.bed.misses_of_only_awake(&self.idle, wheel) {
            self.watch.bed.parker.unpark();
        }
    }

    /// Compares each worker with what was seen of it last time.
    fn look(&self, seen: &mut Vec<Seen>) -> Look {
        seen.resize(self.num_workers(), Seen::default());
        let mut look = Look {
            found: Found::Idle,
            blocked: false,
            slow: false,
        };
        for (index, (post, seen)) in self.posts.iter().zip(seen).enumerate() {
            let present = Seen {
                polls: post.counters.polls.get(),
                sleeps: post.counters.parks.get(),
                awake: !self.idle.is_asleep(index),
            };
            let before = std::mem::replace(seen, present);
            let polls = present.polls.wrapping_sub(before.polls);
            look.found = look.found.max(match (present.awake, polls) {
                (false, 0) => Found::Idle,
                (false, _) => Found::Resting,
                (true, 0) if before.awake => {
                    // Or it was just woken, and was so at the last look; or is on its way.
                    let is_up = post.counters.unparks.get() == present.sleeps;
                    look.blocked |= is_up && present.sleeps == before.sleeps;
                    self.relieve(index);
                    Found::Stuck
                }
                (true, polls) => {
                    // Or it is just getting up.
                    look.slow |= polls < FEW && self.idle.some_asleep();
                    Found::Moving
                }
            });
        }
        look
    }

    /// Sees whether workers have to wait for processors (I13).
    fn count_waiting(&self, census: &mut Census) {
        let now = self.services().clock().now();
        if let Some(until) = census.take(now, |worker| self.read(worker)) {
            self.crowded.set_until(until);
        }
    }

    /// Sees whether workers find the time to sleep (R9 of the reactor).
    fn weigh(&self, load: &mut Option<Load>, found: Found, now: Instant) {
        if !self.driver.has_shards() {
            return;
        }
        let most_up = self.num_workers().min(self.config.cores);
        let load = load.get_or_insert_with(|| Load::new(most_up));
        if found == Found::Stuck {
            return load.skip();
        }
        let posts = self.posts.iter();
        let up: u64 = posts.map(|post| post.counters.busy_nanos.get()).sum();
        let is_crowded = S::MINDS_CROWDING && self.crowded.lasts(now);
        match load.weigh(now, &self.calm, Duration::from_nanos(up), is_crowded) {
            Verdict::Small => self.driver.set_gathered(true),
            Verdict::Large => self.driver.set_gathered(false),
            Verdict::Unknown => {}
        }
    }

    /// What the system says of a worker's thread.
    pub(super) fn read(&self, worker: usize) -> Option<Reading> {
        Reading::of(self.posts[worker].counters.system_thread()?)
    }

    /// Makes what waits for a stuck worker visible to the others.
    fn relieve(&self, index: usize) {
        let post = &self.posts[index];
        S::relieve(self, index);
        if let Some(timers) = &post.timers {
            let now = self.services().clock().now();
            let _ = unwind::guarded(|| timers.fire(now));
        }
        // Somebody has to look at its shard of the reactor: a sleeper that is woken and finds nothing will, and where
        // there is none, this thread does.
        if !self.driver.is_attended() {
            match self.idle.any_sleeper() {
                Some(sleeper) => self.unpark(sleeper),
                None => self.driver.relieve(index),
            }
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    fn after(rhythm: &mut Rhythm, found: Found, slow: bool) -> Duration {
        rhythm.after(Look {
            found,
            blocked: false,
            slow,
        });
        rhythm.interval
    }

    fn run(rhythm: &mut Rhythm, found: Found, slow: bool, looks: usize) -> Vec<u64> {
        let intervals = (0..looks).map(|_| after(rhythm, found, slow).as_millis() as u64);
        intervals.collect()
    }

    #[test]
    fn looks_come_soon_while_somebody_is_awake_and_later_while_none_is() {
        let mut rhythm = Rhythm::new();
        assert_eq!(run(&mut rhythm, Found::Moving, false, 3), [10, 10, 10]);
        assert_eq!(
            run(&mut rhythm, Found::Resting, false, 4),
            [40, 160, 160, 160]
        );
        assert_eq!(after(&mut rhythm, Found::Moving, false), SOON);
        assert_eq!(run(&mut rhythm, Found::Idle, false, 2), [40, 160]);
    }

    #[test]
    fn few_polls_have_a_close_look_follow_and_no_two_of_them() {
        let mut rhythm = Rhythm::new();
        assert_eq!(run(&mut rhythm, Found::Moving, true, 5), [2, 10, 2, 10, 2]);
        rhythm.told();
        assert_eq!(after(&mut rhythm, Found::Moving, true), SOON);
        // Two looks from the last poll to the doze, from a close one as well.
        rhythm = Rhythm::new();
        after(&mut rhythm, Found::Moving, true);
        assert_eq!(run(&mut rhythm, Found::Idle, false, 2), [40, 160]);
    }

    #[test]
    fn one_who_is_stuck_does_not_hide_another_who_may_be() {
        let mut rhythm = Rhythm::new();
        assert_eq!(run(&mut rhythm, Found::Stuck, true, 3), [2, 10, 2]);
        assert_eq!(after(&mut rhythm, Found::Stuck, false), SOON);
    }

    #[test]
    fn after_a_stall_looks_come_soon_for_a_while() {
        let soon = |rhythm: &mut Rhythm, found| {
            let looks = run(rhythm, found, false, 200);
            looks.iter().take_while(|&&millis| millis == 10).count()
        };
        let mut rhythm = Rhythm::new();
        after(&mut rhythm, Found::Stuck, false);
        assert_eq!(soon(&mut rhythm, Found::Resting), 99);
        after(&mut rhythm, Found::Stuck, false);
        assert_eq!(soon(&mut rhythm, Found::Idle), 9);
        // Of a poll of two milliseconds less is known.
        rhythm = Rhythm::new();
        assert!(!rhythm.is_close());
        assert_eq!(after(&mut rhythm, Found::Moving, true), CLOSE);
        assert!(rhythm.is_close());
        after(&mut rhythm, Found::Stuck, false);
        assert_eq!(soon(&mut rhythm, Found::Resting), 9);
        // Nor does a close look take away from what is.
        rhythm = Rhythm::new();
        after(&mut rhythm, Found::Stuck, false);
        run(&mut rhythm, Found::Moving, true, 50);
        assert_eq!(soon(&mut rhythm, Found::Resting), 74);
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use std::pin::Pin;
    use std::task::Waker;
    use std::time::Instant;

    use super::Bed;
    use crate::engine::sched::idle::Idle;
    use crate::engine::timer::clock::real_now;
    use crate::engine::timer::{TimerEntry, TimerShard};
    use crate::loom::sync::Arc;
    use crate::loom::sync::atomic::Ordering::Relaxed;
    use crate::loom::thread;

    /// W3: a worker gets up and stays up while the watch wants to doze. Whichever comes first, the
    /// watch does not sleep on.
    #[test]
    fn who_gets_up_finds_the_watch_awake() {
        loom::model(|| {
            let bed = Bed::new();
            bed.dozing.store(false, Relaxed);
            let shared = Arc::new((bed, Idle::new(1)));
            let watch = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (bed, idle) = &*shared;
                    if bed.doze(|| idle.num_asleep() == 1) {
                        bed.parker.park();
                    }
                })
            };
            let (bed, idle) = &*shared;
            let _ = idle.rise(0);
            bed.worker_up();
            watch.join().unwrap();
        });
    }

    /// The tick of the watch's next look, and of the timer.
    const LOOK: u64 = 10;
    const DUE: u64 = 5;

    /// A bed, two workers of whom both are awake, and the wheel of the first one.
    struct Scene {
        bed: Bed,
        idle: Idle,
        wheel: Arc<TimerShard>,
    }

    impl Scene {
        fn new(origin: Instant) -> Arc<Self> {
            let idle = Idle::new(2);
            let _ = (idle.rise(0), idle.rise(1));
            Arc::new(Self {
                bed: Bed::new(),
                idle,
                wheel: TimerShard::new(origin),
            })
        }

        /// The first worker arms a timer.
        fn arm(&self) -> Pin<Box<TimerEntry>> {
            let mut entry = Box::pin(TimerEntry::new());
            let waker = Waker::noop().clone();
            entry
                .as_mut()
                .arm(Some(Arc::clone(&self.wheel)), DUE, waker);
            entry
        }

        /// It goes on to the next poll. True if it tells the watch.
        fn go_on(&self) -> bool {
            self.bed.misses(self.wheel.next_tick()) && Bed::is_concern(&self.idle)
        }

        /// The second worker goes to sleep. True if it tells the watch.
        fn fall_asleep(&self) -> bool {
            let _ = self.idle.start_sleep(1, false);
            self.bed
                .misses_of_only_awake(&self.idle, |_| Some(&*self.wheel))
        }

        /// True if the watch counts the timer in.
        fn plan(&self) -> bool {
            self.bed
                .plan(LOOK, &self.idle, std::iter::once(&*self.wheel))
                <= DUE
        }
    }

    fn model(f: impl Fn(Arc<Scene>) + Sync + Send + 'static) {
        let origin = real_now();
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound.get_or_insert(3);
        builder.check(move || f(Scene::new(origin)));
    }

    #[test]
    fn a_timer_is_counted_in_or_told_of() {
        model(|scene| {
            let _ = scene.idle.start_sleep(1, false);
            let watch = {
                let scene = Arc::clone(&scene);
                thread::spawn(move || scene.plan())
            };
            let _timer = scene.arm();
            let told = scene.go_on();
            assert!(watch.join().unwrap() || told);
        });
    }

    #[test]
    fn who_arms_or_who_falls_asleep_tells() {
        model(|scene| {
            assert!(!scene.plan());
            let sleeper = {
                let scene = Arc::clone(&scene);
                thread::spawn(move || scene.fall_asleep())
            };
            let _timer = scene.arm();
            let told = scene.go_on();
            assert!(sleeper.join().unwrap() || told);
        });
    }

    #[test]
    fn the_watch_sees_the_sleeper_or_is_told() {
        model(|scene| {
            let _timer = scene.arm();
            let sleeper = {
                let scene = Arc::clone(&scene);
                thread::spawn(move || scene.fall_asleep())
            };
            let counted_in = scene.plan();
            assert!(sleeper.join().unwrap() || counted_in);
        });
    }
}
