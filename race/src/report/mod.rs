//! What a run found: kept as JSON, shown as tables and as a page.

pub(crate) mod against;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod limits;
pub(crate) mod stats;
pub(crate) mod table;

use crate::sys::Usage;
use stats::{Ratio, Spread};

/// A whole run.
#[derive(Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) conditions: Conditions,
    pub(crate) contests: Vec<Contest>,
    /// A few of the workloads again: other numbers of workers, a busy machine.
    pub(crate) sweeps: Vec<Contest>,
    pub(crate) delays: Vec<Delays>,
    pub(crate) probes: Vec<Compared>,
}

/// What a reader must know before the figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conditions {
    pub(crate) base: String,
    pub(crate) rival: String,
    pub(crate) workers: usize,
    pub(crate) rounds: usize,
    pub(crate) cores: usize,
    pub(crate) processor: String,
    pub(crate) kernel: String,
    /// The commit that was built, where git could say.
    pub(crate) commit: String,
    /// The machine's load average before and after.
    pub(crate) load: (String, String),
    pub(crate) seconds: f64,
}

/// One side's rounds in one contest.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lane {
    pub(crate) side: String,
    pub(crate) nanos_per_op: Vec<f64>,
    /// Of the round and the pause after it, as are the two below.
    pub(crate) cpu_micros: Vec<f64>,
    pub(crate) voluntary: Vec<f64>,
    pub(crate) involuntary: Vec<f64>,
    /// An operation's, one figure a heat.
    pub(crate) allocations: Vec<f64>,
}

impl Lane {
    pub(crate) fn new(side: &str) -> Self {
        Self {
            side: side.to_owned(),
            ..Self::default()
        }
    }

    pub(crate) fn spread(&self) -> Spread {
        Spread::of(&self.nanos_per_op)
    }

    pub(crate) fn cpu_seconds(&self) -> f64 {
        self.cpu_micros.iter().sum::<f64>() / 1e6
    }
}

/// One workload: the base first, then the rival, then whoever else ran it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contest {
    pub(crate) name: String,
    pub(crate) ops: usize,
    pub(crate) rounds_per_heat: usize,
    pub(crate) lanes: Vec<Lane>,
    /// The rival's over the base's.
    pub(crate) time: Ratio,
    pub(crate) cpu: Ratio,
}

impl Contest {
    pub(crate) fn new(name: &str, ops: usize, rounds_per_heat: usize, lanes: Vec<Lane>) -> Self {
        let (base, rival) = (&lanes[0], &lanes[1]);
        Self {
            name: name.to_owned(),
            ops,
            rounds_per_heat,
            time: Ratio::of(&base.nanos_per_op, &rival.nanos_per_op, rounds_per_heat),
            cpu: Ratio::of(&base.cpu_micros, &rival.cpu_micros, rounds_per_heat),
            lanes,
        }
    }

    pub(crate) fn base(&self) -> &Lane {
        &self.lanes[0]
    }

    pub(crate) fn rival(&self) -> &Lane {
        &self.lanes[1]
    }

    /// Neither the base nor the rival, but the one of this name.
    pub(crate) fn other(&self, side: &str) -> Option<&Lane> {
        self.lanes[2..].iter().find(|lane| lane.side == side)
    }
}

/// The delays of both sides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Delays {
    pub(crate) name: String,
    pub(crate) rounds_per_heat: usize,
    /// The base first, then the rival.
    pub(crate) lanes: Vec<DelaysOf>,
}

impl Delays {
    /// The rival's delay at this share of all events, over the base's.
    pub(crate) fn ratio(&self, share: f64) -> f64 {
        stats::over(self.lanes[1].at(share), self.lanes[0].at(share))
    }

    /// The same of a usual round, in which the machine does not stand still.
    pub(crate) fn usual_ratio(&self, share: f64) -> Ratio {
        let [base, rival] = [0, 1].map(|side: usize| self.lanes[side].each_at(share));
        Ratio::of(&base, &rival, self.rounds_per_heat)
    }
}

/// The shares of all events at which a delay is kept: enough to draw the whole distribution.
pub(crate) const SHARES: [f64; 17] = [
    0.0, 0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9975, 0.999, 0.9995,
    0.9999, 1.0,
];

/// One side's delays, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DelaysOf {
    pub(crate) side: String,
    pub(crate) events: usize,
    /// At each of [`SHARES`], of all rounds together.
    pub(crate) nanos: Vec<f64>,
    /// The same of each round.
    pub(crate) rounds: Vec<Vec<f64>>,
    pub(crate) cpu_seconds: f64,
    pub(crate) voluntary: f64,
}

impl DelaysOf {
    pub(crate) fn new(side: &str, mut rounds: Vec<Vec<f64>>, used: Usage) -> Self {
        let mut all = rounds.concat();
        for delays in rounds.iter_mut().chain([&mut all]) {
            delays.sort_by(f64::total_cmp);
        }
        let at_shares = |delays: &Vec<f64>| SHARES.map(|s| stats::quantile(delays, s)).to_vec();
        Self {
            side: side.to_owned(),
            events: all.len(),
            nanos: at_shares(&all),
            rounds: rounds.iter().map(at_shares).collect(),
            cpu_seconds: used.cpu_micros as f64 / 1e6,
            voluntary: used.voluntary as f64,
        }
    }

    /// The delay at one of [`SHARES`].
    pub(crate) fn at(&self, share: f64) -> f64 {
        self.nanos[place(share)]
    }

    fn each_at(&self, share: f64) -> Vec<f64> {
        let place = place(share);
        self.rounds.iter().map(|round| round[place]).collect()
    }
}

fn place(share: f64) -> usize {
    let place = SHARES.iter().position(|&s| s == share);
    place.expect("only the shares that are kept are asked for")
}

/// One figure of a probe, for both sides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    /// `probe.key`.
    pub(crate) name: String,
    /// What each child read.
    pub(crate) readings: [Vec<f64>; 2],
    /// The median over the children.
    pub(crate) base: f64,
    pub(crate) rival: f64,
    pub(crate) ratio: Ratio,
}

impl Compared {
    pub(crate) fn new(name: String, base: Vec<f64>, rival: Vec<f64>) -> Self {
        Self {
            name,
            base: stats::median(&base),
            rival: stats::median(&rival),
            // Each child is a process of its own, and so a heat.
            ratio: Ratio::of(&base, &rival, 1),
            readings: [base, rival],
        }
    }
}

/// The ratios' geometric means: time, then processor time. `None` of nothing.
pub(crate) fn means(contests: &[Contest]) -> Option<(f64, f64)> {
    let time = stats::geometric_mean(contests.iter().map(|c| c.time.value))?;
    let cpu = stats::geometric_mean(contests.iter().map(|c| c.cpu.value))?;
    Some((time, cpu))
}
