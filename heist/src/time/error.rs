//! What goes wrong with time.

use std::{error, fmt, io};

/// The deadline came before the future was done: what [`timeout`](fn@super::timeout) and
/// [`timeout_at`](super::timeout_at) return then.
///
/// It turns into an [`io::Error`] of the kind [`TimedOut`](io::ErrorKind::TimedOut).
///
/// # Examples
///
/// ```
/// use heist::time::{Duration, timeout};
/// use std::io;
///
/// async fn limited() -> io::Result<()> {
///     timeout(Duration::from_millis(5), std::future::pending::<()>()).await?;
///     Ok(())
/// }
///
/// # #[heist::main]
/// # async fn main() {
/// assert_eq!(limited().await.unwrap_err().kind(), io::ErrorKind::TimedOut);
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Elapsed(());

impl Elapsed {
    pub(crate) fn new() -> Self {
        Self(())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("deadline has elapsed")
    }
}

impl error::Error for Elapsed {}

impl From<Elapsed> for io::Error {
    fn from(_: Elapsed) -> Self {
        io::ErrorKind::TimedOut.into()
    }
}

/// Why a timer cannot do its work.
///
/// No function of this crate returns it: a timer whose runtime is gone panics. It is here for
/// crates that name it.
#[derive(Debug, Clone, Copy)]
pub struct Error(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shutdown,
    AtCapacity,
    Invalid,
}

impl Error {
    /// The error of a timer whose runtime has shut down.
    pub fn shutdown() -> Self {
        Self(Kind::Shutdown)
    }

    /// True if the runtime of the timer has shut down.
    pub fn is_shutdown(&self) -> bool {
        self.0 == Kind::Shutdown
    }

    /// The error of having no room for another timer.
    pub fn at_capacity() -> Self {
        Self(Kind::AtCapacity)
    }

    /// True if there was no room for another timer.
    pub fn is_at_capacity(&self) -> bool {
        self.0 == Kind::AtCapacity
    }

    /// The error of a timer that is set to a time that cannot be.
    pub fn invalid() -> Self {
        Self(Kind::Invalid)
    }

    /// True if the timer was set to a time that cannot be.
    pub fn is_invalid(&self) -> bool {
        self.0 == Kind::Invalid
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.0 {
            Kind::Shutdown => "the runtime of this timer has shut down",
            Kind::AtCapacity => "there is no room for another timer",
            Kind::Invalid => "the timer is set to a time that is too far",
        })
    }
}

impl error::Error for Error {}
