//! Unix signals.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::os::raw::c_int;
use std::task::{Context, Poll};

use super::hub::Listener;
use crate::net::evented::current_reactor;

/// Which signal.
///
/// # Examples
///
/// ```
/// use heist::signal::unix::SignalKind;
///
/// assert_eq!(SignalKind::from_raw(15), SignalKind::terminate());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SignalKind(c_int);

macro_rules! kinds {
    ($($(#[$attr:meta])* $name:ident, $number:expr, $doc:literal;)*) => {
        impl SignalKind {
            /// The signal of this number.
            ///
            /// For those that have no function here. Whether there is such a signal shows when it is
            /// [listened to](signal).
            pub const fn from_raw(signum: c_int) -> Self {
                Self(signum)
            }

            /// The signal's number.
            pub const fn as_raw_value(&self) -> c_int {
                self.0
            }

            $(
                $(#[$attr])*
                #[doc = $doc]
                pub const fn $name() -> Self {
                    Self($number)
                }
            )*
        }
    };
}

kinds! {
    alarm, libc::SIGALRM, "`SIGALRM`: a timer has run out. Ends the process if nobody listens.";
    child, libc::SIGCHLD, "`SIGCHLD`: a child process has ended or stopped. Ignored if nobody listens.";
    hangup, libc::SIGHUP, "`SIGHUP`: the terminal is gone. Ends the process if nobody listens.";
    #[cfg(any(
        target_os = "dragonfly",
        target_os = "freebsd",
        target_os = "macos",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "illumos"
    ))]
    info, libc::SIGINFO, "`SIGINFO`: somebody asks how things are. Ignored if nobody listens.";
    interrupt, libc::SIGINT, "`SIGINT`: the user interrupts. Ends the process if nobody listens.";
    io, libc::SIGIO, "`SIGIO`: a descriptor is ready. Ends the process, on Linux, if nobody listens.";
    pipe, libc::SIGPIPE, "`SIGPIPE`: nobody reads what was written. Rust programs ignore it from the start.";
    quit, libc::SIGQUIT, "`SIGQUIT`: the user quits. Ends the process, with a core file, if nobody listens.";
    terminate, libc::SIGTERM, "`SIGTERM`: the process is asked to end. Ends it if nobody listens.";
    user_defined1, libc::SIGUSR1, "`SIGUSR1`: for the program to define. Ends the process if nobody listens.";
    user_defined2, libc::SIGUSR2, "`SIGUSR2`: for the program to define. Ends the process if nobody listens.";
    window_change, libc::SIGWINCH, "`SIGWINCH`: the terminal has another size. Ignored if nobody listens.";
}

impl From<c_int> for SignalKind {
    fn from(signum: c_int) -> Self {
        Self::from_raw(signum)
    }
}

impl From<SignalKind> for c_int {
    fn from(kind: SignalKind) -> Self {
        kind.as_raw_value()
    }
}

/// Listens to a signal.
///
/// Each listener hears every signal that comes after it was made; any number may listen to one.
/// Signals are not counted: several that come before a listener looks are one. After it has looked,
/// the next is told.
///
/// From the first listener on, the signal's usual effect is gone for good: also when no listener is
/// left, it does not end the process any more.
///
/// # Examples
///
/// ```no_run
/// use heist::signal::unix::{SignalKind, signal};
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let mut hangups = signal(SignalKind::hangup())?;
/// while hangups.recv().await.is_some() {
///     println!("reading the configuration again");
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a listener that nobody asks tells nothing"]
pub struct Signal(Listener);

/// Listens to the signal `kind` from now on.
///
/// # Errors
///
/// If there is no such signal, if it cannot be listened to (`SIGKILL`, `SIGSTOP`, and those that say
/// that the program is broken: `SIGILL`, `SIGFPE`, `SIGSEGV`), or if the system refuses.
///
/// # Panics
///
/// Outside a runtime with I/O.
#[track_caller]
pub fn signal(kind: SignalKind) -> io::Result<Signal> {
    Listener::new(kind.0, &current_reactor().0).map(Signal)
}

impl Signal {
    /// Waits for the signal. Never `None`: signals do not end.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a signal that was not told yet is told by the next call.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::signal::unix::{SignalKind, signal};
    ///
    /// let mut hangups = signal(SignalKind::hangup())?;
    /// # // Somebody asks for the configuration to be read again.
    /// # heist::process::Command::new("kill")
    /// #     .args(["-HUP", &std::process::id().to_string()])
    /// #     .status()
    /// #     .await?;
    /// hangups.recv().await;
    /// println!("reading the configuration again");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn recv(&mut self) -> Option<()> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// Asks whether the signal came; if not, the task is woken when it does. Never `None`.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<()>> {
        self.0.poll(cx).map(Some)
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signal").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::reactor::test_support::run;
    use futures::future::join_all;
    use futures::join;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::time::Duration;

    /// Real-time signals, one a test, as the process's tests run at once.
    fn kind(test: c_int) -> SignalKind {
        SignalKind::from_raw(libc::SIGRTMIN() + test)
    }

    #[allow(unsafe_code, reason = "to send a signal")]
    fn send(kind: SignalKind) {
        // SAFETY: a signal to ourselves, which somebody listens to.
        assert_eq!(unsafe { libc::kill(libc::getpid(), kind.0) }, 0);
    }

    #[test]
    fn each_listener_is_told() {
        run(async {
            let (mut first, mut second) = (signal(kind(1)).unwrap(), signal(kind(1)).unwrap());
            send(kind(1));
            let (a, b) = join!(first.recv(), second.recv());
            assert_eq!((a, b), (Some(()), Some(())));
            // And again, and only who listens to it.
            let mut other = signal(kind(2)).unwrap();
            send(kind(1));
            first.recv().await.unwrap();
            let mut cx = Context::from_waker(std::task::Waker::noop());
            assert!(other.poll_recv(&mut cx).is_pending());
        });
    }

    #[test]
    fn a_flood_is_told_at_least_once_and_ends() {
        run(async {
            let mut flood = signal(kind(3)).unwrap();
            for _ in 0..10_000 {
                send(kind(3));
            }
            flood.recv().await.unwrap();
            // What is left is told in few, and then there is silence.
            let mut left = 0;
            let mut cx = Context::from_waker(std::task::Waker::noop());
            while flood.poll_recv(&mut cx).is_ready() {
                left += 1;
                assert!(left < 10_000);
            }
            send(kind(3));
            flood.recv().await.unwrap();
        });
    }

    #[test]
    fn a_flood_drowns_no_listener() {
        let is_over = AtomicBool::new(false);
        let (mut loud, mut quiet) = run(async {
            let loud: Vec<_> = (0..100).map(|_| signal(kind(6)).unwrap()).collect();
            (loud, signal(kind(7)).unwrap())
        });
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Relaxed) {
                        send(kind(6));
                    }
                });
            }
            // Also when the listener fails.
            let _over = Over(&is_over);
            run(async {
                let loud = join_all(loud.iter_mut().map(Signal::recv));
                let quiet = async {
                    for _ in 0..200 {
                        send(kind(7));
                        quiet.recv().await.unwrap();
                    }
                };
                let (told, ()) = join!(loud, quiet);
                assert!(told.iter().all(Option::is_some));
            });
        });
        // And it is as it was before.
        run(async {
            send(kind(6));
            for listener in &mut loud {
                listener.recv().await.unwrap();
            }
        });

        struct Over<'a>(&'a AtomicBool);

        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.store(true, Relaxed);
            }
        }
    }

    #[test]
    fn several_runtimes_and_one_that_goes() {
        let mut orphan = run(async { signal(kind(4)).unwrap() });
        let threads: Vec<_> = (0..3)
            .map(|_| {
                std::thread::spawn(|| {
                    run(async {
                        let mut mine = signal(kind(5)).unwrap();
                        mine.recv().await.unwrap();
                    })
                })
            })
            .collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            send_if_listened(kind(5));
            std::thread::sleep(Duration::from_millis(5));
        }
        for thread in threads {
            thread.join().unwrap();
        }
        // The runtime it was made in is gone: the one it waits in serves it.
        run(async {
            send(kind(4));
            orphan.recv().await.unwrap();
        });
    }

    /// The default action of a signal that nobody listens to yet would end the tests.
    fn send_if_listened(kind: SignalKind) {
        let _listener = run(async { signal(kind).unwrap() });
        send(kind);
    }

    #[test]
    fn ctrl_c_is_the_interrupt() {
        run(async {
            let mut listener = signal(SignalKind::interrupt()).unwrap();
            let wait = super::super::ctrl_c();
            let press = async { send(SignalKind::interrupt()) };
            let (waited, heard, ()) = join!(wait, listener.recv(), press);
            waited.unwrap();
            heard.unwrap();
        });
    }

    #[test]
    fn what_cannot_be_listened_to() {
        run(async {
            for number in [
                -1,
                0,
                127,
                1000,
                libc::SIGKILL,
                libc::SIGSTOP,
                libc::SIGSEGV,
            ] {
                assert!(signal(SignalKind::from_raw(number)).is_err(), "{number}");
            }
        });
    }

    #[test]
    fn kinds_and_numbers() {
        assert_eq!(c_int::from(SignalKind::interrupt()), libc::SIGINT);
        assert_eq!(SignalKind::from(libc::SIGTERM), SignalKind::terminate());
    }
}
