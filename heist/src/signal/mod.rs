//! Signals of the system, as something to be awaited.
//!
//! [`ctrl_c`] waits for the user's interrupt; [`unix`] has the other signals.
//!
//! # Examples
//!
//! A program that ends in order when it is asked to:
//!
//! ```no_run
//! #[heist::main]
//! async fn main() -> std::io::Result<()> {
//!     println!("press Ctrl-C to end");
//!     heist::signal::ctrl_c().await?;
//!     println!("goodbye");
//!     Ok(())
//! }
//! ```

use std::io;

#[allow(
    unsafe_code,
    reason = "what runs in a signal handler must be safe there"
)]
mod hub;
pub mod unix;

/// Waits until the user presses Ctrl-C (`SIGINT`).
///
/// From the first call on, the interrupt does not end the program any more, also when nobody waits:
/// who listens has taken it over, for as long as the process runs. To end a program on the second
/// Ctrl-C, wait a second time.
///
/// The wait begins when the future is first polled; interrupts from before are not told.
///
/// # Errors
///
/// The system's, if the handler cannot be installed.
///
/// # Panics
///
/// Outside a runtime with I/O.
///
/// # Cancel safety
///
/// Cancel safe, but an interrupt that comes between two calls is not told by the second. A loop had
/// better keep one [`unix::Signal`].
///
/// # Examples
///
/// ```no_run
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// heist::spawn(async {
///     // serve…
/// });
/// heist::signal::ctrl_c().await?;
/// println!("that will do");
/// # Ok(())
/// # }
/// ```
pub async fn ctrl_c() -> io::Result<()> {
    unix::signal(unix::SignalKind::interrupt())?.recv().await;
    Ok(())
}
