//! Who sleeps for all shards at once.
//!
//! A worker that has nothing to do sleeps until there is something in any of the shards, or the bell is rung. The
//! system looks at the shards' selectors as at any other descriptors, and only while somebody sleeps: beside workers who
//! are busy it costs nothing. A sleep that ends by a shard has two calls of the system instead of one, and so has one that
//! the bell ends.
//!
//! **Rejected.** *A selector of selectors*: each event of each shard would write to it as well, whether or not anybody
//! sleeps in it (5 to 10 % of an exchange on loopback), and adding a socket to a selector that is in another one takes
//! a lock of the whole system's.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use super::slots::Token;

/// Ends the sleep of an [`Attendant`].
#[derive(Debug)]
pub(crate) struct Bell(mio::Waker);

impl Bell {
    pub(crate) fn ring(&self) {
        (self.0)
            .wake()
            .expect("the bell's own event can be signalled");
    }
}

/// What it takes to sleep for all shards; see the module's documentation.
pub(crate) struct Attendant {
    bell: mio::Poll,
    bell_events: mio::Events,
    /// The bell, and then the shards.
    watched: Vec<libc::pollfd>,
}

impl Attendant {
    /// For shards whose selectors have these descriptors.
    ///
    /// # Errors
    ///
    /// The system's: most likely that the process has no descriptors left.
    pub(crate) fn new(shards: impl Iterator<Item = RawFd>) -> io::Result<(Self, Bell)> {
        let bell = mio::Poll::new()?;
        let waker = mio::Waker::new(bell.registry(), Token::WAKE.into())?;
        let watched = std::iter::once(bell.as_raw_fd()).chain(shards);
        let attendant = Self {
            watched: watched
                .map(|fd| libc::pollfd {
                    fd,
                    events: libc::POLLIN,
                    revents: 0,
                })
                .collect(),
            bell_events: mio::Events::with_capacity(1),
            bell,
        };
        Ok((attendant, Bell(waker)))
    }

    /// Waits until there is something in a shard, or the bell is rung, for `timeout` at most. Of how many of them that
    /// is so.
    ///
    /// # Errors
    ///
    /// The system's, which nobody expects. A wait that a signal handler interrupts is one for nothing.
    pub(crate) fn wait(&mut self, timeout: Option<Duration>) -> io::Result<usize> {
        for watched in &mut self.watched {
            watched.revents = 0;
        }
        let found = match wait_for(&mut self.watched, timeout) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => 0,
            found => found?,
        };
        if self.watched[0].revents != 0 {
            // Rung once, it is heard once. It cannot be interrupted, as it does not wait.
            self.bell
                .poll(&mut self.bell_events, Some(Duration::ZERO))?;
        }
        Ok(found)
    }

    /// Whether the last wait found something in `shard`.
    pub(crate) fn found(&self, shard: usize) -> bool {
        self.watched[1 + shard].revents != 0
    }
}

impl std::fmt::Debug for Attendant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attendant").finish_non_exhaustive()
    }
}

/// `poll` of the system.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn wait_for(watched: &mut [libc::pollfd], timeout: Option<Duration>) -> io::Result<usize> {
    let timeout = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: timeout.subsec_nanos() as _,
    });
    let timeout = timeout
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the descriptors' array and the time live until it returns, and the length is the array's.
    let found = unsafe {
        libc::ppoll(
            watched.as_mut_ptr(),
            watched.len() as libc::nfds_t,
            timeout,
            std::ptr::null(),
        )
    };
    usize::try_from(found).map_err(|_| io::Error::last_os_error())
}

/// `poll` of the system, which counts in milliseconds: rounded up, as nobody is to be early.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn wait_for(watched: &mut [libc::pollfd], timeout: Option<Duration>) -> io::Result<usize> {
    let millis = timeout.map_or(-1, |timeout| {
        let up = timeout.saturating_add(Duration::from_nanos(999_999));
        up.as_millis().try_into().unwrap_or(libc::c_int::MAX)
    });
    // SAFETY: the descriptors' array lives until it returns, and the length is the array's.
    let found = unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, millis) };
    usize::try_from(found).map_err(|_| io::Error::last_os_error())
}
