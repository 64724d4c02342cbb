//! What `--check` holds the rival to. Lower a limit when it is beaten for good; raising one needs
//! a reason in the commit.

use crate::duel::Duel;
use crate::probe::Compared;
use crate::stats::Ratio;

/// The most of Tokio's time that each workload may take.
const TIME: &[(&str, f64)] = &[
    ("chained_spawn", 0.45),
    ("spawn_from_worker", 0.45),
    ("yield_many", 0.60),
    ("ping_pong", 0.75),
    ("spawn_many", 0.75),
    ("timeout_ready", 0.50),
    ("tcp_echo", 1.00),
];

/// The same for every workload that is not named above.
const TIME_OTHERWISE: f64 = 1.05;

/// The most of Tokio's processor time that any workload may burn.
const CPU: f64 = 1.05;

/// Figures that are held to a number of their own, whatever Tokio's is.
const ABSOLUTE: &[(&str, f64)] = &[
    ("idle_1m.bytes_per_task", 192.0),
    ("sleeping_1m.bytes_per_task", 288.0),
];

/// The most of Tokio's figure that any other reading of a probe may be.
const PROBE_OTHERWISE: f64 = 1.05;

/// What two sleeping processes may differ by, by chance: both figures are close to nothing.
const SLACK: &[(&str, f64)] = &[("idle_cpu.cpu_ms", 1.0), ("idle_cpu.waits", 10.0)];

/// What is over its limit, one line each.
pub(crate) fn failures(duels: &[Duel], probes: &[Compared]) -> Vec<String> {
    let mut failures = Vec::new();
    for duel in duels {
        failures.extend(exceeds(
            duel.name,
            "time",
            duel.time(),
            time_limit(duel.name),
        ));
        failures.extend(exceeds(duel.name, "CPU", duel.cpu(), CPU));
    }
    failures.extend(probes.iter().filter_map(probe_failure));
    failures
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
        assert!(probe_failure(&compared("idle_cpu.cpu_ms", 0.1, 1.0)).is_none());
        assert!(probe_failure(&compared("idle_cpu.cpu_ms", 0.1, 2.0)).is_some());
    }
}
