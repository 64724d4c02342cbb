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

/// Rounds that are run and thrown away: caches, allocator, thread pools.
const WARM_UP: usize = 3;

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
    pub(crate) base: Samples,
    pub(crate) rival: Samples,
}

impl Duel {
    pub(crate) fn time(&self) -> Ratio {
        Ratio::of(
            &self.base.nanos_per_op(self.ops),
            &self.rival.nanos_per_op(self.ops),
        )
    }

    pub(crate) fn cpu(&self) -> Ratio {
        Ratio::of(&self.base.cpu_micros(), &self.rival.cpu_micros())
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

fn run([base, rival]: [Contender<'_>; 2], options: &Options) -> Duel {
    let mut base_round = base.prepare(options.workers);
    let mut rival_round = rival.prepare(options.workers);
    let mut base_samples = Vec::with_capacity(options.rounds);
    let mut rival_samples = Vec::with_capacity(options.rounds);

    for round in 0..WARM_UP + options.rounds {
        // Each side goes first every other round, so that neither always follows the other.
        let (of_base, of_rival);
        if round % 2 == 0 {
            of_base = base.measure(&mut base_round);
            of_rival = rival.measure(&mut rival_round);
        } else {
            of_rival = rival.measure(&mut rival_round);
            of_base = base.measure(&mut base_round);
        }
        if round >= WARM_UP {
            base_samples.push(of_base);
            rival_samples.push(of_rival);
        }
    }

    base.finish(base_round);
    rival.finish(rival_round);
    Duel {
        name: base.workload.name,
        ops: base.workload.ops,
        base: Samples(base_samples),
        rival: Samples(rival_samples),
    }
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
