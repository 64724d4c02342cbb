//! Waiting until a time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::{Duration, Instant, after};
use crate::engine::base::{budget, words};
use crate::engine::context::{self, RuntimeId};
use crate::engine::timer::{Armed, TimerEntry};

/// Waits for `duration`.
///
/// The time counts from this call, not from the first poll. It never ends early; as timers count in
/// milliseconds it ends up to one later, and a `sleep` of zero is a short wait too. What is longer than 30
/// years is cut to that.
///
/// To do something again and again use [`interval`](fn@super::interval), which does not drift.
///
/// # Panics
///
/// Outside of a runtime, and in one whose timers are off: see [`enable_time`](crate::runtime). Also a
/// `block_on(sleep(..))` calls it outside, before the runtime is entered: write `block_on(async { sleep(..).await })`.
///
/// # Cancel safety
///
/// Dropping the future ends the waiting; nothing else happens.
///
/// # Examples
///
/// ```
/// use heist::time::{Duration, Instant, sleep};
///
/// # #[heist::main]
/// # async fn main() {
/// let start = Instant::now();
/// sleep(Duration::from_millis(10)).await;
/// assert!(start.elapsed() >= Duration::from_millis(10));
/// # }
/// ```
#[doc(alias = "delay_for")]
#[doc(alias = "wait")]
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    Sleep::until(after(Instant::now(), duration))
}

/// Waits until `deadline`.
///
/// It never ends early, and up to a millisecond later. A deadline that is past is done at the first poll.
///
/// # Panics
///
/// Outside of a runtime, and in one whose timers are off: see [`enable_time`](crate::runtime).
///
/// # Cancel safety
///
/// Dropping the future ends the waiting; nothing else happens.
///
/// # Examples
///
/// ```
/// use heist::time::{Duration, Instant, sleep_until};
///
/// # #[heist::main]
/// # async fn main() {
/// sleep_until(Instant::now() + Duration::from_millis(10)).await;
/// # }
/// ```
#[doc(alias = "delay_until")]
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep::until(deadline)
}

pin_project! {
    /// The future of [`sleep`](fn@super::sleep) and [`sleep_until`].
    ///
    /// It is not [`Unpin`], because the runtime keeps its address while it waits. To poll it by
    /// reference, as in a `select!` in a loop, pin it first with [`pin!`](std::pin::pin) or in a box.
    ///
    /// # Examples
    ///
    /// One limit for a whole loop:
    ///
    /// ```
    /// use heist::time::{Duration, sleep};
    /// use std::pin::pin;
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let (sender, mut receiver) = heist::sync::mpsc::channel(1);
    /// # sender.send(1).await.unwrap();
    /// let mut limit = pin!(sleep(Duration::from_millis(50)));
    /// loop {
    ///     heist::select! {
    ///         () = &mut limit => break,
    ///         Some(n) = receiver.recv() => println!("{n}"),
    ///     }
    /// }
    /// # drop(sender);
    /// # }
    /// ```
    #[project(!Unpin)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Sleep {
        deadline: Instant,
        // Whose timers. Only a number: to make a `Sleep` that is never polled costs no reference count.
        runtime: RuntimeId,
        #[pin]
        entry: TimerEntry,
    }
}

/// The runtime that a timer made here belongs to.
#[track_caller]
#[inline]
pub(super) fn current_runtime() -> RuntimeId {
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn none(runtime: Option<RuntimeId>) -> ! {
        match runtime {
            None => panic!("{}", words::NO_RUNTIME),
            Some(_) => panic!("{}", words::NO_TIME),
        }
    }

    match (
        context::current_runtime_id(),
        context::with_current_timers(|_, _| ()),
    ) {
        (Some(runtime), Some(())) => runtime,
        (runtime, _) => none(runtime),
    }
}

#[cold]
#[inline(never)]
pub(super) fn runtime_is_gone() -> ! {
    panic!("{}", words::TIME_IS_OVER);
}

impl Sleep {
    #[track_caller]
    #[inline]
    pub(super) fn until(deadline: Instant) -> Self {
        Self::until_in(deadline, current_runtime())
    }

    #[inline]
    pub(super) fn until_in(deadline: Instant, runtime: RuntimeId) -> Self {
        Self {
            deadline,
            runtime,
            entry: TimerEntry::new(),
        }
    }

    /// The time it waits for.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, Instant, sleep};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let sleep = sleep(Duration::from_secs(60));
    /// assert!(sleep.deadline() > Instant::now() + Duration::from_secs(50));
    /// # }
    /// ```
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// True when it was polled, or [reset](Self::reset), and its time has come since.
    ///
    /// One that was neither waits for nothing yet, and is not elapsed even if its deadline is past.
    pub fn is_elapsed(&self) -> bool {
        if self.entry.was_moved() && self.is_due() {
            self.entry.mark_fired();
        }
        self.entry.has_fired()
    }

    fn is_due(&self) -> bool {
        let due = context::with_timers(self.runtime, |timers, worker| {
            let shard = timers.pick(worker);
            shard
                .tick_ahead(self.deadline.into_std(), &timers.clock, None)
                .is_none()
        });
        due == Some(true)
    }

    /// Makes it wait for `deadline` instead, whether it still waits or is done already.
    ///
    /// The task that waits for it is woken at the new time; if it was done, it must be polled again for
    /// that. To a later time this costs next to nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::time::{Duration, Instant, sleep};
    /// use std::pin::pin;
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut idle = pin!(sleep(Duration::from_secs(60)));
    /// // Something happened: the time runs anew, and is shorter.
    /// idle.as_mut().reset(Instant::now() + Duration::from_millis(10));
    /// idle.await;
    /// # }
    /// ```
    ///
    /// In a struct it takes `self.as_mut().project().sleep.reset(..)`, or a `Pin<Box<Sleep>>`.
    pub fn reset(mut self: Pin<&mut Self>, deadline: Instant) {
        let is_earlier = deadline < self.deadline;
        *self.as_mut().project().deadline = deadline;
        let waits = self.entry.waits_in();
        let when = waits.map(|shard| shard.tick_for(deadline.into_std()));
        if is_earlier && when.is_some() && self.is_due() {
            self.project().entry.expire();
        } else {
            self.project().entry.move_to(when.unwrap_or(0));
        }
    }

    /// Gives it a new deadline and ends the waiting: nobody is woken for it before it is polled.
    pub(super) fn set_deadline(self: Pin<&mut Self>, deadline: Instant) {
        let mut this = self.project();
        *this.deadline = deadline;
        this.entry.as_mut().disarm();
    }

    /// Says that the deadline is past, of one that is not waiting.
    pub(super) fn mark_elapsed(&self) {
        if self.entry.is_idle() {
            self.entry.mark_fired();
        }
    }

    /// Polls the timer; `now` spares the clock, where it is known.
    #[inline]
    pub(super) fn poll_timer(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        now: Option<Instant>,
    ) -> Poll<()> {
        let turn = ready!(budget::poll_proceed(cx));
        if self.entry.is_idle() {
            self.as_mut().arm(cx, now);
        }
        match ready!(self.project().entry.poll_armed(cx)) {
            Armed::Fired => {
                turn.made_progress();
                Poll::Ready(())
            }
            Armed::ShutDown => runtime_is_gone(),
        }
    }

    fn arm(self: Pin<&mut Self>, cx: &mut Context<'_>, now: Option<Instant>) {
        let this = self.project();
        let deadline = this.deadline.into_std();
        let found = context::with_timers(*this.runtime, |timers, worker| {
            let shard = timers.pick(worker);
            let when = shard.tick_ahead(deadline, &timers.clock, now.map(Instant::into_std))?;
            let shard = (!this.entry.holds(shard)).then(|| shard.clone());
            Some((shard, when))
        });
        match found {
            Some(Some((shard, when))) => this.entry.arm(shard, when, cx.waker().clone()),
            Some(None) => this.entry.mark_fired(),
            None => runtime_is_gone(),
        }
    }
}

impl Future for Sleep {
    type Output = ();

    /// # Panics
    ///
    /// When it has to wait and its runtime is shutting down or gone.
    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_timer(cx, None)
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep")
            .field("deadline", &self.deadline)
            .field("timer", &self.entry)
            .finish()
    }
}
