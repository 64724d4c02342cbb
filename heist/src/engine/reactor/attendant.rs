//! Who sleeps for all shards at once.
//!
//! A worker that has nothing to do sleeps until there is something in any of the shards, or the bell is rung. The
//! system looks at the shards' selectors as at any other descriptors, and only while somebody sleeps: beside workers who
//! are busy it costs nothing. A sleep that ends by a shard has two calls of the system instead of one, and so has one that
//! the bell ends.
//!
//! Where the system refuses to look at so many descriptors (Linux does if a process that is to be confined has lowered its
//! limit of them meanwhile), the shards' selectors are put into the bell's, and it sleeps in that.
//!
//! **Rejected.** *Such a selector of selectors from the beginning*: each event of each shard would write to it as well,
//! whether or not anybody sleeps in it (5 to 10 % of an exchange on loopback), and adding a socket to a selector that is in
//! another one takes a lock of the whole system's.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use super::nesting;
use super::slots::Token;
use super::source::MOST_HOMES;
use crate::loom::thread;

/// How often in a row a sleep can end because of a shard that somebody else is at.
const MOST_IN_VAIN: u32 = 32;
/// The longest sleep without such a shard.
const WITHOUT: Duration = Duration::from_millis(1);

/// The most there are: who sleeps looks at each.
const MOST_SHARDS: usize = MOST_HOMES;
/// Each takes two descriptors of the process's: one shard for so many that it may have, so that there can be many runtimes.
const DESCRIPTORS_A_SHARD: usize = 256;

/// How many shards a reactor can have. One where the system does not tell on which processor packets arrive: shards that
/// do not know whose a socket is take more time than one.
pub(crate) fn most_shards() -> usize {
    let by_descriptors = |limit| limit / DESCRIPTORS_A_SHARD;
    let most = system::descriptor_limit().map_or(MOST_SHARDS, by_descriptors);
    most.clamp(1, MOST_SHARDS)
}

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
    events: mio::Events,
    /// The bell, and then the shards; whose descriptor is complemented is left out.
    watched: Vec<libc::pollfd>,
    /// The bell's selector has those of the shards.
    is_nested: bool,
    /// Sleeps in a row that ended because of shards that others were at.
    in_vain: u32,
    /// The last one was without some shards.
    was_short: bool,
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
        let watched: Vec<_> = watched
            .map(|fd| libc::pollfd {
                fd,
                events: libc::POLLIN,
                revents: 0,
            })
            .collect();
        let attendant = Self {
            events: mio::Events::with_capacity(watched.len()),
            watched,
            is_nested: false,
            in_vain: 0,
            was_short: false,
            bell,
        };
        Ok((attendant, Bell(waker)))
    }

    /// Waits until there is something in a shard, or the bell is rung, for `timeout` at most.
    ///
    /// # Errors
    ///
    /// The system's, which nobody expects. A wait that a signal handler interrupts is one for nothing.
    pub(crate) fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        for watched in &mut self.watched {
            watched.revents = 0;
        }
        if self.is_nested {
            return self.wait_nested(timeout);
        }
        self.was_short = self.watched.iter().any(|watched| watched.fd < 0);
        let timeout = match self.was_short {
            true => Some(timeout.map_or(WITHOUT, |timeout| timeout.min(WITHOUT))),
            false => timeout,
        };
        let waited = system::wait_for(&mut self.watched, timeout);
        for watched in &mut self.watched {
            watched.fd = watched.fd.max(!watched.fd);
        }
        match waited {
            // Rung once, it is heard once. It cannot be interrupted, as it does not wait.
            Ok(()) if self.watched[0].revents != 0 => {
                self.bell.poll(&mut self.events, Some(Duration::ZERO))
            }
            Ok(()) => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(_) => {
                let bell = self.bell.as_raw_fd();
                for (place, watched) in self.watched.iter().enumerate().skip(1) {
                    nesting::put(bell, watched.fd, place)?;
                }
                self.is_nested = true;
                self.wait_nested(timeout)
            }
        }
    }

    fn wait_nested(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        match self.bell.poll(&mut self.events, timeout) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => return Ok(()),
            waited => waited?,
        }
        for event in &self.events {
            let token = event.token();
            if token != Token::WAKE.into() {
                self.watched[token.0].revents = libc::POLLIN;
            }
        }
        Ok(())
    }

    /// Whether the last wait found something in `shard`.
    pub(crate) fn found(&self, shard: usize) -> bool {
        self.watched[1 + shard].revents != 0
    }

    /// Whether the last sleep ended because of shards that somebody else is at.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.in_vain > 0
    }

    /// The last wait found nothing but what is in shards that others are at. They are done in a moment; or wait for this very
    /// processor; or run a waker that does not end, and then the next wait is without those shards, and a short one.
    pub(crate) fn was_in_vain(&mut self) {
        self.in_vain += 1;
        if self.in_vain < MOST_IN_VAIN || self.is_nested {
            thread::yield_now();
            return;
        }
        for watched in &mut self.watched[1..] {
            if watched.revents != 0 {
                watched.fd = !watched.fd;
            }
        }
    }

    /// The last wait was for something, or for nothing. A short one says nothing of the shards that it was without.
    pub(crate) fn was_not_in_vain(&mut self) {
        if !self.was_short {
            self.in_vain = 0;
        }
    }
}

impl std::fmt::Debug for Attendant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attendant").finish_non_exhaustive()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::*;

    /// Until one of the descriptors is ready to be read.
    pub(super) fn wait_for(
        watched: &mut [libc::pollfd],
        timeout: Option<Duration>,
    ) -> io::Result<()> {
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
        result(found)
    }

    fn result(returned: libc::c_int) -> io::Result<()> {
        match returned {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// How many descriptors the process may have, if the system tells.
    pub(super) fn descriptor_limit() -> Option<usize> {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: it writes to the struct, which lives until it returns.
        result(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) }).ok()?;
        limit.rlim_cur.try_into().ok()
    }
}

/// No system on which the reactor has several shards.
#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    pub(super) fn wait_for(_: &mut [libc::pollfd], _: Option<Duration>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn descriptor_limit() -> Option<usize> {
        Some(0)
    }
}
