//! A channel that gives every value to every receiver: many senders, many receivers.
//!
//! Each value is cloned for each [`Receiver`] that existed when it was sent. The channel keeps a
//! fixed number of values; a receiver that falls behind further than that loses the oldest, and is
//! told so once by [`Lagged`](error::RecvError::Lagged). Sending never waits.
//!
//! ```
//! use heist::sync::broadcast;
//!
//! # futures::executor::block_on(async {
//! let (tx, mut first) = broadcast::channel(16);
//! let mut second = tx.subscribe();
//! tx.send("hello").unwrap();
//! assert_eq!(first.recv().await, Ok("hello"));
//! assert_eq!(second.recv().await, Ok("hello"));
//! # });
//! ```
//!
//! # Inside
//!
//! * D1. Position `p` is in slot `p % capacity`. A slot knows the position of the value in it, and how
//!   many receivers have yet to read it. The last of these takes the value out.
//! * D2. The tail's lock covers the next position, the number of receivers and the end. Locks are taken
//!   in the order tail, slot; and a value is cloned under its slot's lock, since it need not be
//!   `Sync`.
//! * D3. `sent` repeats the tail's position for those who do not hold its lock: a hint, which the locks
//!   confirm.
//! * D4. Values are dropped outside the locks.
//!
//! How receivers wait is written in `waiting.rs`. A value costs its sender two locks and each receiver
//! one; to wait costs one more.

use std::fmt;

use crate::engine::base::budget::cooperative;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::loom::sync::atomic::{AtomicU64, AtomicUsize};
use crate::loom::sync::{Arc, Mutex, MutexGuard};
use crate::sync::Notify;

pub mod error;

mod receiver;
#[allow(
    unsafe_code,
    reason = "waiters live in their futures, in an intrusive queue"
)]
mod waiting;

use self::error::SendError;
pub use self::receiver::Receiver;
use self::waiting::Waiting;

const MAX_RECEIVERS: usize = usize::MAX >> 2;

/// Sends values to all [`Receiver`]s. Made by [`channel`] or [`Sender::new`]; clone it for more
/// senders.
pub struct Sender<T> {
    ring: Arc<Ring<T>>,
}

/// A sender that does not keep the channel open. Made by [`Sender::downgrade`].
pub struct WeakSender<T> {
    ring: Arc<Ring<T>>,
}

struct Ring<T> {
    slots: Box<[Mutex<Slot<T>>]>,
    tail: Mutex<Tail>,
    senders: AtomicUsize,
    weak_senders: AtomicUsize,
    /// The tail's position (D3).
    sent: AtomicU64,
    /// Told when the last receiver goes.
    unheard: Notify,
}

struct Slot<T> {
    /// The position of the value; before the first one, of none that a receiver looks for.
    position: u64,
    /// How many receivers have yet to read the value.
    unread: usize,
    value: Option<T>,
}

struct Tail {
    /// The next position to send.
    position: u64,
    receivers: usize,
    /// The last sender is gone.
    ended: bool,
    /// The receivers that have received all there is, and wait.
    waiting: Waiting,
}

impl<T> Ring<T> {
    fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }

    /// The slot of `position`, locked (D1).
    fn slot(&self, position: u64) -> MutexGuard<'_, Slot<T>> {
        // The capacity is a power of two.
        self.slots[(position & (self.capacity() - 1)) as usize].lock()
    }
}

/// A channel that keeps `capacity` values, rounded up to a power of two.
///
/// # Panics
///
/// Panics if `capacity` is 0 or more than `usize::MAX / 2`.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let tx = Sender::new(capacity);
    let rx = tx.subscribe();
    (tx, rx)
}

impl<T> Sender<T> {
    /// A channel's sender, without a receiver yet; `capacity` as for [`channel`].
    ///
    /// # Panics
    ///
    /// Panics if `capacity` is 0 or more than `usize::MAX / 2`.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        assert!(
            capacity > 0,
            "a broadcast channel must keep one value at least"
        );
        assert!(
            capacity <= usize::MAX >> 1,
            "a broadcast channel cannot keep more than `usize::MAX / 2` values"
        );
        let capacity = capacity.next_power_of_two();
        let slots = (0..capacity).map(|i| {
            Mutex::new(Slot {
                position: (i as u64).wrapping_sub(capacity as u64),
                unread: 0,
                value: None,
            })
        });
        Self {
            ring: Arc::new(Ring {
                slots: slots.collect(),
                tail: Mutex::new(Tail {
                    position: 0,
                    receivers: 0,
                    ended: false,
                    waiting: Waiting::new(),
                }),
                senders: AtomicUsize::new(1),
                weak_senders: AtomicUsize::new(0),
                sent: AtomicU64::new(0),
                unheard: Notify::new(),
            }),
        }
    }

    /// Sends `value` to all receivers, and returns how many there are.
    ///
    /// `Ok` does not say that they will receive it: they may be dropped, or lag behind.
    ///
    /// # Errors
    ///
    /// The value comes back if there is no receiver right now.
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        let mut tail = self.ring.tail.lock();
        let receivers = tail.receivers;
        if receivers == 0 {
            return Err(SendError(value));
        }
        let position = tail.position;
        tail.position = position.wrapping_add(1);
        let mut slot = self.ring.slot(position);
        slot.position = position;
        slot.unread = receivers;
        let overwritten = slot.value.replace(value);
        drop(slot);
        self.ring.sent.store(tail.position, Relaxed); // D3
        waiting::tell(&self.ring, tail);
        drop(overwritten); // D4
        Ok(receivers)
    }

    /// A new receiver, of the values sent from now on.
    ///
    /// # Panics
    ///
    /// Panics if there are more than `usize::MAX / 4` receivers.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::new(&self.ring)
    }

    /// A sender that does not keep the channel open.
    #[must_use = "this makes a weak sender and leaves the strong one as it is"]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::new(&self.ring)
    }

    /// How many values in the channel some receiver has yet to receive.
    pub fn len(&self) -> usize {
        let tail = self.ring.tail.lock();
        let oldest = tail.position.wrapping_sub(self.ring.capacity());
        // A receiver reads in order, so if all have read a value they have read the older ones: the
        // boundary can be found by halving.
        let (mut read, mut unread) = (0, self.ring.capacity());
        while read < unread {
            let middle = read + (unread - read) / 2;
            if self.ring.slot(oldest.wrapping_add(middle)).unread == 0 {
                read = middle + 1;
            } else {
                unread = middle;
            }
        }
        (self.ring.capacity() - read) as usize
    }

    /// True if all receivers have received all values.
    pub fn is_empty(&self) -> bool {
        let tail = self.ring.tail.lock();
        self.ring.slot(tail.position.wrapping_sub(1)).unread == 0
    }

    /// How many receivers there are.
    pub fn receiver_count(&self) -> usize {
        self.ring.tail.lock().receivers
    }

    /// True if `other` is of the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.ring, &other.ring)
    }

    /// Waits until there is no receiver.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// ```
    /// use heist::sync::broadcast;
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, rx) = broadcast::channel::<u8>(1);
    /// drop(rx);
    /// tx.closed().await;
    /// assert_eq!(tx.receiver_count(), 0);
    /// # });
    /// ```
    pub async fn closed(&self) {
        cooperative(async {
            loop {
                // Before the look: who goes last looks for it afterwards.
                let unheard = self.ring.unheard.notified();
                if self.receiver_count() == 0 {
                    return;
                }
                unheard.await;
            }
        })
        .await;
    }

    /// How many [`Sender`]s there are.
    pub fn strong_count(&self) -> usize {
        self.ring.senders.load(Relaxed)
    }

    /// How many [`WeakSender`]s there are.
    pub fn weak_count(&self) -> usize {
        self.ring.weak_senders.load(Relaxed)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        // Ordering: none, there is a sender already.
        self.ring.senders.fetch_add(1, Relaxed);
        Self {
            ring: Arc::clone(&self.ring),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        // Ordering: the last one has seen what the others did.
        if self.ring.senders.fetch_sub(1, AcqRel) == 1 {
            let mut tail = self.ring.tail.lock();
            tail.ended = true;
            waiting::tell(&self.ring, tail);
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broadcast::Sender")
    }
}

impl<T> WeakSender<T> {
    fn new(ring: &Arc<Ring<T>>) -> Self {
        ring.weak_senders.fetch_add(1, Relaxed);
        Self {
            ring: Arc::clone(ring),
        }
    }

    /// A [`Sender`], if there still is another one.
    #[must_use]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let mut count = self.ring.senders.load(Relaxed);
        while count != 0 {
            // Ordering: none. That there is a sender is all it says.
            match self
                .ring
                .senders
                .compare_exchange(count, count + 1, Relaxed, Relaxed)
            {
                Ok(_) => {
                    return Some(Sender {
                        ring: Arc::clone(&self.ring),
                    });
                }
                Err(actual) => count = actual,
            }
        }
        None
    }

    /// How many [`Sender`]s there are.
    pub fn strong_count(&self) -> usize {
        // Ordering: pairs with the drop of a sender, so that a count of 0 brings what they did.
        self.ring.senders.load(Acquire)
    }

    /// How many [`WeakSender`]s there are.
    pub fn weak_count(&self) -> usize {
        self.ring.weak_senders.load(Relaxed)
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> Self {
        Self::new(&self.ring)
    }
}

impl<T> Drop for WeakSender<T> {
    fn drop(&mut self) {
        self.ring.weak_senders.fetch_sub(1, Relaxed);
    }
}

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broadcast::WeakSender")
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(all(test, heist_loom))]
mod loom_tests;
