//! Compares heist's public API with Tokio's.
//!
//! ```text
//! cargo run --manifest-path compat/parity/Cargo.toml
//! cargo run --manifest-path compat/parity/Cargo.toml -- --fresh
//! ```
//!
//! **What.** The lists beside this crate say what Tokio's users can name: every public path with its
//! kind and signature, and every trait impl; `tokio-stable.txt` what everybody has, `tokio-unstable.txt`
//! what `--cfg tokio_unstable` adds, which heist has as plain API. The same list is made of heist by
//! rustdoc (its JSON is a thing of the nightly toolchain) and the two are compared.
//!
//! **What fails the run.** A line that heist lacks and `deviations.txt` does not explain; an
//! explanation for something that heist has.
//!
//! **`--fresh`** makes the lists anew from the registry's Tokio, and with them the tests in
//! `heist/tests/parity/`, which hold the same names and the auto traits of every type against heist
//! with nothing but a stable compiler.

mod deviations;
mod document;
mod generate;
mod text;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use deviations::Deviations;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const VERSION: &str = "1.54.1";
const STABLE: &[&str] = &["full", "test-util"];
const UNSTABLE: &[&str] = &[
    "full",
    "test-util",
    "taskdump",
    "io-uring",
    "tracing",
    "schedule-latency",
];

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => check(),
        ["--fresh"] => fresh().map(|()| true),
        _ => {
            eprintln!("parity [--fresh]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("parity: {problem}");
            ExitCode::from(2)
        }
    }
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Sets heist's API against the committed lists.
fn check() -> Result<bool> {
    let deviations = Deviations::read(&here().join("deviations.txt"))?;
    let documents = document::describe(
        &here().join("../.."),
        &document::target()?,
        &["heist", "heist-macros"],
        "",
    )?;
    let have = walk::walk(&documents).facts();

    let mut used = BTreeSet::new();
    let mut unexplained = Vec::new();
    for list in ["tokio-stable.txt", "tokio-unstable.txt"] {
        let text = std::fs::read_to_string(here().join(list))?;
        let mut areas = BTreeMap::<&str, (usize, usize)>::new();
        for fact in text.lines() {
            let area = areas.entry(area(fact)).or_default();
            area.1 += 1;
            if have.contains(fact) {
                area.0 += 1;
                continue;
            }
            match deviations.covering(fact) {
                Some(path) => {
                    used.insert(path);
                }
                None => unexplained.push(fact.to_owned()),
            }
        }
        println!("{list}: lines of it that heist has");
        let mut total = (0, 0);
        for (area, (got, all)) in areas {
            println!("  {area:10} {got:5} of {all:5}");
            total = (total.0 + got, total.1 + all);
        }
        println!("  {:10} {:5} of {:5}\n", "all", total.0, total.1);
    }

    for path in &used {
        println!("otherwise: {path}: {}", deviations.reason(path));
    }
    let stale: Vec<_> = deviations
        .paths()
        .filter(|path| !used.contains(path))
        .collect();
    for fact in &unexplained {
        println!("missing: {fact}");
        let path = fact.split('\t').next().unwrap_or_default();
        for near in have
            .iter()
            .filter(|near| near.split('\t').next() == Some(path))
        {
            println!("   here: {near}");
        }
    }
    for path in &stale {
        println!("explained in deviations.txt, and there all the same: {path}");
    }
    Ok(unexplained.is_empty() && stale.is_empty())
}

fn area(fact: &str) -> &str {
    match fact.strip_prefix("impl ") {
        Some(_) => "impls",
        None => {
            let path = fact.split('\t').next().unwrap_or_default();
            path.split_once("::").map_or("(top)", |(area, _)| area)
        }
    }
}

/// Makes the lists and the tests anew.
fn fresh() -> Result<()> {
    let target = document::target()?;
    let project = target.join("tokio");
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::write(project.join("src/main.rs"), "fn main() {}\n")?;

    let describe = |features: &[&str], flags| {
        let manifest = format!(
            "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\ntokio = {{ version = \"={VERSION}\", features = {features:?} }}\n"
        );
        std::fs::write(project.join("Cargo.toml"), manifest)?;
        document::describe(&project, &target, &["tokio", "tokio-macros"], flags)
    };
    let stable = describe(STABLE, "")?;
    let unstable = describe(UNSTABLE, "--cfg tokio_unstable")?;
    let stable = walk::walk(&stable).facts();
    let whole = walk::walk(&unstable);
    let more: BTreeSet<_> = whole.facts().difference(&stable).cloned().collect();
    write_lines(&here().join("tokio-stable.txt"), &stable)?;
    write_lines(&here().join("tokio-unstable.txt"), &more)?;

    let deviations = Deviations::read(&here().join("deviations.txt"))?;
    let is_there = |path: &str| deviations.covering(path).is_none();
    let tests = here().join("../../heist/tests/parity").canonicalize()?;
    std::fs::write(tests.join("names.rs"), generate::names(&whole, is_there))?;

    let mut rows: Vec<_> = generate::types(&whole, is_there)
        .into_iter()
        .map(|ty| ("ty", ty))
        .collect();
    let futures = std::fs::read_to_string(here().join("futures.txt"))?;
    let futures = futures.lines().map(str::trim);
    rows.extend(
        futures
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| ("fut", line.to_owned())),
    );
    let answers = ask_tokio(&project, &target, &tests, &rows)?;
    let expected = rows
        .iter()
        .zip(&answers)
        .map(|((kind, what), answer)| (answer.as_str(), *kind, what.as_str()));
    std::fs::write(tests.join("auto_traits.rs"), table(expected))?;
    println!(
        "{} + {} lines, {} rows of auto traits",
        stable.len(),
        more.len(),
        rows.len()
    );
    Ok(())
}

fn write_lines(path: &Path, lines: &BTreeSet<String>) -> Result<()> {
    let mut text = lines.iter().cloned().collect::<Vec<_>>().join("\n");
    text.push('\n');
    Ok(std::fs::write(path, text)?)
}

fn table<'a>(rows: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> String {
    let mut text = String::from(
        "// Written by compat/parity: what Tokio's types and futures are.\n\ntable! {\n",
    );
    for (expected, kind, what) in rows {
        let _ = writeln!(text, "    \"{expected}\" {kind} {{ {what} }}");
    }
    text.push_str("}\n");
    text
}

/// Compiles and runs the table on Tokio.
fn ask_tokio(
    project: &Path,
    target: &Path,
    tests: &Path,
    rows: &[(&str, String)],
) -> Result<Vec<String>> {
    let program = format!(
        "#![allow(dead_code, unused)]\nuse tokio as rt;\ninclude!({:?});\n\
         fn main() {{\n    for (_, _, answer) in rows() {{ println!(\"{{answer}}\"); }}\n}}\n\
         fn rows() -> Vec<(&'static str, &'static str, String)> {{\n{}.into_iter().collect() }}\n",
        tests.join("probe.rs"),
        table(rows.iter().map(|(kind, what)| ("", *kind, what.as_str()))),
    );
    std::fs::write(project.join("src/main.rs"), program)?;
    let output = Command::new("cargo")
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", "--cfg tokio_unstable")
        .args(["run", "--quiet"])
        .stderr(std::process::Stdio::inherit())
        .output()?;
    let answers: Vec<_> = String::from_utf8(output.stdout)?
        .lines()
        .map(str::to_owned)
        .collect();
    if !output.status.success() || answers.len() != rows.len() {
        return Err("the probe of Tokio's auto traits failed".into());
    }
    Ok(answers)
}
