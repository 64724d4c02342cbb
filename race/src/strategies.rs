//! heist's scheduling strategies, compared with each other.
//!
//! ```text
//! cargo run --release -p race -- strategies                     # the table
//! cargo run --release -p race -- strategies --svg FILE          # and a plot of it
//! cargo run --release -p race -- strategies --rounds 41 --workers 4
//! cargo run --release -p race -- strategies --filter messages   # one load
//! ```
//!
//! Each load is run with each strategy, turn by turn in one process: round 1 of all, then round 2 in another
//! order, and so on, so that what disturbs the machine falls on all of them. Each round makes its runtime anew.

mod plot;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::sys::Usage;
use heist::runtime::{Builder, Runtime};
use heist::scheduler::{Choice, Class, Classes, GlobalQueue, RoundRobin, Sharded, WorkStealing};
use heist::sync::mpsc;
use heist::task::yield_now;

/// A strategy's name, and how to get it.
type Named = (&'static str, fn() -> Choice);

/// The strategies, the default first: the others are compared with it.
const STRATEGIES: [Named; 5] = [
    ("work_stealing", || WorkStealing.into()),
    ("round_robin", || RoundRobin::new.into()),
    ("sharded", || Sharded::new.into()),
    ("global_queue", || GlobalQueue::new.into()),
    ("classes", || Classes::new.into()),
];

/// A load, one round of which gives a figure or several, most of them in microseconds; less is better.
struct Load {
    what: &'static str,
    /// Names of the figures, and their units.
    figures: &'static [(&'static str, &'static str)],
    round: fn(&Runtime, workers: usize) -> Vec<f64>,
}

const LOADS: &[Load] = &[
    Load {
        what: "64 tasks from outside, each spawns and awaits 100 short ones in turn",
        figures: &[("uniform", "µs a task"), ("uniform_cpu", "µs of processor")],
        round: uniform,
    },
    Load {
        what: "one task spawns 500 that compute for 20 µs each, and awaits them",
        figures: &[("skewed", "µs a task")],
        round: skewed,
    },
    Load {
        what: "on each worker 10 groups, in each of which one sends to 16 others, and they answer, 300 times",
        figures: &[
            ("messages", "µs a message"),
            ("messages_cpu", "µs of processor"),
            ("messages_polls", "polls a message"),
        ],
        round: messages,
    },
    Load {
        what: "on each worker 50 pairs that send each other 1000 messages and back",
        figures: &[
            ("pairs", "µs a message"),
            ("pairs_cpu", "µs of processor"),
            ("pairs_polls", "polls a message"),
        ],
        round: pairs,
    },
    Load {
        what: "16 latency tasks that sleep 1 ms, 10 times, beside 300 batch tasks of 100 µs a turn: how late the median \
               nap ends, how late one in a hundred, and time by batch turns",
        figures: &[
            ("mixed_p50", "µs late"),
            ("mixed_p99", "µs late"),
            ("mixed_batch", "µs a turn"),
        ],
        round: mixed::<300>,
    },
    Load {
        what: "the same beside 100 batch tasks",
        figures: &[
            ("mixed100_p50", "µs late"),
            ("mixed100_p99", "µs late"),
            ("mixed100_batch", "µs a turn"),
        ],
        round: mixed::<100>,
    },
];

/// What was measured of a load.
pub(crate) struct Row {
    name: &'static str,
    unit: &'static str,
    /// The rounds of each strategy.
    rounds: Vec<Vec<f64>>,
}

impl Row {
    fn median(&self, strategy: usize) -> f64 {
        quantile(&self.rounds[strategy], 0.5)
    }

    /// How many times better than the default it is.
    fn gain(&self, strategy: usize) -> f64 {
        self.median(0) / self.median(strategy)
    }

    /// The same by the least disturbed rounds.
    fn quiet_gain(&self, strategy: usize) -> f64 {
        quantile(&self.rounds[0], 0.1) / quantile(&self.rounds[strategy], 0.1)
    }
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * q).round() as usize]
}

struct Options {
    rounds: usize,
    workers: usize,
    filter: String,
    only: String,
    svg: Option<String>,
}

const USAGE: &str = "usage: race strategies [--rounds N] [--workers N] [--filter TEXT] [--only STRATEGY] [--svg FILE]";

fn parse(mut args: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options {
        rounds: 15,
        workers: 2,
        filter: String::new(),
        only: String::new(),
        svg: None,
    };
    while let Some(arg) = args.next() {
        let value = args.next()?;
        match arg.as_str() {
            "--rounds" => options.rounds = value.parse().ok().filter(|&n| n > 0)?,
            "--workers" => options.workers = value.parse().ok().filter(|&n| n > 0)?,
            "--filter" => options.filter = value,
            "--only" => options.only = value,
            "--svg" => options.svg = Some(value),
            _ => return None,
        }
    }
    Some(options)
}

/// `race strategies …`.
pub(crate) fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let Some(options) = parse(args) else {
        eprintln!("race: {USAGE}");
        return ExitCode::from(2);
    };
    let wanted = |load: &&Load| load.figures[0].0.contains(&options.filter);
    let rows: Vec<Row> = LOADS
        .iter()
        .filter(wanted)
        .flat_map(|load| measure(load, &options))
        .collect();
    print(&rows, &options);
    if let Some(file) = &options.svg
        && let Err(problem) = std::fs::write(file, plot::svg(&rows))
    {
        eprintln!("race: cannot write {file}: {problem}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

fn measure(load: &Load, options: &Options) -> Vec<Row> {
    let (rounds, workers) = (options.rounds, options.workers);
    let row = |&(name, unit)| Row {
        name,
        unit,
        rounds: vec![Vec::new(); STRATEGIES.len()],
    };
    let mut rows: Vec<Row> = load.figures.iter().map(row).collect();
    for round in 0..rounds {
        for turn in 0..STRATEGIES.len() {
            let strategy = (round + turn) % STRATEGIES.len();
            if !STRATEGIES[strategy].0.contains(&options.only) {
                rows.iter_mut()
                    .for_each(|row| row.rounds[strategy].push(f64::NAN));
                continue;
            }
            let runtime = Builder::new_multi_thread()
                .worker_threads(workers)
                .scheduler(STRATEGIES[strategy].1())
                .name(STRATEGIES[strategy].0)
                .enable_all()
                .build()
                .expect("the system has threads for a runtime");
            let figures = (load.round)(&runtime, workers);
            for (row, figure) in rows.iter_mut().zip(figures) {
                row.rounds[strategy].push(figure);
            }
        }
    }
    rows
}

fn print(rows: &[Row], options: &Options) {
    println!(
        "{} workers, {} rounds; medians, and in brackets how many times better than the default (of the quiet rounds)\n",
        options.workers, options.rounds
    );
    print!("| load |");
    STRATEGIES.iter().for_each(|(name, _)| print!(" {name} |"));
    print!("\n|---|");
    STRATEGIES.iter().for_each(|_| print!("---:|"));
    println!();
    for row in rows {
        print!("| {} ({}) | {:.2} |", row.name, row.unit, row.median(0));
        for strategy in 1..STRATEGIES.len() {
            print!(
                " {:.2} (×{:.2}, ×{:.2}) |",
                row.median(strategy),
                row.gain(strategy),
                row.quiet_gain(strategy)
            );
        }
        println!();
    }
    println!();
    for load in LOADS {
        println!("{}: {}", load.figures[0].0, load.what);
    }
}

/// Computes for about as many microseconds, if nobody takes the processor away.
fn compute(micros: u32) {
    let mut x = u64::from(micros);
    for i in 0..u64::from(micros) * 800 {
        x = std::hint::black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i);
    }
}

/// The moment in which a measurement began.
struct Begin(Instant, Usage);

impl Begin {
    fn now() -> Self {
        Self(Instant::now(), Usage::now())
    }

    /// Time, and processor time, for each of `count`, in microseconds.
    fn each(&self, count: usize) -> Vec<f64> {
        let time = self.0.elapsed().as_secs_f64() * 1e6;
        let processor = Usage::now().since(self.1).cpu_micros as f64;
        vec![time / count as f64, processor / count as f64]
    }
}

fn uniform(runtime: &Runtime, _workers: usize) -> Vec<f64> {
    let begin = Begin::now();
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            runtime.spawn(async {
                for _ in 0..100 {
                    heist::spawn(async {}).await.expect("it does nothing");
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("it does not panic");
        }
    });
    begin.each(64 * 100)
}

fn skewed(runtime: &Runtime, _workers: usize) -> Vec<f64> {
    let begin = Begin::now();
    let root = runtime.spawn(async {
        let tasks: Vec<_> = (0..500)
            .map(|_| heist::spawn(async { compute(20) }))
            .collect();
        for task in tasks {
            task.await.expect("it does not panic");
        }
    });
    runtime.block_on(root).expect("it does not panic");
    begin.each(500)[..1].to_vec()
}

/// Sends to `members` tasks that answer, and awaits the answers, `rounds` times.
async fn group(members: usize, rounds: usize) {
    let (answer, mut answers) = mpsc::channel::<usize>(members);
    let requests: Vec<_> = (0..members)
        .map(|member| {
            let (request, mut requests) = mpsc::channel::<usize>(1);
            let answer = answer.clone();
            heist::spawn(async move {
                while let Some(number) = requests.recv().await {
                    answer.send(number + member).await.expect("it is awaited");
                }
            });
            request
        })
        .collect();
    for round in 0..rounds {
        for request in &requests {
            request.send(round).await.expect("it answers");
        }
        let mut sum = 0;
        for _ in 0..members {
            sum += answers.recv().await.expect("all answer");
        }
        assert_eq!(sum, members * round + members * (members - 1) / 2);
    }
}

fn messages(runtime: &Runtime, workers: usize) -> Vec<f64> {
    const GROUPS: usize = 10;
    const MEMBERS: usize = 16;
    const ROUNDS: usize = 300;
    let begin = Begin::now();
    let roots: Vec<_> = (0..workers)
        .map(|worker| {
            runtime.handle().spawn_on(worker, async {
                let groups: Vec<_> = (0..GROUPS)
                    .map(|_| heist::spawn(group(MEMBERS, ROUNDS)))
                    .collect();
                for group in groups {
                    group.await.expect("it does not panic");
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for root in roots {
            root.await.expect("it does not panic");
        }
    });
    let count = workers * GROUPS * MEMBERS * ROUNDS * 2;
    each_and_polls(&begin, count, runtime, workers)
}

fn pairs(runtime: &Runtime, workers: usize) -> Vec<f64> {
    const PAIRS: usize = 50;
    const MESSAGES: usize = 1_000;
    let begin = Begin::now();
    let roots: Vec<_> = (0..workers)
        .map(|worker| {
            runtime.handle().spawn_on(worker, async {
                let mut tasks = Vec::new();
                for _ in 0..PAIRS {
                    let (there, mut here) = mpsc::channel::<usize>(1);
                    let (back, mut again) = mpsc::channel::<usize>(1);
                    heist::spawn(async move {
                        while let Some(message) = here.recv().await {
                            if back.send(message).await.is_err() {
                                break;
                            }
                        }
                    });
                    tasks.push(heist::spawn(async move {
                        for message in 0..MESSAGES {
                            there.send(message).await.expect("the other one listens");
                            assert_eq!(again.recv().await, Some(message));
                        }
                    }));
                }
                for task in tasks {
                    task.await.expect("it does not panic");
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for root in roots {
            root.await.expect("it does not panic");
        }
    });
    let count = workers * PAIRS * MESSAGES * 2;
    each_and_polls(&begin, count, runtime, workers)
}

/// As [`Begin::each`], and how many polls each took.
fn each_and_polls(begin: &Begin, count: usize, runtime: &Runtime, workers: usize) -> Vec<f64> {
    let mut figures = begin.each(count);
    let metrics = runtime.metrics();
    let polls: u64 = (0..workers)
        .map(|worker| metrics.worker_poll_count(worker))
        .sum();
    figures.push(polls as f64 / count as f64);
    figures
}

/// How late the latency tasks were, the median one and one in a hundred, and how long a batch turn took, beside
/// `BATCH` batch tasks.
fn mixed<const BATCH: usize>(runtime: &Runtime, _workers: usize) -> Vec<f64> {
    const NAP: Duration = Duration::from_millis(1);
    let stop = Arc::new(AtomicBool::new(false));
    let turns = Arc::new(AtomicU64::new(0));
    let late = Arc::new(Mutex::new(Vec::new()));
    let begin = Begin::now();
    let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&turns));
    let batch = move || {
        let (stop, turns) = (Arc::clone(&stopped), Arc::clone(&counted));
        async move {
            while !stop.load(Relaxed) {
                compute(100);
                turns.fetch_add(1, Relaxed);
                yield_now().await;
            }
        }
    };
    let handle = runtime.handle();
    let tag = |class| tag_of(runtime, class);
    for _ in 0..BATCH {
        handle.spawn_tagged(tag(Class::Batch), batch());
    }
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let late = Arc::clone(&late);
            handle.spawn_tagged(tag(Class::Latency), async move {
                for _ in 0..10 {
                    let due = Instant::now() + NAP;
                    heist::time::sleep_until(due.into()).await;
                    let lateness = due.elapsed().as_secs_f64() * 1e6;
                    late.lock().expect("nobody panics").push(lateness);
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("it does not panic");
        }
    });
    stop.store(true, Relaxed);
    let a_turn = begin.each(turns.load(Relaxed) as usize)[0];
    let late = late.lock().expect("nobody panics");
    vec![quantile(&late, 0.5), quantile(&late, 0.99), a_turn]
}

/// Tags are the classes' only with `Classes`; to the sharded ones they would name a worker.
fn tag_of(runtime: &Runtime, class: Class) -> u16 {
    match runtime.handle().name() {
        Some("classes") => class as u16,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_load_runs_with_every_strategy() {
        let options = parse(["--rounds".to_owned(), "1".to_owned()].into_iter()).unwrap();
        let rows: Vec<Row> = LOADS
            .iter()
            .flat_map(|load| measure(load, &options))
            .collect();
        for row in &rows {
            assert!(
                row.rounds.iter().all(|rounds| rounds[0] > 0.0),
                "{}",
                row.name
            );
        }
        let svg = plot::svg(&rows);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(rows.iter().all(|row| svg.contains(row.name)));
    }

    #[test]
    fn what_is_asked_for() {
        let parse = |text: &str| parse(text.split_whitespace().map(str::to_owned));
        let options = parse("--rounds 3 --workers 4 --svg x").unwrap();
        assert_eq!((options.rounds, options.workers), (3, 4));
        assert_eq!(options.svg.as_deref(), Some("x"));
        for wrong in ["--rounds 0", "--rounds", "--color 1"] {
            assert!(parse(wrong).is_none());
        }
    }
}
