//! Regular ticks.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::{Duration, FAR, Instant, Sleep, after};

/// An [`Interval`] that ticks every `period`, for the first time at once.
///
/// Ticks do not drift: they are at multiples of `period` from the start, whatever happens in between.
/// What becomes of ticks that nobody waited for in time is the choice of a [`MissedTickBehavior`].
///
/// # Panics
///
/// When `period` is zero; outside of a runtime, and in one whose timers are off: see
/// [`enable_time`](crate::runtime).
///
/// # Examples
///
/// ```
/// use heist::time::{Duration, Instant, interval};
///
/// # #[heist::main]
/// # async fn main() {
/// let start = Instant::now();
/// let mut interval = interval(Duration::from_millis(10));
/// interval.tick().await; // at once
/// interval.tick().await;
/// interval.tick().await;
/// assert!(start.elapsed() >= Duration::from_millis(20));
/// # }
/// ```
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    check(period);
    let interval = Interval::new(Instant::now(), period);
    // The first tick is due now, and not when the timers' next millisecond begins.
    interval.sleep.mark_elapsed();
    interval
}

/// An [`Interval`] that ticks every `period`, for the first time at `start`.
///
/// Otherwise as [`interval`](fn@super::interval).
///
/// # Panics
///
/// When `period` is zero; outside of a runtime, and in one whose timers are off: see
/// [`enable_time`](crate::runtime).
///
/// # Examples
///
/// ```
/// use heist::time::{Duration, Instant, interval_at};
///
/// # #[heist::main]
/// # async fn main() {
/// let start = Instant::now() + Duration::from_millis(20);
/// let mut interval = interval_at(start, Duration::from_millis(10));
/// assert_eq!(interval.tick().await, start);
/// # }
/// ```
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    check(period);
    Interval::new(start, period)
}

#[track_caller]
fn check(period: Duration) {
    assert!(
        !period.is_zero(),
        "the period of an interval must not be zero"
    );
}

/// What an [`Interval`] does about ticks that nobody waited for in time.
///
/// A tick is missed when it is waited for more than 5 ms after its time, as when the work between two
/// ticks took longer than the period. Say the period is 10 ms, and the work after the tick at 10 ms takes 25
/// ms, to 35 ms:
///
/// | behaviour | the next ticks come at | and say |
/// |---|---|---|
/// | [`Burst`](Self::Burst) | 35, 35, 40, 50 ms | 20, 30, 40, 50 |
/// | [`Delay`](Self::Delay) | 35, 45, 55 ms | 20, 45, 55 |
/// | [`Skip`](Self::Skip) | 35, 40, 50 ms | 20, 40, 50 |
///
/// # Examples
///
/// ```
/// use heist::time::{Duration, MissedTickBehavior, interval};
///
/// # #[heist::main]
/// # async fn main() {
/// let mut interval = interval(Duration::from_millis(10));
/// interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
/// interval.tick().await;
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissedTickBehavior {
    /// Catches up: missed ticks come one after the other, at once, until the interval is where it would be.
    /// The number of ticks is right in the end. This is the default.
    #[default]
    Burst,
    /// Starts anew: the next tick is one period after the late one. There is always a period between
    /// two ticks, and the later ones are shifted.
    Delay,
    /// Leaves missed ticks out: the next tick is at the next multiple of the period from the start.
    Skip,
}

impl MissedTickBehavior {
    /// The tick after the one that was due at `due` and was seen, too late, at `now`.
    fn next(self, due: Instant, now: Instant, period: Duration) -> Instant {
        match self {
            Self::Burst => after(due, period),
            Self::Delay => after(now, period),
            Self::Skip => {
                let over = (now - due).as_nanos() % period.as_nanos();
                // It is less than the period, which is at most `FAR`: that fits.
                after(now, period - Duration::from_nanos(over as u64))
            }
        }
    }
}

/// Ticks at regular times: made by [`interval`](fn@super::interval) and [`interval_at`].
///
/// `tokio_stream`'s `IntervalStream` makes a stream of it.
#[derive(Debug)]
pub struct Interval {
    /// Waits for the next tick. Boxed, so that an interval can be moved between ticks.
    sleep: Pin<Box<Sleep>>,
    period: Duration,
    missed_tick_behavior: MissedTickBehavior,
}

impl Interval {
    #[track_caller]
    fn new(start: Instant, period: Duration) -> Self {
        Self {
            sleep: Box::pin(Sleep::until(start)),
            period: period.min(FAR),
            missed_tick_behavior: MissedTickBehavior::default(),
        }
    }

    /// Waits for the next tick and returns the time it was due at.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: when it is dropped before it is done, no tick is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, interval};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut interval = interval(Duration::from_millis(5));
    /// let first = interval.tick().await;
    /// assert_eq!(interval.tick().await, first + Duration::from_millis(5));
    /// # }
    /// ```
    pub async fn tick(&mut self) -> Instant {
        poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// Polls for the next tick, and gives the time it was due at.
    ///
    /// On `Pending` the task of the last call is woken at the next tick. On `Ready` nobody is woken for the
    /// tick after that until this is called again.
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        /// How late is missed. A timer may be a millisecond late, and a busy machine some more.
        const TOLERANCE: Duration = Duration::from_millis(5);

        ready!(self.sleep.as_mut().poll(cx));
        let due = self.sleep.deadline();
        let now = Instant::now();
        let next = if now.saturating_duration_since(due) > TOLERANCE {
            self.missed_tick_behavior.next(due, now, self.period)
        } else {
            after(due, self.period)
        };
        self.sleep.as_mut().set_deadline(next);
        if next <= now {
            // In the middle of a burst: the next call need not ask anybody.
            self.sleep.mark_elapsed();
        }
        Poll::Ready(due)
    }

    /// Sets the next tick to one period from now.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, Instant, interval, sleep};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut interval = interval(Duration::from_millis(20));
    /// interval.tick().await;
    /// sleep(Duration::from_millis(10)).await;
    /// let reset = Instant::now();
    /// interval.reset();
    /// interval.tick().await;
    /// assert!(reset.elapsed() >= Duration::from_millis(20));
    /// # }
    /// ```
    pub fn reset(&mut self) {
        self.reset_at(after(Instant::now(), self.period));
    }

    /// Sets the next tick to now.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, interval};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut interval = interval(Duration::from_secs(3600));
    /// interval.tick().await;
    /// interval.reset_immediately();
    /// interval.tick().await; // not an hour later
    /// # }
    /// ```
    pub fn reset_immediately(&mut self) {
        self.reset_at(Instant::now());
    }

    /// Sets the next tick to `wait` from now; the ones after it follow by the period.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, interval};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut interval = interval(Duration::from_secs(3600));
    /// interval.tick().await;
    /// interval.reset_after(Duration::from_millis(5));
    /// interval.tick().await;
    /// # }
    /// ```
    pub fn reset_after(&mut self, after: Duration) {
        self.reset_at(super::after(Instant::now(), after));
    }

    /// Sets the next tick to `deadline`; the ones after it follow by the period.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, Instant, interval};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut interval = interval(Duration::from_secs(3600));
    /// interval.tick().await;
    /// let next = Instant::now() + Duration::from_millis(5);
    /// interval.reset_at(next);
    /// assert_eq!(interval.tick().await, next);
    /// # }
    /// ```
    pub fn reset_at(&mut self, deadline: Instant) {
        self.sleep.as_mut().reset(deadline);
    }

    /// What it does about ticks that were missed.
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.missed_tick_behavior
    }

    /// Sets what it does about ticks that are missed from now on.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed_tick_behavior = behavior;
    }

    /// The time between two ticks.
    pub fn period(&self) -> Duration {
        self.period
    }
}
