//! The command line.

use std::path::PathBuf;
use std::time::Duration;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
conformance [options] [FILE...]

FILE           test files to take, by name; `*` at either end matches anything (default: all)
--suite NAME   tokio, tokio-stream or tokio-util; may be repeated (default: all three)
--unstable     build both sides with --cfg tokio_unstable
--schedulers   run the tests of Tokio's runtime again with each other strategy of heist's
--test TEXT    run only the tests whose name contains TEXT (nothing is judged then)
--timeout S    seconds a test may take (default: 60)
--jobs N       build jobs, and tests at a time (default: 2)
--repeat N     run each heist test N times; one failure is a failure
--fresh-baseline  run Tokio's side too, and write what passes there to baseline/
--no-baseline  leave Tokio's side out, as if all passed there (a file that fails to compile has
               no tests then)
--failed       show the output of each unexpected failure
--dir DIR      where to build (default: <cargo target>/conformance)
";

/// The parsed command line.
pub(crate) struct Options {
    pub(crate) suites: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) test: Option<String>,
    pub(crate) unstable: bool,
    pub(crate) schedulers: bool,
    pub(crate) timeout: Duration,
    pub(crate) jobs: usize,
    pub(crate) repeat: usize,
    pub(crate) fresh_baseline: bool,
    pub(crate) no_baseline: bool,
    pub(crate) show_failed: bool,
    pub(crate) dir: Option<PathBuf>,
}

impl Options {
    /// `None` when help was asked for.
    pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            suites: Vec::new(),
            files: Vec::new(),
            test: None,
            unstable: false,
            schedulers: false,
            timeout: Duration::from_secs(60),
            jobs: 2,
            repeat: 1,
            fresh_baseline: false,
            no_baseline: false,
            show_failed: false,
            dir: None,
        };
        let mut args = args;
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "-h" | "--help" => return Ok(None),
                "--suite" => options.suites.push(value()?),
                "--test" => options.test = Some(value()?),
                "--timeout" => options.timeout = Duration::from_secs(number(&arg, &value()?)?),
                "--jobs" => options.jobs = at_least_one(&arg, &value()?)?,
                "--repeat" => options.repeat = at_least_one(&arg, &value()?)?,
                "--dir" => options.dir = Some(value()?.into()),
                "--unstable" => options.unstable = true,
                "--schedulers" => options.schedulers = true,
                "--fresh-baseline" => options.fresh_baseline = true,
                "--no-baseline" => options.no_baseline = true,
                "--failed" => options.show_failed = true,
                flag if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
                file => options.files.push(file.to_owned()),
            }
        }
        if options.suites.is_empty() {
            options.suites = ["tokio", "tokio-stream", "tokio-util"]
                .map(str::to_owned)
                .into();
        }
        Ok(Some(options))
    }

    /// Whether the test file `name` was asked for.
    pub(crate) fn selects(&self, name: &str) -> bool {
        self.files.is_empty() || self.files.iter().any(|pattern| matches(pattern, name))
    }

    /// Whether the test `name` was asked for.
    pub(crate) fn selects_test(&self, name: &str) -> bool {
        self.test.as_deref().is_none_or(|part| name.contains(part))
    }

    /// Whether the run covers all of a suite, so that its rate means something.
    pub(crate) fn is_whole(&self) -> bool {
        self.files.is_empty() && self.test.is_none() && !self.no_baseline
    }
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{flag}: `{value}` is not a number"))
}

fn at_least_one(flag: &str, value: &str) -> Result<usize, String> {
    match number(flag, value)? {
        0 => Err(format!("{flag} must be at least 1")),
        n => Ok(n),
    }
}

pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}
