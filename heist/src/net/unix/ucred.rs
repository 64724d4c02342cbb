use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::{gid_t, pid_t, uid_t};

/// Who is at the other side of a Unix domain socket, as of when it connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UCred {
    pid: Option<pid_t>,
    uid: uid_t,
    gid: gid_t,
}

impl UCred {
    /// The peer's user.
    pub fn uid(&self) -> uid_t {
        self.uid
    }

    /// The peer's group.
    pub fn gid(&self) -> gid_t {
        self.gid
    }

    /// The peer's process, where the system tells it (Linux does).
    pub fn pid(&self) -> Option<pid_t> {
        self.pid
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn of_peer(socket: BorrowedFd<'_>) -> io::Result<Self> {
        let mut cred = libc::ucred {
            pid: 0,
            uid: 0,
            gid: 0,
        };
        let mut len = size_of::<libc::ucred>() as libc::socklen_t;
        // SAFETY: an open descriptor, and a place for the answer with its length.
        let result = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_PEERCRED,
                (&raw mut cred).cast(),
                &mut len,
            )
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            pid: Some(cred.pid),
            uid: cred.uid,
            gid: cred.gid,
        })
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn of_peer(socket: BorrowedFd<'_>) -> io::Result<Self> {
        let (mut uid, mut gid) = (0, 0);
        // SAFETY: an open descriptor, and places for the answers.
        if unsafe { libc::getpeereid(socket.as_raw_fd(), &mut uid, &mut gid) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            pid: None,
            uid,
            gid,
        })
    }
}
