//! Probes: what a whole process uses. Each runs in a child of its own, so that the resident memory
//! it reads is its own and fresh.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::rt;
use super::{multi_thread, on_worker};
use crate::sys::{Usage, resident_bytes};
use crate::workload::{Probe, Reading};

pub(super) const PROBES: &[Probe] = &[
    Probe {
        name: "idle_1m",
        what: "a million tasks that have been polled once and wait for nothing",
        run: |workers| a_million(workers, std::future::pending),
    },
    Probe {
        name: "sleeping_1m",
        what: "a million tasks in an hour's sleep",
        run: |workers| a_million(workers, || rt::time::sleep(Duration::from_secs(3_600))),
    },
    Probe {
        name: "idle_cpu",
        what: "processor time of a runtime that has nothing to do for 2 s",
        run: idle_cpu,
    },
];

const MILLION: usize = 1_000_000;

/// Tasks that have been polled. A static, so that the tasks need not hold a pointer to it.
static POLLED: AtomicUsize = AtomicUsize::new(0);

/// A task spawns a million others, detached, and all are polled once: up. Then the runtime is
/// dropped with them all alive: down.
fn a_million<F>(workers: usize, wait: fn() -> F) -> Vec<Reading>
where
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = multi_thread(workers);
    on_worker(&runtime, async {});
    let (usage, resident, started) = (Usage::now(), resident_bytes(), Instant::now());
    on_worker(&runtime, async move {
        for _ in 0..MILLION {
            rt::spawn(async move {
                POLLED.fetch_add(1, Ordering::Relaxed);
                wait().await;
            });
        }
    });
    while POLLED.load(Ordering::Relaxed) < MILLION {
        thread::sleep(Duration::from_micros(100));
    }
    let up = started.elapsed();
    // The last tasks counted have yet to wait, and the workers to park.
    thread::sleep(Duration::from_millis(20));
    let grown = resident_bytes() - resident;
    let up_cpu = Usage::now().since(usage);

    let started = Instant::now();
    drop(runtime);
    let down = started.elapsed();
    let per_task = |nanos: f64| nanos / MILLION as f64;
    vec![
        Reading::new("bytes_per_task", per_task(grown as f64)),
        Reading::new("up_ns_per_task", per_task(up.as_nanos() as f64)),
        Reading::new(
            "up_cpu_ns_per_task",
            per_task(up_cpu.cpu_micros as f64 * 1e3),
        ),
        Reading::new("down_ns_per_task", per_task(down.as_nanos() as f64)),
    ]
}

fn idle_cpu(workers: usize) -> Vec<Reading> {
    let runtime = multi_thread(workers);
    // Some work first: a runtime that has never run anything is not what users have.
    on_worker(&runtime, async {
        rt::time::sleep(Duration::from_millis(1)).await;
        for task in (0..1_000).map(|_| rt::spawn(async {})).collect::<Vec<_>>() {
            task.await.expect("an empty task cannot panic");
        }
    });
    let before = Usage::now();
    thread::sleep(Duration::from_secs(2));
    let used = Usage::now().since(before);
    vec![
        Reading::new("cpu_ms", used.cpu_micros as f64 / 1e3),
        Reading::new("waits", used.voluntary as f64),
    ]
}
