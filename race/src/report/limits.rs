//! What `--check` holds the rival to. Lower a limit when it is beaten for good; raising one needs
//! a reason in the commit.

use super::stats::{Ratio, median};
use super::{Compared, Contest, Delays, Report, means};

/// The most of Tokio's time that each workload may take: the median itself is held to it.
const TIME: &[(&str, f64)] = &[
    ("chained_spawn", 0.40),
    ("ping_pong", 0.60),
    ("spawn_many", 0.50),
    ("yield_many", 0.45),
    ("chained_spawn_bench", 0.40),
    ("ping_pong_bench", 0.60),
    ("spawn_many_bench", 0.50),
    ("yield_many_bench", 0.45),
    ("spawn_from_worker", 0.45),
    ("timeout_ready", 0.50),
];

/// The same for every other workload, and for the processor time and the waits of all: held to it is the lower end
/// of the interval, as the median of equals is above 1 every other time. A tail or a probe that is over its share of
/// Tokio's must be surely behind as well: without that, Tokio fails against itself ("How noisy it is" in
/// `race/README.md`).
const NOT_BEHIND: f64 = 1.00;

/// The most that all workloads together may take, as a geometric mean. Not asked of a few of them.
const MEAN: f64 = 0.60;
const ALL: usize = 30;

/// Waits a round may be more than Tokio's by so many: where there are few, chance makes several times as many.
const FEW_WAITS: f64 = 20.0;

/// The most of Tokio's delay that a tail's may be, at these shares of the events. What is rare is seen rarely, and
/// a machine that stands still for some milliseconds makes a tail of its own, on the side whose turn it is: over
/// the limit is what is over it in all rounds together and in the usual round; what is so in one of them may be.
const DELAYS: &[(f64, f64)] = &[(0.5, 1.10), (0.99, 1.10), (0.999, 1.25)];

/// The same of all rounds together where a task blocks its worker, for 50 ms, and Tokio's tasks suffer from it, which
/// they do in some rounds and not in others. What is below half of that is the machine's doing, to both.
const STALLED: (f64, f64) = (0.99, 0.50);
const SUFFERS_FROM: f64 = 25_000_000.0;

/// Delays below this are as good as none, in nanoseconds.
const DELAY_SLACK: f64 = 50_000.0;

/// Figures that are held to a number of their own, whatever Tokio's is.
const ABSOLUTE: &[(&str, f64)] = &[
    ("idle_1m.bytes_per_task", 160.0),
    ("sleeping_1m.bytes_per_task", 224.0),
];

/// The most of Tokio's figure that any other reading of a probe may be.
const PROBE_OTHERWISE: f64 = 1.05;

/// What two sleeping processes may differ by, by chance: both figures are close to nothing.
const SLACK: &[(&str, f64)] = &[
    ("idle_cpu.cpu_ms_per_s", 0.5),
    ("idle_cpu.waits_per_s", 5.0),
    ("idle_connections.cpu_ms_per_s", 0.5),
    ("idle_connections.waits_per_s", 5.0),
    ("tick_100hz.cpu_ms_per_s", 0.5),
    ("tick_100hz.waits_per_s", 5.0),
];

/// Something above its limit.
#[derive(Debug, PartialEq)]
struct Finding {
    /// Else it may be chance.
    surely: bool,
    text: String,
}

/// What is over its limit, one line each; and what may be.
pub(crate) fn check(report: &Report) -> (Vec<String>, Vec<String>) {
    let (sure, doubtful): (Vec<_>, Vec<_>) = findings(report)
        .into_iter()
        .partition(|finding| finding.surely);
    let texts = |findings: Vec<Finding>| findings.into_iter().map(|finding| finding.text).collect();
    (texts(sure), texts(doubtful))
}

fn findings(report: &Report) -> Vec<Finding> {
    let mut findings = Vec::new();
    for contest in report.contests.iter().chain(&report.sweeps) {
        findings.extend(time_finding(contest));
        findings.extend(behind(&contest.name, "CPU", contest.cpu));
        findings.extend(waits_finding(contest));
    }
    findings.extend(report.delays.iter().flat_map(delay_findings));
    findings.extend(report.probes.iter().filter_map(probe_finding));
    let mean = means(&report.contests).map_or(0.0, |(time, _)| time);
    if report.contests.len() >= ALL && mean > MEAN {
        findings.push(Finding {
            surely: true,
            text: format!("geometric mean: {mean:.3} > {MEAN:.2}"),
        });
    }
    findings
}

/// For `--list`.
pub(crate) fn time_limit(name: &str) -> f64 {
    find(TIME, name).unwrap_or(NOT_BEHIND)
}

fn time_finding(contest: &Contest) -> Option<Finding> {
    match find(TIME, &contest.name) {
        Some(limit) => exceeds(&contest.name, contest.time, limit),
        None => behind(&contest.name, "time", contest.time),
    }
}

fn exceeds(name: &str, ratio: Ratio, limit: f64) -> Option<Finding> {
    let doubt = if ratio.low <= limit {
        ": the interval reaches the limit, more rounds may settle it"
    } else {
        ""
    };
    (ratio.value > limit).then(|| Finding {
        surely: true,
        text: format!(
            "{name}: time {:.3} > {limit:.2} (95 % {:.2}–{:.2}){doubt}",
            ratio.value, ratio.low, ratio.high
        ),
    })
}

fn behind(name: &str, what: &str, ratio: Ratio) -> Option<Finding> {
    (ratio.value > NOT_BEHIND).then(|| Finding {
        surely: is_sure(ratio),
        text: format!(
            "{name}: {what} {:.3} (95 % {:.2}–{:.2})",
            ratio.value, ratio.low, ratio.high
        ),
    })
}

/// Whether all of the interval is above Tokio's.
fn is_sure(ratio: Ratio) -> bool {
    ratio.low > NOT_BEHIND
}

fn waits_finding(contest: &Contest) -> Option<Finding> {
    let [base, rival] = [contest.base(), contest.rival()].map(|lane| &lane.voluntary);
    let allowed: Vec<f64> = base.iter().map(|waits| waits + FEW_WAITS).collect();
    let ratio = Ratio::of(&allowed, rival, contest.rounds_per_heat);
    (ratio.value > NOT_BEHIND).then(|| {
        let (name, base, rival) = (&contest.name, median(base), median(rival));
        Finding {
            surely: is_sure(ratio),
            text: format!("{name}: {rival:.0} waits a round, the base {base:.0}"),
        }
    })
}

fn delay_findings(delays: &Delays) -> Vec<Finding> {
    let [base, rival] = [&delays.lanes[0], &delays.lanes[1]];
    let name = &delays.name;
    let over = |&(share, limit): &(f64, f64)| {
        let (ratio, usual) = (delays.ratio(share), delays.usual_ratio(share));
        let percent = share * 100.0;
        (ratio.max(usual.value) > limit && rival.at(share) > DELAY_SLACK).then(|| Finding {
            surely: ratio.min(usual.value) > limit && is_sure(usual),
            text: format!(
                "{name}: p{percent} {ratio:.2}, usually {:.2} (95 % {:.2}–{:.2}), limit {limit:.2}",
                usual.value, usual.low, usual.high
            ),
        })
    };
    let mut findings: Vec<Finding> = DELAYS.iter().filter_map(over).collect();
    let (share, limit) = STALLED;
    let ratio = delays.ratio(share);
    if name.starts_with("stall_") && base.at(share) > SUFFERS_FROM && ratio > limit {
        let percent = share * 100.0;
        findings.push(Finding {
            surely: true,
            text: format!("{name}: p{percent} {ratio:.2} > {limit:.2}"),
        });
    }
    findings
}

fn probe_finding(probe: &Compared) -> Option<Finding> {
    let (limit, surely) = match find(ABSOLUTE, &probe.name) {
        Some(limit) => (limit, true),
        None => {
            let slack = find(SLACK, &probe.name).unwrap_or(0.0);
            (probe.base * PROBE_OTHERWISE + slack, is_sure(probe.ratio))
        }
    };
    (probe.rival > limit).then(|| Finding {
        surely,
        text: format!("{}: {:.1} > {limit:.1}", probe.name, probe.rival),
    })
}

fn find(table: &[(&str, f64)], name: &str) -> Option<f64> {
    table
        .iter()
        .find(|(entry, _)| *entry == name)
        .map(|&(_, limit)| limit)
}

#[cfg(test)]
mod tests {
    use super::super::{DelaysOf, Lane};
    use super::*;
    use crate::side::Side;
    use crate::sys::Usage;

    fn compared(name: &str, base: f64, rival: f64) -> Compared {
        Compared::new(name.to_owned(), vec![base], vec![rival])
    }

    #[test]
    fn every_named_limit_is_a_workload() {
        let workloads = (Side::tokio().workloads)();
        for (name, _) in TIME {
            assert!(workloads.iter().any(|w| w.name == *name), "{name}");
        }
        let probes = (Side::tokio().probes)();
        for (name, _) in ABSOLUTE.iter().chain(SLACK) {
            let (probe, _) = name.split_once('.').unwrap();
            assert!(probes.iter().any(|p| p.name == probe), "{name}");
        }
    }

    #[test]
    fn a_ratio_is_held_to_its_limit() {
        let ratio = |value, low| Ratio {
            value,
            quiet: value,
            low,
            high: value,
        };
        assert_eq!(exceeds("x", ratio(0.40, 0.30), 0.40), None);
        assert!(exceeds("x", ratio(0.41, 0.30), 0.40).is_some());
        assert_eq!(behind("x", "time", ratio(0.99, 0.90)), None);
        assert!(!behind("x", "time", ratio(1.20, 0.90)).unwrap().surely);
        assert!(behind("x", "time", ratio(1.20, 1.05)).unwrap().surely);
        assert_eq!(time_limit("chained_spawn"), 0.40);
        assert_eq!(time_limit("oneshot"), NOT_BEHIND);
    }

    #[test]
    fn waits_are_too_many_if_they_surely_are() {
        let surely = |rival: [f64; 6]| {
            let lane = |voluntary: &[f64]| Lane {
                nanos_per_op: vec![1.0; 6],
                cpu_micros: vec![1.0; 6],
                voluntary: voluntary.to_vec(),
                ..Lane::new("a side")
            };
            let lanes = vec![lane(&[100.0; 6]), lane(&rival)];
            waits_finding(&Contest::new("x", 1, 1, lanes)).map(|finding| finding.surely)
        };
        assert_eq!(surely([150.0; 6]), Some(true));
        assert_eq!(surely([119.0; 6]), None);
        assert_eq!(surely([300.0, 300.0, 300.0, 80.0, 80.0, 80.0]), Some(false));
    }

    #[test]
    fn a_tail_is_over_its_limit_if_it_is_so_usually() {
        let of = |side, rounds: &[&[f64]]| {
            let rounds = rounds.iter().map(|round| round.to_vec()).collect();
            DelaysOf::new(side, rounds, Usage::default())
        };
        // How many surely, and how many in all.
        let findings = |name: &str, base: &[&[f64]], rival: &[&[f64]]| {
            let lanes = vec![of("base", base), of("rival", rival)];
            let name = name.to_owned();
            let rounds_per_heat = 1;
            let findings = delay_findings(&Delays {
                name,
                rounds_per_heat,
                lanes,
            });
            let sure = findings.iter().filter(|finding| finding.surely);
            (sure.count(), findings.len())
        };
        const SHORT: &[f64] = &[1e6; 4];
        const LONG: &[f64] = &[9e6; 4];
        assert_eq!(findings("tick", &[SHORT; 5], &[LONG; 5]), (3, 3));
        // In one round of many: it is said, and may be chance.
        let once = [SHORT, SHORT, SHORT, SHORT, LONG];
        assert_eq!(findings("tick", &[SHORT; 5], &once), (0, 2));
        // Behind in five heats of six is surely behind; in four it may be chance.
        let heats = |bad: usize| [&[LONG; 6][..bad], &[SHORT; 6][bad..]].concat();
        assert_eq!(findings("tick", &[SHORT; 6], &heats(5)), (3, 3));
        assert_eq!(findings("tick", &[SHORT; 6], &heats(4)), (0, 3));
        // Half of Tokio's, if that is a stall.
        const STALL: &[f64] = &[50e6; 4];
        assert_eq!(findings("stall_x", &[STALL; 5], &[STALL; 5]), (1, 1));
        assert_eq!(findings("stall_x", &[LONG; 5], &[LONG; 5]), (0, 0));
        assert_eq!(findings("stall_x", &[STALL; 5], &[LONG; 5]), (0, 0));
    }

    #[test]
    fn memory_is_held_to_bytes_and_the_rest_to_tokio() {
        let surely = |probe: &Compared| probe_finding(probe).map(|finding| finding.surely);
        let bytes = "idle_1m.bytes_per_task";
        assert_eq!(surely(&compared(bytes, 400.0, 161.0)), Some(true));
        assert_eq!(surely(&compared(bytes, 100.0, 150.0)), None);
        let up = "idle_1m.up_ns_per_task";
        assert_eq!(surely(&compared(up, 100.0, 106.0)), Some(true));
        let of = |base: f64, rival: [f64; 6]| {
            Compared::new(up.to_owned(), vec![base; 6], rival.to_vec())
        };
        let five = [120.0, 120.0, 120.0, 120.0, 120.0, 90.0];
        assert_eq!(surely(&of(100.0, five)), Some(true));
        let four = [120.0, 120.0, 120.0, 120.0, 90.0, 90.0];
        assert_eq!(surely(&of(100.0, four)), Some(false));
        // Something is surely more than nothing.
        assert_eq!(surely(&of(0.0, [50.0; 6])), Some(true));
        let idle = "idle_cpu.cpu_ms_per_s";
        assert_eq!(surely(&compared(idle, 0.1, 0.5)), None);
        assert_eq!(surely(&compared(idle, 0.1, 1.0)), Some(true));
    }
}
