//! Runs the tests that Tokio's registry packages carry against heist, with Tokio as the judge.
//!
//! ```text
//! cargo run --release --manifest-path compat/conformance/Cargo.toml
//! ```
//!
//! **What.** The package is found through cargo and its test files are compiled where they lie:
//! nothing of it is copied into the repository. Two dozen files at a time are built as the modules of one
//! program, with the shim (`compat/tokio`) in Tokio's place; a file that does not compile there is built
//! alone. Each test then runs in a process of
//! its own under a time limit, so that a hang, an abort or a poisoned global costs one test.
//!
//! **How it counts.** The tests that pass with Tokio are the measure: `baseline/` has their names, and
//! `--fresh-baseline` finds them out anew, by doing the same with the real Tokio. A file that
//! does not compile against the shim loses all of its tests. Nothing is tried twice.
//!
//! **Strategies.** `--schedulers` runs what is about the runtime once more with each of heist's other scheduling
//! strategies. The test programs are the same: they are built with a cfg by which heist takes the strategy from the
//! environment. What is expected to fail with the default is with these, and what `expected-failures.txt` says of
//! `tokio-sharded` and so on.
//!
//! **What fails the run.** The registry's Tokio in the shim's graph; a failure that
//! `expected-failures.txt` does not name; a named one that passes; a rate below the bar.

mod cargo;
mod expected;
mod options;
mod report;
mod run;
mod suite;

use std::path::PathBuf;
use std::process::ExitCode;

use cargo::Side;
use options::Options;
use suite::{SCHEDULERS, Suite};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::HELP);
            return ExitCode::from(2);
        }
    };
    match conform(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("conformance: {problem}");
            ExitCode::from(2)
        }
    }
}

/// All suites asked for; whether each came out as the committed file says.
fn conform(options: &Options) -> Result<bool> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let work = match &options.dir {
        Some(dir) => dir.clone(),
        None => std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| here.join("../target"), PathBuf::from)
            .join("conformance"),
    };
    std::fs::create_dir_all(&work)?;
    let work = work.canonicalize()?;
    let expected = expected::read(&here.join("expected-failures.txt"))?;

    let mut good = true;
    let mut unmatched = options.files.clone();
    for name in &options.suites {
        let mut suite = Suite::find(name, options.unstable, &work)?;
        let files: Vec<_> = suite
            .files
            .iter()
            .filter(|file| options.selects(&file.name))
            .collect();
        if files.is_empty() {
            continue;
        }
        for pattern in &options.files {
            let hits = files
                .iter()
                .any(|file| options::matches(pattern, &file.name));
            unmatched.retain(|open| open != pattern || !hits);
        }

        let there = match options.no_baseline {
            true => None,
            false => Some(baseline(&suite, &files, options, &here, &work)?),
        };
        let mut built = cargo::build(&suite, Side::Heist, &files, options, &work)?;
        let ours = run::all(&suite, Side::Heist, &built, options, &work)?;
        let there = there.unwrap_or_else(|| ours.all_passed());
        good &= report::print(&suite, &ours, &there, &expected, options, &work);

        built.retain(|file, _| options.schedulers && suite.is_about_runtime(file));
        for scheduler in SCHEDULERS.into_iter().filter(|_| !built.is_empty()) {
            let label = suite.label();
            suite.scheduler = Some(scheduler);
            let ours = run::all(&suite, Side::Heist, &built, options, &work)?;
            let expected = expected::with_those_of(&expected, &label, &suite.run_label());
            good &= report::print(&suite, &ours, &there, &expected, options, &work);
        }
    }
    if !unmatched.is_empty() {
        return Err(format!("no test file is called {}", unmatched.join(" or ")).into());
    }
    Ok(good)
}

/// What passes with the real Tokio: as it was noted, or found out now.
fn baseline(
    suite: &Suite,
    files: &[&suite::TestFile],
    options: &Options,
    here: &std::path::Path,
    work: &std::path::Path,
) -> Result<run::Outcomes> {
    let (path, key) = (suite.baseline_path(here), suite.baseline_key());
    if options.fresh_baseline {
        let built = cargo::build(suite, Side::Tokio, files, options, work)?;
        let outcomes = run::all(suite, Side::Tokio, &built, options, work)?;
        // A part of the suite would make a baseline with holes.
        if options.files.is_empty() {
            outcomes.save(&path, &key)?;
        }
        return Ok(outcomes);
    }
    run::Outcomes::load(&path, &key)
}
