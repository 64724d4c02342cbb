//! One worker's timers.

use std::fmt;
use std::ptr::NonNull;
use std::task::Waker;
use std::time::{Duration, Instant};

use super::clock::{self, Clock};
use super::entry::{self, Armed, Place, TimerEntry};
use super::wheel::Wheel;
use crate::engine::base::cache_padded::CachePadded;
use crate::engine::queue::list::LinkedList;
use crate::engine::queue::wake_batch::WakeBatch;
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::atomic::{AtomicU64, Ordering};
use crate::loom::sync::{Arc, Mutex};

/// `next` when nothing is linked, and what an owner sleeps until that has no timers.
pub(crate) const NEVER: u64 = u64::MAX;
/// `asleep_until` of an owner that is awake: no deadline is before it.
const AWAKE: u64 = 0;

/// What an insert calls to wake a sleeping owner.
type WakeHook = Box<dyn Fn() + Send + Sync>;

/// A worker's timers. See the [module](super) for the protocol.
pub(crate) struct TimerShard {
    /// Tick 0.
    origin: Instant,
    /// Tick 0 on the coarse clock.
    coarse_origin: clock::Coarse,
    timers: Mutex<Timers>,
    /// Written once, under the lock, before `Timers::has_hook` is set; only read after that.
    hook: UnsafeCell<Option<WakeHook>>,
    /// Apart from the lock: siblings read it, and it changes seldom.
    published: CachePadded<Published>,
}

#[derive(Debug)]
struct Published {
    /// R6: at or before the tick of every linked entry.
    next: AtomicU64,
    /// R7: the tick until which the owner sleeps.
    asleep_until: AtomicU64,
}

/// What the lock guards, besides the entries that are linked in here (R1).
#[derive(Debug)]
struct Timers {
    wheel: Wheel,
    /// Entries that are not filed yet.
    fresh: LinkedList<TimerEntry>,
    /// At or before the tick of every entry in `fresh`.
    fresh_next: u64,
    len: usize,
    has_hook: bool,
    shut_down: bool,
}

// SAFETY: `timers` is behind its lock; `hook` is written once under the lock and read by those who have
// seen, under the lock, that it was written.
unsafe impl Sync for TimerShard {}
// SAFETY: the entries behind the addresses in `timers` are used by R1 to R4, on any thread.
unsafe impl Send for TimerShard {}

impl Timers {
    /// Sorts the fresh entries into the wheel, whose present is moved to `tick` if it can be.
    fn file_fresh(&mut self, tick: u64) {
        self.wheel.catch_up(tick);
        while let Some(entry) = self.fresh.pop_front() {
            // SAFETY: live and pinned by R3, just taken out of its list; `self` is what the lock guards.
            unsafe { self.wheel.file(entry) };
        }
        self.fresh_next = NEVER;
    }

    fn next(&self) -> u64 {
        self.wheel
            .next_tick()
            .map_or(self.fresh_next, |tick| tick.min(self.fresh_next))
    }

    /// Links `entry` in the fresh list.
    ///
    /// # Safety
    ///
    /// Live, pinned, in no list, and of this shard.
    unsafe fn push_fresh(&mut self, entry: NonNull<TimerEntry>, when: u64) {
        // SAFETY: R1 — `self` is what the lock guards.
        unsafe { TimerEntry::set_when(entry, when) };
        // SAFETY: R1.
        unsafe { TimerEntry::set_place(entry, Place::FRESH) };
        // SAFETY: the caller's promise is the list's.
        unsafe { self.fresh.push_back(entry) };
        self.fresh_next = self.fresh_next.min(when);
        self.len += 1;
    }

    /// Takes `entry` out of the list it is in.
    ///
    /// # Safety
    ///
    /// It is linked in this shard.
    unsafe fn remove(&mut self, entry: NonNull<TimerEntry>) {
        // SAFETY: R1 — `self` is what the lock guards.
        match unsafe { TimerEntry::place(entry) }.as_slot() {
            // SAFETY: its place says so.
            Some(slot) => unsafe { self.wheel.remove(entry, slot) },
            None => {
                // SAFETY: its place says so.
                unsafe { self.fresh.remove(entry) };
            }
        }
        self.len -= 1;
    }
}

/// The scheduler's side.
impl TimerShard {
    /// An empty shard whose ticks are counted from `origin`.
    pub(crate) fn new(origin: Instant) -> Arc<Self> {
        Arc::new(Self {
            origin,
            coarse_origin: clock::coarse_now(),
            timers: Mutex::new(Timers {
                wheel: Wheel::new(),
                fresh: LinkedList::new(),
                fresh_next: NEVER,
                len: 0,
                has_hook: false,
                shut_down: false,
            }),
            hook: UnsafeCell::new(None),
            published: CachePadded::new(Published {
                next: AtomicU64::new(NEVER),
                asleep_until: AtomicU64::new(AWAKE),
            }),
        })
    }

    /// Sets what wakes the owner from the sleep that [`prepare_sleep`](Self::prepare_sleep)
    /// announces. It is called without the lock, by whichever thread arms a timer, and must not own this
    /// shard.
    ///
    /// # Panics
    ///
    /// When there is one already.
    pub(crate) fn set_wake_hook(&self, hook: WakeHook) {
        let mut timers = self.timers.lock();
        assert!(!timers.has_hook, "a shard has one wake hook");
        // SAFETY: under the lock, and nobody reads it before `has_hook` says so.
        self.hook.with_mut(|cell| unsafe { *cell = Some(hook) });
        timers.has_hook = true;
    }

    /// False if nothing is linked: then `fire` has nothing to do, and the clock need not be read for it.
    #[inline]
    pub(crate) fn has_timers(&self) -> bool {
        // Relaxed: see the module's orderings.
        self.published.next.load(Ordering::Relaxed) != NEVER
    }

    /// Fires every timer that is due at `now` and returns how many there were.
    ///
    /// For the owner, or a sibling that stands in for a stalled one. When nothing is due this is one
    /// load.
    #[inline]
    pub(crate) fn fire(&self, now: Instant) -> usize {
        // Relaxed: see the module's orderings.
        let next = self.published.next.load(Ordering::Relaxed);
        if next == NEVER {
            return 0;
        }
        let tick = self.tick_reached(now);
        if tick < next {
            return 0;
        }
        self.fire_until(tick)
    }

    #[inline(never)]
    fn fire_until(&self, tick: u64) -> usize {
        let mut count = 0;
        let mut batch = WakeBatch::new();
        let mut timers = self.timers.lock();
        timers.file_fresh(tick);
        // SAFETY: we have the lock; the entries are live by R3.
        while let Some(entry) = unsafe { timers.wheel.pop_due(tick) } {
            timers.len -= 1;
            count += 1;
            // SAFETY: live and ours while we have the lock; `pop_due` has unlinked it.
            batch.push(unsafe { TimerEntry::finish(entry, entry::FIRED) });
            if !batch.has_room() {
                // R9. `next` still says that there is something due, so if a waker panics the rest is
                // found by the next call.
                drop(timers);
                batch.wake_all();
                timers = self.timers.lock();
            }
        }
        // Relaxed: R6, see the module's orderings. Also all stores of it are under the lock.
        self.published.next.store(timers.next(), Ordering::Relaxed);
        drop(timers);
        batch.wake_all();
        count
    }

    /// Announces that the owner is about to sleep and returns until when at most; `None` is for ever.
    ///
    /// From here to [`awake`](Self::awake) a timer that is armed with an earlier deadline calls the wake
    /// hook (R7). The result may be past: then there is something to fire.
    pub(crate) fn prepare_sleep(&self, now: Instant) -> Option<Instant> {
        let mut timers = self.timers.lock();
        timers.file_fresh(self.tick_reached(now));
        let next = timers.next();
        // Relaxed, both: R6, and R7 by the lock.
        self.published.next.store(next, Ordering::Relaxed);
        // A deadline at tick 0 must not read as `AWAKE`; nothing is earlier than it anyway.
        self.published
            .asleep_until
            .store(next.max(1), Ordering::Relaxed);
        drop(timers);
        self.instant_at(next)
    }

    /// Ends what [`prepare_sleep`](Self::prepare_sleep) began.
    #[inline]
    pub(crate) fn awake(&self) {
        // Relaxed: see the module's orderings.
        self.published.asleep_until.store(AWAKE, Ordering::Relaxed);
    }

    /// A time before which nothing is due; `None` if nothing is linked. Takes no lock.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        // Relaxed: a hint, see the module's orderings.
        self.instant_at(self.published.next.load(Ordering::Relaxed))
    }

    /// As [`next_deadline`](Self::next_deadline), in ticks; [`NEVER`] if nothing is linked.
    #[inline]
    pub(crate) fn next_tick(&self) -> u64 {
        // Relaxed: a hint, see the module's orderings.
        self.published.next.load(Ordering::Relaxed)
    }

    /// Whether the owner is awake; it may change at any time.
    #[inline]
    pub(crate) fn owner_is_awake(&self) -> bool {
        // Relaxed: a hint, see the module's orderings.
        self.published.asleep_until.load(Ordering::Relaxed) == AWAKE
    }

    /// [`next_tick`](Self::next_tick) for a thread that stands in for the owner while it is awake: [`NEVER`] if the owner sleeps,
    /// as then it gets up for its timers. What the caller wrote before is seen by whoever arms a timer that
    /// this does not count in (R7).
    pub(crate) fn next_tick_if_awake(&self) -> u64 {
        let _timers = self.timers.lock();
        // Relaxed, both: stored under the lock, but for `awake`; an owner that is taken to be asleep for a
        // moment longer has armed nothing since.
        match self.published.asleep_until.load(Ordering::Relaxed) {
            AWAKE => self.published.next.load(Ordering::Relaxed),
            _ => NEVER,
        }
    }

    /// Ends all waiting timers, as `end` says, and with the mark that the runtime is gone all that are
    /// armed after this.
    pub(crate) fn shutdown(&self, end: Armed) {
        let mut batch = WakeBatch::new();
        let mut timers = self.timers.lock();
        timers.shut_down = true;
        loop {
            let entry = timers.fresh.pop_front();
            let Some(entry) = entry.or_else(|| timers.wheel.pop_any()) else {
                break;
            };
            timers.len -= 1;
            // SAFETY: live by R3 while we have the lock, and just unlinked.
            batch.push(unsafe { TimerEntry::finish(entry, end.phase()) });
            if !batch.has_room() {
                drop(timers);
                batch.wake_all();
                timers = self.timers.lock();
            }
        }
        // Relaxed: R6.
        self.published.next.store(NEVER, Ordering::Relaxed);
        drop(timers);
        batch.wake_all();
    }

    /// How many timers are linked.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.timers.lock().len
    }
}

/// Ticks and instants.
impl TimerShard {
    /// The tick that `now` has reached: rounded down (R5).
    #[inline]
    fn tick_reached(&self, now: Instant) -> u64 {
        whole_millis(now.saturating_duration_since(self.origin))
    }

    /// The first tick that is not before `deadline`: rounded up (R5).
    #[inline]
    pub(crate) fn tick_for(&self, deadline: Instant) -> u64 {
        let since = deadline.saturating_duration_since(self.origin);
        let rest = since.subsec_nanos() % 1_000_000;
        // One less than `NEVER`: a deadline in the far future is a deadline.
        whole_millis(since)
            .saturating_add(u64::from(rest != 0))
            .min(NEVER - 1)
    }

    pub(crate) fn instant_at(&self, tick: u64) -> Option<Instant> {
        if tick == NEVER {
            return None;
        }
        self.origin.checked_add(Duration::from_millis(tick))
    }

    /// The tick to wait for until `deadline`; `None` if it has been reached. `now` spares the clock,
    /// where it is known.
    #[inline]
    pub(crate) fn tick_ahead(
        &self,
        deadline: Instant,
        clock: &Clock,
        now: Option<Instant>,
    ) -> Option<u64> {
        /// More than the coarse clock lags on any usual kernel (1 to 10 ms), at both ends.
        const LAG: u64 = 20;

        let when = self.tick_for(deadline);
        let now = match now {
            Some(now) => now,
            None if clock.is_real() => {
                // Most timers are far from due, and the coarse clock is enough to see that. Where it lags
                // more than it should, a timer that is due is armed, and fires when the owner next looks.
                let passed = clock::coarse_now().since(self.coarse_origin);
                if whole_millis(passed) + LAG < when {
                    return Some(when);
                }
                clock.now()
            }
            None => clock.now(),
        };
        // By R5 no tick is reached before its deadlines: the first comparison is the cheap half.
        (now < deadline || self.tick_reached(now) < when).then_some(when)
    }
}

#[inline]
fn whole_millis(duration: Duration) -> u64 {
    duration
        .as_secs()
        .saturating_mul(1000)
        .saturating_add(u64::from(duration.subsec_millis()))
}

/// The entries' side.
impl TimerShard {
    /// Links `entry` to be fired at tick `when`. When the shard is shut down it gives the waker back instead.
    ///
    /// # Safety
    ///
    /// The caller owns `entry`, which is live, pinned and in no list, and unlinks it before it is freed.
    pub(super) unsafe fn link(
        &self,
        entry: NonNull<TimerEntry>,
        when: u64,
        waker: Waker,
    ) -> Option<Waker> {
        let mut timers = self.timers.lock();
        if timers.shut_down {
            return Some(waker);
        }
        // SAFETY: live and unlinked, by the caller; we have the lock.
        unsafe { TimerEntry::begin(entry, waker) };
        // SAFETY: the caller's promise.
        unsafe { timers.push_fresh(entry, when) };
        let wake = self.note_earlier(&timers, when);
        drop(timers);
        self.call_hook(wake);
        None
    }

    /// Makes `entry` wait for the earlier tick `when` instead; false if it waits no more.
    ///
    /// # Safety
    ///
    /// The caller owns `entry`, and it was linked in this shard.
    pub(super) unsafe fn refile(&self, entry: NonNull<TimerEntry>, when: u64) -> bool {
        let mut timers = self.timers.lock();
        // SAFETY: live, by the caller; we have the lock.
        if !unsafe { TimerEntry::is_waiting(entry) } {
            return false;
        }
        // SAFETY: it waits, so it is linked here (R2).
        unsafe { timers.remove(entry) };
        // SAFETY: just unlinked, still live and pinned.
        unsafe { timers.push_fresh(entry, when) };
        let wake = self.note_earlier(&timers, when);
        drop(timers);
        self.call_hook(wake);
        true
    }

    /// Unlinks `entry` if it is linked still, and gives its waker back.
    ///
    /// # Safety
    ///
    /// The caller owns `entry`, and it was linked in this shard.
    pub(super) unsafe fn unlink(&self, entry: NonNull<TimerEntry>) -> Option<Waker> {
        let mut timers = self.timers.lock();
        // SAFETY: live, by the caller; we have the lock.
        if !unsafe { TimerEntry::is_waiting(entry) } {
            return None;
        }
        // SAFETY: it waits, so it is linked here (R2).
        unsafe { timers.remove(entry) };
        // SAFETY: just unlinked, and we have the lock.
        Some(unsafe { TimerEntry::finish(entry, entry::IDLE) })
    }

    /// Puts `waker` in the place of the one that `entry` has, which comes back; `Err` gives `waker` back
    /// because it waits no more.
    ///
    /// # Safety
    ///
    /// The caller owns `entry`, and it was linked in this shard.
    pub(super) unsafe fn replace_waker(
        &self,
        entry: NonNull<TimerEntry>,
        waker: Waker,
    ) -> Result<Waker, Waker> {
        let _timers = self.timers.lock();
        // SAFETY: live, by the caller; we have the lock.
        if !unsafe { TimerEntry::is_waiting(entry) } {
            return Err(waker);
        }
        // SAFETY: as above, and it waits.
        Ok(unsafe { TimerEntry::swap_waker(entry, waker) })
    }

    /// Publishes a tick that was just linked; true if the owner sleeps beyond it and is to be woken (R7).
    fn note_earlier(&self, timers: &Timers, when: u64) -> bool {
        let Published { next, asleep_until } = &*self.published;
        // Relaxed, all: R6, and R7 by the lock, of which `timers` is the proof.
        if when < next.load(Ordering::Relaxed) {
            next.store(when, Ordering::Relaxed);
        }
        let until = asleep_until.load(Ordering::Relaxed);
        // It fails when the owner has just called `awake`: then there is nobody to wake.
        when < until
            && timers.has_hook
            && asleep_until
                .compare_exchange(until, when.max(1), Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    #[inline]
    fn call_hook(&self, wake: bool) {
        if wake {
            self.hook.with(|hook| {
                // SAFETY: `note_earlier` saw under the lock that the hook is set, and that is final.
                if let Some(hook) = unsafe { &*hook } {
                    hook();
                }
            });
        }
    }
}

impl fmt::Debug for TimerShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimerShard")
            .field("next_deadline", &self.next_deadline())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;
