//! The command line.

use crate::Error;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Races the same axum program built on Tokio and on heist.

  --rounds N      rounds, each with all loads on both sides (5)
  --seconds N     how long one load lasts (10)
  --rates A,B     fixed rates, in requests a second; empty for none (5000,20000)
  --idle N        idle connections for the memory figure; 0 for none (10000)
  --cold N        also time N builds from nothing of each, dev and release (0)
";

/// What to run.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) rounds: u32,
    pub(crate) seconds: u64,
    pub(crate) rates: Vec<u64>,
    pub(crate) idle: usize,
    pub(crate) cold: u32,
}

impl Options {
    /// `None`: help was asked for.
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<Self>, Error> {
        let mut options = Self {
            rounds: 5,
            seconds: 10,
            rates: vec![5_000, 20_000],
            idle: 10_000,
            cold: 0,
        };
        while let Some(word) = words.next() {
            if word == "--help" || word == "-h" {
                return Ok(None);
            }
            let value = words
                .next()
                .ok_or(format!("{word} needs a value; see --help"))?;
            match word.as_str() {
                "--rounds" => options.rounds = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--rates" => {
                    let rates = value.split(',').filter(|rate| !rate.is_empty());
                    options.rates = rates.map(str::parse).collect::<Result<_, _>>()?;
                }
                "--idle" => options.idle = value.parse()?,
                "--cold" => options.cold = value.parse()?,
                _ => return Err(format!("there is no {word}; see --help").into()),
            }
        }
        Ok(Some(options))
    }
}
