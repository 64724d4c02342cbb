//! The error of I/O whose runtime is gone.

use std::{error, fmt, io};

use crate::engine::base::words;

/// The runtime that drove an I/O object has shut down.
#[derive(Debug)]
struct RuntimeShutdown;

impl fmt::Display for RuntimeShutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(words::IO_IS_OVER)
    }
}

impl error::Error for RuntimeShutdown {}

/// Makes the error that [`is_rt_shutdown_err`] knows.
#[cold]
pub(crate) fn rt_shutdown_err() -> io::Error {
    io::Error::other(RuntimeShutdown)
}

/// True for the error that I/O objects return once their runtime has shut down.
///
/// A socket belongs to the runtime it was made in. It may outlive it, but can no longer wait: its
/// operations fail with an error that this function recognises.
pub fn is_rt_shutdown_err(err: &io::Error) -> bool {
    err.get_ref()
        .is_some_and(|inner| inner.is::<RuntimeShutdown>())
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_error_is_it() {
        assert!(is_rt_shutdown_err(&rt_shutdown_err()));
        assert_eq!(rt_shutdown_err().kind(), io::ErrorKind::Other);
        assert!(!is_rt_shutdown_err(&io::Error::other("something else")));
        assert!(!is_rt_shutdown_err(&io::ErrorKind::Other.into()));
    }
}
