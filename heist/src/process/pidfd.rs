//! Pidfds: descriptors of processes, which are ready to read when the process has ended.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::task::{Context, Poll};

use crate::engine::reactor::ReadyEvent;
use crate::io::{Interest, Ready};
use crate::net::evented::Evented;

/// The descriptor of our child `id`, which has not been reaped. `None` if there are no pidfds here: an
/// old kernel, a sandbox, or no descriptors left.
pub(super) fn open(id: u32) -> Option<OwnedFd> {
    // No flags: nobody reads from it, so that it cannot block, and it is always close-on-exec.
    // SAFETY: two integers; it gives a descriptor or -1.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, id, 0) };
    let fd = RawFd::try_from(fd).ok().filter(|fd| *fd >= 0)?;
    // SAFETY: just opened, and nobody else has it.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A process that a reactor watches.
pub(super) struct Pidfd(Evented<Fd>);

impl Pidfd {
    /// Ties it to the current runtime.
    #[track_caller]
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        Evented::with_interest(Fd(fd), Interest::READABLE, Ready::EMPTY).map(Self)
    }

    /// Ready when the process may have ended, or the runtime has shut down (an error).
    pub(super) fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<ReadyEvent>> {
        self.0.registration().poll_read_ready(cx)
    }

    /// It had not ended.
    pub(super) fn clear_readiness(&self, event: ReadyEvent) {
        self.0.registration().clear_readiness(event);
    }
}

struct Fd(OwnedFd);

impl AsRawFd for Fd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
