//! One direction of a copy: a buffer that is filled at its end and written from its start.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::engine::base::budget;
use crate::io::ext::poll_write_some;
use crate::io::read_buf::poll_read_into;
use crate::io::{AsyncRead, AsyncWrite};

/// What is under way from a reader to a writer.
#[derive(Debug)]
pub(super) struct Transfer {
    buffer: Box<[u8]>,
    // What was read and not yet written is `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Bytes written, in all.
    copied: u64,
    /// The reader has told its end.
    at_end: bool,
    /// Something was written since the writer was last flushed.
    unflushed: bool,
}

impl Transfer {
    pub(super) fn new(size: usize) -> Self {
        Self {
            buffer: vec![0; size].into_boxed_slice(),
            start: 0,
            end: 0,
            copied: 0,
            at_end: false,
            unflushed: false,
        }
    }

    /// Copies until the reader's end; returns how many bytes it was in all.
    pub(super) fn poll_copy<R, W>(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut R>,
        mut writer: Pin<&mut W>,
    ) -> Poll<io::Result<u64>>
    where
        R: AsyncRead + ?Sized,
        W: AsyncWrite + ?Sized,
    {
        // One unit for the whole poll: what the reader and the writer do, they pay for themselves.
        let unit = ready!(budget::poll_proceed(cx));
        loop {
            // Read before each write, as long as there is room: one large write beats two small.
            let read = self.poll_read_more(cx, reader.as_mut());
            match read {
                Poll::Ready(Ok(asked)) => {
                    if asked {
                        unit.made_progress();
                    }
                }
                Poll::Ready(Err(e)) => {
                    unit.made_progress();
                    self.write_what_goes(cx, writer);
                    return Poll::Ready(Err(e));
                }
                // There may still be something to write, or to flush.
                Poll::Pending => {}
            }

            if self.start < self.end {
                let rest = &self.buffer[self.start..self.end];
                let Poll::Ready(written) = poll_write_some(writer.as_mut(), cx, rest) else {
                    // While the writer is busy, there may be more to give it next time. (Not if the
                    // reader has just said that it is not ready.)
                    if read.is_ready() && self.poll_read_more(cx, reader)? == Poll::Ready(true) {
                        unit.made_progress();
                    }
                    return Poll::Pending;
                };
                unit.made_progress();
                let n = written?;
                self.start += n;
                self.copied += n as u64;
                self.unflushed = true;
                if self.start == self.end {
                    (self.start, self.end) = (0, 0);
                }
            } else if self.at_end {
                let flushed = ready!(writer.poll_flush(cx));
                unit.made_progress();
                return Poll::Ready(flushed.map(|()| self.copied));
            } else if read.is_pending() {
                // The reader may be waiting for an answer to what the writer still holds back, and
                // nobody else would flush that.
                if self.unflushed {
                    let flushed = ready!(writer.poll_flush(cx));
                    unit.made_progress();
                    flushed?;
                    self.unflushed = false;
                }
                return Poll::Pending;
            }
        }
    }

    /// Adds to the buffer what the reader has. False if it was not asked, because there is no room
    /// or no more to come.
    fn poll_read_more<R: AsyncRead + ?Sized>(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut R>,
    ) -> Poll<io::Result<bool>> {
        while !self.at_end && self.end < self.buffer.len() {
            let room = &mut self.buffer[self.end..];
            match ready!(poll_read_into(reader.as_mut(), cx, room)) {
                Ok(n) => {
                    self.end += n;
                    self.at_end = n == 0;
                    return Poll::Ready(Ok(true));
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
        Poll::Ready(Ok(false))
    }

    /// The reader has failed: writes of what it gave before as much as the writer takes at once. Nobody waits for the rest,
    /// which may be for ever.
    #[cold]
    fn write_what_goes<W: AsyncWrite + ?Sized>(
        &mut self,
        cx: &mut Context<'_>,
        mut writer: Pin<&mut W>,
    ) {
        while self.start < self.end {
            let rest = &self.buffer[self.start..self.end];
            let Poll::Ready(Ok(n)) = poll_write_some(writer.as_mut(), cx, rest) else {
                return;
            };
            self.start += n;
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
    use crate::io::{AsyncReadExt, AsyncWriteExt, BufWriter, copy, duplex, repeat, sink};
    use futures::executor::block_on;
    use futures::future::join;
    use std::io;
    use std::pin::pin;

    #[test]
    fn random_pieces_arrive_in_order() {
        let mut rng = FastRand::new(41);
        for manner in [Manner::PutSlice, Manner::Initialise] {
            for _ in 0..100 {
                let len = rng.below(20_000) as usize;
                let data: Vec<u8> = (0..len).map(|_| rng.next_u64() as u8).collect();
                let mut reader = chopped(&data, &mut rng, manner);
                let mut writer = picky(len, &mut rng);
                let n = block_on(copy(&mut reader, &mut writer)).unwrap();
                assert_eq!(n, len as u64);
                assert_eq!(writer.flushed(), data);
                assert!(!writer.is_shut_down());
            }
        }
    }

    #[test]
    fn a_waiting_reader_has_the_writer_flushed() {
        let mut reader = reader([Step::data("ab"), Step::Pending]);
        let mut writer = BufWriter::new(writer([Taking::Bytes(9)]));
        assert!(poll_once(copy(&mut reader, &mut writer)).is_pending());
        assert_eq!(writer.get_ref().flushed(), b"ab");
    }

    #[test]
    fn two_that_wait_for_each_others_answer_get_it() {
        // The far end answers each byte only when it has seen it; the buffered writer would keep it.
        let (near, mut far) = duplex(1);
        let (mut near_reader, near_writer) = crate::io::split(near);
        let mut near_writer = BufWriter::new(near_writer);
        let near = async {
            near_writer.write_u8(1).await.unwrap();
            near_writer.flush().await.unwrap();
            copy(&mut near_reader, &mut near_writer).await.unwrap()
        };
        let far = async {
            for n in 1..50 {
                assert_eq!(far.read_u8().await.unwrap(), n);
                far.write_u8(n + 1).await.unwrap();
            }
            far.shutdown().await.unwrap();
            // What was echoed last.
            assert_eq!(far.read_u8().await.unwrap(), 50);
        };
        assert_eq!(block_on(join(near, far)).0, 49);
    }

    #[test]
    fn what_was_read_is_written_before_the_reader_fails() {
        let mut reader = reader([
            Step::data("abcd"),
            Step::Error(io::ErrorKind::ConnectionReset),
        ]);
        let mut writer = writer([Taking::Bytes(3), Taking::Bytes(9)]);
        let error = block_on(copy(&mut reader, &mut writer)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(writer.written(), b"abcd");
    }

    /// Also what the writer did not take at once, if it does now.
    #[test]
    fn what_the_writer_had_no_room_for_is_written_before_the_reader_fails() {
        let failed = io::ErrorKind::ConnectionReset;
        for (taking, written) in [(Taking::Bytes(9), &b"ab"[..]), (Taking::Pending, b"")] {
            let mut reader = reader([Step::data("ab"), Step::Pending, Step::Error(failed)]);
            let mut writer = writer([Taking::Pending, taking]);
            let error = block_on(copy(&mut reader, &mut writer)).unwrap_err();
            assert_eq!(error.kind(), failed);
            assert_eq!(writer.written(), written);
        }
    }

    #[test]
    fn reads_on_while_the_writer_is_busy() {
        let mut reader = reader([Step::data("ab"), Step::data("cd"), Step::End]);
        let mut writer = writer([Taking::Pending, Taking::Bytes(9)]);
        assert_eq!(block_on(copy(&mut reader, &mut writer)).unwrap(), 4);
        // Both pieces in one write: the script has no other.
        assert_eq!(writer.written(), b"abcd");
    }

    #[test]
    fn errors_end_it_at_once() {
        let broken = io::ErrorKind::BrokenPipe;
        let mut source = reader([Step::data("ab"), Step::Error(broken)]);
        let mut target = writer([Taking::Bytes(9)]);
        let error = block_on(copy(&mut source, &mut target)).unwrap_err();
        assert_eq!(error.kind(), broken);
        let mut target = writer([Taking::Error(broken)]);
        let error = block_on(copy(&mut &b"ab"[..], &mut target)).unwrap_err();
        assert_eq!(error.kind(), broken);
        let mut target = writer([Taking::Bytes(0)]);
        let error = block_on(copy(&mut &b"ab"[..], &mut target)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn an_endless_copy_lets_others_run() {
        let _scope = BudgetScope::enter(Budget::initial());
        let (mut from, mut to) = (repeat(1), sink());
        let mut endless = pin!(copy(&mut from, &mut to));
        assert!(poll_once(endless.as_mut()).is_pending());
        // The budget is spent: not even that.
        assert!(poll_once(endless.as_mut()).is_pending());
    }

    #[test]
    fn waiting_costs_no_budget() {
        let _scope = BudgetScope::enter(Budget::initial());
        let (_near, mut far) = duplex(8);
        let mut to = vec![];
        let mut waiting = pin!(copy(&mut far, &mut to));
        for _ in 0..1000 {
            assert!(poll_once(waiting.as_mut()).is_pending());
        }
        assert_eq!(
            poll_once(sink().write(b"a")).map(Result::unwrap),
            std::task::Poll::Ready(1)
        );
    }
}
