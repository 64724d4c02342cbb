//! [`split`]: two halves of one stream, to be used by two tasks.
//!
//! The stream is behind a lock that each half takes for the length of one poll. It stays at its
//! place until both halves are gone, or until [`ReadHalf::unsplit`], which asks that it may be moved:
//! it is pinned (H1).

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use crate::loom::sync::{Arc, Mutex};

/// The half to read from.
///
/// Made by [`split`].
pub struct ReadHalf<T> {
    whole: Arc<Whole<T>>,
}

/// The half to write to.
///
/// Made by [`split`]. Dropping it does not shut the stream down:
/// [`shutdown`](crate::io::AsyncWriteExt::shutdown) does.
pub struct WriteHalf<T> {
    whole: Arc<Whole<T>>,
}

struct Whole<T> {
    stream: Mutex<T>,
    is_write_vectored: bool,
    /// Where the stream puts wakers aside, if it does.
    due: Option<DuePlace<T>>,
}

/// Tells where in a stream the wakers are that were put aside.
type DuePlace<T> = fn(Pin<&mut T>) -> &mut Option<Due>;

/// Wakers that were taken out under a lock, for after it.
#[derive(Debug, Default)]
pub(super) struct Due {
    pub(super) wake: [Option<Waker>; 2],
    pub(super) drop: Option<Waker>,
}

impl Due {
    pub(super) fn settle(self) {
        self.wake.into_iter().flatten().for_each(Waker::wake);
    }
}

/// Makes a half to read from and a half to write to of one stream.
///
/// The halves can go to different tasks. They share a lock, so that only one of them is polled at a
/// time; a stream that knows how to be split does it better itself. [`ReadHalf::unsplit`] puts them
/// together again.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let (near, mut far) = io::duplex(64);
///     let (mut reader, mut writer) = io::split(near);
///     writer.write_all(b"ping").await?;
///     let mut word = [0; 4];
///     far.read_exact(&mut word).await?;
///     far.write_all(&word).await?;
///     reader.read_exact(&mut word).await?;
///     assert_eq!(&word, b"ping");
///     Ok(())
/// }
/// ```
pub fn split<T>(stream: T) -> (ReadHalf<T>, WriteHalf<T>)
where
    T: AsyncRead + AsyncWrite,
{
    halves(stream, None)
}

/// As [`split`], for a stream that puts wakers aside; they are woken after unlocking.
pub(super) fn split_with_due<T>(stream: T, due: DuePlace<T>) -> (ReadHalf<T>, WriteHalf<T>)
where
    T: AsyncRead + AsyncWrite,
{
    halves(stream, Some(due))
}

fn halves<T: AsyncWrite>(stream: T, due: Option<DuePlace<T>>) -> (ReadHalf<T>, WriteHalf<T>) {
    let whole = Arc::new(Whole {
        is_write_vectored: stream.is_write_vectored(),
        stream: Mutex::new(stream),
        due,
    });
    let reader = ReadHalf {
        whole: whole.clone(),
    };
    (reader, WriteHalf { whole })
}

impl<T> Whole<T> {
    fn with<R>(&self, f: impl FnOnce(Pin<&mut T>) -> R) -> R {
        let mut locked = self.stream.lock();
        // SAFETY: H1 — behind the lock nobody moves the stream.
        let mut stream = unsafe { Pin::new_unchecked(&mut *locked) };
        let result = f(stream.as_mut());
        let due = match self.due {
            Some(place) => place(stream).as_mut().map(std::mem::take),
            None => None,
        };
        drop(locked);
        if let Some(due) = due {
            due.settle();
        }
        result
    }
}

impl<T> ReadHalf<T> {
    /// Whether the two are halves of one stream.
    pub fn is_pair_of(&self, other: &WriteHalf<T>) -> bool {
        Arc::ptr_eq(&self.whole, &other.whole)
    }

    /// Puts the halves together again.
    ///
    /// # Panics
    ///
    /// If they are not halves of one stream; [`is_pair_of`](Self::is_pair_of) tells.
    #[track_caller]
    pub fn unsplit(self, wr: WriteHalf<T>) -> T
    where
        T: Unpin,
    {
        assert!(
            self.is_pair_of(&wr),
            "`unsplit` was given the `WriteHalf` of another stream"
        );
        drop(wr);
        let whole = Arc::try_unwrap(self.whole)
            .ok()
            .expect("there are only two halves");
        let mut stream = whole.stream.into_inner();
        if let Some(place) = whole.due {
            // Nobody unlocks any more: from now on wakers are woken at once.
            *place(Pin::new(&mut stream)) = None;
        }
        stream
    }
}

impl<T> WriteHalf<T> {
    /// Whether the two are halves of one stream.
    pub fn is_pair_of(&self, other: &ReadHalf<T>) -> bool {
        other.is_pair_of(self)
    }
}

impl<T: AsyncRead> AsyncRead for ReadHalf<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.whole.with(|stream| stream.poll_read(cx, buf))
    }
}

impl<T: AsyncWrite> AsyncWrite for WriteHalf<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.whole.with(|stream| stream.poll_write(cx, buf))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.whole.with(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.whole.with(|stream| stream.poll_shutdown(cx))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.whole
            .with(|stream| stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.whole.is_write_vectored
    }
}

// SAFETY: a shared half gives no access to the stream at all: it tells which stream it is of, and
// whether that is vectored, which never changes. (The lock alone would ask for `T: Send`.)
unsafe impl<T: Sync> Sync for ReadHalf<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for WriteHalf<T> {}

impl<T: fmt::Debug> fmt::Debug for ReadHalf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadHalf").finish_non_exhaustive()
    }
}

impl<T: fmt::Debug> fmt::Debug for WriteHalf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteHalf").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::io::test_support::{Taking, writer};
    use crate::io::{AsyncReadExt, AsyncWriteExt, join};
    use futures::executor::block_on;
    use std::cell::Cell;
    use std::marker::PhantomPinned;

    #[test]
    fn each_half_does_its_part() {
        block_on(async {
            let stream = join(&b"abc"[..], writer([Taking::Bytes(9)]).vectored());
            let (mut reader, mut writer) = split(stream);
            assert!(writer.is_write_vectored());
            let mut text = String::new();
            reader.read_to_string(&mut text).await.unwrap();
            let parts = [IoSlice::new(b"x"), IoSlice::new(b"yz")];
            assert_eq!(writer.write_vectored(&parts).await.unwrap(), 3);
            writer.shutdown().await.unwrap();
            let (_, written) = reader.unsplit(writer).into_inner();
            assert_eq!((text.as_str(), written.flushed()), ("abc", &b"xyz"[..]));
            assert!(written.is_shut_down());
        });
    }

    #[test]
    fn halves_know_each_other() {
        let (a_reader, a_writer) = split(join(&b""[..], vec![]));
        let (b_reader, b_writer) = split(join(&b""[..], vec![]));
        assert!(a_reader.is_pair_of(&a_writer) && a_writer.is_pair_of(&a_reader));
        assert!(!a_reader.is_pair_of(&b_writer) && !a_writer.is_pair_of(&b_reader));
    }

    #[test]
    #[should_panic(expected = "`WriteHalf` of another stream")]
    fn halves_of_two_streams_do_not_fit() {
        let (reader, _) = split(join(&b""[..], vec![]));
        let (_, writer) = split(join(&b""[..], vec![]));
        reader.unsplit(writer);
    }

    #[test]
    fn sendable_as_the_stream_is() {
        fn send<T: Send>() {}
        fn sync<T: Sync>() {}
        fn unpin<T: Unpin>() {}
        send::<ReadHalf<Cell<u8>>>();
        send::<WriteHalf<Cell<u8>>>();
        sync::<ReadHalf<std::sync::MutexGuard<'static, u8>>>();
        sync::<WriteHalf<std::sync::MutexGuard<'static, u8>>>();
        unpin::<ReadHalf<PhantomPinned>>();
        unpin::<WriteHalf<PhantomPinned>>();
    }
}
