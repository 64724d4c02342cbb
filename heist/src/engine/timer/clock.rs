//! The clock of a runtime: the machine's, until a test pauses it.
//!
//! This file and [`stamp`] are the only ones by which timers learn the machine's time. A paused clock stands still
//! until somebody advances it: the program by `time::advance`, or the current-thread scheduler when all tasks wait
//! (*auto-advance*), which is not done while a blocking job runs, for its end may be what they wait for.
//!
//! **Auto-advance** is the scheduler's: when it has nothing to run it asks
//! [`can_auto_advance`](Clock::can_auto_advance) *first*, looks again for work that came from outside *after*
//! that, and if there is none calls [`advance_to`](Clock::advance_to) with the next deadline. A job wakes whom
//! it wakes before it calls [`allow_auto_advance`](Clock::allow_auto_advance), so a scheduler that sees the
//! count at 0 sees the wake too.

use std::sync::atomic::AtomicBool as StaticBool;
use std::time::{Duration, Instant};

use super::stamp::{self, Stamp};
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// True once any clock of the process was paused. A hint that spares `Instant::now` the search for its
/// runtime's clock in programs that never pause one; `std`'s atomic, as loom has none for statics.
static ANY_PAUSED: StaticBool = StaticBool::new(false);

/// The machine's clock.
#[inline]
pub(crate) fn real_now() -> Instant {
    Instant::now()
}

/// False as long as every clock of the process is the machine's.
#[inline]
pub(crate) fn any_paused() -> bool {
    // Relaxed: a thread that is to notice a pause learnt of it in a way that orders this.
    ANY_PAUSED.load(Ordering::Relaxed)
}

/// A runtime's clock.
#[derive(Debug)]
pub(crate) struct Clock {
    pausable: bool,
    /// Set by the first pause, for good: from then on the time is in `setting`.
    paused_once: AtomicBool,
    /// How many blocking jobs run that forbid auto-advance.
    inhibitors: AtomicUsize,
    setting: Mutex<Setting>,
}

#[derive(Debug, Clone, Copy)]
enum Setting {
    /// It was `then` when the machine's clock said `real`, and runs.
    Running {
        then: Instant,
        real: Instant,
    },
    Paused {
        at: Instant,
    },
}

impl Clock {
    /// `pausable` is for runtimes on which all runs on one thread. A clock that starts paused stands at
    /// the machine's present.
    pub(crate) fn new(pausable: bool, start_paused: bool) -> Self {
        stamp::prepare();
        let now = real_now();
        let clock = Self {
            pausable,
            paused_once: AtomicBool::new(false),
            inhibitors: AtomicUsize::new(0),
            setting: Mutex::new(Setting::Running {
                then: now,
                real: now,
            }),
        };
        if start_paused && let Err(message) = clock.pause() {
            panic!("{message}");
        }
        clock
    }

    #[inline]
    pub(crate) fn now(&self) -> Instant {
        if self.is_real() {
            return real_now();
        }
        self.setting.lock().now()
    }

    /// True if it is the machine's clock, and was never paused.
    #[inline]
    pub(crate) fn is_real(&self) -> bool {
        // Relaxed: as in `any_paused`.
        !self.paused_once.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn is_paused(&self) -> bool {
        !self.is_real() && matches!(*self.setting.lock(), Setting::Paused { .. })
    }

    /// The present, and when `stamp` was taken or a little later ([S1](super::stamp)): before this clock was first
    /// paused, while it was the machine's.
    pub(crate) fn now_and_date(&self, stamp: Stamp) -> (Instant, Instant) {
        let present = Stamp::now();
        let now = self.now();
        let real_now = if self.is_real() { now } else { real_now() };
        // By a clock that was paused the present may be the earlier one.
        (now, stamp.date(present, real_now).min(now))
    }

    pub(crate) fn pause(&self) -> Result<(), &'static str> {
        if !self.pausable {
            return Err("only the clock of a current-thread runtime can be paused");
        }
        let mut setting = self.setting.lock();
        if matches!(*setting, Setting::Paused { .. }) {
            return Err("the clock is paused already");
        }
        let at = setting.now();
        *setting = Setting::Paused { at };
        // Relaxed, both: as in `any_paused`.
        self.paused_once.store(true, Ordering::Relaxed);
        ANY_PAUSED.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn resume(&self) -> Result<(), &'static str> {
        let mut setting = self.setting.lock();
        match *setting {
            Setting::Running { .. } => Err("the clock is not paused"),
            Setting::Paused { at } => {
                *setting = Setting::Running {
                    then: at,
                    real: real_now(),
                };
                Ok(())
            }
        }
    }

    pub(crate) fn advance(&self, by: Duration) -> Result<(), &'static str> {
        let mut setting = self.setting.lock();
        match &mut *setting {
            Setting::Running { .. } => Err("the clock is not paused"),
            Setting::Paused { at } => {
                *at = at
                    .checked_add(by)
                    .ok_or("the clock cannot be advanced that far")?;
                Ok(())
            }
        }
    }

    /// Moves a paused clock forward to `instant`; never back, and not if it runs.
    pub(crate) fn advance_to(&self, instant: Instant) {
        if let Setting::Paused { at } = &mut *self.setting.lock() {
            *at = instant.max(*at);
        }
    }

    /// A blocking job begins that the paused clock waits for.
    pub(crate) fn inhibit_auto_advance(&self) {
        // Relaxed: the scheduler's own thread, or one ordered with it, submits the job.
        self.inhibitors.fetch_add(1, Ordering::Relaxed);
    }

    /// The job is done, and has woken whom it wakes.
    pub(crate) fn allow_auto_advance(&self) {
        // Ordering: pairs with the load in `can_auto_advance`: who sees the count at 0 sees the wakes.
        self.inhibitors.fetch_sub(1, Ordering::Release);
    }

    /// True if it is paused and no blocking job runs. The caller looks for work *after* this.
    pub(crate) fn can_auto_advance(&self) -> bool {
        // Ordering: pairs with the `fetch_sub` in `allow_auto_advance`.
        self.is_paused() && self.inhibitors.load(Ordering::Acquire) == 0
    }
}

impl Setting {
    fn now(&self) -> Instant {
        match *self {
            Self::Running { then, real } => then + real_now().saturating_duration_since(real),
            Self::Paused { at } => at,
        }
    }
}

/// A reading of the coarse clock: the time of the kernel's last tick.
///
/// It costs a quarter of a precise reading, because it does not touch the hardware. It is behind by a tick or two, and
/// on a machine that misses ticks by more: for hints only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coarse(
    #[cfg(target_os = "linux")] u64,
    #[cfg(not(target_os = "linux"))] Instant,
);

/// Reads the coarse clock. Where the system has none, the precise one.
#[inline]
pub(crate) fn coarse_now() -> Coarse {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` lives through the call.
        let result = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
        // It fails for a bad address or an unknown clock, and neither can be.
        debug_assert_eq!(result, 0);
        Coarse(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
    #[cfg(not(target_os = "linux"))]
    Coarse(real_now())
}

impl Coarse {
    /// What passed between two readings, less what this one is behind and more what `then` was.
    #[inline]
    pub(crate) fn since(self, then: Self) -> Duration {
        #[cfg(target_os = "linux")]
        return Duration::from_nanos(self.0.saturating_sub(then.0));
        #[cfg(not(target_os = "linux"))]
        return self.0.saturating_duration_since(then.0);
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_paused_clock_moves_only_when_told() {
        let clock = Clock::new(true, true);
        let start = clock.now();
        assert!(clock.is_paused() && any_paused());
        std::thread::sleep(2 * MS);
        assert_eq!(clock.now(), start);
        clock.advance(5 * MS).unwrap();
        assert_eq!(clock.now(), start + 5 * MS);
        clock.advance_to(start);
        assert_eq!(clock.now(), start + 5 * MS, "it never goes back");
        clock.advance_to(start + 7 * MS);
        assert_eq!(clock.now(), start + 7 * MS);
        assert!(clock.pause().is_err());
    }

    #[test]
    fn a_resumed_clock_goes_on_from_where_it_stood() {
        let clock = Clock::new(true, false);
        assert!(clock.is_real());
        assert!(clock.resume().is_err());
        assert!(clock.advance(MS).is_err());
        clock.pause().unwrap();
        let stood = clock.now();
        clock.advance(Duration::from_secs(3600)).unwrap();
        clock.resume().unwrap();
        assert!(!clock.is_paused());
        let now = clock.now();
        assert!(now >= stood + Duration::from_secs(3600));
        assert!(now < stood + Duration::from_secs(3660));
        clock.advance_to(now + Duration::from_secs(3600));
        assert!(clock.now() < now + Duration::from_secs(60), "it runs");
    }

    #[test]
    fn only_a_pausable_clock_pauses_and_too_far_is_an_error() {
        let clock = Clock::new(false, false);
        assert!(clock.pause().unwrap_err().contains("current-thread"));
        assert!(!clock.is_paused() && !clock.can_auto_advance());
        let clock = Clock::new(true, true);
        let stood = clock.now();
        assert!(clock.advance(Duration::MAX).is_err());
        assert_eq!(clock.now(), stood);
    }

    #[test]
    fn blocking_jobs_hold_auto_advance_back() {
        let clock = Clock::new(true, false);
        assert!(!clock.can_auto_advance());
        clock.pause().unwrap();
        assert!(clock.can_auto_advance());
        clock.inhibit_auto_advance();
        clock.inhibit_auto_advance();
        clock.allow_auto_advance();
        assert!(!clock.can_auto_advance());
        clock.allow_auto_advance();
        assert!(clock.can_auto_advance());
    }
}
