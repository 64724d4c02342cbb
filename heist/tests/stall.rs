//! A worker that is stuck in a long poll keeps nobody waiting while another is free: not the task in
//! its slot, not the timers on its wheel, not the sockets.
//!
//! In each test a task holds its worker's thread until the other has run. How long that takes is the
//! scheduler's affair, and a machine may be busy: so each is tried several times, must never need
//! the stall's end, and is mostly done in a fraction of it, for a machine as busy as that.

mod support;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use heist::io::{AsyncReadExt, AsyncWriteExt};
use heist::net::{TcpListener, TcpStream};
use heist::runtime::Runtime;
use heist::sync::oneshot;
use heist::task;
use heist::time;
use support::{bounded, multi, scale};

/// How long a stall lasts if nobody helps: far longer than any machine keeps a thread waiting.
const STALL: Duration = Duration::from_secs(20);
/// How long the median may take on a machine that has nothing else to do. The watch needs two looks, at most 20 ms.
const SOON: Duration = Duration::from_millis(300);

/// Beside a test, how long the machine keeps a thread waiting that could run.
struct Machine {
    over: mpsc::Sender<()>,
    sleeper: std::thread::JoinHandle<Duration>,
}

impl Machine {
    fn watched() -> Self {
        const NAP: Duration = Duration::from_millis(5);
        let (over, is_over) = mpsc::channel::<()>();
        let sleeper = std::thread::spawn(move || {
            let mut late = Duration::ZERO;
            loop {
                let due = Instant::now() + NAP;
                let woken = is_over.recv_timeout(NAP);
                late = late.max(due.elapsed());
                if woken != Err(mpsc::RecvTimeoutError::Timeout) {
                    return late;
                }
            }
        });
        Self { over, sleeper }
    }

    /// Fails unless most of the waits were short. In each, several threads had to get a processor: the watch
    /// twice, who helps, and who was stuck.
    fn assert_soon(self, waits: Vec<Duration>) {
        self.assert_within(SOON, waits);
    }

    /// The same, with another idea of what is short.
    fn assert_within(self, soon: Duration, mut waits: Vec<Duration>) {
        drop(self.over);
        let late = self.sleeper.join().unwrap();
        waits.sort();
        let median = waits[waits.len() / 2];
        assert!(
            median < soon + 5 * late,
            "waited {median:?} where a thread that sleeps is late by {late:?}, and of all {waits:?}"
        );
    }
}

/// Runs `stall` on a fresh runtime several times; it gives how long the other waited, or `None` if it
/// had to wait for the end.
fn rescued(workers: usize, stall: impl Fn(&Runtime) -> Option<Duration>) {
    let machine = Machine::watched();
    let waits = (0..scale(7, 9, 100))
        .map(|_| {
            let runtime = multi(workers);
            stall(&runtime).expect("somebody else comes to the task")
        })
        .collect();
    machine.assert_soon(waits);
}

/// Holds the thread until the other reports, and tells how long that took.
fn hold(reports: &mpsc::Receiver<()>) -> Option<Duration> {
    let start = Instant::now();
    match reports.recv_timeout(STALL) {
        Ok(()) => Some(start.elapsed()),
        Err(_) => None,
    }
}

#[test]
fn a_spawned_task_is_taken_out_of_the_slot() {
    bounded(60, || {
        for workers in [2, 4] {
            rescued(workers, |runtime| {
                let stalled = runtime.spawn(async {
                    let (tx, rx) = mpsc::channel();
                    heist::spawn(async move { tx.send(()).unwrap() });
                    hold(&rx)
                });
                runtime.block_on(stalled).unwrap()
            });
        }
    });
}

#[test]
fn a_woken_task_is_taken_out_of_the_slot() {
    bounded(60, || {
        rescued(2, |runtime| {
            let (wake, woken) = oneshot::channel::<()>();
            let (tx, rx) = mpsc::channel();
            let (ready_tx, ready) = oneshot::channel();
            runtime.spawn(async move {
                ready_tx.send(()).unwrap();
                woken.await.unwrap();
                tx.send(()).unwrap();
            });
            let stalled = runtime.spawn(async move {
                ready.await.unwrap();
                time::sleep(Duration::from_millis(2)).await;
                wake.send(()).unwrap();
                hold(&rx)
            });
            runtime.block_on(stalled).unwrap()
        });
    });
}

#[test]
fn a_long_queue_is_taken_over() {
    bounded(60, || {
        rescued(2, |runtime| {
            let stalled = runtime.spawn(async {
                let (tx, rx) = mpsc::channel();
                for _ in 0..300 {
                    let tx = tx.clone();
                    heist::spawn(async move {
                        task::yield_now().await;
                        tx.send(()).unwrap();
                    });
                }
                let start = Instant::now();
                (0..300).try_for_each(|_| hold(&rx).map(drop))?;
                Some(start.elapsed())
            });
            runtime.block_on(stalled).unwrap()
        });
    });
}

/// Reports when it is woken.
struct Report(mpsc::Sender<()>);

impl Wake for Report {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

#[test]
fn a_timer_fires_whose_worker_is_stuck() {
    bounded(60, || {
        rescued(2, |runtime| {
            let stalled = runtime.spawn(async {
                let (tx, rx) = mpsc::channel();
                let waker = Waker::from(Arc::new(Report(tx)));
                // Armed by this worker, so on its wheel.
                let nap = Duration::from_millis(10);
                let mut sleep = pin!(time::sleep(nap));
                let mut cx = Context::from_waker(&waker);
                // A machine with other things to do may let it end before it is polled at all.
                while sleep.as_mut().poll(&mut cx).is_ready() {
                    sleep.as_mut().reset(time::Instant::now() + nap);
                }
                hold(&rx)
            });
            runtime.block_on(stalled).unwrap()
        });
    });
}

/// Tasks set timers on a worker that then is stuck; how late the first one was.
fn nap_beside_stall(runtime: &Runtime) -> Duration {
    const NAP: Duration = Duration::from_millis(2);
    let stalled = runtime.spawn(async {
        let (tx, rx) = mpsc::channel();
        for _ in 0..3 {
            let tx = tx.clone();
            heist::spawn(async move {
                let due = Instant::now() + NAP;
                time::sleep_until(due.into()).await;
                let _ = tx.send(due.elapsed());
            });
        }
        // They come first.
        task::yield_now().await;
        rx.recv_timeout(STALL)
    });
    let late = runtime.block_on(stalled).unwrap();
    late.expect("somebody fires the timer")
}

/// It takes two looks, mostly 10 ms apart, to find that a worker is stuck. As a machine may be busy, it is the best of
/// many tries that counts.
#[test]
fn a_timer_does_not_wait_until_its_worker_is_found_stuck() {
    const LATE: Duration = Duration::from_millis(5);
    bounded(60, || {
        let runtime = multi(2);
        let mut tries = (0..200).map(|_| nap_beside_stall(&runtime));
        assert!(tries.any(|late| late < LATE), "always later than {LATE:?}");
    });
}

/// A runtime that sleeps most of the time is looked at six times a second: the watch has to be told of the timers.
#[test]
fn a_timer_does_not_wait_for_a_watch_that_is_calm() {
    bounded(60, || {
        let machine = Machine::watched();
        let late = (0..scale(3, 3, 9))
            .map(|_| {
                let runtime = multi(2);
                let ticks = runtime.spawn(async {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_millis(1000) {
                        time::sleep(Duration::from_millis(5)).await;
                    }
                });
                runtime.block_on(ticks).unwrap();
                nap_beside_stall(&runtime)
            })
            .collect();
        machine.assert_soon(late);
    });
}

/// Nobody is idle: one is stuck, the other has always something to do. It finds at its looks at the drivers that its
/// sibling stands still.
#[test]
fn a_busy_sibling_takes_what_a_stuck_one_has_queued() {
    bounded(60, || {
        rescued(2, |runtime| {
            let over = Arc::new(AtomicBool::new(false));
            let busy = Arc::clone(&over);
            runtime.spawn(async move {
                while !busy.load(Relaxed) {
                    task::yield_now().await;
                }
            });
            let stalled = runtime.spawn(async {
                let (tx, rx) = mpsc::channel();
                for _ in 0..3 {
                    let tx = tx.clone();
                    heist::spawn(async move { tx.send(()).unwrap() });
                }
                // The last one is in the slot, and the watch's affair.
                hold(&rx).and(hold(&rx))
            });
            let wait = runtime.block_on(stalled).unwrap();
            over.store(true, Relaxed);
            wait
        });
    });
}

/// A watch that was just about to doze, or was woken shortly before, is not blind for a second.
#[test]
fn a_stall_between_two_calms_is_found() {
    bounded(60, || {
        let machine = Machine::watched();
        let runtime = multi(2);
        let waits = (0..5)
            .map(|_| {
                std::thread::sleep(Duration::from_millis(400));
                let stalled = runtime.spawn(async {
                    let (tx, rx) = mpsc::channel();
                    heist::spawn(async move { tx.send(()).unwrap() });
                    hold(&rx)
                });
                let wait = runtime.block_on(stalled).unwrap();
                wait.expect("somebody else comes to the task")
            })
            .collect();
        machine.assert_soon(waits);
    });
}

/// Two tasks wait for a socket each; one, when it gets something, holds the worker that looked at the reactor. How long
/// the other's socket waits then.
fn socket_beside_stall(runtime: &Runtime) -> Option<Duration> {
    let (addresses, got_addresses) = mpsc::channel();
    let (tx, rx) = mpsc::channel();
    let (served, got_served) = mpsc::channel();
    let stalled = runtime.spawn(async move {
        let first = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let second = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses
            .send((first.local_addr().unwrap(), second.local_addr().unwrap()))
            .unwrap();
        heist::spawn(async move {
            let (mut stream, _) = second.accept().await.unwrap();
            let mut byte = [0];
            stream.read_exact(&mut byte).await.unwrap();
            served.send(Instant::now()).unwrap();
            tx.send(()).unwrap();
        });
        // Woken by the reactor, and so on the worker that turned it.
        drop(first.accept().await.unwrap());
        hold(&rx)
    });
    let (first, second) = got_addresses.recv().unwrap();
    let mut second = std::net::TcpStream::connect(second).unwrap();
    // All asleep, one in the reactor.
    std::thread::sleep(Duration::from_millis(5));
    let _first = std::net::TcpStream::connect(first).unwrap();
    std::thread::sleep(Duration::from_millis(1));
    let asked = Instant::now();
    std::io::Write::write_all(&mut second, b"x").unwrap();
    runtime.block_on(stalled).unwrap()?;
    Some(got_served.recv().unwrap() - asked)
}

#[test]
fn sockets_are_served_when_who_served_them_is_stuck() {
    bounded(60, || rescued(2, socket_beside_stall));
}

/// Fails unless sockets mostly do without the watch, which would find a stall within 12 ms. On fresh runtimes, whose
/// workers have not found out yet that their polls are long.
fn assert_attended(make_runtime: impl Fn() -> Runtime) {
    const BY_A_SIBLING: Duration = Duration::from_millis(1);
    let machine = Machine::watched();
    let waits = (0..scale(11, 15, 15))
        .map(|_| socket_beside_stall(&make_runtime()).expect("somebody else looks at the reactor"))
        .collect();
    machine.assert_within(BY_A_SIBLING, waits);
}

#[test]
fn after_a_stall_the_reactor_is_not_left_alone() {
    bounded(60, || {
        assert_attended(|| {
            let runtime = multi(2);
            let stall = runtime.spawn(async { std::thread::sleep(Duration::from_millis(100)) });
            runtime.block_on(stall).unwrap();
            runtime
        });
    });
}

#[test]
fn the_reactor_is_not_left_alone_where_that_is_asked_for() {
    bounded(60, || {
        assert_attended(|| {
            let mut builder = heist::runtime::Builder::new_multi_thread();
            builder.worker_threads(2).enable_all();
            builder.enable_eager_driver_handoff().build().unwrap()
        });
    });
}

#[test]
fn an_endless_task_stops_nobody() {
    bounded(60, || {
        let runtime = multi(2);
        let stop = Arc::new(AtomicBool::new(false));
        {
            let stop = Arc::clone(&stop);
            runtime.spawn(async move {
                while !stop.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        for _ in 0..20 {
            let work = runtime.spawn(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                let client = heist::spawn(async move {
                    time::sleep(Duration::from_millis(1)).await;
                    let mut stream = TcpStream::connect(address).await.unwrap();
                    stream.write_all(b"x").await.unwrap();
                });
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut byte = [0];
                stream.read_exact(&mut byte).await.unwrap();
                client.await.unwrap();
                byte
            });
            let done = runtime.block_on(async { time::timeout(STALL, work).await });
            assert_eq!(done.expect("in time").unwrap(), *b"x");
        }
        stop.store(true, Relaxed);
    });
}

#[test]
fn a_stall_after_a_long_calm_is_seen_within_seconds() {
    bounded(60, || {
        let runtime = multi(2);
        // Busy without a stall, so that nobody expects one.
        let calm = Instant::now();
        runtime.block_on(async {
            heist::spawn(async move {
                while calm.elapsed() < Duration::from_secs(2) {
                    time::sleep(Duration::from_millis(1)).await;
                }
            })
            .await
            .unwrap();
        });
        let stalled = runtime.spawn(async {
            let (tx, rx) = mpsc::channel();
            heist::spawn(async move { tx.send(()).unwrap() });
            rx.recv_timeout(Duration::from_secs(10)).is_ok()
        });
        assert!(runtime.block_on(stalled).unwrap());
    });
}

#[test]
fn the_watch_costs_an_idle_runtime_nothing() {
    support::in_child("the_watch_costs_an_idle_runtime_nothing", || {
        let runtime = multi(4);
        runtime.block_on(async { heist::spawn(task::yield_now()).await.unwrap() });
        // Long enough for the watch to lie down.
        std::thread::sleep(Duration::from_millis(3500));
        let switches = || -> u64 {
            let tasks = std::fs::read_dir("/proc/self/task").unwrap();
            tasks
                .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("status")).ok())
                .filter(|status| status.contains("heist-"))
                .flat_map(|status| {
                    let line = status
                        .lines()
                        .find(|line| line.starts_with("voluntary_ctxt_switches"))?;
                    line.split_whitespace().nth(1)?.parse::<u64>().ok()
                })
                .sum()
        };
        let before = switches();
        std::thread::sleep(Duration::from_secs(1));
        let woken = switches() - before;
        assert!(woken <= 1, "woken {woken} times in a second of nothing");
    });
}

#[test]
fn many_short_stalls() {
    bounded(120, || {
        let machine = Machine::watched();
        let runtime = multi(2);
        let mut waits = Vec::new();
        for _ in 0..scale(20, 30, 300) {
            let stalled = runtime.spawn(async {
                let (tx, rx) = mpsc::channel();
                // Woken by a task that yields in between, so it is not only the first spawn.
                task::yield_now().await;
                let mut turns = 2;
                heist::spawn(poll_fn(move |cx| {
                    turns -= 1;
                    if turns == 0 {
                        tx.send(()).unwrap();
                        return Poll::Ready(());
                    }
                    cx.waker().wake_by_ref();
                    Poll::Pending
                }));
                hold(&rx)
            });
            waits.push(runtime.block_on(stalled).unwrap().expect("helped"));
        }
        machine.assert_soon(waits);
    });
}
