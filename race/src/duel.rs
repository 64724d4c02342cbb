//! One workload on both sides, round by round in turn.

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

/// Every workload that was asked for, one after the other.
pub(crate) fn run_all(options: &Options, base: &Side, rival: &Side) -> Vec<Duel> {
    let pairs: Vec<(Workload, Workload)> = (base.workloads)()
        .into_iter()
        .zip((rival.workloads)())
        .filter(|(workload, _)| options.wants(workload.name))
        .collect();
    let watchdog = Watchdog::start();
    let count = pairs.len();
    pairs
        .into_iter()
        .enumerate()
        .map(|(i, (on_base, on_rival))| {
            assert_eq!(on_base.name, on_rival.name, "both sides list the same");
            eprint!("\r\x1b[K[{}/{count}] {}", i + 1, on_base.name);
            let duel = run(
                options,
                &watchdog,
                (base.name(), on_base),
                (rival.name(), on_rival),
            );
            if i + 1 == count {
                eprint!("\r\x1b[K");
            }
            duel
        })
        .collect()
}

fn run(
    options: &Options,
    watchdog: &Watchdog,
    (base_name, on_base): (&str, Workload),
    (rival_name, on_rival): (&str, Workload),
) -> Duel {
    let name = on_base.name;
    let start = |side, workload: Workload| {
        watchdog.watch(name, side);
        (workload.prepare)(options.workers)
    };
    let mut base_round = start(base_name, on_base);
    let mut rival_round = start(rival_name, on_rival);
    let mut base = Vec::with_capacity(options.rounds);
    let mut rival = Vec::with_capacity(options.rounds);

    for round in 0..WARM_UP + options.rounds {
        let turn = |side, run: &mut Round, into: &mut Vec<Sample>| {
            watchdog.watch(name, side);
            let sample = measure(run);
            if round >= WARM_UP {
                into.push(sample);
            }
        };
        // Each side goes first every other round, so that neither always follows the other.
        if round % 2 == 0 {
            turn(base_name, &mut base_round, &mut base);
            turn(rival_name, &mut rival_round, &mut rival);
        } else {
            turn(rival_name, &mut rival_round, &mut rival);
            turn(base_name, &mut base_round, &mut base);
        }
    }

    watchdog.watch(name, base_name);
    drop(base_round);
    watchdog.watch(name, rival_name);
    drop(rival_round);
    Duel {
        name,
        ops: on_base.ops,
        base: Samples(base),
        rival: Samples(rival),
    }
}

fn measure(run: &mut Round) -> Sample {
    let before = Usage::now();
    let started = Instant::now();
    run();
    let wall = started.elapsed();
    thread::sleep(SETTLE);
    Sample {
        wall,
        usage: Usage::now().since(before),
    }
}
