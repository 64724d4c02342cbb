//! The bounded channel.

use std::fmt;
use std::future::poll_fn;
use std::iter::FusedIterator;
use std::mem;
use std::task::{Context, Poll};

use crate::engine::base::{current, parker};
use crate::sync::mpsc::blocks::{Head, Tail};
use crate::sync::mpsc::chan::{self, Flow};
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

impl<T> Receiver<T> {
    /// Waits for the next message. `None` when there will be no more: all senders are gone, or the
    /// channel was [closed](Self::close), and all messages were received.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, no message was taken.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, mut receiver) = heist::sync::mpsc::channel(4);
    /// heist::spawn(async move {
    ///     sender.send(1).await.unwrap();
    ///     sender.send(2).await.unwrap();
    /// });
    /// assert_eq!(receiver.recv().await, Some(1));
    /// assert_eq!(receiver.recv().await, Some(2));
    /// // All senders are gone, and nothing is left.
    /// assert_eq!(receiver.recv().await, None);
    /// # }
    /// ```
    pub async fn recv(&mut self) -> Option<T> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// Waits for messages, appends up to `limit` of them to `buffer`, and returns how many.
    ///
    /// It waits for the first one only. 0 means that there will be no more, or that `limit` is 0.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, no message was taken.
    ///
    /// ```
    /// use heist::sync::mpsc;
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, mut rx) = mpsc::channel(10);
    /// for i in 0..5 {
    ///     tx.send(i).await.unwrap();
    /// }
    /// let mut buffer = Vec::new();
    /// assert_eq!(rx.recv_many(&mut buffer, 3).await, 3);
    /// assert_eq!(rx.recv_many(&mut buffer, 100).await, 2);
    /// assert_eq!(buffer, [0, 1, 2, 3, 4]);
    /// # });
    /// ```
    pub async fn recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
        poll_fn(|cx| self.poll_recv_many(cx, buffer, limit)).await
    }

    /// Takes the next message if there is one.
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if there is none right now, [`TryRecvError::Disconnected`] if there
    /// will be none any more.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.rx.try_recv()
    }

    /// Blocks this thread until the next message, for use outside asynchronous code.
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Option<T> {
        current::assert_may_block();
        parker::block_on(self.recv())
    }

    /// Blocks this thread until there are messages, as [`recv_many`](Self::recv_many).
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
        current::assert_may_block();
        parker::block_on(self.recv_many(buffer, limit))
    }

    /// Refuses new messages, but not those already in the channel.
    ///
    /// Senders get errors from now on. Permits that were given out before can still be used:
    /// [`recv`](Self::recv) returns `None` only when all of them are used or dropped and all
    /// messages received.
    pub fn close(&mut self) {
        self.rx.close();
    }

    /// True if the channel was [closed](Self::close) or all senders are gone.
    pub fn is_closed(&self) -> bool {
        self.rx.is_closed()
    }

    /// True if there is no message in the channel.
    pub fn is_empty(&self) -> bool {
        self.rx.is_empty()
    }

    /// How many messages are in the channel.
    pub fn len(&self) -> usize {
        self.rx.len()
    }

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

    /// Looks for the next message, and if there is none, sees to it that the task of `cx` is woken
    /// when there is.
    ///
    /// `Ready(None)` when there will be no more. Of several calls only the last one's waker counts.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.rx.poll_recv(cx)
    }

    /// Looks for messages, as [`recv_many`](Self::recv_many), and if there are none, sees to it that
    /// the task of `cx` is woken when there are.
    pub fn poll_recv_many(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut Vec<T>,
        limit: usize,
    ) -> Poll<usize> {
        self.rx.poll_recv_many(cx, buffer, limit)
    }

    /// How many [`Sender`]s there are.
    pub fn sender_strong_count(&self) -> usize {
        self.rx.chan.strong_count()
    }

    /// How many [`WeakSender`]s there are.
    pub fn sender_weak_count(&self) -> usize {
        self.rx.chan.weak_count()
    }
}

impl<T> Unpin for Receiver<T> {}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("chan", &self.rx.chan)
            .finish()
    }
}

impl<T> Tx<T> {
    /// Sends by a permit that the caller has.
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
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, mut receiver) = heist::sync::mpsc::channel(1);
    /// sender.send("hello").await.unwrap();
    /// assert_eq!(receiver.recv().await, Some("hello"));
    ///
    /// drop(receiver);
    /// assert_eq!(sender.send("anyone?").await.unwrap_err().0, "anyone?");
    /// # }
    /// ```
    pub async fn send(&self, value: T) -> Result<(), SendError<T>> {
        match self.tx.acquire(1).await {
            Ok(()) => {
                self.tx.send_permitted(value);
                Ok(())
            }
            Err(SendError(())) => Err(SendError(value)),
        }
    }

    /// Waits until the receiver is gone or closed, so that work nobody wants can be given up.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: once closed, a channel stays closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, receiver) = heist::sync::mpsc::channel::<u32>(1);
    /// heist::spawn(async move { drop(receiver) });
    /// sender.closed().await;
    /// assert!(sender.is_closed());
    /// # }
    /// ```
    pub async fn closed(&self) {
        self.tx.closed().await;
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

    /// True if the receiver is gone or closed.
    pub fn is_closed(&self) -> bool {
        self.tx.is_closed()
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
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, mut receiver) = heist::sync::mpsc::channel(4);
    /// let permits = sender.reserve_many(3).await.unwrap();
    /// for (n, permit) in permits.enumerate() {
    ///     permit.send(n);
    /// }
    /// assert_eq!(receiver.recv().await, Some(0));
    /// # assert_eq!(receiver.recv().await, Some(1));
    /// # }
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
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, mut receiver) = heist::sync::mpsc::channel(1);
    /// let permit = sender.reserve_owned().await.unwrap();
    /// // It can go anywhere, and gives the sender back.
    /// let sender = heist::spawn(async move { permit.send(7) }).await.unwrap();
    /// assert_eq!(receiver.recv().await, Some(7));
    /// # drop(sender);
    /// # }
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

    /// True if `other` sends to the same receiver.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.tx.same_channel(&other.tx)
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

    /// A sender that does not keep the channel open.
    #[must_use = "this makes a weak sender and leaves the strong one as it is"]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender {
            weak: self.tx.downgrade(),
        }
    }

    /// How many [`Sender`]s there are.
    pub fn strong_count(&self) -> usize {
        self.tx.chan.strong_count()
    }

    /// How many [`WeakSender`]s there are.
    pub fn weak_count(&self) -> usize {
        self.tx.chan.weak_count()
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self {
            tx: self.tx.clone(),
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("chan", &self.tx.chan)
            .finish()
    }
}

impl<T> WeakSender<T> {
    /// A [`Sender`], if there still is another one.
    ///
    /// ```
    /// use heist::sync::mpsc;
    ///
    /// let (tx, _rx) = mpsc::channel::<u8>(1);
    /// let weak = tx.downgrade();
    /// assert!(weak.upgrade().is_some());
    /// drop(tx);
    /// assert!(weak.upgrade().is_none());
    /// ```
    pub fn upgrade(&self) -> Option<Sender<T>> {
        self.weak.upgrade().map(|tx| Sender { tx })
    }

    /// How many [`Sender`]s there are.
    pub fn strong_count(&self) -> usize {
        self.weak.strong_count()
    }

    /// How many [`WeakSender`]s there are.
    pub fn weak_count(&self) -> usize {
        self.weak.weak_count()
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> Self {
        Self {
            weak: self.weak.clone(),
        }
    }
}

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakSender").finish_non_exhaustive()
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
