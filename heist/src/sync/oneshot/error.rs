//! What can go wrong on a oneshot channel.

use std::fmt;

/// The sender was dropped without sending. From awaiting a [`Receiver`](super::Receiver).
#[derive(Debug, Eq, PartialEq, Clone)]
pub struct RecvError(pub(super) ());

/// Why [`try_recv`](super::Receiver::try_recv) has no value.
#[derive(Debug, Eq, PartialEq, Clone)]
pub enum TryRecvError {
    /// Nothing was sent yet; it may still be.
    Empty,
    /// Nothing will come: the sender is gone, the channel was closed, or the value was taken.
    Closed,
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("channel closed")
    }
}

impl std::error::Error for RecvError {}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "channel empty",
            Self::Closed => "channel closed",
        })
    }
}

impl std::error::Error for TryRecvError {}
