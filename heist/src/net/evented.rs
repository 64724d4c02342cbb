//! An I/O object of mio's with its registration: what every socket of this module is made of.

use std::fmt;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::os::fd::{AsFd, AsRawFd};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll, ready};

use bytes::BufMut;
use socket2::SockRef;

use crate::engine::base::words;
use crate::engine::context;
use crate::engine::reactor::{Interest, ReactorHandle, Ready, Registration};
use crate::io::ReadBuf;

/// Sending to a peer that is gone is an error of the call, never a signal, whatever the program
/// does with `SIGPIPE`. Where there is no such flag, std and mio set an option of the socket.
const NO_SIGNAL: libc::c_int = if cfg!(any(target_os = "linux", target_os = "android")) {
    libc::MSG_NOSIGNAL
} else {
    0
};

/// What a socket that may be moved is registered for (R7 of the reactor).
const BOTH: Interest = Interest::READABLE.add(Interest::WRITABLE);

/// The reactor of the runtime this thread is in, and which of that runtime's workers this is.
///
/// # Panics
///
/// Outside a runtime, and in one without I/O.
#[track_caller]
pub(crate) fn current_reactor() -> (ReactorHandle, Option<usize>) {
    match context::reactor() {
        Some(reactor) => reactor,
        None if context::current_runtime_id().is_some() => panic!("{}", words::NO_IO),
        None => panic!("{}", words::NO_RUNTIME),
    }
}

/// Retries what a signal handler interrupted.
pub(crate) fn retry<R>(mut op: impl FnMut() -> io::Result<R>) -> io::Result<R> {
    loop {
        match op() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// An `E` that its runtime's reactor watches. Dropping it takes it out of the reactor, then closes
/// it.
pub(crate) struct Evented<E: AsRawFd> {
    /// `None` only while `into_inner` takes it.
    io: Option<E>,
    registration: Registration,
}

impl<E: AsRawFd> Evented<E> {
    /// Ties `io` to the current runtime, to read and to write.
    #[track_caller]
    pub(crate) fn new(io: E) -> io::Result<Self> {
        Self::assumed(io, Ready::EMPTY)
    }

    /// As [`new`](Self::new). It is taken to be `ready` without an event that says so, which is right
    /// more often than not for a socket just made: the first operation is tried, not waited for.
    #[track_caller]
    pub(crate) fn assumed(io: E, ready: Ready) -> io::Result<Self> {
        let (reactor, worker) = current_reactor();
        Self::registered(io, &reactor, worker, BOTH, ready)
    }

    /// As [`assumed`](Self::assumed), for what was made by somebody else than this worker's task, and may be served by
    /// anybody.
    #[track_caller]
    pub(crate) fn accepted(io: E, ready: Ready) -> io::Result<Self> {
        let (reactor, _) = current_reactor();
        Self::registered(io, &reactor, None, BOTH, ready)
    }

    /// Ties `io` to the current runtime, for `interest` only.
    #[track_caller]
    pub(crate) fn with_interest(io: E, interest: Interest, ready: Ready) -> io::Result<Self> {
        let (reactor, worker) = current_reactor();
        Self::registered(io, &reactor, worker, interest, ready)
    }

    fn registered(
        io: E,
        reactor: &ReactorHandle,
        worker: Option<usize>,
        interest: Interest,
        ready: Ready,
    ) -> io::Result<Self> {
        let registration = Registration::new(reactor, worker, io.as_raw_fd(), interest, ready)?;
        Ok(Self {
            io: Some(io),
            registration,
        })
    }

    pub(crate) fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Takes the object out of the reactor.
    pub(crate) fn into_inner(mut self) -> io::Result<E> {
        let io = self.io.take().expect("taken once");
        self.registration.deregister(io.as_raw_fd())?;
        Ok(io)
    }
}

impl<E: AsRawFd> Deref for Evented<E> {
    type Target = E;

    #[inline]
    fn deref(&self) -> &E {
        self.io.as_ref().expect("there until `into_inner`")
    }
}

impl<E: AsRawFd> Drop for Evented<E> {
    fn drop(&mut self) {
        if let Some(io) = self.io.take() {
            // The socket is closed whether or not the selector gives it back.
            let _ = self.registration.deregister(io.as_raw_fd());
        }
    }
}

impl<E: AsRawFd + fmt::Debug> fmt::Debug for Evented<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

// A panic leaves no half-done state behind: the word of a registration changes in single steps.
impl<E: AsRawFd> UnwindSafe for Evented<E> {}
impl<E: AsRawFd> RefUnwindSafe for Evented<E> {}

/// The part of a [`ReadBuf`] to be filled, given to a function that fills some of it.
pub(crate) fn fill(
    buf: &mut ReadBuf<'_>,
    receive: impl FnOnce(&mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>>,
) -> Poll<io::Result<usize>> {
    // SAFETY: `receive` is one of ours, which all end in a system call that only writes.
    let n = ready!(receive(unsafe { buf.unfilled_mut() }))?;
    // SAFETY: the system says that it wrote `n` bytes.
    unsafe { buf.assume_init(n) };
    buf.advance(n);
    Poll::Ready(Ok(n))
}

/// As [`fill`], for the next chunk of a [`BufMut`].
pub(crate) fn fill_chunk<B: BufMut + ?Sized, R>(
    buf: &mut B,
    receive: impl FnOnce(&mut [MaybeUninit<u8>]) -> io::Result<(usize, R)>,
) -> io::Result<(usize, R)> {
    // SAFETY: `receive` is one of ours, which all end in a system call that only writes.
    let (n, rest) = receive(unsafe { buf.chunk_mut().as_uninit_slice_mut() })?;
    // SAFETY: the system says that it wrote `n` bytes, into a chunk that had room for them.
    unsafe { buf.advance_mut(n) };
    Ok((n, rest))
}

/// What the system takes of `bufs` at a time (`IOV_MAX`). More is refused for a socket, and left out for a pipe, which is
/// not full for that.
pub(crate) fn for_one_call<'a, 'b>(bufs: &'a [IoSlice<'b>]) -> &'a [IoSlice<'b>] {
    const MOST: usize = 1024;
    &bufs[..bufs.len().min(MOST)]
}

/// On which processor the last packet for a socket arrived, where the system tells. It does not for sockets that have
/// none.
#[cfg(target_os = "linux")]
fn arrival(socket: SockRef<'_>) -> Option<usize> {
    let processor = socket.cpu_affinity().ok()?;
    // The system says -1.
    (processor <= libc::c_int::MAX as usize).then_some(processor)
}

#[cfg(not(target_os = "linux"))]
fn arrival(_: SockRef<'_>) -> Option<usize> {
    None
}

/// Sockets, whatever they carry.
impl<E: AsRawFd + AsFd> Evented<E> {
    pub(crate) fn socket(&self) -> SockRef<'_> {
        SockRef::from(&**self)
    }

    pub(crate) fn recv(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        retry(|| self.socket().recv(buf))
    }

    pub(crate) fn send(&self, buf: &[u8]) -> io::Result<usize> {
        retry(|| self.socket().send_with_flags(buf, NO_SIGNAL))
    }

    pub(crate) fn send_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        let bufs = for_one_call(bufs);
        retry(|| self.socket().send_vectored_with_flags(bufs, NO_SIGNAL))
    }

    /// `AsyncRead::poll_read` of a stream.
    #[inline]
    pub(crate) fn poll_stream_read(
        &self,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        fill(buf, |unfilled| {
            self.registration
                .poll_stream_read(cx, unfilled.len(), || self.recv(unfilled))
        })
        .map_ok(|_| self.follow())
    }

    /// Something was read: sees, now and then, on which processor that arrived.
    #[inline]
    pub(crate) fn follow(&self) {
        self.registration
            .follow(self.as_raw_fd(), || arrival(self.socket()));
    }

    /// `AsyncWrite::poll_write` of a stream.
    #[inline]
    pub(crate) fn poll_stream_write(
        &self,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.registration
            .poll_stream_write(cx, buf.len(), || self.send(buf))
    }

    /// `AsyncWrite::poll_write_vectored` of a stream.
    pub(crate) fn poll_stream_write_vectored(
        &self,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let bufs = for_one_call(bufs);
        let len = bufs.iter().map(|buf| buf.len()).sum();
        self.registration
            .poll_stream_write(cx, len, || self.send_vectored(bufs))
    }

    /// Looks at what is there to read, and leaves it there.
    pub(crate) fn poll_peek(
        &self,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        fill(buf, |unfilled| {
            self.registration
                .poll_read_io(cx, || retry(|| self.socket().peek(unfilled)))
        })
    }

    /// Reads what is there into the next chunk of `buf`.
    pub(crate) fn try_recv_buf<B: BufMut + ?Sized>(&self, buf: &mut B) -> io::Result<usize> {
        let received = self.registration.try_io(Interest::READABLE, || {
            fill_chunk(buf, |chunk| Ok((self.recv(chunk)?, ()))).map(|(n, ())| n)
        });
        received.inspect(|_| self.follow())
    }
}

/// A descriptor that comes from elsewhere must not block: one call would hold the whole worker.
///
/// # Panics
///
/// In builds with debug assertions, if it does block; not with Tokio's `--cfg` for that.
#[track_caller]
pub(crate) fn check_nonblocking(io: &impl AsFd) -> io::Result<()> {
    let is_checked = cfg!(all(debug_assertions, not(tokio_allow_from_blocking_fd)));
    if is_checked && !SockRef::from(io).nonblocking()? {
        panic!(
            "a blocking socket cannot be used in a heist runtime: call `set_nonblocking(true)` on it \
             first"
        );
    }
    Ok(())
}
