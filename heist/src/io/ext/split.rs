use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncBufRead;
use crate::io::ext::read_until::poll_read_until;

pin_project! {
    /// Reads segment after segment.
    ///
    /// Made by [`AsyncBufReadExt::split`](crate::io::AsyncBufReadExt::split). A segment ends with the
    /// delimiter, which is not part of what is returned, or with the end.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct Split<R> {
        #[pin]
        reader: R,
        // The segment so far. It is kept here, and not in a future, so that cancelling loses nothing.
        segment: Vec<u8>,
        delimiter: u8,
    }
}

impl<R: AsyncBufRead> Split<R> {
    pub(super) fn new(reader: R, delimiter: u8) -> Self {
        Self {
            reader,
            segment: Vec::new(),
            delimiter,
        }
    }

    /// Polls for the next segment.
    ///
    /// * `Ready(Ok(Some(segment)))`: the segment, without the delimiter.
    /// * `Ready(Ok(None))`: there are no more.
    /// * `Pending`: not all of the segment is there yet. What is there is kept.
    /// * `Ready(Err(e))`: reading failed.
    pub fn poll_next_segment(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<Option<Vec<u8>>>> {
        let me = self.project();
        ready!(poll_read_until(
            me.reader,
            cx,
            *me.delimiter,
            me.segment,
            &mut 0
        ))?;
        if me.segment.is_empty() {
            return Poll::Ready(Ok(None));
        }
        let mut segment = std::mem::take(me.segment);
        if segment.last() == Some(me.delimiter) {
            segment.pop();
        }
        Poll::Ready(Ok(Some(segment)))
    }
}

impl<R: AsyncBufRead + Unpin> Split<R> {
    /// The next segment, without the delimiter; `None` after the last.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the part of a segment that was already read is kept for the next call.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt, BufReader};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut words = BufReader::new(&b"to be or"[..]).split(b' ');
    ///     assert_eq!(words.next_segment().await?.unwrap(), b"to");
    ///     assert_eq!(words.next_segment().await?.unwrap(), b"be");
    ///     assert_eq!(words.next_segment().await?.unwrap(), b"or");
    ///     assert_eq!(words.next_segment().await?, None);
    ///     Ok(())
    /// }
    /// ```
    pub async fn next_segment(&mut self) -> io::Result<Option<Vec<u8>>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next_segment(cx)).await
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Step, poll_once, reader};
    use crate::io::{AsyncBufReadExt, BufReader};
    use futures::executor::block_on;

    #[test]
    fn delimiters_are_cut_off() {
        let mut segments = BufReader::new(&b"a--b-"[..]).split(b'-');
        for segment in [&b"a"[..], b"", b"b"] {
            assert_eq!(block_on(segments.next_segment()).unwrap().unwrap(), segment);
        }
        assert_eq!(block_on(segments.next_segment()).unwrap(), None);
        assert_eq!(block_on(segments.next_segment()).unwrap(), None);
    }

    #[test]
    fn a_cancelled_segment_is_not_lost() {
        let script = [Step::data("a"), Step::Pending, Step::data("b-"), Step::End];
        let mut segments = BufReader::new(reader(script)).split(b'-');
        assert!(poll_once(segments.next_segment()).is_pending());
        assert_eq!(block_on(segments.next_segment()).unwrap().unwrap(), b"ab");
        assert_eq!(block_on(segments.next_segment()).unwrap(), None);
    }
}
