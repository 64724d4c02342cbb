//! [`join`]: one stream of a reader and a writer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

pin_project! {
    /// A reader and a writer as one stream.
    ///
    /// Made by [`join`].
    #[derive(Debug)]
    pub struct Join<R, W> {
        #[pin]
        reader: R,
        #[pin]
        writer: W,
    }
}

/// Makes one stream of a reader and a writer.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut stream = io::join(&b"question"[..], Vec::new());
///     let mut text = String::new();
///     stream.read_to_string(&mut text).await?;
///     stream.write_all(b"answer").await?;
///     assert_eq!((text.as_str(), &stream.writer()[..]), ("question", &b"answer"[..]));
///     Ok(())
/// }
/// ```
pub fn join<R, W>(reader: R, writer: W) -> Join<R, W>
where
    R: AsyncRead,
    W: AsyncWrite,
{
    Join { reader, writer }
}

impl<R, W> Join<R, W>
where
    R: AsyncRead,
    W: AsyncWrite,
{
    /// Takes it apart again.
    pub fn into_inner(self) -> (R, W) {
        (self.reader, self.writer)
    }

    /// The reader.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// The writer.
    pub fn writer(&self) -> &W {
        &self.writer
    }

    /// The reader, to change.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The writer, to change.
    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// The reader, pinned, to change.
    pub fn reader_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().reader
    }

    /// The writer, pinned, to change.
    pub fn writer_pin_mut(self: Pin<&mut Self>) -> Pin<&mut W> {
        self.project().writer
    }
}

impl<R: AsyncRead, W> AsyncRead for Join<R, W> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.project().reader.poll_read(cx, buf)
    }
}

impl<R: AsyncBufRead, W> AsyncBufRead for Join<R, W> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        self.project().reader.poll_fill_buf(cx)
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        self.project().reader.consume(amt);
    }
}

impl<R, W: AsyncWrite> AsyncWrite for Join<R, W> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.project().writer.poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().writer.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().writer.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.project().writer.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.writer.is_write_vectored()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::io::test_support::{Taking, writer};
    use crate::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
    use futures::executor::block_on;

    #[test]
    fn reads_go_to_the_reader_and_writes_to_the_writer() {
        block_on(async {
            let mut both = join(&b"one\ntwo"[..], writer([Taking::Bytes(9)]).vectored());
            assert!(both.is_write_vectored());
            let mut line = String::new();
            both.read_line(&mut line).await.unwrap();
            both.read_to_string(&mut line).await.unwrap();
            assert_eq!(line, "one\ntwo");
            let parts = [IoSlice::new(b"ab"), IoSlice::new(b"c")];
            both.write_vectored(&parts).await.unwrap();
            both.shutdown().await.unwrap();
            let (rest, writer) = both.into_inner();
            assert_eq!((rest, writer.flushed()), (&b""[..], &b"abc"[..]));
            assert!(writer.is_shut_down());
        });
    }
}
