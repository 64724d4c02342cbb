//! How far the run is: one line that is drawn over itself on a terminal, nothing elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const WIDTH: usize = 28;
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Drawn no more often than this: the terminal runs on the same cores.
const PAUSE: Duration = Duration::from_millis(200);

/// Counts steps that take about equally long.
pub(crate) struct Progress {
    done: usize,
    total: usize,
    started: Instant,
    drawn: Option<Instant>,
    on_terminal: bool,
}

impl Progress {
    pub(crate) fn new(total: usize) -> Self {
        Self {
            done: 0,
            total,
            started: Instant::now(),
            drawn: None,
            on_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// One step is done; `now` names what runs.
    pub(crate) fn step(&mut self, now: &str) {
        self.done = (self.done + 1).min(self.total);
        if self.on_terminal && self.drawn.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.drawn = Some(Instant::now());
            eprint!("\r\x1b[2K{}", self.line(now));
            // A bar that cannot be drawn is no reason to stop.
            let _ = std::io::stderr().flush();
        }
    }

    /// A line that stays, above the bar.
    pub(crate) fn say(&mut self, line: &str) {
        let clear = if self.on_terminal { "\r\x1b[2K" } else { "" };
        eprintln!("{clear}{line}");
        self.drawn = None;
    }

    fn line(&self, now: &str) -> String {
        let share = self.done as f64 / self.total.max(1) as f64;
        let left = match share {
            s if s > 0.02 => clock(self.started.elapsed().mul_f64((1.0 - s) / s)),
            _ => "–:––".to_owned(),
        };
        let percent = share * 100.0;
        format!("▕{}▏ {percent:3.0} %  {left} left  {now}", bar(share))
    }
}

fn bar(share: f64) -> String {
    let eighths = (share * (WIDTH * 8) as f64).round() as usize;
    let (full, part) = (eighths / 8, eighths % 8);
    let mut bar = "█".repeat(full);
    if full < WIDTH {
        bar.push(EIGHTHS[part]);
        bar.push_str(&" ".repeat(WIDTH - full - 1));
    }
    bar
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_always_as_wide() {
        for percent in 0..=100 {
            let bar = bar(f64::from(percent) / 100.0);
            assert_eq!(bar.chars().count(), WIDTH, "{percent} %");
        }
        assert_eq!(bar(1.0), "█".repeat(WIDTH));
    }

    #[test]
    fn time_left_reads_as_a_clock() {
        assert_eq!(clock(Duration::from_secs(125)), "2:05");
    }
}
