//! What is printed.

use crate::duel::Duel;
use crate::limits;
use crate::probe::Compared;
use crate::side::Side;
use crate::stats::{self, Spread};

/// What a reader must know before the figures.
pub(crate) struct Conditions {
    pub(crate) base: &'static str,
    pub(crate) rival: &'static str,
    pub(crate) workers: usize,
    pub(crate) rounds: usize,
    /// The machine's load average before and after.
    pub(crate) load: (String, String),
}

/// `--list`.
pub(crate) fn list() {
    let side = Side::tokio();
    for workload in (side.workloads)() {
        let limit = limits::time_limit(workload.name);
        println!("{:<26} ≤ {limit:.2}  {}", workload.name, workload.what);
    }
    for probe in (side.probes)() {
        println!("{:<26}         {}", probe.name, probe.what);
    }
}

pub(crate) fn print(conditions: &Conditions, duels: &[Duel], probes: &[Compared]) {
    let Conditions { base, rival, .. } = conditions;
    println!(
        "{rival} against {base}: {} workers on {} cores, {} rounds, load average {} before, {} after",
        conditions.workers,
        std::thread::available_parallelism().map_or(0, usize::from),
        conditions.rounds,
        conditions.load.0,
        conditions.load.1,
    );
    if !duels.is_empty() {
        println!("ratios are {rival} / {base}: below 1.00, {rival} takes less\n");
        print!("{}", align(&duel_rows(conditions, duels)));
        print_means(duels);
    }
    if !probes.is_empty() {
        println!();
        print!("{}", align(&probe_rows(conditions, probes)));
    }
}

fn print_means(duels: &[Duel]) {
    let time = stats::geometric_mean(duels.iter().map(|duel| duel.time().value));
    let cpu = stats::geometric_mean(duels.iter().map(|duel| duel.cpu().value));
    if let (Some(time), Some(cpu)) = (time, cpu) {
        println!(
            "\ngeometric mean of {}: time {time:.3}, CPU {cpu:.3}",
            duels.len()
        );
    }
}

fn duel_rows(conditions: &Conditions, duels: &[Duel]) -> Vec<Vec<String>> {
    let Conditions { base, rival, .. } = conditions;
    let mut rows = vec![vec![
        "workload".to_owned(),
        format!("{base}/op"),
        "p10–p90".to_owned(),
        format!("{rival}/op"),
        "p10–p90".to_owned(),
        "time".to_owned(),
        "95 %".to_owned(),
        "quiet".to_owned(),
        "CPU".to_owned(),
        "waits/round".to_owned(),
        "preempted".to_owned(),
    ]];
    rows.extend(duels.iter().map(|duel| {
        let (base, rival) = duel.spreads();
        let (time, cpu) = (duel.time(), duel.cpu());
        let both = |base: Vec<f64>, rival: Vec<f64>| {
            format!("{:.0} / {:.0}", stats::median(&base), stats::median(&rival))
        };
        vec![
            duel.name.to_owned(),
            nanos(base.median),
            range(base),
            nanos(rival.median),
            range(rival),
            format!("{:.2}", time.value),
            format!("{:.2}–{:.2}", time.low, time.high),
            format!("{:.2}", time.quiet),
            format!("{:.2}", cpu.value),
            both(duel.base.voluntary(), duel.rival.voluntary()),
            both(duel.base.involuntary(), duel.rival.involuntary()),
        ]
    }));
    rows
}

fn probe_rows(conditions: &Conditions, probes: &[Compared]) -> Vec<Vec<String>> {
    let titles = ["own process", conditions.base, conditions.rival, "ratio"];
    let mut rows = vec![titles.map(String::from).to_vec()];
    rows.extend(probes.iter().map(|probe| {
        vec![
            probe.name.clone(),
            figure(probe.base),
            figure(probe.rival),
            format!("{:.2}", probe.ratio()),
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

fn nanos(nanos: f64) -> String {
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
fn figure(value: f64) -> String {
    let decimals = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// Pads each column to its widest cell: the first to the left, the others to the right.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.chars().count());
            if column == 0 {
                text += &format!("{cell}{padding}");
            } else {
                text += &format!("  {padding}{cell}");
            }
        }
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
