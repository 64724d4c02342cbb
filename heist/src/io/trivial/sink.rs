use std::fmt;

/// A writer that takes all and keeps nothing.
///
/// Made by [`sink`].
pub struct Sink {
    _private: (),
}

/// A writer into which everything disappears.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     assert_eq!(io::sink().write(b"hello").await?, 5);
///     Ok(())
/// }
/// ```
pub fn sink() -> Sink {
    Sink { _private: () }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").finish_non_exhaustive()
    }
}
