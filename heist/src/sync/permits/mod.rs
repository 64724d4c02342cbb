//! The count of permits behind [`Semaphore`](super::Semaphore), [`Mutex`](super::Mutex),
//! [`RwLock`](super::RwLock) and bounded [`mpsc`](super::mpsc) channels.
//!
//! **What.** A number of permits and a first-come-first-served queue of those who want some. A
//! permit that is given back while somebody waits goes to the front of the queue, never to a
//! passer-by.
//!
//! **States.** One word: `permits << 2 | WAITERS | CLOSED`, and the queue under a lock. Each waiter
//! has a state of its own: `QUEUED`, then `GRANTED` or `REFUSED`.
//!
//! **Rules.**
//! * S1. `WAITERS` is set if and only if the queue is not empty; it changes only under the lock.
//! * S2. While `WAITERS` is set, permits in the word are on their way to the queue: nobody may take
//!   them but a holder of the lock who hands them out. So `available` is 0 then.
//! * S3. Who adds permits to a word with `WAITERS` takes the lock and hands them out. Who joins the
//!   queue sets `WAITERS` by a compare-exchange that also shows that there were too few permits,
//!   and takes those few along. So permits and waiters never miss each other.
//! * S4. A waiter at the front collects permits until it has all it wants. It is then taken out of the
//!   queue, and *last* its state is set: from then on its node may be gone.
//! * S5. A future that is dropped in the queue leaves it under the lock, and what it had collected goes
//!   to the next; one that was granted gives everything back.
//! * S6. After `CLOSED`, nobody joins the queue, and those in it are refused. They keep what they had
//!   collected until they hear of it or are dropped, as one that was granted does, who is then
//!   refused too: so all permits are back in the word when nobody thinks of them any more.
//! * S7. Wakers are cloned, woken and dropped outside the lock. If one panics, the rest of a hand-out or
//!   close still happens, while unwinding.
//! * S8. The budget is spent on the answer, not on the place in the queue: a task without budget still
//!   queues up if it has to, and hears of what it was granted at its next turn. Else those who come
//!   later would pass it. But what was there for the taking it gives back until then: permits held by
//!   a task that cannot use them yet make others wait, and these more, on every lock that is held
//!   only for moments.
//!
//! **Cost.** Without waiters, one read-modify-write to acquire and one to release.
//!
//! **Orderings.** Adding permits releases and taking them acquires, so that what one holder did is
//! seen by the next. Permits that travel through the queue are passed on by the lock and by the
//! waiter's state (release, acquire). `WAITERS` needs no ordering of its own: the word's
//! read-modify-writes are totally ordered.
//!
//! **Rejected.** A lock in every release (three read-modify-writes instead of one); barging (a permit
//! in the word for whoever comes first: faster in convoys, but waiters could starve and Tokio's
//! fairness is promised).
//!
//! **Tested by** `loom_tests`, here and in the modules of the locks. Each ordering was weakened by itself,
//! and the models reported a race for each: `available`, `is_closed`, `take`, `add`, `forget`, the
//! setting of `CLOSED`, the state in `HandOut::run` and in `close`, and the reads of the state in `look`
//! and `drop` (the end of a waiter is watched). Out of loom's reach is the acquire of `HandOut::run`'s
//! `fetch_and`, for permits of another who is about to take the lock: loom does not switch between
//! that one's look and its addition. A release that does not look at `WAITERS` again deadlocks. `tests`, and `sync_model` of the integration tests, compare
//! random operations with a plain model.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

use crate::engine::base::budget;
use crate::engine::queue::list::{LinkedList, Links, Node};
use crate::engine::queue::wake_batch::WakeBatch;
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicU8, AtomicUsize};
use crate::loom::sync::{Mutex, MutexGuard};

const CLOSED: usize = 1;
const WAITERS: usize = 2;
const FLAGS: usize = CLOSED | WAITERS;
const SHIFT: u32 = 2;

const QUEUED: u8 = 0;
const GRANTED: u8 = 1;
const REFUSED: u8 = 2;

/// The permits were refused: closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

/// Why [`Permits::try_acquire`] took nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Closed,
    TooFew,
}

pub(crate) struct Permits {
    word: AtomicUsize,
    queue: Mutex<LinkedList<Waiter>>,
}

/// A place in the queue; lives inside its future.
struct Waiter {
    links: Links<Waiter>,
    /// The waker, under the lock while `QUEUED`, then nobody's.
    waker: UnsafeCell<Option<Waker>>,
    /// Permits still to be collected; under the lock while `QUEUED`.
    missing: UnsafeCell<usize>,
    /// All that it wants. Constant.
    wanted: usize,
    state: AtomicU8,
    _pinned: PhantomPinned,
}

// SAFETY: the cells are only touched under the queue's lock, or by the future once its state says
// that it is out of the queue (S4).
unsafe impl Send for Waiter {}
// SAFETY: as above.
unsafe impl Sync for Waiter {}

// SAFETY: the links are a field of the node, and only the list uses them.
unsafe impl Node for Waiter {
    unsafe fn links(node: NonNull<Self>) -> NonNull<Links<Self>> {
        // SAFETY: the caller gives a live node.
        NonNull::from(unsafe { &(*node.as_ptr()).links })
    }
}

/// In models a waiter's end is watched: a touch of its node that is not ordered before it is a race
/// (S4).
#[cfg(all(test, heist_loom))]
impl Drop for Waiter {
    fn drop(&mut self) {
        self.waker.with_mut(|_| ());
    }
}

impl Waiter {
    /// Takes up to `spare` permits. True if it then has all.
    ///
    /// # Safety
    ///
    /// The caller holds the lock, and the waiter is in the queue.
    unsafe fn collect(&self, spare: &mut usize) -> bool {
        self.missing.with_mut(|missing| {
            // SAFETY: under the lock.
            let missing = unsafe { &mut *missing };
            let given = (*missing).min(*spare);
            *missing -= given;
            *spare -= given;
            *missing == 0
        })
    }

    /// What it has collected so far.
    ///
    /// # Safety
    ///
    /// The caller holds the lock, or has the waiter to itself.
    unsafe fn collected(&self) -> usize {
        // SAFETY: the caller's word.
        self.wanted - self.missing.with(|missing| unsafe { *missing })
    }

    /// Takes the waker out.
    ///
    /// # Safety
    ///
    /// The caller holds the lock.
    unsafe fn take_waker(&self) -> Option<Waker> {
        // SAFETY: under the lock.
        self.waker.with_mut(|waker| unsafe { (*waker).take() })
    }
}

type Queue<'a> = MutexGuard<'a, LinkedList<Waiter>>;

impl Permits {
    /// The most permits there may be. Three bits are Tokio's reserve; we need two.
    pub(crate) const MAX: usize = usize::MAX >> 3;

    #[track_caller]
    pub(crate) fn new(permits: usize) -> Self {
        assert_within_max(permits);
        Self {
            word: AtomicUsize::new(permits << SHIFT),
            queue: Mutex::new(LinkedList::new()),
        }
    }

    /// As [`new`](Self::new), in constants.
    #[cfg(not(all(test, heist_loom)))]
    #[track_caller]
    pub(crate) const fn const_new(permits: usize) -> Self {
        assert!(
            permits <= Self::MAX,
            "a semaphore cannot have more than `Semaphore::MAX_PERMITS` permits"
        );
        Self {
            word: AtomicUsize::new(permits << SHIFT),
            queue: Mutex::new(LinkedList::new()),
        }
    }

    /// No permits, and closed.
    pub(crate) fn new_closed() -> Self {
        Self {
            word: AtomicUsize::new(CLOSED),
            queue: Mutex::new(LinkedList::new()),
        }
    }

    /// As [`new_closed`](Self::new_closed), in constants.
    #[cfg(not(all(test, heist_loom)))]
    pub(crate) const fn const_new_closed() -> Self {
        Self {
            word: AtomicUsize::new(CLOSED),
            queue: Mutex::new(LinkedList::new()),
        }
    }

    /// What can be had at once.
    pub(crate) fn available(&self) -> usize {
        // Ordering: acquire, so that a count that shows a release also shows what came before it.
        let word = self.word.load(Acquire);
        // S2.
        if word & WAITERS != 0 {
            0
        } else {
            word >> SHIFT
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        // Ordering: pairs with the `fetch_or` in `close`.
        self.word.load(Acquire) & CLOSED != 0
    }

    /// Takes `n` permits if that can be done at once.
    #[inline]
    #[track_caller]
    pub(crate) fn try_acquire(&self, n: usize) -> Result<(), Refusal> {
        assert_within_max(n);
        self.take(n)
    }

    #[inline]
    fn take(&self, n: usize) -> Result<(), Refusal> {
        let mut word = self.word.load(Relaxed);
        loop {
            if word & CLOSED != 0 {
                return Err(Refusal::Closed);
            }
            // S2; and who wants nothing need not wait for anything.
            if word >> SHIFT < n || (word & WAITERS != 0 && n != 0) {
                return Err(Refusal::TooFew);
            }
            // Ordering: acquire pairs with the release of those who gave the permits back.
            match self
                .word
                .compare_exchange(word, word - (n << SHIFT), Acquire, Relaxed)
            {
                Ok(_) => return Ok(()),
                Err(actual) => word = actual,
            }
        }
    }

    /// Takes `n` permits, waiting for them if need be.
    #[inline]
    #[track_caller]
    pub(crate) fn acquire(&self, n: usize) -> AcquirePermits<'_> {
        assert_within_max(n);
        AcquirePermits {
            permits: self,
            stage: Stage::Start,
            waiter: Waiter {
                links: Links::new(),
                waker: UnsafeCell::new(None),
                missing: UnsafeCell::new(0),
                wanted: n,
                state: AtomicU8::new(QUEUED),
                _pinned: PhantomPinned,
            },
        }
    }

    /// What the first poll of [`acquire`](Self::acquire) does if there are permits and budget, without the future:
    /// that has a place in the queue in it, which most need not. False has changed nothing, and the future
    /// finds out the rest.
    #[inline]
    pub(crate) fn acquire_at_once(&self, n: usize) -> bool {
        // S8: without budget nothing is taken.
        let taken = budget::has_budget_remaining() && self.take(n).is_ok();
        if taken {
            budget::spend();
        }
        taken
    }

    /// Adds `n` permits: to those who wait, the rest to the word.
    #[inline]
    #[track_caller]
    pub(crate) fn release(&self, n: usize) {
        if n == 0 {
            return;
        }
        assert_within_max(n);
        if self.word.load(Relaxed) & WAITERS != 0 {
            return self.hand_out(self.queue.lock(), n);
        }
        match self.add(n) {
            Ok(before) if before & WAITERS == 0 => {}
            // S3: somebody queued up since the look.
            Ok(_) => self.hand_out(self.queue.lock(), 0),
            Err(TooMany) => TooMany.panic(),
        }
    }

    /// Adds `n` permits to the word and returns what it was.
    #[inline]
    fn add(&self, n: usize) -> Result<usize, TooMany> {
        // Ordering: release pairs with the acquire of whoever takes these permits.
        let before = self.word.fetch_add(n << SHIFT, Release);
        if (before >> SHIFT) + n > Self::MAX {
            self.word.fetch_sub(n << SHIFT, Relaxed);
            return Err(TooMany);
        }
        Ok(before)
    }

    /// Removes up to `n` permits for good, and says how many.
    pub(crate) fn forget(&self, n: usize) -> usize {
        let mut word = self.word.load(Relaxed);
        loop {
            // S2.
            let gone = if word & WAITERS != 0 {
                0
            } else {
                n.min(word >> SHIFT)
            };
            if gone == 0 {
                return 0;
            }
            // Ordering: acquire, as in `take`.
            match self
                .word
                .compare_exchange(word, word - (gone << SHIFT), Acquire, Relaxed)
            {
                Ok(_) => return gone,
                Err(actual) => word = actual,
            }
        }
    }

    /// Refuses all who wait and all who will come (S6).
    pub(crate) fn close(&self) {
        /// Goes on with the queue also when a waker panics (S7).
        struct Refuse<'a>(&'a Permits, bool);

        impl Refuse<'_> {
            fn run(&mut self) {
                while !self.1 {
                    let mut batch = WakeBatch::new();
                    let mut queue = self.0.queue.lock();
                    while batch.has_room() {
                        let Some(waiter) = queue.pop_front() else {
                            break;
                        };
                        // SAFETY: S4 — a node in the queue is live until its state is set.
                        let waiter = unsafe { waiter.as_ref() };
                        // SAFETY: under the lock.
                        if let Some(waker) = unsafe { waiter.take_waker() } {
                            batch.push(waker);
                        }
                        // Ordering: release pairs with the future's acquire; last touch (S4).
                        waiter.state.store(REFUSED, Release);
                    }
                    self.1 = queue.is_empty();
                    let _ = self.0.put_back(&queue, 0);
                    drop(queue);
                    batch.wake_all();
                }
            }
        }

        impl Drop for Refuse<'_> {
            fn drop(&mut self) {
                self.run();
            }
        }

        let queue = self.queue.lock();
        // Ordering: release publishes the closer's doings to who sees CLOSED. Under the lock, so
        // that nobody is about to queue up.
        self.word.fetch_or(CLOSED, Release);
        drop(queue);
        Refuse(self, false).run();
    }

    /// Puts `spare` permits into the word, and clears `WAITERS` if the queue is empty (S1).
    fn put_back(&self, queue: &Queue<'_>, spare: usize) -> Result<(), TooMany> {
        let result = if spare == 0 {
            Ok(())
        } else {
            self.add(spare).map(drop)
        };
        if queue.is_empty() && self.word.load(Relaxed) & WAITERS != 0 {
            // Ordering: the flag orders nothing; an RMW keeps the release sequence of the permits.
            self.word.fetch_and(!WAITERS, Relaxed);
        }
        result
    }

    /// Gives `spare` permits, and those in the word, to the queue; the rest goes into the word.
    #[cold]
    #[track_caller]
    fn hand_out(&self, queue: Queue<'_>, spare: usize) {
        let mut hand_out = HandOut {
            permits: self,
            spare,
            done: false,
        };
        let overflow = hand_out.run(queue);
        if let Err(TooMany) = overflow {
            TooMany.panic();
        }
    }
}

/// Permits on their way to the queue. Dropped halfway, by a waker's panic, it carries on (S7).
struct HandOut<'a> {
    permits: &'a Permits,
    spare: usize,
    done: bool,
}

impl<'a> HandOut<'a> {
    fn run(&mut self, mut queue: Queue<'a>) -> Result<(), TooMany> {
        loop {
            let mut batch = WakeBatch::new();
            while batch.has_room() {
                let Some(front) = queue.front() else { break };
                if self.spare == 0 && self.permits.word.load(Relaxed) >> SHIFT != 0 {
                    // Ordering: acquire pairs with the release of those who added the permits, which
                    // the state below passes on.
                    self.spare = self.permits.word.fetch_and(FLAGS, Acquire) >> SHIFT;
                }
                // SAFETY: S4 — a node in the queue is live until its state is set.
                let waiter = unsafe { front.as_ref() };
                // SAFETY: under the lock, in the queue.
                if !unsafe { waiter.collect(&mut self.spare) } {
                    break;
                }
                queue.pop_front();
                // SAFETY: under the lock.
                if let Some(waker) = unsafe { waiter.take_waker() } {
                    batch.push(waker);
                }
                // Ordering: release pairs with the acquire in the future's poll and drop, and passes
                // on what the permits' earlier holders did. The last touch of the node (S4).
                waiter.state.store(GRANTED, Release);
            }
            self.done = batch.has_room();
            let mut result = Ok(());
            if self.done {
                let spare = std::mem::take(&mut self.spare);
                result = self.permits.put_back(&queue, spare);
            }
            drop(queue);
            batch.wake_all();
            if self.done {
                return result;
            }
            queue = self.permits.queue.lock();
        }
    }
}

impl Drop for HandOut<'_> {
    fn drop(&mut self) {
        if !self.done {
            // Unwinding already: an overflow on top of it is not reported.
            let _ = self.run(self.permits.queue.lock());
        }
    }
}

/// Adding these permits would pass [`Permits::MAX`].
struct TooMany;

impl TooMany {
    #[cold]
    #[track_caller]
    fn panic(self) -> ! {
        panic!("the added permits would overflow `Semaphore::MAX_PERMITS`");
    }
}

#[inline]
#[track_caller]
fn assert_within_max(permits: usize) {
    assert!(
        permits <= Permits::MAX,
        "a semaphore cannot have more than `Semaphore::MAX_PERMITS` permits ({})",
        Permits::MAX
    );
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permits")
            .field("available", &self.available())
            .field("is_closed", &self.is_closed())
            .finish()
    }
}

/// The future of [`Permits::acquire`]. When it ends with `Ok`, the permits are the caller's.
#[must_use = "futures do nothing unless polled"]
pub(crate) struct AcquirePermits<'a> {
    permits: &'a Permits,
    stage: Stage,
    waiter: Waiter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    /// In the queue, or taken out of it and not polled since.
    Queued,
    Done,
}

impl AcquirePermits<'_> {
    /// The permits of a waiter that is out of the queue, by `state`.
    fn held(&self, state: u8) -> usize {
        if state == GRANTED {
            return self.waiter.wanted;
        }
        // SAFETY: S4 — refused, it is the future's alone.
        unsafe { self.waiter.collected() }
    }

    /// A poll before it queued up.
    fn start(&self, cx: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        match self.permits.take(self.waiter.wanted) {
            Ok(()) => return Poll::Ready(Ok(())),
            Err(Refusal::Closed) => return Poll::Ready(Err(Closed)),
            Err(Refusal::TooFew) => {}
        }
        self.join_queue(cx.waker().clone())
    }

    /// Queues up, unless permits have come meanwhile.
    #[cold]
    fn join_queue(&self, waker: Waker) -> Poll<Result<(), Closed>> {
        let wanted = self.waiter.wanted;
        let mut queue = self.permits.queue.lock();
        let mut word = self.permits.word.load(Relaxed);
        let taken = loop {
            let available = word >> SHIFT;
            let (result, taken) = if word & CLOSED != 0 {
                (Some(Err(Closed)), 0)
            } else if word & WAITERS != 0 {
                break 0; // S2
            } else if available >= wanted {
                (Some(Ok(())), wanted)
            } else {
                (None, available)
            };
            let flag = if result.is_none() { WAITERS } else { 0 };
            if result != Some(Err(Closed)) {
                // S3. Ordering: acquire as in `take`.
                if let Err(actual) = self.permits.word.compare_exchange(
                    word,
                    (word - (taken << SHIFT)) | flag,
                    Acquire,
                    Relaxed,
                ) {
                    word = actual;
                    continue;
                }
            }
            match result {
                Some(result) => {
                    drop(queue);
                    drop(waker); // S7
                    return Poll::Ready(result);
                }
                None => break taken,
            }
        };
        // SAFETY: the node is not in the queue yet, and we hold the lock.
        self.waiter
            .missing
            .with_mut(|missing| unsafe { *missing = wanted - taken });
        // SAFETY: as above.
        self.waiter
            .waker
            .with_mut(|slot| unsafe { *slot = Some(waker) });
        // SAFETY: pinned in its future, whose drop takes it out of the queue (S5).
        unsafe { queue.push_back(NonNull::from(&self.waiter)) };
        Poll::Pending
    }

    /// A poll after the first: looks at the state, and keeps the waker up to date.
    fn look(&self, cx: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        let mut new: Option<Waker> = None;
        loop {
            // Ordering: acquire pairs with the release in `HandOut::run` and `close`.
            match self.waiter.state.load(Acquire) {
                GRANTED if !self.permits.is_closed() => return Poll::Ready(Ok(())),
                QUEUED => {}
                decided => {
                    // S6.
                    self.permits.release(self.held(decided));
                    return Poll::Ready(Err(Closed));
                }
            }
            let queue = self.permits.queue.lock();
            if self.waiter.state.load(Relaxed) != QUEUED {
                continue;
            }
            // SAFETY: under the lock, in the queue.
            let same = self.waiter.waker.with(|slot| unsafe {
                (*slot)
                    .as_ref()
                    .is_some_and(|waker| waker.will_wake(cx.waker()))
            });
            if same {
                return Poll::Pending;
            }
            if let Some(new) = new.take() {
                // SAFETY: under the lock, in the queue.
                let old = self
                    .waiter
                    .waker
                    .with_mut(|slot| unsafe { (*slot).replace(new) });
                drop(queue);
                drop(old); // S7
                return Poll::Pending;
            }
            drop(queue);
            new = Some(cx.waker().clone()); // S7
        }
    }
}

impl Future for AcquirePermits<'_> {
    type Output = Result<(), Closed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: the waiter, which must stay in place, is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        let result = match this.stage {
            Stage::Start => this.start(cx),
            Stage::Queued => this.look(cx),
            Stage::Done => panic!("polled after it had ended"),
        };
        let Poll::Ready(result) = result else {
            this.stage = Stage::Queued;
            return Poll::Pending;
        };
        if result.is_ok() {
            if this.stage == Stage::Start && !budget::has_budget_remaining() {
                // S8; and before a waker is called, which may panic. What it does to the budget changes
                // nothing any more: the permits are gone.
                this.permits.release(this.waiter.wanted);
                budget::give_up_turn(cx);
                return Poll::Pending;
            }
            let Poll::Ready(turn) = budget::poll_proceed(cx) else {
                return Poll::Pending;
            };
            turn.made_progress();
        }
        this.stage = Stage::Done;
        Poll::Ready(result)
    }
}

impl Drop for AcquirePermits<'_> {
    fn drop(&mut self) {
        if self.stage != Stage::Queued {
            return;
        }
        // S5.
        // Ordering: acquire pairs with the release in `HandOut::run` and `close`.
        match self.waiter.state.load(Acquire) {
            QUEUED => {}
            decided => return self.permits.release(self.held(decided)),
        }
        let mut queue = self.permits.queue.lock();
        match self.waiter.state.load(Relaxed) {
            QUEUED => {
                // SAFETY: `QUEUED` under the lock: it is in this queue.
                unsafe { queue.remove(NonNull::from(&self.waiter)) };
                // SAFETY: under the lock.
                let collected = unsafe { self.waiter.collected() };
                // SAFETY: under the lock.
                let waker = unsafe { self.waiter.take_waker() };
                self.permits.hand_out(queue, collected);
                drop(waker);
            }
            decided => {
                drop(queue);
                self.permits.release(self.held(decided));
            }
        }
    }
}

impl fmt::Debug for AcquirePermits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcquirePermits")
            .field("wanted", &self.waiter.wanted)
            .field("stage", &self.stage)
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(all(test, heist_loom))]
mod loom_tests;
