//! A point in time that follows a paused clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

use crate::engine::context;
use crate::engine::timer::clock;

/// A moment by the runtime's clock.
///
/// It is [`std::time::Instant`], except that [`now`](Self::now) follows the clock of the current runtime
/// when that was [paused](fn@super::pause). It never goes back, and is of no use but to be compared with others.
///
/// The difference of two instants is never negative: where the later one is subtracted from the earlier the
/// result is zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    std: std::time::Instant,
}

impl Instant {
    /// The present, by the clock of the runtime this is called in, and by the machine's outside of one.
    ///
    /// # Examples
    ///
    /// ```
    /// let now = heist::time::Instant::now();
    /// assert!(now <= heist::time::Instant::now());
    /// ```
    #[inline]
    pub fn now() -> Self {
        if clock::any_paused() {
            Self::now_in_context()
        } else {
            Self::from_std(clock::real_now())
        }
    }

    #[cold]
    fn now_in_context() -> Self {
        let now = context::with_current_clock(clock::Clock::now);
        Self::from_std(now.unwrap_or_else(clock::real_now))
    }

    /// The same moment, from the standard library's type.
    #[inline]
    pub fn from_std(std: std::time::Instant) -> Self {
        Self { std }
    }

    /// The same moment, as the standard library's type.
    #[inline]
    pub fn into_std(self) -> std::time::Instant {
        self.std
    }

    /// What passed from `earlier` to this; zero if that is later.
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.std.saturating_duration_since(earlier.std)
    }

    /// What passed from `earlier` to this; `None` if that is later.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, Instant};
    ///
    /// let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(1));
    /// assert!(later.checked_duration_since(now).is_some());
    /// assert_eq!(now.checked_duration_since(later), None);
    /// ```
    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        self.std.checked_duration_since(earlier.std)
    }

    /// What passed from `earlier` to this; zero if that is later.
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.std.saturating_duration_since(earlier.std)
    }

    /// What has passed since this moment; zero if it is yet to come.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, Instant, sleep};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let start = Instant::now();
    /// sleep(Duration::from_millis(5)).await;
    /// assert!(start.elapsed() >= Duration::from_millis(5));
    /// # }
    /// ```
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// `self + duration`; `None` if that is too far to be told.
    pub fn checked_add(&self, duration: Duration) -> Option<Self> {
        self.std.checked_add(duration).map(Self::from_std)
    }

    /// `self - duration`; `None` if that is too far back to be told.
    pub fn checked_sub(&self, duration: Duration) -> Option<Self> {
        self.std.checked_sub(duration).map(Self::from_std)
    }
}

impl From<std::time::Instant> for Instant {
    fn from(std: std::time::Instant) -> Self {
        Self::from_std(std)
    }
}

impl From<Instant> for std::time::Instant {
    fn from(instant: Instant) -> Self {
        instant.into_std()
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self::from_std(self.std + duration)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        self.std += duration;
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.std.saturating_duration_since(earlier.std)
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self::from_std(self.std - duration)
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        self.std -= duration;
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.std.fmt(f)
    }
}
