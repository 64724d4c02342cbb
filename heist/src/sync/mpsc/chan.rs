//! What bounded and unbounded channels have in common.
//!
//! **What.** The [queue](super::blocks), the counts of senders, and how the receiver sleeps and
//! learns of the end.
//!
//! **Rules.**
//! * C1. The queue's end for good comes from the senders' side when the last one goes, in both kinds.
//!   From the receiver's side an unbounded channel closes the queue; a bounded one closes the
//!   [permits](crate::sync::permits), because who has a permit may still send, and ends when all
//!   permits are back.
//! * C2. The receiver registers its waker, *then* arms the queue, looks for the end and for C1's
//!   return of permits. Whoever changes one of these wakes *afterwards*.
//! * C3. A `Weak` sender keeps the memory, not the channel: it becomes a sender only while there is
//!   one.
//! * C4. The head is the receiver's alone.
//!
//! **Orderings.** C2 holds by the queue's `RX_WAIT` for messages, without a fence, and by those in
//! [`AtomicWaker`] for the rest.
//!
//! **Tested by** `loom_tests`: without the wake at the last sender's drop,
//! `upgrade_against_the_last_drop` deadlocks; with the drop's ordering or that of `strong_count`
//! weakened, the end does not bring all messages, or what their senders did before.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll, ready};

use crate::engine::base::budget;
use crate::engine::queue::atomic_waker::AtomicWaker;
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::loom::{hint, thread};
use crate::sync::Notify;
use crate::sync::mpsc::blocks::{self, Head, Rest, Tail};
use crate::sync::mpsc::error::TryRecvError;

/// How a channel limits what is in it.
pub(super) trait Flow {
    /// Takes back the room of `n` messages that were received.
    fn release(&self, n: usize);

    /// Refuses new messages, on behalf of the receiver (C1).
    fn close<T>(&self, tail: &Tail<T>, head: &mut Head<T>);

    /// True if new messages are refused.
    fn is_closed<T>(&self, tail: &Tail<T>) -> bool;

    /// True if a closed channel's last permit is back: nothing can come any more (C1).
    fn is_drained(&self) -> bool;
}

pub(super) struct Chan<T, F> {
    pub(super) tail: Tail<T>,
    pub(super) flow: F,
    senders: AtomicUsize,
    weak_senders: AtomicUsize,
    rx_closed: Notify,
    rx_waker: AtomicWaker,
    head: UnsafeCell<Head<T>>,
}

// SAFETY: messages go from thread to thread; the head is only touched by the receiver (C4).
unsafe impl<T: Send, F: Sync> Sync for Chan<T, F> {}
// SAFETY: as above.
unsafe impl<T: Send, F: Send> Send for Chan<T, F> {}

// Whoever's code panics, the queue was left whole: a message is written or read in one step.
impl<T, F> UnwindSafe for Chan<T, F> {}
impl<T, F> RefUnwindSafe for Chan<T, F> {}

/// A sender's hold of the channel.
pub(super) struct Tx<T, F> {
    pub(super) chan: Arc<Chan<T, F>>,
}

/// A weak sender's hold of the channel.
pub(super) struct Weak<T, F> {
    chan: Arc<Chan<T, F>>,
}

/// The receiver's hold of the channel.
pub(super) struct Rx<T, F: Flow> {
    pub(super) chan: Arc<Chan<T, F>>,
}

pub(super) fn channel<T, F: Flow>(flow: F) -> (Tx<T, F>, Rx<T, F>) {
    let (tail, head) = blocks::queue();
    let chan = Arc::new(Chan {
        tail,
        flow,
        senders: AtomicUsize::new(1),
        weak_senders: AtomicUsize::new(0),
        rx_closed: Notify::new(),
        rx_waker: AtomicWaker::new(),
        head: UnsafeCell::new(head),
    });
    let tx = Tx {
        chan: Arc::clone(&chan),
    };
    (tx, Rx { chan })
}

impl<T, F> Chan<T, F> {
    /// Puts a message into a claimed place.
    #[inline]
    pub(super) fn fill(&self, claim: blocks::Claim, value: T) {
        if self.tail.fill(claim, value) {
            self.rx_waker.wake_seen(); // B2 of the queue
        }
    }

    pub(super) fn wake_receiver(&self) {
        self.rx_waker.wake();
    }

    pub(super) fn strong_count(&self) -> usize {
        // Ordering: pairs with the drop of a sender, as a count of 0 says that all was sent.
        self.senders.load(Acquire)
    }

    pub(super) fn weak_count(&self) -> usize {
        self.weak_senders.load(Relaxed)
    }
}

impl<T, F: Flow> Tx<T, F> {
    pub(super) fn is_closed(&self) -> bool {
        self.chan.flow.is_closed(&self.chan.tail)
    }

    /// Waits until the receiver is gone or closed.
    pub(super) async fn closed(&self) {
        // Before the look, so that a close in between is not missed.
        let closed = self.chan.rx_closed.notified();
        if !self.is_closed() {
            closed.await;
        }
    }
}

impl<T, F> Tx<T, F> {
    pub(super) fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.chan, &other.chan)
    }

    pub(super) fn downgrade(&self) -> Weak<T, F> {
        Weak::new(&self.chan)
    }
}

impl<T, F> Clone for Tx<T, F> {
    fn clone(&self) -> Self {
        // Ordering: none, there is a sender already. The count cannot wrap before the `Arc`'s does,
        // which aborts.
        self.chan.senders.fetch_add(1, Relaxed);
        Self {
            chan: Arc::clone(&self.chan),
        }
    }
}

impl<T, F> Drop for Tx<T, F> {
    fn drop(&mut self) {
        // Ordering: the last one has seen all that the others sent, and passes it on by closing.
        if self.chan.senders.fetch_sub(1, AcqRel) == 1 {
            self.chan.tail.close();
            self.chan.rx_waker.wake(); // C2
        }
    }
}

impl<T, F> Weak<T, F> {
    fn new(chan: &Arc<Chan<T, F>>) -> Self {
        chan.weak_senders.fetch_add(1, Relaxed);
        Self {
            chan: Arc::clone(chan),
        }
    }

    /// A sender, if there still is one (C3).
    pub(super) fn upgrade(&self) -> Option<Tx<T, F>> {
        let mut count = self.chan.senders.load(Relaxed);
        while count != 0 {
            // Ordering: none. That there is a sender is all it says.
            match self
                .chan
                .senders
                .compare_exchange(count, count + 1, Relaxed, Relaxed)
            {
                Ok(_) => {
                    return Some(Tx {
                        chan: Arc::clone(&self.chan),
                    });
                }
                Err(actual) => count = actual,
            }
        }
        None
    }

    pub(super) fn strong_count(&self) -> usize {
        self.chan.strong_count()
    }

    pub(super) fn weak_count(&self) -> usize {
        self.chan.weak_count()
    }
}

impl<T, F> Clone for Weak<T, F> {
    fn clone(&self) -> Self {
        Self::new(&self.chan)
    }
}

impl<T, F> Drop for Weak<T, F> {
    fn drop(&mut self) {
        self.chan.weak_senders.fetch_sub(1, Relaxed);
    }
}

impl<T, F: Flow> Rx<T, F> {
    /// Runs `f` on the head.
    #[inline]
    fn with_head<R>(&mut self, f: impl FnOnce(&mut Head<T>, &Chan<T, F>) -> R) -> R {
        let chan = &*self.chan;
        // SAFETY: C4 — we are the receiver, borrowed mutably.
        chan.head.with_mut(|head| f(unsafe { &mut *head }, chan))
    }

    /// Looks at the head.
    fn look<R>(&self, f: impl FnOnce(&Head<T>, &Chan<T, F>) -> R) -> R {
        let chan = &*self.chan;
        // SAFETY: C4 — we are the receiver, borrowed; nobody borrows it mutably.
        chan.head.with(|head| f(unsafe { &*head }, chan))
    }

    #[inline]
    pub(super) fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let coop = ready!(budget::poll_proceed(cx));
        let result = self.with_head(|head, chan| {
            let value = match head.pop() {
                Some(value) => value,
                None => match ready!(poll_wait(head, chan, cx)) {
                    Some(value) => value,
                    None => return Poll::Ready(None),
                },
            };
            chan.flow.release(1);
            Poll::Ready(Some(value))
        });
        if result.is_ready() {
            coop.made_progress();
        }
        result
    }

    pub(super) fn poll_recv_many(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut Vec<T>,
        limit: usize,
    ) -> Poll<usize> {
        let coop = ready!(budget::poll_proceed(cx));
        if limit == 0 {
            coop.made_progress();
            return Poll::Ready(0);
        }
        let result = self.with_head(|head, chan| {
            /// Takes the room back also if the buffer cannot grow.
            struct Received<'a, T, F: Flow>(&'a Chan<T, F>, usize);

            impl<T, F: Flow> Drop for Received<'_, T, F> {
                fn drop(&mut self) {
                    if self.1 != 0 {
                        self.0.flow.release(self.1);
                    }
                }
            }

            let mut received = Received(chan, 0);
            let first = match head.pop() {
                Some(value) => Some(value),
                None => ready!(poll_wait(head, chan, cx)),
            };
            let mut next = first;
            while let Some(value) = next {
                received.1 += 1;
                buffer.push(value);
                if received.1 == limit {
                    break;
                }
                next = head.pop();
            }
            Poll::Ready(received.1)
        });
        if result.is_ready() {
            coop.made_progress();
        }
        result
    }

    pub(super) fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.with_head(|head, chan| {
            let mut turns = 0_u32;
            loop {
                // Before the pop: if the end is seen here, all messages are seen there.
                let drained = chan.flow.is_drained();
                if let Some(value) = head.pop() {
                    chan.flow.release(1);
                    return Ok(value);
                }
                match head.rest(&chan.tail) {
                    Rest::Ended => return Err(TryRecvError::Disconnected),
                    Rest::Empty if drained => return Err(TryRecvError::Disconnected),
                    Rest::Empty => return Err(TryRecvError::Empty),
                    // A sender is between its two steps, and others behind it may be done: "empty"
                    // would be wrong. It will not be long.
                    Rest::Coming if turns < 16 && cfg!(not(heist_loom)) => hint::spin_loop(),
                    Rest::Coming => thread::yield_now(),
                }
                turns += 1;
            }
        })
    }

    pub(super) fn close(&mut self) {
        self.with_head(|head, chan| chan.flow.close(&chan.tail, head));
        self.chan.rx_closed.notify_waiters();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.chan.flow.is_closed(&self.chan.tail) || self.chan.strong_count() == 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.look(|head, chan| head.len(&chan.tail))
    }
}

/// Waits for the next message, which was not there: `None` at the channel's end.
#[cold]
fn poll_wait<T, F: Flow>(
    head: &mut Head<T>,
    chan: &Chan<T, F>,
    cx: &mut Context<'_>,
) -> Poll<Option<T>> {
    if head.rest(&chan.tail) == Rest::Ended {
        return Poll::Ready(None);
    }
    // C2: register, then look at everything again.
    chan.rx_waker.register(cx.waker());
    let ready = head.arm();
    let drained = chan.flow.is_drained();
    if ready || head.rest(&chan.tail) != Rest::Empty || drained {
        if let Some(value) = head.pop() {
            return Poll::Ready(Some(value));
        }
        if drained || head.rest(&chan.tail) == Rest::Ended {
            return Poll::Ready(None);
        }
    }
    Poll::Pending
}

impl<T, F: Flow> Drop for Rx<T, F> {
    fn drop(&mut self) {
        /// The messages go also if a waker panics in `close`.
        struct DropMessages<'a, T, F: Flow>(&'a mut Rx<T, F>);

        impl<T, F: Flow> Drop for DropMessages<'_, T, F> {
            fn drop(&mut self) {
                self.0
                    .with_head(|head, chan| head.drain(|| chan.flow.release(1)));
            }
        }

        let rx = DropMessages(self);
        drop(rx.0.chan.rx_waker.take());
        rx.0.close();
    }
}

impl<T, F> fmt::Debug for Chan<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chan")
            .field("strong_count", &self.strong_count())
            .field("weak_count", &self.weak_count())
            .finish_non_exhaustive()
    }
}
