//! The receiving end.

use std::fmt;

use super::error::{RecvError, TryRecvError};
use super::waiting::Recv;
use super::{MAX_RECEIVERS, Ring, Slot, Tail};
use crate::engine::base::{current, parker};
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed};
use crate::loom::sync::{Arc, MutexGuard};

/// Receives all values sent since it was made. Made by [`channel`](super::channel), [`Sender::subscribe`](super::Sender::subscribe) or
/// [`Receiver::resubscribe`].
pub struct Receiver<T> {
    pub(super) ring: Arc<Ring<T>>,
    /// The next position to receive.
    next: u64,
}

impl<T> Receiver<T> {
    pub(super) fn new(ring: &Arc<Ring<T>>) -> Self {
        let mut tail = ring.tail.lock();
        assert!(
            tail.receivers < MAX_RECEIVERS,
            "too many receivers of a broadcast channel"
        );
        tail.receivers += 1;
        let next = tail.position;
        drop(tail);
        Self {
            ring: Arc::clone(ring),
            next,
        }
    }

    /// How many values were sent that this receiver has not received.
    ///
    /// Also those that were overwritten since: it may be more than the channel keeps.
    pub fn len(&self) -> usize {
        self.ring.tail.lock().position.wrapping_sub(self.next) as usize
    }

    /// True if there is nothing for this receiver.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if `other` is of the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.ring, &other.ring)
    }

    /// How many [`Sender`](super::Sender)s there are.
    pub fn sender_strong_count(&self) -> usize {
        // Ordering: pairs with the drop of a sender, so that a count of 0 brings what they did.
        self.ring.senders.load(Acquire)
    }

    /// How many [`WeakSender`](super::WeakSender)s there are.
    pub fn sender_weak_count(&self) -> usize {
        self.ring.weak_senders.load(Relaxed)
    }

    /// True if all senders are gone.
    pub fn is_closed(&self) -> bool {
        self.sender_strong_count() == 0
    }

    /// True if nothing was sent that it has not received, as far as one can tell without a lock (D3).
    #[inline]
    pub(super) fn seems_empty(&self) -> bool {
        self.ring.sent.load(Relaxed) == self.next
    }

    /// The slot of the next value, which is in it; the receiver has moved on and must
    /// [read](Slot::read) it.
    #[inline]
    pub(super) fn look(&mut self) -> Result<MutexGuard<'_, Slot<T>>, Miss<'_>> {
        let position = self.next;
        if !self.seems_empty() {
            let slot = self.ring.slot(position);
            if slot.position == position {
                self.next = position.wrapping_add(1);
                return Ok(slot);
            }
        }
        look_at_tail(&self.ring, &mut self.next)
    }
}

/// As [`Receiver::look`] for `next`, when it was not sent yet or was overwritten: the tail tells.
#[cold]
fn look_at_tail<'a, T>(
    ring: &'a Ring<T>,
    next: &mut u64,
) -> Result<MutexGuard<'a, Slot<T>>, Miss<'a>> {
    let tail = ring.tail.lock();
    let unreceived = tail.position.wrapping_sub(*next);
    if unreceived == 0 {
        return Err(if tail.ended {
            Miss::Closed
        } else {
            Miss::Empty(tail)
        });
    }
    match unreceived.checked_sub(ring.capacity()) {
        None | Some(0) => {}
        Some(missed) => {
            *next = next.wrapping_add(missed);
            return Err(Miss::Lagged(missed));
        }
    }
    // While the tail is locked nobody overwrites it (D2).
    let slot = ring.slot(*next);
    *next = next.wrapping_add(1);
    Ok(slot)
}

/// What [`Receiver::look`] found instead of a value.
pub(super) enum Miss<'a> {
    /// Nothing yet, and nothing comes as long as the tail is locked.
    Empty(MutexGuard<'a, Tail>),
    Closed,
    Lagged(u64),
}

impl<T> Slot<T> {
    /// Notes that one receiver is done with the value; the last one gets it (D1).
    fn read(&mut self) -> Option<T> {
        self.unread -= 1;
        if self.unread == 0 {
            self.value.take()
        } else {
            None
        }
    }
}

/// The value that [`Receiver::look`] found.
#[inline]
pub(super) fn receive<T: Clone>(mut slot: MutexGuard<'_, Slot<T>>) -> T {
    match slot.read() {
        Some(value) => value,
        None => match &slot.value {
            Some(value) => value.clone(),
            None => unreachable!("D1: the value stays until all have read it"),
        },
    }
}

impl<T: Clone> Receiver<T> {
    /// Another receiver of the same channel, of the values sent from now on.
    pub fn resubscribe(&self) -> Self {
        Self::new(&self.ring)
    }

    /// Waits for the next value.
    ///
    /// # Errors
    ///
    /// [`RecvError::Lagged`] if values were lost, after which the oldest that is left comes next;
    /// [`RecvError::Closed`] if all senders are gone and all values received.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, no value was received.
    ///
    /// ```
    /// use heist::sync::broadcast::{self, error::RecvError};
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, mut rx) = broadcast::channel(2);
    /// for n in 0..4 {
    ///     tx.send(n).unwrap();
    /// }
    /// drop(tx);
    /// // It was too slow for the first two.
    /// assert_eq!(rx.recv().await, Err(RecvError::Lagged(2)));
    /// assert_eq!(rx.recv().await, Ok(2));
    /// assert_eq!(rx.recv().await, Ok(3));
    /// assert_eq!(rx.recv().await, Err(RecvError::Closed));
    /// # });
    /// ```
    pub async fn recv(&mut self) -> Result<T, RecvError> {
        Recv::new(self).await
    }

    /// Takes the next value if there is one.
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if there is none, [`TryRecvError::Lagged`] if values were lost,
    /// [`TryRecvError::Closed`] if all senders are gone and all values received.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        match self.look() {
            Ok(slot) => Ok(receive(slot)),
            Err(Miss::Empty(_)) => Err(TryRecvError::Empty),
            Err(Miss::Closed) => Err(TryRecvError::Closed),
            Err(Miss::Lagged(missed)) => Err(TryRecvError::Lagged(missed)),
        }
    }

    /// Blocks this thread until the next value, for use outside asynchronous code.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        current::assert_may_block();
        parker::block_on(self.recv())
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        /// Reads all up to `until` without looking, and says so if this was the last receiver; also
        /// if the drop of a value panics.
        struct Leave<'a, T> {
            receiver: &'a mut Receiver<T>,
            until: u64,
            last: bool,
        }

        impl<T> Leave<'_, T> {
            fn read_all(&mut self) {
                // As a signed distance: lagging may take us beyond the end.
                while self.until.wrapping_sub(self.receiver.next) as i64 > 0 {
                    let value = match self.receiver.look() {
                        Ok(mut slot) => slot.read(),
                        Err(_) => None,
                    };
                    drop(value); // D4
                }
            }
        }

        impl<T> Drop for Leave<'_, T> {
            fn drop(&mut self) {
                self.read_all();
                if self.last {
                    self.receiver.ring.unheard.notify_waiters();
                }
            }
        }

        let (until, last) = {
            let mut tail = self.ring.tail.lock();
            tail.receivers -= 1;
            (tail.position, tail.receivers == 0)
        };
        Leave {
            receiver: self,
            until,
            last,
        }
        .read_all();
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broadcast::Receiver")
    }
}
