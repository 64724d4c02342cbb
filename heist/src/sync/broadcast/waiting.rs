//! Receivers that wait for the next value.
//!
//! **What.** A queue of waiters, part of the [`Tail`] and so under its lock, and the
//! future of [`Receiver::recv`](super::Receiver::recv), in which a waiter lives.
//!
//! **States.** A waiter is `QUEUED` from when it joins to when somebody takes it out.
//!
//! **Rules.**
//! * E1. A receiver joins under the tail's lock, and only when it finds there that its next position
//!   has not been sent and that the channel has not ended. Sending and ending happen under that
//!   lock, and their wakes afterwards: so nobody waits for what is there.
//! * E2. A waiter whose position is not the tail's, and every waiter of an ended channel, *is* told,
//!   whether or not its sender got round to waking it. The queue is in the order of joining, so these
//!   are at its front, and the wakes can come in batches without reaching those who joined later.
//! * E3. A waiter is taken out of the queue, and *last* its `QUEUED` is cleared: from then on its node
//!   may be gone.
//! * E4. Wakers are cloned, woken and dropped outside the lock. If one panics, the rest are still told,
//!   while unwinding.
//!
//! **Orderings.** What is sent passes through the locks. `QUEUED` alone is read without one: cleared
//! with release, read with acquire, so that the future's end comes after the last touch of the node.
//!
//! **Rejected.** [`Notify`](crate::sync::Notify) beside the tail: a second lock in every send and in
//! every wait, and a second look by every receiver before it sleeps.
//!
//! **Tested by** `loom_tests`. Weakened by itself, each ordering on `QUEUED` is reported as a race with
//! the waiter's end, which models watch; a receiver that joins without looking under the same lock,
//! or an end that tells nobody, as a deadlock. Out of the models' reach is a poller that finds E2 to be
//! true of itself, as that takes more waiters than a batch of wakes has room for: `tests` has it, from
//! within a wake of the first batch, and fails without the look.

use std::future::Future;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker, ready};

use super::error::RecvError;
use super::receiver::{Miss, receive};
use super::{Receiver, Ring, Tail};
use crate::engine::base::budget;
use crate::engine::queue::list::{LinkedList, Links, Node};
use crate::engine::queue::wake_batch::WakeBatch;
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::MutexGuard;
use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A place in the queue; lives inside its future.
struct Waiter {
    links: Links<Waiter>,
    /// Under the tail's lock while queued, then the future's.
    waker: UnsafeCell<Option<Waker>>,
    /// What it waits for. As the waker.
    position: UnsafeCell<u64>,
    queued: AtomicBool,
    _pinned: PhantomPinned,
}

// SAFETY: the cells are only touched under the tail's lock, or by the future when the waiter is not in
// the queue (E3).
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
/// (E3).
#[cfg(all(test, heist_loom))]
impl Drop for Waiter {
    fn drop(&mut self) {
        self.waker.with_mut(|_| ());
    }
}

/// The queue.
pub(super) struct Waiting(LinkedList<Waiter>);

impl Waiting {
    pub(super) const fn new() -> Self {
        Self(LinkedList::new())
    }

    /// Takes `waiter` out (E3).
    ///
    /// # Safety
    ///
    /// It is in this queue.
    unsafe fn take_out(&mut self, waiter: NonNull<Waiter>) -> Option<Waker> {
        // SAFETY: the caller's word.
        unsafe { self.0.remove(waiter) };
        // SAFETY: E3 — it was in the queue, so it is live until `queued` is cleared.
        let waiter = unsafe { waiter.as_ref() };
        // SAFETY: under the lock.
        let waker = waiter.waker.with_mut(|waker| unsafe { (*waker).take() });
        // Ordering: release pairs with the future's acquire; the last touch of the node.
        waiter.queued.store(false, Release);
        waker
    }
}

impl Tail {
    /// True if `waiter`, which is in the queue, is told (E2).
    fn has_told(&self, waiter: &Waiter) -> bool {
        // SAFETY: under the lock, which `self` is behind.
        self.ended || waiter.position.with(|position| unsafe { *position }) != self.position
    }
}

/// Wakes all that `tail`, which has changed, has told.
pub(super) fn tell<T>(ring: &Ring<T>, tail: MutexGuard<'_, Tail>) {
    if tail.waiting.0.is_empty() {
        return;
    }
    let mut tell = Tell { ring, done: false };
    tell.next_batch(tail).wake_all();
    tell.run();
}

/// The telling. Dropped halfway, by a waker's panic, it carries on (E4).
struct Tell<'a, T> {
    ring: &'a Ring<T>,
    done: bool,
}

impl<T> Tell<'_, T> {
    /// Takes a batch out, which is woken without the lock.
    fn next_batch(&mut self, mut tail: MutexGuard<'_, Tail>) -> WakeBatch {
        let mut batch = WakeBatch::new();
        while batch.has_room() {
            // SAFETY: E3 — a node in the queue is live.
            let told = |waiter: &NonNull<Waiter>| tail.has_told(unsafe { waiter.as_ref() });
            let Some(waiter) = tail.waiting.0.front().filter(told) else {
                self.done = true;
                break;
            };
            // SAFETY: just found there.
            if let Some(waker) = unsafe { tail.waiting.take_out(waiter) } {
                batch.push(waker);
            }
        }
        batch
    }

    fn run(&mut self) {
        while !self.done {
            self.next_batch(self.ring.tail.lock()).wake_all();
        }
    }
}

impl<T> Drop for Tell<'_, T> {
    fn drop(&mut self) {
        self.run();
    }
}

/// The future of [`Receiver::recv`].
pub(super) struct Recv<'a, T> {
    receiver: &'a mut Receiver<T>,
    /// It has joined the queue; it may have been taken out since.
    joined: bool,
    waiter: Waiter,
}

impl<'a, T> Recv<'a, T> {
    pub(super) fn new(receiver: &'a mut Receiver<T>) -> Self {
        Self {
            receiver,
            joined: false,
            waiter: Waiter {
                links: Links::new(),
                waker: UnsafeCell::new(None),
                position: UnsafeCell::new(0),
                queued: AtomicBool::new(false),
                _pinned: PhantomPinned,
            },
        }
    }

    /// True if it is in the queue still: then the waker there is up to date.
    fn still_waits(&mut self, cx: &mut Context<'_>) -> bool {
        let mut new: Option<Waker> = None;
        // Ordering: acquire pairs with the release in `take_out`: what it did to the node is done.
        while self.joined && self.waiter.queued.load(Acquire) {
            let mut tail = self.receiver.ring.tail.lock();
            if !self.waiter.queued.load(Relaxed) {
                break;
            }
            if tail.has_told(&self.waiter) {
                // SAFETY: queued, so it is in this queue.
                let old = unsafe { tail.waiting.take_out(NonNull::from(&self.waiter)) };
                drop(tail);
                drop(old); // E4
                break;
            }
            let same = self.waiter.waker.with(|slot| {
                // SAFETY: under the lock.
                unsafe { &*slot }
                    .as_ref()
                    .is_some_and(|old| old.will_wake(cx.waker()))
            });
            if same {
                return true;
            }
            if new.is_some() {
                let old = self
                    .waiter
                    .waker
                    // SAFETY: under the lock.
                    .with_mut(|slot| unsafe { std::mem::replace(&mut *slot, new) });
                drop(tail);
                drop(old); // E4
                return true;
            }
            drop(tail);
            new = Some(cx.waker().clone()); // E4
        }
        self.joined = false;
        false
    }
}

impl<T: Clone> Recv<'_, T> {
    /// Receives, or joins the queue.
    ///
    /// # Safety
    ///
    /// `self` is pinned, and not in the queue.
    unsafe fn receive_or_join(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, RecvError>> {
        let mut waker: Option<Waker> = None;
        loop {
            if waker.is_none() && self.receiver.seems_empty() {
                waker = Some(cx.waker().clone()); // E4: before the lock.
            }
            match self.receiver.look() {
                Ok(slot) => return Poll::Ready(Ok(receive(slot))),
                Err(Miss::Lagged(missed)) => return Poll::Ready(Err(RecvError::Lagged(missed))),
                Err(Miss::Closed) => return Poll::Ready(Err(RecvError::Closed)),
                Err(Miss::Empty(mut tail)) => {
                    let Some(waker) = waker.take() else {
                        drop(tail);
                        waker = Some(cx.waker().clone());
                        continue;
                    };
                    // E1. SAFETY: not in the queue yet, and under the lock.
                    self.waiter
                        .waker
                        .with_mut(|slot| unsafe { *slot = Some(waker) });
                    let position = tail.position;
                    // SAFETY: as above.
                    self.waiter.position.with_mut(|p| unsafe { *p = position });
                    self.waiter.queued.store(true, Relaxed);
                    // SAFETY: pinned; the future's drop takes it out of the queue.
                    unsafe { tail.waiting.0.push_back(NonNull::from(&self.waiter)) };
                    drop(tail);
                    self.joined = true;
                    return Poll::Pending;
                }
            }
        }
    }
}

impl<T: Clone> Future for Recv<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let coop = ready!(budget::poll_proceed(cx));
        // SAFETY: the waiter, which must stay in place, is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        if this.still_waits(cx) {
            return Poll::Pending;
        }
        // SAFETY: pinned, and out of the queue.
        let result = ready!(unsafe { this.receive_or_join(cx) });
        coop.made_progress();
        Poll::Ready(result)
    }
}

impl<T> Drop for Recv<'_, T> {
    fn drop(&mut self) {
        // Ordering: acquire pairs with the release in `take_out`.
        if self.joined && self.waiter.queued.load(Acquire) {
            let mut tail = self.receiver.ring.tail.lock();
            if self.waiter.queued.load(Relaxed) {
                // SAFETY: queued, so it is in this queue.
                let old = unsafe { tail.waiting.take_out(NonNull::from(&self.waiter)) };
                drop(tail);
                drop(old); // E4
            }
        }
    }
}
