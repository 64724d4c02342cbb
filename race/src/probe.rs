//! Probes: figures of a whole process, each read in a fresh child of this program.

use std::process::{Command, ExitCode, Stdio};

use crate::options::Options;
use crate::side::Side;
use crate::stats;
use crate::watchdog::Watchdog;
use crate::workload::Reading;

/// Children of each side for each probe. Memory hardly varies; times do.
const CHILDREN: usize = 3;

/// One figure of a probe, for both sides: the median over the children.
pub(crate) struct Compared {
    /// `probe.key`.
    pub(crate) name: String,
    pub(crate) base: f64,
    pub(crate) rival: f64,
}

impl Compared {
    pub(crate) fn ratio(&self) -> f64 {
        stats::over(self.rival, self.base)
    }
}

/// In the child: runs one probe for one side and prints a line for each reading.
pub(crate) fn run_as_child(probe: &str, side: &str, workers: usize) -> ExitCode {
    let found =
        Side::from_id(side).and_then(|side| (side.probes)().into_iter().find(|p| p.name == probe));
    let Some(found) = found else {
        eprintln!("race: no probe {probe} on {side}");
        return ExitCode::from(2);
    };
    for reading in (found.run)(workers) {
        println!("{} {}", reading.key, reading.value);
    }
    ExitCode::SUCCESS
}

/// In the parent: every probe that was asked for, the sides in turn.
pub(crate) fn run_all(options: &Options, base: &Side, rival: &Side) -> Vec<Compared> {
    let watchdog = Watchdog::start();
    let mut compared = Vec::new();
    for probe in (base.probes)() {
        if !options.wants(probe.name) {
            continue;
        }
        let mut readings = [Vec::new(), Vec::new()];
        for child in 0..CHILDREN {
            eprint!("\r\x1b[K[child {}/{CHILDREN}] {}", child + 1, probe.name);
            for (side, into) in [base, rival].into_iter().zip(&mut readings) {
                watchdog.watch(probe.name, side.name());
                into.push(in_child(probe.name, side.id, options.workers));
            }
        }
        eprint!("\r\x1b[K");
        let [base, rival] = readings;
        for (i, reading) in base[0].iter().enumerate() {
            let middle = |children: &[Vec<Reading>]| {
                let values: Vec<f64> = children.iter().map(|child| child[i].value).collect();
                stats::median(&values)
            };
            compared.push(Compared {
                name: format!("{}.{}", probe.name, reading.key),
                base: middle(&base),
                rival: middle(&rival),
            });
        }
    }
    compared
}

/// Starts this program again for one probe and reads what it prints.
fn in_child(probe: &str, side: &str, workers: usize) -> Vec<Reading> {
    let program = std::env::current_exe().expect("a running program has a path");
    let output = Command::new(program)
        .args(["--child", probe, side, "--workers", &workers.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("this program can be started again");
    assert!(
        output.status.success(),
        "{probe} on {side}: {}",
        output.status
    );
    parse(&String::from_utf8_lossy(&output.stdout))
}

fn parse(lines: &str) -> Vec<Reading> {
    lines
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(key, value)| Reading::new(key, value.parse().expect("a child prints numbers")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_survive_the_pipe() {
        let read = parse("bytes_per_task 315.5\nup_ns_per_task 410\n");
        assert_eq!(read[0], Reading::new("bytes_per_task", 315.5));
        assert_eq!(read[1], Reading::new("up_ns_per_task", 410.0));
    }
}
