//! The public surface on a stand-in for the runtime: one thread that polls, sleeps and fires.

use super::*;
use crate::engine::base::budget::{self, Budget, BudgetScope};
use crate::engine::context::Entered;
use crate::engine::context::stub::StubRuntime;
use crate::engine::timer::{Clock, TimerHandle};
use std::future::{Future, pending, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

struct Bench {
    runtime: Arc<StubRuntime>,
    _entered: Entered,
    wakes: Arc<Wakes>,
    waker: Waker,
}

impl Bench {
    fn new(clock: Clock) -> Self {
        let runtime = StubRuntime::new(Some(TimerHandle::new(1, clock)));
        let wakes = Arc::new(Wakes::default());
        Self {
            _entered: runtime.enter(),
            runtime,
            waker: Waker::from(wakes.clone()),
            wakes,
        }
    }

    fn real() -> Self {
        Self::new(Clock::new(false, false))
    }

    fn paused() -> Self {
        Self::new(Clock::new(true, true))
    }

    fn timers(&self) -> &TimerHandle {
        self.runtime.timers()
    }

    fn armed(&self) -> usize {
        self.timers().shards[0].len()
    }

    fn wakes(&self) -> usize {
        self.wakes.0.load(Ordering::SeqCst)
    }

    fn poll<F: Future>(&self, future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(&self.waker))
    }

    fn tick(&self, interval: &mut Interval) -> Poll<Instant> {
        interval.poll_tick(&mut Context::from_waker(&self.waker))
    }

    /// What the current-thread scheduler does.
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let timers = self.timers();
        let shard = &timers.shards[0];
        loop {
            let seen = self.wakes();
            if let Poll::Ready(output) = self.poll(future.as_mut()) {
                return output;
            }
            shard.fire(timers.clock.now());
            if self.wakes() != seen {
                continue;
            }
            let deadline = shard.prepare_sleep(timers.clock.now()).expect("a timer");
            if timers.clock.can_auto_advance() {
                timers.clock.advance_to(deadline);
            } else {
                std::thread::sleep(deadline.saturating_duration_since(timers.clock.now()));
            }
            shard.awake();
            shard.fire(timers.clock.now());
        }
    }

    /// As `time::advance`, without its turn for others.
    fn advance(&self, by: Duration) {
        assert!(self.poll(pin!(advance(by))).is_pending());
    }
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn panic_message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast::<&str>().unwrap().to_string(),
    }
}

fn is_send_sync<T: Send + Sync>() {}
fn is_unpin<T: Unpin>() {}

#[test]
fn types_are_small_and_send() {
    is_send_sync::<Sleep>();
    is_send_sync::<Timeout<()>>();
    is_send_sync::<Interval>();
    is_unpin::<Interval>();
    assert!(size_of::<Sleep>() <= 80, "{}", size_of::<Sleep>());
    assert!(
        size_of::<Timeout<()>>() <= 80,
        "{}",
        size_of::<Timeout<()>>()
    );
}

#[test]
fn sleeps_in_real_time_and_never_early() {
    let bench = Bench::real();
    for n in [0, 1, 3, 7] {
        let start = Instant::now();
        bench.block_on(sleep(ms(n)));
        assert!(start.elapsed() >= ms(n));
    }
    let past = Instant::now() - ms(100);
    assert!(bench.poll(pin!(sleep_until(past))).is_ready());
    assert_eq!(bench.armed(), 0);
}

#[test]
fn registers_only_when_it_has_to_wait() {
    let bench = Bench::real();
    let mut sleep = Box::pin(sleep(ms(60_000)));
    assert_eq!(bench.armed(), 0);
    assert!(bench.poll(sleep.as_mut()).is_pending());
    assert_eq!(bench.armed(), 1);
    assert!(bench.poll(sleep.as_mut()).is_pending());
    drop(sleep);
    assert_eq!((bench.armed(), bench.wakes()), (0, 0));
}

#[test]
fn a_paused_clock_jumps_to_the_timers() {
    let bench = Bench::paused();
    for wait in [ms(1), ms(60), ms(86_400_000), Duration::MAX] {
        let start = Instant::now();
        let wait = wait.min(FAR);
        bench.block_on(sleep(wait));
        assert_eq!(start.elapsed(), wait);
    }
    let start = Instant::now();
    bench.block_on(sleep_until(start + Duration::from_micros(1_500)));
    assert_eq!(start.elapsed(), ms(2), "rounded up to a tick");
}

#[test]
fn is_elapsed_when_it_was_armed_and_is_past() {
    let bench = Bench::paused();
    let mut sleep = Box::pin(sleep_until(Instant::now()));
    assert!(!sleep.is_elapsed(), "never polled");
    bench.block_on(sleep.as_mut());
    assert!(sleep.is_elapsed());
    assert!(bench.poll(sleep.as_mut()).is_ready(), "and stays so");
    sleep.as_mut().reset(Instant::now() + ms(10));
    assert!(!sleep.is_elapsed());
    bench.advance(ms(10));
    assert!(sleep.is_elapsed(), "without a poll");
    assert!(bench.poll(sleep.as_mut()).is_ready());
}

#[test]
fn reset_moves_a_waiting_sleep_both_ways() {
    let bench = Bench::paused();
    let start = Instant::now();
    let mut sleep = Box::pin(sleep(ms(100)));
    assert!(bench.poll(sleep.as_mut()).is_pending());
    sleep.as_mut().reset(start + ms(200));
    assert_eq!(sleep.deadline(), start + ms(200));
    bench.advance(ms(150));
    assert!(bench.poll(sleep.as_mut()).is_pending());
    sleep.as_mut().reset(start + ms(160));
    bench.block_on(sleep.as_mut());
    assert_eq!(start.elapsed(), ms(160));

    sleep.as_mut().reset(start + ms(300));
    assert!(bench.poll(sleep.as_mut()).is_pending());
    let wakes = bench.wakes();
    sleep.as_mut().reset(start + ms(100));
    assert_eq!(bench.wakes(), wakes + 1, "to the past: woken at once");
    assert!(bench.poll(sleep.as_mut()).is_ready());
    assert_eq!(bench.armed(), 0);
}

#[test]
fn an_interval_ticks_at_once_and_then_by_its_period() {
    let bench = Bench::real();
    let mut slow = interval(ms(60_000));
    assert!(bench.tick(&mut slow).is_ready());
    assert!(bench.tick(&mut slow).is_pending());
    drop(slow);
    let mut ticks = interval(ms(5));
    let Poll::Ready(first) = bench.tick(&mut ticks) else {
        panic!("the first tick is at once");
    };
    assert_eq!(bench.block_on(ticks.tick()), first + ms(5));
    assert_eq!(bench.block_on(ticks.tick()), first + ms(10));
    assert!(first.elapsed() >= ms(10));
    assert_eq!(ticks.period(), ms(5));
}

#[test]
fn missed_ticks_are_made_up_for_moved_or_skipped() {
    // The example in the docs of `MissedTickBehavior`.
    for (behavior, expected) in [
        (
            MissedTickBehavior::Burst,
            [(35, 20), (35, 30), (40, 40), (50, 50)],
        ),
        (
            MissedTickBehavior::Delay,
            [(35, 20), (45, 45), (55, 55), (65, 65)],
        ),
        (
            MissedTickBehavior::Skip,
            [(35, 20), (40, 40), (50, 50), (60, 60)],
        ),
    ] {
        let bench = Bench::paused();
        let start = Instant::now();
        let mut ticks = interval(ms(10));
        ticks.set_missed_tick_behavior(behavior);
        assert_eq!(ticks.missed_tick_behavior(), behavior);
        assert_eq!(bench.block_on(ticks.tick()), start);
        assert_eq!(bench.block_on(ticks.tick()), start + ms(10));
        bench.advance(ms(25));
        for (at, due) in expected {
            assert_eq!(
                bench.block_on(ticks.tick()),
                start + ms(due),
                "{behavior:?}"
            );
            assert_eq!(start.elapsed(), ms(at), "{behavior:?}");
        }
    }
}

#[test]
fn a_tick_that_is_a_little_late_is_not_missed() {
    let bench = Bench::paused();
    let start = Instant::now();
    let mut ticks = interval_at(start, ms(10));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    bench.advance(ms(5));
    assert_eq!(bench.tick(&mut ticks), Poll::Ready(start));
    assert!(bench.tick(&mut ticks).is_pending());
    bench.advance(ms(5));
    assert_eq!(bench.tick(&mut ticks), Poll::Ready(start + ms(10)));
}

#[test]
fn an_interval_is_reset() {
    let bench = Bench::paused();
    let start = Instant::now();
    let mut ticks = interval(ms(10));
    bench.block_on(ticks.tick());
    bench.advance(ms(4));
    ticks.reset();
    assert_eq!(bench.block_on(ticks.tick()), start + ms(14));
    ticks.reset_after(ms(3));
    assert_eq!(bench.block_on(ticks.tick()), start + ms(17));
    ticks.reset_at(start + ms(40));
    assert_eq!(bench.block_on(ticks.tick()), start + ms(40));
    ticks.reset_immediately();
    assert_eq!(bench.tick(&mut ticks), Poll::Ready(start + ms(40)));
    ticks.reset_after(Duration::MAX);
    let mut ticks = interval(Duration::MAX);
    ticks.reset();
    assert!(panic_message(|| drop(interval(Duration::ZERO))).contains("zero"));
}

#[test]
fn a_timeout_lets_through_what_is_in_time() {
    let bench = Bench::real();
    assert_eq!(bench.block_on(timeout(Duration::ZERO, ready(1))), Ok(1));
    let past = Instant::now() - ms(5);
    assert_eq!(bench.block_on(timeout_at(past, ready(2))), Ok(2));
    assert_eq!(bench.armed(), 0, "a ready future needs no timer");
    let slow = async {
        sleep(ms(2)).await;
        3
    };
    assert_eq!(bench.block_on(timeout(ms(60_000), slow)), Ok(3));
    let mut limited = timeout(ms(1), ready(4));
    let address: *const _ = limited.get_ref();
    assert!(std::ptr::eq(address, limited.get_mut()));
    assert!(matches!(limited.into_inner().into_inner(), 4));
}

#[test]
fn a_timeout_ends_what_is_late_and_not_before_its_time() {
    let bench = Bench::real();
    for n in [0, 1, 5, 12] {
        let start = Instant::now();
        let result = bench.block_on(timeout(ms(n), pending::<()>()));
        assert_eq!(result, Err(error::Elapsed::new()));
        assert!(start.elapsed() >= ms(n));
    }
    let result = bench.block_on(timeout_at(Instant::now() - ms(1), pending::<()>()));
    assert!(result.is_err());
}

#[test]
fn the_time_of_a_timeout_counts_from_its_making() {
    let bench = Bench::real();
    let start = Instant::now();
    let limited = timeout(ms(400), pending::<()>());
    std::thread::sleep(ms(150));
    assert!(bench.block_on(limited).is_err());
    let passed = start.elapsed();
    assert!(passed >= ms(400), "early: {passed:?}");
    // Not from the first poll: that finds it over, also if of its age a fifth is not counted.
    let mut limited = Box::pin(timeout(ms(200), pending::<()>()));
    std::thread::sleep(ms(260));
    assert!(bench.poll(limited.as_mut()).is_ready());
}

#[test]
fn a_timeout_is_exact_by_a_paused_clock() {
    let bench = Bench::paused();
    let start = Instant::now();
    let mut limited = Box::pin(timeout(ms(100), pending::<()>()));
    bench.advance(ms(99));
    assert!(bench.poll(limited.as_mut()).is_pending());
    bench.advance(ms(1));
    assert!(bench.poll(limited.as_mut()).is_ready());
    assert_eq!(start.elapsed(), ms(100));
    // Made past its time, polled for the first time after it.
    let mut limited = Box::pin(timeout(ms(100), pending::<()>()));
    bench.advance(ms(100));
    assert!(bench.poll(limited.as_mut()).is_ready());
}

#[test]
fn a_timeout_made_before_the_pause_knows_its_age() {
    let bench = Bench::new(Clock::new(true, false));
    let mut limited = Box::pin(timeout(ms(1_000), pending::<()>()));
    pause();
    bench.advance(ms(2_000));
    assert!(bench.poll(limited.as_mut()).is_ready());
    resume();
}

#[test]
fn for_ever_is_for_ever() {
    let bench = Bench::paused();
    let mut limited = Box::pin(timeout(Duration::MAX, pending::<()>()));
    assert!(bench.poll(limited.as_mut()).is_pending());
    bench.advance(Duration::from_secs(10 * 365 * 86_400));
    assert!(bench.poll(limited.as_mut()).is_pending());
    drop(bench);
    let bench = Bench::real();
    let mut limited = Box::pin(timeout(Duration::MAX, pending::<()>()));
    assert!(bench.poll(limited.as_mut()).is_pending());
    let mut sleep = Box::pin(sleep(Duration::MAX));
    assert!(bench.poll(sleep.as_mut()).is_pending());
    assert_eq!(bench.armed(), 1);
    drop((limited, sleep));
    drop(bench);
    // Nothing to wait for, so no runtime is needed.
    drop(timeout(Duration::MAX, pending::<()>()));
}

#[test]
fn a_future_that_eats_the_budget_is_timed_out_too() {
    let bench = Bench::real();
    let hungry = poll_fn(|cx| {
        loop {
            match budget::poll_proceed(cx) {
                Poll::Ready(turn) => turn.made_progress(),
                Poll::Pending => return Poll::<()>::Pending,
            }
        }
    });
    let mut limited = Box::pin(timeout(ms(3), hungry));
    let timers = bench.timers();
    let start = Instant::now();
    loop {
        let _turn = BudgetScope::enter(Budget::initial());
        if bench.poll(limited.as_mut()).is_ready() {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10));
        timers.fire_all(timers.clock.now());
    }
    assert!(start.elapsed() >= ms(3));
}

#[test]
fn a_sleep_spends_budget_and_yields_without() {
    let bench = Bench::real();
    let mut past = Box::pin(sleep_until(Instant::now() - ms(10)));
    let _turn = BudgetScope::enter(Budget::initial());
    for _ in 0..128 {
        assert!(bench.poll(past.as_mut()).is_ready());
    }
    assert!(bench.poll(past.as_mut()).is_pending());
    assert_eq!(bench.wakes(), 1);
}

#[test]
fn misuse_panics_and_says_why() {
    assert!(panic_message(|| drop(sleep(ms(1)))).contains("a heist runtime"));
    assert!(panic_message(|| drop(timeout(ms(1), ready(())))).contains("a heist runtime"));
    assert!(
        panic_message(|| drop(timeout_at(Instant::now(), ready(())))).contains("a heist runtime")
    );
    assert!(panic_message(pause).contains("no runtime"));
    assert!(panic_message(resume).contains("no runtime"));
    let without_timers = StubRuntime::new(None);
    {
        let _entered = without_timers.enter();
        assert!(panic_message(|| drop(sleep(ms(1)))).contains("enable_time"));
        assert!(panic_message(|| drop(interval(ms(1)))).contains("enable_time"));
        assert!(panic_message(|| drop(timeout(ms(1), ready(())))).contains("enable_time"));
    }
    let bench = Bench::real();
    assert!(panic_message(pause).contains("current-thread"));
    assert!(panic_message(resume).contains("not paused"));
    drop(bench);
    let bench = Bench::paused();
    assert!(panic_message(pause).contains("already"));
    resume();
    assert!(panic_message(|| bench.advance(ms(1))).contains("not paused"));
}

#[test]
fn a_sleep_whose_runtime_is_gone_panics_when_polled_and_drops_well() {
    let bench = Bench::real();
    let waker = bench.waker.clone();
    let mut cx = Context::from_waker(&waker);
    let mut armed = Box::pin(sleep(ms(60_000)));
    let mut idle = Box::pin(sleep(ms(60_000)));
    let mut limited = Box::pin(timeout(ms(60_000), pending::<()>()));
    let mut done = Box::pin(sleep_until(Instant::now() - ms(5)));
    assert!(armed.as_mut().poll(&mut cx).is_pending());
    assert!(done.as_mut().poll(&mut cx).is_ready());
    bench.timers().shards[0].shutdown(crate::engine::timer::Armed::ShutDown);
    assert_eq!(bench.wakes(), 1);
    assert!(
        panic_message(|| assert!(armed.as_mut().poll(&mut cx).is_pending()))
            .contains("shutting down")
    );
    assert!(
        panic_message(|| assert!(idle.as_mut().poll(&mut cx).is_pending()))
            .contains("shutting down")
    );
    drop(bench);
    assert!(panic_message(|| drop(limited.as_mut().poll(&mut cx))).contains("shutting down"));
    assert!(done.as_mut().poll(&mut cx).is_ready());
    armed.as_mut().reset(Instant::now());
    assert!(
        panic_message(|| assert!(armed.as_mut().poll(&mut cx).is_pending()))
            .contains("shutting down")
    );
}

#[test]
fn a_sleep_is_polled_outside_of_its_runtime() {
    let bench = Bench::real();
    let mut sleep = Box::pin(sleep(ms(1)));
    let Bench {
        runtime,
        _entered,
        waker,
        wakes,
    } = bench;
    drop(_entered);
    let mut cx = Context::from_waker(&waker);
    let polled = sleep.as_mut().poll(&mut cx);
    std::thread::sleep(ms(3));
    let timers = runtime.timers();
    timers.fire_all(timers.clock.now());
    assert!(polled.is_ready() || wakes.0.load(Ordering::SeqCst) == 1);
    assert!(sleep.as_mut().poll(&mut cx).is_ready());
}

#[test]
fn instants_do_not_go_below_zero() {
    let now = Instant::now();
    let later = now + ms(5);
    assert_eq!(now - later, Duration::ZERO);
    assert_eq!(now.duration_since(later), Duration::ZERO);
    assert_eq!(later.saturating_duration_since(now), ms(5));
    assert_eq!(now.checked_duration_since(later), None);
    assert_eq!(later - ms(5), now);
    assert_eq!(now.checked_add(Duration::MAX), None);
    assert_eq!(now.checked_sub(Duration::MAX), None);
    let mut moved = now;
    moved += ms(7);
    moved -= ms(2);
    assert_eq!(moved, later);
    assert_eq!(Instant::from(std::time::Instant::from(now)), now);
    assert_eq!(later.elapsed(), later.elapsed().min(ms(0)), "yet to come");
}

#[test]
fn errors_say_what_they_are() {
    let elapsed = error::Elapsed::new();
    assert_eq!(elapsed.to_string(), "deadline has elapsed");
    assert_eq!(
        std::io::Error::from(elapsed).kind(),
        std::io::ErrorKind::TimedOut
    );
    let (gone, full, bad) = (
        error::Error::shutdown(),
        error::Error::at_capacity(),
        error::Error::invalid(),
    );
    assert!(gone.is_shutdown() && !gone.is_at_capacity() && !gone.is_invalid());
    assert!(full.is_at_capacity() && bad.is_invalid());
    assert_ne!(gone.to_string(), full.to_string());
    assert!(!bad.to_string().is_empty());
}
