//! What can go wrong on a broadcast channel.

use std::fmt;

/// There is no receiver; here is the value back.
#[derive(Debug)]
pub struct SendError<T>(pub T);

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("channel closed")
    }
}

impl<T: fmt::Debug> std::error::Error for SendError<T> {}

/// Why [`recv`](super::Receiver::recv) returned no value.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum RecvError {
    /// All senders are gone and all values received.
    Closed,
    /// The receiver was too slow: so many values were overwritten before it got to them. The next
    /// call returns the oldest that is left.
    Lagged(u64),
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("channel closed"),
            Self::Lagged(missed) => write!(f, "channel lagged by {missed}"),
        }
    }
}

impl std::error::Error for RecvError {}

/// Why [`try_recv`](super::Receiver::try_recv) returned no value.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum TryRecvError {
    /// Nothing was sent that this receiver has not received.
    Empty,
    /// All senders are gone and all values received.
    Closed,
    /// The receiver was too slow: so many values were overwritten before it got to them. The next
    /// call returns the oldest that is left.
    Lagged(u64),
}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("channel empty"),
            Self::Closed => f.write_str("channel closed"),
            Self::Lagged(missed) => write!(f, "channel lagged by {missed}"),
        }
    }
}

impl std::error::Error for TryRecvError {}
