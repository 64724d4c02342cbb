//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::workload::Extent;

/// Shown by `--help` and beside every mistake.
pub(crate) const USAGE: &str = "\
usage: cargo run --release -p race -- [options]

  --filter TEXT   only workloads whose name contains TEXT (may be given several times)
  --rounds N      measured rounds of each workload on each side, in six heats (default 48)
  --workers N     worker threads of each multi-thread runtime (default 2)
  --long          watch idle runtimes for a minute instead of two seconds
  --json FILE     write every figure and every sample to FILE
  --html FILE     write a page with plots to FILE
  --against FILE  compare with an earlier run's JSON
  --from FILE     run nothing: show a JSON file again
  --check         compare with the limits in src/report/limits.rs; exit 1 and name what failed
  --noise         race Tokio against itself: how far from 1.00 is chance alone?
  --list          the workloads and what each does";

/// What the command line asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) command: Command,
    pub(crate) filters: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) workers: usize,
    pub(crate) long: bool,
    pub(crate) json: Option<PathBuf>,
    pub(crate) html: Option<PathBuf>,
    pub(crate) against: Option<PathBuf>,
    pub(crate) from: Option<PathBuf>,
    pub(crate) check: bool,
    pub(crate) noise: bool,
}

/// What this process is for.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Race,
    List,
    Help,
    /// Internal: run one probe for one side in this process and print its readings.
    Child {
        probe: String,
        side: String,
    },
    /// Internal: keep a core busy.
    Spin,
}

impl Options {
    /// Whether a workload of this name was asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|text| name.contains(text))
    }

    /// How large a probe is to be.
    pub(crate) fn extent(&self) -> Extent {
        let seconds = if self.long { 60 } else { 2 };
        Extent {
            workers: self.workers,
            watch: Duration::from_secs(seconds),
        }
    }
}

/// Reads the arguments that follow the program's name.
pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        command: Command::Race,
        filters: Vec::new(),
        rounds: 48,
        workers: 2,
        long: false,
        json: None,
        html: None,
        against: None,
        from: None,
        check: false,
        noise: false,
    };
    let mut args = args;
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--filter" => options.filters.push(value()?),
            "--rounds" => options.rounds = at_least_one(&arg, &value()?)?,
            "--workers" => options.workers = at_least_one(&arg, &value()?)?,
            "--long" => options.long = true,
            "--json" => options.json = Some(value()?.into()),
            "--html" => options.html = Some(value()?.into()),
            "--against" => options.against = Some(value()?.into()),
            "--from" => options.from = Some(value()?.into()),
            "--check" => options.check = true,
            "--noise" => options.noise = true,
            "--list" => options.command = Command::List,
            "--spin" => options.command = Command::Spin,
            "--help" | "-h" => options.command = Command::Help,
            "--child" => {
                options.command = Command::Child {
                    probe: value()?,
                    side: value()?,
                }
            }
            _ => return Err(format!("unknown argument {arg}")),
        }
    }
    Ok(options)
}

fn at_least_one(name: &str, text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n >= 1 => Ok(n),
        _ => Err(format!("{name} wants a number of at least 1, not {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn defaults() {
        let options = parsed("").unwrap();
        assert_eq!((options.rounds, options.workers), (48, 2));
        assert_eq!(options.command, Command::Race);
        assert!(options.wants("anything"));
    }

    #[test]
    fn filters_add_up() {
        let options = parsed("--filter mpsc --filter yield").unwrap();
        assert!(options.wants("yield_many") && options.wants("mpsc_bounded_1"));
        assert!(!options.wants("tcp_echo"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(parsed("--rounds 0").unwrap_err().contains("--rounds"));
        assert!(parsed("--json").unwrap_err().contains("needs a value"));
        assert!(parsed("--fast").unwrap_err().contains("--fast"));
    }
}
