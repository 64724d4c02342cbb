//! Copying from a reader that has a buffer of its own.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::engine::base::budget;
use crate::io::ext::poll_write_some;
use crate::io::{AsyncBufRead, AsyncWrite};

/// Copies all that `reader` has to `writer`, from its own buffer, and returns how many bytes it was.
///
/// As [`copy`](crate::io::copy), without a buffer in between: put a
/// [`BufReader`](crate::io::BufReader) around the reader to choose its size.
///
/// # Errors
///
/// As [`copy`](crate::io::copy).
///
/// # Cancel safety
///
/// What a cancelled call had read and not yet written is still in the reader's buffer: another call
/// goes on where it was. Only the count starts anew.
///
/// # Examples
///
/// ```
/// use heist::io::{self, BufReader};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut reader = BufReader::with_capacity(64 * 1024, &b"hello"[..]);
///     let mut writer = Vec::new();
///     assert_eq!(io::copy_buf(&mut reader, &mut writer).await?, 5);
///     assert_eq!(writer, b"hello");
///     Ok(())
/// }
/// ```
pub async fn copy_buf<'a, R, W>(reader: &'a mut R, writer: &'a mut W) -> io::Result<u64>
where
    R: AsyncBufRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut progress = Progress {
        copied: 0,
        unflushed: false,
    };
    poll_fn(|cx| progress.poll_copy(cx, Pin::new(&mut *reader), Pin::new(&mut *writer))).await
}

struct Progress {
    /// Bytes written, in all.
    copied: u64,
    /// Something was written since the writer was last flushed.
    unflushed: bool,
}

impl Progress {
    fn poll_copy<R, W>(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut R>,
        mut writer: Pin<&mut W>,
    ) -> Poll<io::Result<u64>>
    where
        R: AsyncBufRead + ?Sized,
        W: AsyncWrite + ?Sized,
    {
        // One unit for the whole poll: what the reader and the writer do, they pay for themselves.
        let unit = ready!(budget::poll_proceed(cx));
        loop {
            let Poll::Ready(buffered) = reader.as_mut().poll_fill_buf(cx) else {
                // It may be waiting for an answer to what the writer still holds back.
                if self.unflushed {
                    let flushed = ready!(writer.poll_flush(cx));
                    unit.made_progress();
                    flushed?;
                    self.unflushed = false;
                }
                return Poll::Pending;
            };
            unit.made_progress();
            let buffered = match buffered {
                Ok(buffered) => buffered,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Poll::Ready(Err(e)),
            };
            if buffered.is_empty() {
                ready!(writer.poll_flush(cx))?;
                return Poll::Ready(Ok(self.copied));
            }
            let n = ready!(poll_write_some(writer.as_mut(), cx, buffered))?;
            reader.as_mut().consume(n);
            self.copied += n as u64;
            self.unflushed = true;
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::engine::base::budget::{Budget, BudgetScope};
    use crate::engine::base::rng::FastRand;
    use crate::io::test_support::{
        Manner, Step, Taking, chopped, picky, poll_once, reader, writer,
    };
    use crate::io::{BufReader, BufWriter, copy_buf, repeat, sink};
    use futures::executor::block_on;
    use std::io;

    #[test]
    fn random_pieces_arrive_in_order() {
        let mut rng = FastRand::new(43);
        for _ in 0..100 {
            let len = rng.below(10_000) as usize;
            let data: Vec<u8> = (0..len).map(|_| rng.next_u64() as u8).collect();
            let reader = chopped(&data, &mut rng, Manner::PutSlice);
            let mut reader = BufReader::with_capacity(1 + rng.below(500) as usize, reader);
            let mut writer = picky(len, &mut rng);
            let n = block_on(copy_buf(&mut reader, &mut writer)).unwrap();
            assert_eq!(n, len as u64);
            assert_eq!(writer.flushed(), data);
        }
    }

    #[test]
    fn a_cancelled_copy_goes_on_where_it_was() {
        let mut reader = BufReader::new(reader([Step::data("abcd"), Step::End]));
        let mut writer = writer([Taking::Bytes(1), Taking::Pending, Taking::Bytes(9)]);
        assert!(poll_once(copy_buf(&mut reader, &mut writer)).is_pending());
        assert_eq!(block_on(copy_buf(&mut reader, &mut writer)).unwrap(), 3);
        assert_eq!(writer.flushed(), b"abcd");
    }

    #[test]
    fn a_waiting_reader_has_the_writer_flushed() {
        let mut reader = BufReader::new(reader([Step::data("ab"), Step::Pending]));
        let mut writer = BufWriter::new(writer([Taking::Bytes(9)]));
        assert!(poll_once(copy_buf(&mut reader, &mut writer)).is_pending());
        assert_eq!(writer.get_ref().flushed(), b"ab");
    }

    #[test]
    fn errors_end_it_at_once() {
        let broken = io::ErrorKind::BrokenPipe;
        let mut source = BufReader::new(reader([Step::data("ab"), Step::Error(broken)]));
        let error = block_on(copy_buf(&mut source, &mut vec![])).unwrap_err();
        assert_eq!(error.kind(), broken);
        let mut full = writer([Taking::Bytes(0)]);
        let error = block_on(copy_buf(&mut &b"ab"[..], &mut full)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn an_endless_copy_lets_others_run() {
        let _scope = BudgetScope::enter(Budget::initial());
        let mut from = BufReader::new(repeat(1));
        assert!(poll_once(copy_buf(&mut from, &mut sink())).is_pending());
    }
}
