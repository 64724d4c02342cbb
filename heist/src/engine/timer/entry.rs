//! One timer: the part that lives in the future.

use std::fmt;
use std::marker::PhantomPinned;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

use super::shard::TimerShard;
use super::wheel::PLACES;
use crate::engine::queue::list::{Links, Node};
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Unlinked, and not armed since it was made or disarmed.
pub(super) const IDLE: u8 = 0;
/// Unlinked, with a deadline that was set after it was made.
const MOVED: u8 = 1;
/// Linked, with a live waker (R2, R8).
pub(super) const WAITING: u8 = 2;
/// The time has come; unlinked.
pub(super) const FIRED: u8 = 3;
/// The runtime went away before the time came; unlinked.
const SHUT_DOWN: u8 = 4;

/// The tick of an entry that is being fired (R10): no deadline is so late.
const TAKEN: u64 = u64::MAX;

/// The list an entry is in, while it is in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u16);

impl Place {
    /// The shard's fresh list.
    pub(super) const FRESH: Self = Self(PLACES as u16);

    pub(super) fn slot(index: usize) -> Self {
        debug_assert!(index < PLACES);
        Self(index as u16)
    }

    /// The slot's index; `None` for the fresh list.
    pub(super) fn as_slot(self) -> Option<usize> {
        (self != Self::FRESH).then_some(usize::from(self.0))
    }
}

/// What has become of a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Armed {
    /// The time came.
    Fired,
    /// The runtime was shut down first.
    ShutDown,
}

/// A timer's place in its shard. Pinned from its first arming; see the [module](super) for the phases
/// and rules.
pub(crate) struct TimerEntry {
    links: Links<TimerEntry>,
    /// R8: written by the owner, a live waker while the phase is `WAITING`.
    waker: UnsafeCell<MaybeUninit<Waker>>,
    /// The shard of the last arming. Kept when the timer has fired: the next arming is most
    /// often with the same one.
    shard: Option<Arc<TimerShard>>,
    /// R10: the tick it is due at.
    when: AtomicU64,
    /// R1: the list it is in.
    place: UnsafeCell<Place>,
    phase: AtomicU8,
    _pinned: PhantomPinned,
}

// SAFETY: what other threads touch they touch under the lock (R1), or as R4, R8 and R10 say.
unsafe impl Send for TimerEntry {}
// SAFETY: `&TimerEntry` gives its holder only the phase and the tick (R10); the rest is R1 and R8.
unsafe impl Sync for TimerEntry {}

// SAFETY: the links are a field of the entry that only the list touches.
unsafe impl Node for TimerEntry {
    unsafe fn links(node: NonNull<Self>) -> NonNull<Links<Self>> {
        // SAFETY: the caller gives a live entry.
        NonNull::from(unsafe { &(*node.as_ptr()).links })
    }
}

/// The owner's side.
impl TimerEntry {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            links: Links::new(),
            waker: UnsafeCell::new(MaybeUninit::uninit()),
            shard: None,
            when: AtomicU64::new(0),
            place: UnsafeCell::new(Place::FRESH),
            phase: AtomicU8::new(IDLE),
            _pinned: PhantomPinned,
        }
    }

    #[inline]
    fn phase(&self) -> u8 {
        // Ordering: pairs with the stores in `finish`, so that an owner that sees an end may do
        // with the entry what it likes (R4).
        self.phase.load(Ordering::Acquire)
    }

    /// True if [`arm`](Self::arm) is what comes next: it is neither waiting nor at an end.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.phase() <= MOVED
    }

    pub(crate) fn has_fired(&self) -> bool {
        self.phase() == FIRED
    }

    /// True if it was given a new deadline and has not been armed since.
    pub(crate) fn was_moved(&self) -> bool {
        self.phase() == MOVED
    }

    /// Says that the time has come, of a timer that is idle and found to be past its deadline.
    pub(crate) fn mark_fired(&self) {
        debug_assert!(self.is_idle());
        // Relaxed: nobody but owners (who are ordered among themselves) looks at an idle entry; two
        // that hold `&self` at once store the same.
        self.phase.store(FIRED, Ordering::Relaxed);
    }

    /// True if the last arming was with `shard`.
    #[inline]
    pub(crate) fn holds(&self, shard: &Arc<TimerShard>) -> bool {
        self.shard
            .as_ref()
            .is_some_and(|held| Arc::ptr_eq(held, shard))
    }

    /// Starts to wait for tick `when`, in `shard` or, without one, in the shard it [`holds`](Self::holds).
    pub(crate) fn arm(
        self: Pin<&mut Self>,
        shard: Option<Arc<TimerShard>>,
        when: u64,
        waker: Waker,
    ) {
        debug_assert!(self.is_idle());
        // SAFETY: nothing is moved out of the entry here.
        let this = unsafe { self.get_unchecked_mut() };
        if shard.is_some() {
            this.shard = shard;
        }
        let shard = this.shard.as_ref().expect("a shard to arm with");
        // SAFETY: idle, so it is in no list; pinned, and its drop unlinks it (R3).
        let refused = unsafe { shard.link(NonNull::from(&*this), when, waker) };
        if refused.is_some() {
            // Relaxed: unlinked, so nobody else looks.
            this.phase.store(SHUT_DOWN, Ordering::Relaxed);
        }
    }

    /// Polls an entry that is not idle.
    #[inline]
    pub(crate) fn poll_armed(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Armed> {
        match self.phase() {
            WAITING => {
                let same = self.waker.with(|waker| {
                    // SAFETY: R8 — it was a live waker when the phase was `WAITING`. If it is being
                    // moved out just now its bytes are still there, and comparing looks at nothing else.
                    let waker = unsafe { (*waker).assume_init_ref() };
                    waker.will_wake(cx.waker())
                });
                if same {
                    // Whoever fires it wakes us, or is about to.
                    Poll::Pending
                } else {
                    self.change_waker(cx)
                }
            }
            phase => Poll::Ready(Armed::from_end(phase)),
        }
    }

    #[cold]
    fn change_waker(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Armed> {
        let waker = cx.waker().clone();
        let shard = self.shard.as_ref().expect("it was armed");
        // SAFETY: it was armed with this shard.
        let replaced = unsafe { shard.replace_waker(NonNull::from(&*self), waker) };
        match replaced {
            Ok(old) => {
                drop(old);
                Poll::Pending
            }
            Err(unused) => {
                drop(unused);
                Poll::Ready(Armed::from_end(self.phase()))
            }
        }
    }

    /// The shard it waits in; `None` if it does not wait.
    pub(crate) fn waits_in(&self) -> Option<&Arc<TimerShard>> {
        match self.phase() {
            WAITING => self.shard.as_ref(),
            _ => None,
        }
    }

    /// Gives it another tick to wait for, if it [waits](Self::waits_in); otherwise it is idle
    /// after this, for its owner to arm, unless the runtime is gone.
    pub(crate) fn move_to(self: Pin<&mut Self>, when: u64) {
        if let Some(shard) = self.waits_in() {
            // SAFETY: it was armed with this shard, and is pinned.
            if self.postpone(when) || unsafe { shard.refile(NonNull::from(&*self), when) } {
                return;
            }
        }
        if self.phase() != SHUT_DOWN {
            // Relaxed: unlinked, so nobody else looks.
            self.phase.store(MOVED, Ordering::Relaxed);
        }
    }

    /// Gives it a later tick, of which nobody need be told: its list is early enough, and it is looked at again when
    /// that comes up (R10). False if the tick is not later, or its time has come.
    #[inline]
    fn postpone(&self, when: u64) -> bool {
        debug_assert!(when < TAKEN);
        self.change_when(when, when)
    }

    /// Changes the tick to `to`, if it is not after `latest`; false if it is, or the other side was first (R10).
    #[inline]
    fn change_when(&self, latest: u64, to: u64) -> bool {
        // Relaxed, both: R10, the tick is all that the two sides tell each other by it.
        let due = self.when.load(Ordering::Relaxed);
        due <= latest
            && self
                .when
                .compare_exchange(due, to, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Ends the waiting as if the time had come, and wakes; for one that was found to be past its
    /// deadline before anybody fired it.
    pub(crate) fn expire(self: Pin<&mut Self>) {
        let Some(shard) = self.waits_in() else {
            return;
        };
        // SAFETY: it was armed with this shard.
        if let Some(waker) = unsafe { shard.unlink(NonNull::from(&*self)) } {
            self.mark_fired();
            waker.wake();
        }
    }

    /// Ends the waiting and makes it idle, unless the runtime is gone.
    pub(crate) fn disarm(self: Pin<&mut Self>) {
        self.unlink();
        if self.phase() != SHUT_DOWN {
            // Relaxed: unlinked, so nobody else looks.
            self.phase.store(IDLE, Ordering::Relaxed);
        }
    }

    /// After this the entry is in no list, and whoever fired it has let go of it.
    #[inline]
    fn unlink(&self) {
        if let Some(shard) = self.waits_in() {
            // SAFETY: it was armed with this shard.
            let waker = unsafe { shard.unlink(NonNull::from(self)) };
            drop(waker);
        }
    }
}

impl Drop for TimerEntry {
    #[inline]
    fn drop(&mut self) {
        // R3. A waker that was not moved out comes back from `unlink`; otherwise the cell has none.
        self.unlink();
        #[cfg(all(test, heist_loom))]
        {
            // The memory is free from here on. A write stands for that, as loom does not take the
            // drop of a cell for an access.
            self.waker.with_mut(|_| ());
            self.when.with_mut(|_| ());
            self.place.with_mut(|_| ());
        }
    }
}

impl Armed {
    pub(super) fn phase(self) -> u8 {
        match self {
            Self::Fired => FIRED,
            Self::ShutDown => SHUT_DOWN,
        }
    }

    fn from_end(phase: u8) -> Self {
        match phase {
            FIRED => Self::Fired,
            SHUT_DOWN => Self::ShutDown,
            _ => unreachable!("an entry at an end"),
        }
    }
}

/// The shard's side: entries by their address, under the shard's lock (R1).
///
/// # Safety
///
/// For all of these: `entry` is live, and the caller has the lock of the shard it is or is to be in.
impl TimerEntry {
    pub(super) unsafe fn when(entry: NonNull<Self>) -> u64 {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        // Relaxed: R10.
        entry.when.load(Ordering::Relaxed)
    }

    pub(super) unsafe fn set_when(entry: NonNull<Self>, tick: u64) {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        // Relaxed: R10, and it is the owner's own call.
        entry.when.store(tick, Ordering::Relaxed);
    }

    /// Takes it for firing if it is due at `tick`: from here on it is not postponed. False if it was.
    pub(super) unsafe fn take_if_due(entry: NonNull<Self>, tick: u64) -> bool {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        entry.change_when(tick, TAKEN)
    }

    pub(super) unsafe fn place(entry: NonNull<Self>) -> Place {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        // SAFETY: R1.
        entry.place.with(|place| unsafe { *place })
    }

    pub(super) unsafe fn set_place(entry: NonNull<Self>, new: Place) {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        // SAFETY: R1.
        entry.place.with_mut(|place| unsafe { *place = new });
    }

    /// True while it is linked (R2).
    pub(super) unsafe fn is_waiting(entry: NonNull<Self>) -> bool {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        // Relaxed: R2, the lock orders it.
        entry.phase.load(Ordering::Relaxed) == WAITING
    }

    /// To `WAITING`, with `waker`. The caller is the owner, and links it.
    pub(super) unsafe fn begin(entry: NonNull<Self>, waker: Waker) {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        entry.waker.with_mut(|cell| {
            // SAFETY: R8 — the owner writes, and nobody reads an entry that is not linked. There is
            // no waker in the cell that could be lost.
            unsafe { (*cell).write(waker) };
        });
        // Relaxed: R2, the lock orders it.
        entry.phase.store(WAITING, Ordering::Relaxed);
    }

    /// Puts `new` in the place of the waker. The caller is the owner; the entry waits.
    pub(super) unsafe fn swap_waker(entry: NonNull<Self>, new: Waker) -> Waker {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        entry.waker.with_mut(|cell| {
            // SAFETY: R8 — the owner writes, under the lock, so nobody is moving it out.
            let cell = unsafe { &mut *cell };
            // SAFETY: R8 — it waits, so it has one.
            std::mem::replace(unsafe { cell.assume_init_mut() }, new)
        })
    }

    /// From `WAITING` to `phase`. It is unlinked already; after this call it must not be touched
    /// again by anyone but its owner (R4).
    pub(super) unsafe fn finish(entry: NonNull<Self>, phase: u8) -> Waker {
        // SAFETY: live, by the caller.
        let entry = unsafe { entry.as_ref() };
        let waker = entry.waker.with(|cell| {
            // SAFETY: R8 — it waited, so the bytes are a live waker, which moves out here; with the
            // phase that follows nobody takes them for one again.
            unsafe { (*cell).assume_init_read() }
        });
        // Ordering: pairs with the load in `phase`: all our accesses are before what an owner does
        // that sees the new phase (R4).
        entry.phase.store(phase, Ordering::Release);
        waker
    }
}

impl fmt::Debug for TimerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phase = match self.phase() {
            IDLE => "Idle",
            MOVED => "Moved",
            WAITING => "Waiting",
            FIRED => "Fired",
            _ => "ShutDown",
        };
        f.debug_tuple("TimerEntry").field(&phase).finish()
    }
}
