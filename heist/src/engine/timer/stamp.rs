//! A reading of the time that is cheap to take, and dated only if somebody asks.
//!
//! **What.** Most futures under a `timeout` are ready at their first poll, and then the reading of the clock is
//! most of what the timeout costs: 30 ns where this was measured, of which 11 ns are the processor's
//! counter and the rest its ordering and its conversion. So a timeout keeps the bare counter, a [`Stamp`], and who
//! needs the time of it asks for that [later](Stamp::date).
//!
//! **How it is dated.** The counter and the clock advance together, so two moments at which both are known date
//! each moment between them:
//!
//! ```text
//!   counter   anchor ............ stamp ................... present
//!   clock     anchor ............ date  ................... present
//! ```
//!
//! The *anchor* is as old as the process's first runtime. There is nothing to calibrate.
//!
//! **Rules.**
//! * S1. *Never before itself*: the date of a stamp is not before the moment it was taken, for a timeout that counts from it
//!   must not be early. At both ends the counter is read *before* the clock; so both ends of the line lie at
//!   or above the true one, and with them all between. On the way the clock's rate varies, as it follows a time
//!   server: the kernel lets it run a tenth faster or slower at most, and an age is counted shorter by [a
//!   part](SHORTENED) that covers the change from one to the other.
//! * S2. *Hardly after*: a date is late by that part of its age, and within [`RECENT`] it is the present. Most futures
//!   are polled right after they are made.
//! * S3. *The counter is trusted as far as the kernel trusts it*: it is used where the kernel's own clock is made of it
//!   (which says that it has one rate, never stops and agrees on all processors), and otherwise a stamp is a precise
//!   reading. If the kernel loses its trust, which is [looked at](is_still_trusted) again, or if the system was
//!   suspended since the anchor (the counter went on or began anew, and the clock did not), a date is the present.
//!
//! **Rejected.** The kernel's coarse clock, the time of its last tick: it costs 6 ns, but nothing bounds how far it
//! lags. On a busy virtual machine one reading in a thousand was behind by more than two ticks (8 ms), up to 25 ms, and
//! the timeout early by what was beyond them. A precise reading: `timeout_ready` takes twice the time.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::clock::real_now;

/// Between two moments that are closer than this a timer makes no difference: a tick is ten times as long.
const RECENT: Duration = Duration::from_micros(100);
/// S1: an age is counted shorter by one part in so many: 1.1 / 0.9 * (1 - 1 / 5) < 1.
const SHORTENED: u32 = 5;
/// How often the kernel is asked whether it still trusts the counter, in seconds.
const TRUST_FOR: u64 = 1;

/// A moment, by the processor's counter where that can be trusted (S3), otherwise in nanoseconds after the anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

/// A moment known by the counter and by the clock.
#[derive(Debug)]
struct Anchor {
    /// `None`: the counter is not to be trusted.
    counter: Option<u64>,
    at: Instant,
    /// For how long the system had been suspended until then.
    suspended: i64,
}

fn anchor() -> &'static Anchor {
    static ANCHOR: OnceLock<Anchor> = OnceLock::new();

    ANCHOR.get_or_init(|| Anchor {
        // S1: before the clock. Struct expressions are evaluated as they are written.
        counter: counter::is_trusted().then(counter::read),
        at: real_now(),
        suspended: (0..3).map(|_| time_suspended()).min().unwrap_or_default(),
    })
}

/// For the first runtime: so that no timeout has to find out what a stamp is.
pub(crate) fn prepare() {
    anchor();
}

impl Stamp {
    #[inline]
    pub(crate) fn now() -> Self {
        let anchor = anchor();
        match anchor.counter {
            Some(_) => Self(counter::read()),
            None => Self((real_now() - anchor.at).as_nanos() as u64),
        }
    }

    /// When it was taken, or a little later (S1, S2). `present` was taken before the clock was read as `now`.
    pub(crate) fn date(self, present: Self, now: Instant) -> Instant {
        let anchor = anchor();
        let Some(first) = anchor.counter else {
            return anchor.at + Duration::from_nanos(self.0);
        };
        let (Some(age), Some(span)) = (present.0.checked_sub(self.0), present.0.checked_sub(first))
        else {
            // The counter began anew.
            return now;
        };
        let share = age as f64 / span.max(1) as f64;
        let age = (now - anchor.at).mul_f64(share.min(1.0));
        let seems_suspended = || time_suspended() > anchor.suspended + RECENT.as_nanos() as i64;
        // Again, for a thread that loses its processor within the look sees too much.
        let was_suspended = || seems_suspended() && seems_suspended() && seems_suspended();
        if age < RECENT || was_suspended() || !is_still_trusted(now - anchor.at) {
            return now;
        }
        now - (age - age / SHORTENED)
    }
}

/// S3, `age` after the anchor; asks the kernel once in a while.
fn is_still_trusted(age: Duration) -> bool {
    /// In seconds after the anchor; never, if the trust is lost.
    static ASK_FROM: AtomicU64 = AtomicU64::new(TRUST_FOR);
    const LOST: u64 = u64::MAX;

    // Relaxed, both: who asks once more gets the same answer.
    let (ask_from, now) = (ASK_FROM.load(Relaxed), age.as_secs());
    if ask_from <= now {
        let trusted = counter::is_trusted();
        ASK_FROM.store(if trusted { now + TRUST_FOR } else { LOST }, Relaxed);
        return trusted;
    }
    ask_from != LOST
}

/// For how long the system was suspended since it was started, in nanoseconds, which its clock left out; or more, by
/// what passes within the call. In a container with clocks of its own, off by a constant.
#[cfg(target_os = "linux")]
fn time_suspended() -> i64 {
    fn read(clock: libc::clockid_t) -> i64 {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` lives through the call.
        let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
        debug_assert_eq!(result, 0);
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    let clock = read(libc::CLOCK_MONOTONIC);
    read(libc::CLOCK_BOOTTIME) - clock
}

#[cfg(not(target_os = "linux"))]
fn time_suspended() -> i64 {
    0
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod counter {
    /// S3.
    pub(super) fn is_trusted() -> bool {
        std::fs::read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .is_ok_and(|name| name.trim_ascii() == b"tsc")
    }

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every x86-64 has the instruction, and a process that was forbidden it (`PR_SET_TSC`) has no clock
        // either where the kernel's is made of it (S3).
        unsafe { core::arch::x86_64::_rdtsc() }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod counter {
    pub(super) fn is_trusted() -> bool {
        false
    }

    pub(super) fn read() -> u64 {
        unreachable!("the counter is not trusted")
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::thread;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn no_stamp_is_dated_before_it_was_taken() {
        // Taken on several threads, dated on another: the counter is one for all processors.
        let taken: Vec<_> = (0..4)
            .map(|_| {
                thread::spawn(|| {
                    let mut taken = Vec::new();
                    for _ in 0..50 {
                        let before = real_now();
                        let stamp = Stamp::now();
                        taken.push((before, stamp, real_now()));
                        thread::sleep(MS / 2);
                    }
                    taken
                })
            })
            .flat_map(|thread| thread.join().unwrap())
            .collect();
        for pause in [Duration::ZERO, 5 * MS, 50 * MS] {
            thread::sleep(pause);
            for (before, stamp, after) in &taken {
                let (present, now) = (Stamp::now(), real_now());
                let date = stamp.date(present, now);
                assert!(date >= *before, "early by {:?}", *before - date);
                let age = now - *before;
                let latest = *after + age / SHORTENED + 2 * RECENT;
                assert!(date <= latest, "late by {:?}", date - *after);
            }
        }
    }

    #[test]
    fn a_moment_ago_is_now() {
        let (stamp, present, now) = (Stamp::now(), Stamp::now(), real_now());
        let date = stamp.date(present, now);
        assert!(date <= now && now - date < RECENT + MS);
    }

    #[test]
    fn a_counter_that_began_anew_dates_to_the_present() {
        if anchor().counter.is_some() {
            let (stamp, now) = (Stamp::now(), real_now());
            assert_eq!(stamp.date(Stamp(stamp.0 - 1), now), now);
            assert_eq!(stamp.date(Stamp(0), now), now);
        }
    }
}
