//! The table, the list of what is missing, and the verdict.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cargo::Side;
use crate::expected::Expected;
use crate::options::Options;
use crate::run::{self, FileOutcome, Outcome, Outcomes};
use crate::suite::Suite;

/// What the whole of a suite must reach, in percent.
const BAR: f64 = 98.0;

/// Prints what `ours` did of what passes `there`; whether that is as expected.
pub(crate) fn print(
    suite: &Suite,
    ours: &Outcomes,
    there: &Outcomes,
    expected: &Expected,
    options: &Options,
    work: &Path,
) -> bool {
    let label = suite.run_label();
    let (mut passed, mut total) = (0, 0);
    // By `suite/file::test`: how it failed.
    let mut failures = BTreeMap::new();
    let mut not_there = Vec::new();

    println!(
        "\n{label} {}: passed with heist, of those that pass with Tokio\n",
        suite.version
    );
    for (file, ours) in &ours.files {
        let mut wanted = Vec::new();
        match there.files.get(file) {
            Some(FileOutcome::Ran(tests)) => {
                for (test, outcome) in tests.iter().filter(|(test, _)| options.selects_test(test)) {
                    if outcome.is_passed() {
                        wanted.push(test);
                    } else {
                        not_there.push(format!("{file}::{test}"));
                    }
                }
            }
            _ => not_there.push(format!("{file}::*")),
        }

        let mut here = 0;
        let note = match ours {
            FileOutcome::NotCompiled(errors) => {
                // Without a test in it, the file itself is what must pass: it compiles there.
                let how = errors.first().cloned().unwrap_or_default();
                if there
                    .files
                    .get(file)
                    .is_some_and(|f| matches!(f, FileOutcome::Ran(_)))
                {
                    failures.insert(format!("{label}/{file}::*"), how);
                }
                format!("does not compile: {} kinds of errors", errors.len())
            }
            FileOutcome::Ran(tests) => {
                for test in &wanted {
                    let name = format!("{label}/{file}::{test}");
                    match tests.get(*test) {
                        Some(Outcome::Failed(how)) => {
                            failures.insert(name, how.clone());
                            continue;
                        }
                        Some(Outcome::Passed) => {}
                        None => {
                            failures.insert(name, "is not in the file".to_owned());
                            continue;
                        }
                    }
                    here += 1;
                }
                String::new()
            }
        };
        passed += here;
        total += wanted.len();
        if !wanted.is_empty() || !note.is_empty() {
            let mark = if here == wanted.len() && note.is_empty() {
                ' '
            } else {
                '!'
            };
            println!("{mark} {file:44} {here:4} of {:4}  {note}", wanted.len());
        }
    }

    let selected = |name: &&String| {
        let rest = name
            .strip_prefix(&label)
            .and_then(|rest| rest.strip_prefix('/'));
        let file = rest.and_then(|rest| rest.split("::").next());
        file.is_some_and(|file| match suite.scheduler {
            None => options.selects(file),
            Some(_) => ours.files.contains_key(file),
        })
    };
    let new: Vec<_> = failures
        .iter()
        .filter(|(name, _)| !expected.contains_key(*name))
        .collect();
    let mut gone: Vec<_> = expected
        .keys()
        .filter(selected)
        .filter(|name| !failures.contains_key(*name))
        .collect();
    if options.test.is_some() {
        gone.clear();
    }

    section(
        "fail, as expected",
        failures
            .keys()
            .filter_map(|name| expected.get(name).map(|reason| format!("{name}  {reason}"))),
    );
    section(
        "fail, and are not expected to",
        new.iter().map(|(name, how)| format!("{name}  {how}")),
    );
    if options.show_failed {
        for (name, _) in &new {
            show(suite, name, work);
        }
    }
    section(
        "are expected to fail, and do not",
        gone.iter().map(|name| (*name).clone()),
    );
    section(
        "do not pass with Tokio and are not counted",
        not_there.into_iter(),
    );

    let rate = if total == 0 {
        100.0
    } else {
        100.0 * passed as f64 / total as f64
    };
    println!("\n{label}: {passed} of {total} ({rate:.2} %)");
    let low = options.is_whole() && rate < BAR;
    if low {
        println!("{label}: below the bar of {BAR} %");
    }
    new.is_empty() && gone.is_empty() && !low
}

fn section(title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        println!("\n{} {title}:", lines.len());
        for line in lines {
            println!("  {line}");
        }
    }
}

/// The output that a failure left.
fn show(suite: &Suite, name: &str, work: &Path) {
    let Some((file, test)) = name
        .split_once('/')
        .and_then(|(_, rest)| rest.split_once("::"))
    else {
        return;
    };
    let test = if test == "*" { "compile" } else { test };
    let log = run::log_path(work, suite, Side::Heist, file, test);
    let text = std::fs::read(log).unwrap_or_default();
    println!("\n---- {name}\n{}", String::from_utf8_lossy(&text));
}
