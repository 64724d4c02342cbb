//! Runs the tests that Tokio's registry packages carry against heist, with Tokio as the judge.
//!
//! ```text
//! cargo run --release --manifest-path compat/conformance/Cargo.toml
//! ```
//!
//! **What.** The package is found through cargo and its test files are compiled where they lie:
//! nothing of it is copied into the repository. Each file is built twice, with the shim
//! (`compat/tokio`) in Tokio's place and with the real Tokio. Each test then runs in a process of
//! its own under a time limit, so that a hang, an abort or a poisoned global costs one test.
//!
//! **How it counts.** The tests that pass with Tokio, here and now, are the measure. A file that
//! does not compile against the shim loses all of its tests. A failure is tried again, alone, while
//! nothing else runs; a test that passes then counts, and is named as unsteady.
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
use suite::Suite;

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
    for name in &options.suites {
        let suite = Suite::find(name, options.unstable, &work)?;
        let files: Vec<_> = suite
            .files
            .iter()
            .filter(|file| options.selects(&file.name))
            .collect();
        if files.is_empty() {
            println!("{}: no test file matches", suite.name);
            continue;
        }

        let there = match options.no_baseline {
            true => None,
            false => Some(baseline(&suite, &files, options, &work)?),
        };
        let ours = cargo::build(&suite, Side::Heist, &files, options, &work)?;
        let ours = run::all(&suite, Side::Heist, ours, options, &work)?;
        let there = there.unwrap_or_else(|| ours.all_passed());
        good &= report::print(&suite, &ours, &there, &expected, options, &work);
    }
    Ok(good)
}

/// What the real Tokio does with the suite: from the last run's notes where they fit, else run now.
fn baseline(
    suite: &Suite,
    files: &[&suite::TestFile],
    options: &Options,
    work: &std::path::Path,
) -> Result<run::Outcomes> {
    let mut known = if options.fresh_baseline {
        run::Outcomes::default()
    } else {
        run::Outcomes::load(&suite.baseline_path(work), &suite.baseline_key()?)
    };
    let missing: Vec<_> = files
        .iter()
        .copied()
        .filter(|file| !known.has(&file.name))
        .collect();
    if !missing.is_empty() {
        let built = cargo::build(suite, Side::Tokio, &missing, options, work)?;
        known.add(run::all(suite, Side::Tokio, built, options, work)?);
        known.save(&suite.baseline_path(work), &suite.baseline_key()?)?;
    }
    Ok(known)
}
