use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use crate::engine::base::budget;
use crate::io::memory::{Done, Pipe, Side};
use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use crate::loom::sync::{Arc, Mutex};

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
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        poll_locked(&self.incoming, Side::Reader, cx, |pipe| pipe.read(buf))
    }
}

impl AsyncWrite for DuplexStream {
    #[inline]
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

    #[inline]
    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let waiting = self.outgoing.lock().close();
        waiting.into_iter().flatten().for_each(Waker::wake);
        Poll::Ready(Ok(()))
    }

    #[inline]
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
