//! Copying from readers to writers.

mod bidirectional;
mod buffered;
mod transfer;

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use crate::io::copying::transfer::Transfer;
use crate::io::{AsyncRead, AsyncWrite, DEFAULT_BUFFER_SIZE};

pub use self::bidirectional::{copy_bidirectional, copy_bidirectional_with_sizes};
pub use self::buffered::copy_buf;

/// Copies all that `reader` has to `writer`, and returns how many bytes it was.
///
/// What was read is written while more is being read, through a buffer of 8 KiB on the heap. When
/// `reader` has nothing for the moment, `writer` is flushed, so that nothing is held back while
/// waiting; and again at the end. `writer` is not shut down.
///
/// For a reader that has a buffer of its own, [`copy_buf`] does without another.
///
/// # Errors
///
/// Those of `reader` and `writer`, at once; only
/// [`Interrupted`](crate::io::ErrorKind::Interrupted) makes it try again.
/// [`WriteZero`](crate::io::ErrorKind::WriteZero) if `writer` takes no more.
///
/// # Cancel safety
///
/// Not cancel safe: what a cancelled call had read and not yet written is lost.
///
/// # Examples
///
/// ```
/// use heist::io;
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let (mut reader, mut writer) = (&b"hello"[..], Vec::new());
///     assert_eq!(io::copy(&mut reader, &mut writer).await?, 5);
///     assert_eq!(writer, b"hello");
///     Ok(())
/// }
/// ```
pub async fn copy<'a, R, W>(reader: &'a mut R, writer: &'a mut W) -> io::Result<u64>
where
    R: AsyncRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut transfer = Transfer::new(DEFAULT_BUFFER_SIZE);
    poll_fn(|cx| transfer.poll_copy(cx, Pin::new(&mut *reader), Pin::new(&mut *writer))).await
}
