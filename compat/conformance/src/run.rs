//! Running test programs, one process for each test.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::Result;
use crate::cargo::{self, Built, Side};
use crate::options::Options;
use crate::suite::Suite;

/// How one test came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// As it should.
    Passed,
    /// In words: the panic, the signal, or that its time was up.
    Failed(String),
}

impl Outcome {
    /// Whether it counts as passed.
    pub(crate) fn is_passed(&self) -> bool {
        !matches!(self, Outcome::Failed(_))
    }
}

/// How one file came out.
#[derive(Clone, Debug)]
pub(crate) enum FileOutcome {
    /// The first error of each kind.
    NotCompiled(Vec<String>),
    /// By the test's name. A test that its author ignores is not there.
    Ran(BTreeMap<String, Outcome>),
}

/// How one side came out.
#[derive(Default)]
pub(crate) struct Outcomes {
    pub(crate) files: BTreeMap<String, FileOutcome>,
}

impl Outcomes {
    /// The same tests, all of them passed.
    pub(crate) fn all_passed(&self) -> Self {
        let files = self.files.iter().map(|(file, outcome)| {
            let tests = match outcome {
                FileOutcome::NotCompiled(_) => BTreeMap::new(),
                FileOutcome::Ran(tests) => tests
                    .keys()
                    .map(|test| (test.clone(), Outcome::Passed))
                    .collect(),
            };
            (file.clone(), FileOutcome::Ran(tests))
        });
        Self {
            files: files.collect(),
        }
    }

    /// Reads what passes with Tokio: `key`, then a line for each file, and below it, further in, one for
    /// each test. A file that is not there does not compile with Tokio.
    pub(crate) fn load(path: &Path, key: &str) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{}: {error}: make it by --fresh-baseline", path.display()))?;
        let mut lines = text.lines();
        if lines.next() != Some(key) {
            let path = path.display();
            return Err(format!("{path} is not `{key}`: make it anew by --fresh-baseline").into());
        }
        let mut outcomes = Self::default();
        let mut file = "";
        for line in lines {
            match line.strip_prefix("  ") {
                None => {
                    file = line;
                    let tests = FileOutcome::Ran(BTreeMap::new());
                    outcomes.files.insert(file.to_owned(), tests);
                }
                Some(test) => {
                    if let Some(FileOutcome::Ran(tests)) = outcomes.files.get_mut(file) {
                        tests.insert(test.to_owned(), Outcome::Passed);
                    }
                }
            }
        }
        Ok(outcomes)
    }

    /// Writes what [`load`](Self::load) reads.
    pub(crate) fn save(&self, path: &Path, key: &str) -> Result<()> {
        let mut text = format!("{key}\n");
        for (file, outcome) in &self.files {
            if let FileOutcome::Ran(tests) = outcome {
                text.push_str(&format!("{file}\n"));
                for (test, _) in tests.iter().filter(|(_, outcome)| outcome.is_passed()) {
                    text.push_str(&format!("  {test}\n"));
                }
            }
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(std::fs::write(path, text)?)
    }
}

/// Where the output of a test is kept.
pub(crate) fn log_path(work: &Path, suite: &Suite, side: Side, file: &str, test: &str) -> PathBuf {
    let folder = work
        .join("logs")
        .join(format!("{}-{}", suite.run_label(), side.name()));
    folder.join(format!("{file}.{}.txt", test.replace("::", ".")))
}

/// One test of one file.
struct Job<'a> {
    file: &'a str,
    test: String,
    /// As the program knows it.
    full_name: String,
    program: &'a Path,
    /// The package's folder, as cargo would have it.
    folder: &'a Path,
    scheduler: Option<&'static str>,
    log: PathBuf,
}

/// Runs every test of the files that were built.
pub(crate) fn all(
    suite: &Suite,
    side: Side,
    built: &BTreeMap<String, Built>,
    options: &Options,
    work: &Path,
) -> Result<Outcomes> {
    let mut outcomes = Outcomes::default();
    let folder = cargo::project_path(suite, side, work);
    let mut jobs = Vec::new();
    let mut listed = BTreeMap::<&PathBuf, Vec<String>>::new();
    for (file, built) in built {
        let outcome = match built {
            Built::Errors(errors) => FileOutcome::NotCompiled(headlines(errors)),
            Built::Program { path, module } => {
                let log = |test: &str| log_path(work, suite, side, file, test);
                std::fs::create_dir_all(log("").parent().unwrap_or(work))?;
                let _ = std::fs::remove_file(log("compile"));
                if !listed.contains_key(path) {
                    listed.insert(path, tests_of(path)?);
                }
                let prefix = module.as_ref().map_or(String::new(), |m| format!("{m}::"));
                let tests = listed[path].iter().filter_map(|full_name| {
                    let test = full_name.strip_prefix(&prefix)?.to_owned();
                    // The baseline is always whole.
                    let wanted = side == Side::Tokio || options.selects_test(&test);
                    wanted.then(|| Job {
                        file,
                        log: log(&test),
                        test,
                        full_name: full_name.clone(),
                        program: path,
                        folder: &folder,
                        scheduler: suite.scheduler,
                    })
                });
                jobs.extend(tests);
                FileOutcome::Ran(BTreeMap::new())
            }
        };
        outcomes.files.insert(file.clone(), outcome);
    }

    eprintln!(
        "running {} test(s) of {} with {}",
        jobs.len(),
        suite.run_label(),
        side.name()
    );
    let repeat = if side == Side::Heist {
        options.repeat
    } else {
        1
    };
    // Some are known to hang with one strategy or another, and none takes more than seconds.
    let timeout = match suite.scheduler {
        None => options.timeout,
        Some(_) => options.timeout.min(Duration::from_secs(30)),
    };
    let open = Mutex::new(jobs.iter());
    let results: Vec<_> = std::thread::scope(|scope| {
        let run_open = || {
            let mut results = Vec::new();
            loop {
                let next = open.lock().ok().and_then(|mut open| open.next());
                let Some(job) = next else { break results };
                let mut outcome = Outcome::Passed;
                for _ in 0..repeat {
                    outcome = run_one(job, timeout);
                    if !outcome.is_passed() {
                        break;
                    }
                }
                results.push((job, outcome));
            }
        };
        let threads: Vec<_> = (0..options.jobs).map(|_| scope.spawn(run_open)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_default())
            .collect()
    });
    if results.len() != jobs.len() {
        return Err("lost some of the tests".into());
    }

    for (job, outcome) in results {
        if let Some(FileOutcome::Ran(tests)) = outcomes.files.get_mut(job.file) {
            tests.insert(job.test.clone(), outcome);
        }
    }
    Ok(outcomes)
}

/// The tests in a program, without those that are ignored.
fn tests_of(program: &Path) -> Result<Vec<String>> {
    let list = |extra: &[&str]| -> Result<Vec<String>> {
        let args = ["--list", "--format", "terse"];
        let output = Command::new(program).args(args).args(extra).output()?;
        let names = String::from_utf8(output.stdout)?;
        Ok(names
            .lines()
            .filter_map(|l| l.strip_suffix(": test"))
            .map(str::to_owned)
            .collect())
    };
    let ignored = list(&["--ignored"])?;
    Ok(list(&[])?
        .into_iter()
        .filter(|test| !ignored.contains(test))
        .collect())
}

fn run_one(job: &Job<'_>, timeout: Duration) -> Outcome {
    match try_run(job, timeout) {
        Ok(outcome) => {
            if outcome.is_passed() {
                let _ = std::fs::remove_file(&job.log);
            }
            outcome
        }
        Err(error) => Outcome::Failed(format!("could not be run: {error}")),
    }
}

/// One process; its output goes to a file, for a pipe could be held open by a child it left behind.
fn try_run(job: &Job<'_>, timeout: Duration) -> std::io::Result<Outcome> {
    let log = File::create(&job.log)?;
    let mut child = Command::new(job.program)
        .args(["--exact", &job.full_name, "--test-threads=1", "--nocapture"])
        .current_dir(job.folder)
        .env("RUST_BACKTRACE", "0")
        .env("HEIST_SCHEDULER", job.scheduler.unwrap_or("work_stealing"))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        // A group of its own, so that its children go with it.
        .process_group(0)
        .spawn()?;

    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if started.elapsed() >= timeout {
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    // Always: what a test left running would disturb the next one.
    let group = format!("-{}", child.id());
    let _ = Command::new("kill")
        .args(["-KILL", "--", &group])
        .stderr(Stdio::null())
        .status();
    let Some(status) = status else {
        child.kill()?;
        child.wait()?;
        return Ok(Outcome::Failed(format!(
            "hangs: not done in {} s",
            timeout.as_secs()
        )));
    };
    if status.success() {
        return Ok(Outcome::Passed);
    }
    let output = String::from_utf8_lossy(&std::fs::read(&job.log)?).into_owned();
    let how = status.signal().map(|signal| format!("signal {signal}"));
    Ok(Outcome::Failed(how.unwrap_or_else(|| panic_line(&output))))
}

/// What a panic said: the place, and the first line of the message.
fn panic_line(output: &str) -> String {
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        if let Some((_, place)) = line.split_once("panicked at ") {
            let file = place
                .trim_end_matches(':')
                .rsplit('/')
                .next()
                .unwrap_or_default();
            return format!("{file}: {}", lines.next().unwrap_or_default());
        }
    }
    let note = output
        .lines()
        .find(|line| line.starts_with("note: test did not panic"));
    note.unwrap_or("failed without a panic").to_owned()
}

/// The first line of each different error.
fn headlines(errors: &[String]) -> Vec<String> {
    let mut headlines = Vec::new();
    for error in errors {
        let line = error.lines().next().unwrap_or_default().to_owned();
        if !headlines.contains(&line) && !line.starts_with("error: aborting due to") {
            headlines.push(line);
        }
    }
    headlines
}
