//! The I/O traits of `futures` and heist's, one as the other.
//!
//! # Examples
//!
//! ```
//! use futures::{AsyncReadExt, AsyncWriteExt};
//! use heist::adapt::futures_io::Io;
//!
//! #[heist::main]
//! async fn main() -> std::io::Result<()> {
//!     let (left, right) = heist::io::duplex(64);
//!     let (mut left, mut right) = (Io::new(left), Io::new(right));
//!     left.write_all(b"from heist to futures").await?;
//!     left.close().await?;
//!     let mut text = String::new();
//!     right.read_to_string(&mut text).await?;
//!     assert_eq!(text, "from heist to futures");
//!     Ok(())
//! }
//! ```

use std::io;
use std::io::{IoSlice, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::read_buf::poll_read_into;
use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};

pin_project! {
    /// What implements heist's traits as what implements those of `futures`, and the other way
    /// round.
    ///
    /// `close` of `futures` is `shutdown` of heist.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Io<T> {
        #[pin]
        stream: T,
        // A seek that was begun: heist's traits take two calls for what is one for `futures`.
        seeking: Option<SeekFrom>,
    }
}

impl<T> Io<T> {
    /// Wraps a reader, a writer, or both.
    pub fn new(stream: T) -> Self {
        Self {
            stream,
            seeking: None,
        }
    }

    inside!();
}

// heist's as those of `futures`.

impl<T: AsyncRead> ::futures_io::AsyncRead for Io<T> {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        poll_read_into(self.project().stream, cx, bytes)
    }
}

impl<T: AsyncBufRead> ::futures_io::AsyncBufRead for Io<T> {
    #[inline]
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        self.project().stream.poll_fill_buf(cx)
    }

    #[inline]
    fn consume(self: Pin<&mut Self>, count: usize) {
        self.project().stream.consume(count);
    }
}

impl<T: AsyncWrite> ::futures_io::AsyncWrite for Io<T> {
    pass_on_writes!(poll_close to poll_shutdown);
    pass_on_vectored_writes!();
}

impl<T: AsyncSeek> ::futures_io::AsyncSeek for Io<T> {
    fn poll_seek(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        target: SeekFrom,
    ) -> Poll<io::Result<u64>> {
        let mut this = self.project();
        if *this.seeking != Some(target) {
            // Another seek was begun and given up: it comes to its end first.
            ready!(this.stream.as_mut().poll_complete(cx))?;
            this.stream.as_mut().start_seek(target)?;
            *this.seeking = Some(target);
        }
        let position = ready!(this.stream.poll_complete(cx));
        *this.seeking = None;
        Poll::Ready(position)
    }
}

// Those of `futures` as heist's.

impl<T: ::futures_io::AsyncRead> AsyncRead for Io<T> {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // These readers are promised bytes that hold values.
        let bytes = buf.initialize_unfilled();
        let count = ready!(self.project().stream.poll_read(cx, bytes))?;
        // Panics if the reader says more than there was room for.
        buf.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<T: ::futures_io::AsyncBufRead> AsyncBufRead for Io<T> {
    #[inline]
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        self.project().stream.poll_fill_buf(cx)
    }

    #[inline]
    fn consume(self: Pin<&mut Self>, count: usize) {
        self.project().stream.consume(count);
    }
}

impl<T: ::futures_io::AsyncWrite> AsyncWrite for Io<T> {
    pass_on_writes!(poll_shutdown to poll_close);
}

impl<T: ::futures_io::AsyncSeek> AsyncSeek for Io<T> {
    fn start_seek(self: Pin<&mut Self>, target: SeekFrom) -> io::Result<()> {
        *self.project().seeking = Some(target);
        Ok(())
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let this = self.project();
        // With none begun, where it stands.
        let target = this.seeking.unwrap_or(SeekFrom::Current(0));
        let position = ready!(this.stream.poll_seek(cx, target));
        *this.seeking = None;
        Poll::Ready(position)
    }
}
