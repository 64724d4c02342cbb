//! Channels for many messages from many senders to one receiver.
//!
//! | | [`channel`] | [`unbounded_channel`] |
//! |---|---|---|
//! | room | as many messages as it was made with | as much as there is memory |
//! | sending | waits when there is no room | never waits, is not `async` |
//!
//! Messages arrive in the order in which their places were taken: those of one sender in the order of
//! its sends. The receiver gets `None` when all senders are gone and all messages received; senders
//! get an error when the receiver is gone.
//!
//! # Closing
//!
//! To end in good order, call `close` on the receiver and go on receiving until `None`: senders are
//! refused from then on, and nothing that was sent is lost. Dropping the receiver drops the messages
//! in the channel.
//!
//! # With ordinary threads
//!
//! Sending to an unbounded channel is an ordinary function. `blocking_send` and `blocking_recv`, and
//! the `try_` methods, serve threads that run no tasks. A channel can so connect tasks and threads,
//! or tasks of two runtimes.
//!
//! # Several receivers
//!
//! There is one receiver. For work that any of several tasks may do, put it into an
//! `Arc<Mutex<Receiver<T>>>`; for messages that all receivers shall see, use a broadcast channel.
//!
//! # Memory
//!
//! A channel allocates room for 32 messages at a time, and frees it as they are received.

mod blocks;
mod bounded;
mod chan;
mod ends;
pub mod error;
mod unbounded;

pub use self::bounded::{
    OwnedPermit, Permit, PermitIterator, Receiver, Sender, WeakSender, channel,
};
pub use self::unbounded::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};

#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(all(test, heist_loom))]
mod loom_tests;
