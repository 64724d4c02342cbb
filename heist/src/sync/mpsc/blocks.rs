//! The queue behind a channel: a chain of blocks of slots, many senders, one receiver.
//!
//! **What.** A sender claims the next position with one `fetch_add`, finds the block that holds it,
//! writes the value and sets the slot's bit in the block's `ready` word: two read-modify-writes a
//! message. The receiver reads slots in order, with none at all. Blocks are added by whoever first
//! needs one, and freed by the receiver.
//!
//! **States.** The tail's word: `position | CLOSED`. Positions count in steps of two, so that they
//! wrap round in the full word. A block's `ready` word: a bit for each slot, `RX_WAIT` (the receiver
//! sleeps until the slot it waits for is ready) and `RETIRED` (no sender that is still looking for
//! its slot can have this block in hand once the receiver has passed `retire_at`).
//!
//! **Rules.**
//! * B1. A slot is its claimant's until its bit is set, then the receiver's.
//! * B2. The receiver sleeps only after setting `RX_WAIT` in the block of its next position, by a
//!   read-modify-write that shows that slot not ready, and comes after the registration of its waker; also
//!   if the flag was set before. The sender that makes it ready sees `RX_WAIT`, and sees all lower slots
//!   ready: that is the one that wakes. It sees the waker by that as well, and needs no fence to look for it.
//!   (A later sender of the block finds a lower slot not ready, or is late and finds the waker taken, or
//!   wakes once too often.)
//! * B3. The tail's `block` is where senders begin to look. It moves past a block only when all its
//!   slots are ready, so no sender can find itself beyond its own block.
//! * B4. Whoever moves it past a block then reads the tail's word by a read-modify-write, notes that
//!   position in `retire_at` and sets `RETIRED`. A sender that began at the block had claimed its
//!   position before it looked, and so before that reading: its position is lower.
//! * B5. The receiver frees a block when it has left it, it is `RETIRED`, and the receiver's position
//!   has reached `retire_at`: by B4 and B1 every sender that might walk over it has finished.
//! * B6. `CLOSED` ends the positions: what is claimed afterwards is never filled. The position at
//!   which it was set is the exact end of the messages.
//!
//! **Orderings.** The slot's bit is set with release and read with acquire: the value. The claim
//! acquires and the reading of B4 releases: a claim after the reading sees `block` moved. `ready` is
//! read with acquire before B3's move, so that each claimant's look at `block` comes before it.
//!
//! **Rejected.** Waking through an `AtomicWaker` at every send (two more read-modify-writes);
//! retiring by the receiver alone (a backlog would keep twice its memory); handing freed blocks back
//! to the senders (an allocation per 32 messages costs less than a nanosecond each).
//!
//! **Tested by** `mpsc/loom_tests.rs`, with blocks of two slots. Each ordering was weakened by itself, and
//! the models report races for: the slot's bit, the claim, a block's `next` and the tail's `block`,
//! both sides of `RETIRED`, both sides of `CLOSED`; also for a free that does not wait for
//! `retire_at`, and a deadlock for a sender that ignores `RX_WAIT`. Without the acquire of `fill`, which shows the
//! waker, `a_message_wakes_while_its_sender_stays` fails; if `arm` changes nothing where the flag is set already,
//! `a_message_wakes_who_armed_again` does. Three can be weakened unnoticed: the release of
//! `arm`, which the fence in `AtomicWaker::register` repeats, and its acquire, which the next `pop` does; and the
//! acquire of B3, which guards against a load that sees the future: no processor's and not loom's.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use crate::loom::cell::UnsafeCell;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize};

/// Slots in a block.
#[cfg(not(all(test, heist_loom)))]
const SLOTS: usize = 32;
/// Few, so that models cross blocks.
#[cfg(all(test, heist_loom))]
const SLOTS: usize = 2;

const ALL_READY: u64 = (1 << SLOTS) - 1;
const RX_WAIT: u64 = 1 << SLOTS;
const RETIRED: u64 = 2 << SLOTS;

const CLOSED: usize = 1;
/// From one position to the next.
const STEP: usize = 2;

/// The first position of the block that holds `position`.
fn first_of(position: usize) -> usize {
    position & !(SLOTS * STEP - 1)
}

fn slot_of(position: usize) -> usize {
    (position / STEP) % SLOTS
}

/// How many messages lie between two positions.
fn distance(from: usize, to: usize) -> usize {
    to.wrapping_sub(from) / STEP
}

struct Block<T> {
    ready: AtomicU64,
    next: AtomicPtr<Block<T>>,
    /// The position of the first slot. Constant.
    first: usize,
    /// Written once, before `RETIRED` is set; read by the receiver after that.
    retire_at: UnsafeCell<usize>,
    slots: [UnsafeCell<MaybeUninit<T>>; SLOTS],
    /// Nothing, for models: looked at by senders that walk over the block, written by its end, so
    /// that a free which is not ordered after all looks is a race (B5).
    alive: UnsafeCell<()>,
}

impl<T> Block<T> {
    fn alloc(first: usize) -> NonNull<Self> {
        let mut block = Box::<Self>::new_uninit();
        let p = block.as_mut_ptr();
        // Field by field, so that the slots, which may be large, are not built on the stack.
        // SAFETY: a field of the allocation.
        unsafe { ptr::addr_of_mut!((*p).ready).write(AtomicU64::new(0)) };
        // SAFETY: as above.
        unsafe { ptr::addr_of_mut!((*p).next).write(AtomicPtr::new(ptr::null_mut())) };
        // SAFETY: as above.
        unsafe { ptr::addr_of_mut!((*p).first).write(first) };
        // SAFETY: as above.
        unsafe { ptr::addr_of_mut!((*p).retire_at).write(UnsafeCell::new(0)) };
        // SAFETY: as above.
        unsafe { ptr::addr_of_mut!((*p).alive).write(UnsafeCell::new(())) };
        for i in 0..SLOTS {
            // SAFETY: as above. Outside models this writes nothing.
            unsafe {
                ptr::addr_of_mut!((*p).slots[i]).write(UnsafeCell::new(MaybeUninit::uninit()));
            }
        }
        // SAFETY: all fields are written.
        NonNull::from(Box::leak(unsafe { block.assume_init() }))
    }

    /// The next block, made if there is none.
    fn next_or_grow(&self) -> NonNull<Self> {
        // Ordering: acquire pairs with the release below: the block's fields.
        if let Some(next) = NonNull::new(self.next.load(Acquire)) {
            return next;
        }
        let new = Self::alloc(self.first.wrapping_add(SLOTS * STEP));
        match self
            .next
            // Ordering: release publishes the new block's fields, acquire sees the other's.
            .compare_exchange(ptr::null_mut(), new.as_ptr(), Release, Acquire)
        {
            Ok(_) => new,
            Err(other) => {
                // SAFETY: nobody has seen the new block.
                drop(unsafe { Box::from_raw(new.as_ptr()) });
                // SAFETY: the exchange failed because it is not null.
                unsafe { NonNull::new_unchecked(other) }
            }
        }
    }
}

/// The senders' end.
pub(super) struct Tail<T> {
    word: AtomicUsize,
    block: AtomicPtr<Block<T>>,
}

/// The receiver's end.
pub(super) struct Head<T> {
    /// The next position to receive.
    position: usize,
    /// The block that held the position before it: holds it, or its next one does.
    block: NonNull<Block<T>>,
    /// The first block that is not freed yet.
    oldest: NonNull<Block<T>>,
    /// Where the messages end, once the receiver has closed the channel (B6).
    end: Option<usize>,
    _owns: PhantomData<T>,
}

// SAFETY: values pass from the senders' threads to the receiver's; B1 says who touches a slot.
unsafe impl<T: Send> Send for Tail<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Tail<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Head<T> {}
// SAFETY: by shared reference only positions are read.
unsafe impl<T: Send> Sync for Head<T> {}

/// The two ends of a new queue.
pub(super) fn queue<T>() -> (Tail<T>, Head<T>) {
    queue_from(0)
}

/// As [`queue`], with the first message at `position`, the first of a block.
fn queue_from<T>(position: usize) -> (Tail<T>, Head<T>) {
    let block = Block::alloc(position);
    let tail = Tail {
        word: AtomicUsize::new(position),
        block: AtomicPtr::new(block.as_ptr()),
    };
    let head = Head {
        position,
        block,
        oldest: block,
        end: None,
        _owns: PhantomData,
    };
    (tail, head)
}

/// A position that its owner must fill.
#[must_use]
pub(super) struct Claim(usize);

/// Somebody closed the queue.
pub(super) struct QueueClosed;

impl<T> Tail<T> {
    /// Claims the next position, unless the queue is closed.
    #[inline]
    pub(super) fn claim(&self) -> Result<Claim, QueueClosed> {
        // The look keeps a closed queue's position from running away.
        if self.word.load(Relaxed) & CLOSED != 0 {
            return Err(QueueClosed);
        }
        // Ordering: acquire pairs with the release in `retire` (B4).
        let word = self.word.fetch_add(STEP, Acquire);
        if word & CLOSED != 0 {
            return Err(QueueClosed); // B6
        }
        Ok(Claim(word))
    }

    /// Fills a claimed position. True if the receiver must be woken (B2).
    #[inline]
    #[must_use]
    pub(super) fn fill(&self, claim: Claim, value: T) -> bool {
        let block = self.find(claim.0);
        // SAFETY: B5 — a block is not freed before the receiver has passed all its positions, and
        // ours is not filled yet.
        let block = unsafe { block.as_ref() };
        let slot = slot_of(claim.0);
        // SAFETY: B1 — ours until the bit is set.
        block.slots[slot].with_mut(|p| unsafe { (*p).write(value) });
        let bit = 1 << slot;
        // Ordering: release gives the value to the receiver; acquire sees the waker that the
        // receiver registered before it set RX_WAIT. An addition, as the bit was 0 (B1): x86-64
        // has one instruction for it, and none that sets a bit and returns what was before.
        let before = block.ready.fetch_add(bit, AcqRel);
        before & RX_WAIT != 0 && before & (bit - 1) == bit - 1
    }

    /// The block that holds `position`, which the caller has claimed.
    #[inline]
    fn find(&self, position: usize) -> NonNull<Block<T>> {
        // Ordering: acquire pairs with the release of who moved it: the block's fields.
        let block = self.block.load(Acquire);
        // SAFETY: never null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: B5, as our position is not filled.
        let first = unsafe { block.as_ref() };
        first.alive.with(|_| ());
        if first.first == first_of(position) {
            return block;
        }
        self.walk(block, position)
    }

    #[cold]
    fn walk(&self, mut at: NonNull<Block<T>>, position: usize) -> NonNull<Block<T>> {
        let mut may_move = true;
        loop {
            // SAFETY: B5, as our position is not filled.
            let block = unsafe { at.as_ref() };
            block.alive.with(|_| ());
            if block.first == first_of(position) {
                return at;
            }
            let next = block.next_or_grow();
            // B3. Ordering: acquire, so that the claimants' looks at `self.block` are before the
            // move.
            may_move = may_move
                && block.ready.load(Acquire) & ALL_READY == ALL_READY
                && self
                    .block
                    // Ordering: release publishes the next block to those who begin there.
                    .compare_exchange(at.as_ptr(), next.as_ptr(), Release, Relaxed)
                    .is_ok();
            if may_move {
                self.retire(block);
            }
            at = next;
        }
    }

    /// Says when `block`, which `self.block` has just left, may be freed (B4).
    fn retire(&self, block: &Block<T>) {
        // Ordering: release makes the move of `self.block` visible to later claims.
        let word = self.word.fetch_add(0, Release);
        // SAFETY: B4 — only the one that moved `self.block` past it comes here, once.
        block.retire_at.with_mut(|p| unsafe { *p = word & !CLOSED });
        // Ordering: release pairs with the receiver's acquire in `reclaim`. Last touch.
        block.ready.fetch_or(RETIRED, Release);
    }

    pub(super) fn is_closed(&self) -> bool {
        // Ordering: pairs with `close`.
        self.word.load(Acquire) & CLOSED != 0
    }

    /// Closes the queue and returns the position of its end (B6), if it was not closed before.
    pub(super) fn close(&self) -> usize {
        // Ordering: release, so that who sees CLOSED sees all that the closer did; in particular the
        // last sender's messages.
        self.word.fetch_or(CLOSED, Release) & !CLOSED
    }
}

/// What the receiver finds when it takes no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing was sent.
    Empty,
    /// A message is being sent right now.
    Coming,
    /// Nothing will be sent any more.
    Ended,
}

impl<T> Head<T> {
    fn ready(&self) -> u64 {
        // SAFETY: the block is not freed before the receiver leaves it.
        // Ordering: acquire pairs with the release in `fill`.
        unsafe { self.block.as_ref() }.ready.load(Acquire)
    }

    /// Moves on to the block of the next position, if there is one. False if not.
    #[inline]
    fn enter_block(&mut self) -> bool {
        // SAFETY: the block is not freed before the receiver leaves it.
        let block = unsafe { self.block.as_ref() };
        if block.first == first_of(self.position) {
            return true;
        }
        // Ordering: acquire pairs with the release in `next_or_grow`.
        match NonNull::new(block.next.load(Acquire)) {
            Some(next) => {
                self.block = next;
                self.reclaim();
                true
            }
            None => false,
        }
    }

    /// Takes the next message, if it is ready.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        if !self.enter_block() {
            return None;
        }
        let slot = slot_of(self.position);
        let ready = self.ready();
        if ready & (1 << slot) == 0 {
            return None;
        }
        // SAFETY: the block is not freed before the receiver leaves it.
        let block = unsafe { self.block.as_ref() };
        // SAFETY: B1 — ready, so ours; the position moves on, so once.
        let value = block.slots[slot].with(|p| unsafe { (*p).assume_init_read() });
        self.position = self.position.wrapping_add(STEP);
        if ready & RX_WAIT != 0 {
            // Awake: later senders need not wake again. Ordering: none, B2's arming is what counts.
            block.ready.fetch_and(!RX_WAIT, Relaxed);
        }
        Some(value)
    }

    /// Sees to it that the sender of the next message wakes the receiver (B2). True if that message
    /// is there already.
    pub(super) fn arm(&mut self) -> bool {
        if !self.enter_block() {
            // SAFETY: the block is not freed before the receiver leaves it.
            self.block = unsafe { self.block.as_ref() }.next_or_grow();
            self.reclaim();
        }
        let bit = 1 << slot_of(self.position);
        let mut ready = self.ready();
        if ready & bit == 0 {
            // Only we set RX_WAIT and take it away. If it is set, there was a poll that no message had called
            // for: the waker that came with this one is to be passed on as well (B2).
            let wait = !ready & RX_WAIT;
            // SAFETY: the block is not freed before the receiver leaves it.
            let block = unsafe { self.block.as_ref() };
            // Ordering: release gives the registered waker to the sender, acquire sees the message.
            ready = block.ready.fetch_add(wait, AcqRel);
        }
        ready & bit != 0
    }

    /// Frees the blocks that no sender can be looking at (B5).
    #[cold]
    fn reclaim(&mut self) {
        while self.oldest != self.block {
            // SAFETY: not freed yet; B5.
            let block = unsafe { self.oldest.as_ref() };
            // Ordering: acquire pairs with the release in `retire`.
            if block.ready.load(Acquire) & RETIRED == 0 {
                return;
            }
            // SAFETY: written before RETIRED was set, and never again.
            let retire_at = block.retire_at.with(|p| unsafe { *p });
            if (self.position.wrapping_sub(retire_at) as isize) < 0 {
                return;
            }
            let next = block.next.load(Relaxed);
            block.alive.with_mut(|_| ());
            // SAFETY: B5.
            drop(unsafe { Box::from_raw(self.oldest.as_ptr()) });
            // SAFETY: the receiver has gone on to a later block, so there is a next.
            self.oldest = unsafe { NonNull::new_unchecked(next) };
        }
    }

    /// Notes where the messages end: the receiver has closed the queue.
    pub(super) fn end_at(&mut self, position: usize) {
        self.end.get_or_insert(position);
    }

    /// The end of what was claimed so far, and whether it is the end for good.
    fn end(&self, tail: &Tail<T>) -> (usize, bool) {
        match self.end {
            Some(end) => (end, true),
            None => {
                // Ordering: acquire pairs with `close`: CLOSED by the last sender shows all messages.
                let word = tail.word.load(Acquire);
                (word & !CLOSED, word & CLOSED != 0)
            }
        }
    }

    /// What is to be expected after [`pop`](Self::pop) has found nothing.
    pub(super) fn rest(&self, tail: &Tail<T>) -> Rest {
        match self.end(tail) {
            (end, _) if end != self.position => Rest::Coming,
            (_, true) => Rest::Ended,
            (_, false) => Rest::Empty,
        }
    }

    /// How many messages are there or being sent.
    pub(super) fn len(&self, tail: &Tail<T>) -> usize {
        distance(self.position, self.end(tail).0)
    }

    /// Drops all messages that are ready, also if the drop of one panics; calls `each` after each.
    pub(super) fn drain(&mut self, each: impl FnMut()) {
        struct Drain<'a, T, F: FnMut()>(&'a mut Head<T>, F);

        impl<T, F: FnMut()> Drain<'_, T, F> {
            fn run(&mut self) {
                while let Some(value) = self.0.pop() {
                    (self.1)();
                    drop(value);
                }
            }
        }

        impl<T, F: FnMut()> Drop for Drain<'_, T, F> {
            fn drop(&mut self) {
                self.run();
            }
        }

        Drain(self, each).run();
    }
}

/// The queue's end: the senders are gone as well.
impl<T> Drop for Head<T> {
    fn drop(&mut self) {
        /// Frees the blocks also if the drop of a message panics.
        struct FreeBlocks<'a, T>(&'a mut Head<T>);

        impl<T> Drop for FreeBlocks<'_, T> {
            fn drop(&mut self) {
                let mut next = self.0.oldest.as_ptr();
                while !next.is_null() {
                    // SAFETY: both ends are going, so the chain from the oldest block is ours.
                    let block = unsafe { Box::from_raw(next) };
                    next = block.next.load(Relaxed);
                }
            }
        }

        FreeBlocks(self).0.drain(|| {});
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn positions_wrap_round() {
        for before in 0..3 {
            let start = first_of(0usize.wrapping_sub(before * SLOTS * STEP));
            let (tail, mut head) = queue_from(start);
            for i in 0..200 {
                assert!(!tail.fill(tail.claim().ok().unwrap(), i));
                assert_eq!(head.len(&tail), i % 3 + 1);
                if i % 3 == 2 {
                    for j in i - 2..=i {
                        assert_eq!(head.pop(), Some(j));
                    }
                }
            }
            assert_eq!(head.rest(&tail), Rest::Coming);
            assert_eq!(
                (head.pop(), head.pop(), head.pop()),
                (Some(198), Some(199), None)
            );
            assert_eq!(head.rest(&tail), Rest::Empty);
            head.end_at(tail.close());
            assert!(tail.claim().is_err());
            assert_eq!(head.rest(&tail), Rest::Ended);
        }
    }

    #[test]
    fn blocks_are_freed_as_the_receiver_goes() {
        let (tail, mut head) = queue();
        for i in 0..10_000 {
            let _ = tail.fill(tail.claim().ok().unwrap(), i);
        }
        for i in 0..10_000 {
            assert_eq!(head.pop(), Some(i));
            // At most the block before it is kept: the sender that moved on to this block had
            // claimed its first place by then.
            // SAFETY: not freed yet.
            let next = unsafe { head.oldest.as_ref() }.next.load(Relaxed);
            assert!(head.oldest == head.block || next == head.block.as_ptr());
        }
    }

    #[test]
    fn only_the_awaited_message_wakes() {
        let (tail, mut head) = queue();
        assert!(!head.arm());
        let (first, second) = (tail.claim().ok().unwrap(), tail.claim().ok().unwrap());
        assert!(!tail.fill(second, 2));
        assert!(tail.fill(first, 1));
        assert_eq!((head.pop(), head.pop()), (Some(1), Some(2)));
        assert!(!tail.fill(tail.claim().ok().unwrap(), 3));
        assert!(head.arm());
    }
}
