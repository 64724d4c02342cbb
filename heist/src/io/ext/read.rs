//! `read` and `read_exact`.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::engine::base::words;
use crate::io::AsyncRead;
use crate::io::read_buf::poll_read_into;

pin_project! {
    /// What [`AsyncReadExt::read`](crate::io::AsyncReadExt::read) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Read<'a, R: ?Sized> {
        reader: &'a mut R,
        buf: &'a mut [u8],
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, R: ?Sized> Read<'a, R> {
    pub(super) fn new(reader: &'a mut R, buf: &'a mut [u8]) -> Self {
        Self {
            reader,
            buf,
            _pin: PhantomPinned,
        }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> Future for Read<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        poll_read_into(Pin::new(&mut **me.reader), cx, me.buf)
    }
}

pin_project! {
    /// What [`AsyncReadExt::read_exact`](crate::io::AsyncReadExt::read_exact) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadExact<'a, A: ?Sized> {
        reader: &'a mut A,
        buf: &'a mut [u8],
        filled: usize,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, A: ?Sized> ReadExact<'a, A> {
    pub(super) fn new(reader: &'a mut A, buf: &'a mut [u8]) -> Self {
        Self {
            reader,
            buf,
            filled: 0,
            _pin: PhantomPinned,
        }
    }
}

impl<A: AsyncRead + Unpin + ?Sized> Future for ReadExact<'_, A> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        let reader = Pin::new(&mut **me.reader);
        Poll::Ready(match ready!(poll_fill(reader, cx, me.buf, me.filled))? {
            true => Ok(me.buf.len()),
            false => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                words::EARLY_END,
            )),
        })
    }
}

/// Reads until all of `buf` is `filled`; false if the end came before that.
#[inline]
pub(super) fn poll_fill<R: AsyncRead + ?Sized>(
    mut reader: Pin<&mut R>,
    cx: &mut Context<'_>,
    buf: &mut [u8],
    filled: &mut usize,
) -> Poll<io::Result<bool>> {
    while *filled < buf.len() {
        match ready!(poll_read_into(reader.as_mut(), cx, &mut buf[*filled..])) {
            Ok(0) => return Poll::Ready(Ok(false)),
            Ok(n) => *filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Poll::Ready(Err(e)),
        }
    }
    Poll::Ready(Ok(true))
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::AsyncReadExt;
    use crate::io::test_support::{Step, poll_once, reader};
    use futures::executor::block_on;
    use std::io;

    #[test]
    fn read_takes_what_is_there() {
        let mut reader = reader([Step::Pending, Step::data("abc"), Step::End]);
        let mut buf = [0; 8];
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 3);
        assert_eq!(&buf[..3], b"abc");
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 0);
    }

    #[test]
    fn a_cancelled_read_loses_nothing() {
        let mut reader = reader([Step::Pending, Step::data("abc")]);
        let mut buf = [0; 8];
        assert!(poll_once(reader.read(&mut buf)).is_pending());
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 3);
    }

    #[test]
    fn read_exact_goes_on_until_full() {
        let mut reader = reader([
            Step::data("ab"),
            Step::Pending,
            Step::Error(io::ErrorKind::Interrupted),
            Step::data("cde"),
        ]);
        let mut buf = [0; 4];
        assert_eq!(block_on(reader.read_exact(&mut buf)).unwrap(), 4);
        assert_eq!(&buf, b"abcd");
        // Nothing to read: ready, and the reader is not asked.
        assert_eq!(block_on(reader.read_exact(&mut [])).unwrap(), 0);
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 1);
    }

    #[test]
    fn read_exact_fails_at_an_early_end_and_on_errors() {
        let mut short = reader([Step::data("ab"), Step::End]);
        let error = block_on(short.read_exact(&mut [0; 4])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let mut broken = reader([Step::data("ab"), Step::Error(io::ErrorKind::BrokenPipe)]);
        let error = block_on(broken.read_exact(&mut [0; 4])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
