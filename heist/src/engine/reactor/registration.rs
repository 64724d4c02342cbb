//! An I/O object's tie to its reactor, and the operations on it.
//!
//! Every operation is tried before it is waited for: if the flag says ready, the system call comes
//! first, and only "would block" clears the flag and waits. Each try spends one unit of the task's
//! budget, so that a socket that is always ready, or one whose events are always false alarms, does
//! not keep its worker.

use std::future::poll_fn;
use std::io;
use std::os::fd::RawFd;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll, ready};

use super::ReactorHandle;
use super::error::rt_shutdown_err;
use super::ready::{Interest, Ready};
use super::source::{Direction, ReadyEvent, Source};
use crate::engine::base::budget;
use crate::loom::sync::Arc;

/// Edges: with these selectors a short read or write proves that the socket is drained or full, as
/// anything that changes it afterwards is a new event. Of others that is not known, and nothing is taken
/// to be over before an operation says "would block".
const SHORT_MEANS_OVER: bool = cfg!(any(
    target_os = "android",
    target_os = "illumos",
    target_os = "linux",
    target_os = "redox",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "ios",
    target_os = "macos",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "tvos",
    target_os = "visionos",
    target_os = "watchos",
));

/// A place in a reactor. Ends when dropped; [`deregister`](Self::deregister) comes first if the
/// object lives on, or shares its descriptor with one that does.
#[derive(Debug)]
pub(crate) struct Registration {
    reactor: ReactorHandle,
    source: Arc<Source>,
}

impl Registration {
    /// Ties `fd` to `reactor`, for `worker` if one of its runtime's does so. It is taken to be `ready` until an
    /// operation says otherwise.
    ///
    /// # Errors
    ///
    /// The system's, or that the reactor has shut down. Nothing is left behind.
    pub(crate) fn new(
        reactor: &ReactorHandle,
        worker: Option<usize>,
        fd: RawFd,
        interest: Interest,
        ready: Ready,
    ) -> io::Result<Self> {
        // The slot comes first: events may arrive as soon as the system knows the token.
        let registration = Self {
            source: reactor.shards().insert(worker, ready)?,
            reactor: reactor.clone(),
        };
        let place = registration.source.place();
        reactor.shards().watch(fd, place, interest)?;
        Ok(registration)
    }

    /// Takes `fd` back from the system's selector. The slot goes with the registration itself.
    pub(crate) fn deregister(&mut self, fd: RawFd) -> io::Result<()> {
        self.reactor.shards().unwatch(fd, self.source.place())
    }

    /// R8, R9: something was read from `fd`: it may be time to see to it that this happens in the shard where its packets
    /// arrive, or in the first. `arrives` tells on which processor that is.
    #[inline]
    pub(crate) fn follow(&self, fd: RawFd, arrives: impl FnOnce() -> Option<usize>) {
        let shards = self.reactor.shards();
        if shards.are_several() {
            shards.follow(&self.source, fd, arrives);
        }
    }

    #[cfg(test)]
    pub(super) fn source_for_tests(&self) -> &Arc<Source> {
        &self.source
    }

    /// What an operation has found to be over, unless something happened since.
    pub(crate) fn clear_readiness(&self, event: ReadyEvent) {
        self.source.clear(event);
    }

    /// Ready to read, or the task is woken when it is. Only the last task to ask is woken.
    pub(crate) fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<ReadyEvent>> {
        self.poll_ready(cx, Direction::READ)
    }

    /// Ready to write, or the task is woken when it is. Only the last task to ask is woken.
    pub(crate) fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<ReadyEvent>> {
        self.poll_ready(cx, Direction::WRITE)
    }

    fn poll_ready(
        &self,
        cx: &mut Context<'_>,
        direction: Direction,
    ) -> Poll<io::Result<ReadyEvent>> {
        let coop = ready!(budget::poll_proceed(cx));
        let event = ready!(self.source.poll_ready(cx, direction));
        coop.made_progress();
        Poll::Ready(live(event))
    }

    /// Does `op` when there is something to read. Only the last task to wait is woken.
    pub(crate) fn poll_read_io<R>(
        &self,
        cx: &mut Context<'_>,
        mut op: impl FnMut() -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_io(cx, Direction::READ, || op().map(|r| (r, Extent::Unknown)))
    }

    /// Does `op` when there is room to write. Only the last task to wait is woken.
    pub(crate) fn poll_write_io<R>(
        &self,
        cx: &mut Context<'_>,
        mut op: impl FnMut() -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_io(cx, Direction::WRITE, || op().map(|r| (r, Extent::Unknown)))
    }

    /// As [`poll_read_io`](Self::poll_read_io), for a byte stream: `op` gives how many bytes it
    /// read, of `len` it had room for.
    #[inline]
    pub(crate) fn poll_stream_read(
        &self,
        cx: &mut Context<'_>,
        len: usize,
        op: impl FnMut() -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        self.poll_io(cx, Direction::READ, Extent::measured(len, op))
    }

    /// As [`poll_write_io`](Self::poll_write_io), for a byte stream: `op` gives how many bytes it
    /// wrote, of `len` it had.
    #[inline]
    pub(crate) fn poll_stream_write(
        &self,
        cx: &mut Context<'_>,
        len: usize,
        op: impl FnMut() -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        self.poll_io(cx, Direction::WRITE, Extent::measured(len, op))
    }

    #[inline]
    fn poll_io<R>(
        &self,
        cx: &mut Context<'_>,
        direction: Direction,
        mut op: impl FnMut() -> io::Result<(R, Extent)>,
    ) -> Poll<io::Result<R>> {
        loop {
            let coop = ready!(budget::poll_proceed(cx));
            let event = live(ready!(self.source.poll_ready(cx, direction)))?;
            coop.made_progress();
            match op() {
                Ok((result, extent)) => {
                    if extent == Extent::Short {
                        self.source.clear(event);
                    }
                    return Poll::Ready(Ok(result));
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.source.clear(event),
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
    }

    /// Does `op` if the flags say that it would not wait.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if it would, or if `op` says so; else `op`'s.
    pub(crate) fn try_io<R>(
        &self,
        interest: Interest,
        op: impl FnOnce() -> io::Result<R>,
    ) -> io::Result<R> {
        let event = self.source.peek(interest);
        if event.ready.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let result = op();
        if let Err(e) = &result
            && e.kind() == io::ErrorKind::WouldBlock
        {
            self.source.clear(event);
        }
        result
    }

    /// Waits until there is something to be done for `interest`. Any number of tasks may wait.
    ///
    /// Costs no budget: it does nothing yet.
    pub(crate) async fn readiness(&self, interest: Interest) -> io::Result<ReadyEvent> {
        live(self.source.readiness(interest).await)
    }

    /// Waits until `op` does not say "would block" any more. Any number of tasks may wait.
    pub(crate) async fn async_io<R>(
        &self,
        interest: Interest,
        mut op: impl FnMut() -> io::Result<R>,
    ) -> io::Result<R> {
        loop {
            let event = self.readiness(interest).await?;
            poll_fn(budget::poll_proceed).await.made_progress();
            match op() {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.source.clear(event),
                result => return result,
            }
        }
    }
}

// A panic leaves no half-done state behind: a source's word changes in single steps.
impl UnwindSafe for Registration {}
impl RefUnwindSafe for Registration {}

impl Drop for Registration {
    fn drop(&mut self) {
        // First the slot, so that no event finds it any more, then what it may have stored: a waker
        // that owns the socket must not keep it alive.
        self.reactor.shards().remove(&self.source);
        self.source.release();
    }
}

fn live(event: ReadyEvent) -> io::Result<ReadyEvent> {
    if event.is_shutdown {
        Err(rt_shutdown_err())
    } else {
        Ok(event)
    }
}

/// Whether an operation did all it was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Unknown,
    Short,
}

impl Extent {
    /// Watches `op`. Nothing at all (the end of a stream) is not short: it is there to be seen again.
    #[inline]
    fn measured(
        len: usize,
        mut op: impl FnMut() -> io::Result<usize>,
    ) -> impl FnMut() -> io::Result<(usize, Self)> {
        move || {
            op().map(|n| {
                let is_short = SHORT_MEANS_OVER && 0 < n && n < len;
                (n, if is_short { Self::Short } else { Self::Unknown })
            })
        }
    }
}
