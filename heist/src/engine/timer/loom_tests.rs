//! The models. See the module's rules.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize as Count, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use super::{Armed, TimerEntry, TimerShard};
use crate::engine::base::parker::Parker;
use crate::loom::sync::Arc;
use crate::loom::thread;

/// Counts its wakes; the count is not modelled, only what happens to the timer is.
#[derive(Default)]
struct Wakes(Count);

impl Wake for Wakes {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn wakes() -> (std::sync::Arc<Wakes>, Waker) {
    let wakes = std::sync::Arc::new(Wakes::default());
    (wakes.clone(), Waker::from(wakes))
}

impl Wakes {
    fn count(&self) -> usize {
        self.0.load(SeqCst)
    }
}

fn at(origin: Instant, tick: u64) -> Instant {
    origin + Duration::from_millis(tick)
}

fn armed(shard: &Arc<TimerShard>, when: u64, waker: &Waker) -> Pin<Box<TimerEntry>> {
    let mut entry = Box::pin(TimerEntry::new());
    entry
        .as_mut()
        .arm(Some(Arc::clone(shard)), when, waker.clone());
    entry
}

fn poll(entry: &mut Pin<Box<TimerEntry>>, waker: &Waker) -> Poll<Armed> {
    entry.as_mut().poll_armed(&mut Context::from_waker(waker))
}

fn model(f: impl Fn(Instant) + Sync + Send + 'static) {
    let origin = super::clock::real_now();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(3);
    builder.check(move || f(origin));
}

/// Fires `shard` at `tick` on another thread.
fn fire(shard: &Arc<TimerShard>, origin: Instant, tick: u64) -> thread::JoinHandle<usize> {
    let shard = Arc::clone(shard);
    thread::spawn(move || shard.fire(at(origin, tick)))
}

#[test]
fn fire_against_drop() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (wakes, waker) = wakes();
        let entry = armed(&shard, 5, &waker);
        let firing = fire(&shard, origin, 5);
        drop(entry);
        let fired = firing.join().unwrap();
        assert_eq!(wakes.count(), fired);
        assert_eq!(shard.len(), 0);
        drop(waker);
        assert_eq!(std::sync::Arc::strong_count(&wakes), 1, "no waker is lost");
    });
}

#[test]
fn fire_against_drop_of_a_neighbour_and_after_an_end_was_seen() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (wakes, waker) = wakes();
        let mut first = armed(&shard, 5, &waker);
        let second = armed(&shard, 5, &waker);
        let firing = fire(&shard, origin, 5);
        drop(second);
        let seen = poll(&mut first, &waker).is_ready();
        // Without the lock if the end was seen: R4.
        drop(first);
        let fired = firing.join().unwrap();
        assert!(fired <= 2 && fired >= usize::from(seen));
        assert_eq!(wakes.count(), fired);
        assert_eq!(shard.len(), 0);
    });
}

#[test]
fn two_threads_fire_each_timer_once() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (wakes, waker) = wakes();
        let mut first = armed(&shard, 5, &waker);
        let mut second = armed(&shard, 6, &waker);
        let firing = fire(&shard, origin, 6);
        let fired = shard.fire(at(origin, 5)) + firing.join().unwrap();
        assert_eq!((fired, wakes.count()), (2, 2));
        assert!(poll(&mut first, &waker).is_ready() && poll(&mut second, &waker).is_ready());
        assert_eq!(shard.next_deadline(), None);
    });
}

#[test]
fn a_poll_that_is_pending_is_woken() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (old, old_waker) = wakes();
        let (new, new_waker) = wakes();
        let mut entry = armed(&shard, 5, &old_waker);
        let firing = fire(&shard, origin, 5);
        // The same waker: without the lock (R8). Then another one: with it.
        let same = poll(&mut entry, &old_waker);
        let other = poll(&mut entry, &new_waker);
        firing.join().unwrap();
        if other.is_pending() {
            assert_eq!((old.count(), new.count()), (0, 1));
        } else {
            assert_eq!((old.count(), new.count()), (1, 0));
        }
        if same.is_ready() {
            assert!(other.is_ready());
        }
        assert_eq!(poll(&mut entry, &old_waker), Poll::Ready(Armed::Fired));
    });
}

#[test]
fn fire_against_move() {
    for target in [3, 9] {
        model(move |origin| {
            let shard = TimerShard::new(origin);
            let (wakes, waker) = wakes();
            let mut entry = armed(&shard, 5, &waker);
            let firing = fire(&shard, origin, 5);
            entry.as_mut().move_to(target);
            let fired = firing.join().unwrap();
            assert_eq!(wakes.count(), fired);
            if entry.is_idle() {
                assert_eq!(fired, 1, "fired before it was moved");
            } else if poll(&mut entry, &waker).is_pending() {
                assert_eq!(fired, 0);
                assert_eq!(shard.fire(at(origin, target - 1)), 0, "never early");
                assert_eq!(shard.fire(at(origin, target)), 1);
            } else {
                assert_eq!((fired, target), (1, 3));
            }
        });
    }
}

/// R10: it is fired and idle, or waits for the last of its ticks; also if it is still due when it was postponed.
#[test]
fn postponed_twice_while_fired() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (wakes, waker) = wakes();
        let mut entry = armed(&shard, 3, &waker);
        let firing = fire(&shard, origin, 5);
        entry.as_mut().move_to(4);
        let was_fired = entry.is_idle();
        entry.as_mut().move_to(9);
        let fired = firing.join().unwrap();
        assert_eq!(wakes.count(), fired);
        if entry.is_idle() {
            assert_eq!((fired, shard.len()), (1, 0));
        } else {
            assert!(!was_fired && poll(&mut entry, &waker).is_pending());
            assert_eq!((fired, shard.len()), (0, 1));
            assert_eq!(shard.fire(at(origin, 8)), 0, "never early");
            assert_eq!(shard.fire(at(origin, 9)), 1);
        }
    });
}

#[test]
fn fire_against_disarm_and_arm_again() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (old, old_waker) = wakes();
        let (new, new_waker) = wakes();
        let mut entry = armed(&shard, 5, &old_waker);
        let firing = fire(&shard, origin, 5);
        entry.as_mut().disarm();
        entry.as_mut().arm(None, 7, new_waker.clone());
        let fired = firing.join().unwrap();
        assert_eq!((old.count(), new.count()), (fired, 0));
        assert!(poll(&mut entry, &new_waker).is_pending());
        assert_eq!(shard.fire(at(origin, 7)), 1);
        assert_eq!(new.count(), 1);
    });
}

/// R7. The owner parks without a time-out when the shard says that it may sleep for ever or longer than
/// the timer of the other thread: only the hook can end that.
#[test]
fn insert_against_prepare_sleep() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let parker = Arc::new(Parker::new());
        let hook = Arc::clone(&parker);
        shard.set_wake_hook(Box::new(move || hook.unpark()));
        let (wakes, waker) = wakes();
        let _long = armed(&shard, 9, &waker);
        let inserting = {
            let (shard, waker) = (Arc::clone(&shard), waker.clone());
            thread::spawn(move || armed(&shard, 5, &waker))
        };
        let deadline = shard.prepare_sleep(origin).unwrap();
        if deadline > at(origin, 5) {
            parker.park();
        }
        shard.awake();
        assert_eq!(shard.fire(at(origin, 5)), 1);
        assert_eq!(wakes.count(), 1);
        drop(inserting.join().unwrap());
    });
}

#[test]
fn an_earlier_move_against_prepare_sleep_and_awake() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let parker = Arc::new(Parker::new());
        let hook = Arc::clone(&parker);
        shard.set_wake_hook(Box::new(move || hook.unpark()));
        let (_, waker) = wakes();
        let mut entry = armed(&shard, 9, &waker);
        // A sleep that ended: what is left of it must not swallow the wake of the next.
        shard.prepare_sleep(origin);
        let moving = thread::spawn(move || {
            entry.as_mut().move_to(5);
            entry
        });
        shard.awake();
        if shard.prepare_sleep(origin) > Some(at(origin, 5)) {
            parker.park();
        }
        shard.awake();
        assert_eq!(shard.fire(at(origin, 5)), 1);
        drop(moving.join().unwrap());
    });
}

#[test]
fn shutdown_against_drop() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (wakes, waker) = wakes();
        let entry = armed(&shard, 5, &waker);
        let mut filed = armed(&shard, 500, &waker);
        shard.prepare_sleep(origin);
        let shutting = {
            let shard = Arc::clone(&shard);
            thread::spawn(move || shard.shutdown(Armed::ShutDown))
        };
        drop(entry);
        // The runtime's own handle goes first.
        drop(shard);
        shutting.join().unwrap();
        assert_eq!(poll(&mut filed, &waker), Poll::Ready(Armed::ShutDown));
        assert!((1..=2).contains(&wakes.count()));
        drop(filed);
        drop(waker);
        assert_eq!(std::sync::Arc::strong_count(&wakes), 1);
    });
}

#[test]
fn shutdown_against_arm_and_fire() {
    model(|origin| {
        let shard = TimerShard::new(origin);
        let (wakes, waker) = wakes();
        let first = armed(&shard, 5, &waker);
        let shutting = {
            let shard = Arc::clone(&shard);
            thread::spawn(move || shard.shutdown(Armed::ShutDown))
        };
        let mut second = armed(&shard, 5, &waker);
        let fired = shard.fire(at(origin, 5));
        shutting.join().unwrap();
        let end = if fired == 2 {
            Armed::Fired
        } else {
            Armed::ShutDown
        };
        assert_eq!(poll(&mut second, &waker), Poll::Ready(end));
        assert!(wakes.count() >= 1 && shard.len() == 0);
        drop(first);
    });
}
