//! `write`, `write_vectored` and `write_all`.

use std::future::Future;
use std::io::{self, IoSlice};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncWrite;

pin_project! {
    /// What [`AsyncWriteExt::write`](crate::io::AsyncWriteExt::write) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Write<'a, W: ?Sized> {
        writer: &'a mut W,
        buf: &'a [u8],
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, W: ?Sized> Write<'a, W> {
    pub(super) fn new(writer: &'a mut W, buf: &'a [u8]) -> Self {
        Self {
            writer,
            buf,
            _pin: PhantomPinned,
        }
    }
}

impl<W: AsyncWrite + Unpin + ?Sized> Future for Write<'_, W> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        Pin::new(&mut **me.writer).poll_write(cx, me.buf)
    }
}

pin_project! {
    /// What [`AsyncWriteExt::write_vectored`](crate::io::AsyncWriteExt::write_vectored) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteVectored<'a, 'b, W: ?Sized> {
        writer: &'a mut W,
        bufs: &'a [IoSlice<'b>],
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, 'b, W: ?Sized> WriteVectored<'a, 'b, W> {
    pub(super) fn new(writer: &'a mut W, bufs: &'a [IoSlice<'b>]) -> Self {
        Self {
            writer,
            bufs,
            _pin: PhantomPinned,
        }
    }
}

impl<W: AsyncWrite + Unpin + ?Sized> Future for WriteVectored<'_, '_, W> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        Pin::new(&mut **me.writer).poll_write_vectored(cx, me.bufs)
    }
}

pin_project! {
    /// What [`AsyncWriteExt::write_all`](crate::io::AsyncWriteExt::write_all) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteAll<'a, W: ?Sized> {
        writer: &'a mut W,
        rest: &'a [u8],
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, W: ?Sized> WriteAll<'a, W> {
    pub(super) fn new(writer: &'a mut W, buf: &'a [u8]) -> Self {
        Self {
            writer,
            rest: buf,
            _pin: PhantomPinned,
        }
    }
}

impl<W: AsyncWrite + Unpin + ?Sized> Future for WriteAll<'_, W> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        while !me.rest.is_empty() {
            let n = ready!(poll_write_some(Pin::new(&mut **me.writer), cx, me.rest))?;
            *me.rest = &me.rest[n..];
        }
        Poll::Ready(Ok(()))
    }
}

/// Writes at least one byte of `buf`, which is not empty.
///
/// Interruptions are passed over; a writer that takes nothing is an error.
///
/// # Panics
///
/// If the writer says it wrote more than there was.
#[inline]
pub(in crate::io) fn poll_write_some<W: AsyncWrite + ?Sized>(
    mut writer: Pin<&mut W>,
    cx: &mut Context<'_>,
    buf: &[u8],
) -> Poll<io::Result<usize>> {
    loop {
        match ready!(writer.as_mut().poll_write(cx, buf)) {
            Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
            Ok(n) if n <= buf.len() => return Poll::Ready(Ok(n)),
            Ok(n) => more_than_there_was(n, buf.len()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Poll::Ready(Err(e)),
        }
    }
}

#[cold]
#[inline(never)]
fn more_than_there_was(n: usize, len: usize) -> ! {
    panic!("{n} bytes written out of {len}");
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::AsyncWriteExt;
    use crate::io::test_support::{Taking, poll_once, writer};
    use futures::executor::block_on;
    use std::io;

    #[test]
    fn write_takes_what_fits() {
        let mut writer = writer([Taking::Pending, Taking::Bytes(2), Taking::Bytes(9)]);
        assert!(poll_once(writer.write(b"abc")).is_pending());
        assert_eq!(writer.written(), b"");
        assert_eq!(block_on(writer.write(b"abc")).unwrap(), 2);
        assert_eq!(block_on(writer.write(b"")).unwrap(), 0);
        assert_eq!(writer.written(), b"ab");
    }

    #[test]
    fn write_all_goes_on_until_done() {
        let mut writer = writer([
            Taking::Bytes(2),
            Taking::Pending,
            Taking::Error(io::ErrorKind::Interrupted),
            Taking::Bytes(9),
        ]);
        block_on(writer.write_all(b"abcde")).unwrap();
        // Nothing to write: ready, and the writer is not asked.
        block_on(writer.write_all(b"")).unwrap();
        assert_eq!(writer.written(), b"abcde");
    }

    #[test]
    fn write_all_fails_on_errors_and_when_nothing_is_taken() {
        let mut broken = writer([Taking::Bytes(2), Taking::Error(io::ErrorKind::BrokenPipe)]);
        let error = block_on(broken.write_all(b"abc")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        let mut full = writer([Taking::Bytes(2), Taking::Bytes(0)]);
        let error = block_on(full.write_all(b"abc")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    #[should_panic(expected = "4 bytes written out of 3")]
    fn a_writer_that_claims_too_much_is_caught() {
        let mut liar = writer([Taking::Claim(4)]);
        let _ = block_on(liar.write_all(b"abc"));
    }
}
