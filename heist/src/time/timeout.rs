//! A limit for another future.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::error::Elapsed;
use super::sleep::{current_runtime, runtime_is_gone};
use super::{Duration, Instant, Sleep};
use crate::engine::base::budget::{self, Budget, BudgetScope};
use crate::engine::context::{self, RuntimeId};
use crate::engine::timer::clock::{self, Clock};
use crate::engine::timer::stamp::Stamp;

/// Gives `future` the time `duration` to complete.
///
/// Returns what the future returns, or [`Elapsed`] when the time is over first. Then the future is dropped
/// with the `Timeout`; to keep it, pass it by `&mut`.
///
/// The future is polled before the time is looked at: one that is ready at once is in time, even with a
/// `duration` of zero. A future that never returns from its poll cannot be stopped.
///
/// The time counts from this call. A `duration` that is too long to be added to the present is no limit.
///
/// # Differs from Tokio
///
/// Reading the clock is most of the cost of a timeout, and most futures under one are ready before the time
/// matters. So on x86-64 Linux this call reads only the processor's counter, and finds out what time that was if
/// the future is not ready when it is first polled. The limit is never shorter than `duration`; it is longer by at
/// most a tenth of a millisecond, and by a fifth of the time between this call and the first poll (by all of it on a
/// machine that was suspended since the program began). With a clock that was [paused](fn@super::pause), and with
/// [`timeout_at`], it is exact.
///
/// # Panics
///
/// Outside of a runtime, and in one whose timers are off: see [`enable_time`](crate::runtime).
///
/// # Cancel safety
///
/// Dropping it drops the future: it is as cancel safe as that is.
///
/// # Examples
///
/// ```
/// use heist::sync::oneshot;
/// use heist::time::{Duration, timeout};
///
/// # #[heist::main]
/// # async fn main() {
/// let (_sender, receiver) = oneshot::channel::<()>();
/// if timeout(Duration::from_millis(10), receiver).await.is_err() {
///     println!("nothing came within 10 ms");
/// }
/// # }
/// ```
#[track_caller]
#[inline]
pub fn timeout<F>(duration: Duration, future: F) -> Timeout<F::IntoFuture>
where
    F: IntoFuture,
{
    let limit = Limit::after(duration);
    Timeout {
        future: future.into_future(),
        limit,
    }
}

/// Gives `future` the time until `deadline` to complete.
///
/// Returns what the future returns, or [`Elapsed`] when the time is over first. Otherwise as [`timeout`](fn@super::timeout); the
/// limit is exact to a millisecond.
///
/// # Panics
///
/// Outside of a runtime, and in one whose timers are off: see [`enable_time`](crate::runtime).
///
/// # Cancel safety
///
/// Dropping it drops the future: it is as cancel safe as that is.
///
/// # Examples
///
/// One deadline for two steps:
///
/// ```
/// use heist::time::{Duration, Instant, error::Elapsed, timeout_at};
///
/// # async fn connect() {}
/// # async fn greet() {}
/// # #[heist::main]
/// # async fn main() -> Result<(), Elapsed> {
/// let deadline = Instant::now() + Duration::from_millis(100);
/// timeout_at(deadline, connect()).await?;
/// timeout_at(deadline, greet()).await?;
/// # Ok(())
/// # }
/// ```
#[track_caller]
#[inline]
pub fn timeout_at<F>(deadline: Instant, future: F) -> Timeout<F::IntoFuture>
where
    F: IntoFuture,
{
    let sleep = Sleep::until(deadline);
    Timeout {
        future: future.into_future(),
        limit: Limit::At { sleep },
    }
}

pin_project! {
    /// The future of [`timeout`](fn@super::timeout) and [`timeout_at`].
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Timeout<T> {
        #[pin]
        future: T,
        #[pin]
        limit: Limit,
    }
}

pin_project! {
    #[project = LimitProjection]
    enum Limit {
        // Too far away to come.
        Never,
        // Not looked at yet: the deadline is found when it is needed.
        After {
            duration: Duration,
            created: Stamp,
            runtime: RuntimeId,
        },
        At {
            #[pin]
            sleep: Sleep,
        },
    }
}

impl Limit {
    #[track_caller]
    #[inline]
    fn after(duration: Duration) -> Self {
        if clock::any_paused() && context::with_current_clock(Clock::is_real) == Some(false) {
            return Self::after_exactly(duration);
        }
        if duration > super::FAR && clock::real_now().checked_add(duration).is_none() {
            return Self::Never;
        }
        Self::After {
            duration,
            created: Stamp::now(),
            runtime: current_runtime(),
        }
    }

    #[track_caller]
    #[cold]
    fn after_exactly(duration: Duration) -> Self {
        match Instant::now().checked_add(duration) {
            None => Self::Never,
            Some(deadline) => Self::At {
                sleep: Sleep::until(deadline),
            },
        }
    }

    /// Finds the deadline of a limit that the future has now outlived its first poll under.
    fn set_deadline(mut self: Pin<&mut Self>) -> Option<Instant> {
        let Self::After {
            duration,
            created,
            runtime,
        } = *self
        else {
            return None;
        };
        let times = context::with_timers(runtime, |timers, _| timers.clock.now_and_date(created));
        let Some((now, start)) = times else {
            runtime_is_gone();
        };
        self.set(match start.checked_add(duration) {
            None => Self::Never,
            Some(deadline) => Self::At {
                sleep: Sleep::until_in(Instant::from_std(deadline), runtime),
            },
        });
        Some(Instant::from_std(now))
    }

    /// `Ready` when the time is over.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>, had_budget: bool) -> Poll<Elapsed> {
        let now = match *self {
            Self::After { .. } => self.as_mut().set_deadline(),
            _ => None,
        };
        let LimitProjection::At { sleep } = self.project() else {
            return Poll::Pending;
        };
        // A future that spends the whole budget at each poll would keep the timer from ever being looked
        // at; it is the future that pays for that, so the look is free.
        let _free = (had_budget && !budget::has_budget_remaining())
            .then(|| BudgetScope::enter(Budget::unconstrained()));
        sleep.poll_timer(cx, now).map(|()| Elapsed::new())
    }
}

impl<T> Timeout<T> {
    /// The future under the limit.
    pub fn get_ref(&self) -> &T {
        &self.future
    }

    /// The future under the limit, mutably.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.future
    }

    /// The future, without its limit.
    pub fn into_inner(self) -> T {
        self.future
    }
}

impl<T> Future for Timeout<T>
where
    T: Future,
{
    type Output = Result<T::Output, Elapsed>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let had_budget = budget::has_budget_remaining();
        if let Poll::Ready(output) = this.future.poll(cx) {
            return Poll::Ready(Ok(output));
        }
        this.limit.poll(cx, had_budget).map(Err)
    }
}

impl<T: fmt::Debug> fmt::Debug for Timeout<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("Timeout");
        f.field("future", &self.future);
        match &self.limit {
            Limit::Never => f.finish_non_exhaustive(),
            Limit::After { duration, .. } => f.field("duration", duration).finish_non_exhaustive(),
            Limit::At { sleep } => f.field("sleep", sleep).finish_non_exhaustive(),
        }
    }
}
