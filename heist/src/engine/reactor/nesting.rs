//! A selector in another one: the outer one says so for as long as there is something in the inner one.

use std::io;
use std::os::fd::RawFd;

/// Puts `inner` into `outer`, which tells of it with `token`.
#[cfg(target_os = "linux")]
pub(super) fn put(outer: RawFd, inner: RawFd, token: usize) -> io::Result<()> {
    let mut event = libc::epoll_event {
        events: libc::EPOLLIN as u32,
        u64: token as u64,
    };
    // SAFETY: the event lives until it returns.
    result(unsafe { libc::epoll_ctl(outer, libc::EPOLL_CTL_ADD, inner, &raw mut event) })
}

/// Takes it out again.
#[cfg(target_os = "linux")]
pub(super) fn take_out(outer: RawFd, inner: RawFd) -> io::Result<()> {
    let no_event = std::ptr::null_mut();
    // SAFETY: two numbers; there is nothing that it reads or writes.
    result(unsafe { libc::epoll_ctl(outer, libc::EPOLL_CTL_DEL, inner, no_event) })
}

#[cfg(target_os = "linux")]
fn result(returned: libc::c_int) -> io::Result<()> {
    match returned {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn put(_: RawFd, _: RawFd, _: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn take_out(_: RawFd, _: RawFd) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
