//! What `--check` holds the rival to. Lower a limit when it is beaten for good; raising one needs
//! a reason in the commit.

use super::stats::Ratio;
use super::{Compared, Contest, Delays, Report};

/// The most of Tokio's time that each workload may take.
const TIME: &[(&str, f64)] = &[
    ("chained_spawn", 0.45),
    ("spawn_from_worker", 0.45),
    ("yield_many", 0.60),
    ("ping_pong", 0.75),
    ("spawn_many", 0.75),
    ("timeout_ready", 0.50),
    ("tcp_echo_50", 1.00),
];

/// The same for every workload that is not named above.
const TIME_OTHERWISE: f64 = 1.05;

/// The most of Tokio's processor time that any workload may burn.
const CPU: f64 = 1.05;

/// The most of Tokio's delay that a tail's may be, at these shares of the events. Tails are noisy:
/// what is rare is seen rarely.
const DELAYS: &[(f64, f64)] = &[(0.5, 1.10), (0.99, 1.10), (0.999, 1.25)];

/// Delays below this are as good as none, in nanoseconds.
const DELAY_SLACK: f64 = 50_000.0;

/// Figures that are held to a number of their own, whatever Tokio's is.
const ABSOLUTE: &[(&str, f64)] = &[
    ("idle_1m.bytes_per_task", 192.0),
    ("sleeping_1m.bytes_per_task", 288.0),
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

/// What is over its limit, one line each.
pub(crate) fn failures(report: &Report) -> Vec<String> {
    let mut failures = Vec::new();
    for contest in &report.contests {
        failures.extend(contest_failures(contest, time_limit(&contest.name)));
    }
    for sweep in &report.sweeps {
        failures.extend(contest_failures(sweep, TIME_OTHERWISE));
    }
    failures.extend(report.delays.iter().flat_map(delay_failures));
    failures.extend(report.probes.iter().filter_map(probe_failure));
    failures
}

fn contest_failures(contest: &Contest, limit: f64) -> impl Iterator<Item = String> {
    let time = exceeds(&contest.name, "time", contest.time, limit);
    let cpu = exceeds(&contest.name, "CPU", contest.cpu, CPU);
    time.into_iter().chain(cpu)
}

fn delay_failures(delays: &Delays) -> Vec<String> {
    let over = |&(share, limit): &(f64, f64)| {
        let (ratio, slower) = (delays.ratio(share), delays.lanes[1].at(share) > DELAY_SLACK);
        let name = &delays.name;
        (ratio > limit && slower)
            .then(|| format!("{name}: p{} {ratio:.2} > {limit:.2}", share * 100.0))
    };
    DELAYS.iter().filter_map(over).collect()
}

pub(crate) fn time_limit(name: &str) -> f64 {
    find(TIME, name).unwrap_or(TIME_OTHERWISE)
}

fn exceeds(name: &str, what: &str, ratio: Ratio, limit: f64) -> Option<String> {
    let doubt = if ratio.low <= limit {
        ": the interval reaches the limit, more rounds may settle it"
    } else {
        ""
    };
    (ratio.value > limit).then(|| {
        format!(
            "{name}: {what} {:.3} > {limit:.2} (95 % {:.2}–{:.2}){doubt}",
            ratio.value, ratio.low, ratio.high
        )
    })
}

fn probe_failure(probe: &Compared) -> Option<String> {
    let limit = match find(ABSOLUTE, &probe.name) {
        Some(limit) => limit,
        None => probe.base * PROBE_OTHERWISE + find(SLACK, &probe.name).unwrap_or(0.0),
    };
    (probe.rival > limit).then(|| format!("{}: {:.1} > {limit:.1}", probe.name, probe.rival))
}

fn find(table: &[(&str, f64)], name: &str) -> Option<f64> {
    table
        .iter()
        .find(|(entry, _)| *entry == name)
        .map(|&(_, limit)| limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::Side;

    fn compared(name: &str, base: f64, rival: f64) -> Compared {
        Compared {
            name: name.to_owned(),
            base,
            rival,
        }
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
        let ratio = |value| Ratio {
            value,
            quiet: value,
            low: value,
            high: value,
        };
        assert_eq!(exceeds("x", "time", ratio(0.45), 0.45), None);
        assert!(exceeds("x", "time", ratio(0.46), 0.45).is_some());
        assert_eq!(time_limit("chained_spawn"), 0.45);
        assert_eq!(time_limit("oneshot"), TIME_OTHERWISE);
    }

    #[test]
    fn memory_is_held_to_bytes_and_the_rest_to_tokio() {
        let bytes = "idle_1m.bytes_per_task";
        assert!(probe_failure(&compared(bytes, 400.0, 193.0)).is_some());
        assert!(probe_failure(&compared(bytes, 100.0, 190.0)).is_none());
        assert!(probe_failure(&compared("idle_1m.up_ns_per_task", 100.0, 106.0)).is_some());
        assert!(probe_failure(&compared("idle_cpu.cpu_ms_per_s", 0.1, 0.5)).is_none());
        assert!(probe_failure(&compared("idle_cpu.cpu_ms_per_s", 0.1, 1.0)).is_some());
    }
}
