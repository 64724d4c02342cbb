use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::{AsyncBufRead, AsyncRead, ReadBuf};

pin_project! {
    /// Reads at most so many bytes of a reader, then is at its end.
    ///
    /// Made by [`AsyncReadExt::take`](crate::io::AsyncReadExt::take).
    #[derive(Debug)]
    #[must_use = "readers do nothing unless polled"]
    pub struct Take<R> {
        #[pin]
        reader: R,
        left: u64,
    }
}

impl<R: AsyncRead> Take<R> {
    pub(super) fn new(reader: R, limit: u64) -> Self {
        Self {
            reader,
            left: limit,
        }
    }

    /// How many bytes may still be read. The reader may end before.
    pub fn limit(&self) -> u64 {
        self.left
    }

    /// Sets how many bytes may be read from now on, whatever was read before.
    pub fn set_limit(&mut self, limit: u64) {
        self.left = limit;
    }

    /// The reader.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// The reader, to change. What is read from it directly does not count for the limit.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The reader, pinned, to change. What is read from it directly does not count for the limit.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().reader
    }

    /// Gives the reader back.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl<R: AsyncRead> AsyncRead for Take<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let me = self.project();
        // At the limit the reader is not asked: it might wait for bytes nobody wants.
        if *me.left == 0 {
            return Poll::Ready(Ok(()));
        }
        let limit = usize::try_from(*me.left).unwrap_or(usize::MAX);
        let n = ready!(buf.poll_fill_from(me.reader, cx, limit))?;
        *me.left -= n as u64;
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncBufRead> AsyncBufRead for Take<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let me = self.project();
        if *me.left == 0 {
            return Poll::Ready(Ok(&[]));
        }
        let buffered = ready!(me.reader.poll_fill_buf(cx))?;
        let limit = usize::try_from(*me.left).unwrap_or(usize::MAX);
        Poll::Ready(Ok(&buffered[..buffered.len().min(limit)]))
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        let me = self.project();
        // Whoever consumes more than it was shown must not turn the limit around.
        let amt = amt.min(usize::try_from(*me.left).unwrap_or(usize::MAX));
        *me.left -= amt as u64;
        me.reader.consume(amt);
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Step, reader};
    use crate::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
    use futures::executor::block_on;

    #[test]
    fn ends_at_the_limit_and_goes_on_with_a_new_one() {
        let mut few = reader([Step::data("abc"), Step::Pending, Step::data("def")]).take(4);
        let mut all = vec![];
        block_on(few.read_to_end(&mut all)).unwrap();
        assert_eq!((all.as_slice(), few.limit()), (&b"abcd"[..], 0));
        few.set_limit(1);
        block_on(few.read_to_end(&mut all)).unwrap();
        assert_eq!(all, b"abcde");
    }

    #[test]
    fn at_the_limit_the_reader_is_left_alone() {
        // No step: any poll of the script panics.
        let mut none = reader([]).take(0);
        assert_eq!(block_on(none.read(&mut [0; 4])).unwrap(), 0);
    }

    #[test]
    fn no_limit_is_too_large() {
        let mut all = vec![];
        block_on((&b"abc"[..]).take(u64::MAX).read_to_end(&mut all)).unwrap();
        assert_eq!(all, b"abc");
    }

    #[test]
    fn buffered_reading_keeps_to_the_limit() {
        let mut few = BufReader::new(&b"abcdef"[..]).take(4);
        assert_eq!(block_on(few.fill_buf()).unwrap(), b"abcd");
        few.consume(1);
        assert_eq!(block_on(few.fill_buf()).unwrap(), b"bcd");
        few.consume(99);
        assert_eq!(few.limit(), 0);
        assert_eq!(block_on(few.fill_buf()).unwrap(), b"");
        assert_eq!(few.get_ref().buffer(), b"ef");
    }
}
