//! One workload on every side that has it, round by round in turn.

use std::panic;
use std::thread;
use std::time::{Duration, Instant};

use crate::allocations;
use crate::progress::Progress;
use crate::report::{Contest, Lane};
use crate::side::Side;
use crate::sys::Usage;
use crate::watchdog::Watchdog;
use crate::workload::{Round, Workload};

/// Each heat makes all runtimes anew. Two instances of the same runtime can differ by a fifth for as
/// long as they live (which core a worker landed on, which arena it allocates from, how many
/// blocking threads the first burst started), and no number of rounds on one instance shows that.
const HEATS: usize = 6;

/// Rounds of each heat that are run and thrown away: caches, allocator, thread pools. In the last
/// of them the allocations are counted.
const WARM_UP: usize = 2;

/// After each round the runtime may go to sleep before the next side's turn. The processor time
/// and switches of this pause belong to the side that ran: whoever spins after its work pays for it.
const SETTLE: Duration = Duration::from_millis(1);

/// One workload, on those who run it: the base, the rival, and whoever else has it.
pub(crate) struct Entry<'a> {
    pub(crate) name: String,
    pub(crate) workers: usize,
    pub(crate) rounds: usize,
    contenders: Vec<Contender<'a>>,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(
        name: String,
        workload: &str,
        sides: &'a [Side],
        workers: usize,
        rounds: usize,
    ) -> Self {
        let contenders: Vec<_> = sides
            .iter()
            .filter_map(|side| Contender::find(side, workload))
            .collect();
        assert!(contenders.len() >= 2, "{workload}: both sides have it");
        let ops = contenders[0].workload.ops;
        assert!(
            contenders.iter().all(|c| c.workload.ops == ops),
            "{workload}: a round is as much for everyone"
        );
        Self {
            name,
            workers,
            rounds,
            contenders,
        }
    }

    fn rounds_per_heat(&self) -> usize {
        self.rounds.div_ceil(HEATS)
    }

    /// Rounds of all sides together, for the progress bar.
    pub(crate) fn steps(&self) -> usize {
        HEATS * (WARM_UP + self.rounds_per_heat()) * self.contenders.len()
    }
}

/// One side in one contest.
struct Contender<'a> {
    side: &'a Side,
    workload: Workload,
}

impl<'a> Contender<'a> {
    fn find(side: &'a Side, name: &str) -> Option<Self> {
        let workload = (side.workloads)().into_iter().find(|w| w.name == name)?;
        Some(Self { side, workload })
    }
}

/// What all contests of a run need.
pub(crate) struct Track<'a> {
    pub(crate) watchdog: &'a Watchdog,
    pub(crate) progress: &'a mut Progress,
    /// What panicked.
    pub(crate) broken: &'a mut Vec<String>,
}

/// One entry after the other. One that panics is named in `broken`.
pub(crate) fn run_all(entries: &[Entry<'_>], track: &mut Track<'_>) -> Vec<Contest> {
    let mut contests = Vec::with_capacity(entries.len());
    for entry in entries {
        // A runtime under construction may panic: the others' figures are wanted all the same.
        let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| run(entry, track)));
        let line = match outcome {
            Ok(contest) => {
                let (time, cpu) = (contest.time.value, contest.cpu.value);
                contests.push(contest);
                format!("time {time:.2}  CPU {cpu:.2}")
            }
            Err(_) => {
                track.broken.push(format!("{}: panicked", entry.name));
                "PANICKED".to_owned()
            }
        };
        track.progress.say(&format!("{:<30}{line}", entry.name));
    }
    contests
}

fn run(entry: &Entry<'_>, track: &mut Track<'_>) -> Contest {
    let name = |c: &Contender<'_>| Lane::new(c.side.name());
    let mut lanes: Vec<Lane> = entry.contenders.iter().map(name).collect();
    for heat in 0..HEATS {
        run_heat(entry, heat, track, &mut lanes);
    }
    let ops = entry.contenders[0].workload.ops;
    Contest::new(&entry.name, ops, entry.rounds_per_heat(), lanes)
}

/// The order changes from heat to heat and from round to round, in making the runtimes and in running
/// them, so that nobody always follows the same one.
fn run_heat(entry: &Entry<'_>, heat: usize, track: &mut Track<'_>, lanes: &mut [Lane]) {
    let contenders = &entry.contenders;
    let count = contenders.len();
    let watch = |i: usize| {
        let contender: &Contender<'_> = &contenders[i];
        track.watchdog.watch(&entry.name, contender.side.name());
        contender
    };
    let mut running: Vec<Option<Round>> = (0..count).map(|_| None).collect();
    for i in in_turn(count, heat) {
        running[i] = Some((watch(i).workload.prepare)(entry.workers));
    }
    for round in 0..WARM_UP + entry.rounds_per_heat() {
        for i in in_turn(count, heat + round) {
            let contender = watch(i);
            let run = running[i].as_mut().expect("all were prepared");
            let ops = contender.workload.ops as f64;
            if round + 1 == WARM_UP {
                let made = allocations::counted(run);
                lanes[i].allocations.push(made as f64 / ops);
            } else if round >= WARM_UP {
                measure(run, ops, &mut lanes[i]);
            } else {
                run();
            }
            track.progress.step(&entry.name);
        }
    }
    for i in in_turn(count, heat) {
        watch(i);
        running[i] = None;
    }
}

/// All of `count`, another one first each time, and in both directions.
pub(crate) fn in_turn(count: usize, time: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).map(|i| (i + time / 2) % count).collect();
    if time % 2 == 1 {
        order.reverse();
    }
    order
}

fn measure(round: &mut Round, ops: f64, lane: &mut Lane) {
    let before = Usage::now();
    let started = Instant::now();
    round();
    let wall = started.elapsed();
    thread::sleep(SETTLE);
    let usage = Usage::now().since(before);
    lane.nanos_per_op.push(wall.as_nanos() as f64 / ops);
    lane.cpu_micros.push(usage.cpu_micros as f64);
    lane.voluntary.push(usage.voluntary as f64);
    lane.involuntary.push(usage.involuntary as f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_is_first_and_last_in_turn() {
        assert_eq!(in_turn(2, 0), [0, 1]);
        assert_eq!(in_turn(2, 1), [1, 0]);
        for i in 0..3 {
            assert!((0..6).any(|time| in_turn(3, time)[0] == i));
            assert!((0..6).any(|time| in_turn(3, time)[2] == i));
        }
    }
}
