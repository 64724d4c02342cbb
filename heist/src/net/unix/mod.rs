//! Unix domain sockets' addresses, credentials and halves, and pipes.
//!
//! The sockets themselves are in [`net`](crate::net).

mod addr;
#[allow(
    unsafe_code,
    reason = "a receive into memory that is not initialised yet"
)]
pub(super) mod datagram;
mod halves;
pub(super) mod listener;
#[allow(unsafe_code, reason = "system calls that std does not have")]
pub mod pipe;
#[allow(unsafe_code, reason = "`FromRawFd`")]
pub(super) mod socket;
pub(super) mod stream;
#[allow(unsafe_code, reason = "a system call that std does not have")]
mod ucred;

#[cfg(all(test, not(heist_loom)))]
#[allow(unsafe_code, reason = "descriptors of the tests' own")]
mod tests;

pub use self::addr::SocketAddr;
pub use self::halves::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
pub use self::ucred::UCred;

/// A user's number.
#[allow(non_camel_case_types, reason = "the system's name")]
pub type uid_t = u32;

/// A group's number.
#[allow(non_camel_case_types, reason = "the system's name")]
pub type gid_t = u32;

/// A process's number.
#[allow(non_camel_case_types, reason = "the system's name")]
pub type pid_t = i32;
