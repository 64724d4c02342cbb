//! A scheduling strategy of one's own: earliest deadline first.
//!
//! Each task says, by its tag, within how many milliseconds its turns should begin; 0 is "within a second". Whoever is
//! due first is run first. A turn's deadline counts from the moment in which the task becomes runnable: so
//! everybody's time comes, however many are more urgent.
//!
//! ```text
//! cargo run --example earliest_deadline
//! cargo test --example earliest_deadline
//! ```

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use heist::runtime::{Builder, Runtime};
use heist::scheduler::{Cause, Runnable, Scheduler, Tell, Turn, spawn_tagged};

/// Earliest deadline first, for all workers together.
#[derive(Default)]
struct EarliestDeadline {
    /// By deadline, and those with the same one in order of arrival.
    tasks: Mutex<BTreeMap<(Instant, u64), Runnable>>,
    arrivals: AtomicU64,
}

impl Scheduler for EarliestDeadline {
    type Worker = ();

    fn worker(&self, _index: usize) {}

    fn push(&self, task: Runnable, _: Cause, _: Option<&mut ()>) -> Tell {
        let within = match task.tag() {
            0 => Duration::from_secs(1),
            millis => Duration::from_millis(millis.into()),
        };
        let arrival = self.arrivals.fetch_add(1, Relaxed);
        let due = (Instant::now() + within, arrival);
        self.tasks.lock().unwrap().insert(due, task);
        Tell::Anyone
    }

    fn next(&self, _: &mut (), _: &mut Turn<'_>) -> Option<Runnable> {
        let (_due, task) = self.tasks.lock().unwrap().pop_first()?;
        Some(task)
    }

    fn has_work(&self, _: &()) -> bool {
        self.has_shared_work()
    }

    fn has_shared_work(&self) -> bool {
        !self.tasks.lock().unwrap().is_empty()
    }
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.scheduler(|_workers| EarliestDeadline::default());
    builder.worker_threads(1).build().unwrap()
}

/// Spawns a task for each of `deadlines` at the same time; gives the order in which they ran.
async fn race(deadlines: &'static [u16]) -> Vec<u16> {
    let order = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&order);
    // There is one worker, and it is busy with this: nobody begins before all are there.
    let spawns = heist::spawn(async move {
        let spawn = |&due: &u16| {
            let log = Arc::clone(&log);
            spawn_tagged(due, async move { log.lock().unwrap().push(due) })
        };
        deadlines.iter().map(spawn).collect::<Vec<_>>()
    });
    for task in spawns.await.unwrap() {
        task.await.unwrap();
    }
    Arc::into_inner(order).unwrap().into_inner().unwrap()
}

fn main() {
    println!("{:?}", runtime().block_on(race(&[500, 20, 100, 0, 5])));
}

#[test]
fn the_most_urgent_is_first() {
    let order = runtime().block_on(race(&[60_000, 20_000, 40_000, 0, 20_000]));
    assert_eq!(order, [0, 20_000, 20_000, 40_000, 60_000]);
}

#[test]
fn it_keeps_its_promises() {
    heist::scheduler::check(|_workers| EarliestDeadline::default());
}
