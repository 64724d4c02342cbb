//! hyper on heist: its [`rt`] traits.
//!
//! * [`Io`] makes a stream of heist one of hyper, and one of hyper (an upgraded connection) one of
//!   heist.
//! * [`Executor`] spawns hyper's own tasks.
//! * [`Timer`] is for its timeouts, and follows a paused clock.
//!
//! hyper itself asks for Tokio's channels, and they come along from the registry; they need no
//! runtime, and no second one is there. For the same reason this feature is not for a graph in which
//! Tokio is patched to be heist: heist would depend on itself, and Cargo says so. There,
//! `hyper_util::rt` does what this module does.
//!
//! # Examples
//!
//! `heist/examples/hyper.rs` is a whole server.
//!
//! ```no_run
//! use heist::adapt::hyper::{Io, Timer};
//! use heist::net::TcpListener;
//! use hyper::server::conn::http1;
//! use hyper::service::service_fn;
//! use hyper::{Request, Response, body::Incoming};
//!
//! async fn hello(_: Request<Incoming>) -> Result<Response<String>, hyper::Error> {
//!     Ok(Response::new("Hello, World!".to_owned()))
//! }
//!
//! #[heist::main]
//! async fn main() -> std::io::Result<()> {
//!     let listener = TcpListener::bind("127.0.0.1:3000").await?;
//!     loop {
//!         let (stream, _) = listener.accept().await?;
//!         heist::spawn(
//!             http1::Builder::new()
//!                 .timer(Timer::new())
//!                 .serve_connection(Io::new(stream), service_fn(hello)),
//!         );
//!     }
//! }
//! ```

use std::future::Future;
use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ::hyper::rt;
use pin_project_lite::pin_project;

use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use crate::time::{self, Instant};

pin_project! {
    /// A stream of heist's traits as one of hyper's, or the other way round.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Io<T> {
        #[pin]
        stream: T,
    }
}

impl<T> Io<T> {
    /// Wraps a stream.
    pub fn new(stream: T) -> Self {
        Self { stream }
    }

    inside!();
}

impl<T: AsyncRead> rt::Read for Io<T> {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut cursor: rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        // SAFETY: `ReadBuf` keeps every value that is in its memory (B2).
        let mut buf = ReadBuf::uninit(unsafe { cursor.as_mut() });
        let room = buf.remaining();
        let count = ready!(buf.poll_fill_from(self.project().stream, cx, room))?;
        // SAFETY: so many bytes at the front of the cursor's memory were filled, and what is filled
        // is initialised (B1, B2; B3: they are this cursor's own).
        unsafe { cursor.advance(count) };
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite> rt::Write for Io<T> {
    pass_on_writes!(poll_shutdown to poll_shutdown);
    pass_on_vectored_writes!();

    #[inline]
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

impl<T: rt::Read> AsyncRead for Io<T> {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // SAFETY: hyper's buffer keeps every value that is in its memory.
        let mut part = rt::ReadBuf::uninit(unsafe { buf.unfilled_mut() });
        ready!(self.project().stream.poll_read(cx, part.unfilled()))?;
        let count = part.filled().len();
        // SAFETY: so many bytes at the front of the unfilled part hold values now. A reader is lent
        // a cursor, by which it cannot put another buffer in the place of ours.
        unsafe { buf.assume_init(count) };
        buf.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<T: rt::Write> AsyncWrite for Io<T> {
    pass_on_writes!(poll_shutdown to poll_shutdown);
    pass_on_vectored_writes!();

    #[inline]
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// Spawns what hyper wants to run beside its connections, on the runtime of whoever polls them.
///
/// # Panics
///
/// [`execute`](rt::Executor::execute) panics outside of a runtime, as [`spawn`](crate::spawn) does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Executor(());

impl Executor {
    /// There is nothing to set.
    pub fn new() -> Self {
        Self(())
    }
}

impl<F> rt::Executor<F> for Executor
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    #[track_caller]
    fn execute(&self, future: F) {
        drop(crate::spawn(future));
    }
}

/// Timeouts of hyper's, by the clock of the runtime.
///
/// # Panics
///
/// As [`sleep`](time::sleep) does, its sleeps need a runtime with timers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timer(());

impl Timer {
    /// There is nothing to set.
    pub fn new() -> Self {
        Self(())
    }
}

impl rt::Timer for Timer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Sleep {
            sleep: time::sleep(duration),
        })
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Sleep {
            sleep: time::sleep_until(deadline.into()),
        })
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into()
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn rt::Sleep>>, deadline: std::time::Instant) {
        match sleep.as_mut().downcast_mut_pin::<Sleep>() {
            // The same allocation and the same entry among the timers.
            Some(sleep) => sleep.project().sleep.reset(deadline.into()),
            None => *sleep = self.sleep_until(deadline),
        }
    }
}

pin_project! {
    struct Sleep {
        #[pin]
        sleep: time::Sleep,
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().sleep.poll(cx)
    }
}

impl rt::Sleep for Sleep {}
