//! The unbounded channel.

use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

use crate::engine::base::{current, parker};
use crate::sync::mpsc::blocks::{Head, Tail};
use crate::sync::mpsc::chan::{self, Flow};
use crate::sync::mpsc::ends;
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

ends::receiver_methods! {
    UnboundedReceiver of UnboundedSender, WeakUnboundedSender;
    make "let (tx, mut rx) = mpsc::unbounded_channel();", send "tx.send(i).unwrap();"
}

ends::sender_methods! {
    UnboundedSender, WeakUnboundedSender;
    make "let (tx, rx) = mpsc::unbounded_channel::<u8>();"
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
}
