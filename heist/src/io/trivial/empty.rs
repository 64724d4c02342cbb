use std::fmt;
use std::io::{self, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::io::trivial::poll_spend;
use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, ReadBuf};

/// A reader that is always at its end, and a writer that takes all and keeps nothing.
///
/// Made by [`empty`].
pub struct Empty {
    _private: (),
}

/// A stream with nothing in it: reads find the end, writes disappear.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut text = String::new();
///     io::empty().read_to_string(&mut text).await?;
///     assert!(text.is_empty());
///     Ok(())
/// }
/// ```
pub fn empty() -> Empty {
    Empty { _private: () }
}

impl AsyncRead for Empty {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        _buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        poll_spend(cx).map(Ok)
    }
}

impl AsyncBufRead for Empty {
    #[inline]
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        ready!(poll_spend(cx));
        Poll::Ready(Ok(&[]))
    }

    #[inline]
    fn consume(self: Pin<&mut Self>, _amt: usize) {}
}

/// Wherever one seeks to, the position is 0.
impl AsyncSeek for Empty {
    #[inline]
    fn start_seek(self: Pin<&mut Self>, _position: SeekFrom) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        ready!(poll_spend(cx));
        Poll::Ready(Ok(0))
    }
}

impl fmt::Debug for Empty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Empty").finish_non_exhaustive()
    }
}
