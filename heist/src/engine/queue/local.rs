//! The local run queue: a ring with one owner, who pushes and pops, and many thieves, who take half.
//!
//! # What
//!
//! A fixed ring of 256 slots. `tail` is written by the owner alone: a push is a store. `head` is two
//! 32-bit indices in one word, `steal` and `real`: a pop or a steal moves it by compare-and-swap.
//!
//! # States
//!
//! | `steal` vs `real` | meaning |
//! |---|---|
//! | equal | no steal under way; slots `real..tail` hold items |
//! | `steal < real` | a thief is copying `steal..real` out; no second thief may begin; the owner may pop |
//!
//! # Rules
//!
//! * **Q1** Slots `real..tail` are full and claimed by whoever moves `real` past them; `steal..real`
//!   are the thief's who moved `real`; all others are empty and the owner's to fill.
//! * **Q2** `tail − steal ≤ CAPACITY`: the owner does not fill a slot that a thief still reads.
//! * **Q3** Indices are 32 bits and wrap. A word would have to come round 2³² operations between a
//!   load and its compare-and-swap to be mistaken.
//! * **Q4** Overflow keeps the older half and spills the younger one, so that the oldest keep their
//!   turn: the owner claims everything in one step (`real = steal = tail`), moves the second half
//!   out, and puts the first back by moving `tail` on by half: as the ring was full, the same indices
//!   modulo the capacity name the same slots, and nothing is copied.
//!
//! # Orderings
//!
//! Two pairs, and no more. `tail`: stored with release by the owner, loaded with acquire by thieves,
//! for the slots' content. `head`: moved with release by a thief that has finished copying, loaded with
//! acquire by the owner before it fills a slot again. Claims are relaxed: all content is the owner's
//! writing, so an owner needs no order, and a thief has it from `tail`. They are read-modify-writes, so
//! a `finish` that a claim or a pop overwrites is still seen by the owner's next push.
//!
//! # Rejected
//!
//! *Chase–Lev*: the owner takes the youngest; tasks want their turn in order. *Growing*: reclamation
//! on the hot path; the injector takes what does not fit.
//!
//! # Tested by
//!
//! The models in `loom_tests`, which also list what was weakened once and seen to fail; `tests` has the
//! randomised ones and a stress with threads.

use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use crate::engine::base::cache_padded::CachePadded;
use crate::engine::queue::injector::{Chain, Linked};
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicU32, AtomicU64};

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(not(all(test, heist_loom)))]
pub(crate) const CAPACITY: u32 = 256;
#[cfg(all(test, heist_loom))]
pub(crate) const CAPACITY: u32 = 4;

const MASK: u32 = CAPACITY - 1;

type RingSlot<T> = UnsafeCell<MaybeUninit<NonNull<<T as Linked>::Node>>>;

struct Ring<T: Linked> {
    /// `steal` in the high half, `real` in the low one.
    head: CachePadded<AtomicU64>,
    tail: CachePadded<AtomicU32>,
    /// In place, and its length known: one load less to get at a slot, and no check.
    slots: [RingSlot<T>; CAPACITY as usize],
}

// SAFETY: Q1 — each slot has one reader or writer at a time, and items cross threads as `T`s would.
unsafe impl<T: Linked + Send> Send for Ring<T> {}
// SAFETY: as above.
unsafe impl<T: Linked + Send> Sync for Ring<T> {}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Head {
    steal: u32,
    real: u32,
}

impl Head {
    #[inline]
    fn unpack(word: u64) -> Self {
        Self {
            steal: (word >> 32) as u32,
            real: word as u32,
        }
    }

    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.steal) << 32 | u64::from(self.real)
    }

    /// Both indices at `index`: no steal under way.
    #[inline]
    fn at(index: u32) -> Self {
        Self {
            steal: index,
            real: index,
        }
    }

    fn steal_under_way(self) -> bool {
        self.steal != self.real
    }
}

impl<T: Linked> Ring<T> {
    #[inline(always)]
    fn slot(&self, index: u32) -> &RingSlot<T> {
        &self.slots[(index & MASK) as usize]
    }

    /// # Safety
    ///
    /// Q1: the slot is the caller's and full.
    #[inline]
    unsafe fn read(&self, index: u32) -> T {
        // SAFETY: full, says the caller.
        let node = self
            .slot(index)
            .with(|slot| unsafe { (*slot).assume_init_read() });
        // SAFETY: it came out of `into_node` in `write`, and a claim is made once.
        unsafe { T::from_node(node) }
    }

    /// # Safety
    ///
    /// Q1, Q2: the slot is the caller's and empty.
    #[inline]
    unsafe fn write(&self, index: u32, item: T) {
        let node = item.into_node();
        // SAFETY: the caller's, and nothing in it to drop.
        self.slot(index)
            .with_mut(|slot| unsafe { (*slot).write(node) });
    }

    fn len(&self) -> u32 {
        let head = Head::unpack(self.head.load(Relaxed));
        self.tail
            .load(Relaxed)
            .wrapping_sub(head.real)
            .min(CAPACITY)
    }
}

impl<T: Linked> Drop for Ring<T> {
    fn drop(&mut self) {
        // Ordering: relaxed; dropping is exclusive.
        let head = Head::unpack(self.head.load(Relaxed));
        let tail = self.tail.load(Relaxed);
        let mut index = head.real;
        while index != tail {
            // SAFETY: Q1, and nobody else is left.
            drop(unsafe { self.read(index) });
            index = index.wrapping_add(1);
        }
    }
}

/// The owner's end. There is one, and it is not `Sync`.
pub(crate) struct LocalQueue<T: Linked> {
    ring: Arc<Ring<T>>,
    _not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

/// A thief's end.
pub(crate) struct Stealer<T: Linked>(Arc<Ring<T>>);

/// Makes a queue and a thief's end of it.
pub(crate) fn new<T: Linked>() -> (LocalQueue<T>, Stealer<T>) {
    starting_at(0)
}

/// As [`new`], with the indices at `index`: tests begin shortly before they wrap (Q3).
fn starting_at<T: Linked>(index: u32) -> (LocalQueue<T>, Stealer<T>) {
    let ring = Arc::new(Ring {
        head: CachePadded::new(AtomicU64::new(Head::at(index).pack())),
        tail: CachePadded::new(AtomicU32::new(index)),
        slots: std::array::from_fn(|_| UnsafeCell::new(MaybeUninit::uninit())),
    });
    (
        LocalQueue {
            ring: Arc::clone(&ring),
            _not_sync: std::marker::PhantomData,
        },
        Stealer(ring),
    )
}

impl<T: Linked> LocalQueue<T> {
    /// How many items there are; thieves may make it less at any time.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.ring.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of what is pushed next.
    pub(crate) fn end(&self) -> u32 {
        // Relaxed: only we write it.
        self.ring.tail.load(Relaxed)
    }

    /// How many pushes will surely succeed.
    pub(crate) fn room(&self) -> u32 {
        // Ordering: acquire as in `push_back`; thieves can only make more room.
        let head = Head::unpack(self.ring.head.load(Acquire));
        CAPACITY - self.ring.tail.load(Relaxed).wrapping_sub(head.steal)
    }

    /// Adds at the back, and says how many there were before. On overflow gives what has to go to the
    /// injector: the younger half and `item`, or `item` alone while a thief is making room.
    #[inline(always)]
    pub(crate) fn push_back(&self, item: T) -> Result<u32, Chain<T>> {
        // Relaxed: only we write it.
        let tail = self.ring.tail.load(Relaxed);
        // Ordering: acquire pairs with the release of a thief that has copied out (Q2).
        let head = Head::unpack(self.ring.head.load(Acquire));
        if tail.wrapping_sub(head.steal) >= CAPACITY {
            return self.push_back_full(item, head, tail);
        }
        // SAFETY: Q1, Q2 — beyond `tail`, and no thief is there any more.
        unsafe { self.ring.write(tail, item) };
        // Ordering: release gives the slot to the thieves' acquire.
        self.ring.tail.store(tail.wrapping_add(1), Release);
        Ok(tail.wrapping_sub(head.real))
    }

    /// `push_back` when there was no room.
    #[cold]
    fn push_back_full(&self, item: T, head: Head, tail: u32) -> Result<u32, Chain<T>> {
        match self.overflow(item, head, tail) {
            Ok(chain) => Err(chain),
            Err(back) => self.push_back(back),
        }
    }

    /// Q4. Gives `item` back if a thief came in between.
    fn overflow(&self, item: T, head: Head, tail: u32) -> Result<Chain<T>, T> {
        let mut chain = Chain::new();
        if head.steal_under_way() {
            chain.push_back(item);
            return Ok(chain);
        }
        // Relaxed: the slots' content is our own, and `push_back` has acquired what thieves released.
        let claim =
            self.ring
                .head
                .compare_exchange(head.pack(), Head::at(tail).pack(), Relaxed, Relaxed);
        if claim.is_err() {
            return Err(item);
        }
        let half = CAPACITY / 2;
        for i in half..CAPACITY {
            // SAFETY: Q1 — all slots are ours by the claim; these leave the ring.
            chain.push_back(unsafe { self.ring.read(head.real.wrapping_add(i)) });
        }
        chain.push_back(item);
        // Q4: the first half is where the next `half` indices point to.
        // Ordering: release gives the slots to the thieves' acquire.
        self.ring.tail.store(tail.wrapping_add(half), Release);
        Ok(chain)
    }

    /// Takes from the front.
    #[inline]
    pub(crate) fn pop_front(&self) -> Option<T> {
        let mut word = self.ring.head.load(Relaxed);
        let index = loop {
            let head = Head::unpack(word);
            // Relaxed: only we write it.
            if head.real == self.ring.tail.load(Relaxed) {
                return None;
            }
            let next = head.real.wrapping_add(1);
            let after = if head.steal_under_way() {
                Head { real: next, ..head }
            } else {
                Head::at(next)
            };
            // Relaxed: the content is our own writing, and as a read-modify-write this hands the
            // release of a thief's `finish` on to our next push.
            match self
                .ring
                .head
                .compare_exchange_weak(word, after.pack(), Relaxed, Relaxed)
            {
                Ok(_) => break head.real,
                Err(now) => word = now,
            }
        };
        // SAFETY: Q1 — claimed.
        Some(unsafe { self.ring.read(index) })
    }
}

impl<T: Linked> Stealer<T> {
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.0.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the next item is: how many were taken before it.
    #[inline]
    pub(crate) fn first(&self) -> u32 {
        Head::unpack(self.0.head.load(Relaxed)).real
    }

    /// Moves half of what is here to `thief`'s own queue, and gives one of them to run at once.
    /// Also says how many were taken in all.
    pub(crate) fn steal_into(&self, thief: &LocalQueue<T>) -> Option<(T, u32)> {
        debug_assert!(!Arc::ptr_eq(&self.0, &thief.ring), "no worker robs itself");
        // Half of a full ring must fit.
        if thief.room() < CAPACITY / 2 {
            return None;
        }
        let (first, n) = self.claim()?;
        let to = thief.ring.tail.load(Relaxed);
        for i in 0..n - 1 {
            // SAFETY: Q1 — claimed by us.
            let item = unsafe { self.0.read(first.wrapping_add(i)) };
            // SAFETY: Q1, Q2 — our own ring has room for half a ring.
            unsafe { thief.ring.write(to.wrapping_add(i), item) };
        }
        // SAFETY: Q1 — claimed by us.
        let last = unsafe { self.0.read(first.wrapping_add(n - 1)) };
        self.finish();
        if n > 1 {
            // Ordering: release gives the slots to the thieves of ours.
            thief.ring.tail.store(to.wrapping_add(n - 1), Release);
        }
        Some((last, n))
    }

    /// Moves `real` over half of the items: they are ours until [`finish`](Self::finish).
    fn claim(&self) -> Option<(u32, u32)> {
        let mut word = self.0.head.load(Relaxed);
        loop {
            let head = Head::unpack(word);
            if head.steal_under_way() {
                return None;
            }
            // Ordering: acquire pairs with the owner's release: the slots' content.
            let available = self.0.tail.load(Acquire).wrapping_sub(head.real);
            // Between the two loads the owner may have popped and pushed more than a ring; or this
            // `tail` is older than that `head`, which shows less than nothing, and so more than a ring.
            if available == 0 || available > CAPACITY {
                return None;
            }
            let n = available - available / 2;
            let after = Head {
                real: head.real.wrapping_add(n),
                ..head
            };
            // Relaxed: with `tail` came the content, and no slot of it is filled again before our
            // `finish`.
            match self
                .0
                .head
                .compare_exchange_weak(word, after.pack(), Relaxed, Relaxed)
            {
                Ok(_) => return Some((head.real, n)),
                Err(now) => word = now,
            }
        }
    }

    /// All claimed slots are read: the owner may fill them again.
    fn finish(&self) {
        let mut word = self.0.head.load(Relaxed);
        loop {
            // The owner may have popped on; nobody else touches `steal` while we are at it.
            let after = Head::at(Head::unpack(word).real);
            // Ordering: release pairs with the owner's acquire in `push_back` and `room` (Q2).
            match self
                .0
                .head
                .compare_exchange_weak(word, after.pack(), Release, Relaxed)
            {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }
}

impl<T: Linked> fmt::Debug for LocalQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalQueue")
            .field("len", &self.len())
            .finish()
    }
}

impl<T: Linked> fmt::Debug for Stealer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stealer").field("len", &self.len()).finish()
    }
}
