//! A child that has not been reaped, and how its end is noticed.
//!
//! **Rules.**
//! * C1. One owner: who has the [`Running`] is the only one to reap and to signal the child. After it is
//!   reaped, `std`'s handle knows the status and signals nobody any more.
//! * C2. Readiness is only a hint. Whether the child has ended is what `waitpid` says; a false alarm
//!   clears the flag and waits for the next. (A child that is traced ends twice: first for its tracer.)
//! * C3. First the waker is where the event will find it, then `waitpid` is asked. So an end in between
//!   is seen by one of the two.
//! * C4. A wait outlives the runtime that the child was made in: it goes on in the one it is polled
//!   in. Only if there is none, or that has shut down too, is it an error.
//! * C5. A child that is dropped is reaped, now or later: [`orphan`].

use std::fmt;
use std::io;
use std::process::{Child as StdChild, ExitStatus};
use std::task::{Context, Poll, ready};

use super::orphan;
#[cfg(target_os = "linux")]
use super::pidfd::{self, Pidfd};
use crate::engine::context;
use crate::engine::reactor::{is_rt_shutdown_err, rt_shutdown_err};
use crate::signal::unix::{Signal, SignalKind, signal};

/// A child that may have ended, but has not been reaped as far as we know (C1).
pub(super) struct Running {
    /// `None` only once it has been dropped.
    child: Option<StdChild>,
    /// `None` until [`watch`](Self::watch).
    watch: Option<Watch>,
    kill_on_drop: bool,
}

/// What tells that a child may have ended.
enum Watch {
    #[cfg(target_os = "linux")]
    Pidfd(Pidfd),
    Signal(Signal),
}

impl Watch {
    /// The best there is for the process `id`, in the current runtime.
    #[track_caller]
    fn new(id: u32) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(fd) = pidfd::open(id) {
            return Pidfd::new(fd).map(Self::Pidfd);
        }
        let _ = id;
        Self::signal()
    }

    #[track_caller]
    fn signal() -> io::Result<Self> {
        signal(SignalKind::child()).map(Self::Signal)
    }
}

impl Running {
    /// A child that nothing watches yet. Dropped, it is reaped all the same (C5).
    pub(super) fn new(child: StdChild, kill_on_drop: bool) -> Self {
        Self {
            child: Some(child),
            watch: None,
            kill_on_drop,
        }
    }

    /// Has the current runtime tell when the child ends.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub(super) fn watch(&mut self) -> io::Result<()> {
        self.watch = Some(Watch::new(self.id())?);
        Ok(())
    }

    /// As [`watch`](Self::watch) where there are no pidfds.
    #[cfg(test)]
    pub(super) fn watch_signals(&mut self) -> io::Result<()> {
        self.watch = Some(Watch::signal()?);
        Ok(())
    }

    /// Gives back what its runtime has for it.
    pub(super) fn unwatch(&mut self) {
        self.watch = None;
    }

    /// The handle of `std`, whose pipes are for the taking.
    pub(super) fn child(&mut self) -> &mut StdChild {
        self.child.as_mut().expect("there until it is dropped")
    }

    pub(super) fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, StdChild::id)
    }

    /// Sends `SIGKILL`. That the child has ended already is no error.
    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.child().kill()
    }

    /// Reaps the child, if it has ended.
    pub(super) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child().try_wait()
    }

    /// Reaps the child when it has ended.
    pub(super) fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        loop {
            let Self { child, watch, .. } = self;
            let child = child.as_mut().expect("there until it is dropped");
            // C3: each arm first sees to the waker, then asks.
            match watch {
                #[cfg(target_os = "linux")]
                Some(Watch::Pidfd(pidfd)) => {
                    let event = ready!(pidfd.poll_ready(cx));
                    if let Some(status) = child.try_wait()? {
                        return Poll::Ready(Ok(status));
                    }
                    match event {
                        // C2.
                        Ok(event) => pidfd.clear_readiness(event),
                        Err(e) if is_rt_shutdown_err(&e) => self.watch_here()?,
                        Err(e) => return Poll::Ready(Err(e)),
                    }
                }
                Some(Watch::Signal(signal)) => {
                    let told = signal.poll_recv(cx);
                    if let Some(status) = child.try_wait()? {
                        return Poll::Ready(Ok(status));
                    }
                    ready!(told);
                }
                None => {
                    if let Some(status) = child.try_wait()? {
                        return Poll::Ready(Ok(status));
                    }
                    self.watch_here()?;
                }
            }
        }
    }

    /// C4: as [`watch`](Self::watch), but an error outside a runtime.
    fn watch_here(&mut self) -> io::Result<()> {
        match context::reactor() {
            Some(_) => self.watch(),
            None => Err(rt_shutdown_err()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        // Pipes that nobody took: the child must not wait for us.
        drop((child.stdin.take(), child.stdout.take(), child.stderr.take()));
        if self.kill_on_drop {
            // An error says that there is nobody to kill.
            let _ = child.kill();
        }
        // An error says that somebody else reaped it.
        if let Ok(None) = child.try_wait() {
            orphan::leave(Self {
                child: Some(child),
                watch: self.watch.take(),
                kill_on_drop: false,
            });
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("id", &self.id())
            .field("kill_on_drop", &self.kill_on_drop)
            .finish_non_exhaustive()
    }
}
