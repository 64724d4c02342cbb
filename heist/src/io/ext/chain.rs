use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::{AsyncBufRead, AsyncRead, ReadBuf};

pin_project! {
    /// Reads one reader to its end, then another.
    ///
    /// Made by [`AsyncReadExt::chain`](crate::io::AsyncReadExt::chain).
    #[must_use = "readers do nothing unless polled"]
    pub struct Chain<T, U> {
        #[pin]
        first: T,
        #[pin]
        second: U,
        first_ended: bool,
    }
}

impl<T, U> Chain<T, U>
where
    T: AsyncRead,
    U: AsyncRead,
{
    pub(super) fn new(first: T, second: U) -> Self {
        Self {
            first,
            second,
            first_ended: false,
        }
    }

    /// Both readers.
    pub fn get_ref(&self) -> (&T, &U) {
        (&self.first, &self.second)
    }

    /// Both readers, to change. What is read from them directly is missing in the chain.
    pub fn get_mut(&mut self) -> (&mut T, &mut U) {
        (&mut self.first, &mut self.second)
    }

    /// Both readers, pinned, to change. What is read from them directly is missing in the chain.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> (Pin<&mut T>, Pin<&mut U>) {
        let me = self.project();
        (me.first, me.second)
    }

    /// Gives both readers back.
    pub fn into_inner(self) -> (T, U) {
        (self.first, self.second)
    }
}

impl<T, U> AsyncRead for Chain<T, U>
where
    T: AsyncRead,
    U: AsyncRead,
{
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let me = self.project();
        if !*me.first_ended {
            let room = buf.remaining();
            ready!(me.first.poll_read(cx, buf))?;
            // Into no room nothing is ever read: that says nothing about the end.
            if room == 0 || buf.remaining() < room {
                return Poll::Ready(Ok(()));
            }
            *me.first_ended = true;
        }
        me.second.poll_read(cx, buf)
    }
}

impl<T, U> AsyncBufRead for Chain<T, U>
where
    T: AsyncBufRead,
    U: AsyncBufRead,
{
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let me = self.project();
        if !*me.first_ended {
            let buffered = ready!(me.first.poll_fill_buf(cx))?;
            if !buffered.is_empty() {
                return Poll::Ready(Ok(buffered));
            }
            *me.first_ended = true;
        }
        me.second.poll_fill_buf(cx)
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        let me = self.project();
        if *me.first_ended {
            me.second.consume(amt);
        } else {
            me.first.consume(amt);
        }
    }
}

impl<T: fmt::Debug, U: fmt::Debug> fmt::Debug for Chain<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain")
            .field("first", &self.first)
            .field("second", &self.second)
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Step, reader};
    use crate::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
    use futures::executor::block_on;

    #[test]
    fn one_after_the_other() {
        let first = reader([Step::data("ab"), Step::Pending, Step::data("c"), Step::End]);
        let mut both = first.chain(reader([Step::Pending, Step::data("de"), Step::End]));
        let mut all = String::new();
        assert_eq!(block_on(both.read_to_string(&mut all)).unwrap(), 5);
        assert_eq!(all, "abcde");
    }

    #[test]
    fn a_read_into_no_room_is_not_the_first_readers_end() {
        let mut both = (&b"ab"[..]).chain(&b"cd"[..]);
        let mut all = vec![];
        assert_eq!(block_on(both.read(&mut [])).unwrap(), 0);
        block_on(both.read_to_end(&mut all)).unwrap();
        assert_eq!(all, b"abcd");
    }

    #[test]
    fn an_ended_first_reader_is_not_asked_again() {
        // The script panics when polled after its end was told.
        let mut both = reader([Step::data("a"), Step::End]).chain(reader([Step::End, Step::End]));
        let mut buf = [0; 4];
        assert_eq!(block_on(both.read(&mut buf)).unwrap(), 1);
        assert_eq!(block_on(both.read(&mut buf)).unwrap(), 0);
        assert_eq!(block_on(both.read(&mut buf)).unwrap(), 0);
    }

    #[test]
    fn buffered_reading_goes_across_the_seam() {
        let both = BufReader::new(reader([Step::data("one\ntw"), Step::End])).chain(
            BufReader::new(reader([Step::data("o\nthree"), Step::End, Step::End])),
        );
        let mut lines = both.lines();
        for line in ["one", "two", "three"] {
            assert_eq!(block_on(lines.next_line()).unwrap().unwrap(), line);
        }
        assert_eq!(block_on(lines.next_line()).unwrap(), None);
    }
}
