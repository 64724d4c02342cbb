//! Time as programs rely on it, on real runtimes: a paused clock, intervals, timeouts.

mod support;

use std::future::{Future, pending, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::Poll;
use std::time::Duration;

use heist::runtime::{Builder, Runtime};
use heist::sync::{Notify, oneshot};
use heist::task;
use heist::time::{self, Instant, MissedTickBehavior};
use support::{bounded, multi, scale, single};

const MS: Duration = Duration::from_millis(1);

fn paused() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap()
}

/// Runs `test` on a runtime whose clock stands still.
fn with_paused<F: Future<Output = ()>>(test: impl FnOnce() -> F + Send + 'static) {
    bounded(60, || paused().block_on(async { test().await }));
}

#[test]
fn a_paused_clock_jumps_when_all_wait() {
    with_paused(|| async {
        let real = std::time::Instant::now();
        let start = Instant::now();
        time::sleep(Duration::from_secs(3600)).await;
        assert_eq!(start.elapsed(), Duration::from_secs(3600));
        // From timer to timer, in order, whoever waits.
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let tasks: Vec<_> = [30, 10, 20, 10]
            .into_iter()
            .enumerate()
            .map(|(i, seconds)| {
                let order = Arc::clone(&order);
                heist::spawn(async move {
                    time::sleep(Duration::from_secs(seconds)).await;
                    order.lock().unwrap().push((seconds, i, Instant::now()));
                })
            })
            .collect();
        let start = Instant::now();
        for task in tasks {
            task.await.unwrap();
        }
        let order = std::mem::take(&mut *order.lock().unwrap());
        let seconds: Vec<_> = order.iter().map(|(seconds, ..)| *seconds).collect();
        assert_eq!(seconds, [10, 10, 20, 30]);
        for (seconds, _, at) in order {
            assert_eq!(at - start, Duration::from_secs(seconds));
        }
        assert!(real.elapsed() < Duration::from_secs(30));
    });
}

#[test]
fn a_paused_clock_stands_still_while_tasks_run() {
    with_paused(|| async {
        let start = Instant::now();
        let task = heist::spawn(async {
            for _ in 0..1000 {
                task::yield_now().await;
            }
            Instant::now()
        });
        let sleep = heist::spawn(async {
            time::sleep(MS).await;
            Instant::now()
        });
        assert_eq!(task.await.unwrap(), start);
        assert_eq!(sleep.await.unwrap(), start + MS);
        // Nor does a blocking function let it go on.
        let start = Instant::now();
        let sleep = heist::spawn(async {
            time::sleep(Duration::from_secs(5)).await;
        });
        task::spawn_blocking(|| std::thread::sleep(20 * MS))
            .await
            .unwrap();
        assert!(!sleep.is_finished());
        assert_eq!(Instant::now(), start);
        sleep.await.unwrap();
    });
}

#[test]
fn advance_moves_by_just_that() {
    with_paused(|| async {
        let start = Instant::now();
        let fired = Arc::new(AtomicUsize::new(0));
        for ms in [5, 10, 15, 20] {
            let fired = Arc::clone(&fired);
            heist::spawn(async move {
                time::sleep(ms * MS).await;
                fired.fetch_add(1, SeqCst);
            });
        }
        task::yield_now().await;
        time::advance(4 * MS).await;
        task::yield_now().await;
        assert_eq!((start.elapsed(), fired.load(SeqCst)), (4 * MS, 0));
        time::advance(6 * MS).await;
        task::yield_now().await;
        assert_eq!((start.elapsed(), fired.load(SeqCst)), (10 * MS, 2));
        time::advance(100 * MS).await;
        task::yield_now().await;
        assert_eq!((start.elapsed(), fired.load(SeqCst)), (110 * MS, 4));
    });
}

#[test]
fn the_clock_can_be_stopped_and_go_on() {
    bounded(60, || {
        single().block_on(async {
            time::pause();
            let start = Instant::now();
            std::thread::sleep(5 * MS);
            assert_eq!(start.elapsed(), Duration::ZERO);
            time::resume();
            std::thread::sleep(5 * MS);
            assert!(start.elapsed() >= 5 * MS);
            time::sleep(5 * MS).await;
            time::pause();
            time::sleep(Duration::from_secs(1000)).await;
            time::resume();
            time::sleep(MS).await;
        });
    });
}

#[test]
fn a_foreign_wake_comes_before_the_jump() {
    bounded(60, || {
        for _ in 0..scale(50, 200, 2000) {
            let runtime = paused();
            let (tx, rx) = oneshot::channel();
            // While a blocking function runs, the clock waits for what it will send.
            let got = runtime.block_on(async {
                task::spawn_blocking(move || {
                    std::thread::yield_now();
                    tx.send(5).unwrap();
                });
                time::timeout(Duration::from_secs(1), rx).await
            });
            assert_eq!(got.expect("no time passes meanwhile"), Ok(5));
        }
    });
}

#[test]
fn a_blocking_functions_output_comes_before_the_jump() {
    bounded(60, || {
        for _ in 0..scale(300, 2000, 20_000) {
            let got = paused().block_on(async {
                let work = task::spawn_blocking(std::thread::yield_now);
                time::timeout(Duration::from_secs(1), work).await
            });
            got.expect("no time passes meanwhile").unwrap();
        }
    });
}

#[test]
fn an_interval_keeps_its_pace() {
    with_paused(|| async {
        let start = Instant::now();
        let mut interval = time::interval(10 * MS);
        for i in 0..100 {
            assert_eq!(interval.tick().await, start + i * 10 * MS);
            assert_eq!(start.elapsed(), i * 10 * MS);
        }
        let later = Instant::now() + 50 * MS;
        let mut interval = time::interval_at(later, 10 * MS);
        assert_eq!(interval.tick().await, later);
        assert_eq!(interval.tick().await, later + 10 * MS);
    });
}

/// When ticks come after 25 ms of the 10 ms interval were missed.
async fn ticks(behavior: MissedTickBehavior) -> Vec<u128> {
    let start = Instant::now();
    let mut interval = time::interval(10 * MS);
    interval.set_missed_tick_behavior(behavior);
    interval.tick().await;
    time::advance(25 * MS).await;
    let mut ticks = Vec::new();
    for _ in 0..5 {
        interval.tick().await;
        ticks.push(start.elapsed().as_millis());
    }
    ticks
}

#[test]
fn missed_ticks_are_made_up_for_as_asked() {
    with_paused(|| async {
        assert_eq!(ticks(MissedTickBehavior::Burst).await, [25, 25, 30, 40, 50]);
        assert_eq!(ticks(MissedTickBehavior::Delay).await, [25, 35, 45, 55, 65]);
        assert_eq!(ticks(MissedTickBehavior::Skip).await, [25, 30, 40, 50, 60]);
    });
}

#[test]
fn intervals_are_reset() {
    with_paused(|| async {
        let start = Instant::now();
        let mut interval = time::interval(10 * MS);
        interval.tick().await;
        time::advance(5 * MS).await;
        interval.reset();
        interval.tick().await;
        assert_eq!(start.elapsed(), 15 * MS);
        interval.reset_immediately();
        interval.tick().await;
        assert_eq!(start.elapsed(), 15 * MS);
        interval.reset_after(3 * MS);
        interval.tick().await;
        assert_eq!(start.elapsed(), 18 * MS);
        interval.reset_at(start + 100 * MS);
        interval.tick().await;
        assert_eq!(start.elapsed(), 100 * MS);
        interval.tick().await;
        assert_eq!(start.elapsed(), 110 * MS);
    });
}

#[test]
fn a_timeout_prefers_what_is_ready() {
    with_paused(|| async {
        assert_eq!(time::timeout(Duration::ZERO, async { 1 }).await, Ok(1));
        let late = time::timeout(Duration::ZERO, pending::<()>()).await;
        assert_eq!(late.unwrap_err().to_string(), "deadline has elapsed");
        let past = Instant::now() - MS;
        assert_eq!(time::timeout_at(past, async { 2 }).await, Ok(2));
        let start = Instant::now();
        let late = time::timeout(5 * MS, time::sleep(6 * MS)).await;
        assert!(late.is_err());
        assert_eq!(start.elapsed(), 5 * MS);
        assert!(time::timeout(6 * MS, time::sleep(5 * MS)).await.is_ok());
    });
}

#[test]
fn a_timeout_ends_what_eats_its_budget() {
    bounded(60, || {
        for runtime in [single(), multi(1), multi(2)] {
            runtime.block_on(async {
                // Always ready, so that it stops only when the budget does.
                let glutton = async {
                    let notify = Notify::new();
                    loop {
                        notify.notify_one();
                        notify.notified().await;
                    }
                };
                let outcome = heist::spawn(time::timeout(10 * MS, glutton)).await.unwrap();
                assert!(outcome.is_err());
            });
        }
    });
}

#[test]
fn sleeps_are_reset_and_polled_by_others() {
    with_paused(|| async {
        let start = Instant::now();
        let sleep = time::sleep(10 * MS);
        heist::pin!(sleep);
        assert!(!sleep.is_elapsed());
        assert_eq!(sleep.deadline(), start + 10 * MS);
        // Later, earlier, and after it is over.
        sleep.as_mut().reset(start + 20 * MS);
        sleep.as_mut().await;
        assert_eq!(start.elapsed(), 20 * MS);
        assert!(sleep.is_elapsed());
        sleep.as_mut().reset(start + 40 * MS);
        assert!(!sleep.is_elapsed());
        assert!(time::timeout(5 * MS, sleep.as_mut()).await.is_err());
        sleep.as_mut().reset(start + 30 * MS);
        sleep.as_mut().await;
        assert_eq!(start.elapsed(), 30 * MS);
        // Polled in one task, awaited in another.
        let mut sleep = Box::pin(time::sleep(10 * MS));
        poll_fn(|cx| {
            assert!(sleep.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        heist::spawn(sleep).await.unwrap();
        assert_eq!(start.elapsed(), 40 * MS);
    });
}

#[test]
fn timers_move_between_threads() {
    bounded(60, || {
        let runtime = multi(2);
        runtime.block_on(async {
            let tasks: Vec<_> = (0..scale(200, 1000, 10_000) as u32)
                .map(|i| {
                    let start = Instant::now();
                    let wait = (i % 20) * MS;
                    let mut sleep = Box::pin(time::sleep(wait));
                    heist::spawn(async move {
                        poll_fn(|cx| {
                            let _ = sleep.as_mut().poll(cx);
                            Poll::Ready(())
                        })
                        .await;
                        // Armed there, awaited here, or dropped.
                        heist::spawn(async move {
                            if i % 3 > 0 {
                                sleep.await;
                                assert!(start.elapsed() >= wait);
                            }
                        })
                        .await
                        .unwrap();
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        });
    });
}

#[test]
fn an_earlier_timer_from_elsewhere_wakes_the_sleeper() {
    bounded(60, || {
        for runtime in [single(), multi(1), multi(2)] {
            let handle = runtime.handle().clone();
            let (tx, rx) = oneshot::channel();
            let waiter = std::thread::spawn(move || {
                runtime.block_on(async {
                    // All sleep until an hour from now.
                    let _long = heist::spawn(time::sleep(Duration::from_secs(3600)));
                    rx.await.unwrap();
                });
                drop(runtime);
            });
            std::thread::sleep(5 * MS);
            let start = std::time::Instant::now();
            let short = handle.spawn(async { time::sleep(10 * MS).await });
            let other = handle.clone();
            let foreign = std::thread::spawn(move || other.block_on(time_on(10 * MS)));
            foreign.join().unwrap();
            support::eventually(20, "it fires long before the hour", || short.is_finished());
            assert!(start.elapsed() >= 10 * MS);
            tx.send(()).unwrap();
            waiter.join().unwrap();
        }
    });
}

async fn time_on(wait: Duration) {
    time::sleep(wait).await;
}

/// A blocking function keeps a paused clock from moving on; it may also set it going again.
#[test]
fn a_clock_that_a_blocking_function_resumes_goes_on() {
    with_paused(|| async {
        let (tx, rx) = oneshot::channel();
        task::spawn(async move {
            time::sleep(5 * MS).await;
            tx.send(()).unwrap();
        });
        let resumed = task::spawn_blocking(move || {
            std::thread::sleep(10 * MS);
            time::resume();
            rx.blocking_recv()
        });
        resumed.await.unwrap().unwrap();
    });
}
