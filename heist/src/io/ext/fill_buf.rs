//! `fill_buf`.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncBufRead;

pin_project! {
    /// What [`AsyncBufReadExt::fill_buf`](crate::io::AsyncBufReadExt::fill_buf) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct FillBuf<'a, R: ?Sized> {
        // `None` once the future is done: the buffer is borrowed from the reader.
        reader: Option<&'a mut R>,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, R: ?Sized> FillBuf<'a, R> {
    pub(super) fn new(reader: &'a mut R) -> Self {
        Self {
            reader: Some(reader),
            _pin: PhantomPinned,
        }
    }
}

impl<'a, R: AsyncBufRead + Unpin + ?Sized> Future for FillBuf<'a, R> {
    type Output = io::Result<&'a [u8]>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let slot = self.project().reader;
        let reader = slot.as_mut().expect("`fill_buf` polled after completion");
        let buffered: *const [u8] = ready!(Pin::new(&mut **reader).poll_fill_buf(cx))?;
        *slot = None;
        // SAFETY: the slice is borrowed from the reader, which is borrowed for `'a`; the only way to
        // the reader was just given up, so that it stays as it is for all of `'a`. The compiler
        // cannot see this, because on the other way out the borrow goes on.
        Poll::Ready(Ok(unsafe { &*buffered }))
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Step, poll_once, reader};
    use crate::io::{AsyncBufReadExt, BufReader};
    use futures::executor::block_on;
    use futures::task::noop_waker_ref;
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    #[test]
    fn shows_the_same_bytes_until_they_are_consumed() {
        let mut reader = BufReader::new(reader([Step::Pending, Step::data("abc"), Step::End]));
        assert!(poll_once(reader.fill_buf()).is_pending());
        assert_eq!(block_on(reader.fill_buf()).unwrap(), b"abc");
        reader.consume(1);
        assert_eq!(block_on(reader.fill_buf()).unwrap(), b"bc");
        reader.consume(2);
        assert_eq!(block_on(reader.fill_buf()).unwrap(), b"");
    }

    #[test]
    fn an_error_leaves_the_reader_usable() {
        let broken = std::io::ErrorKind::BrokenPipe;
        let mut reader = BufReader::new(reader([Step::Error(broken), Step::data("abc")]));
        assert_eq!(block_on(reader.fill_buf()).unwrap_err().kind(), broken);
        assert_eq!(block_on(reader.fill_buf()).unwrap(), b"abc");
    }

    #[test]
    #[should_panic(expected = "polled after completion")]
    fn polling_after_completion_panics() {
        let mut reader = &b"abc"[..];
        let mut future = pin!(reader.fill_buf());
        let mut cx = Context::from_waker(noop_waker_ref());
        assert!(future.as_mut().poll(&mut cx).is_ready());
        let _ = future.poll(&mut cx);
    }
}
