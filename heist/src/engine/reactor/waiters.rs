//! Any number of tasks that wait for one source: `ready(interest).await`.
//!
//! The protocol is the [source](super::source)'s (S5, S6). A waiter's node is part of its future; an
//! event takes every waiter it serves out of the list and wakes it. A waiter that is woken looks
//! again: if another task has used the readiness up, it waits on, so that `ready` never returns
//! with nothing.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

use super::ready::{Interest, Ready};
use super::source::{ReadyEvent, Source};
use crate::engine::queue::list::{LinkedList, Links, Node};
use crate::engine::queue::wake_batch::WakeBatch;
use crate::loom::cell::UnsafeCell;

/// The nodes of those that wait.
pub(super) type WaiterList = LinkedList<Waiter>;

/// A node: one task that waits.
pub(super) struct Waiter {
    links: Links<Waiter>,
    interest: Interest,
    /// The waker while in the list, `None` once woken (S6).
    waker: UnsafeCell<Option<Waker>>,
    _pinned: PhantomPinned,
}

// SAFETY: the links are a field of the node and used by nothing but the list.
unsafe impl Node for Waiter {
    unsafe fn links(node: NonNull<Self>) -> NonNull<Links<Self>> {
        // SAFETY: the caller gives a live node.
        NonNull::from(unsafe { &node.as_ref().links })
    }
}

impl Waiter {
    /// Works on the waker.
    ///
    /// # Safety
    ///
    /// S6: the caller has the mutex of the list this node is in, or the node is in none and its
    /// future is the caller's.
    unsafe fn with_waker<R>(&self, f: impl FnOnce(&mut Option<Waker>) -> R) -> R {
        // SAFETY: S6 — nobody else is at it.
        self.waker.with_mut(|waker| f(unsafe { &mut *waker }))
    }
}

impl Source {
    /// Wakes those in the list that `ready` serves; all, without it. When the batch is full, what it
    /// holds is woken with the mutex released.
    pub(super) fn wake_list(&self, ready: Option<Ready>, batch: &mut WakeBatch) {
        let mut waiters = self.waiters.lock();
        let mut next = waiters.front();
        while let Some(node) = next {
            // SAFETY: S6 — the node is in the list, and we have the mutex.
            let waiter = unsafe { node.as_ref() };
            if ready.is_some_and(|ready| !ready.serves(waiter.interest)) {
                // SAFETY: as above.
                next = unsafe { waiters.next(node) };
                continue;
            }
            if !batch.has_room() {
                drop(waiters);
                batch.wake_all();
                waiters = self.waiters.lock();
                next = waiters.front();
                continue;
            }
            // SAFETY: as above.
            next = unsafe { waiters.next(node) };
            // SAFETY: as above.
            unsafe { waiters.remove(node) };
            // SAFETY: S6 — we have the mutex. From here the node is its future's again, which
            // finds out only under the mutex.
            if let Some(waker) = unsafe { waiter.with_waker(Option::take) } {
                batch.push(waker);
            }
        }
        if waiters.is_empty() {
            self.unmark_list();
        }
    }

    /// Waits until the source is ready for some of `interest`, or the reactor is gone.
    pub(crate) fn readiness(&self, interest: Interest) -> Readiness<'_> {
        Readiness {
            source: self,
            is_listed: false,
            waiter: Waiter {
                links: Links::new(),
                interest,
                waker: UnsafeCell::new(None),
                _pinned: PhantomPinned,
            },
        }
    }
}

/// The future of [`Source::readiness`].
#[must_use = "futures do nothing unless polled"]
pub(crate) struct Readiness<'a> {
    source: &'a Source,
    /// The node was put into the list; it may have been taken out since.
    is_listed: bool,
    waiter: Waiter,
}

// SAFETY: S6 — the waker is touched under the mutex only, the links by the list only.
unsafe impl Send for Readiness<'_> {}
// SAFETY: `&Readiness` gives access to nothing.
unsafe impl Sync for Readiness<'_> {}

impl Readiness<'_> {
    /// Puts the node into the list, unless there is news.
    fn enlist(&mut self, waker: Waker) -> Poll<ReadyEvent> {
        let mut unused = Some(waker);
        let mut waiters = self.source.waiters.lock();
        if let Some(event) = self.source.mark_list(self.waiter.interest) {
            drop(waiters);
            drop(unused);
            return Poll::Ready(event);
        }
        // SAFETY: S6 — in no list, and ours.
        unsafe {
            self.waiter
                .with_waker(|waker| std::mem::swap(waker, &mut unused))
        };
        // SAFETY: N1 — pinned (`poll`), and in no list (`is_listed`); it leaves before it goes
        // away (`drop`).
        unsafe { waiters.push_back(NonNull::from(&self.waiter)) };
        self.is_listed = true;
        drop(waiters);
        Poll::Pending
    }

    /// True if the node was taken out of the list since; otherwise it now holds the waker of `cx`.
    fn was_woken(&self, cx: &Context<'_>) -> bool {
        let mut fresh = None;
        loop {
            let waiters = self.source.waiters.lock();
            // SAFETY: S6 — we have the mutex.
            let stale = unsafe {
                self.waiter.with_waker(|stored| match stored {
                    None => Err(true),
                    Some(stored) if stored.will_wake(cx.waker()) => Err(false),
                    Some(stored) => Ok(fresh.take().map(|fresh| std::mem::replace(stored, fresh))),
                })
            };
            drop(waiters);
            match stale {
                Err(was_woken) => return was_woken,
                Ok(Some(_dropped_here)) => return false,
                // Clone with the mutex released, then look again.
                Ok(None) => fresh = Some(cx.waker().clone()),
            }
        }
    }
}

impl Future for Readiness<'_> {
    type Output = ReadyEvent;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ReadyEvent> {
        // SAFETY: the node is not moved: nothing below moves out of `me`.
        let me = unsafe { self.get_unchecked_mut() };
        if me.is_listed {
            if !me.was_woken(cx) {
                return Poll::Pending;
            }
            me.is_listed = false;
        }
        match me.source.news(me.waiter.interest) {
            Some(event) => Poll::Ready(event),
            None => me.enlist(cx.waker().clone()),
        }
    }
}

impl Drop for Readiness<'_> {
    fn drop(&mut self) {
        if !self.is_listed {
            return;
        }
        let mut waiters = self.source.waiters.lock();
        // SAFETY: N3 — in this list, or taken out of it by an event.
        unsafe { waiters.remove(NonNull::from(&self.waiter)) };
        if waiters.is_empty() {
            self.source.unmark_list();
        }
        // SAFETY: S6 — we have the mutex.
        let waker = unsafe { self.waiter.with_waker(Option::take) };
        drop(waiters);
        drop(waker);
    }
}

impl fmt::Debug for Readiness<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness")
            .field("interest", &self.waiter.interest)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;
