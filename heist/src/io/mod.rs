//! Reading and writing bytes without blocking: traits, adapters and in-memory streams.
//!
//! # The traits
//!
//! [`AsyncRead`], [`AsyncWrite`], [`AsyncBufRead`] and [`AsyncSeek`] are the counterparts of those in
//! [`std::io`]: where std's block, these register the task and return `Pending`. They are what
//! sockets, files and wrappers around them implement. What programs call is in four more traits,
//! which everything that implements the first four has by itself: [`AsyncReadExt`],
//! [`AsyncWriteExt`], [`AsyncBufReadExt`] and [`AsyncSeekExt`].
//!
//! ```
//! use heist::io::{self, AsyncReadExt, AsyncWriteExt};
//!
//! #[heist::main]
//! async fn main() -> io::Result<()> {
//!     let (mut near, mut far) = io::duplex(64);
//!     near.write_all(b"ping").await?;
//!     let mut word = [0; 4];
//!     far.read_exact(&mut word).await?;
//!     assert_eq!(&word, b"ping");
//!     Ok(())
//! }
//! ```
//!
//! # What else is here
//!
//! * Buffers: [`BufReader`], [`BufWriter`] and [`BufStream`]. Many small reads or writes go through
//!   one of them, or each asks the system.
//! * Copying: [`copy`], [`copy_buf`] and [`copy_bidirectional`].
//! * In memory: [`duplex`] and [`simplex`], and the plain [`empty`], [`repeat`] and [`sink`]. Byte
//!   slices, vectors and [`std::io::Cursor`]s can be read and written as they are.
//! * The process's own: [`stdin`], [`stdout`] and [`stderr`].
//! * Taking streams apart and putting them together: [`split`], [`join`].
//! * std's [`Error`], [`ErrorKind`], [`Result`] and [`SeekFrom`].
//!
//! # Cancel safety
//!
//! Each method tells what happens if its future is dropped before it completes, as
//! a `select!` does with the branches it does not take. "Cancel safe" means that nothing is lost: the
//! call can simply be made again.

// The foundation: what a read fills, and the four traits.
#[allow(unsafe_code, reason = "uninitialised memory, counted")]
pub(crate) mod read_buf;
mod traits;

// The methods to await, with their futures and adapters.
mod ext;

// Around streams, between them, and parts of them.
mod buffered;
mod copying;
#[allow(unsafe_code, reason = "pins what is behind a lock")]
mod halves;
mod joined;

// Streams without a system behind them.
mod memory;
mod trivial;

// A stream with nothing but a descriptor.
#[allow(unsafe_code, reason = "descriptors whose owner is not known")]
mod async_fd;

// What the pool reads and writes, and the process's own streams, which go through it.
pub(crate) mod pool_buf;
mod stdio;

#[cfg(all(test, not(heist_loom)))]
mod test_support;

pub use self::buffered::{BufReader, BufStream, BufWriter};
pub use self::copying::{copy, copy_bidirectional, copy_bidirectional_with_sizes, copy_buf};
pub use self::ext::{
    AsyncBufReadExt, AsyncReadExt, AsyncSeekExt, AsyncWriteExt, Chain, Lines, Split, Take,
};
pub use self::halves::{ReadHalf, WriteHalf, split};
pub use self::joined::{Join, join};
pub use self::memory::{DuplexStream, SimplexStream, duplex, simplex};
pub use self::read_buf::ReadBuf;
pub use self::stdio::{Stderr, Stdin, Stdout, stderr, stdin, stdout};
pub use self::traits::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite};
pub use self::trivial::{Empty, Repeat, Sink, empty, repeat, sink};
pub use crate::engine::reactor::{Interest, Ready};

/// What only Unix systems have: tasks that wait for any descriptor.
pub mod unix {
    #[doc(hidden)]
    #[allow(deprecated, reason = "the old name is public too")]
    pub use super::async_fd::AsyncFdTryNewError;
    pub use super::async_fd::{
        AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdRegisterError, TryIoError,
    };
}

#[doc(no_inline)]
pub use std::io::{Error, ErrorKind, Result, SeekFrom};

/// The size of a buffer whose size nobody chose.
const DEFAULT_BUFFER_SIZE: usize = 8 * 1024;
