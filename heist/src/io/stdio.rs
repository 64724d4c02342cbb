//! The process's own streams. Each operation is a job on the pool.
//!
//! Systems do not let one wait for these streams in a way that works for whatever they lead to
//! (terminal, pipe, file), and making them non-blocking would be seen by all processes that share
//! them. So each handle here has at most one job under way, which owns the buffer; whoever polls next
//! brings it home first, as with [`fs::File`](crate::fs::File). Jobs that write are mandatory: what
//! was accepted is written even if the runtime is shut down before.
//!
//! What starts a job is `inline`, so that the jobs are compiled by programs that have some, and not with every program.

use std::io::{self, IoSlice, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::engine::reactor::rt_shutdown_err;
use crate::io::pool_buf::{MAX_BUF_SIZE, PoolBuf};
use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use crate::runtime::Handle;
use crate::task::{JoinHandle, spawn_blocking};

/// A handle to the process's standard input.
///
/// For a program that reads input from a pipe or a file. Reads go through the buffer that all of the
/// process shares, std's handles included, so several handles share the input between them, byte by
/// byte as they come.
///
/// **Not for interactive programs**: a read waits in the pool until the user has typed a line, and
/// cannot be cancelled. If the future is dropped, what comes is kept for the next read of the *same*
/// handle; and a runtime that shuts down waits for it. A thread of one's own that reads with std and
/// sends lines over a channel is better there.
///
/// # Examples
///
/// ```no_run
/// use heist::io::{AsyncBufReadExt, BufReader, stdin};
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let mut lines = BufReader::new(stdin()).lines();
/// let mut count = 0;
/// while lines.next_line().await?.is_some() {
///     count += 1;
/// }
/// println!("{count} lines");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Stdin {
    jobs: Jobs,
    std: io::Stdin,
}

/// Makes a handle to the process's standard input; see [`Stdin`].
pub fn stdin() -> Stdin {
    Stdin {
        jobs: Jobs::new(),
        std: io::stdin(),
    }
}

/// A handle to the process's standard output.
///
/// A write is done when the data has been accepted. **[`flush`] before you let go of the handle**,
/// or before something has to appear: only then is it all written, and only then are all errors
/// known. Data that was accepted is written without it too, by and by, and before the end of an
/// orderly shutdown of the runtime.
///
/// Two handles write independently, and std's `println!` as well: what they write can come in any
/// order, and large writes can be mixed. Make one handle and share it, behind a lock, where that
/// matters.
///
/// [`flush`]: crate::io::AsyncWriteExt::flush
///
/// # Examples
///
/// ```
/// use heist::io::{AsyncWriteExt, stdout};
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let mut stdout = stdout();
/// stdout.write_all(b"hands up\n").await?;
/// stdout.flush().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Stdout {
    writer: Writer,
    std: io::Stdout,
}

/// Makes a handle to the process's standard output; see [`Stdout`].
pub fn stdout() -> Stdout {
    Stdout {
        writer: Writer::new(),
        std: io::stdout(),
    }
}

/// A handle to the process's standard error.
///
/// Behaves as [`Stdout`] does: flush it.
///
/// # Examples
///
/// ```
/// use heist::io::{AsyncWriteExt, stderr};
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let mut stderr = stderr();
/// stderr.write_all(b"the safe is empty\n").await?;
/// stderr.flush().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Stderr {
    writer: Writer,
    std: io::Stderr,
}

/// Makes a handle to the process's standard error; see [`Stderr`].
pub fn stderr() -> Stderr {
    Stderr {
        writer: Writer::new(),
        std: io::stderr(),
    }
}

/// What a handle is doing.
#[derive(Debug)]
enum Jobs {
    Idle(PoolBuf),
    Busy(JoinHandle<(io::Result<()>, PoolBuf)>),
}

impl Jobs {
    fn new() -> Self {
        Self::Idle(PoolBuf::default())
    }

    /// Waits until no job is under way; gives what the last one came to, if there was one, and the
    /// buffer.
    fn poll_settle(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<(Option<io::Result<()>>, &mut PoolBuf)> {
        let outcome = match self {
            Self::Idle(_) => None,
            Self::Busy(join) => {
                let (result, buf) = ready!(Pin::new(join).poll(cx)).unwrap_or_else(|_| {
                    // Not run, or panicked: its buffer is gone with it.
                    (Err(not_run()), PoolBuf::default())
                });
                *self = Self::Idle(buf);
                Some(result)
            }
        };
        let Self::Idle(buf) = self else {
            unreachable!("it has just settled");
        };
        Poll::Ready((outcome, buf))
    }
}

/// The error of a job that the pool did not run, or did not run to its end.
fn not_run() -> io::Error {
    io::Error::other("background task failed")
}

impl AsyncRead for Stdin {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        dst: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let jobs = &mut self.get_mut().jobs;
        loop {
            let (outcome, buf) = ready!(jobs.poll_settle(cx));
            if outcome.is_some() || !buf.is_empty() || dst.remaining() == 0 {
                buf.copy_to(dst);
                return Poll::Ready(outcome.unwrap_or(Ok(())));
            }
            let mut buf = std::mem::take(buf);
            let max = dst.remaining().min(MAX_BUF_SIZE);
            *jobs = Jobs::Busy(spawn_blocking(move || {
                let result = buf.read_from(&mut io::stdin(), max);
                (result, buf)
            }));
        }
    }
}

/// What [`Stdout`] and [`Stderr`] have in common.
#[derive(Debug)]
struct Writer {
    jobs: Jobs,
    /// Something was written since std's handle was last flushed.
    dirty: bool,
}

impl Writer {
    fn new() -> Self {
        Self {
            jobs: Jobs::new(),
            dirty: false,
        }
    }

    /// Starts a job when there is none.
    fn start(
        &mut self,
        mut buf: PoolBuf,
        job: impl FnOnce(&mut PoolBuf) -> io::Result<()> + Send + 'static,
    ) -> io::Result<()> {
        let join = Handle::current().submit_mandatory(move || {
            let result = job(&mut buf);
            (result, buf)
        });
        self.jobs = Jobs::Busy(join.ok_or_else(rt_shutdown_err)?);
        Ok(())
    }

    fn poll_write<W: Write + 'static>(
        &mut self,
        stream: fn() -> W,
        cx: &mut Context<'_>,
        src: &[u8],
    ) -> Poll<io::Result<usize>> {
        let (outcome, buf) = ready!(self.jobs.poll_settle(cx));
        outcome.transpose()?;
        let mut buf = std::mem::take(buf);
        let len = buf.copy_from(&[IoSlice::new(src)], MAX_BUF_SIZE);
        self.start(buf, move |buf| buf.write_to(&mut stream()))?;
        self.dirty = true;
        Poll::Ready(Ok(len))
    }

    fn poll_flush<W: Write + 'static>(
        &mut self,
        stream: fn() -> W,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let (outcome, buf) = ready!(self.jobs.poll_settle(cx));
            outcome.transpose()?;
            if !self.dirty {
                return Poll::Ready(Ok(()));
            }
            let buf = std::mem::take(buf);
            self.start(buf, move |_| stream().flush())?;
            self.dirty = false;
        }
    }
}

impl AsyncWrite for Stdout {
    #[inline]
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.writer.poll_write(io::stdout, cx, buf)
    }

    #[inline]
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer.poll_flush(io::stdout, cx)
    }

    /// Flushes: the stream itself belongs to the process and stays open.
    #[inline]
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

impl AsyncWrite for Stderr {
    #[inline]
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.writer.poll_write(io::stderr, cx, buf)
    }

    #[inline]
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer.poll_flush(io::stderr, cx)
    }

    /// Flushes: the stream itself belongs to the process and stays open.
    #[inline]
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

impl AsRawFd for Stdin {
    fn as_raw_fd(&self) -> RawFd {
        self.std.as_raw_fd()
    }
}

impl AsRawFd for Stdout {
    fn as_raw_fd(&self) -> RawFd {
        self.std.as_raw_fd()
    }
}

impl AsRawFd for Stderr {
    fn as_raw_fd(&self) -> RawFd {
        self.std.as_raw_fd()
    }
}

impl AsFd for Stdin {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.std.as_fd()
    }
}

impl AsFd for Stdout {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.std.as_fd()
    }
}

impl AsFd for Stderr {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.std.as_fd()
    }
}
