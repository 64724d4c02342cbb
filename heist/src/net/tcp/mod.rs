//! The halves of a [`TcpStream`](crate::net::TcpStream).
//!
//! The sockets themselves are in [`net`](crate::net).

mod halves;
pub(super) mod listener;
#[allow(unsafe_code, reason = "`FromRawFd`")]
pub(super) mod socket;
pub(super) mod stream;
#[cfg(all(test, not(heist_loom)))]
#[allow(unsafe_code, reason = "system calls of the tests' own")]
mod tests;

pub use self::halves::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
