//! `read_until`, and what it shares with `read_line`, `lines` and `split`.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncBufRead;
use crate::io::ext::find_byte::find_byte;

pin_project! {
    /// What [`AsyncBufReadExt::read_until`](crate::io::AsyncBufReadExt::read_until) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadUntil<'a, R: ?Sized> {
        reader: &'a mut R,
        delimiter: u8,
        buf: &'a mut Vec<u8>,
        read: usize,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadUntil<'a, R> {
    pub(super) fn new(reader: &'a mut R, delimiter: u8, buf: &'a mut Vec<u8>) -> Self {
        Self {
            reader,
            delimiter,
            buf,
            read: 0,
            _pin: PhantomPinned,
        }
    }
}

impl<R: AsyncBufRead + Unpin + ?Sized> Future for ReadUntil<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        let reader = Pin::new(&mut **me.reader);
        ready!(poll_read_until(reader, cx, *me.delimiter, me.buf, me.read))?;
        Poll::Ready(Ok(std::mem::take(me.read)))
    }
}

/// Appends to `buf` all up to and with `delimiter`, or up to the end; `read` counts along.
///
/// What was appended before a `Pending` or an error stays appended and counted.
pub(super) fn poll_read_until<R: AsyncBufRead + ?Sized>(
    mut reader: Pin<&mut R>,
    cx: &mut Context<'_>,
    delimiter: u8,
    buf: &mut Vec<u8>,
    read: &mut usize,
) -> Poll<io::Result<()>> {
    loop {
        let buffered = match ready!(reader.as_mut().poll_fill_buf(cx)) {
            Ok(buffered) => buffered,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Poll::Ready(Err(e)),
        };
        let (n, done) = match find_byte(delimiter, buffered) {
            Some(at) => (at + 1, true),
            None => (buffered.len(), buffered.is_empty()),
        };
        buf.extend_from_slice(&buffered[..n]);
        reader.as_mut().consume(n);
        *read += n;
        if done {
            return Poll::Ready(Ok(()));
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::engine::base::rng::FastRand;
    use crate::io::test_support::{Manner, Step, chopped, poll_once, reader};
    use crate::io::{AsyncBufReadExt, BufReader};
    use futures::executor::block_on;
    use std::io;

    #[test]
    fn reads_up_to_and_with_the_delimiter() {
        let script = [
            Step::data("ab"),
            Step::Pending,
            Step::data("c-d"),
            Step::End,
        ];
        let mut reader = BufReader::new(reader(script));
        let mut buf = b"x".to_vec();
        assert_eq!(block_on(reader.read_until(b'-', &mut buf)).unwrap(), 4);
        assert_eq!(buf, b"xabc-");
        assert_eq!(block_on(reader.read_until(b'-', &mut buf)).unwrap(), 1);
        assert_eq!(buf, b"xabc-d");
    }

    #[test]
    fn cancelled_or_failed_goes_on_where_it_was() {
        let mut reader = BufReader::new(reader([
            Step::data("ab"),
            Step::Pending,
            Step::Error(io::ErrorKind::Interrupted),
            Step::data("cd"),
            Step::Error(io::ErrorKind::TimedOut),
            Step::data("e-"),
        ]));
        let mut buf = vec![];
        assert!(poll_once(reader.read_until(b'-', &mut buf)).is_pending());
        assert_eq!(buf, b"ab");
        let error = block_on(reader.read_until(b'-', &mut buf)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(buf, b"abcd");
        assert_eq!(block_on(reader.read_until(b'-', &mut buf)).unwrap(), 2);
        assert_eq!(buf, b"abcde-");
    }

    #[test]
    fn random_segments_come_out_as_std_cuts_them() {
        let mut rng = FastRand::new(5);
        for _ in 0..200 {
            let data: Vec<u8> = (0..rng.below(400)).map(|_| rng.below(6) as u8).collect();
            let capacity = 1 + rng.below(20) as usize;
            let mut reader =
                BufReader::with_capacity(capacity, chopped(&data, &mut rng, Manner::PutSlice));
            for segment in data.split_inclusive(|&b| b == 0) {
                let mut buf = vec![];
                let n = block_on(reader.read_until(0, &mut buf)).unwrap();
                assert_eq!((n, buf.as_slice()), (segment.len(), segment));
            }
            assert_eq!(block_on(reader.read_until(0, &mut vec![])).unwrap(), 0);
        }
    }
}
