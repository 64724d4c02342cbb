//! Stopping the clock.

use std::future::poll_fn;
use std::task::Poll;

use super::Duration;
use crate::engine::base::current;
use crate::engine::context;
use crate::engine::timer::Clock;

/// Asks the current runtime's clock for something.
#[track_caller]
fn with_clock(f: impl FnOnce(&Clock) -> Result<(), &'static str>) {
    let result = context::with_current_clock(f).unwrap_or(Err(
        "there is no runtime on this thread whose clock could be paused",
    ));
    if let Err(message) = result {
        panic!("{message}");
    }
}

/// Stops the clock of the current runtime, for tests.
///
/// From here on [`Instant::now`](super::Instant::now) stands still, and time passes in two ways only. When
/// [`advance`] is called; and by *auto-advance*: when every task waits, so that nothing could happen
/// any more, the clock jumps to the next timer. So a test that sleeps for an hour takes no time, and its timers
/// still fire in the right order. While a blocking job runs there is no auto-advance.
///
/// The machine's clock, [`std::time`], is not touched, and neither is I/O: while something outside is waited for,
/// the clock may jump to the timeout that was meant to limit it.
///
/// `start_paused = true` in `#[heist::test]`, or on the runtime's builder, does this from the start.
///
/// # Panics
///
/// When the clock is paused already; outside of a runtime; and in a runtime with more than one
/// thread, where "every task waits" is not a moment in time.
///
/// # Examples
///
/// ```
/// use heist::time::{self, Duration, Instant};
///
/// #[heist::main(flavor = "current_thread", start_paused = true)]
/// async fn main() {
///     let (before, real) = (Instant::now(), std::time::Instant::now());
///     time::sleep(Duration::from_secs(3600)).await;
///     assert!(before.elapsed() >= Duration::from_secs(3600));
///     assert!(real.elapsed() < Duration::from_secs(60));
/// }
/// ```
#[track_caller]
pub fn pause() {
    with_clock(Clock::pause);
}

/// Lets a clock that was [paused](fn@pause) run on from where it stands.
///
/// # Panics
///
/// When the clock is not paused, and outside of a runtime.
#[track_caller]
pub fn resume() {
    with_clock(Clock::resume);
}

/// Moves the clock, which is [paused](fn@pause), forward by `duration`.
///
/// Timers that are due then have fired when this returns, and the tasks that wait for them have had their turn
/// to be polled, as far as that takes one turn. For tasks that wait for several timers one after the other it is
/// safer to sleep: then the clock stops at each timer on the way.
///
/// # Panics
///
/// When the clock is not paused, and outside of a runtime.
///
/// # Cancel safety
///
/// Cancel safe: the clock moves when it is first polled, or not at all.
///
/// # Examples
///
/// ```
/// use heist::time::{self, Duration, Instant};
///
/// #[heist::main(flavor = "current_thread", start_paused = true)]
/// async fn main() {
///     let start = Instant::now();
///     time::advance(Duration::from_secs(5)).await;
///     assert_eq!(start.elapsed(), Duration::from_secs(5));
/// }
/// ```
pub async fn advance(duration: Duration) {
    with_clock(|clock| clock.advance(duration));
    // Out of the context first: wakers are other people's code.
    let due =
        context::with_current_timers(|timers, _| (timers.shards.to_vec(), timers.clock.now()));
    if let Some((shards, now)) = due {
        for shard in shards {
            shard.fire(now);
        }
    }
    let mut had_their_turn = false;
    poll_fn(|cx| {
        if had_their_turn {
            return Poll::Ready(());
        }
        had_their_turn = true;
        current::yield_turn(cx);
        Poll::Pending
    })
    .await;
}
