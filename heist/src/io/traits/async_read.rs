use std::io;
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::io::ReadBuf;

/// Reads bytes, when there are any.
///
/// The counterpart of [`std::io::Read`]: a read that would block registers the task and returns
/// `Pending` instead. Programs rarely call [`poll_read`](Self::poll_read) themselves; the methods to
/// `.await` are those of [`AsyncReadExt`](crate::io::AsyncReadExt).
pub trait AsyncRead {
    /// Reads some bytes into the unfilled part of `buf`.
    ///
    /// * `Ready(Ok(()))`: what was read was appended to `buf`. If nothing was, although `buf` had
    ///   room, the end is reached. With no room in `buf` nothing can be said about the end.
    /// * `Pending`: nothing was read; the task is woken when it is worth another try.
    /// * `Ready(Err(e))`: nothing was read. An [`ErrorKind::Interrupted`](io::ErrorKind::Interrupted)
    ///   is worth another try.
    ///
    /// An implementation must leave what is already filled as it is, and leave `buf` the buffer it
    /// was given: the functions of this module panic if it puts another one in its place.
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>>;
}

/// Passes on to what the pointer points to.
macro_rules! through_pointer {
    () => {
        #[inline]
        fn poll_read(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Pin::new(&mut **self).poll_read(cx, buf)
        }
    };
}

impl<T: ?Sized + AsyncRead + Unpin> AsyncRead for Box<T> {
    through_pointer!();
}

impl<T: ?Sized + AsyncRead + Unpin> AsyncRead for &mut T {
    through_pointer!();
}

impl<P> AsyncRead for Pin<P>
where
    P: DerefMut,
    P::Target: AsyncRead,
{
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.as_deref_mut().poll_read(cx, buf)
    }
}

/// Reads from the front and shortens the slice by what was read.
impl AsyncRead for &[u8] {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (now, later) = self.split_at(self.len().min(buf.remaining()));
        buf.put_slice(now);
        *self = later;
        Poll::Ready(Ok(()))
    }
}

/// Reads from the cursor's position on; a position beyond the data is its end.
impl<T: AsRef<[u8]> + Unpin> AsyncRead for io::Cursor<T> {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let position = self.position();
        let data = self.get_ref().as_ref();
        let rest = usize::try_from(position)
            .ok()
            .and_then(|start| data.get(start..))
            .unwrap_or_default();
        let n = rest.len().min(buf.remaining());
        buf.put_slice(&rest[..n]);
        self.set_position(position + n as u64);
        Poll::Ready(Ok(()))
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::{AsyncRead, AsyncReadExt};
    use futures::executor::block_on;
    use std::io::Cursor;
    use std::pin::Pin;

    fn readable(mut reader: impl AsyncRead + Unpin) -> Vec<u8> {
        let mut all = vec![];
        block_on(reader.read_to_end(&mut all)).unwrap();
        all
    }

    #[test]
    fn pointers_pass_on() {
        let boxed: Box<dyn AsyncRead + Unpin> = Box::new(&b"abc"[..]);
        assert_eq!(readable(boxed), b"abc");
        let mut slice = &b"abc"[..];
        let pointer: &mut &[u8] = &mut slice;
        assert_eq!(readable(pointer), b"abc");
        assert!(slice.is_empty());
        let pinned: Pin<Box<dyn AsyncRead>> = Box::pin(&b"abc"[..]);
        assert_eq!(readable(pinned), b"abc");
    }

    #[test]
    fn a_slice_shortens() {
        let mut slice = &b"abcdef"[..];
        let mut two = [0; 2];
        block_on(slice.read_exact(&mut two)).unwrap();
        assert_eq!((&two, slice), (b"ab", &b"cdef"[..]));
    }

    #[test]
    fn a_cursor_beyond_its_data_is_at_the_end() {
        for position in [6, 7, u64::MAX] {
            let mut cursor = Cursor::new(b"abcdef");
            cursor.set_position(position);
            assert_eq!(readable(&mut cursor), b"");
            assert_eq!(cursor.position(), position);
        }
        let mut cursor = Cursor::new("abcdef");
        cursor.set_position(4);
        assert_eq!(readable(cursor), b"ef");
    }
}
