//! How late timers are: one tick beside tasks that are always ready, and very many at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Notes, Tail, TailRound, multi_thread, on_worker, rt};
use crate::busy::busy;
use crate::latch::Latch;

use rt::time::sleep_until;

pub(super) const TAILS: &[Tail] = &[
    Tail {
        name: "tick_beside_ready",
        what: "a tick of about 1 ms beside tasks that work for 10 µs, yield and are never done",
        prepare: tick_beside_ready,
    },
    Tail {
        name: "fire_100k",
        what: "100,000 tasks sleep until the same instant",
        prepare: fire_100k,
    },
];

/// No multiple of a millisecond, which is the tick of both sides' wheels: a runtime rounds each deadline up to it,
/// by 0 to 1 ms, and with a whole millisecond the first deadline's luck would be all others' too.
const TICK: Duration = Duration::from_micros(1037);
const TICKS: usize = 300;

/// Two for each worker: there is always one that waits for its turn.
fn tick_beside_ready(workers: usize) -> TailRound {
    let runtime = multi_thread(workers);
    Box::new(move || {
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..2 * workers {
            let stop = stop.clone();
            runtime.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    busy(Duration::from_micros(10));
                    rt::task::yield_now().await;
                }
            });
        }
        let delays = on_worker(&runtime, async {
            let mut delays = Vec::with_capacity(TICKS);
            let mut due = Instant::now();
            for _ in 0..TICKS {
                // What was missed is not made up for.
                due = (due + TICK).max(Instant::now());
                sleep_until(due.into()).await;
                delays.push(lateness(due));
            }
            delays
        });
        stop.store(true, Ordering::Relaxed);
        delays
    })
}

/// A timer that fires early is wrong, and ends the race.
fn lateness(due: Instant) -> Duration {
    let late = Instant::now().checked_duration_since(due);
    late.expect("a timer never fires before its time")
}

const SLEEPERS: usize = 100_000;
/// Enough to spawn them all first.
const AHEAD: Duration = Duration::from_millis(300);

fn fire_100k(workers: usize) -> TailRound {
    let runtime = multi_thread(workers);
    let latch = Latch::new();
    Box::new(move || {
        latch.arm(SLEEPERS);
        let notes = Notes::new(SLEEPERS);
        let (all, noted) = (latch.clone(), notes.clone());
        on_worker(&runtime, async move {
            let due = Instant::now() + AHEAD;
            for i in 0..SLEEPERS {
                let (latch, notes) = (all.clone(), noted.clone());
                rt::spawn(async move {
                    sleep_until(due.into()).await;
                    notes.note(i, lateness(due));
                    latch.count_down();
                });
            }
        });
        latch.wait();
        notes.read()
    })
}
