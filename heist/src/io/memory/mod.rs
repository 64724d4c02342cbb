//! Pipes in memory: [`duplex()`], two ways, and [`simplex()`], one way.
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
//! * M4. `split` runs a `SimplexStream` under its lock. For the halves that [`simplex()`] returns,
//!   the wakers to wake or to drop are put aside ([`Due`](crate::io::halves::Due)), and `split`
//!   settles that after unlocking. (Only the clone of a waker is made under that lock.)
//!
//! **Orderings.** All under the lock.
//!
//! **Rejected.** `BytesMut` for the queue: it moves what is left to the front, or into a new
//! allocation, again and again, where a ring copies each byte once in and once out.
//!
//! **Tested by** `tests` (against plain buffers; wakes counted; a waker that uses the pipe) and
//! `loom_tests::neither_side_sleeps_for_ever` (without M3's second look the model deadlocks).

mod duplex;
mod simplex;

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::task::Waker;

use crate::io::ReadBuf;

pub use self::duplex::{DuplexStream, duplex};
pub use self::simplex::{SimplexStream, simplex};

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
