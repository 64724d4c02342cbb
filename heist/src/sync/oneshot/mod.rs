//! A channel for one value: one sender, one receiver.
//!
//! [`channel`] makes the pair. [`Sender::send`] does not wait and is not `async`; the [`Receiver`]
//! is itself the future of the value. Either side learns when the other has gone: the receiver gets
//! [`RecvError`], the sender's [`closed`](Sender::closed) ends and its `send`
//! hands the value back.
//!
//! The usual use is a reply to a request that was sent through a [`mpsc`](super::mpsc) channel.
//!
//! ```
//! use heist::sync::oneshot;
//!
//! # futures::executor::block_on(async {
//! let (tx, rx) = oneshot::channel();
//! std::thread::spawn(move || tx.send(6 * 7));
//! assert_eq!(rx.await, Ok(42));
//! # });
//! ```
//!
//! A receiver can be polled by reference, for instance in a `select!` loop:
//!
//! ```
//! use heist::sync::oneshot;
//!
//! # futures::executor::block_on(async {
//! let (tx, mut rx) = oneshot::channel::<u32>();
//! drop(tx);
//! assert!((&mut rx).await.is_err());
//! assert!(rx.is_terminated());
//! # });
//! ```

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::engine::base::{budget, current, parker};
use crate::sync::oneshot::cell::{Outcome, Ref};

mod cell;
pub mod error;

use self::error::{RecvError, TryRecvError};

/// Sends the one value to the [`Receiver`]. Made by [`channel`].
///
/// Dropped without a `send`, it makes the receiver end with an error.
pub struct Sender<T> {
    /// Gone once `send` has consumed it.
    cell: Option<Ref<T>>,
}

/// Receives the one value from the [`Sender`]. Made by [`channel`].
///
/// It is a future: await it, or `&mut` it, for the value. The result is an error if the sender was
/// dropped without sending. [`try_recv`](Self::try_recv) looks without waiting, and
/// [`blocking_recv`](Self::blocking_recv) waits outside asynchronous code.
///
/// # Cancel safety
///
/// Awaiting `&mut receiver` is cancel safe: a value that was not returned stays in the channel.
#[must_use = "a receiver does nothing unless it is awaited"]
pub struct Receiver<T> {
    /// Gone once the outcome was given out.
    cell: Option<Ref<T>>,
}

/// Makes a channel for one value.
///
/// ```
/// use heist::sync::oneshot;
///
/// let (tx, mut rx) = oneshot::channel();
/// tx.send("hello").unwrap();
/// assert_eq!(rx.try_recv(), Ok("hello"));
/// ```
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (tx, rx) = Ref::pair();
    (Sender { cell: Some(tx) }, Receiver { cell: Some(rx) })
}

impl<T> Sender<T> {
    fn cell(&self) -> &Ref<T> {
        match &self.cell {
            Some(cell) => cell,
            None => unreachable!("only `send` takes the cell, and it consumes the sender"),
        }
    }

    /// Sends `value` to the receiver, without waiting.
    ///
    /// `Ok` says that the value was put into the channel, not that it was or will be received: the
    /// receiver may be dropped at any time.
    ///
    /// # Errors
    ///
    /// The value comes back if the receiver was dropped or had called [`close`](Receiver::close).
    ///
    /// ```
    /// use heist::sync::oneshot;
    ///
    /// let (tx, rx) = oneshot::channel();
    /// drop(rx);
    /// assert_eq!(tx.send(5), Err(5));
    /// ```
    pub fn send(mut self, value: T) -> Result<(), T> {
        match self.cell.take() {
            Some(cell) => cell.send(value),
            None => unreachable!("only `send` takes the cell, and it consumes the sender"),
        }
    }

    /// Waits until the receiver is dropped or closed, so that work nobody wants can be given up.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: once closed, a channel stays closed, and a new call ends at once.
    ///
    /// ```
    /// use heist::sync::oneshot;
    ///
    /// # futures::executor::block_on(async {
    /// let (mut tx, rx) = oneshot::channel::<u8>();
    /// drop(rx);
    /// tx.closed().await;
    /// assert!(tx.is_closed());
    /// # });
    /// ```
    pub async fn closed(&mut self) {
        poll_fn(|cx| self.poll_closed(cx)).await;
    }

    /// True if the receiver was dropped or has called [`close`](Receiver::close).
    ///
    /// A `send` would then hand its value back.
    pub fn is_closed(&self) -> bool {
        self.cell().is_closed()
    }

    /// Looks whether the receiver was dropped or closed, and if not, sees to it that the task of
    /// `cx` is woken when it is.
    ///
    /// `Ready` once the channel is closed. Of several calls only the last one's waker counts.
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let coop = ready!(budget::poll_proceed(cx));
        ready!(self.cell().poll_closed(cx.waker()));
        coop.made_progress();
        Poll::Ready(())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(cell) = self.cell.take() {
            cell.drop_sender();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("is_closed", &self.cell.as_ref().map(Ref::is_closed))
            .finish()
    }
}

impl<T> Receiver<T> {
    /// Refuses a value that was not sent yet, but keeps one that was.
    ///
    /// From now on [`Sender::send`] fails. A value sent before can still be had, by
    /// [`try_recv`](Self::try_recv) or by awaiting.
    ///
    /// ```
    /// use heist::sync::oneshot;
    ///
    /// let (tx, mut rx) = oneshot::channel();
    /// rx.close();
    /// assert_eq!(tx.send(1), Err(1));
    /// assert!(rx.try_recv().is_err());
    /// ```
    pub fn close(&mut self) {
        if let Some(cell) = &self.cell {
            cell.close();
        }
    }

    /// True once this receiver has given out its outcome, the value or the error.
    ///
    /// Awaiting it again would panic.
    pub fn is_terminated(&self) -> bool {
        self.cell.is_none()
    }

    /// True if there is no value to be had right now: none was sent yet, none will be, or it was
    /// already received.
    pub fn is_empty(&self) -> bool {
        self.cell.as_ref().is_none_or(|cell| !cell.has_value())
    }

    /// Takes the value if it is there, without waiting.
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if nothing was sent yet; [`TryRecvError::Closed`] if nothing will
    /// come any more, also after the value was taken.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let Some(cell) = &self.cell else {
            return Err(TryRecvError::Closed);
        };
        match cell.outcome() {
            Outcome::Open => Err(TryRecvError::Empty),
            Outcome::Sent => Ok(self.take_value()),
            Outcome::Nothing => {
                self.finish();
                Err(TryRecvError::Closed)
            }
        }
    }

    /// Blocks this thread until the value comes, for use outside asynchronous code.
    ///
    /// # Errors
    ///
    /// An error if the sender was dropped without sending.
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled, and if the outcome was already
    /// given out.
    ///
    /// ```
    /// use heist::sync::oneshot;
    ///
    /// let (tx, rx) = oneshot::channel();
    /// let waiting = std::thread::spawn(move || rx.blocking_recv());
    /// tx.send(10).unwrap();
    /// assert_eq!(waiting.join().unwrap(), Ok(10));
    /// ```
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, RecvError> {
        current::assert_may_block();
        parker::block_on(self)
    }

    /// Gives the value out; the cell is in state `Sent`.
    fn take_value(&mut self) -> T {
        match self.cell.take() {
            Some(cell) => cell.into_value(),
            None => unreachable!("the caller has just looked into the cell"),
        }
    }

    /// Lets go of the cell.
    fn finish(&mut self) {
        if let Some(cell) = self.cell.take() {
            cell.drop_receiver();
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Some(cell) = &this.cell else {
            panic!("a oneshot receiver was polled after it had given out its outcome");
        };
        let coop = ready!(budget::poll_proceed(cx));
        let sent = ready!(cell.poll_outcome(cx.waker()));
        coop.made_progress();
        Poll::Ready(if sent {
            Ok(this.take_value())
        } else {
            this.finish();
            Err(RecvError(()))
        })
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.finish();
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("is_terminated", &self.is_terminated())
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(all(test, heist_loom))]
mod loom_tests;
