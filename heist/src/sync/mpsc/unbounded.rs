//! The unbounded channel.

use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

use crate::engine::base::{current, parker};
use crate::sync::mpsc::blocks::{Head, Tail};
use crate::sync::mpsc::chan::{self, Flow};
use crate::sync::mpsc::error::{SendError, TryRecvError};

/// Sends messages to the [`UnboundedReceiver`]. Made by [`unbounded_channel`]; clone it for more
/// senders.
///
/// The channel ends for the receiver when the last sender is dropped.
pub struct UnboundedSender<T> {
    tx: chan::Tx<T, Unbounded>,
}

/// A sender that does not keep the channel open. Made by [`UnboundedSender::downgrade`].
///
/// [`upgrade`](Self::upgrade) makes an [`UnboundedSender`] of it, as long as there is another one.
pub struct WeakUnboundedSender<T> {
    weak: chan::Weak<T, Unbounded>,
}

/// Receives the messages of all [`UnboundedSender`]s. Made by [`unbounded_channel`].
pub struct UnboundedReceiver<T> {
    rx: chan::Rx<T, Unbounded>,
}

/// No limit: the queue itself says whether it is closed.
#[derive(Debug)]
pub(super) struct Unbounded;

impl Flow for Unbounded {
    #[inline]
    fn release(&self, _: usize) {}

    fn close<T>(&self, tail: &Tail<T>, head: &mut Head<T>) {
        head.end_at(tail.close());
    }

    fn is_closed<T>(&self, tail: &Tail<T>) -> bool {
        tail.is_closed()
    }

    fn is_drained(&self) -> bool {
        // The queue's end says it all: there are no permits to wait for.
        false
    }
}

/// A channel without a limit: sending never waits.
///
/// Nothing slows the senders down: if the receiver is slower, the channel grows until the memory is
/// used up. Prefer a [bounded](super::channel) one where that can happen.
///
/// ```
/// use heist::sync::mpsc;
///
/// # futures::executor::block_on(async {
/// let (tx, mut rx) = mpsc::unbounded_channel();
/// tx.send("hello").unwrap();
/// drop(tx);
/// assert_eq!(rx.recv().await, Some("hello"));
/// assert_eq!(rx.recv().await, None);
/// # });
/// ```
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let (tx, rx) = chan::channel(Unbounded);
    (UnboundedSender { tx }, UnboundedReceiver { rx })
}

impl<T> UnboundedReceiver<T> {
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
    /// let (sender, mut receiver) = heist::sync::mpsc::unbounded_channel();
    /// sender.send(1).unwrap();
    /// drop(sender);
    /// assert_eq!(receiver.recv().await, Some(1));
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
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, mut receiver) = heist::sync::mpsc::unbounded_channel();
    /// for n in 0..5 {
    ///     sender.send(n).unwrap();
    /// }
    /// let mut batch = Vec::new();
    /// assert_eq!(receiver.recv_many(&mut batch, 3).await, 3);
    /// assert_eq!(batch, [0, 1, 2]);
    /// # }
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

    /// How many [`UnboundedSender`]s there are.
    pub fn sender_strong_count(&self) -> usize {
        self.rx.chan.strong_count()
    }

    /// How many [`WeakUnboundedSender`]s there are.
    pub fn sender_weak_count(&self) -> usize {
        self.rx.chan.weak_count()
    }
}

impl<T> fmt::Debug for UnboundedReceiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnboundedReceiver")
            .field("chan", &self.rx.chan)
            .finish()
    }
}

impl<T> UnboundedSender<T> {
    /// Sends `message`, without waiting.
    ///
    /// `Ok` says that the message is in the channel, not that it will be received.
    ///
    /// # Errors
    ///
    /// The message comes back if the receiver is gone or closed.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match self.tx.chan.tail.claim() {
            Ok(claim) => {
                self.tx.chan.fill(claim, message);
                Ok(())
            }
            Err(_) => Err(SendError(message)),
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
    /// let (sender, receiver) = heist::sync::mpsc::unbounded_channel::<u32>();
    /// heist::spawn(async move { drop(receiver) });
    /// sender.closed().await;
    /// assert!(sender.is_closed());
    /// # }
    /// ```
    pub async fn closed(&self) {
        self.tx.closed().await;
    }

    /// True if the receiver is gone or closed.
    pub fn is_closed(&self) -> bool {
        self.tx.is_closed()
    }

    /// True if `other` sends to the same receiver.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.tx.same_channel(&other.tx)
    }

    /// A sender that does not keep the channel open.
    #[must_use = "this makes a weak sender and leaves the strong one as it is"]
    pub fn downgrade(&self) -> WeakUnboundedSender<T> {
        WeakUnboundedSender {
            weak: self.tx.downgrade(),
        }
    }

    /// How many [`UnboundedSender`]s there are.
    pub fn strong_count(&self) -> usize {
        self.tx.chan.strong_count()
    }

    /// How many [`WeakUnboundedSender`]s there are.
    pub fn weak_count(&self) -> usize {
        self.tx.chan.weak_count()
    }
}

impl<T> Clone for UnboundedSender<T> {
    fn clone(&self) -> Self {
        Self {
            tx: self.tx.clone(),
        }
    }
}

impl<T> fmt::Debug for UnboundedSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnboundedSender")
            .field("chan", &self.tx.chan)
            .finish()
    }
}

impl<T> WeakUnboundedSender<T> {
    /// An [`UnboundedSender`], if there still is another one.
    pub fn upgrade(&self) -> Option<UnboundedSender<T>> {
        self.weak.upgrade().map(|tx| UnboundedSender { tx })
    }

    /// How many [`UnboundedSender`]s there are.
    pub fn strong_count(&self) -> usize {
        self.weak.strong_count()
    }

    /// How many [`WeakUnboundedSender`]s there are.
    pub fn weak_count(&self) -> usize {
        self.weak.weak_count()
    }
}

impl<T> Clone for WeakUnboundedSender<T> {
    fn clone(&self) -> Self {
        Self {
            weak: self.weak.clone(),
        }
    }
}

impl<T> fmt::Debug for WeakUnboundedSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakUnboundedSender")
            .finish_non_exhaustive()
    }
}
