//! One shard, with entries as futures have them.

use super::*;
use crate::engine::timer::Armed;
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::task::{Context, Poll, Wake};

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Wakes {
    fn new() -> (std::sync::Arc<Self>, Waker) {
        let wakes = std::sync::Arc::new(Self::default());
        (wakes.clone(), Waker::from(wakes))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

struct Bench {
    shard: Arc<TimerShard>,
    origin: Instant,
}

impl Bench {
    fn new() -> Self {
        let origin = clock::real_now();
        Self {
            shard: TimerShard::new(origin),
            origin,
        }
    }

    fn arm(&self, deadline: Duration, waker: &Waker) -> Pin<Box<TimerEntry>> {
        let mut entry = Box::pin(TimerEntry::new());
        let when = self.shard.tick_for(self.origin + deadline);
        entry
            .as_mut()
            .arm(Some(Arc::clone(&self.shard)), when, waker.clone());
        entry
    }

    fn fire(&self, at: Duration) -> usize {
        self.shard.fire(self.origin + at)
    }

    fn next(&self) -> Option<Duration> {
        Some(self.shard.next_deadline()? - self.origin)
    }
}

fn poll(entry: &mut Pin<Box<TimerEntry>>, waker: &Waker) -> Poll<Armed> {
    entry.as_mut().poll_armed(&mut Context::from_waker(waker))
}

#[test]
fn fires_at_the_tick_after_the_deadline_and_wakes_once() {
    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let mut entry = bench.arm(Duration::from_micros(4_001), &waker);
    assert_eq!(bench.shard.len(), 1);
    assert_eq!(bench.next(), Some(ms(5)));
    assert_eq!(bench.fire(Duration::from_micros(4_999)), 0);
    assert!(poll(&mut entry, &waker).is_pending());
    assert_eq!(bench.fire(ms(5)), 1);
    assert_eq!(bench.fire(ms(5)), 0);
    assert_eq!(wakes.count(), 1);
    assert_eq!(poll(&mut entry, &waker), Poll::Ready(Armed::Fired));
    assert_eq!((bench.shard.len(), bench.next()), (0, None));
}

#[test]
fn dropping_unlinks_fresh_and_filed_entries() {
    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let fresh = bench.arm(ms(3), &waker);
    drop(fresh);
    assert_eq!(bench.shard.len(), 0);
    let filed = bench.arm(ms(3), &waker);
    assert_eq!(
        bench.shard.prepare_sleep(bench.origin),
        Some(bench.origin + ms(3))
    );
    bench.shard.awake();
    drop(filed);
    assert_eq!(bench.shard.len(), 0);
    assert_eq!(bench.fire(ms(10)), 0);
    assert_eq!(wakes.count(), 0);
    drop(waker);
    assert_eq!(std::sync::Arc::strong_count(&wakes), 1);
}

#[test]
fn a_later_move_stays_and_an_earlier_move_is_seen() {
    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let mut entry = bench.arm(ms(10), &waker);
    bench.shard.prepare_sleep(bench.origin);
    entry.as_mut().move_to(300);
    assert_eq!(bench.fire(ms(299)), 0);
    assert_eq!(
        bench.next(),
        Some(ms(300)),
        "filed anew when its slot came up"
    );
    entry.as_mut().move_to(299);
    assert_eq!(bench.next(), Some(ms(299)));
    assert_eq!(bench.fire(ms(299)), 1);
    assert_eq!(wakes.count(), 1);
    entry.as_mut().move_to(400);
    assert!(entry.was_moved() && entry.is_idle());
}

#[test]
fn a_changed_waker_is_the_one_that_is_woken() {
    let bench = Bench::new();
    let (first, first_waker) = Wakes::new();
    let (second, second_waker) = Wakes::new();
    let mut entry = bench.arm(ms(1), &first_waker);
    assert!(poll(&mut entry, &second_waker).is_pending());
    bench.fire(ms(1));
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(poll(&mut entry, &first_waker), Poll::Ready(Armed::Fired));
    // And armed again, with the shard it holds.
    entry.as_mut().disarm();
    assert!(entry.holds(&bench.shard));
    entry.as_mut().arm(None, 2, first_waker.clone());
    bench.fire(ms(2));
    assert_eq!((first.count(), second.count()), (1, 1));
}

#[test]
fn more_than_a_batch_fires_in_order_of_ticks() {
    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let mut entries: Vec<_> = (0..1000).map(|i| bench.arm(ms(i % 100), &waker)).collect();
    assert_eq!(bench.fire(ms(49)), 500);
    assert_eq!(wakes.count(), 500);
    for (i, entry) in entries.iter_mut().enumerate() {
        assert_eq!(poll(entry, &waker).is_ready(), i % 100 < 50);
    }
    assert_eq!(bench.fire(ms(500)), 500);
    assert_eq!(bench.next(), None);
}

#[test]
fn an_insert_wakes_the_owner_only_when_it_sleeps_too_long_and_once() {
    let bench = Bench::new();
    let (_, waker) = Wakes::new();
    let calls = std::sync::Arc::new(AtomicUsize::new(0));
    let hook = calls.clone();
    bench.shard.set_wake_hook(Box::new(move || {
        hook.fetch_add(1, Ordering::SeqCst);
    }));
    let calls = || calls.load(Ordering::SeqCst);
    let _a = bench.arm(ms(50), &waker);
    assert_eq!(calls(), 0, "the owner is awake");
    assert_eq!(
        bench.shard.prepare_sleep(bench.origin),
        Some(bench.origin + ms(50))
    );
    let _b = bench.arm(ms(50), &waker);
    let _c = bench.arm(ms(60), &waker);
    assert_eq!(calls(), 0, "the owner wakes in time anyway");
    let _d = bench.arm(ms(40), &waker);
    assert_eq!(calls(), 1);
    let mut e = bench.arm(ms(40), &waker);
    assert_eq!(calls(), 1, "woken for that deadline already");
    e.as_mut().move_to(39);
    assert_eq!(calls(), 2, "a move is an insert");
    bench.shard.awake();
    let _f = bench.arm(ms(1), &waker);
    assert_eq!(calls(), 2);
    assert_eq!(
        bench.shard.prepare_sleep(bench.origin),
        Some(bench.origin + ms(1))
    );
}

#[test]
fn an_empty_shard_sleeps_for_ever_and_is_woken() {
    let bench = Bench::new();
    let (_, waker) = Wakes::new();
    let calls = std::sync::Arc::new(AtomicUsize::new(0));
    let hook = calls.clone();
    bench.shard.set_wake_hook(Box::new(move || {
        hook.fetch_add(1, Ordering::SeqCst);
    }));
    assert_eq!(bench.shard.prepare_sleep(bench.origin), None);
    let _far = bench.arm(Duration::from_secs(1 << 40), &waker);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[test]
fn shutdown_ends_all_and_refuses_more() {
    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let mut early = bench.arm(ms(1), &waker);
    let mut filed: Vec<_> = (0..100).map(|i| bench.arm(ms(i << 20), &waker)).collect();
    bench.shard.prepare_sleep(bench.origin);
    let mut fresh = bench.arm(ms(5), &waker);
    bench.fire(ms(0));
    bench.shard.shutdown(Armed::ShutDown);
    assert_eq!(wakes.count(), 102);
    assert_eq!((bench.shard.len(), bench.next()), (0, None));
    assert_eq!(poll(&mut early, &waker), Poll::Ready(Armed::ShutDown));
    assert_eq!(poll(&mut fresh, &waker), Poll::Ready(Armed::ShutDown));
    assert_eq!(poll(&mut filed[0], &waker), Poll::Ready(Armed::Fired));
    let mut late = bench.arm(ms(1), &waker);
    assert_eq!(poll(&mut late, &waker), Poll::Ready(Armed::ShutDown));
    late.as_mut().disarm();
    late.as_mut().move_to(7);
    assert_eq!(poll(&mut late, &waker), Poll::Ready(Armed::ShutDown));
}

#[test]
fn a_shutdown_may_let_who_waits_through() {
    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let mut waiting = bench.arm(ms(1 << 20), &waker);
    bench.shard.shutdown(Armed::Fired);
    assert_eq!(wakes.count(), 1);
    assert_eq!(poll(&mut waiting, &waker), Poll::Ready(Armed::Fired));
    let mut late = bench.arm(ms(1), &waker);
    assert_eq!(poll(&mut late, &waker), Poll::Ready(Armed::ShutDown));
}

#[test]
fn an_entry_outlives_the_runtime() {
    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let entry = bench.arm(ms(1), &waker);
    drop(bench);
    drop(entry);
    assert_eq!(wakes.count(), 0);
}

#[test]
fn a_waker_may_drop_other_timers_and_may_panic() {
    struct Dropper(std::sync::Mutex<Vec<Pin<Box<TimerEntry>>>>);
    impl Wake for Dropper {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.lock().unwrap().clear();
        }
    }
    struct Panicker;
    impl Wake for Panicker {
        fn wake(self: std::sync::Arc<Self>) {
            panic!("a waker of the user's");
        }
    }

    let bench = Bench::new();
    let (wakes, waker) = Wakes::new();
    let dropper = std::sync::Arc::new(Dropper(Default::default()));
    let dropping = Waker::from(dropper.clone());
    let panicking = Waker::from(std::sync::Arc::new(Panicker));
    dropper
        .0
        .lock()
        .unwrap()
        .extend((0..40).map(|_| bench.arm(ms(2), &dropping)));
    let _one = bench.arm(ms(2), &panicking);
    let _rest: Vec<_> = (0..40).map(|_| bench.arm(ms(2), &waker)).collect();
    let fired = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bench.fire(ms(2))));
    assert!(fired.is_err());
    bench.fire(ms(2));
    assert_eq!(wakes.count(), 40);
    assert_eq!(bench.shard.len(), 0);
    drop(dropping);
    assert_eq!(std::sync::Arc::strong_count(&dropper), 1);
}

#[test]
fn far_deadlines_are_neither_early_nor_out_of_bounds() {
    let bench = Bench::new();
    assert_eq!(bench.shard.tick_for(bench.origin - ms(5)), 0);
    assert_eq!(bench.shard.tick_for(bench.origin), 0);
    assert_eq!(
        bench.shard.tick_for(bench.origin + Duration::from_nanos(1)),
        1
    );
    let century = Duration::from_secs(100 * 365 * 86_400);
    let (wakes, waker) = Wakes::new();
    let _entry = bench.arm(century, &waker);
    assert_eq!(bench.fire(century - ms(1)), 0);
    assert_eq!(bench.fire(century), 1);
    assert_eq!(wakes.count(), 1);
    assert_eq!(bench.fire(ms(3)), 0, "a clock that went back is harmless");
}

#[test]
fn threads_drop_and_move_while_others_fire() {
    let bench = Bench::new();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let bench = &bench;
            scope.spawn(move || {
                let mut rng = crate::engine::base::rng::FastRand::new(seed);
                let (_, waker) = Wakes::new();
                let mut held: Vec<Pin<Box<TimerEntry>>> = Vec::new();
                for _ in 0..20_000 {
                    let tick = u64::from(rng.below(200));
                    match rng.below(4) {
                        0 | 1 => held.push(bench.arm(ms(tick), &waker)),
                        2 if !held.is_empty() => {
                            let i = rng.below(held.len() as u32) as usize;
                            held.swap_remove(i);
                        }
                        _ => {
                            if let Some(entry) = held.last_mut() {
                                entry.as_mut().move_to(tick);
                            }
                        }
                    }
                    if held.len() > 100 {
                        held.clear();
                    }
                }
            });
        }
        for _ in 0..2 {
            let (bench, stop) = (&bench, &stop);
            scope.spawn(move || {
                let mut tick = 0;
                while !stop.load(Ordering::Relaxed) {
                    bench.fire(ms(tick % 200));
                    tick += 1;
                    if tick % 64 == 0 {
                        bench.shard.prepare_sleep(bench.origin);
                        bench.shard.awake();
                    }
                }
            });
        }
        scope.spawn(|| {
            std::thread::sleep(ms(100));
            stop.store(true, Ordering::Relaxed);
        });
    });
    assert_eq!(bench.shard.len(), 0);
}
