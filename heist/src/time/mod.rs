//! Waiting for a time, with a limit, or at regular times.
//!
//! * [`sleep`](fn@sleep) and [`sleep_until`] wait: for a while, or until an [`Instant`].
//! * [`timeout`](fn@timeout) and [`timeout_at`] give another future a limit.
//! * [`interval`](fn@interval) and [`interval_at`] tick again and again.
//! * [`pause`](fn@pause), [`advance`] and [`resume`] stop and move the clock, for tests that must not wait.
//!
//! Timers count in milliseconds. A timer never fires early; on an idle machine it fires within about a
//! millisecond after its deadline, and when all workers are busy as soon as one looks.
//!
//! Everything here needs a runtime whose timers are on: `enable_time` or `enable_all` on the
//! [`Builder`](crate::runtime), which `#[heist::main]` and `#[heist::test]` call. A timer is bound to
//! the runtime it was made in, and may be polled and dropped anywhere.
//!
//! # What a timer costs
//!
//! A timer lives inside its future: no allocation, and nothing at all is registered until it is first
//! polled and has to wait. Each worker keeps the timers that were armed on it, so workers do not
//! contend for them. A [`timeout`](fn@timeout) around a future that is ready at once costs about what the future
//! costs.
//!
//! # Examples
//!
//! Wait for 100 ms:
//!
//! ```
//! use heist::time::{Duration, sleep};
//!
//! #[heist::main]
//! async fn main() {
//!     sleep(Duration::from_millis(100)).await;
//!     println!("100 ms have passed");
//! }
//! ```
//!
//! Give up after a second:
//!
//! ```
//! use heist::time::{Duration, timeout};
//!
//! async fn answer() -> u32 {
//!     42
//! }
//!
//! # #[heist::main]
//! # async fn main() {
//! match timeout(Duration::from_secs(1), answer()).await {
//!     Ok(answer) => println!("the answer is {answer}"),
//!     Err(_) => println!("no answer in a second"),
//! }
//! # }
//! ```
//!
//! Do something every 10 ms, however long it takes:
//!
//! ```
//! use heist::time::{Duration, interval};
//!
//! # async fn work() {}
//! # #[heist::main]
//! # async fn main() {
//! let mut interval = interval(Duration::from_millis(10));
//! for _ in 0..3 {
//!     interval.tick().await;
//!     work().await;
//! }
//! # }
//! ```

pub mod error;
mod instant;
mod interval;
mod pause;
mod send_timeout;
mod sleep;
mod timeout;

pub use self::instant::Instant;
pub use self::interval::{Interval, MissedTickBehavior, interval, interval_at};
pub use self::pause::{advance, pause, resume};
pub use self::sleep::{Sleep, sleep, sleep_until};
pub use self::timeout::{Timeout, timeout, timeout_at};
#[doc(no_inline)]
pub use std::time::Duration;

/// As long as anything waits: 30 years. Adding more to the present overflows on some systems.
const FAR: Duration = Duration::from_secs(30 * 365 * 86_400);

/// `start + wait`, or what comes near enough when that is too far.
fn after(start: Instant, wait: Duration) -> Instant {
    start + wait.min(FAR)
}

#[cfg(all(test, not(heist_loom)))]
mod tests;
