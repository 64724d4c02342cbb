//! `read_buf`.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::BufMut;
use pin_project_lite::pin_project;

use crate::io::AsyncRead;

pin_project! {
    /// What [`AsyncReadExt::read_buf`](crate::io::AsyncReadExt::read_buf) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadBuf<'a, R: ?Sized, B: ?Sized> {
        reader: &'a mut R,
        buf: &'a mut B,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, R: ?Sized, B: ?Sized> ReadBuf<'a, R, B> {
    pub(super) fn new(reader: &'a mut R, buf: &'a mut B) -> Self {
        Self {
            reader,
            buf,
            _pin: PhantomPinned,
        }
    }
}

impl<R, B> Future for ReadBuf<'_, R, B>
where
    R: AsyncRead + Unpin + ?Sized,
    B: BufMut + ?Sized,
{
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        if !me.buf.has_remaining_mut() {
            return Poll::Ready(Ok(0));
        }
        let chunk = me.buf.chunk_mut();
        // SAFETY: the memory goes into a `ReadBuf`, which makes no initialised byte uninitialised (B2).
        let chunk = unsafe { chunk.as_uninit_slice_mut() };
        let mut unfilled = crate::io::ReadBuf::uninit(chunk);
        let n = ready!(unfilled.poll_fill_from(Pin::new(&mut **me.reader), cx, usize::MAX))?;
        // SAFETY: the first `n` bytes of the chunk are filled: B3 — not another buffer's.
        unsafe { me.buf.advance_mut(n) };
        Poll::Ready(Ok(n))
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::AsyncReadExt;
    use crate::io::test_support::{Step, poll_once, reader};
    use bytes::{BufMut, BytesMut};
    use futures::executor::block_on;

    #[test]
    fn appends_and_advances() {
        let mut reader = reader([Step::Pending, Step::data("cd"), Step::End]);
        let mut buf = BytesMut::from("ab");
        assert!(poll_once(reader.read_buf(&mut buf)).is_pending());
        assert_eq!(block_on(reader.read_buf(&mut buf)).unwrap(), 2);
        assert_eq!(buf, "abcd");
        assert_eq!(block_on(reader.read_buf(&mut buf)).unwrap(), 0);
        assert_eq!(buf, "abcd");
    }

    #[test]
    fn reads_no_more_than_fits_and_nothing_into_no_room() {
        let mut reader = reader([Step::data("abcdef")]);
        let mut memory = [0; 4];
        let mut room = &mut memory[..];
        assert_eq!(block_on(reader.read_buf(&mut room)).unwrap(), 4);
        assert_eq!(block_on(reader.read_buf(&mut room)).unwrap(), 0);
        assert_eq!(&memory, b"abcd");
        let mut limited = vec![].limit(1);
        assert_eq!(block_on(reader.read_buf(&mut limited)).unwrap(), 1);
        assert_eq!(limited.get_ref(), b"e");
    }

    #[test]
    fn takes_unsized_buffers() {
        let mut vec = vec![];
        let buf: &mut dyn BufMut = &mut vec;
        assert_eq!(block_on((&b"ab"[..]).read_buf(buf)).unwrap(), 2);
        assert_eq!(vec, b"ab");
    }
}
