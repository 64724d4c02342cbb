use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncBufRead;
use crate::io::ext::read_until::poll_read_until;

pin_project! {
    /// Reads line after line.
    ///
    /// Made by [`AsyncBufReadExt::lines`](crate::io::AsyncBufReadExt::lines). A line ends with `\n`
    /// or `\r\n`, neither of which is part of what is returned, or with the end.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct Lines<R> {
        #[pin]
        reader: R,
        // The line so far. It is kept here, and not in a future, so that cancelling loses nothing.
        line: Vec<u8>,
    }
}

impl<R: AsyncBufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            line: Vec::new(),
        }
    }

    /// Polls for the next line.
    ///
    /// * `Ready(Ok(Some(line)))`: the line, without its end.
    /// * `Ready(Ok(None))`: there are no more.
    /// * `Pending`: not all of the line is there yet. What is there is kept.
    /// * `Ready(Err(e))`: reading failed, or the line is not UTF-8; then it is skipped.
    pub fn poll_next_line(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<Option<String>>> {
        let me = self.project();
        ready!(poll_read_until(me.reader, cx, b'\n', me.line, &mut 0))?;
        if me.line.is_empty() {
            return Poll::Ready(Ok(None));
        }
        let mut line = std::mem::take(me.line);
        for end in [b'\n', b'\r'] {
            if line.last() != Some(&end) {
                break;
            }
            line.pop();
        }
        let text =
            String::from_utf8(line).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e));
        Poll::Ready(text.map(Some))
    }
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// The next line, without its end; `None` after the last.
    ///
    /// # Errors
    ///
    /// Those of the reader, and [`InvalidData`](io::ErrorKind::InvalidData) if the line is not UTF-8.
    /// Such a line is skipped, and the next call goes on after it.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the part of a line that was already read is kept for the next call.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut lines = (&b"one\ntwo\r\n\nfour"[..]).lines();
    ///     while let Some(line) = lines.next_line().await? {
    ///         println!("{} bytes: {line}", line.len());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn next_line(&mut self) -> io::Result<Option<String>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next_line(cx)).await
    }

    /// The reader, to change. What is read from it directly is missing in the lines.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The reader.
    pub fn get_ref(&mut self) -> &R {
        &self.reader
    }

    /// Gives the reader back. The part of a line that was already read is lost.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Step, poll_once, reader};
    use crate::io::{AsyncBufReadExt, BufReader};
    use futures::executor::block_on;
    use std::io;

    #[test]
    fn line_ends_are_cut_off() {
        let mut lines = (&b"one\ntwo\r\n\n\r\nr\rr\r"[..]).lines();
        for line in ["one", "two", "", "", "r\rr\r"] {
            assert_eq!(block_on(lines.next_line()).unwrap().unwrap(), line);
        }
        assert_eq!(block_on(lines.next_line()).unwrap(), None);
        assert_eq!(block_on(lines.next_line()).unwrap(), None);
    }

    #[test]
    fn a_cancelled_line_is_not_lost() {
        let script = [
            Step::data("on"),
            Step::Pending,
            Step::data("e\n"),
            Step::End,
        ];
        let mut lines = BufReader::new(reader(script)).lines();
        assert!(poll_once(lines.next_line()).is_pending());
        assert_eq!(block_on(lines.next_line()).unwrap().unwrap(), "one");
        assert_eq!(block_on(lines.next_line()).unwrap(), None);
    }

    #[test]
    fn a_line_that_is_not_text_is_skipped() {
        let mut lines = (&b"\xff\ntwo"[..]).lines();
        let error = block_on(lines.next_line()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert_eq!(block_on(lines.next_line()).unwrap().unwrap(), "two");
    }

    #[test]
    fn an_error_within_a_line_does_not_lose_it() {
        let timed_out = io::ErrorKind::TimedOut;
        let script = [
            Step::data("on"),
            Step::Error(timed_out),
            Step::data("e"),
            Step::End,
        ];
        let mut lines = BufReader::new(reader(script)).lines();
        assert_eq!(block_on(lines.next_line()).unwrap_err().kind(), timed_out);
        assert_eq!(block_on(lines.next_line()).unwrap().unwrap(), "one");
    }
}
