use std::io;
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::io::AsyncRead;

/// Reads from a buffer of its own, which callers may look into.
///
/// The counterpart of [`std::io::BufRead`]. Programs rarely call these methods themselves; those to
/// `.await` are in [`AsyncBufReadExt`](crate::io::AsyncBufReadExt). [`BufReader`](crate::io::BufReader)
/// makes one of these of any reader.
pub trait AsyncBufRead: AsyncRead {
    /// The bytes in the buffer; reads more first if it is empty.
    ///
    /// An empty slice means the end. What the caller uses of it, it tells by
    /// [`consume`](Self::consume); what is not consumed is there again next time.
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>>;

    /// Takes the first `amt` bytes out of the buffer.
    ///
    /// `amt` is at most the length of what [`poll_fill_buf`](Self::poll_fill_buf) last returned;
    /// what more does is the implementation's choice, and may be a panic.
    fn consume(self: Pin<&mut Self>, amt: usize);
}

/// Passes on to what the pointer points to.
macro_rules! through_pointer {
    () => {
        #[inline]
        fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
            Pin::new(&mut **self.get_mut()).poll_fill_buf(cx)
        }

        #[inline]
        fn consume(mut self: Pin<&mut Self>, amt: usize) {
            Pin::new(&mut **self).consume(amt);
        }
    };
}

impl<T: ?Sized + AsyncBufRead + Unpin> AsyncBufRead for Box<T> {
    through_pointer!();
}

impl<T: ?Sized + AsyncBufRead + Unpin> AsyncBufRead for &mut T {
    through_pointer!();
}

impl<P> AsyncBufRead for Pin<P>
where
    P: DerefMut,
    P::Target: AsyncBufRead,
{
    #[inline]
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        self.as_deref_mut().poll_fill_buf(cx)
    }

    #[inline]
    fn consume(self: Pin<&mut Self>, amt: usize) {
        self.as_deref_mut().consume(amt);
    }
}

/// The slice is its own buffer.
impl AsyncBufRead for &[u8] {
    #[inline]
    fn poll_fill_buf(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        Poll::Ready(Ok(*self))
    }

    #[inline]
    fn consume(mut self: Pin<&mut Self>, amt: usize) {
        *self = &self[amt..];
    }
}

/// What follows the position is the buffer.
impl<T: AsRef<[u8]> + Unpin> AsyncBufRead for io::Cursor<T> {
    #[inline]
    fn poll_fill_buf(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        Poll::Ready(io::BufRead::fill_buf(self.get_mut()))
    }

    #[inline]
    fn consume(self: Pin<&mut Self>, amt: usize) {
        io::BufRead::consume(self.get_mut(), amt);
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::{AsyncBufRead, AsyncBufReadExt};
    use futures::executor::block_on;
    use std::io::Cursor;
    use std::pin::Pin;

    fn second_word(mut reader: impl AsyncBufRead + Unpin) -> Vec<u8> {
        let mut word = vec![];
        block_on(async {
            assert_eq!(reader.fill_buf().await.unwrap(), b"to be or");
            reader.consume(3);
            reader.read_until(b' ', &mut word).await.unwrap();
        });
        word
    }

    #[test]
    fn memory_is_its_own_buffer_and_pointers_pass_on() {
        assert_eq!(second_word(&b"to be or"[..]), b"be ");
        assert_eq!(second_word(Cursor::new("to be or")), b"be ");
        let boxed: Box<dyn AsyncBufRead + Unpin> = Box::new(&b"to be or"[..]);
        assert_eq!(second_word(boxed), b"be ");
        let pinned: Pin<Box<dyn AsyncBufRead>> = Box::pin(&b"to be or"[..]);
        assert_eq!(second_word(pinned), b"be ");
    }
}
