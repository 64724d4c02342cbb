//! Probes: figures of a whole process, each read in a fresh child of this program.

use std::process::{Command, ExitCode, Stdio};

use crate::options::Options;
use crate::side::Side;
use crate::stats;
use crate::watchdog::Watchdog;
use crate::workload::{Probe, Reading};

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
    let found = Side::from_id(side).and_then(|side| {
        let probe = (side.probes)().into_iter().find(|p| p.name == probe);
        Some((side, probe?))
    });
    let Some((side, probe)) = found else {
        eprintln!("race: no probe {probe} on {side}");
        return ExitCode::from(2);
    };
    let watchdog = Watchdog::start();
    watchdog.watch(probe.name, side.name());
    for reading in (probe.run)(workers) {
        println!("{} {}", reading.key, reading.value);
    }
    ExitCode::SUCCESS
}

/// In the parent: every probe that was asked for. A probe that fails is named in `broken`.
pub(crate) fn run_all(
    options: &Options,
    base: &Side,
    rival: &Side,
    broken: &mut Vec<String>,
) -> Vec<Compared> {
    let mut compared = Vec::new();
    for probe in (base.probes)() {
        if options.wants(probe.name) {
            eprintln!("[in {} children] {}", 2 * CHILDREN, probe.name);
            match run(&probe, options, base, rival) {
                Ok(figures) => compared.extend(figures),
                Err(problem) => broken.push(problem),
            }
        }
    }
    compared
}

/// The sides in turn, each first every other time.
fn run(
    probe: &Probe,
    options: &Options,
    base: &Side,
    rival: &Side,
) -> Result<Vec<Compared>, String> {
    let mut of_base = Vec::new();
    let mut of_rival = Vec::new();
    for child in 0..CHILDREN {
        let mut turns = [(base, &mut of_base), (rival, &mut of_rival)];
        if child % 2 == 1 {
            turns.reverse();
        }
        for (side, readings) in turns {
            readings.push(in_child(probe.name, side.id, options.workers)?);
        }
    }
    let middle = |children: &[Vec<Reading>], i: usize| {
        let values: Vec<f64> = children.iter().map(|child| child[i].value).collect();
        stats::median(&values)
    };
    let keys = of_base[0].iter().map(|reading| &reading.key);
    Ok(keys
        .enumerate()
        .map(|(i, key)| Compared {
            name: format!("{}.{key}", probe.name),
            base: middle(&of_base, i),
            rival: middle(&of_rival, i),
        })
        .collect())
}

/// Starts this program again for one probe and reads what it prints.
fn in_child(probe: &str, side: &str, workers: usize) -> Result<Vec<Reading>, String> {
    let program = std::env::current_exe().expect("a running program has a path");
    let output = Command::new(program)
        .args(["--child", probe, side, "--workers", &workers.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("this program can be started again");
    if !output.status.success() {
        return Err(format!("{probe} on {side}: {}", output.status));
    }
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
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
