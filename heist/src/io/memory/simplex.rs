use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::engine::base::budget;
use crate::io::halves::{Due, split_with_due};
use crate::io::memory::{Done, Pipe, Side};
use crate::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf};

/// A pipe that goes one way, in memory; both of its ends.
///
/// What is written to it is read from it. Made in two halves by [`simplex`], or whole by
/// [`SimplexStream::new_unsplit`].
///
/// [`shutdown`](crate::io::AsyncWriteExt::shutdown) closes it: what is still there is read, then the
/// end. Dropping the writing half does not, nor does the reading half's drop fail the writer.
#[derive(Debug)]
pub struct SimplexStream {
    pipe: Pipe,
    /// Where wakers go that are due (M4): aside, or, if `None`, they are woken at once.
    due: Option<Due>,
}

/// The two halves of a pipe that goes one way, in memory.
///
/// At most `max_buf_size` bytes are on their way; further writes wait until some were read.
/// [`ReadHalf::unsplit`] puts the halves together again.
///
/// # Panics
///
/// If `max_buf_size` is 0.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let (mut reader, mut writer) = io::simplex(64);
///     writer.write_all(b"hello").await?;
///     writer.shutdown().await?;
///     let mut text = String::new();
///     reader.read_to_string(&mut text).await?;
///     assert_eq!(text, "hello");
///     Ok(())
/// }
/// ```
#[track_caller]
pub fn simplex(max_buf_size: usize) -> (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>) {
    let mut stream = SimplexStream::new_unsplit(max_buf_size);
    stream.due = Some(Due::default());
    split_with_due(stream, |stream| &mut stream.get_mut().due)
}

impl SimplexStream {
    /// A pipe for at most `max_buf_size` bytes, with both ends in one.
    ///
    /// # Panics
    ///
    /// If `max_buf_size` is 0.
    #[track_caller]
    pub fn new_unsplit(max_buf_size: usize) -> SimplexStream {
        SimplexStream {
            pipe: Pipe::new(max_buf_size),
            due: None,
        }
    }

    /// Makes an attempt on the pipe, and has `side` wait if it must.
    fn poll_with<T>(
        &mut self,
        side: Side,
        cx: &mut Context<'_>,
        attempt: impl FnOnce(&mut Pipe) -> Option<Done<T>>,
    ) -> Poll<io::Result<T>> {
        let unit = ready!(budget::poll_proceed(cx));
        let mut due = Due::default();
        let result = if let Some((result, woken)) = attempt(&mut self.pipe) {
            unit.made_progress();
            due.wake = [woken, None];
            Poll::Ready(result)
        } else {
            let waiting = self.pipe.waiting(side);
            if !waiting.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
                due.drop = waiting.replace(cx.waker().clone());
            }
            Poll::Pending
        };
        self.hand_over(due);
        result
    }

    fn hand_over(&mut self, due: Due) {
        match &mut self.due {
            Some(aside) => *aside = due,
            None => due.settle(),
        }
    }
}

impl AsyncRead for SimplexStream {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_mut()
            .poll_with(Side::Reader, cx, |pipe| pipe.read(buf))
    }
}

impl AsyncWrite for SimplexStream {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut()
            .poll_with(Side::Writer, cx, |pipe| pipe.write([buf].into_iter()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wake = self.pipe.close();
        self.hand_over(Due { wake, drop: None });
        Poll::Ready(Ok(()))
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let bufs = bufs.iter().map(|buf| &**buf);
        self.get_mut()
            .poll_with(Side::Writer, cx, |pipe| pipe.write(bufs))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}
