//! `read_line`.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncBufRead;
use crate::io::ext::read_until::poll_read_until;
use crate::io::ext::text::{self, OnError};

pin_project! {
    /// What [`AsyncBufReadExt::read_line`](crate::io::AsyncBufReadExt::read_line) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadLine<'a, R: ?Sized> {
        reader: &'a mut R,
        output: &'a mut String,
        // The string's own allocation, while its contents are not known to be text.
        bytes: Vec<u8>,
        read: usize,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadLine<'a, R> {
    pub(super) fn new(reader: &'a mut R, output: &'a mut String) -> Self {
        Self {
            reader,
            bytes: std::mem::take(output).into_bytes(),
            output,
            read: 0,
            _pin: PhantomPinned,
        }
    }
}

impl<R: AsyncBufRead + Unpin + ?Sized> Future for ReadLine<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        let reader = Pin::new(&mut **me.reader);
        let result = ready!(poll_read_until(reader, cx, b'\n', me.bytes, me.read));
        let bytes = std::mem::take(me.bytes);
        let read = std::mem::take(me.read);
        let result = result.map(|()| read);
        Poll::Ready(text::finish(
            me.output,
            bytes,
            read,
            result,
            OnError::KeepRead,
        ))
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Step, reader};
    use crate::io::{AsyncBufReadExt, BufReader};
    use futures::executor::block_on;
    use std::io;

    #[test]
    fn reads_lines_with_their_ends() {
        let mut reader = BufReader::new(reader([
            Step::data("on"),
            Step::Pending,
            Step::data("e\r\n\ntw"),
            Step::data("o"),
            Step::End,
            Step::End,
        ]));
        let mut line = String::from("> ");
        for (n, all) in [(5, "> one\r\n"), (1, "> one\r\n\n"), (3, "> one\r\n\ntwo")] {
            assert_eq!(block_on(reader.read_line(&mut line)).unwrap(), n);
            assert_eq!(line, all);
        }
        assert_eq!(block_on(reader.read_line(&mut line)).unwrap(), 0);
        assert_eq!(line, "> one\r\n\ntwo");
    }

    #[test]
    fn what_is_not_text_leaves_the_string_as_it_was() {
        let mut reader = &b"ab\xff\ncd\n"[..];
        let mut line = String::from("before");
        let error = block_on(reader.read_line(&mut line)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert_eq!(line, "before");
        block_on(reader.read_line(&mut line)).unwrap();
        assert_eq!(line, "beforecd\n");
    }

    #[test]
    fn an_error_keeps_the_text_that_came_before_it() {
        let broken = io::ErrorKind::BrokenPipe;
        for (so_far, left) in [(&b"ab"[..], "beforeab"), (b"ab\xff", "before")] {
            let mut reader = BufReader::new(reader([Step::data(so_far), Step::Error(broken)]));
            let mut line = String::from("before");
            let error = block_on(reader.read_line(&mut line)).unwrap_err();
            assert_eq!((error.kind(), line.as_str()), (broken, left));
        }
    }
}
