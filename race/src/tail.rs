//! Delays: each side's rounds in turn, all delays of a side together.

use std::panic;

use crate::contest::{Track, in_turn};
use crate::report::{Delays, DelaysOf};
use crate::side::Side;
use crate::sys::Usage;
use crate::workload::{Tail, TailRound};

/// Each makes the runtimes anew.
const HEATS: usize = 6;
const ROUNDS_PER_HEAT: usize = 2;
/// Not counted, as those of the workloads: threads begin, and a runtime finds out what its tasks are like.
const WARM_UP: usize = 1;

/// Rounds of both sides, for the progress bar. A round of these is some fifty of a workload's.
pub(crate) const STEPS: usize = 2 * HEATS * (WARM_UP + ROUNDS_PER_HEAT) * STEPS_PER_ROUND;
const STEPS_PER_ROUND: usize = 25;

/// Every tail that was asked for, on the first two sides.
pub(crate) fn run_all(
    wanted: &[&'static str],
    sides: &[Side],
    workers: usize,
    track: &mut Track<'_>,
) -> Vec<Delays> {
    let mut all = Vec::new();
    for name in wanted {
        let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            run(name, &sides[..2], workers, track)
        }));
        let line = match outcome {
            Ok(delays) => {
                let line = format!("p99 {:.2}", delays.ratio(0.99));
                all.push(delays);
                line
            }
            Err(_) => {
                track.broken.push(format!("{name}: panicked"));
                "PANICKED".to_owned()
            }
        };
        track.progress.say(&format!("{name:<30}{line}"));
    }
    all
}

fn run(name: &str, sides: &[Side], workers: usize, track: &mut Track<'_>) -> Delays {
    let tails: Vec<Tail> = sides.iter().map(|side| find(side, name)).collect();
    let mut seen: Vec<Vec<Vec<f64>>> = vec![Vec::new(); sides.len()];
    let mut used = vec![Usage::default(); sides.len()];
    for heat in 0..HEATS {
        let mut running: Vec<Option<TailRound>> = sides.iter().map(|_| None).collect();
        for i in in_turn(sides.len(), heat) {
            track.watchdog.watch(name, sides[i].name());
            running[i] = Some((tails[i].prepare)(workers));
        }
        for round in 0..WARM_UP + ROUNDS_PER_HEAT {
            for i in in_turn(
                sides.len(),
                heat * ROUNDS_PER_HEAT + round.saturating_sub(WARM_UP),
            ) {
                track.watchdog.watch(name, sides[i].name());
                let run = running[i].as_mut().expect("all were prepared");
                let before = Usage::now();
                let delays = run();
                if round >= WARM_UP {
                    used[i] = used[i].plus(Usage::now().since(before));
                    seen[i].push(delays.iter().map(|delay| delay.as_nanos() as f64).collect());
                }
                for _ in 0..STEPS_PER_ROUND {
                    track.progress.step(name);
                }
            }
        }
    }
    let lanes = sides.iter().zip(seen).zip(used);
    Delays {
        name: name.to_owned(),
        rounds_per_heat: ROUNDS_PER_HEAT,
        lanes: lanes
            .map(|((side, rounds), used)| DelaysOf::new(side.name(), rounds, used))
            .collect(),
    }
}

fn find(side: &Side, name: &str) -> Tail {
    let mut tails = (side.tails)().into_iter();
    tails
        .find(|tail| tail.name == name)
        .expect("both sides have the same tails")
}
