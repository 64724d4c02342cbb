use std::io::{self, IoSlice};
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Writes bytes, when there is room for any.
///
/// The counterpart of [`std::io::Write`]: a write that would block registers the task and returns
/// `Pending` instead. Programs rarely call these methods themselves; those to `.await` are in
/// [`AsyncWriteExt`](crate::io::AsyncWriteExt).
///
/// Dropping a writer does not flush it: what was accepted and not yet flushed may be lost. Call
/// [`poll_flush`](Self::poll_flush) or [`poll_shutdown`](Self::poll_shutdown) first, and wait for it.
pub trait AsyncWrite {
    /// Writes some of `buf`.
    ///
    /// * `Ready(Ok(n))`: the first `n` bytes were accepted, and `n <= buf.len()`. A 0 means that the
    ///   writer takes no more, or that `buf` is empty.
    /// * `Pending`: nothing was written; the task is woken when it is worth another try.
    /// * `Ready(Err(e))`: nothing was written.
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>>;

    /// Sends on what the writer holds back. Ready once all of it has reached its destination.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Ends the writing: flushes, and tells the other side that nothing more comes.
    ///
    /// For a socket this is the shut-down of its writing direction. Once it returned `Ready(Ok(()))`
    /// the writer may be dropped without losing anything; writing again is an error or a panic, as
    /// the implementation likes. A writer that wraps another shuts that down as well.
    ///
    /// # Errors
    ///
    /// Whatever flushing and closing may meet with. A connection that the other side already closed
    /// may make it fail with [`ErrorKind::NotConnected`](io::ErrorKind::NotConnected).
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// As [`poll_write`](Self::poll_write), from several slices as if they were one.
    ///
    /// Unless overridden it writes from the first slice that is not empty.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = bufs.iter().find(|buf| !buf.is_empty());
        self.poll_write(cx, first.map_or(&[], |buf| buf))
    }

    /// Whether [`poll_write_vectored`](Self::poll_write_vectored) does better than one slice at a
    /// time. If not, callers do well to gather their slices first.
    fn is_write_vectored(&self) -> bool {
        false
    }
}

/// Passes all five methods on: `$get` turns `Pin<&mut Self>` into the pinned writer behind it.
macro_rules! through_pointer {
    ($this:ident => $get:expr) => {
        #[inline]
        fn poll_write(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            buf: &[u8],
        ) -> Poll<io::Result<usize>> {
            let mut $this = self;
            $get.poll_write(cx, buf)
        }

        #[inline]
        fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            let mut $this = self;
            $get.poll_flush(cx)
        }

        #[inline]
        fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            let mut $this = self;
            $get.poll_shutdown(cx)
        }

        #[inline]
        fn poll_write_vectored(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bufs: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            let mut $this = self;
            $get.poll_write_vectored(cx, bufs)
        }

        #[inline]
        fn is_write_vectored(&self) -> bool {
            (**self).is_write_vectored()
        }
    };
}

impl<T: ?Sized + AsyncWrite + Unpin> AsyncWrite for Box<T> {
    through_pointer!(this => Pin::new(&mut **this));
}

impl<T: ?Sized + AsyncWrite + Unpin> AsyncWrite for &mut T {
    through_pointer!(this => Pin::new(&mut **this));
}

impl<P> AsyncWrite for Pin<P>
where
    P: DerefMut,
    P::Target: AsyncWrite,
{
    through_pointer!(this => this.as_mut().as_deref_mut());
}

/// What never has to wait: std's own implementation does the work.
macro_rules! through_std {
    ($($(#[$doc:meta])* $t:ty),* $(,)?) => {$(
        $(#[$doc])*
        impl AsyncWrite for $t {
            #[inline]
            fn poll_write(
                self: Pin<&mut Self>,
                _cx: &mut Context<'_>,
                buf: &[u8],
            ) -> Poll<io::Result<usize>> {
                Poll::Ready(io::Write::write(self.get_mut(), buf))
            }

            #[inline]
            fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            #[inline]
            fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            #[inline]
            fn poll_write_vectored(
                self: Pin<&mut Self>,
                _cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                Poll::Ready(io::Write::write_vectored(self.get_mut(), bufs))
            }

            #[inline]
            fn is_write_vectored(&self) -> bool {
                true
            }
        }
    )*};
}

through_std! {
    /// Appends; the vector grows as needed.
    Vec<u8>,
    /// Overwrites from the cursor's position on; writes 0 bytes at the slice's end.
    io::Cursor<&mut [u8]>,
    /// Overwrites from the cursor's position on; the vector grows as needed.
    io::Cursor<&mut Vec<u8>>,
    /// Overwrites from the cursor's position on; the vector grows as needed.
    io::Cursor<Vec<u8>>,
    /// Overwrites from the cursor's position on; writes 0 bytes at the slice's end.
    io::Cursor<Box<[u8]>>,
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::io::AsyncWriteExt;
    use futures::executor::block_on;
    use std::io::Cursor;

    async fn write_parts(writer: &mut (dyn AsyncWrite + Unpin)) -> usize {
        assert!(writer.is_write_vectored());
        let parts = [IoSlice::new(b"ab"), IoSlice::new(b""), IoSlice::new(b"cd")];
        let n = writer.write_vectored(&parts).await.unwrap();
        writer.flush().await.unwrap();
        writer.shutdown().await.unwrap();
        n
    }

    #[test]
    fn memory_takes_all_slices_at_once() {
        block_on(async {
            let mut vec = b"x".to_vec();
            assert_eq!(write_parts(&mut vec).await, 4);
            assert_eq!(vec, b"xabcd");

            let mut cursor = Cursor::new(&mut vec);
            cursor.set_position(3);
            assert_eq!(write_parts(&mut cursor).await, 4);
            assert_eq!(vec, b"xababcd");

            let mut cursor = Cursor::new(vec![]);
            assert_eq!(write_parts(&mut Box::pin(&mut cursor)).await, 4);
            assert_eq!(cursor.get_ref(), b"abcd");

            let mut three = [0; 3];
            assert_eq!(write_parts(&mut Cursor::new(&mut three[..])).await, 3);
            assert_eq!(&three, b"abc");

            let mut cursor = Cursor::new(vec![0; 3].into_boxed_slice());
            assert_eq!(write_parts(&mut Box::new(&mut cursor)).await, 3);
            let end = cursor.write_all(b"d").await.unwrap_err();
            assert_eq!(end.kind(), io::ErrorKind::WriteZero);
        });
    }

    /// Implements only what is required.
    struct Plain(Vec<u8>);

    impl AsyncWrite for Plain {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
            buf: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.0.extend(buf);
            Poll::Ready(Ok(buf.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn unless_overridden_the_first_slice_with_bytes_is_written() {
        let mut plain = Plain(vec![]);
        assert!(!Box::pin(&mut plain).is_write_vectored());
        let parts = [IoSlice::new(b""), IoSlice::new(b"ab"), IoSlice::new(b"cd")];
        assert_eq!(block_on(plain.write_vectored(&parts)).unwrap(), 2);
        assert_eq!(block_on(plain.write_vectored(&parts[..1])).unwrap(), 0);
        assert_eq!(plain.0, b"ab");
    }
}
