//! The wheel against a list that is searched from end to end.

use super::*;
use crate::engine::base::rng::FastRand;
use std::pin::Pin;

/// An entry that no shard knows: the test is the only thread, which stands for the lock (R1).
struct Timer {
    entry: Pin<Box<TimerEntry>>,
    linked: bool,
}

impl Timer {
    fn address(&self) -> NonNull<TimerEntry> {
        NonNull::from(&*self.entry)
    }
}

fn spread(rng: &mut FastRand) -> u64 {
    // Every order of magnitude alike, up to 16 turns of the wheel (35 years).
    let bits = rng.below(41);
    rng.next_u64() & ((1 << bits) - 1)
}

fn against_the_model(seed: u64, start: u64, steps: usize) {
    const TIMERS: u32 = 60;

    let mut rng = FastRand::new(seed);
    let mut wheel = Wheel::new();
    wheel.catch_up(start);
    let mut timers: Vec<Timer> = (0..TIMERS)
        .map(|_| Timer {
            entry: Box::pin(TimerEntry::new()),
            linked: false,
        })
        .collect();
    // The model: for each timer the tick it is due at.
    let mut model: Vec<Option<u64>> = vec![None; TIMERS as usize];
    let mut now = start;

    for _ in 0..steps {
        let i = rng.below(TIMERS) as usize;
        let entry = timers[i].address();
        match rng.below(8) {
            0..=2 => {
                if !timers[i].linked {
                    // Now and then in the past.
                    let when = (now + spread(&mut rng)).saturating_sub(u64::from(rng.below(3)));
                    // SAFETY: one thread; live, boxed, unlinked.
                    unsafe {
                        TimerEntry::set_when(entry, when);
                        wheel.file(entry);
                    }
                    (timers[i].linked, model[i]) = (true, Some(when));
                }
            }
            3 => {
                if timers[i].linked {
                    // SAFETY: one thread; it is linked where its place says.
                    unsafe {
                        let place = TimerEntry::place(entry).as_slot().unwrap();
                        wheel.remove(entry, place);
                    }
                    (timers[i].linked, model[i]) = (false, None);
                }
            }
            4 => {
                if let Some(when) = model[i] {
                    // Later, in place.
                    let when = when + spread(&mut rng);
                    // SAFETY: one thread.
                    unsafe { TimerEntry::set_when(entry, when) };
                    model[i] = Some(when);
                }
            }
            5 => wheel.catch_up(now),
            _ => {
                // Either anywhere, or exactly to the wheel's next tick or beside it.
                now = match rng.below(3) {
                    0 => now + spread(&mut rng),
                    1 => wheel.next_tick().map_or(now, |tick| tick.max(now)),
                    _ => wheel
                        .next_tick()
                        .map_or(now, |tick| tick.saturating_sub(1).max(now)),
                };
                // SAFETY: one thread; the entries live in `timers`.
                while let Some(fired) = unsafe { wheel.pop_due(now) } {
                    let i = timers.iter().position(|t| t.address() == fired).unwrap();
                    let when = model[i].take().expect("it is linked");
                    assert!(when <= now, "{when} fired at {now}: early");
                    timers[i].linked = false;
                }
                assert!(
                    model.iter().flatten().all(|&when| when > now),
                    "all that is due at {now} has fired"
                );
            }
        }
        let earliest = model.iter().flatten().min().copied();
        match (wheel.next_tick(), earliest) {
            (None, None) => {}
            (Some(next), Some(earliest)) => {
                assert!(next <= earliest.max(now), "{next} is after {earliest}");
            }
            (next, earliest) => panic!("{next:?} against {earliest:?}"),
        }
    }
    while wheel.pop_any().is_some() {}
    assert_eq!(wheel.occupied, [0; LEVELS]);
}

#[test]
fn fires_what_the_model_fires() {
    for seed in 0..40 {
        against_the_model(seed, 0, 3_000);
    }
}

#[test]
fn wraps_and_lasts_for_centuries() {
    for (seed, start) in [
        (100, SPAN - 1),
        (101, SPAN - 70_000),
        (102, 7 * SPAN - 5),
        (103, SPAN / 64 - 3),
        (104, 5 * SPAN + SPAN / 2),
        (105, 1 << 50),
    ] {
        against_the_model(seed, start, 20_000);
    }
}

#[test]
fn each_tick_has_its_slot_around_every_boundary() {
    for boundary in [64, 4096, 1 << 18, 1 << 24, 1 << 30, SPAN, 3 * SPAN] {
        let mut wheel = Wheel::new();
        wheel.catch_up(boundary - 2);
        let timers: Vec<Pin<Box<TimerEntry>>> =
            (0..6).map(|_| Box::pin(TimerEntry::new())).collect();
        for (tick, timer) in (boundary - 2..).zip(&timers) {
            let entry = NonNull::from(&**timer);
            // SAFETY: one thread; live, boxed, unlinked.
            unsafe {
                TimerEntry::set_when(entry, tick);
                wheel.file(entry);
            }
        }
        for (tick, timer) in (boundary - 2..).zip(&timers) {
            // SAFETY: one thread; the entries live in `timers`.
            unsafe {
                assert_eq!(wheel.pop_due(tick), Some(NonNull::from(&**timer)));
                assert_eq!(wheel.pop_due(tick), None);
            }
        }
        assert_eq!(wheel.next_tick(), None);
    }
}

#[test]
fn nobody_gets_up_before_a_lone_timer_is_due() {
    for level in 0..LEVELS as u32 {
        // In the middle of a slot, in one of each level.
        let when = 5 * (SLOTS as u64).pow(level) + 17;
        let mut wheel = Wheel::new();
        let timer = Box::pin(TimerEntry::new());
        let entry = NonNull::from(&*timer);
        // SAFETY: one thread; live, boxed, unlinked.
        unsafe {
            TimerEntry::set_when(entry, when);
            wheel.file(entry);
        }
        assert_eq!(wheel.next_tick(), Some(when));
        // SAFETY: one thread; the entry is live.
        unsafe {
            assert_eq!(wheel.pop_due(when - 1), None);
            assert_eq!(wheel.next_tick(), Some(when));
            assert_eq!(wheel.pop_due(when), Some(entry));
        }
        assert_eq!(wheel.next_tick(), None);
    }
}

#[test]
fn who_gets_up_for_a_timer_that_was_taken_out_does_so_once() {
    let mut wheel = Wheel::new();
    let timers = [100, 120].map(|when| {
        let timer = Box::pin(TimerEntry::new());
        let entry = NonNull::from(&*timer);
        // SAFETY: one thread; live, boxed, unlinked.
        unsafe {
            TimerEntry::set_when(entry, when);
            wheel.file(entry);
        }
        timer
    });
    let [first, second] = timers.each_ref().map(|timer| NonNull::from(&**timer));
    // SAFETY: one thread; it is linked where its place says.
    unsafe {
        let place = TimerEntry::place(first).as_slot().unwrap();
        wheel.remove(first, place);
    }
    assert_eq!(wheel.next_tick(), Some(100), "not forgotten");
    // SAFETY: one thread; the entries live in `timers`.
    assert_eq!(unsafe { wheel.pop_due(100) }, None);
    assert_eq!(wheel.next_tick(), Some(120));

    // The slot's next tenant finds nothing of those before it.
    // SAFETY: as above, and live, boxed, unlinked.
    unsafe {
        assert_eq!(wheel.pop_due(120), Some(second));
        TimerEntry::set_when(first, 120 + 4096);
        wheel.file(first);
    }
    assert_eq!(wheel.next_tick(), Some(120 + 4096));
}
