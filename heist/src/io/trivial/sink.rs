use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::io::AsyncWrite;
use crate::io::trivial::poll_spend;

/// A writer that takes all and keeps nothing.
///
/// Made by [`sink`].
pub struct Sink {
    _private: (),
}

/// A writer into which everything disappears.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     assert_eq!(io::sink().write(b"hello").await?, 5);
///     Ok(())
/// }
/// ```
pub fn sink() -> Sink {
    Sink { _private: () }
}

impl AsyncWrite for Sink {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(poll_spend(cx));
        Poll::Ready(Ok(buf.len()))
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spend(cx).map(Ok)
    }

    #[inline]
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_spend(cx).map(Ok)
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(poll_spend(cx));
        Poll::Ready(Ok(bufs.iter().map(|buf| buf.len()).sum()))
    }

    #[inline]
    fn is_write_vectored(&self) -> bool {
        true
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").finish_non_exhaustive()
    }
}
