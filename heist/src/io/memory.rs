//! Pipes in memory: [`duplex`], two ways, and [`simplex`], one way.
//!
//! **What.** A [`Pipe`] is a queue of bytes with a bound and with room for one waiting reader and one
//! waiting writer. A [`DuplexStream`] is an end of two pipes, each behind a lock; a
//! [`SimplexStream`] is both ends of one pipe, without a lock of its own ([`split`](crate::io::split)
//! puts one around it).
//!
//! **States.** Open, then closed, for good. A closed pipe is read to its last byte and then is at its
//! end; writing to it is `BrokenPipe`.
//!
//! **Rules.**
//! * M1. A reader waits only while the pipe is open and empty; a writer only while it is open and
//!   full. Whoever waits has its waker in the pipe.
//! * M2. Whatever ends a wait takes the waiting side's waker out: a write the reader's, a read the
//!   writer's, closing both.
//! * M3. No waker is woken, cloned or dropped under the lock: it may run anything, also what locks
//!   this pipe. So whoever must wait clones its waker between two lockings, and looks again in the
//!   second, because what it waits for may have come in between.
//! * M4. `split` runs a `SimplexStream` under its lock. For the halves that [`simplex`] returns the
//!   wakers due are put aside ([`Due`]), and `split` has them woken after unlocking.
//!
//! **Orderings.** All under the lock.
//!
//! **Rejected.** `BytesMut` for the queue: it moves what is left to the front, or into a new
//! allocation, again and again, where a ring copies each byte once in and once out.
//!
//! **Tested by** `tests` (against plain buffers; wakes counted; a waker that uses the pipe) and
//! `loom_tests::neither_side_sleeps_for_ever` (without M3's second look the model deadlocks).

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use crate::engine::base::budget;
use crate::io::halves::{Due, split_with_due};
use crate::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf};
use crate::loom::sync::{Arc, Mutex};

/// A bounded queue of bytes.
struct Pipe {
    bytes: VecDeque<u8>,
    capacity: usize,
    closed: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// Who waits.
#[derive(Clone, Copy)]
enum Side {
    Reader,
    Writer,
}

/// An attempt that need not wait: its result, and who is to be woken for it (M2).
type Done<T> = (io::Result<T>, Option<Waker>);

impl Pipe {
    #[track_caller]
    fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "`max_buf_size` must not be 0");
        Self {
            bytes: VecDeque::new(),
            capacity,
            closed: false,
            reader: None,
            writer: None,
        }
    }

    /// Moves what there is to `buf`; `None` if it must be waited for (M1).
    fn read(&mut self, buf: &mut ReadBuf<'_>) -> Option<Done<()>> {
        let n = self.bytes.len().min(buf.remaining());
        if n == 0 {
            let ready = buf.remaining() == 0 || self.closed;
            return ready.then_some((Ok(()), None));
        }
        let (front, back) = self.bytes.as_slices();
        let from_front = n.min(front.len());
        buf.put_slice(&front[..from_front]);
        buf.put_slice(&back[..n - from_front]);
        self.bytes.drain(..n);
        Some((Ok(()), self.writer.take()))
    }

    /// Takes what fits of `bufs`; `None` if room must be waited for (M1).
    fn write<'a>(&mut self, bufs: impl Iterator<Item = &'a [u8]>) -> Option<Done<usize>> {
        if self.closed {
            return Some((Err(io::ErrorKind::BrokenPipe.into()), None));
        }
        let before = self.bytes.len();
        for buf in bufs.filter(|buf| !buf.is_empty()) {
            let n = buf.len().min(self.capacity - self.bytes.len());
            if n == 0 {
                if self.bytes.len() == before {
                    return None;
                }
                break;
            }
            self.bytes.extend(&buf[..n]);
        }
        match self.bytes.len() - before {
            0 => Some((Ok(0), None)),
            n => Some((Ok(n), self.reader.take())),
        }
    }

    fn waiting(&mut self, side: Side) -> &mut Option<Waker> {
        match side {
            Side::Reader => &mut self.reader,
            Side::Writer => &mut self.writer,
        }
    }

    /// Closes, and returns who waits: reader and writer (M2).
    fn close(&mut self) -> [Option<Waker>; 2] {
        self.closed = true;
        [self.reader.take(), self.writer.take()]
    }
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // How much, and not what: the bytes are the user's.
        f.debug_struct("Pipe")
            .field("buffered", &self.bytes.len())
            .field("capacity", &self.capacity)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

/// One end of a pipe that goes both ways, in memory.
///
/// Made in pairs by [`duplex`]: what is written to one is read from the other.
///
/// Dropping one end closes both ways: the other end reads what is still there, then the end; what it
/// writes fails with [`BrokenPipe`](io::ErrorKind::BrokenPipe), also a write that is already waiting.
/// [`shutdown`](crate::io::AsyncWriteExt::shutdown) closes only the way to the other end.
#[derive(Debug)]
pub struct DuplexStream {
    incoming: Arc<Mutex<Pipe>>,
    outgoing: Arc<Mutex<Pipe>>,
}

/// Two ends of a pipe that goes both ways, in memory: a pair of sockets without a socket.
///
/// In each direction at most `max_buf_size` bytes are on their way; further writes wait until the
/// other end has read some.
///
/// # Panics
///
/// If `max_buf_size` is 0.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let (mut client, mut server) = io::duplex(64);
///     let mut word = [0; 4];
///     client.write_all(b"ping").await?;
///     server.read_exact(&mut word).await?;
///     assert_eq!(&word, b"ping");
///     server.write_all(b"pong").await?;
///     client.read_exact(&mut word).await?;
///     assert_eq!(&word, b"pong");
///     Ok(())
/// }
/// ```
#[track_caller]
pub fn duplex(max_buf_size: usize) -> (DuplexStream, DuplexStream) {
    let there = Arc::new(Mutex::new(Pipe::new(max_buf_size)));
    let back = Arc::new(Mutex::new(Pipe::new(max_buf_size)));
    let near = DuplexStream {
        incoming: back.clone(),
        outgoing: there.clone(),
    };
    let far = DuplexStream {
        incoming: there,
        outgoing: back,
    };
    (near, far)
}

/// Makes an attempt on a pipe, and has `side` wait if it must.
fn poll_locked<T>(
    pipe: &Mutex<Pipe>,
    side: Side,
    cx: &mut Context<'_>,
    mut attempt: impl FnMut(&mut Pipe) -> Option<Done<T>>,
) -> Poll<io::Result<T>> {
    let unit = ready!(budget::poll_proceed(cx));
    let mut waker = None;
    loop {
        let mut locked = pipe.lock();
        if let Some((result, woken)) = attempt(&mut locked) {
            drop(locked);
            unit.made_progress();
            if let Some(woken) = woken {
                woken.wake();
            }
            return Poll::Ready(result);
        }
        let waiting = locked.waiting(side);
        if waiting.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
            return Poll::Pending;
        }
        if let Some(waker) = waker.take() {
            let replaced = waiting.replace(waker);
            drop(locked);
            drop(replaced);
            return Poll::Pending;
        }
        // M3 — and then look again.
        drop(locked);
        waker = Some(cx.waker().clone());
    }
}

impl AsyncRead for DuplexStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        poll_locked(&self.incoming, Side::Reader, cx, |pipe| pipe.read(buf))
    }
}

impl AsyncWrite for DuplexStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        poll_locked(&self.outgoing, Side::Writer, cx, |pipe| {
            pipe.write([buf].into_iter())
        })
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let waiting = self.outgoing.lock().close();
        waiting.into_iter().flatten().for_each(Waker::wake);
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        poll_locked(&self.outgoing, Side::Writer, cx, |pipe| {
            pipe.write(bufs.iter().map(|buf| &**buf))
        })
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}

impl Drop for DuplexStream {
    fn drop(&mut self) {
        // The wakers of this end itself are dropped, and not woken: nobody waits with them any more.
        let [far_reader, _own_writer] = self.outgoing.lock().close();
        let [_own_reader, far_writer] = self.incoming.lock().close();
        [far_reader, far_writer]
            .into_iter()
            .flatten()
            .for_each(Waker::wake);
    }
}

/// A pipe that goes one way, in memory; both of its ends.
///
/// What is written to it is read from it. Made in two halves by [`simplex`], or whole by
/// [`SimplexStream::new_unsplit`].
///
/// [`shutdown`](crate::io::AsyncWriteExt::shutdown) closes it: what is still there is read, then the
/// end. Dropping the writing half does not, nor does the reading half's drop fail the writer.
#[derive(Debug)]
pub struct SimplexStream {
    pipe: Pipe,
    /// Where wakers go that are due (M4): aside, or, if `None`, they are woken at once.
    due: Option<Due>,
}

/// The two halves of a pipe that goes one way, in memory.
///
/// At most `max_buf_size` bytes are on their way; further writes wait until some were read.
/// [`ReadHalf::unsplit`] puts the halves together again.
///
/// # Panics
///
/// If `max_buf_size` is 0.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let (mut reader, mut writer) = io::simplex(64);
///     writer.write_all(b"hello").await?;
///     writer.shutdown().await?;
///     let mut text = String::new();
///     reader.read_to_string(&mut text).await?;
///     assert_eq!(text, "hello");
///     Ok(())
/// }
/// ```
#[track_caller]
pub fn simplex(max_buf_size: usize) -> (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>) {
    let mut stream = SimplexStream::new_unsplit(max_buf_size);
    stream.due = Some(Due::default());
    split_with_due(stream, |stream| &mut stream.get_mut().due)
}

impl SimplexStream {
    /// A pipe for at most `max_buf_size` bytes, with both ends in one.
    ///
    /// # Panics
    ///
    /// If `max_buf_size` is 0.
    #[track_caller]
    pub fn new_unsplit(max_buf_size: usize) -> SimplexStream {
        SimplexStream {
            pipe: Pipe::new(max_buf_size),
            due: None,
        }
    }

    /// Makes an attempt on the pipe, and has `side` wait if it must.
    fn poll_with<T>(
        &mut self,
        side: Side,
        cx: &mut Context<'_>,
        attempt: impl FnOnce(&mut Pipe) -> Option<Done<T>>,
    ) -> Poll<io::Result<T>> {
        let unit = ready!(budget::poll_proceed(cx));
        let mut due = Due::default();
        let result = if let Some((result, woken)) = attempt(&mut self.pipe) {
            unit.made_progress();
            due.wake = [woken, None];
            Poll::Ready(result)
        } else {
            let waiting = self.pipe.waiting(side);
            if !waiting.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
                due.drop = waiting.replace(cx.waker().clone());
            }
            Poll::Pending
        };
        self.hand_over(due);
        result
    }

    fn hand_over(&mut self, due: Due) {
        match &mut self.due {
            Some(aside) => *aside = due,
            None => due.settle(),
        }
    }
}

impl AsyncRead for SimplexStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_mut()
            .poll_with(Side::Reader, cx, |pipe| pipe.read(buf))
    }
}

impl AsyncWrite for SimplexStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut()
            .poll_with(Side::Writer, cx, |pipe| pipe.write([buf].into_iter()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wake = self.pipe.close();
        self.hand_over(Due { wake, drop: None });
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let bufs = bufs.iter().map(|buf| &**buf);
        self.get_mut()
            .poll_with(Side::Writer, cx, |pipe| pipe.write(bufs))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::budget::{Budget, BudgetScope};
    use crate::engine::base::rng::FastRand;
    use crate::io::test_support::{Wakes, poll_once};
    use crate::io::{AsyncReadExt, AsyncWriteExt};
    use futures::executor::block_on;
    use futures::future;
    use std::sync::Arc;
    use std::task::Wake;

    /// Polls a read of up to 8 bytes with this waker.
    fn poll_read(stream: &mut (impl AsyncRead + Unpin), waker: &Waker) -> Poll<Vec<u8>> {
        let mut memory = [0; 8];
        let mut buf = ReadBuf::new(&mut memory);
        Pin::new(stream)
            .poll_read(&mut Context::from_waker(waker), &mut buf)
            .map(|result| {
                result.unwrap();
                buf.filled().to_vec()
            })
    }

    /// Polls a write with this waker.
    fn poll_write(
        stream: &mut (impl AsyncWrite + Unpin),
        bytes: &[u8],
        waker: &Waker,
    ) -> Poll<io::Result<usize>> {
        Pin::new(stream).poll_write(&mut Context::from_waker(waker), bytes)
    }

    /// Sends `data` through in random pieces and returns what arrives.
    async fn send_through(
        mut writer: impl AsyncWrite + Unpin,
        mut reader: impl AsyncRead + Unpin,
        data: &[u8],
        seed: u64,
    ) -> Vec<u8> {
        let write = async {
            let mut rng = FastRand::new(seed);
            let mut rest = data;
            while !rest.is_empty() {
                let (a, after) = rest.split_at(rest.len().min(rng.below(50) as usize));
                let b = &after[..after.len().min(rng.below(50) as usize)];
                let n = if rng.below(2) == 0 {
                    let parts = [a, b].map(IoSlice::new);
                    writer.write_vectored(&parts).await.unwrap()
                } else {
                    writer.write(a).await.unwrap()
                };
                rest = &rest[n..];
            }
            writer.shutdown().await.unwrap();
        };
        let read = async {
            let mut rng = FastRand::new(!seed);
            let mut all = vec![];
            loop {
                let mut buf = vec![0; 1 + rng.below(60) as usize];
                match reader.read(&mut buf).await.unwrap() {
                    0 => return all,
                    n => all.extend_from_slice(&buf[..n]),
                }
            }
        };
        future::join(write, read).await.1
    }

    #[test]
    fn random_pieces_arrive_in_order() {
        let mut rng = FastRand::new(51);
        for seed in 0..100 {
            let data: Vec<u8> = (0..rng.below(2000)).map(|_| rng.next_u64() as u8).collect();
            let capacity = 1 + rng.below(100) as usize;
            let (mut near, mut far) = duplex(capacity);
            let there = send_through(&mut near, &mut far, &data, seed);
            assert_eq!(block_on(there), data);
            // The way back is another pipe.
            assert_eq!(block_on(send_through(far, near, &data, seed)), data);
            let (reader, writer) = simplex(capacity);
            assert_eq!(block_on(send_through(writer, reader, &data, seed)), data);
        }
    }

    #[test]
    fn two_threads_arrive_in_order() {
        let data: Vec<u8> = (0..100_000_u32).map(|n| n as u8).collect();
        let (mut near, mut far) = duplex(100);
        let (mut reader, mut writer) = simplex(100);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                block_on(near.write_all(&data)).unwrap();
                drop(near);
            });
            scope.spawn(|| {
                let mut all = vec![];
                block_on(far.read_to_end(&mut all)).unwrap();
                assert!(all == data);
                block_on(writer.write_all(&all)).unwrap();
                block_on(writer.shutdown()).unwrap();
            });
            let mut all = vec![];
            block_on(reader.read_to_end(&mut all)).unwrap();
            assert!(all == data);
        });
    }

    #[test]
    fn no_more_than_the_capacity_is_on_its_way() {
        let (mut near, mut far) = duplex(4);
        assert_eq!(block_on(near.write(b"abcdef")).unwrap(), 4);
        let (wakes, waker) = Wakes::new();
        assert!(poll_write(&mut near, b"ef", &waker).is_pending());
        assert_eq!(
            poll_read(&mut far, Waker::noop()),
            Poll::Ready(b"abcd".to_vec())
        );
        assert_eq!(wakes.count(), 1);
        assert_eq!(block_on(near.write(b"ef")).unwrap(), 2);
    }

    #[test]
    fn a_waiting_reader_is_woken_once_by_the_last_waker() {
        let (mut near, mut far) = duplex(4);
        let ((old, old_waker), (new, new_waker)) = (Wakes::new(), Wakes::new());
        assert!(poll_read(&mut far, &old_waker).is_pending());
        assert!(poll_read(&mut far, &new_waker).is_pending());
        // The replaced one is not kept.
        assert_eq!(Arc::strong_count(&old), 2);
        assert!(poll_read(&mut far, &new_waker).is_pending());
        assert_eq!(Arc::strong_count(&new), 3);
        block_on(near.write_all(b"ab")).unwrap();
        assert_eq!((old.count(), new.count()), (0, 1));
    }

    #[test]
    fn reads_and_writes_of_nothing_are_ready_and_wake_nobody() {
        let (mut near, mut far) = duplex(2);
        let (reader, reader_waker) = Wakes::new();
        let (writer, writer_waker) = Wakes::new();
        assert!(poll_read(&mut far, &reader_waker).is_pending());
        assert_eq!(block_on(near.write(b"")).unwrap(), 0);
        assert_eq!(reader.count(), 0);
        block_on(near.write_all(b"ab")).unwrap();
        assert!(poll_write(&mut near, b"c", &writer_waker).is_pending());
        assert_eq!(block_on(near.write(b"")).unwrap(), 0);
        assert_eq!(block_on(far.read(&mut [])).unwrap(), 0);
        assert_eq!(writer.count(), 0);
        assert_eq!(
            block_on(near.write_vectored(&[IoSlice::new(b"")])).unwrap(),
            0
        );
    }

    #[test]
    fn dropping_an_end_wakes_both_waiting_sides_of_the_other() {
        let (near, mut far) = duplex(2);
        block_on(far.write_all(b"ab")).unwrap();
        let ((reader, reader_waker), (writer, writer_waker)) = (Wakes::new(), Wakes::new());
        assert!(poll_read(&mut far, &reader_waker).is_pending());
        assert!(poll_write(&mut far, b"c", &writer_waker).is_pending());
        drop(near);
        assert_eq!((reader.count(), writer.count()), (1, 1));
        assert_eq!(poll_read(&mut far, Waker::noop()), Poll::Ready(vec![]));
        let error = block_on(far.write(b"c")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn what_was_sent_before_the_drop_is_read() {
        let (mut near, mut far) = duplex(8);
        block_on(near.write_all(b"ab")).unwrap();
        drop(near);
        let mut all = vec![];
        block_on(far.read_to_end(&mut all)).unwrap();
        assert_eq!(all, b"ab");
    }

    #[test]
    fn dropping_an_end_does_not_wake_itself() {
        let (mut near, _far) = duplex(2);
        let (wakes, waker) = Wakes::new();
        assert!(poll_read(&mut near, &waker).is_pending());
        drop(near);
        drop(waker);
        assert_eq!((wakes.count(), Arc::strong_count(&wakes)), (0, 1));
    }

    #[test]
    fn shutdown_closes_one_way() {
        let (mut near, mut far) = duplex(2);
        let (wakes, waker) = Wakes::new();
        assert!(poll_read(&mut far, &waker).is_pending());
        block_on(near.shutdown()).unwrap();
        assert_eq!(wakes.count(), 1);
        assert_eq!(poll_read(&mut far, Waker::noop()), Poll::Ready(vec![]));
        let error = block_on(near.write(b"a")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        block_on(far.write_all(b"a")).unwrap();
        assert_eq!(
            poll_read(&mut near, Waker::noop()),
            Poll::Ready(b"a".to_vec())
        );
    }

    #[test]
    fn closing_a_simplex_wakes_both_sides() {
        for unsplit in [false, true] {
            let (mut reader, mut writer) = simplex(2);
            let ((first, first_waker), (second, second_waker)) = (Wakes::new(), Wakes::new());
            assert!(poll_read(&mut reader, &first_waker).is_pending());
            if unsplit {
                let mut whole = reader.unsplit(writer);
                block_on(whole.shutdown()).unwrap();
                assert_eq!(poll_read(&mut whole, Waker::noop()), Poll::Ready(vec![]));
            } else {
                assert!(poll_write(&mut writer, b"ab", Waker::noop()).is_ready());
                assert_eq!(first.count(), 1);
                assert!(poll_write(&mut writer, b"c", &second_waker).is_pending());
                block_on(writer.shutdown()).unwrap();
                assert_eq!(second.count(), 1);
                assert_eq!(
                    poll_read(&mut reader, Waker::noop()),
                    Poll::Ready(b"ab".to_vec())
                );
            }
            assert_eq!(first.count(), 1);
        }
    }

    #[test]
    fn dropping_half_a_simplex_closes_nothing() {
        let (mut reader, writer) = simplex(2);
        drop(writer);
        assert!(poll_read(&mut reader, Waker::noop()).is_pending());
    }

    #[test]
    fn an_unsplit_simplex_wakes_by_itself() {
        let mut whole = SimplexStream::new_unsplit(2);
        let (wakes, waker) = Wakes::new();
        assert!(poll_read(&mut whole, &waker).is_pending());
        block_on(whole.write_all(b"ab")).unwrap();
        assert_eq!(wakes.count(), 1);
        // Split the ordinary way too.
        let (mut reader, mut writer) = crate::io::split(whole);
        assert!(poll_write(&mut writer, b"c", &waker).is_pending());
        assert!(poll_read(&mut reader, Waker::noop()).is_ready());
        assert_eq!(wakes.count(), 2);
    }

    /// A waker that uses the stream it is woken for, on the spot.
    struct Meddler<S>(std::sync::Mutex<S>);

    impl<S: AsyncRead + Unpin + Send + 'static> Wake for Meddler<S> {
        fn wake(self: Arc<Self>) {
            let mut stream = self.0.lock().unwrap();
            assert!(poll_read(&mut *stream, Waker::noop()).is_ready());
        }
    }

    #[test]
    fn wakers_may_use_the_pipe() {
        fn wake_meddler(reader: impl AsyncRead + Unpin + Send + 'static, wake: impl FnOnce()) {
            let meddler = Arc::new(Meddler(std::sync::Mutex::new(reader)));
            let waker = Waker::from(meddler.clone());
            assert!(poll_read(&mut *meddler.0.lock().unwrap(), &waker).is_pending());
            wake();
        }
        let (mut near, far) = duplex(8);
        wake_meddler(far, || block_on(near.write_all(b"ab")).unwrap());
        let (mut near, far) = duplex(8);
        wake_meddler(far, || block_on(near.shutdown()).unwrap());
        let (near, far) = duplex(8);
        wake_meddler(far, || drop(near));
        let (reader, mut writer) = simplex(8);
        wake_meddler(reader, || block_on(writer.write_all(b"ab")).unwrap());
        let (reader, mut writer) = simplex(8);
        wake_meddler(reader, || block_on(writer.shutdown()).unwrap());
    }

    #[test]
    fn operations_spend_budget_and_waiting_does_not() {
        let _scope = BudgetScope::enter(Budget::initial());
        let (mut near, mut far) = duplex(1024);
        let mut buf = [0; 1];
        for _ in 0..200 {
            assert!(poll_once(far.read(&mut buf)).is_pending());
        }
        let written = (0..1000).take_while(|_| poll_once(near.write(b"a")).is_ready());
        assert_eq!(written.count(), 128);
        assert!(poll_once(far.read(&mut buf)).is_pending());

        let _scope = BudgetScope::enter(Budget::initial());
        let read = (0..1000).take_while(|_| poll_once(far.read(&mut buf)).is_ready());
        assert_eq!(read.count(), 128);
    }

    #[test]
    #[should_panic(expected = "`max_buf_size` must not be 0")]
    fn no_capacity_panics() {
        duplex(0);
    }

    #[test]
    fn any_capacity_is_cheap_until_used() {
        let (mut near, mut far) = duplex(usize::MAX);
        block_on(near.write_all(b"ab")).unwrap();
        assert_eq!(
            poll_read(&mut far, Waker::noop()),
            Poll::Ready(b"ab".to_vec())
        );
    }

    #[test]
    fn debug_shows_no_data() {
        let (mut near, far) = duplex(8);
        block_on(near.write_all(&[222; 5])).unwrap();
        let shown = format!("{far:?}");
        assert!(
            shown.contains("buffered: 5") && !shown.contains("222"),
            "{shown}"
        );
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::io::{AsyncReadExt, AsyncWriteExt};
    use crate::loom::thread;

    fn model(f: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(f);
    }

    /// Two bytes through room for one: each side waits for the other, and the reader for the end.
    #[test]
    fn neither_side_sleeps_for_ever() {
        model(|| {
            let (mut near, mut far) = duplex(1);
            let writer = thread::spawn(move || {
                loom::future::block_on(async move { near.write_all(&[1, 2]).await.unwrap() });
            });
            let mut all = vec![];
            let mut buf = [0; 4];
            loop {
                match loom::future::block_on(far.read(&mut buf)).unwrap() {
                    0 => break,
                    n => all.extend_from_slice(&buf[..n]),
                }
            }
            assert_eq!(all, [1, 2]);
            writer.join().unwrap();
        });
    }

    /// A writer that waits for room learns that the other end is gone.
    #[test]
    fn a_drop_ends_a_waiting_write() {
        model(|| {
            let (mut near, far) = duplex(1);
            let dropper = thread::spawn(move || drop(far));
            let error = loom::future::block_on(near.write_all(&[1, 2])).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
            dropper.join().unwrap();
        });
    }
}
