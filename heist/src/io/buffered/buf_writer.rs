use std::fmt;
use std::io::{self, IoSlice, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::ext::poll_write_some;
use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite, DEFAULT_BUFFER_SIZE, ReadBuf};

pin_project! {
    /// Puts a buffer in front of a writer.
    ///
    /// Small writes are gathered in the buffer and written together when it is full. Worth it for
    /// many small writes to something that asks the system each time; not for large writes (which go
    /// past the buffer) nor for memory.
    ///
    /// Dropping a `BufWriter` drops what is in its buffer. Call
    /// [`flush`](crate::io::AsyncWriteExt::flush) or [`shutdown`](crate::io::AsyncWriteExt::shutdown)
    /// first.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncWriteExt, BufWriter};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut writer = BufWriter::new(Vec::new());
    ///     for byte in b"hello" {
    ///         writer.write_u8(*byte).await?;
    ///     }
    ///     assert_eq!(writer.buffer(), b"hello");
    ///     writer.flush().await?;
    ///     assert_eq!(writer.into_inner(), b"hello");
    ///     Ok(())
    /// }
    /// ```
    pub struct BufWriter<W> {
        #[pin]
        pub(super) inner: W,
        pub(super) buffer: WriteBuffer,
    }
}

/// The buffer and how much of it is written.
pub(super) struct WriteBuffer {
    // Never grows beyond its first capacity.
    bytes: Vec<u8>,
    // The inner writer has taken `bytes[..written]`. Not 0 only while emptying the buffer waits.
    written: usize,
    seek: SeekState,
}

/// Where a seek is between `start_seek` and the end of it.
#[derive(Debug, Clone, Copy)]
enum SeekState {
    /// None under way.
    Idle,
    /// Wanted, and not yet asked of the inner writer: what is buffered belongs before it.
    Wanted(SeekFrom),
    /// The inner writer seeks.
    UnderWay,
}

impl WriteBuffer {
    #[inline]
    fn room(&self) -> usize {
        self.bytes.capacity() - self.bytes.len()
    }

    /// Writes all that is buffered.
    fn poll_empty<W: AsyncWrite>(
        &mut self,
        cx: &mut Context<'_>,
        mut inner: Pin<&mut W>,
    ) -> Poll<io::Result<()>> {
        let result = loop {
            if self.written == self.bytes.len() {
                break Ok(());
            }
            match ready!(poll_write_some(
                inner.as_mut(),
                cx,
                &self.bytes[self.written..]
            )) {
                Ok(n) => self.written += n,
                Err(e) => break Err(e),
            }
        };
        // After an error too: what was written must not be written again.
        self.bytes.drain(..std::mem::take(&mut self.written));
        Poll::Ready(result)
    }
}

impl<W: AsyncWrite> BufWriter<W> {
    /// A buffer of 8 KiB in front of `inner`.
    pub fn new(inner: W) -> Self {
        Self::with_capacity(DEFAULT_BUFFER_SIZE, inner)
    }

    /// A buffer of `cap` bytes in front of `inner`.
    pub fn with_capacity(cap: usize, inner: W) -> Self {
        Self {
            inner,
            buffer: WriteBuffer {
                bytes: Vec::with_capacity(cap),
                written: 0,
                seek: SeekState::Idle,
            },
        }
    }

    /// The writer.
    pub fn get_ref(&self) -> &W {
        &self.inner
    }

    /// The writer, to change. What is written to it directly comes before what is in the buffer.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// The writer, pinned, to change. What is written to it directly comes before what is in the
    /// buffer.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut W> {
        self.project().inner
    }

    /// Gives the writer back. What is in the buffer is lost.
    pub fn into_inner(self) -> W {
        self.inner
    }

    /// What is in the buffer.
    pub fn buffer(&self) -> &[u8] {
        &self.buffer.bytes
    }

    /// A write for which the buffer may have to be emptied first, or which goes past it.
    #[inline(never)]
    fn poll_write_large(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut me = self.project();
        if buf.len() > me.buffer.room() {
            ready!(me.buffer.poll_empty(cx, me.inner.as_mut()))?;
        }
        if buf.len() >= me.buffer.bytes.capacity() {
            // The write is as large as any of ours: a copy would gain nothing.
            return me.inner.poll_write(cx, buf);
        }
        me.buffer.bytes.extend_from_slice(buf);
        Poll::Ready(Ok(buf.len()))
    }
}

impl<W: AsyncWrite> AsyncWrite for BufWriter<W> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        // The ordinary case, kept small; a write that fills the buffer to the brim takes the long way.
        if buf.len() < self.buffer.room() {
            self.project().buffer.bytes.extend_from_slice(buf);
            return Poll::Ready(Ok(buf.len()));
        }
        self.poll_write_large(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut me = self.project();
        ready!(me.buffer.poll_empty(cx, me.inner.as_mut()))?;
        me.inner.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut me = self.project();
        ready!(me.buffer.poll_empty(cx, me.inner.as_mut()))?;
        me.inner.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.inner.is_write_vectored() {
            let mut me = self.project();
            let len = bufs
                .iter()
                .fold(0, |sum: usize, buf| sum.saturating_add(buf.len()));
            if len > me.buffer.room() {
                ready!(me.buffer.poll_empty(cx, me.inner.as_mut()))?;
            }
            if len >= me.buffer.bytes.capacity() {
                return me.inner.poll_write_vectored(cx, bufs);
            }
            bufs.iter()
                .for_each(|buf| me.buffer.bytes.extend_from_slice(buf));
            return Poll::Ready(Ok(len));
        }

        // The inner writer would have us gather the slices: the buffer is there for that. The first
        // goes in, or past, as a plain write does; of the others those that still fit.
        let Some((first, rest)) = bufs
            .iter()
            .position(|buf| !buf.is_empty())
            .and_then(|at| bufs[at..].split_first())
        else {
            return Poll::Ready(Ok(0));
        };
        let mut taken = ready!(self.as_mut().poll_write(cx, first))?;
        let buffer = self.project().buffer;
        if buffer.bytes.is_empty() {
            // It went past the buffer, perhaps not all of it: what follows must not overtake it.
            return Poll::Ready(Ok(taken));
        }
        for buf in rest {
            if buf.len() > buffer.room() {
                break;
            }
            buffer.bytes.extend_from_slice(buf);
            taken += buf.len();
        }
        Poll::Ready(Ok(taken))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}

/// Seeking writes what is buffered first, where it belongs.
impl<W: AsyncWrite + AsyncSeek> AsyncSeek for BufWriter<W> {
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        self.project().buffer.seek = SeekState::Wanted(position);
        Ok(())
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let mut me = self.project();
        match me.buffer.seek {
            SeekState::Idle => return me.inner.poll_complete(cx),
            SeekState::Wanted(position) => {
                ready!(me.buffer.poll_empty(cx, me.inner.as_mut()))?;
                // One that was cancelled may still be under way.
                ready!(me.inner.as_mut().poll_complete(cx))?;
                me.buffer.seek = SeekState::Idle;
                me.inner.as_mut().start_seek(position)?;
                me.buffer.seek = SeekState::UnderWay;
            }
            // What was buffered meanwhile stays: it belongs behind the new position.
            SeekState::UnderWay => {}
        }
        let position = ready!(me.inner.poll_complete(cx));
        me.buffer.seek = SeekState::Idle;
        Poll::Ready(position)
    }
}

/// Reads come from the inner stream as they are.
impl<W: AsyncWrite + AsyncRead> AsyncRead for BufWriter<W> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_pin_mut().poll_read(cx, buf)
    }
}

/// Reads come from the inner stream as they are.
impl<W: AsyncWrite + AsyncBufRead> AsyncBufRead for BufWriter<W> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        self.get_pin_mut().poll_fill_buf(cx)
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        self.get_pin_mut().consume(amt);
    }
}

impl<W: fmt::Debug> fmt::Debug for BufWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, capacity) = (self.buffer.bytes.len(), self.buffer.bytes.capacity());
        f.debug_struct("BufWriter")
            .field("writer", &self.inner)
            .field("buffer", &format_args!("{len}/{capacity}"))
            .field("written", &self.buffer.written)
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::rng::FastRand;
    use crate::io::test_support::{Seeking, Taking, picky, poll_once, writer};
    use crate::io::{AsyncSeekExt, AsyncWriteExt};
    use futures::executor::block_on;

    #[test]
    fn small_writes_are_gathered() {
        block_on(async {
            let mut writer = BufWriter::with_capacity(4, writer([Taking::Bytes(9); 3]));
            writer.write_all(b"ab").await.unwrap();
            writer.write_all(b"cd").await.unwrap();
            assert_eq!(writer.get_ref().written(), b"");
            assert_eq!(writer.buffer(), b"abcd");
            // No room: what is there goes first.
            writer.write_all(b"e").await.unwrap();
            assert_eq!(writer.get_ref().written(), b"abcd");
            assert_eq!(writer.buffer(), b"e");
            // As large as the buffer: past it, in order.
            writer.write_all(b"fghi").await.unwrap();
            assert_eq!(writer.get_ref().written(), b"abcdefghi");
            assert_eq!(writer.get_ref().flushed(), b"");
            writer.flush().await.unwrap();
            assert_eq!(writer.get_ref().flushed(), b"abcdefghi");
        });
    }

    #[test]
    fn shutdown_writes_flushes_and_shuts_down() {
        let mut writer = BufWriter::new(writer([Taking::Pending, Taking::Bytes(9)]));
        block_on(async {
            writer.write_all(b"ab").await.unwrap();
            writer.shutdown().await.unwrap();
        });
        assert_eq!(writer.get_ref().flushed(), b"ab");
        assert!(writer.get_ref().is_shut_down());
    }

    #[test]
    fn after_an_error_nothing_is_written_twice_and_nothing_is_lost() {
        block_on(async {
            let broken = io::ErrorKind::BrokenPipe;
            let mut writer = BufWriter::new(writer([
                Taking::Bytes(2),
                Taking::Error(broken),
                Taking::Bytes(1),
                Taking::Bytes(0),
                Taking::Bytes(9),
            ]));
            writer.write_all(b"abcdef").await.unwrap();
            assert_eq!(writer.flush().await.unwrap_err().kind(), broken);
            assert_eq!(writer.buffer(), b"cdef");
            let zero = writer.flush().await.unwrap_err();
            assert_eq!(zero.kind(), io::ErrorKind::WriteZero);
            assert_eq!(writer.buffer(), b"def");
            writer.flush().await.unwrap();
            assert_eq!(writer.get_ref().written(), b"abcdef");
        });
    }

    #[test]
    fn a_cancelled_flush_goes_on_where_it_was() {
        let script = [Taking::Bytes(2), Taking::Pending, Taking::Bytes(9)];
        let mut writer = BufWriter::new(writer(script));
        block_on(writer.write_all(b"abcd")).unwrap();
        assert!(poll_once(writer.flush()).is_pending());
        block_on(writer.write_all(b"ef")).unwrap();
        block_on(writer.flush()).unwrap();
        assert_eq!(writer.get_ref().written(), b"abcdef");
    }

    #[test]
    fn random_writes_lose_nothing_and_keep_their_order() {
        let mut rng = FastRand::new(31);
        for round in 0..200 {
            let len = rng.below(2000) as usize;
            let data: Vec<u8> = (0..len).map(|_| rng.next_u64() as u8).collect();
            let inner = picky(len, &mut rng);
            let inner = if round % 2 == 0 {
                inner
            } else {
                inner.vectored()
            };
            let mut writer = BufWriter::with_capacity(rng.below(200) as usize, inner);
            let mut rest = &data[..];
            while !rest.is_empty() {
                let mut cut = || rng.below(100) as usize;
                let (a, b, c) = (cut(), cut(), cut());
                let (first, after) = rest.split_at(a.min(rest.len()));
                let (second, after) = after.split_at(b.min(after.len()));
                let third = &after[..c.min(after.len())];
                let parts = [first, second, third].map(IoSlice::new);
                match block_on(writer.write_vectored(&parts)) {
                    Ok(n) => rest = &rest[n..],
                    Err(e) => assert_eq!(e.kind(), io::ErrorKind::Interrupted),
                }
            }
            block_on(writer.flush()).unwrap();
            assert_eq!(writer.get_ref().flushed(), data);
        }
    }

    #[test]
    fn slices_are_gathered_for_a_writer_that_takes_one() {
        let mut writer = BufWriter::with_capacity(8, writer([Taking::Bytes(3)]));
        let parts = ["", "ab", "", "cd", "efghi", "j"].map(|s| IoSlice::new(s.as_bytes()));
        // Those that fit, up to the first that does not.
        assert_eq!(block_on(writer.write_vectored(&parts)).unwrap(), 4);
        assert_eq!(writer.buffer(), b"abcd");
        assert_eq!(block_on(writer.write_vectored(&parts[..1])).unwrap(), 0);
        let large = [IoSlice::new(b"abcdefgh"), IoSlice::new(b"i")];
        let mut writer = BufWriter::with_capacity(8, writer.into_inner());
        assert_eq!(block_on(writer.write_vectored(&large)).unwrap(), 3);
        assert_eq!(writer.buffer(), b"");
    }

    #[test]
    fn seeking_writes_the_buffer_where_it_belongs() {
        block_on(async {
            let mut writer = BufWriter::new(Seeking::new(100));
            writer.write_all(b"ab").await.unwrap();
            assert_eq!(writer.stream_position().await.unwrap(), 2);
            writer.write_all(b"cd").await.unwrap();
            assert_eq!(writer.seek(SeekFrom::Start(50)).await.unwrap(), 50);
            writer.write_all(b"ef").await.unwrap();
            writer.flush().await.unwrap();
            let writes = [
                (0, b"ab".to_vec()),
                (2, b"cd".to_vec()),
                (50, b"ef".to_vec()),
            ];
            assert_eq!(writer.get_ref().writes(), writes);
            assert!(writer.seek(SeekFrom::End(-101)).await.is_err());
            assert_eq!(writer.stream_position().await.unwrap(), 52);
        });
    }

    #[test]
    fn what_is_written_during_a_seek_goes_to_the_new_position() {
        block_on(async {
            let mut writer = BufWriter::new(Seeking::new(100));
            assert!(poll_once(writer.seek(SeekFrom::Start(50))).is_pending());
            writer.write_all(b"ab").await.unwrap();
            assert_eq!(writer.seek(SeekFrom::Current(0)).await.unwrap(), 52);
            assert_eq!(writer.get_ref().writes(), [(50, b"ab".to_vec())]);
        });
    }
}
