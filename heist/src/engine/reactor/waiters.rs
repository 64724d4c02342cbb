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

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::super::slots::Token;
    use super::super::test_support::CountingWaker;
    use super::*;
    use std::pin::pin;

    fn source() -> Source {
        Source::new(Token::for_tests(), Ready::EMPTY)
    }

    fn event(source: &Source, ready: Ready) {
        let mut batch = WakeBatch::new();
        if source.event(ready, &mut batch) {
            source.wake_list(Some(ready), &mut batch);
        }
    }

    fn poll(future: Pin<&mut Readiness<'_>>, waker: &CountingWaker) -> Poll<ReadyEvent> {
        future.poll(&mut Context::from_waker(&waker.waker()))
    }

    #[test]
    fn an_event_wakes_all_it_serves_and_no_others() {
        let source = source();
        let waker = CountingWaker::new();
        let mut readers: Vec<_> = (0..100)
            .map(|_| Box::pin(source.readiness(Interest::READABLE)))
            .collect();
        for reader in &mut readers {
            assert!(poll(reader.as_mut(), &waker).is_pending());
        }
        let other = CountingWaker::new();
        let mut writer = pin!(source.readiness(Interest::WRITABLE));
        assert!(poll(writer.as_mut(), &other).is_pending());

        event(&source, Ready::READABLE);
        assert_eq!((waker.count(), other.count()), (100, 0));
        for reader in &mut readers {
            assert!(poll(reader.as_mut(), &waker).is_ready());
        }
        event(&source, Ready::WRITABLE);
        assert_eq!(other.count(), 1);
        assert!(poll(writer.as_mut(), &other).is_ready());
        assert!(source.waiters.lock().is_empty());
    }

    #[test]
    fn readiness_used_up_by_another_is_no_news() {
        let source = source();
        let waker = CountingWaker::new();
        let mut reader = pin!(source.readiness(Interest::READABLE));
        assert!(poll(reader.as_mut(), &waker).is_pending());
        event(&source, Ready::READABLE);
        source.clear(source.peek(Interest::READABLE));
        assert!(poll(reader.as_mut(), &waker).is_pending());
        event(&source, Ready::READABLE);
        assert_eq!(waker.count(), 2);
        assert!(poll(reader.as_mut(), &waker).is_ready());
    }

    #[test]
    fn a_dropped_waiter_leaves_the_list_and_its_waker_behind() {
        let source = source();
        let waker = CountingWaker::new();
        {
            let mut first = pin!(source.readiness(Interest::READABLE));
            let mut second = pin!(source.readiness(Interest::READABLE));
            assert!(poll(first.as_mut(), &waker).is_pending());
            assert!(poll(second.as_mut(), &waker).is_pending());
        }
        assert!(source.waiters.lock().is_empty());
        assert_eq!(waker.references(), 1);
        event(&source, Ready::READABLE);
        assert_eq!(waker.count(), 0);
    }

    #[test]
    fn a_waiter_that_moves_to_another_task_wakes_that_one() {
        let source = source();
        let (first, second) = (CountingWaker::new(), CountingWaker::new());
        let mut reader = pin!(source.readiness(Interest::READABLE));
        assert!(poll(reader.as_mut(), &first).is_pending());
        assert!(poll(reader.as_mut(), &second).is_pending());
        event(&source, Ready::READABLE);
        assert_eq!((first.count(), second.count()), (0, 1));
        assert_eq!(first.references(), 1);
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::super::slots::Token;
    use super::super::source::Direction;
    use super::super::test_support::model;
    use super::*;
    use crate::engine::base::parker::{self, Parker, block_on};
    use crate::loom::sync::Arc;
    use crate::loom::thread;
    use std::future::poll_fn;
    use std::pin::pin;

    fn source() -> Arc<Source> {
        Arc::new(Source::new(Token::for_tests(), Ready::EMPTY))
    }

    fn event(source: &Source, ready: Ready) {
        let mut batch = WakeBatch::new();
        if source.event(ready, &mut batch) {
            source.wake_list(Some(ready), &mut batch);
        }
    }

    #[test]
    fn an_event_wakes_two_waiters() {
        model(|| {
            let source = source();
            let other = {
                let source = Arc::clone(&source);
                thread::spawn(move || block_on(source.readiness(Interest::READABLE)))
            };
            let reactor = {
                let source = Arc::clone(&source);
                thread::spawn(move || event(&source, Ready::READABLE))
            };
            assert!(
                block_on(source.readiness(Interest::READABLE))
                    .ready
                    .is_readable()
            );
            assert!(other.join().unwrap().ready.is_readable());
            reactor.join().unwrap();
        });
    }

    #[test]
    fn a_shutdown_wakes_a_waiter_and_a_poller() {
        model(|| {
            let source = source();
            let poller = {
                let source = Arc::clone(&source);
                thread::spawn(move || {
                    block_on(poll_fn(|cx| source.poll_ready(cx, Direction::READ)))
                })
            };
            let reactor = {
                let source = Arc::clone(&source);
                thread::spawn(move || {
                    let mut batch = WakeBatch::new();
                    if source.shut_down(&mut batch) {
                        source.wake_list(None, &mut batch);
                    }
                })
            };
            assert!(block_on(source.readiness(Interest::WRITABLE)).is_shutdown);
            assert!(poller.join().unwrap().is_shutdown);
            reactor.join().unwrap();
        });
    }

    /// One waiter gives up while an event comes and another waits on.
    #[test]
    fn giving_up_does_not_take_anothers_wake() {
        model(|| {
            let source = source();
            let quitter = {
                let source = Arc::clone(&source);
                thread::spawn(move || {
                    let parker = Arc::new(Parker::new());
                    let waker = parker::waker(&parker);
                    let mut readiness = pin!(source.readiness(Interest::READABLE));
                    let _ = readiness.as_mut().poll(&mut Context::from_waker(&waker));
                })
            };
            let reactor = {
                let source = Arc::clone(&source);
                thread::spawn(move || event(&source, Ready::READABLE))
            };
            assert!(
                block_on(source.readiness(Interest::READABLE))
                    .ready
                    .is_readable()
            );
            quitter.join().unwrap();
            reactor.join().unwrap();
        });
    }
}
