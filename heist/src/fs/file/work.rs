//! What a file is doing: at most one job on the pool, and what came of it.
//!
//! **What.** A file's descriptor has one position, so its reads, writes and seeks go one after the
//! other. [`Work`] is where they queue up: at any time it is idle, or one job is under way and owns
//! the buffer. Whoever polls next first brings that job home, whoever started it; this is how a
//! cancelled operation leaves a right state behind.
//!
//! **States.**
//!
//! ```text
//!                       read, write, seek, resize
//! Idle { buf, position } ─────────────────────────▶ Busy(join)
//!            ▲                  poll_settle              │
//!            └───────────────────────────────────────────┘
//! ```
//!
//! **Rules.**
//! * F1. Bytes in an idle buffer were read and not asked for: the descriptor is that far ahead of
//!   where the user thinks it is. A read takes them first. Everything else that depends on the
//!   position goes back by as many bytes in its own job, before its own work.
//! * F2. A write has happened for its caller when its job is accepted. So its job is mandatory, and
//!   its error is kept until a write, a flush or a shutdown can report it. Each error is reported
//!   once.
//! * F3. A job that did not run (shutdown) or panicked takes its buffer with it. The file is idle
//!   then, with an empty one: each later operation fails or works for itself.
//!
//! What starts a job is `inline`, so that the jobs are compiled by programs that have some, and not with every program.
//!
//! **Rejected.** *Keeping only the kind of a write's error* (Tokio): the system's code is what one
//! wants to see. *Flushing before settling* (Tokio's order): with an error kept and a read under way,
//! `set_len` met a busy file.
//!
//! **Tested by** `tests/fs.rs`.

use std::fs;
use std::io::{self, IoSlice, Seek, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::fs::not_run;
use crate::io::ReadBuf;
use crate::io::pool_buf::PoolBuf;
use crate::loom::sync::Arc;
use crate::runtime::Handle;
use crate::task::{JoinHandle, spawn_blocking};

#[derive(Debug)]
pub(super) struct Work {
    state: State,
    /// What the last seek came to.
    position: u64,
    /// Of a write that was accepted and then failed (F2).
    write_error: Option<io::Error>,
}

#[derive(Debug)]
enum State {
    Idle(PoolBuf),
    Busy(JoinHandle<(Outcome, PoolBuf)>),
}

/// What a job came to.
#[derive(Debug)]
pub(super) enum Outcome {
    Read(io::Result<()>),
    Write(io::Result<()>),
    Seek(io::Result<u64>),
    Resize(io::Result<()>),
}

/// Puts the descriptor back to where the user thinks it is (F1).
fn go_back(mut file: &fs::File, unread: usize) -> io::Result<()> {
    if unread > 0 {
        // A buffer is never larger than `isize::MAX`.
        file.seek(SeekFrom::Current(-(unread as i64)))?;
    }
    Ok(())
}

impl Work {
    pub(super) fn new() -> Self {
        Self {
            state: State::Idle(PoolBuf::default()),
            position: 0,
            write_error: None,
        }
    }

    /// Waits until no job is under way; gives what the last one came to, if there was one. The error
    /// of a write is kept (F2), and an `Err` is a job that was not run (F3).
    fn poll_settle(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Outcome>>> {
        let State::Busy(join) = &mut self.state else {
            return Poll::Ready(Ok(None));
        };
        let Ok((mut outcome, buf)) = ready!(Pin::new(join).poll(cx)) else {
            self.state = State::Idle(PoolBuf::default());
            return Poll::Ready(Err(not_run()));
        };
        self.state = State::Idle(buf);
        match &mut outcome {
            Outcome::Write(result) => {
                if let Err(error) = std::mem::replace(result, Ok(())) {
                    self.write_error = Some(error);
                }
            }
            Outcome::Seek(Ok(position)) => self.position = *position,
            Outcome::Read(_) | Outcome::Seek(Err(_)) | Outcome::Resize(_) => {}
        }
        Poll::Ready(Ok(Some(outcome)))
    }

    /// Waits until no job is under way, whatever it comes to. What has to be told is kept.
    pub(super) fn poll_quiet(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Err(error) = ready!(self.poll_settle(cx)) {
            self.write_error.get_or_insert(error);
        }
        Poll::Ready(())
    }

    fn take_write_error(&mut self) -> io::Result<()> {
        self.write_error.take().map_or(Ok(()), Err)
    }

    /// The buffer, for a job.
    fn take_buf(&mut self) -> PoolBuf {
        match &mut self.state {
            State::Idle(buf) => std::mem::take(buf),
            State::Busy(_) => unreachable!("one job at a time"),
        }
    }

    #[inline]
    pub(super) fn poll_read(
        &mut self,
        file: &Arc<fs::File>,
        max: usize,
        cx: &mut Context<'_>,
        dst: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let outcome = ready!(self.poll_settle(cx))?;
            let State::Idle(buf) = &mut self.state else {
                unreachable!("it has just settled");
            };
            match outcome {
                // Also a read that somebody else has started: the bytes are next, or the end.
                Some(Outcome::Read(result)) => {
                    buf.copy_to(dst);
                    return Poll::Ready(result);
                }
                // Now that it is out of the way.
                Some(_) => {}
                None => {
                    if !buf.is_empty() || dst.remaining() == 0 {
                        buf.copy_to(dst);
                        return Poll::Ready(Ok(()));
                    }
                    let mut buf = self.take_buf();
                    let file = Arc::clone(file);
                    let max = max.min(dst.remaining());
                    self.state = State::Busy(spawn_blocking(move || {
                        let result = buf.read_from(&mut &*file, max);
                        (Outcome::Read(result), buf)
                    }));
                }
            }
        }
    }

    #[inline]
    pub(super) fn poll_write(
        &mut self,
        file: &Arc<fs::File>,
        max: usize,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.take_write_error()?;
        ready!(self.poll_settle(cx))?;
        self.take_write_error()?;

        let runtime = Handle::current();
        let mut buf = self.take_buf();
        let unread = buf.discard();
        let len = buf.copy_from(parts, max);
        let file = Arc::clone(file);
        let join = runtime.submit_mandatory(move || {
            let result = go_back(&file, unread).and_then(|()| buf.write_to(&mut &*file));
            // The position was not found again: these bytes belong nowhere.
            buf.discard();
            (Outcome::Write(result), buf)
        });
        self.state = State::Busy(join.ok_or_else(not_run)?);
        Poll::Ready(Ok(len))
    }

    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.take_write_error()?;
        ready!(self.poll_settle(cx))?;
        Poll::Ready(self.take_write_error())
    }

    #[inline]
    pub(super) fn start_seek(&mut self, file: &Arc<fs::File>, to: SeekFrom) -> io::Result<()> {
        if let State::Busy(_) = self.state {
            return Err(io::Error::other(
                "an operation is under way: a seek starts after `poll_complete`",
            ));
        }
        let mut buf = self.take_buf();
        let unread = buf.discard();
        let file = Arc::clone(file);
        self.state = State::Busy(spawn_blocking(move || {
            // Back first, wherever `to` starts from: the seek may fail, and then one stays there.
            let result = go_back(&file, unread).and_then(|()| (&*file).seek(to));
            (Outcome::Seek(result), buf)
        }));
        Ok(())
    }

    pub(super) fn poll_seek_done(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        match ready!(self.poll_settle(cx))? {
            Some(Outcome::Seek(result)) => Poll::Ready(result),
            _ => Poll::Ready(Ok(self.position)),
        }
    }

    /// Starts a job that changes the file's length; the work has to be quiet.
    #[inline]
    pub(super) fn start_resize(&mut self, file: &Arc<fs::File>, len: u64) {
        let mut buf = self.take_buf();
        // They may be cut off; and what is written next belongs where the user thinks it does.
        let unread = buf.discard();
        let file = Arc::clone(file);
        self.state = State::Busy(spawn_blocking(move || {
            let result = go_back(&file, unread).and_then(|()| file.set_len(len));
            (Outcome::Resize(result), buf)
        }));
    }

    /// Waits for the job of [`start_resize`](Self::start_resize).
    pub(super) fn poll_resized(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match ready!(self.poll_settle(cx))? {
            Some(Outcome::Resize(result)) => Poll::Ready(result),
            outcome => unreachable!("nobody else can start a job meanwhile: {outcome:?}"),
        }
    }
}
