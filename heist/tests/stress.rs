//! The engine under load: nothing is lost, nothing runs twice, nothing starves.
//!
//! Sizes follow the build (debug, release); `HEIST_STRESS=full` is for nights.

mod support;

use std::future::{Future, pending, poll_fn};
use std::io::ErrorKind::WouldBlock;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Barrier, Mutex, OnceLock, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures::task::AtomicWaker;
use heist::io::{AsyncReadExt, AsyncWriteExt};
use heist::net::{TcpListener, TcpStream};
use heist::runtime::{Builder, Handle, Runtime};
use heist::sync::{Notify, oneshot};
use heist::task::{self, JoinHandle};
use heist::time;
use support::{
    Counted, Rng, Tally, bounded, cores, eventually, in_child, multi, open_fds, rss_kib, scale,
    single, threads,
};

/// Is `Pending` for `left` polls, each time woken before it returns.
struct Turns {
    left: usize,
    held: Option<Counted>,
    polled_after_end: bool,
}

impl Future for Turns {
    type Output = Counted;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Counted> {
        assert!(!self.polled_after_end, "polled after it was ready");
        if self.left == 0 {
            self.polled_after_end = true;
            return Poll::Ready(self.held.take().expect("ready once"));
        }
        self.left -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[test]
fn each_of_millions_of_tasks_ends_once() {
    bounded(600, || {
        let tasks = scale(300_000, 2_000_000, 10_000_000);
        let runtime = multi(4);
        let tally = Tally::default();
        let spawners: Vec<_> = (0..4)
            .map(|spawner| {
                let tally = tally.clone();
                runtime.spawn(async move {
                    let mut handles = Vec::new();
                    for i in 0..tasks / 4 {
                        let future = Turns {
                            left: (i + spawner) % 3,
                            held: Some(tally.one()),
                            polled_after_end: false,
                        };
                        let handle = heist::spawn(future);
                        if i % 5 == 0 {
                            handles.push(handle);
                        }
                        if handles.len() == 100 {
                            for handle in handles.drain(..) {
                                handle.await.unwrap();
                            }
                        }
                    }
                    for handle in handles {
                        handle.await.unwrap();
                    }
                })
            })
            .collect();
        runtime.block_on(async {
            for spawner in spawners {
                spawner.await.unwrap();
            }
        });
        tally.becomes_even();
        assert_eq!(tally.made(), tasks / 4 * 4);
        eventually(5, "the runtime counts no task", || {
            runtime.metrics().num_alive_tasks() == 0
        });
    });
}

/// What a waker writes and its task sees.
#[derive(Default)]
struct Mailbox {
    /// Written before each wake, without any ordering: the wake is what carries it.
    written: AtomicU64,
    /// What the last poll saw.
    seen: AtomicU64,
    waker: OnceLock<Waker>,
    done: AtomicBool,
}

fn listener(mailbox: Arc<Mailbox>) -> impl Future<Output = ()> + Send {
    poll_fn(move |cx| {
        mailbox.waker.get_or_init(|| cx.waker().clone());
        let value = mailbox.written.load(Relaxed);
        mailbox.seen.fetch_max(value, SeqCst);
        if mailbox.done.load(Relaxed) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
}

/// `threads` foreign threads wake tasks; each wake is followed by a poll that sees what was written
/// before it.
fn storm(spawn: impl Fn(Arc<Mailbox>) -> JoinHandle<()>, threads: usize, wakes: usize) {
    let mailboxes: Vec<Arc<Mailbox>> = (0..16).map(|_| Arc::default()).collect();
    let tasks: Vec<_> = mailboxes.iter().map(|m| spawn(Arc::clone(m))).collect();
    eventually(40, "each task was polled", || {
        mailboxes.iter().all(|m| m.waker.get().is_some())
    });
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mailboxes = &mailboxes;
            scope.spawn(move || {
                let mut rng = Rng::new(thread as u64 + 1);
                for i in 0..wakes {
                    let mailbox = &mailboxes[rng.below(mailboxes.len())];
                    let value = mailbox.written.fetch_add(1, Relaxed) + 1;
                    let waker = mailbox.waker.get().expect("polled");
                    match rng.below(3) {
                        0 => {
                            let by_value = waker.clone();
                            by_value.wake();
                        }
                        _ => waker.wake_by_ref(),
                    }
                    // Mostly pile up; now and then wait for the very answer.
                    if i % 8 == 0 {
                        eventually(40, "a wake is followed by a poll", || {
                            mailbox.seen.load(SeqCst) >= value
                        });
                    }
                }
            });
        }
    });
    for mailbox in &mailboxes {
        let last = mailbox.written.load(SeqCst);
        eventually(40, "the last wake is followed by a poll", || {
            mailbox.seen.load(SeqCst) >= last
        });
        mailbox.done.store(true, Relaxed);
        mailbox.waker.get().expect("polled").wake_by_ref();
    }
    eventually(40, "every task ends", || {
        tasks.iter().all(JoinHandle::is_finished)
    });
}

#[test]
fn no_foreign_wake_is_lost() {
    bounded(300, || {
        for workers in [1, 2, 4] {
            let runtime = multi(workers);
            storm(
                |mailbox| runtime.spawn(listener(mailbox)),
                4,
                scale(5_000, 20_000, 1_000_000),
            );
        }
    });
}

#[test]
fn no_foreign_wake_is_lost_on_a_single_thread() {
    bounded(300, || {
        let runtime = single();
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let driver = std::thread::spawn(move || runtime.block_on(stopped));
        storm(
            |mailbox| handle.spawn(listener(mailbox)),
            4,
            scale(5_000, 20_000, 500_000),
        );
        stop.send(()).unwrap();
        driver.join().unwrap().unwrap();
    });
}

#[test]
fn the_root_future_loses_no_foreign_wake() {
    bounded(120, || {
        for runtime in [single(), multi(2)] {
            let mailbox = Arc::new(Mailbox::default());
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    eventually(40, "polled", || mailbox.waker.get().is_some());
                    for _ in 0..scale(3_000, 10_000, 200_000) {
                        let value = mailbox.written.fetch_add(1, Relaxed) + 1;
                        mailbox.waker.get().unwrap().wake_by_ref();
                        eventually(40, "a wake is followed by a poll", || {
                            mailbox.seen.load(SeqCst) >= value
                        });
                    }
                    mailbox.done.store(true, Relaxed);
                    mailbox.waker.get().unwrap().wake_by_ref();
                });
                runtime.block_on(listener(Arc::clone(&mailbox)));
            });
        }
    });
}

/// Spawns, wakes, aborts and drops of handles from foreign threads while the runtime goes down.
fn race_shutdown(runtime: Runtime, drive: bool, round: usize) {
    let tally = Tally::default();
    let handle = runtime.handle().clone();
    let wakers: Arc<Mutex<Vec<Waker>>> = Arc::default();
    let start = Arc::new(Barrier::new(4));
    let foreign: Vec<_> = (0..3)
        .map(|thread| {
            let (tally, handle) = (tally.clone(), handle.clone());
            let (wakers, start) = (Arc::clone(&wakers), Arc::clone(&start));
            std::thread::spawn(move || {
                let mut rng = Rng::new((round * 3 + thread) as u64);
                let mut handles = Vec::new();
                start.wait();
                for _ in 0..60 {
                    match rng.below(4) {
                        0 | 1 => {
                            let held = tally.one();
                            let wakers = Arc::clone(&wakers);
                            let turns = rng.below(4);
                            let mut polls = 0;
                            handles.push(handle.spawn(poll_fn(move |cx| {
                                let _held = &held;
                                polls += 1;
                                wakers.lock().unwrap().push(cx.waker().clone());
                                if polls == turns {
                                    return Poll::Ready(());
                                }
                                Poll::Pending
                            })));
                        }
                        2 => {
                            let waker = wakers.lock().unwrap().pop();
                            if let Some(waker) = waker {
                                waker.wake();
                            }
                        }
                        _ => {
                            if !handles.is_empty() {
                                let handle = handles.swap_remove(rng.below(handles.len()));
                                if rng.below(2) == 0 {
                                    handle.abort();
                                }
                            }
                        }
                    }
                }
                handles
            })
        })
        .collect();
    start.wait();
    for _ in 0..round % 50 {
        std::thread::yield_now();
    }
    if drive {
        runtime.block_on(async {
            for _ in 0..round % 20 {
                task::yield_now().await;
            }
        });
    }
    match round % 3 {
        0 => drop(runtime),
        1 => runtime.shutdown_timeout(Duration::from_secs(10)),
        _ => runtime.shutdown_background(),
    }
    let mut handles = Vec::new();
    for thread in foreign {
        handles.extend(thread.join().unwrap());
    }
    // After `shutdown_background` the last worker may still be at it.
    eventually(40, "every task ends", || {
        handles.iter().all(JoinHandle::is_finished)
    });
    drop(handles);
    wakers.lock().unwrap().drain(..).for_each(Waker::wake);
    tally.becomes_even();
}

#[test]
fn spawns_wakes_and_aborts_race_shutdown() {
    bounded(300, || {
        for round in 0..scale(200, 600, 10_000) {
            race_shutdown(multi(1 + round % 3), false, round);
        }
    });
}

#[test]
fn spawns_wakes_and_aborts_race_shutdown_of_a_single_thread() {
    bounded(300, || {
        for round in 0..scale(200, 600, 10_000) {
            race_shutdown(single(), round % 2 == 0, round);
        }
    });
}

/// Threads that have nothing of the runtime but wakers of its tasks wake while it goes away: what
/// they touch on their way into a queue must still be there.
#[test]
fn wakers_outrace_the_runtime() {
    bounded(300, || {
        for round in 0..scale(100, 200, 20_000) {
            let runtime = match round % 3 {
                0 => single(),
                workers => multi(workers),
            };
            let tally = Tally::default();
            let (tx, rx) = mpsc::channel();
            for _ in 0..8 {
                let (held, tx) = (tally.one(), tx.clone());
                let mut told = false;
                runtime.spawn(poll_fn(move |cx| {
                    let _held = &held;
                    if !std::mem::replace(&mut told, true) {
                        tx.send(cx.waker().clone()).unwrap();
                    }
                    Poll::<()>::Pending
                }));
            }
            runtime.block_on(task::yield_now());
            let wakers: Vec<_> = (0..8).map(|_| rx.recv().unwrap()).collect();
            let go = Arc::new(Barrier::new(3));
            let over = Arc::new(AtomicBool::new(false));
            let foreign: Vec<_> = (0..2)
                .map(|_| {
                    let (wakers, go, over) = (wakers.clone(), Arc::clone(&go), Arc::clone(&over));
                    std::thread::spawn(move || {
                        go.wait();
                        while !over.load(Relaxed) {
                            wakers.iter().for_each(Waker::wake_by_ref);
                        }
                        wakers.into_iter().for_each(Waker::wake);
                    })
                })
                .collect();
            go.wait();
            for _ in 0..round % 10 {
                std::thread::yield_now();
            }
            drop(runtime);
            tally.assert_even();
            over.store(true, Relaxed);
            for thread in foreign {
                thread.join().unwrap();
            }
        }
    });
}

/// Spawns one more generation when it is dropped.
struct SpawnsInDrop(Option<Counted>, Tally, usize);

impl Drop for SpawnsInDrop {
    fn drop(&mut self) {
        if self.2 > 0
            && let Ok(handle) = Handle::try_current()
        {
            let next = SpawnsInDrop(Some(self.1.one()), self.1.clone(), self.2 - 1);
            handle.spawn(async move {
                let _next = next;
                pending::<()>().await;
            });
        }
        self.0 = None;
    }
}

#[test]
fn tasks_may_spawn_from_drop() {
    bounded(120, || {
        for round in 0..scale(100, 300, 3_000) {
            let tally = Tally::default();
            let runtime = if round % 3 == 0 {
                single()
            } else {
                multi(round % 3)
            };
            let mut handles = Vec::new();
            for i in 0..20 {
                let held = SpawnsInDrop(Some(tally.one()), tally.clone(), 3);
                let handle = runtime.spawn(async move {
                    let _held = held;
                    if i % 2 == 0 {
                        pending::<()>().await;
                    }
                });
                handles.push(handle);
            }
            runtime.block_on(task::yield_now());
            for handle in handles.into_iter().step_by(2) {
                handle.abort();
            }
            drop(runtime);
            tally.assert_even();
            assert!(tally.made() >= 20);
        }
    });
}

#[test]
fn spawned_on_one_ended_on_another_dropped_on_a_third() {
    bounded(120, || {
        let runtime = multi(4);
        let tally = Tally::default();
        let tasks = scale(20_000, 100_000, 3_000_000);
        let (tx, rx) = mpsc::channel::<JoinHandle<Counted>>();
        let dropper = std::thread::spawn(move || {
            let mut rng = Rng::new(3);
            let mut kept = Vec::new();
            for handle in rx {
                // Before, while and after it ends.
                if rng.below(2) == 0 {
                    kept.push(handle);
                }
                if kept.len() > 64 {
                    kept.clear();
                }
            }
        });
        // Spawned here, woken (and so ended) from tasks of other workers.
        let spawner = runtime.spawn(async move {
            for i in 0..tasks {
                let (wake, woken) = oneshot::channel();
                let held = tally.one();
                tx.send(heist::spawn(async move {
                    let _ = woken.await;
                    held
                }))
                .unwrap();
                heist::spawn(async move {
                    if i % 3 == 0 {
                        task::yield_now().await;
                    }
                    let _ = wake.send(());
                });
                if i % 64 == 0 {
                    task::yield_now().await;
                }
            }
            tally
        });
        let tally = runtime.block_on(spawner).unwrap();
        dropper.join().unwrap();
        tally.becomes_even();
        assert_eq!(tally.made(), tasks);
    });
}

#[test]
fn many_runtimes_leave_nothing_behind() {
    in_child("many_runtimes_leave_nothing_behind", || {
        let round = |i: usize| {
            let runtime = match i % 3 {
                0 => single(),
                workers => multi(workers),
            };
            runtime.block_on(async {
                let tasks: Vec<_> = (0..10).map(|_| heist::spawn(task::yield_now())).collect();
                heist::spawn(pending::<()>());
                heist::spawn(time::sleep(Duration::from_secs(3600)));
                let _ = task::spawn_blocking(|| ()).await;
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                heist::spawn(async move { listener.accept().await.map(|_| ()) });
                task::yield_now().await;
                for task in tasks {
                    task.await.unwrap();
                }
            });
            if i.is_multiple_of(7) {
                runtime.shutdown_timeout(Duration::from_secs(10));
            }
        };
        (0..100).for_each(round);
        let (fds, memory, tasks) = (open_fds(), rss_kib(), threads());
        (0..scale(300, 1_000, 20_000)).for_each(round);
        eventually(40, "descriptors as before", || open_fds() <= fds);
        eventually(40, "threads as before", || threads() <= tasks);
        let now = rss_kib();
        assert!(
            now < memory + 4096,
            "memory went from {memory} to {now} KiB"
        );
    });
}

#[test]
fn more_workers_than_cores() {
    bounded(120, || {
        let runtime = multi(4 * cores().max(2));
        let hops = scale(20_000, 100_000, 2_000_000);
        // Rings of tasks that pass a token, each hop a wake of another task.
        let rings: Vec<_> = (0..8)
            .map(|_| {
                let stations: Arc<Vec<Notify>> = Arc::new((0..16).map(|_| Notify::new()).collect());
                let count = Arc::new(AtomicUsize::new(0));
                (0..16)
                    .map(|i| {
                        let (stations, count) = (Arc::clone(&stations), Arc::clone(&count));
                        runtime.spawn(async move {
                            loop {
                                if i > 0 || count.load(SeqCst) > 0 {
                                    stations[i].notified().await;
                                }
                                let hop = count.fetch_add(1, SeqCst);
                                stations[(i + 1) % 16].notify_one();
                                if hop >= hops / 8 {
                                    return;
                                }
                            }
                        })
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        runtime.block_on(async {
            for task in rings.into_iter().flatten() {
                task.await.unwrap();
            }
        });
    });
}

#[test]
fn storms_of_block_in_place() {
    bounded(200, || {
        let runtime = multi(2);
        let rounds = scale(300, 2_000, 50_000);
        let done = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..8)
            .map(|i| {
                let done = Arc::clone(&done);
                runtime.spawn(async move {
                    let mut rng = Rng::new(i);
                    for _ in 0..rounds {
                        match rng.below(5) {
                            0 => task::block_in_place(|| ()),
                            1 => task::block_in_place(std::thread::yield_now),
                            // Nested, and with tasks inside.
                            2 => task::block_in_place(|| {
                                task::block_in_place(|| ());
                                let inner = heist::spawn(async { task::block_in_place(|| 5) });
                                assert_eq!(Handle::current().block_on(inner).unwrap(), 5);
                            }),
                            // From a pool thread, which is no worker.
                            3 => task::spawn_blocking(|| task::block_in_place(|| ()))
                                .await
                                .unwrap(),
                            _ => task::yield_now().await,
                        }
                        done.fetch_add(1, SeqCst);
                    }
                })
            })
            .collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert_eq!(done.load(SeqCst), 8 * rounds);
        // Each worker is still one.
        let barrier = Arc::new(Barrier::new(2));
        let both: Vec<_> = (0..2)
            .map(|_| {
                let barrier = Arc::clone(&barrier);
                runtime.spawn(async move { barrier.wait().is_leader() })
            })
            .collect();
        let leaders = runtime.block_on(async {
            let mut leaders = 0;
            for task in both {
                leaders += usize::from(task.await.unwrap());
            }
            leaders
        });
        assert_eq!(leaders, 1);
    });
}

#[test]
fn block_in_place_races_shutdown() {
    bounded(300, || {
        for round in 0..scale(200, 800, 10_000) {
            let tally = Tally::default();
            let runtime = multi(1 + round % 2);
            for i in 0..6 {
                let held = tally.one();
                runtime.spawn(async move {
                    let _held = held;
                    for j in 0.. {
                        task::block_in_place(|| {
                            if (i + j) % 3 == 0 {
                                std::thread::yield_now();
                            }
                        });
                        task::yield_now().await;
                    }
                });
            }
            for _ in 0..round % 40 {
                std::thread::yield_now();
            }
            if round % 4 == 0 {
                runtime.shutdown_background();
                tally.becomes_even();
            } else {
                drop(runtime);
                tally.assert_even();
            }
        }
    });
}

#[test]
fn join_handles_polled_dropped_and_aborted_at_random() {
    bounded(200, || {
        let runtime = multi(3);
        let tally = Tally::default();
        let outputs = Tally::default();
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (runtime, tally, outputs) = (&runtime, &tally, &outputs);
                scope.spawn(move || {
                    let mut rng = Rng::new(thread + 7);
                    for _ in 0..scale(5_000, 20_000, 500_000) {
                        let (held, output) = (tally.one(), outputs.clone());
                        let turns = rng.below(4);
                        let mut handle = runtime.spawn(async move {
                            let _held = held;
                            for _ in 0..turns {
                                task::yield_now().await;
                            }
                            output.one()
                        });
                        let abort = handle.abort_handle();
                        for _ in 0..rng.below(30) {
                            std::hint::spin_loop();
                        }
                        match rng.below(6) {
                            0 => drop(handle),
                            1 => handle.abort(),
                            2 => {
                                handle.abort();
                                match runtime.block_on(handle) {
                                    Ok(output) => drop(output),
                                    Err(error) => assert!(error.is_cancelled()),
                                }
                            }
                            3 => {
                                // Polled with one waker, and with another, and dropped.
                                let mut cx = Context::from_waker(Waker::noop());
                                let _ = Pin::new(&mut handle).poll(&mut cx);
                                drop(handle);
                            }
                            4 => {
                                let mut cx = Context::from_waker(Waker::noop());
                                if Pin::new(&mut handle).poll(&mut cx).is_pending() {
                                    runtime.block_on(handle).unwrap();
                                }
                            }
                            _ => drop(runtime.block_on(handle).unwrap()),
                        }
                        if rng.below(2) == 0 {
                            abort.abort();
                        }
                    }
                });
            }
        });
        tally.becomes_even();
        outputs.becomes_even();
    });
}

/// Two tasks that wake each other without end, each time through the next-task slot.
fn ping_pong(spawn: &impl Fn(Pin<Box<dyn Future<Output = ()> + Send>>), stop: &Arc<AtomicBool>) {
    let pair = Arc::new([Notify::new(), Notify::new()]);
    for side in 0..2 {
        let (pair, stop) = (Arc::clone(&pair), Arc::clone(stop));
        spawn(Box::pin(async move {
            while !stop.load(Relaxed) {
                pair[1 - side].notify_one();
                pair[side].notified().await;
            }
            pair[1 - side].notify_one();
        }));
    }
}

/// Wakes itself in every poll, by the waker or by yielding, and spends no budget.
fn self_waking(stop: &Arc<AtomicBool>) -> impl Future<Output = ()> + Send + 'static {
    let stop = Arc::clone(stop);
    poll_fn(move |cx| {
        if stop.load(Relaxed) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
}

/// With all workers busy for ever, queued and injected tasks, timers and sockets get their turns.
fn nobody_starves(runtime: &Runtime, busy: impl Fn(&Arc<AtomicBool>)) {
    let stop = Arc::new(AtomicBool::new(false));
    busy(&stop);
    let started = Instant::now();
    let handle = runtime.handle().clone();
    let prober = std::thread::spawn(move || {
        for _ in 0..20 {
            // Injected, and from there spawned on a worker.
            let (tx, rx) = mpsc::channel();
            handle.spawn(async move {
                heist::spawn(async move { tx.send(()).unwrap() });
            });
            rx.recv_timeout(Duration::from_secs(40))
                .expect("an injected task runs");
            // A timer.
            let (tx, rx) = mpsc::channel();
            handle.spawn(async move {
                time::sleep(Duration::from_millis(2)).await;
                tx.send(()).unwrap();
            });
            rx.recv_timeout(Duration::from_secs(40))
                .expect("a timer fires");
            // A socket.
            let (tx, rx) = mpsc::channel();
            handle.spawn(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                let client = heist::spawn(async move {
                    let mut stream = TcpStream::connect(address).await.unwrap();
                    stream.write_all(b"hello").await.unwrap();
                });
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut text = [0; 5];
                stream.read_exact(&mut text).await.unwrap();
                client.await.unwrap();
                tx.send(text).unwrap();
            });
            let text = rx
                .recv_timeout(Duration::from_secs(40))
                .expect("a socket is served");
            assert_eq!(&text, b"hello");
        }
    });
    runtime.block_on(async {
        while !prober.is_finished() {
            task::yield_now().await;
        }
    });
    stop.store(true, SeqCst);
    prober.join().unwrap();
    // Generous, as the machine may be shared: alone it takes a sixtieth of it.
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn ping_pong_pairs_starve_nobody() {
    bounded(250, || {
        for runtime in [single(), multi(1), multi(2)] {
            nobody_starves(&runtime, |stop| {
                for _ in 0..4 {
                    ping_pong(&|future| drop(runtime.spawn(future)), stop);
                }
            });
        }
    });
}

#[test]
fn self_waking_tasks_starve_nobody() {
    bounded(250, || {
        for runtime in [single(), multi(1), multi(2)] {
            nobody_starves(&runtime, |stop| {
                for i in 0..6 {
                    if i % 2 == 0 {
                        runtime.spawn(self_waking(stop));
                    } else {
                        let stop = Arc::clone(stop);
                        runtime.spawn(async move {
                            while !stop.load(Relaxed) {
                                task::yield_now().await;
                            }
                        });
                    }
                }
            });
        }
    });
}

#[test]
fn ever_spawning_tasks_starve_nobody() {
    fn generation(stop: Arc<AtomicBool>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            if !stop.load(Relaxed) {
                heist::spawn(generation(stop));
            }
        })
    }
    bounded(250, || {
        for runtime in [single(), multi(1), multi(2)] {
            nobody_starves(&runtime, |stop| {
                for _ in 0..4 {
                    runtime.spawn(generation(Arc::clone(stop)));
                }
            });
        }
    });
}

#[test]
fn an_overflowing_queue_loses_nothing() {
    bounded(120, || {
        for workers in [0, 1, 4] {
            let runtime = if workers == 0 {
                single()
            } else {
                multi(workers)
            };
            for _ in 0..scale(3, 20, 300) {
                let tally = Tally::default();
                let runs = Arc::new(AtomicUsize::new(0));
                let handles = {
                    let (tally, runs) = (tally.clone(), Arc::clone(&runs));
                    runtime
                        .block_on(runtime.spawn(async move {
                            (0..10_000)
                                .map(|_| {
                                    let (held, runs) = (tally.one(), Arc::clone(&runs));
                                    heist::spawn(async move {
                                        let _held = held;
                                        runs.fetch_add(1, SeqCst);
                                    })
                                })
                                .collect::<Vec<_>>()
                        }))
                        .unwrap()
                };
                runtime.block_on(async {
                    for handle in handles {
                        handle.await.unwrap();
                    }
                });
                assert_eq!(runs.load(SeqCst), 10_000);
                tally.assert_even();
            }
        }
    });
}

#[test]
fn timers_from_many_threads_are_never_early_and_never_lost() {
    bounded(200, || {
        let runtime = multi(3);
        let fired = Arc::new(AtomicUsize::new(0));
        let each = scale(500, 3_000, 50_000);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (runtime, fired) = (&runtime, &fired);
                scope.spawn(move || {
                    let mut rng = Rng::new(thread + 31);
                    let mut handles = Vec::new();
                    for i in 0..each {
                        let wait = Duration::from_micros(rng.below(120_000) as u64);
                        let cancelled = rng.below(4) == 0;
                        let fired = Arc::clone(fired);
                        let sleep = move || async move {
                            let start = Instant::now();
                            if cancelled {
                                // Dropped before its time, mostly.
                                let _ = time::timeout(wait / 2, time::sleep(wait)).await;
                            }
                            time::sleep(wait).await;
                            let took = start.elapsed();
                            assert!(took >= wait, "{took:?} instead of {wait:?}");
                            fired.fetch_add(1, SeqCst);
                        };
                        if i % 50 == 0 {
                            // By a thread that is no worker.
                            runtime.block_on(sleep());
                        } else {
                            handles.push(runtime.spawn(sleep()));
                        }
                    }
                    runtime.block_on(async {
                        for handle in handles {
                            handle.await.unwrap();
                        }
                    });
                });
            }
        });
        assert_eq!(fired.load(SeqCst), 4 * each);
    });
}

/// What the servers of `echo` and their clients tell each other.
#[derive(Default)]
struct Exchange {
    /// Connections for which there was something to read, and no wake.
    missed: AtomicUsize,
    /// All clients have gone.
    over: AtomicBool,
}

/// Echoes to all who come.
async fn echo(listener: TcpListener, tally: Tally, exchange: Arc<Exchange>) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (held, exchange) = (tally.one(), Arc::clone(&exchange));
        heist::spawn(async move {
            let _held = held;
            let mut buffer = [0; 1024];
            let mut was_there = false;
            loop {
                match time::timeout(Duration::from_secs(5), stream.read(&mut buffer)).await {
                    Err(_) => {
                        let socket = stream.as_fd().try_clone_to_owned().unwrap();
                        let peeked = std::net::TcpStream::from(socket).peek(&mut [0]);
                        let is_there = !peeked.is_err_and(|error| error.kind() == WouldBlock);
                        if is_there && was_there {
                            exchange.missed.fetch_add(1, SeqCst);
                            return;
                        }
                        // A client that goes with bytes on their way resets the connection, and a system under
                        // load loses some of these: then the connection stays, and nothing ever comes.
                        if !is_there && exchange.over.load(SeqCst) {
                            return;
                        }
                        was_there = is_there;
                    }
                    Ok(Ok(0) | Err(_)) => return,
                    Ok(Ok(n)) => {
                        was_there = false;
                        if stream.write_all(&buffer[..n]).await.is_err() {
                            return;
                        }
                    }
                }
            }
        });
    }
}

#[test]
fn echo_with_500_connections_that_come_and_go() {
    bounded(300, || {
        for runtime in [multi(3), single()] {
            let tally = Tally::default();
            let exchange = Arc::new(Exchange::default());
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                heist::spawn(echo(listener, tally.clone(), Arc::clone(&exchange)));
                let clients: Vec<_> = (0..500u64)
                    .map(|client| {
                        heist::spawn(async move {
                            let mut rng = Rng::new(client + 1);
                            for life in 0..scale(2, 4, 40) as u64 {
                                let mut stream = TcpStream::connect(address).await.unwrap();
                                for message in 0..1 + rng.below(10) as u64 {
                                    let sent = [client, life, message, rng.below(99) as u64]
                                        .map(u64::to_le_bytes)
                                        .concat();
                                    stream.write_all(&sent).await.unwrap();
                                    let mut got = vec![0; sent.len()];
                                    stream.read_exact(&mut got).await.unwrap();
                                    assert_eq!(got, sent, "somebody else's bytes");
                                }
                                if rng.below(3) == 0 {
                                    // Goes without a word, and with bytes on their way.
                                    let _ = stream.write_all(b"never read").await;
                                }
                            }
                        })
                    })
                    .collect();
                for client in clients {
                    client.await.unwrap();
                }
                exchange.over.store(true, SeqCst);
                while tally.made() != tally.dropped() {
                    time::sleep(Duration::from_millis(1)).await;
                }
            });
            assert!(tally.made() >= 500);
            assert_eq!(
                exchange.missed.load(SeqCst),
                0,
                "there was something to read, and no wake"
            );
        }
    });
}

#[test]
fn several_threads_block_on_one_single_threaded_runtime() {
    bounded(120, || {
        let runtime = Arc::new(single());
        let count = Arc::new(AtomicUsize::new(0));
        let rounds = scale(200, 1_000, 20_000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let (runtime, count) = (Arc::clone(&runtime), Arc::clone(&count));
                scope.spawn(move || {
                    for _ in 0..rounds {
                        let got = runtime.block_on(async {
                            let inner = heist::spawn(async {
                                task::yield_now().await;
                                7
                            });
                            inner.await.unwrap()
                        });
                        assert_eq!(got, 7);
                        count.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!(count.load(SeqCst), 4 * rounds);
    });
}

#[test]
fn a_root_that_yields_lets_all_tasks_run_once() {
    // What programs rely on in tests: after one `yield_now`, each task that was there has run.
    bounded(60, || {
        let runtime = single();
        for _ in 0..100 {
            let runs = Arc::new(AtomicUsize::new(0));
            let spawn = |from: &Handle| {
                let runs = Arc::clone(&runs);
                from.spawn(async move { runs.fetch_add(1, SeqCst) });
            };
            // By this thread before it drives, by another one, and by the root.
            (0..10).for_each(|_| spawn(runtime.handle()));
            std::thread::scope(|scope| {
                scope.spawn(|| (0..10).for_each(|_| spawn(runtime.handle())));
            });
            runtime.block_on(async {
                (0..10).for_each(|_| spawn(&Handle::current()));
                task::yield_now().await;
            });
            assert_eq!(runs.load(SeqCst), 30);
        }
    });
}

#[test]
fn a_guest_that_is_woken_often_costs_no_memory() {
    in_child("a_guest_that_is_woken_often_costs_no_memory", || {
        let runtime = Arc::new(single());
        let waker = Arc::new(AtomicWaker::new());
        let polls = Arc::new(AtomicUsize::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let (drive, driven) = oneshot::channel::<()>();
        let started = Arc::new(Barrier::new(2));
        let driver = {
            let (runtime, started) = (Arc::clone(&runtime), Arc::clone(&started));
            std::thread::spawn(move || {
                runtime.block_on(async move {
                    started.wait();
                    driven.await.unwrap();
                });
            })
        };
        started.wait();
        let guest = {
            let (runtime, waker) = (Arc::clone(&runtime), Arc::clone(&waker));
            let (polls, stop) = (Arc::clone(&polls), Arc::clone(&stop));
            std::thread::spawn(move || {
                runtime.block_on(poll_fn(|cx| {
                    waker.register(cx.waker());
                    polls.fetch_add(1, SeqCst);
                    if stop.load(SeqCst) {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                }));
            })
        };
        let wake = |times: usize| {
            for _ in 0..times {
                let before = polls.load(SeqCst);
                eventually(40, "the guest is polled", || {
                    waker.wake();
                    polls.load(SeqCst) > before
                });
            }
        };
        eventually(40, "the guest came", || polls.load(SeqCst) > 0);
        wake(1_000);
        let memory = rss_kib();
        wake(scale(20_000, 60_000, 200_000));
        let now = rss_kib();
        stop.store(true, SeqCst);
        waker.wake();
        guest.join().unwrap();
        drive.send(()).unwrap();
        driver.join().unwrap();
        assert!(now < memory + 1024, "from {memory} to {now} KiB");
    });
}

#[test]
fn a_thread_that_was_a_worker_is_no_task_any_more() {
    // The thread that blocked in place goes to the pool with what was left of the task's budget. A
    // blocking function on it has no budget to run out of.
    bounded(120, || {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        for _ in 0..scale(50, 200, 2_000) {
            let spent = runtime.spawn(async {
                let (worker, is_there) = mpsc::channel();
                // Spend all of it.
                poll_fn(|cx| {
                    while task::coop::has_budget_remaining() {
                        match task::coop::poll_proceed(cx) {
                            Poll::Ready(unit) => unit.made_progress(),
                            Poll::Pending => break,
                        }
                    }
                    Poll::Ready(())
                })
                .await;
                heist::spawn(async move { worker.send(()).unwrap() });
                task::block_in_place(|| {
                    // Another thread is the worker now.
                    is_there.recv_timeout(Duration::from_secs(60)).unwrap();
                });
                std::thread::current().id()
            });
            runtime.block_on(spent).unwrap();
            let unlimited = runtime.spawn_blocking(|| {
                let mut cx = Context::from_waker(Waker::noop());
                (0..1000).all(|_| {
                    let unit = task::coop::poll_proceed(&mut cx);
                    match unit {
                        Poll::Ready(unit) => {
                            unit.made_progress();
                            true
                        }
                        Poll::Pending => false,
                    }
                })
            });
            assert!(
                runtime.block_on(unlimited).unwrap(),
                "a blocking function has a budget"
            );
        }
    });
}
