//! The bounded channel.

use std::fmt;
use std::future::poll_fn;
use std::iter::FusedIterator;
use std::mem;
use std::task::{Context, Poll};

use crate::engine::base::{current, parker};
use crate::sync::mpsc::blocks::{Head, Tail};
use crate::sync::mpsc::chan::{self, Flow};
use crate::sync::mpsc::ends;
use crate::sync::mpsc::error::{SendError, TryRecvError, TrySendError};
use crate::sync::permits::{Permits, Refusal};

/// Sends messages to the [`Receiver`]. Made by [`channel`]; clone it for more senders.
///
/// The channel ends for the receiver when the last sender is dropped.
pub struct Sender<T> {
    tx: Tx<T>,
}

/// A sender that does not keep the channel open. Made by [`Sender::downgrade`].
///
/// [`upgrade`](Self::upgrade) makes a [`Sender`] of it, as long as there is another one.
pub struct WeakSender<T> {
    weak: chan::Weak<T, Bounded>,
}

/// Receives the messages of all [`Sender`]s. Made by [`channel`].
pub struct Receiver<T> {
    rx: chan::Rx<T, Bounded>,
}

/// Room for one message. Made by [`Sender::reserve`] and [`Sender::try_reserve`].
///
/// Dropped without a [`send`](Self::send), it gives the room back.
#[must_use = "dropped at once, the room is given back at once"]
pub struct Permit<'a, T> {
    tx: &'a Tx<T>,
}

/// Room for some messages, as an iterator of [`Permit`]s. Made by [`Sender::reserve_many`] and
/// [`Sender::try_reserve_many`].
///
/// What is not taken out is given back when this is dropped.
#[must_use = "dropped at once, the room is given back at once"]
pub struct PermitIterator<'a, T> {
    tx: &'a Tx<T>,
    left: usize,
}

/// Room for one message, together with the [`Sender`] it is for. Made by [`Sender::reserve_owned`]
/// and [`Sender::try_reserve_owned`].
///
/// Dropped without a [`send`](Self::send), it gives the room back and drops the sender.
#[must_use = "dropped at once, the room is given back at once"]
pub struct OwnedPermit<T> {
    /// Gone once a method has consumed it.
    tx: Option<Tx<T>>,
}

type Tx<T> = chan::Tx<T, Bounded>;

/// The limit: a permit for each message that has room.
#[derive(Debug)]
pub(super) struct Bounded {
    permits: Permits,
    capacity: usize,
}

impl Flow for Bounded {
    #[inline]
    fn release(&self, n: usize) {
        self.permits.release(n);
    }

    fn close<T>(&self, _: &Tail<T>, _: &mut Head<T>) {
        self.permits.close();
    }

    fn is_closed<T>(&self, _: &Tail<T>) -> bool {
        self.permits.is_closed()
    }

    fn is_drained(&self) -> bool {
        self.permits.is_closed() && self.permits.available() == self.capacity
    }
}

/// A channel with room for `buffer` messages.
///
/// When it is full, [`Sender::send`] waits: a slow receiver slows its senders down.
///
/// # Panics
///
/// Panics if `buffer` is 0 or more than
/// [`Semaphore::MAX_PERMITS`](crate::sync::Semaphore::MAX_PERMITS).
///
/// ```
/// use heist::sync::mpsc;
///
/// # futures::executor::block_on(async {
/// let (tx, mut rx) = mpsc::channel(4);
/// std::thread::spawn(move || {
///     for i in 0..10 {
///         tx.blocking_send(i).unwrap();
///     }
/// });
/// let mut sum = 0;
/// while let Some(i) = rx.recv().await {
///     sum += i;
/// }
/// assert_eq!(sum, 45);
/// # });
/// ```
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        buffer > 0,
        "an mpsc channel needs room for one message at least"
    );
    let (tx, rx) = chan::channel(Bounded {
        permits: Permits::new(buffer),
        capacity: buffer,
    });
    (Sender { tx }, Receiver { rx })
}

ends::receiver_methods! {
    Receiver of Sender, WeakSender;
    make "let (tx, mut rx) = mpsc::channel(10);", send "tx.send(i).await.unwrap();"
}

ends::sender_methods! {
    Sender, WeakSender;
    make "let (tx, rx) = mpsc::channel::<u8>(10);"
}

impl<T> Receiver<T> {
    /// For how many more messages there is room right now.
    ///
    /// Room that was [reserved](Sender::reserve) counts as used.
    pub fn capacity(&self) -> usize {
        self.rx.chan.flow.permits.available()
    }

    /// The room the channel was made with.
    pub fn max_capacity(&self) -> usize {
        self.rx.chan.flow.capacity
    }
}

impl<T> Unpin for Receiver<T> {}

impl<T> Tx<T> {
    /// Sends by a permit that the caller has.
    #[inline]
    fn send_permitted(&self, value: T) {
        match self.chan.tail.claim() {
            Ok(claim) => self.chan.fill(claim, value),
            Err(_) => unreachable!("only the last sender closes the queue of a bounded channel"),
        }
    }

    /// Gives `n` permits back unused.
    fn give_back(&self, n: usize) {
        self.chan.flow.permits.release(n);
        self.wake_if_drained();
    }

    /// A receiver that has closed the channel waits for the last permit (chan.C1).
    fn wake_if_drained(&self) {
        if self.chan.flow.is_drained() {
            self.chan.wake_receiver();
        }
    }

    fn try_acquire(&self, n: usize) -> Result<(), TrySendError<()>> {
        // What can never fit is refused, and not with a panic.
        if n > self.chan.flow.capacity {
            return Err(TrySendError::Full(()));
        }
        self.chan
            .flow
            .permits
            .try_acquire(n)
            .map_err(|refusal| match refusal {
                Refusal::Closed => TrySendError::Closed(()),
                Refusal::TooFew => TrySendError::Full(()),
            })
    }

    async fn acquire(&self, n: usize) -> Result<(), SendError<()>> {
        /// A future that is dropped with its permits in hand gives them back, which may be what a
        /// receiver that has closed waits for.
        struct WakeOnDrop<'a, T>(&'a Tx<T>);

        impl<T> Drop for WakeOnDrop<'_, T> {
            fn drop(&mut self) {
                self.0.wake_if_drained();
            }
        }

        if n > self.chan.flow.capacity {
            return Err(SendError(()));
        }
        if self.chan.flow.permits.acquire_at_once(n) {
            return Ok(());
        }
        let wake = WakeOnDrop(self);
        match self.chan.flow.permits.acquire(n).await {
            Ok(()) => {
                mem::forget(wake);
                Ok(())
            }
            Err(_) => Err(SendError(())),
        }
    }
}

impl<T> Sender<T> {
    /// Sends `value`, waiting for room if need be.
    ///
    /// `Ok` says that the message is in the channel, not that it will be received.
    ///
    /// # Errors
    ///
    /// The value comes back if the receiver is gone or closed.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the message was not sent, and is dropped with it. The place among
    /// those who wait is lost. To keep the message, use [`reserve`](Self::reserve).
    ///
    /// ```
    /// use heist::sync::mpsc;
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, mut rx) = mpsc::channel(1);
    /// tx.send("first").await.unwrap();
    /// assert_eq!(rx.recv().await, Some("first"));
    /// drop(rx);
    /// // Nobody is left to receive it: it comes back.
    /// assert_eq!(tx.send("second").await.unwrap_err().0, "second");
    /// # });
    /// ```
    pub async fn send(&self, value: T) -> Result<(), SendError<T>> {
        // Here and not only in `acquire`, whose future would have to be made.
        let permitted = self.tx.chan.flow.permits.acquire_at_once(1);
        if permitted || self.tx.acquire(1).await.is_ok() {
            self.tx.send_permitted(value);
            Ok(())
        } else {
            Err(SendError(value))
        }
    }

    /// Sends `message` if there is room for it right now.
    ///
    /// # Errors
    ///
    /// The message comes back: [`TrySendError::Full`] if there is no room or others wait for it,
    /// [`TrySendError::Closed`] if the receiver is gone or closed.
    ///
    /// ```
    /// use heist::sync::mpsc::{self, error::TrySendError};
    ///
    /// let (tx, rx) = mpsc::channel(1);
    /// tx.try_send(1).unwrap();
    /// assert_eq!(tx.try_send(2), Err(TrySendError::Full(2)));
    /// drop(rx);
    /// assert_eq!(tx.try_send(3), Err(TrySendError::Closed(3)));
    /// ```
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        match self.tx.try_acquire(1) {
            Ok(()) => {
                self.tx.send_permitted(message);
                Ok(())
            }
            Err(TrySendError::Full(())) => Err(TrySendError::Full(message)),
            Err(TrySendError::Closed(())) => Err(TrySendError::Closed(message)),
        }
    }

    /// Blocks this thread until there is room, for use outside asynchronous code.
    ///
    /// # Errors
    ///
    /// The value comes back if the receiver is gone or closed.
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        current::assert_may_block();
        parker::block_on(self.send(value))
    }

    /// Waits for room for one message and keeps it until the returned permit is used or dropped.
    ///
    /// # Errors
    ///
    /// An error if the receiver is gone or closed.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, nothing was reserved; the place among those who wait is lost.
    ///
    /// ```
    /// use heist::sync::mpsc;
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, mut rx) = mpsc::channel(1);
    /// let permit = tx.reserve().await.unwrap();
    /// assert!(tx.try_send(1).is_err());
    /// permit.send(2);
    /// assert_eq!(rx.recv().await, Some(2));
    /// # });
    /// ```
    pub async fn reserve(&self) -> Result<Permit<'_, T>, SendError<()>> {
        self.tx.acquire(1).await?;
        Ok(Permit { tx: &self.tx })
    }

    /// Waits for room for `n` messages.
    ///
    /// # Errors
    ///
    /// An error if the receiver is gone or closed, or if `n` is more than
    /// [`max_capacity`](Self::max_capacity).
    ///
    /// # Cancel safety
    ///
    /// As [`reserve`](Self::reserve).
    ///
    /// ```
    /// use heist::sync::mpsc;
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, mut rx) = mpsc::channel(3);
    /// let permits = tx.reserve_many(2).await.unwrap();
    /// assert_eq!(tx.capacity(), 1);
    /// for (permit, word) in permits.zip(["both", "fit"]) {
    ///     permit.send(word);
    /// }
    /// assert_eq!(rx.recv().await, Some("both"));
    /// assert_eq!(rx.recv().await, Some("fit"));
    /// # });
    /// ```
    pub async fn reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, SendError<()>> {
        self.tx.acquire(n).await?;
        Ok(PermitIterator {
            tx: &self.tx,
            left: n,
        })
    }

    /// As [`reserve`](Self::reserve), with a permit that has the sender in it and no lifetime.
    ///
    /// # Errors
    ///
    /// An error if the receiver is gone or closed; the sender is dropped.
    ///
    /// # Cancel safety
    ///
    /// As [`reserve`](Self::reserve); the sender is dropped.
    ///
    /// ```
    /// use heist::sync::mpsc;
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, mut rx) = mpsc::channel(1);
    /// let permit = tx.reserve_owned().await.unwrap();
    /// // It can be kept for as long as one likes, and gives the sender back.
    /// let tx = permit.send(1);
    /// assert_eq!(rx.recv().await, Some(1));
    /// # drop(tx);
    /// # });
    /// ```
    pub async fn reserve_owned(self) -> Result<OwnedPermit<T>, SendError<()>> {
        self.tx.acquire(1).await?;
        Ok(OwnedPermit { tx: Some(self.tx) })
    }

    /// Takes room for one message if there is any right now.
    ///
    /// # Errors
    ///
    /// [`TrySendError::Full`] if there is no room or others wait for it,
    /// [`TrySendError::Closed`] if the receiver is gone or closed.
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        self.tx.try_acquire(1)?;
        Ok(Permit { tx: &self.tx })
    }

    /// Takes room for `n` messages if there is so much right now.
    ///
    /// # Errors
    ///
    /// As [`try_reserve`](Self::try_reserve); an `n` of more than
    /// [`max_capacity`](Self::max_capacity) is [`TrySendError::Full`].
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        self.tx.try_acquire(n)?;
        Ok(PermitIterator {
            tx: &self.tx,
            left: n,
        })
    }

    /// As [`try_reserve`](Self::try_reserve), with a permit that has the sender in it.
    ///
    /// # Errors
    ///
    /// As [`try_reserve`](Self::try_reserve), with the sender in the error.
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Self>> {
        match self.tx.try_acquire(1) {
            Ok(()) => Ok(OwnedPermit { tx: Some(self.tx) }),
            Err(TrySendError::Full(())) => Err(TrySendError::Full(self)),
            Err(TrySendError::Closed(())) => Err(TrySendError::Closed(self)),
        }
    }

    /// For how many more messages there is room right now.
    ///
    /// Room that was [reserved](Self::reserve) counts as used.
    pub fn capacity(&self) -> usize {
        self.tx.chan.flow.permits.available()
    }

    /// The room the channel was made with.
    pub fn max_capacity(&self) -> usize {
        self.tx.chan.flow.capacity
    }
}

impl<T> Permit<'_, T> {
    /// Sends `value` into the room that was kept for it.
    ///
    /// This cannot fail: a receiver that has closed the channel still waits for permits. If the
    /// receiver was dropped, the value is dropped in time.
    pub fn send(self, value: T) {
        let tx = self.tx;
        mem::forget(self);
        tx.send_permitted(value);
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        self.tx.give_back(1);
    }
}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("chan", &self.tx.chan)
            .finish()
    }
}

impl<'a, T> Iterator for PermitIterator<'a, T> {
    type Item = Permit<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(Permit { tx: self.tx })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for PermitIterator<'_, T> {}
impl<T> FusedIterator for PermitIterator<'_, T> {}

impl<T> Drop for PermitIterator<'_, T> {
    fn drop(&mut self) {
        if self.left != 0 {
            self.tx.give_back(self.left);
        }
    }
}

impl<T> fmt::Debug for PermitIterator<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermitIterator")
            .field("chan", &self.tx.chan)
            .field("left", &self.left)
            .finish()
    }
}

impl<T> OwnedPermit<T> {
    fn take(&mut self) -> Tx<T> {
        match self.tx.take() {
            Some(tx) => tx,
            None => unreachable!("only methods that consume the permit take the sender"),
        }
    }

    /// Sends `value` into the room that was kept for it, and returns the sender.
    ///
    /// This cannot fail, as [`Permit::send`].
    pub fn send(mut self, value: T) -> Sender<T> {
        let tx = self.take();
        tx.send_permitted(value);
        Sender { tx }
    }

    /// Gives the room back unused, and returns the sender.
    pub fn release(mut self) -> Sender<T> {
        let tx = self.take();
        tx.give_back(1);
        Sender { tx }
    }

    /// True if `other` is for the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.tx
            .as_ref()
            .zip(other.tx.as_ref())
            .is_some_and(|(a, b)| a.same_channel(b))
    }

    /// True if `sender` is of the same channel.
    pub fn same_channel_as_sender(&self, sender: &Sender<T>) -> bool {
        self.tx
            .as_ref()
            .is_some_and(|tx| tx.same_channel(&sender.tx))
    }
}

impl<T> Drop for OwnedPermit<T> {
    fn drop(&mut self) {
        if let Some(tx) = self.tx.take() {
            tx.give_back(1);
        }
    }
}

impl<T> fmt::Debug for OwnedPermit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedPermit")
            .field("chan", &self.tx.as_ref().map(|tx| &tx.chan))
            .finish()
    }
}
