//! What is printed.

use super::stats::{self, Spread};
use super::{Compared, Contest, Delays, Lane, Report, limits};
use crate::side::Side;

/// `--list`.
pub(crate) fn list() {
    let side = Side::tokio();
    for workload in (side.workloads)() {
        let limit = limits::time_limit(workload.name);
        println!("{:<26} ≤ {limit:.2}  {}", workload.name, workload.what);
    }
    for tail in (side.tails)() {
        println!("{:<26}   tail  {}", tail.name, tail.what);
    }
    for probe in (side.probes)() {
        println!("{:<26}  probe  {}", probe.name, probe.what);
    }
}

pub(crate) fn print(report: &Report) {
    print!("{}", text(report));
}

/// All tables.
pub(crate) fn text(report: &Report) -> String {
    let conditions = &report.conditions;
    let (base, rival) = (conditions.base.as_str(), conditions.rival.as_str());
    let mut text = format!(
        "{rival} {} against {base}: {} workers on {} cores ({}, Linux {}), {} rounds, load average \
         {} before, {} after, {:.0} s\n\
         ratios are {rival} / {base}: below 1.00, {rival} takes less\n",
        conditions.commit,
        conditions.workers,
        conditions.cores,
        conditions.processor,
        conditions.kernel,
        conditions.rounds,
        conditions.load.0,
        conditions.load.1,
        conditions.seconds,
    );
    let mut add = |rows: Vec<Vec<String>>| {
        if rows.len() > 1 {
            text += &format!("\n{}", align(&rows));
        }
    };
    let (contests, sweeps) = (&report.contests, &report.sweeps);
    add(time_rows("workload", base, rival, contests));
    add(cost_rows("workload", base, rival, contests));
    add(time_rows("workload @workers", base, rival, sweeps));
    add(cost_rows("workload @workers", base, rival, sweeps));
    add(delay_rows(&report.delays));
    add(probe_rows(base, rival, &report.probes));
    for (what, contests) in [("workloads", contests), ("@workers", sweeps)] {
        if let Some((time, cpu)) = super::means(contests) {
            let count = contests.len();
            text += &format!("\ngeometric mean of {count} {what}: time {time:.3}, CPU {cpu:.3}");
        }
    }
    text + "\n"
}

fn titles<const N: usize>(titles: [&str; N]) -> Vec<Vec<String>> {
    vec![titles.map(String::from).to_vec()]
}

/// How long.
fn time_rows(title: &str, base: &str, rival: &str, contests: &[Contest]) -> Vec<Vec<String>> {
    let mut rows = titles([
        title,
        base,
        "p10–p90",
        rival,
        "p10–p90",
        "time",
        "95 %",
        "quiet",
        "smol",
        "floor",
        base,
        rival,
    ]);
    rows.extend(contests.iter().map(|contest| {
        let (base, rival) = (contest.base().spread(), contest.rival().spread());
        let floor = contest.other("floor").map(|lane| lane.spread().median);
        let median_of = |lane: &Lane| lane.spread().median;
        let smol = contest.other("smol").map(median_of);
        let times = |time: f64| floor.map(|floor| format!("{}×", figure(time / floor)));
        vec![
            contest.name.clone(),
            nanos(base.median),
            range(base),
            nanos(rival.median),
            range(rival),
            format!("{:.2}", contest.time.value),
            format!("{:.2}–{:.2}", contest.time.low, contest.time.high),
            format!("{:.2}", contest.time.quiet),
            smol.map_or_else(String::new, |smol| format!("{:.2}", smol / base.median)),
            floor.map_or_else(String::new, nanos),
            times(base.median).unwrap_or_default(),
            times(rival.median).unwrap_or_default(),
        ]
    }));
    rows
}

/// What for.
fn cost_rows(title: &str, base: &str, rival: &str, contests: &[Contest]) -> Vec<Vec<String>> {
    let cpu = |side| format!("{side} CPU s");
    let mut rows = titles([
        title,
        &cpu(base),
        &cpu(rival),
        "CPU",
        "95 %",
        "waits/round",
        "preempted",
        "allocations/op",
    ]);
    rows.extend(contests.iter().map(|contest| {
        let (base, rival) = (contest.base(), contest.rival());
        let both = |of: fn(&Lane) -> &[f64]| {
            let [base, rival] = [base, rival].map(|lane| stats::median(of(lane)));
            format!("{base:.0} / {rival:.0}")
        };
        let [made, made_by_rival] = [base, rival].map(|lane| stats::median(&lane.allocations));
        vec![
            contest.name.clone(),
            format!("{:.2}", base.cpu_seconds()),
            format!("{:.2}", rival.cpu_seconds()),
            format!("{:.2}", contest.cpu.value),
            format!("{:.2}–{:.2}", contest.cpu.low, contest.cpu.high),
            both(|lane| &lane.voluntary),
            both(|lane| &lane.involuntary),
            format!("{made:.2} / {made_by_rival:.2}"),
        ]
    }));
    rows
}

/// Two lines a tail: one for each side.
fn delay_rows(delays: &[Delays]) -> Vec<Vec<String>> {
    const SHOWN: [f64; 4] = [0.5, 0.99, 0.999, 1.0];
    let mut rows = titles([
        "delay", "side", "events", "p50", "p99", "p99.9", "max", "CPU s", "waits",
    ]);
    for tail in delays {
        for (i, lane) in tail.lanes.iter().enumerate() {
            let name = if i == 0 { tail.name.as_str() } else { "" };
            let mut row = vec![name.to_owned(), lane.side.clone(), lane.events.to_string()];
            row.extend(SHOWN.map(|share| match i {
                0 => nanos(lane.at(share)),
                _ => format!("{} ({:.2})", nanos(lane.at(share)), tail.ratio(share)),
            }));
            row.push(format!("{:.2}", lane.cpu_seconds));
            row.push(format!("{:.0}", lane.voluntary));
            rows.push(row);
        }
    }
    rows
}

fn probe_rows(base: &str, rival: &str, probes: &[Compared]) -> Vec<Vec<String>> {
    let mut rows = titles(["own process", base, rival, "ratio"]);
    rows.extend(probes.iter().map(|probe| {
        vec![
            probe.name.clone(),
            figure(probe.base),
            figure(probe.rival),
            format!("{:.2}", probe.ratio.value),
        ]
    }));
    rows
}

fn range(spread: Spread) -> String {
    // One unit for both ends.
    let (divisor, _) = unit(spread.median);
    let (low, high) = (spread.p10 / divisor, spread.p90 / divisor);
    format!("{}–{}", figure(low), figure(high))
}

/// A time, in the unit that suits it.
pub(crate) fn nanos(nanos: f64) -> String {
    let (divisor, name) = unit(nanos);
    format!("{} {name}", figure(nanos / divisor))
}

fn unit(nanos: f64) -> (f64, &'static str) {
    if nanos < 1e3 {
        (1.0, "ns")
    } else if nanos < 1e6 {
        (1e3, "µs")
    } else {
        (1e6, "ms")
    }
}

/// Three digits that matter.
pub(crate) fn figure(value: f64) -> String {
    let decimals = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// Pads each column to its widest cell: the first to the left, the others to the right.
pub(crate) fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.chars().count());
            if column == 0 {
                line += &format!("{cell}{padding}");
            } else {
                line += &format!("  {padding}{cell}");
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_digits() {
        assert_eq!(nanos(152.6), "153 ns");
        assert_eq!(nanos(5_420.0), "5.42 µs");
        assert_eq!(nanos(12_300_000.0), "12.3 ms");
    }

    #[test]
    fn columns_line_up() {
        let rows = [
            vec!["a".into(), "1 µs".into()],
            vec!["bcd".into(), "10".into()],
        ];
        assert_eq!(align(&rows), "a    1 µs\nbcd    10\n");
    }
}
