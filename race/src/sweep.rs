//! A few workloads again where it gets tight: other numbers of workers than cores, and a machine that
//! somebody else uses too.

use std::process::{Child, Command, Stdio};

use crate::contest::Entry;
use crate::options::Options;
use crate::side::Side;

/// The workloads that are swept.
const SWEPT: &[&str] = &[
    "chained_spawn",
    "ping_pong",
    "spawn_many",
    "yield_many",
    "tcp_echo_50",
];

const WORKERS: &[usize] = &[1, 2, 4, 16];

/// A workload with one number of workers, and its name.
pub(crate) fn entries<'a>(sides: &'a [Side], options: &Options) -> Vec<Entry<'a>> {
    let with = |workload: &str, workers: usize| {
        let name = format!("{workload} @{workers}");
        entry(name, workload, sides, workers, options)
    };
    let each = SWEPT.iter().filter(|name| options.wants(name));
    each.flat_map(|name| WORKERS.iter().map(|&workers| with(name, workers)))
        .collect()
}

/// The same with the usual workers, for the time in which a [`Competitor`] is there.
pub(crate) fn disturbed<'a>(sides: &'a [Side], options: &Options) -> Vec<Entry<'a>> {
    let each = SWEPT.iter().filter(|name| options.wants(name));
    each.map(|name| {
        entry(
            format!("{name} @busy"),
            name,
            sides,
            options.workers,
            options,
        )
    })
    .collect()
}

/// A third of the rounds; the sides that matter.
fn entry<'a>(
    name: String,
    workload: &str,
    sides: &'a [Side],
    workers: usize,
    options: &Options,
) -> Entry<'a> {
    let rounds = options.rounds.div_ceil(3);
    Entry::new(name, workload, &sides[..2], workers, rounds)
}

/// Another process that keeps one core busy for as long as this lives.
pub(crate) struct Competitor(Child);

impl Competitor {
    pub(crate) fn start() -> std::io::Result<Self> {
        let program = std::env::current_exe()?;
        let child = Command::new(program)
            .arg("--spin")
            .stdin(Stdio::piped())
            .spawn()?;
        Ok(Self(child))
    }
}

impl Drop for Competitor {
    fn drop(&mut self) {
        // It is ours, and may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// In the competitor: until it is killed, or its parent is gone.
pub(crate) fn spin() -> ! {
    std::thread::spawn(|| {
        // Ends when the other end of the pipe does.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    loop {
        std::hint::spin_loop();
    }
}
