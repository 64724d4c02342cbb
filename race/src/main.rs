//! heist and Tokio side by side: the same workloads, from the same source, interleaved in one
//! process. `race/README.md` says how to read the table and what the rules are.

mod allocations;
mod busy;
mod contest;
mod counts;
mod latch;
mod on_floor;
mod on_heist;
mod on_smol;
mod on_tokio;
mod options;
mod probe;
mod progress;
mod report;
mod side;
mod strategies;
mod sweep;
mod sys;
mod tail;
mod watchdog;
mod workload;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use contest::{Entry, Track};
use options::{Command, Options};
use progress::Progress;
use report::{Conditions, Report};
use side::Side;
use watchdog::Watchdog;

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
    sys::raise_descriptor_limit();
    match &options.command {
        Command::Help => println!("{}", options::USAGE),
        Command::List => report::table::list(),
        Command::Child { probe, side } => {
            return probe::run_as_child(probe, side, options.extent());
        }
        Command::Spin => sweep::spin(),
        Command::Race => {
            return show(&options).unwrap_or_else(|problem| {
                eprintln!("race: {problem}");
                ExitCode::from(2)
            });
        }
    }
    ExitCode::SUCCESS
}

/// Runs, or reads, and shows it in every form that was asked for.
fn show(options: &Options) -> Result<ExitCode, String> {
    // Read first: a mistake in the name should not cost ten minutes.
    let earlier = options.against.as_deref().map(read).transpose()?;
    let mut failures = Vec::new();
    let mut doubts = Vec::new();
    let report = match &options.from {
        Some(file) => read(file)?,
        None => race(options, &mut failures)?,
    };
    report::table::print(&report);
    if let Some(earlier) = &earlier {
        report::against::print(earlier, &report);
    }
    if let Some(file) = &options.json {
        write(file, &report::json::render(&report))?;
    }
    if let Some(file) = &options.html {
        write(file, &report::html::render(&report))?;
    }
    if options.check {
        let (over, may_be) = report::limits::check(&report);
        failures.extend(over);
        doubts = may_be;
        println!("\ncheck: {} failed", failures.len());
    }
    for failure in &failures {
        println!("  {failure}");
    }
    if !doubts.is_empty() {
        println!("above, which may be chance:");
    }
    for doubt in &doubts {
        println!("  {doubt}");
    }
    Ok(ExitCode::from(u8::from(!failures.is_empty())))
}

fn read(file: &Path) -> Result<Report, String> {
    let named = |problem: String| format!("{}: {problem}", file.display());
    let text = std::fs::read_to_string(file).map_err(|problem| named(problem.to_string()))?;
    report::json::read(&text).map_err(named)
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text)
        .map_err(|problem| format!("cannot write {}: {problem}", file.display()))
}

fn race(options: &Options, broken: &mut Vec<String>) -> Result<Report, String> {
    let rival = if options.noise {
        Side::tokio()
    } else {
        Side::heist()
    };
    let sides = [Side::tokio(), rival, Side::smol(), Side::floor()];
    let plan = Plan::new(&sides, options);
    if plan.steps() == 0 {
        return Err("no workload matches; --list shows them".to_owned());
    }
    let (load, started) = (sys::load_average(), Instant::now());
    let watchdog = Watchdog::start();
    let track = &mut Track {
        watchdog: &watchdog,
        progress: &mut Progress::new(plan.steps()),
        broken,
    };
    let contests = contest::run_all(&plan.contests, track);
    let delays = tail::run_all(&plan.tails, &sides, options.workers, track);
    let mut sweeps = contest::run_all(&plan.sweeps, track);
    if !plan.disturbed.is_empty() {
        let competitor = sweep::Competitor::start().map_err(|problem| problem.to_string())?;
        sweeps.extend(contest::run_all(&plan.disturbed, track));
        drop(competitor);
    }
    let probes = probe::run_all(&plan.probes, &sides, options, track);
    let conditions = Conditions {
        base: sides[0].name().to_owned(),
        rival: sides[1].name().to_owned(),
        workers: options.workers,
        rounds: options.rounds,
        cores: std::thread::available_parallelism().map_or(0, usize::from),
        processor: sys::processor(),
        kernel: sys::kernel(),
        commit: sys::commit(),
        load: (load, sys::load_average()),
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok(Report {
        conditions,
        contests,
        sweeps,
        delays,
        probes,
    })
}

/// What the filters leave.
struct Plan<'a> {
    contests: Vec<Entry<'a>>,
    tails: Vec<&'static str>,
    sweeps: Vec<Entry<'a>>,
    disturbed: Vec<Entry<'a>>,
    probes: Vec<workload::Probe>,
}

impl<'a> Plan<'a> {
    fn new(sides: &'a [Side], options: &Options) -> Self {
        let wanted = |name: &&'static str| options.wants(name);
        let (workloads, tails) = ((sides[0].workloads)(), (sides[0].tails)());
        let entry = |name: &str| {
            Entry::new(
                name.to_owned(),
                name,
                sides,
                options.workers,
                options.rounds,
            )
        };
        let names = workloads.iter().map(|workload| workload.name);
        Self {
            contests: names.filter(wanted).map(entry).collect(),
            tails: tails.iter().map(|tail| tail.name).filter(wanted).collect(),
            sweeps: sweep::entries(sides, options),
            disturbed: sweep::disturbed(sides, options),
            probes: (sides[0].probes)()
                .into_iter()
                .filter(|probe| options.wants(probe.name))
                .collect(),
        }
    }

    fn steps(&self) -> usize {
        let entries = [&self.contests, &self.sweeps, &self.disturbed];
        let rounds: usize = entries.into_iter().flatten().map(Entry::steps).sum();
        rounds + self.tails.len() * tail::STEPS + self.probes.len() * probe::STEPS
    }
}
