//! heist and Tokio side by side: the same workloads, from the same source, interleaved in one
//! process. `race/README.md` says how to read the table and what the rules are.

mod duel;
mod json;
mod latch;
mod limits;
mod on_heist;
mod on_tokio;
mod options;
mod probe;
mod side;
mod stats;
mod strategies;
mod sys;
mod table;
mod watchdog;
mod workload;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use options::{Command, Options};
use side::Side;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("strategies") {
        return strategies::run(std::env::args().skip(2));
    }
    let options = match options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("race: {problem}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match &options.command {
        Command::Help => println!("{}", options::USAGE),
        Command::List => table::list(),
        Command::Child { probe, side } => return probe::run_as_child(probe, side, options.workers),
        Command::Race => return race(&options),
    }
    ExitCode::SUCCESS
}

fn race(options: &Options) -> ExitCode {
    let base = Side::tokio();
    let rival = if options.noise {
        Side::tokio()
    } else {
        Side::heist()
    };
    let before = sys::load_average();
    let mut failures = Vec::new();
    let duels = duel::run_all(options, &base, &rival, &mut failures);
    let probes = probe::run_all(options, &base, &rival, &mut failures);
    if duels.is_empty() && probes.is_empty() && failures.is_empty() {
        eprintln!("race: no workload matches; --list shows them");
        return ExitCode::from(2);
    }

    let conditions = table::Conditions {
        base: base.name(),
        rival: rival.name(),
        workers: options.workers,
        rounds: options.rounds,
        load: (before, sys::load_average()),
    };
    table::print(&conditions, &duels, &probes);
    if let Some(file) = &options.json {
        if let Err(problem) = std::fs::write(file, json::render(&conditions, &duels, &probes)) {
            eprintln!("race: cannot write {}: {problem}", file.display());
            return ExitCode::from(2);
        }
    }
    if options.check {
        failures.extend(limits::failures(&duels, &probes));
        println!("\ncheck: {} failed", failures.len());
    }
    for failure in &failures {
        println!("  {failure}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}
