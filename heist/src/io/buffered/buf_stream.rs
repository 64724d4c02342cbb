use std::io::{self, IoSlice, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite, BufReader, BufWriter, ReadBuf};

pin_project! {
    /// Puts a buffer in front of each direction of a stream: a [`BufReader`] and a [`BufWriter`] in
    /// one.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt, AsyncWriteExt, BufStream};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let (near, far) = io::duplex(64);
    ///     let (mut near, mut far) = (BufStream::new(near), BufStream::new(far));
    ///     near.write_all(b"hello\n").await?;
    ///     near.flush().await?;
    ///     let mut line = String::new();
    ///     far.read_line(&mut line).await?;
    ///     assert_eq!(line, "hello\n");
    ///     Ok(())
    /// }
    /// ```
    #[derive(Debug)]
    pub struct BufStream<RW> {
        #[pin]
        inner: BufReader<BufWriter<RW>>,
    }
}

impl<RW: AsyncRead + AsyncWrite> BufStream<RW> {
    /// Buffers of 8 KiB each in front of `stream`.
    pub fn new(stream: RW) -> BufStream<RW> {
        BufReader::new(BufWriter::new(stream)).into()
    }

    /// Buffers of these many bytes in front of `stream`.
    ///
    /// # Panics
    ///
    /// If `reader_capacity` is 0.
    #[track_caller]
    pub fn with_capacity(
        reader_capacity: usize,
        writer_capacity: usize,
        stream: RW,
    ) -> BufStream<RW> {
        let writer = BufWriter::with_capacity(writer_capacity, stream);
        BufReader::with_capacity(reader_capacity, writer).into()
    }

    /// The stream.
    pub fn get_ref(&self) -> &RW {
        self.inner.get_ref().get_ref()
    }

    /// The stream, to change. Reading from it or writing to it directly goes past the buffers.
    pub fn get_mut(&mut self) -> &mut RW {
        self.inner.get_mut().get_mut()
    }

    /// The stream, pinned, to change. Reading from it or writing to it directly goes past the
    /// buffers.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut RW> {
        self.project().inner.get_pin_mut().get_pin_mut()
    }

    /// Gives the stream back. What is in the buffers is lost.
    pub fn into_inner(self) -> RW {
        self.inner.into_inner().into_inner()
    }
}

impl<RW> From<BufReader<BufWriter<RW>>> for BufStream<RW> {
    fn from(inner: BufReader<BufWriter<RW>>) -> Self {
        Self { inner }
    }
}

/// Both buffers go along, with all that is in them.
impl<RW> From<BufWriter<BufReader<RW>>> for BufStream<RW> {
    fn from(inside_out: BufWriter<BufReader<RW>>) -> Self {
        let BufWriter {
            inner: reader,
            buffer: write_buffer,
        } = inside_out;
        let BufReader {
            inner: stream,
            buffer: read_buffer,
        } = reader;
        Self {
            inner: BufReader {
                inner: BufWriter {
                    inner: stream,
                    buffer: write_buffer,
                },
                buffer: read_buffer,
            },
        }
    }
}

impl<RW: AsyncRead + AsyncWrite> AsyncRead for BufStream<RW> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.project().inner.poll_read(cx, buf)
    }
}

impl<RW: AsyncRead + AsyncWrite> AsyncBufRead for BufStream<RW> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        self.project().inner.poll_fill_buf(cx)
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        self.project().inner.consume(amt);
    }
}

impl<RW: AsyncRead + AsyncWrite> AsyncWrite for BufStream<RW> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.project().inner.poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().inner.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().inner.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.project().inner.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

/// Seeking writes what is buffered first, and empties the read buffer.
impl<RW: AsyncRead + AsyncWrite + AsyncSeek> AsyncSeek for BufStream<RW> {
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        self.project().inner.start_seek(position)
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        self.project().inner.poll_complete(cx)
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::io::test_support::Seeking;
    use crate::io::{AsyncBufReadExt, AsyncReadExt, AsyncSeekExt, AsyncWriteExt, join};
    use futures::executor::block_on;

    #[test]
    fn buffers_both_directions() {
        block_on(async {
            let mut stream = BufStream::new(join(&b"one\ntwo"[..], vec![]));
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            stream.write_all(b"answer").await.unwrap();
            assert_eq!(line, "one\n");
            assert!(stream.get_ref().reader().is_empty());
            assert!(stream.get_ref().writer().is_empty());
            stream.flush().await.unwrap();
            assert_eq!(stream.get_ref().writer(), b"answer");
        });
    }

    #[test]
    fn turning_it_inside_out_keeps_both_buffers() {
        block_on(async {
            let mut writer = BufWriter::new(BufReader::new(join(&b"abc"[..], vec![])));
            writer.read_u8().await.unwrap();
            writer.write_all(b"xyz").await.unwrap();
            let mut stream = BufStream::from(writer);
            assert_eq!(stream.fill_buf().await.unwrap(), b"bc");
            stream.flush().await.unwrap();
            assert_eq!(stream.into_inner().writer(), b"xyz");
        });
    }

    #[test]
    fn seeks_with_both_buffers() {
        block_on(async {
            let mut stream = BufStream::with_capacity(10, 10, Seeking::new(100));
            assert_eq!(stream.read_u8().await.unwrap(), 0);
            assert_eq!(stream.seek(SeekFrom::Current(4)).await.unwrap(), 5);
            stream.write_all(b"ab").await.unwrap();
            assert_eq!(stream.seek(SeekFrom::Start(50)).await.unwrap(), 50);
            assert_eq!(stream.get_ref().writes(), [(5, b"ab".to_vec())]);
            assert_eq!(stream.read_u8().await.unwrap(), 50);
        });
    }
}
