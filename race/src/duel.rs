//! One workload on both sides, round by round in turn.

use std::panic;
use std::thread;
use std::time::{Duration, Instant};

use crate::options::Options;
use crate::side::Side;
use crate::stats::{Ratio, Spread};
use crate::sys::Usage;
use crate::watchdog::Watchdog;
use crate::workload::{Round, Workload};

/// Each heat makes both runtimes anew. Two instances of the same runtime can differ by a fifth for as
/// long as they live (which core a worker landed on, which arena it allocates from, how many
/// blocking threads the first burst started), and no number of rounds on one instance shows that.
const HEATS: usize = 6;

/// Rounds of each heat that are run and thrown away: caches, allocator, thread pools.
const WARM_UP: usize = 2;

/// After each round the runtime may go to sleep before the other side's turn. The processor time
/// and switches of this pause belong to the side that ran: whoever spins after its work pays for it.
const SETTLE: Duration = Duration::from_millis(1);

/// What one round took.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) wall: Duration,
    /// Of the round and the pause after it.
    pub(crate) usage: Usage,
}

/// All rounds of one side.
pub(crate) struct Samples(Vec<Sample>);

impl Samples {
    pub(crate) fn nanos_per_op(&self, ops: usize) -> Vec<f64> {
        self.column(|sample| sample.wall.as_nanos() as f64 / ops as f64)
    }

    pub(crate) fn cpu_micros(&self) -> Vec<f64> {
        self.column(|sample| sample.usage.cpu_micros as f64)
    }

    pub(crate) fn voluntary(&self) -> Vec<f64> {
        self.column(|sample| sample.usage.voluntary as f64)
    }

    pub(crate) fn involuntary(&self) -> Vec<f64> {
        self.column(|sample| sample.usage.involuntary as f64)
    }

    fn column(&self, of: impl Fn(&Sample) -> f64) -> Vec<f64> {
        self.0.iter().map(of).collect()
    }
}

/// One workload's rounds on both sides.
pub(crate) struct Duel {
    pub(crate) name: &'static str,
    pub(crate) ops: usize,
    rounds_per_heat: usize,
    pub(crate) base: Samples,
    pub(crate) rival: Samples,
}

impl Duel {
    pub(crate) fn time(&self) -> Ratio {
        Ratio::of(
            &self.base.nanos_per_op(self.ops),
            &self.rival.nanos_per_op(self.ops),
            self.rounds_per_heat,
        )
    }

    pub(crate) fn cpu(&self) -> Ratio {
        Ratio::of(
            &self.base.cpu_micros(),
            &self.rival.cpu_micros(),
            self.rounds_per_heat,
        )
    }

    pub(crate) fn spreads(&self) -> (Spread, Spread) {
        (
            Spread::of(&self.base.nanos_per_op(self.ops)),
            Spread::of(&self.rival.nanos_per_op(self.ops)),
        )
    }
}

/// Every workload that was asked for, one after the other. One that panics is named in `broken`.
pub(crate) fn run_all(
    options: &Options,
    base: &Side,
    rival: &Side,
    broken: &mut Vec<String>,
) -> Vec<Duel> {
    let pairs: Vec<(Workload, Workload)> = (base.workloads)()
        .into_iter()
        .zip((rival.workloads)())
        .filter(|(workload, _)| options.wants(workload.name))
        .collect();
    let watchdog = Watchdog::start();
    let mut duels = Vec::with_capacity(pairs.len());
    for (i, (on_base, on_rival)) in pairs.iter().enumerate() {
        assert_eq!(on_base.name, on_rival.name, "both sides list the same");
        eprint!("[{:>2}/{}] {:<24}", i + 1, pairs.len(), on_base.name);
        let contenders = [
            Contender::new(base, on_base, &watchdog),
            Contender::new(rival, on_rival, &watchdog),
        ];
        // A runtime under construction may panic: the others' figures are wanted all the same.
        match panic::catch_unwind(|| run(contenders, options)) {
            Ok(duel) => {
                eprintln!("time {:.2}  CPU {:.2}", duel.time().value, duel.cpu().value);
                duels.push(duel);
            }
            Err(_) => {
                eprintln!("PANICKED");
                broken.push(format!("{}: panicked", on_base.name));
            }
        }
    }
    duels
}

/// One side in one duel.
struct Contender<'a> {
    side: &'static str,
    workload: &'a Workload,
    watchdog: &'a Watchdog,
}

impl<'a> Contender<'a> {
    fn new(side: &Side, workload: &'a Workload, watchdog: &'a Watchdog) -> Self {
        Self {
            side: side.name(),
            workload,
            watchdog,
        }
    }

    fn prepare(&self, workers: usize) -> Round {
        self.watchdog.watch(self.workload.name, self.side);
        (self.workload.prepare)(workers)
    }

    fn measure(&self, round: &mut Round) -> Sample {
        self.watchdog.watch(self.workload.name, self.side);
        measure(round)
    }

    fn finish(&self, round: Round) {
        self.watchdog.watch(self.workload.name, self.side);
        drop(round);
    }
}

fn run(contenders: [Contender<'_>; 2], options: &Options) -> Duel {
    let rounds_per_heat = options.rounds.div_ceil(HEATS);
    let mut samples = [Vec::new(), Vec::new()];
    for heat in 0..HEATS {
        run_heat(
            &contenders,
            options.workers,
            heat,
            rounds_per_heat,
            &mut samples,
        );
    }
    let workload = contenders[0].workload;
    let [base, rival] = samples;
    Duel {
        name: workload.name,
        ops: workload.ops,
        rounds_per_heat,
        base: Samples(base),
        rival: Samples(rival),
    }
}

/// Each side goes first every other time, in making the runtimes and in running the rounds, so that
/// neither always follows the other.
fn run_heat(
    contenders: &[Contender<'_>; 2],
    workers: usize,
    heat: usize,
    rounds: usize,
    samples: &mut [Vec<Sample>; 2],
) {
    let mut running = [None, None];
    for side in in_turn(heat) {
        running[side] = Some(contenders[side].prepare(workers));
    }
    for round in 0..WARM_UP + rounds {
        for side in in_turn(heat + round) {
            let runner = running[side].as_mut().expect("both were prepared");
            let sample = contenders[side].measure(runner);
            if round >= WARM_UP {
                samples[side].push(sample);
            }
        }
    }
    for side in in_turn(heat) {
        let runner = running[side].take().expect("both were prepared");
        contenders[side].finish(runner);
    }
}

fn in_turn(time: usize) -> [usize; 2] {
    if time % 2 == 0 { [0, 1] } else { [1, 0] }
}

fn measure(round: &mut Round) -> Sample {
    let before = Usage::now();
    let started = Instant::now();
    round();
    let wall = started.elapsed();
    thread::sleep(SETTLE);
    Sample {
        wall,
        usage: Usage::now().since(before),
    }
}
