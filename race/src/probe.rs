//! Probes: figures of a whole process, each read in a fresh child of this program.

use std::process::{Command, ExitCode, Stdio};

use crate::contest::Track;
use crate::options::Options;
use crate::report::Compared;
use crate::side::Side;
use crate::watchdog::Watchdog;
use crate::workload::{Extent, Probe, Reading};

/// Children of each side for each probe. Memory hardly varies; times do, and need an interval.
const CHILDREN: usize = 6;

/// A child's share of the progress bar, in rounds of a workload.
const STEPS_PER_CHILD: usize = 40;
pub(crate) const STEPS: usize = 2 * CHILDREN * STEPS_PER_CHILD;

/// In the child: runs one probe for one side and prints a line for each reading.
pub(crate) fn run_as_child(probe: &str, side: &str, extent: Extent) -> ExitCode {
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
    for reading in (probe.run)(extent) {
        println!("{} {}", reading.key, reading.value);
    }
    ExitCode::SUCCESS
}

/// In the parent: every probe that was asked for. A probe that fails is named in `broken`.
pub(crate) fn run_all(
    wanted: &[Probe],
    sides: &[Side],
    options: &Options,
    track: &mut Track<'_>,
) -> Vec<Compared> {
    let mut compared = Vec::new();
    for probe in wanted {
        let line = match run(probe, options, &sides[0], &sides[1], track) {
            Ok(figures) => {
                let ratios = figures.iter().map(|f| format!("{:.2}", f.ratio.value));
                let line = ratios.collect::<Vec<_>>().join("  ");
                compared.extend(figures);
                line
            }
            Err(problem) => {
                track.broken.push(problem);
                "FAILED".to_owned()
            }
        };
        track.progress.say(&format!("{:<30}{line}", probe.name));
    }
    compared
}

/// The sides in turn, each first every other time.
fn run(
    probe: &Probe,
    options: &Options,
    base: &Side,
    rival: &Side,
    track: &mut Track<'_>,
) -> Result<Vec<Compared>, String> {
    let mut of_base = Vec::new();
    let mut of_rival = Vec::new();
    for child in 0..CHILDREN {
        let mut turns = [(base, &mut of_base), (rival, &mut of_rival)];
        if child % 2 == 1 {
            turns.reverse();
        }
        for (side, readings) in turns {
            track.watchdog.watch(probe.name, side.name());
            readings.push(in_child(probe.name, side.id, options)?);
            for _ in 0..STEPS_PER_CHILD {
                track.progress.step(probe.name);
            }
        }
    }
    let all = |children: &[Vec<Reading>], i: usize| -> Vec<f64> {
        children.iter().map(|child| child[i].value).collect()
    };
    let keys = of_base[0].iter().map(|reading| &reading.key);
    Ok(keys
        .enumerate()
        .map(|(i, key)| {
            let name = format!("{}.{key}", probe.name);
            Compared::new(name, all(&of_base, i), all(&of_rival, i))
        })
        .collect())
}

/// Starts this program again for one probe and reads what it prints.
fn in_child(probe: &str, side: &str, options: &Options) -> Result<Vec<Reading>, String> {
    let program = std::env::current_exe().expect("a running program has a path");
    let output = Command::new(program)
        .args(["--child", probe, side])
        .args(["--workers", &options.workers.to_string()])
        .args(options.long.then_some("--long"))
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
