//! Probes: what a whole process uses. Each runs in a child of its own, so that the resident memory
//! it reads is its own and fresh.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::net::{connect, exchange_on_all};
use super::rt;
use super::{Runtime, multi_thread, on_worker};
use crate::sys::{Usage, raise_descriptor_limit, resident_bytes};
use crate::workload::{Extent, Probe, Reading};

pub(super) const PROBES: &[Probe] = &[
    Probe {
        name: "idle_1m",
        what: "a million tasks that have been polled once and wait for nothing",
        run: |extent| a_million(extent.workers, std::future::pending),
    },
    Probe {
        name: "sleeping_1m",
        what: "a million tasks in an hour's sleep",
        run: |extent| {
            a_million(extent.workers, || {
                rt::time::sleep(Duration::from_secs(3_600))
            })
        },
    },
    Probe {
        name: "waiting_1m",
        what: "a million tasks that wait on a oneshot channel each",
        run: |extent| a_million(extent.workers, wait_for_ever),
    },
    Probe {
        name: "idle_cpu",
        what: "a runtime that has nothing to do",
        run: |extent| watched(extent, |_| ()),
    },
    Probe {
        name: "idle_connections",
        what: "1,000 connections on which nothing is said",
        run: |extent| {
            watched(extent, |runtime| {
                Box::leak(Box::new(connect(runtime, 1_000)))
            })
        },
    },
    Probe {
        name: "tick_100hz",
        what: "a task that ticks every 10 ms",
        run: |extent| watched(extent, tick),
    },
    Probe {
        name: "tcp_echo_10000",
        what: "64 bytes there and back on each of 10,000 connections, or as many as descriptors allow",
        run: |extent| tcp_echo(extent.workers),
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

/// The channel is part of what is measured. Its other end is leaked, or the task would end.
async fn wait_for_ever() {
    let (sender, receiver) = rt::sync::oneshot::channel::<()>();
    std::mem::forget(sender);
    receiver.await.expect("nobody sends");
}

/// What a runtime uses while it has little to do.
fn watched<T>(extent: Extent, start: fn(&Runtime) -> T) -> Vec<Reading> {
    let runtime = multi_thread(extent.workers);
    // Some work first: a runtime that has never run anything is not what users have.
    on_worker(&runtime, async {
        rt::time::sleep(Duration::from_millis(1)).await;
        for task in (0..1_000).map(|_| rt::spawn(async {})).collect::<Vec<_>>() {
            task.await.expect("an empty task cannot panic");
        }
    });
    let started = start(&runtime);
    thread::sleep(Duration::from_millis(100));
    let before = Usage::now();
    thread::sleep(extent.watch);
    let used = Usage::now().since(before);
    drop(started);
    let seconds = extent.watch.as_secs_f64();
    vec![
        Reading::new("cpu_ms_per_s", used.cpu_micros as f64 / 1e3 / seconds),
        Reading::new("waits_per_s", used.voluntary as f64 / seconds),
    ]
}

fn tick(runtime: &Runtime) {
    runtime.spawn(async {
        let mut ticks = rt::time::interval(Duration::from_millis(10));
        loop {
            ticks.tick().await;
        }
    });
}

/// Both ends are in this process, and a few descriptors are the runtime's own.
fn tcp_echo(workers: usize) -> Vec<Reading> {
    const ROUNDS: usize = 5;
    let connections = ((raise_descriptor_limit() - 100) / 2).min(10_000);
    let runtime = multi_thread(workers);
    let mut clients = connect(&runtime, connections);
    exchange_on_all(&runtime, &mut clients, 1);
    let (usage, started) = (Usage::now(), Instant::now());
    for _ in 0..ROUNDS {
        exchange_on_all(&runtime, &mut clients, 1);
    }
    let (wall, used) = (started.elapsed(), Usage::now().since(usage));
    let exchanges = (ROUNDS * connections) as f64;
    vec![
        Reading::new("connections", connections as f64),
        Reading::new("us_per_op", wall.as_micros() as f64 / exchanges),
        Reading::new("cpu_us_per_op", used.cpu_micros as f64 / exchanges),
    ]
}
