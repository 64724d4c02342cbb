//! The same axum program on Tokio and on heist, raced.
//!
//! Builds both, loads each in turns, and prints one table: requests a second and latencies under
//! `wrk`, latencies at a fixed rate, processor time, and memory with many idle connections. The two
//! never run at the same time, and take turns in going first; every ratio is the median of the
//! ratios of the rounds, because a machine drifts in minutes and a round takes seconds.

mod build;
mod idle;
mod load;
mod options;
mod report;
mod server;
mod wrk;

use std::process::ExitCode;

use options::Options;
use report::Rows;
use server::Server;

/// Which runtime a program is built on, and its place in every pair of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Tokio,
    Heist,
}

impl Side {
    const BOTH: [Self; 2] = [Self::Tokio, Self::Heist];

    fn name(self) -> &'static str {
        match self {
            Self::Tokio => "tokio",
            Self::Heist => "heist",
        }
    }
}

type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hello-race: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let Some(options) = Options::parse(std::env::args().skip(1))? else {
        print!("{}", options::HELP);
        return Ok(());
    };
    idle::raise_limit(options.idle)?;
    let mut rows = Rows::default();
    if options.cold > 0 {
        for round in 0..options.cold {
            for side in order(round) {
                for release in [false, true] {
                    let name = if release { "release" } else { "dev" };
                    let took = build::cold(side, release)?;
                    rows.add(side, &format!("cold build, {name}"), "s", false, took);
                }
            }
        }
    }
    let programs = [build::warm(Side::Tokio)?, build::warm(Side::Heist)?];
    let start = |side: Side| Server::start(&programs[side as usize]);

    for round in 0..options.rounds {
        for side in order(round) {
            eprintln!(
                "round {} of {}: wrk, {}",
                round + 1,
                options.rounds,
                side.name()
            );
            let server = start(side)?;
            let (cpu, figures) = server.cpu_of(|| wrk::run(server.address(), options.seconds))?;
            rows.add(
                side,
                "wrk -t1 -c50: requests a second",
                "/s",
                true,
                figures.per_second,
            );
            rows.add(side, "wrk: p50", "µs", false, figures.p50);
            rows.add(side, "wrk: p99", "µs", false, figures.p99);
            rows.add(side, "wrk: p99.9", "µs", false, figures.p999);
            let requests = figures.requests.max(1.0);
            rows.add(
                side,
                "wrk: processor time a request",
                "µs",
                false,
                cpu * 1e6 / requests,
            );
        }
        for &rate in &options.rates {
            for side in order(round) {
                eprintln!(
                    "round {} of {}: {rate}/s, {}",
                    round + 1,
                    options.rounds,
                    side.name()
                );
                let server = start(side)?;
                let (cpu, figures) =
                    server.cpu_of(|| load::run(server.address(), rate, options.seconds))?;
                let name = |what: &str| format!("{rate} a second: {what}");
                rows.add(side, &name("p50"), "µs", false, figures.percentile(0.5));
                rows.add(side, &name("p99"), "µs", false, figures.percentile(0.99));
                rows.add(side, &name("p99.9"), "µs", false, figures.percentile(0.999));
                rows.add(side, &name("max"), "µs", false, figures.percentile(1.0));
                let cpu = cpu * 1e6 / figures.len() as f64;
                rows.add(side, &name("processor time a request"), "µs", false, cpu);
            }
        }
        if options.idle > 0 {
            for side in order(round) {
                eprintln!(
                    "round {} of {}: idle, {}",
                    round + 1,
                    options.rounds,
                    side.name()
                );
                let server = start(side)?;
                rows.add(
                    side,
                    "memory: just started",
                    "KiB",
                    false,
                    server.resident_kib()?,
                );
                let connections = idle::open(server.address(), options.idle)?;
                let name = format!("memory: {} idle connections", options.idle);
                let resident = server.resident_kib()?;
                rows.add(side, &name, "KiB", false, resident);
                rows.add(side, "processor time of idling, 1 s", "µs", false, {
                    let (cpu, ()) = server.cpu_of(|| {
                        std::thread::sleep(std::time::Duration::from_secs(1));
                        Ok(())
                    })?;
                    cpu * 1e6
                });
                drop(connections);
            }
        }
    }
    print!("{rows}");
    Ok(())
}

/// Who goes first in a round.
fn order(round: u32) -> [Side; 2] {
    let [first, second] = Side::BOTH;
    if round.is_multiple_of(2) {
        [first, second]
    } else {
        [second, first]
    }
}
