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
//! * D3. Who waits makes its [`Notify`] future, then looks; who sends or ends tells all afterwards.
//! * D4. Values are dropped outside the locks.

use std::fmt;

use crate::engine::base::{current, parker};
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::loom::sync::{Arc, Mutex, MutexGuard};
use crate::sync::{Notify, spend_budget};

pub mod error;

use self::error::{RecvError, SendError, TryRecvError};

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

/// Receives all values sent since it was made. Made by [`channel`], [`Sender::subscribe`] or
/// [`Receiver::resubscribe`].
pub struct Receiver<T> {
    ring: Arc<Ring<T>>,
    /// The next position to receive.
    next: u64,
}

struct Ring<T> {
    slots: Box<[Mutex<Slot<T>>]>,
    tail: Mutex<Tail>,
    senders: AtomicUsize,
    weak_senders: AtomicUsize,
    /// Told of every value and of the end.
    sent: Notify,
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
                }),
                senders: AtomicUsize::new(1),
                weak_senders: AtomicUsize::new(0),
                sent: Notify::new(),
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
        drop(tail);
        self.ring.sent.notify_waiters(); // D3
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
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, receiver) = heist::sync::broadcast::channel::<u32>(16);
    /// heist::spawn(async move { drop(receiver) });
    /// sender.closed().await;
    /// assert_eq!(sender.receiver_count(), 0);
    /// # }
    /// ```
    pub async fn closed(&self) {
        spend_budget(async {
            loop {
                // D3: before the look.
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
        self.ring.senders.load(Acquire)
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
            self.ring.tail.lock().ended = true;
            self.ring.sent.notify_waiters(); // D3
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
            // Ordering: acquire, as another sender's clone would have had it.
            match self
                .ring
                .senders
                .compare_exchange(count, count + 1, Acquire, Relaxed)
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

impl<T> Receiver<T> {
    fn new(ring: &Arc<Ring<T>>) -> Self {
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

    /// How many [`Sender`]s there are.
    pub fn sender_strong_count(&self) -> usize {
        self.ring.senders.load(Acquire)
    }

    /// How many [`WeakSender`]s there are.
    pub fn sender_weak_count(&self) -> usize {
        self.ring.weak_senders.load(Relaxed)
    }

    /// True if all senders are gone.
    pub fn is_closed(&self) -> bool {
        self.sender_strong_count() == 0
    }

    /// The slot of the next value, which is in it; the receiver has moved on.
    fn next_slot(&mut self) -> Result<MutexGuard<'_, Slot<T>>, TryRecvError> {
        let position = self.next;
        let mut slot = self.ring.slot(position);
        if slot.position != position {
            // Not sent yet, or overwritten: the tail tells. Locked in order (D2).
            drop(slot);
            let tail = self.ring.tail.lock();
            let unreceived = tail.position.wrapping_sub(position);
            if unreceived == 0 {
                return Err(if tail.ended {
                    TryRecvError::Closed
                } else {
                    TryRecvError::Empty
                });
            }
            if let Some(missed) = unreceived
                .checked_sub(self.ring.capacity())
                .filter(|missed| *missed != 0)
            {
                self.next = position.wrapping_add(missed);
                return Err(TryRecvError::Lagged(missed));
            }
            slot = self.ring.slot(position);
        }
        self.next = position.wrapping_add(1);
        Ok(slot)
    }
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
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::broadcast::{self, error::RecvError};
    ///
    /// let (sender, mut receiver) = broadcast::channel(2);
    /// for n in 0..4 {
    ///     sender.send(n).unwrap();
    /// }
    /// drop(sender);
    ///
    /// // It was too slow for the first two.
    /// assert_eq!(receiver.recv().await, Err(RecvError::Lagged(2)));
    /// assert_eq!(receiver.recv().await, Ok(2));
    /// assert_eq!(receiver.recv().await, Ok(3));
    /// assert_eq!(receiver.recv().await, Err(RecvError::Closed));
    /// # }
    /// ```
    pub async fn recv(&mut self) -> Result<T, RecvError> {
        spend_budget(async {
            loop {
                // A value that is there costs no more than this look.
                if let Some(result) = received(self.try_recv()) {
                    return result;
                }
                let ring = Arc::clone(&self.ring);
                // D3: before the look.
                let sent = ring.sent.notified();
                if let Some(result) = received(self.try_recv()) {
                    return result;
                }
                sent.await;
            }
        })
        .await
    }

    /// Takes the next value if there is one.
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if there is none, [`TryRecvError::Lagged`] if values were lost,
    /// [`TryRecvError::Closed`] if all senders are gone and all values received.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let mut slot = self.next_slot()?;
        match slot.read() {
            Some(value) => Ok(value),
            None => match &slot.value {
                Some(value) => Ok(value.clone()),
                None => unreachable!("D1: the value stays until all have read it"),
            },
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

/// What `recv` returns for what `try_recv` did; `None` to wait.
fn received<T>(result: Result<T, TryRecvError>) -> Option<Result<T, RecvError>> {
    match result {
        Ok(value) => Some(Ok(value)),
        Err(TryRecvError::Lagged(missed)) => Some(Err(RecvError::Lagged(missed))),
        Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
        Err(TryRecvError::Empty) => None,
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
                    let value = match self.receiver.next_slot() {
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

#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::thread;

    fn model(f: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(f);
    }

    #[test]
    fn both_receive_all() {
        model(|| {
            let (tx, mut rx) = channel::<Arc<u64>>(2);
            let mut other = tx.subscribe();
            let receiver = thread::spawn(move || {
                assert_eq!(*block_on(other.recv()).unwrap(), 1);
                assert!(block_on(other.recv()).is_err());
            });
            tx.send(Arc::new(1)).unwrap();
            drop(tx);
            assert_eq!(*block_on(rx.recv()).unwrap(), 1);
            assert!(block_on(rx.recv()).is_err());
            receiver.join().unwrap();
        });
    }

    #[test]
    fn a_slow_receiver_lags() {
        model(|| {
            let (tx, mut rx) = channel::<Arc<u64>>(1);
            let sender = thread::spawn(move || {
                tx.send(Arc::new(0)).unwrap();
                tx.send(Arc::new(1)).unwrap();
            });
            let mut next = 0;
            loop {
                match block_on(rx.recv()) {
                    Ok(value) => {
                        assert_eq!(*value, next);
                        next += 1;
                    }
                    Err(RecvError::Lagged(missed)) => next += missed,
                    Err(RecvError::Closed) => break,
                }
            }
            assert_eq!(next, 2);
            sender.join().unwrap();
        });
    }

    #[test]
    fn drop_against_send() {
        model(|| {
            let (tx, rx) = channel::<Arc<u64>>(1);
            let dropper = thread::spawn(move || drop(rx));
            let _ = tx.send(Arc::new(0));
            let _ = tx.send(Arc::new(1));
            block_on(tx.closed());
            dropper.join().unwrap();
            assert!(tx.is_empty());
        });
    }
}
