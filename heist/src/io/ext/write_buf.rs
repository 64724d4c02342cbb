//! `write_buf` and `write_all_buf`.

use std::future::Future;
use std::io::{self, IoSlice};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Buf;
use pin_project_lite::pin_project;

use crate::io::AsyncWrite;

/// How many chunks of a buffer go into one vectored write: they are listed on the stack.
const MAX_CHUNKS: usize = 64;

pin_project! {
    /// What [`AsyncWriteExt::write_buf`](crate::io::AsyncWriteExt::write_buf) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteBuf<'a, W, B> {
        writer: &'a mut W,
        buf: &'a mut B,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, W, B> WriteBuf<'a, W, B> {
    pub(super) fn new(writer: &'a mut W, buf: &'a mut B) -> Self {
        Self {
            writer,
            buf,
            _pin: PhantomPinned,
        }
    }
}

impl<W: AsyncWrite + Unpin, B: Buf> Future for WriteBuf<'_, W, B> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        if !me.buf.has_remaining() {
            return Poll::Ready(Ok(0));
        }
        poll_write_chunks(Pin::new(&mut **me.writer), cx, *me.buf)
    }
}

pin_project! {
    /// What [`AsyncWriteExt::write_all_buf`](crate::io::AsyncWriteExt::write_all_buf) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteAllBuf<'a, W, B> {
        writer: &'a mut W,
        buf: &'a mut B,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, W, B> WriteAllBuf<'a, W, B> {
    pub(super) fn new(writer: &'a mut W, buf: &'a mut B) -> Self {
        Self {
            writer,
            buf,
            _pin: PhantomPinned,
        }
    }
}

impl<W: AsyncWrite + Unpin, B: Buf> Future for WriteAllBuf<'_, W, B> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        while me.buf.has_remaining() {
            match ready!(poll_write_chunks(Pin::new(&mut **me.writer), cx, *me.buf)) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// One write from `buf`, of many chunks if the writer likes that, and advances it by what was taken.
fn poll_write_chunks<W: AsyncWrite, B: Buf>(
    writer: Pin<&mut W>,
    cx: &mut Context<'_>,
    buf: &mut B,
) -> Poll<io::Result<usize>> {
    let n = if writer.is_write_vectored() {
        let mut chunks = [IoSlice::new(&[]); MAX_CHUNKS];
        let count = buf.chunks_vectored(&mut chunks);
        ready!(writer.poll_write_vectored(cx, &chunks[..count]))?
    } else {
        ready!(writer.poll_write(cx, buf.chunk()))?
    };
    buf.advance(n);
    Poll::Ready(Ok(n))
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::AsyncWriteExt;
    use crate::io::test_support::{Taking, poll_once, writer};
    use bytes::{Buf, Bytes};
    use futures::executor::block_on;
    use std::io;

    fn chunks() -> impl Buf {
        Bytes::from_static(b"abc").chain(Bytes::from_static(b"def"))
    }

    #[test]
    fn a_vectored_writer_gets_all_chunks_at_once() {
        let mut writer = writer([Taking::Bytes(5), Taking::Bytes(5)]).vectored();
        let mut buf = chunks();
        assert_eq!(block_on(writer.write_buf(&mut buf)).unwrap(), 5);
        assert_eq!(buf.remaining(), 1);
        assert_eq!(block_on(writer.write_buf(&mut buf)).unwrap(), 1);
        assert_eq!(block_on(writer.write_buf(&mut buf)).unwrap(), 0);
        assert_eq!(writer.written(), b"abcdef");
    }

    #[test]
    fn another_writer_gets_one_chunk_at_a_time() {
        let mut writer = writer([Taking::Bytes(5), Taking::Bytes(5)]);
        let mut buf = chunks();
        assert_eq!(block_on(writer.write_buf(&mut buf)).unwrap(), 3);
        assert_eq!(block_on(writer.write_buf(&mut buf)).unwrap(), 3);
        assert_eq!(writer.written(), b"abcdef");
    }

    #[test]
    fn a_cancelled_write_all_buf_goes_on_where_it_was() {
        let mut writer = writer([Taking::Bytes(2), Taking::Pending, Taking::Bytes(9)]).vectored();
        let mut buf = chunks();
        assert!(poll_once(writer.write_all_buf(&mut buf)).is_pending());
        assert_eq!(buf.remaining(), 4);
        block_on(writer.write_all_buf(&mut buf)).unwrap();
        assert_eq!(writer.written(), b"abcdef");
    }

    #[test]
    fn write_all_buf_fails_on_errors_and_when_nothing_is_taken() {
        let mut writer = writer([
            Taking::Error(io::ErrorKind::Interrupted),
            Taking::Bytes(1),
            Taking::Error(io::ErrorKind::BrokenPipe),
            Taking::Bytes(1),
            Taking::Bytes(0),
        ]);
        let mut buf = chunks();
        let error = block_on(writer.write_all_buf(&mut buf)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        let error = block_on(writer.write_all_buf(&mut buf)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        assert_eq!(buf.remaining(), 4);
    }
}
