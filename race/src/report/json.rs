//! A report as JSON and back, with every sample: for `--against`, `--from` and whoever wants to plot.

mod value;

use super::{Compared, Conditions, Contest, Delays, DelaysOf, Lane, Report, stats::Ratio};
use value::Value;

pub(crate) fn render(report: &Report) -> String {
    let Report {
        conditions,
        contests,
        sweeps,
        delays,
        probes,
    } = report;
    Value::object([
        ("conditions", conditions_out(conditions)),
        ("workloads", contests.iter().map(contest_out).collect()),
        ("sweeps", sweeps.iter().map(contest_out).collect()),
        ("tails", delays.iter().map(delays_out).collect()),
        ("probes", probes.iter().map(probe_out).collect()),
    ])
    .to_string()
}

/// What is wrong with the text, if it is not a report.
pub(crate) fn read(text: &str) -> Result<Report, String> {
    let value = value::parse(text)?;
    Ok(Report {
        conditions: conditions_in(value.get("conditions")?)?,
        contests: value.get("workloads")?.map_list(contest_in)?,
        sweeps: value.get("sweeps")?.map_list(contest_in)?,
        delays: value.get("tails")?.map_list(delays_in)?,
        probes: value.get("probes")?.map_list(probe_in)?,
    })
}

fn conditions_out(conditions: &Conditions) -> Value {
    let count = |count: usize| Value::from(count as f64);
    Value::object([
        ("base", conditions.base.as_str().into()),
        ("rival", conditions.rival.as_str().into()),
        ("workers", count(conditions.workers)),
        ("rounds", count(conditions.rounds)),
        ("cores", count(conditions.cores)),
        ("processor", conditions.processor.as_str().into()),
        ("kernel", conditions.kernel.as_str().into()),
        ("commit", conditions.commit.as_str().into()),
        ("load_before", conditions.load.0.as_str().into()),
        ("load_after", conditions.load.1.as_str().into()),
        ("seconds", conditions.seconds.into()),
    ])
}

fn conditions_in(value: &Value) -> Result<Conditions, String> {
    let count = |key| value.get(key)?.number().map(|n| n as usize);
    Ok(Conditions {
        base: value.get("base")?.text()?,
        rival: value.get("rival")?.text()?,
        workers: count("workers")?,
        rounds: count("rounds")?,
        cores: count("cores")?,
        processor: value.get("processor")?.text()?,
        kernel: value.get("kernel")?.text()?,
        commit: value.get("commit")?.text()?,
        load: (
            value.get("load_before")?.text()?,
            value.get("load_after")?.text()?,
        ),
        seconds: value.get("seconds")?.number()?,
    })
}

/// The ratios are for readers of the file: they are worked out again when it is read.
fn contest_out(contest: &Contest) -> Value {
    Value::object([
        ("name", contest.name.as_str().into()),
        ("ops", (contest.ops as f64).into()),
        ("rounds_per_heat", (contest.rounds_per_heat as f64).into()),
        ("time", ratio_out(&contest.time)),
        ("cpu", ratio_out(&contest.cpu)),
        ("sides", contest.lanes.iter().map(lane_out).collect()),
    ])
}

fn contest_in(value: &Value) -> Result<Contest, String> {
    let lanes = value.get("sides")?.map_list(lane_in)?;
    if lanes.len() < 2 {
        return Err("a workload without two sides".to_owned());
    }
    Ok(Contest::new(
        &value.get("name")?.text()?,
        value.get("ops")?.number()? as usize,
        value.get("rounds_per_heat")?.number()? as usize,
        lanes,
    ))
}

fn ratio_out(ratio: &Ratio) -> Value {
    Value::object([
        ("ratio", ratio.value.into()),
        ("quiet", ratio.quiet.into()),
        ("low", ratio.low.into()),
        ("high", ratio.high.into()),
    ])
}

fn lane_out(lane: &Lane) -> Value {
    Value::object([
        ("side", lane.side.as_str().into()),
        ("ns_per_op", numbers(&lane.nanos_per_op)),
        ("cpu_us", numbers(&lane.cpu_micros)),
        ("voluntary", numbers(&lane.voluntary)),
        ("involuntary", numbers(&lane.involuntary)),
        ("allocations_per_op", numbers(&lane.allocations)),
    ])
}

fn lane_in(value: &Value) -> Result<Lane, String> {
    let numbers = |key| value.get(key)?.map_list(Value::number);
    Ok(Lane {
        side: value.get("side")?.text()?,
        nanos_per_op: numbers("ns_per_op")?,
        cpu_micros: numbers("cpu_us")?,
        voluntary: numbers("voluntary")?,
        involuntary: numbers("involuntary")?,
        allocations: numbers("allocations_per_op")?,
    })
}

fn delays_out(delays: &Delays) -> Value {
    let lane = |of: &DelaysOf| {
        Value::object([
            ("side", of.side.as_str().into()),
            ("events", (of.events as f64).into()),
            ("ns_at_shares", numbers(&of.nanos)),
            (
                "rounds_ns_at_shares",
                of.rounds.iter().map(|round| numbers(round)).collect(),
            ),
            ("cpu_s", of.cpu_seconds.into()),
            ("voluntary", of.voluntary.into()),
        ])
    };
    Value::object([
        ("name", delays.name.as_str().into()),
        ("shares", numbers(&super::SHARES)),
        ("rounds_per_heat", (delays.rounds_per_heat as f64).into()),
        ("sides", delays.lanes.iter().map(lane).collect()),
    ])
}

fn delays_in(value: &Value) -> Result<Delays, String> {
    if value.get("shares")?.map_list(Value::number)? != super::SHARES {
        return Err("tails with other shares than this version's".to_owned());
    }
    let lane = |value: &Value| {
        Ok(DelaysOf {
            side: value.get("side")?.text()?,
            events: value.get("events")?.number()? as usize,
            nanos: value.get("ns_at_shares")?.map_list(Value::number)?,
            rounds: value
                .get("rounds_ns_at_shares")?
                .map_list(|round| round.map_list(Value::number))?,
            cpu_seconds: value.get("cpu_s")?.number()?,
            voluntary: value.get("voluntary")?.number()?,
        })
    };
    Ok(Delays {
        name: value.get("name")?.text()?,
        rounds_per_heat: value.get("rounds_per_heat")?.number()? as usize,
        lanes: value.get("sides")?.map_list(lane)?,
    })
}

fn probe_out(probe: &Compared) -> Value {
    Value::object([
        ("name", probe.name.as_str().into()),
        ("base", probe.base.into()),
        ("rival", probe.rival.into()),
        ("ratio", ratio_out(&probe.ratio)),
        (
            "readings",
            probe.readings.iter().map(|side| numbers(side)).collect(),
        ),
    ])
}

fn probe_in(value: &Value) -> Result<Compared, String> {
    let readings = value
        .get("readings")?
        .map_list(|side| side.map_list(Value::number))?;
    let [base, rival] =
        <[Vec<f64>; 2]>::try_from(readings).map_err(|_| "a probe without two sides".to_owned())?;
    Ok(Compared::new(value.get("name")?.text()?, base, rival))
}

fn numbers(values: &[f64]) -> Value {
    values.iter().map(|&value| value.into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::Usage;

    #[test]
    fn a_report_survives_the_file() {
        let lane = |side: &str, nanos: f64| Lane {
            side: side.to_owned(),
            nanos_per_op: vec![nanos, nanos + 0.5],
            cpu_micros: vec![1.0, 2.0],
            voluntary: vec![3.0, 4.0],
            involuntary: vec![5.0, 6.0],
            allocations: vec![1.25],
        };
        let lanes = vec![lane("tokio", 10.0), lane("heist", 5.0), lane("smol", 7.0)];
        let delays = |side| DelaysOf::new(side, vec![vec![1.0], vec![3.0]], Usage::default());
        let report = Report {
            conditions: Conditions {
                base: "tokio".into(),
                rival: "heist".into(),
                workers: 2,
                rounds: 2,
                cores: 2,
                processor: "a \"quoted\" processor\\".into(),
                kernel: "6".into(),
                commit: "abc".into(),
                load: ("0.1".into(), "0.2".into()),
                seconds: 1.5,
            },
            contests: vec![Contest::new("w", 10, 1, lanes.clone())],
            sweeps: vec![Contest::new("w @4", 10, 2, lanes)],
            delays: vec![Delays {
                name: "t".into(),
                rounds_per_heat: 2,
                lanes: vec![delays("tokio"), delays("heist")],
            }],
            probes: vec![Compared::new("p.x".into(), vec![1.0, 3.0], vec![2.0, 5.0])],
        };
        assert_eq!(read(&render(&report)), Ok(report));
    }
}
