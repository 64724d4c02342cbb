use std::io::{self, SeekFrom};
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Moves within a stream of bytes.
///
/// The counterpart of [`std::io::Seek`], in two steps: [`start_seek`](Self::start_seek) says where
/// to, [`poll_complete`](Self::poll_complete) waits for it. The methods to `.await` are in
/// [`AsyncSeekExt`](crate::io::AsyncSeekExt).
pub trait AsyncSeek {
    /// Begins to seek. The end of it is [`poll_complete`](Self::poll_complete)'s to tell.
    ///
    /// A position beyond the end is allowed; what it means is the implementation's choice.
    ///
    /// # Errors
    ///
    /// If a seek is already under way, implementations may fail: call
    /// [`poll_complete`](Self::poll_complete) first.
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()>;

    /// Waits for the seek that is under way and returns the position from the start.
    ///
    /// With none under way it is ready at once; what it then returns is the implementation's choice.
    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>>;
}

/// Passes on to what the pointer points to.
macro_rules! through_pointer {
    () => {
        #[inline]
        fn start_seek(mut self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
            Pin::new(&mut **self).start_seek(position)
        }

        #[inline]
        fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
            Pin::new(&mut **self).poll_complete(cx)
        }
    };
}

impl<T: ?Sized + AsyncSeek + Unpin> AsyncSeek for Box<T> {
    through_pointer!();
}

impl<T: ?Sized + AsyncSeek + Unpin> AsyncSeek for &mut T {
    through_pointer!();
}

impl<P> AsyncSeek for Pin<P>
where
    P: DerefMut,
    P::Target: AsyncSeek,
{
    #[inline]
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        self.as_deref_mut().start_seek(position)
    }

    #[inline]
    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        self.as_deref_mut().poll_complete(cx)
    }
}

/// Seeks at once.
impl<T: AsRef<[u8]> + Unpin> AsyncSeek for io::Cursor<T> {
    #[inline]
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        io::Seek::seek(self.get_mut(), position).map(drop)
    }

    #[inline]
    fn poll_complete(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Poll::Ready(Ok(self.position()))
    }
}
