use std::fmt;
use std::io::{self, IoSlice, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::read_buf::poll_read_into;
use crate::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite, DEFAULT_BUFFER_SIZE, ReadBuf};

pin_project! {
    /// Puts a buffer in front of a reader.
    ///
    /// Small reads are served from the buffer, which is filled by large ones. Worth it for many
    /// small reads from something that asks the system each time; not for large reads (which go past
    /// the buffer) nor for memory.
    ///
    /// What is in the buffer when the `BufReader` is dropped or taken apart is lost: it was read.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt, BufReader};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut reader = BufReader::new(&[1, 2, 3][..]);
    ///     assert_eq!(reader.read_u8().await?, 1);
    ///     // All was read at once.
    ///     assert_eq!(reader.buffer(), [2, 3]);
    ///     Ok(())
    /// }
    /// ```
    pub struct BufReader<R> {
        #[pin]
        pub(super) inner: R,
        pub(super) buffer: ReadBuffer,
    }
}

/// The buffer and where in it one is.
pub(super) struct ReadBuffer {
    bytes: Box<[u8]>,
    // What was read from the inner reader and not yet from here is `bytes[start..end]`.
    start: usize,
    end: usize,
    seek: SeekState,
}

/// Where a seek is between `start_seek` and the end of it.
#[derive(Debug, Clone, Copy)]
enum SeekState {
    /// None under way.
    Idle,
    /// Wanted, and not yet asked of the inner reader.
    Wanted(SeekFrom),
    /// The inner reader goes back by what is buffered; then by this much from there.
    GoingBack(i64),
    /// The inner reader seeks to where it shall be.
    Final,
}

impl ReadBuffer {
    fn new(capacity: usize) -> Self {
        Self {
            bytes: vec![0; capacity].into_boxed_slice(),
            start: 0,
            end: 0,
            seek: SeekState::Idle,
        }
    }

    #[inline]
    fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    #[inline]
    fn consume(&mut self, n: usize) {
        self.start += n.min(self.end - self.start);
    }

    #[inline]
    fn discard(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// Reads into the buffer, which is empty.
    fn poll_fill<R: AsyncRead>(
        &mut self,
        cx: &mut Context<'_>,
        inner: Pin<&mut R>,
    ) -> Poll<io::Result<()>> {
        let n = ready!(poll_read_into(inner, cx, &mut self.bytes))?;
        (self.start, self.end) = (0, n);
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead> BufReader<R> {
    /// A buffer of 8 KiB in front of `inner`.
    pub fn new(inner: R) -> Self {
        Self::with_capacity(DEFAULT_BUFFER_SIZE, inner)
    }

    /// A buffer of `capacity` bytes in front of `inner`.
    ///
    /// # Panics
    ///
    /// If `capacity` is 0.
    #[track_caller]
    pub fn with_capacity(capacity: usize, inner: R) -> Self {
        assert!(
            capacity > 0,
            "a `BufReader`'s capacity must be greater than zero"
        );
        Self {
            inner,
            buffer: ReadBuffer::new(capacity),
        }
    }

    /// The reader.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// The reader, to change. What is read from it directly comes after what is in the buffer.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// The reader, pinned, to change. What is read from it directly comes after what is in the
    /// buffer.
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut R> {
        self.project().inner
    }

    /// Gives the reader back. What is in the buffer is lost.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// What is in the buffer, possibly nothing. Unlike
    /// [`fill_buf`](crate::io::AsyncBufReadExt::fill_buf) it never reads.
    pub fn buffer(&self) -> &[u8] {
        self.buffer.unread()
    }
}

impl<R: AsyncRead> AsyncRead for BufReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let me = self.project();
        if me.buffer.is_empty() {
            if buf.remaining() >= me.buffer.bytes.len() {
                // The read is as large as any of ours: a copy would gain nothing.
                return me.inner.poll_read(cx, buf);
            }
            ready!(me.buffer.poll_fill(cx, me.inner))?;
        }
        let unread = me.buffer.unread();
        let n = unread.len().min(buf.remaining());
        buf.put_slice(&unread[..n]);
        me.buffer.consume(n);
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead> AsyncBufRead for BufReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let me = self.project();
        if me.buffer.is_empty() {
            ready!(me.buffer.poll_fill(cx, me.inner))?;
        }
        Poll::Ready(Ok(me.buffer.unread()))
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        self.project().buffer.consume(amt);
    }
}

/// Seeking empties the buffer, even to a place that is in it.
///
/// The inner reader is ahead of what was read from here; [`SeekFrom::Current`] allows for that.
impl<R: AsyncRead + AsyncSeek> AsyncSeek for BufReader<R> {
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        // It may take two seeks, with a wait in between.
        self.project().buffer.seek = SeekState::Wanted(position);
        Ok(())
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let mut me = self.project();
        loop {
            // An error ends the seek: only what goes on puts a state back.
            match std::mem::replace(&mut me.buffer.seek, SeekState::Idle) {
                SeekState::Idle => return me.inner.poll_complete(cx),
                SeekState::Wanted(SeekFrom::Current(offset)) => {
                    let ahead = me.buffer.unread().len() as i64;
                    if let Some(offset) = offset.checked_sub(ahead) {
                        me.inner.as_mut().start_seek(SeekFrom::Current(offset))?;
                        me.buffer.seek = SeekState::Final;
                    } else {
                        // Further back than one seek can say: in two steps.
                        me.inner.as_mut().start_seek(SeekFrom::Current(-ahead))?;
                        me.buffer.seek = SeekState::GoingBack(offset);
                    }
                }
                SeekState::Wanted(position) => {
                    me.inner.as_mut().start_seek(position)?;
                    me.buffer.seek = SeekState::Final;
                }
                SeekState::GoingBack(offset) => {
                    if me.inner.as_mut().poll_complete(cx)?.is_pending() {
                        me.buffer.seek = SeekState::GoingBack(offset);
                        return Poll::Pending;
                    }
                    // The inner reader is where we are: should the second step fail, nothing is
                    // read twice.
                    me.buffer.discard();
                    me.inner.as_mut().start_seek(SeekFrom::Current(offset))?;
                    me.buffer.seek = SeekState::Final;
                }
                SeekState::Final => {
                    let Poll::Ready(position) = me.inner.as_mut().poll_complete(cx)? else {
                        me.buffer.seek = SeekState::Final;
                        return Poll::Pending;
                    };
                    me.buffer.discard();
                    return Poll::Ready(Ok(position));
                }
            }
        }
    }
}

/// Writes go to the inner stream as they are.
impl<R: AsyncRead + AsyncWrite> AsyncWrite for BufReader<R> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_pin_mut().poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_pin_mut().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_pin_mut().poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_pin_mut().poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

impl<R: fmt::Debug> fmt::Debug for BufReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unread, capacity) = (self.buffer.unread().len(), self.buffer.bytes.len());
        f.debug_struct("BufReader")
            .field("reader", &self.inner)
            .field("buffer", &format_args!("{unread}/{capacity}"))
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::rng::FastRand;
    use crate::io::test_support::{Manner, Seeking, Step, chopped, poll_once, reader};
    use crate::io::{AsyncReadExt, AsyncSeekExt};
    use futures::executor::block_on;

    #[test]
    fn small_reads_come_from_one_large_one() {
        let mut reader = BufReader::new(reader([Step::data("abcdef")]));
        let mut buf = [0; 4];
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 4);
        assert_eq!(reader.buffer(), b"ef");
        // The rest, although there is room for more: the script is not asked again.
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 2);
        assert_eq!(reader.buffer(), b"");
    }

    #[test]
    fn large_reads_go_past_the_buffer() {
        let mut reader = BufReader::with_capacity(4, reader([Step::data("abcdefgh")]));
        let mut buf = [0; 6];
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 6);
        assert_eq!(reader.buffer(), b"");
        assert_eq!(block_on(reader.read(&mut buf[..1])).unwrap(), 1);
        assert_eq!(reader.buffer(), b"h");
        // Not while there is something in it.
        assert_eq!(block_on(reader.read(&mut buf)).unwrap(), 1);
    }

    #[test]
    fn random_reads_lose_nothing() {
        let mut rng = FastRand::new(21);
        for _ in 0..200 {
            let data: Vec<u8> = (0..rng.below(3000)).map(|_| rng.next_u64() as u8).collect();
            let capacity = 1 + rng.below(200) as usize;
            let mut reader =
                BufReader::with_capacity(capacity, chopped(&data, &mut rng, Manner::PutSlice));
            let mut all = vec![];
            loop {
                let mut buf = vec![0; 1 + rng.below(300) as usize];
                match block_on(reader.read(&mut buf)) {
                    Ok(0) => break,
                    Ok(n) => all.extend_from_slice(&buf[..n]),
                    Err(e) => assert_eq!(e.kind(), io::ErrorKind::Interrupted),
                }
            }
            assert_eq!(all, data);
        }
    }

    #[test]
    fn relative_seeks_allow_for_what_is_buffered() {
        block_on(async {
            let mut reader = BufReader::with_capacity(10, Seeking::new(100));
            assert_eq!(reader.read_u8().await.unwrap(), 0);
            assert_eq!(reader.seek(SeekFrom::Current(5)).await.unwrap(), 6);
            assert_eq!(reader.buffer(), b"");
            assert_eq!(reader.read_u8().await.unwrap(), 6);
            assert_eq!(reader.stream_position().await.unwrap(), 7);
            assert_eq!(reader.seek(SeekFrom::End(-1)).await.unwrap(), 99);
            assert_eq!(reader.read_u8().await.unwrap(), 99);
            assert_eq!(reader.rewind().await.unwrap(), 0);
            assert_eq!(reader.read_u8().await.unwrap(), 0);
        });
    }

    #[test]
    fn a_seek_further_back_than_a_number_can_say_takes_two() {
        block_on(async {
            let far = 1 << 63;
            let mut reader = BufReader::with_capacity(10, Seeking::new(u64::MAX).at(far + 7));
            assert_eq!(reader.read_u8().await.unwrap(), 7);
            assert_eq!(reader.seek(SeekFrom::Current(i64::MIN)).await.unwrap(), 8);
            assert_eq!(
                reader.get_ref().seeks(),
                [SeekFrom::Current(-9), SeekFrom::Current(i64::MIN)]
            );
            assert_eq!(reader.read_u8().await.unwrap(), 8);
        });
    }

    #[test]
    fn a_cancelled_seek_is_finished_by_the_next() {
        block_on(async {
            let mut reader = BufReader::with_capacity(10, Seeking::new(100));
            reader.read_u8().await.unwrap();
            assert!(poll_once(reader.seek(SeekFrom::Start(50))).is_pending());
            assert_eq!(reader.seek(SeekFrom::Current(1)).await.unwrap(), 51);
        });
    }

    #[test]
    fn a_failed_seek_is_over() {
        block_on(async {
            let mut reader = BufReader::with_capacity(10, Seeking::new(100));
            reader.read_u8().await.unwrap();
            assert!(reader.seek(SeekFrom::Current(-50)).await.is_err());
            assert_eq!(reader.buffer().len(), 9);
            assert_eq!(reader.read_u8().await.unwrap(), 1);
            assert_eq!(reader.seek(SeekFrom::Start(50)).await.unwrap(), 50);
        });
    }

    #[test]
    #[should_panic]
    fn no_capacity_panics() {
        let _ = BufReader::with_capacity(0, &b""[..]);
    }

    #[test]
    fn debug_shows_counts_and_no_data() {
        let mut reader = BufReader::with_capacity(4, &b"abc"[..]);
        block_on(reader.read_u8()).unwrap();
        let shown = format!("{reader:?}");
        assert!(shown.contains("2/4"), "{shown}");
    }
}
