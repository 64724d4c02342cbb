//! One suite for all strategies: each test below is run for each of them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use heist::runtime::{Builder, Runtime};
use heist::scheduler::{Choice, Classes, GlobalQueue, RoundRobin, Sharded, WorkStealing};
use heist::sync::{mpsc, oneshot};
use heist::task::yield_now;

fn builder(choice: Choice, workers: usize) -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder
        .worker_threads(workers)
        .scheduler(choice)
        .enable_all();
    builder
}

/// Runs every test of the suite with one strategy.
macro_rules! suite {
    ($($strategy:ident: $choice:expr;)*) => { $(
        mod $strategy {
            use super::*;

            suite!(@tests $choice;
                every_task_runs_once_from_outside,
                every_task_runs_once_from_workers,
                a_wake_is_a_poll,
                channels_between_tasks,
                wakes_from_foreign_threads,
                yielding_tasks_starve_nobody,
                tasks_that_wake_each_other_starve_nobody,
                timers_and_io_go_on_beside_yielding_tasks,
                panics_go_to_the_handle,
                hooks_are_called,
                block_in_place_keeps_others_going,
                abort_ends_a_task,
                shutdown_drops_every_future,
                shutdown_beside_foreign_wakes,
                a_spawn_after_the_end_is_cancelled,
                a_drop_may_spawn_and_wake,
                an_idle_runtime_wakes_for_one_task,
                metrics_add_up,
            );
        }
    )* };
    (@tests $choice:expr; $($test:ident,)*) => { $(
        #[test]
        fn $test() {
            for workers in [1, 2, 4] {
                super::$test(&|| builder(Choice::from($choice), workers));
            }
        }
    )* };
}

suite! {
    work_stealing: WorkStealing;
    global_queue: GlobalQueue::new;
    round_robin: RoundRobin::new;
    classes: Classes::new;
    sharded: Sharded::new;
    sharded_pinned: |workers| Sharded::new(workers).pin_to_cores(true);
}

/// Gives a builder with the strategy under test.
type Make<'a> = &'a dyn Fn() -> Builder;

fn every_task_runs_once_from_outside(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let runs: Arc<Vec<AtomicUsize>> = Arc::new((0..2000).map(|_| AtomicUsize::new(0)).collect());
    let tasks: Vec<_> = (0..2000)
        .map(|i| {
            let runs = Arc::clone(&runs);
            runtime.spawn(async move {
                runs[i].fetch_add(1, SeqCst);
                i
            })
        })
        .collect();
    runtime.block_on(async {
        for (i, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.await.unwrap(), i);
        }
    });
    assert!(runs.iter().all(|run| run.load(SeqCst) == 1));
}

fn every_task_runs_once_from_workers(make: Make<'_>) {
    fn tree(depth: u32) -> Pin<Box<dyn Future<Output = usize> + Send>> {
        Box::pin(async move {
            if depth == 0 {
                return 1;
            }
            let (left, right) = (heist::spawn(tree(depth - 1)), heist::spawn(tree(depth - 1)));
            left.await.unwrap() + right.await.unwrap()
        })
    }
    let runtime = make().build().unwrap();
    let leaves = runtime.block_on(async { heist::spawn(tree(9)).await.unwrap() });
    assert_eq!(leaves, 512);
}

/// A future that is woken `left` times, by itself, while it is polled.
fn a_wake_is_a_poll(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    let mut left = 100;
    runtime
        .block_on(runtime.spawn(std::future::poll_fn(move |cx| {
            counted.fetch_add(1, SeqCst);
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        })))
        .unwrap();
    assert_eq!(polls.load(SeqCst), 101);
}

fn channels_between_tasks(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let total = runtime.block_on(async {
        let (results, mut sums) = mpsc::channel(4);
        for _ in 0..8 {
            let (sender, mut receiver) = mpsc::channel(3);
            for part in 0..4_u64 {
                let sender = sender.clone();
                heist::spawn(async move {
                    for i in 0..50 {
                        sender.send(part * 50 + i).await.unwrap();
                    }
                });
            }
            drop(sender);
            let results = results.clone();
            heist::spawn(async move {
                let mut sum = 0;
                while let Some(i) = receiver.recv().await {
                    sum += i;
                }
                results.send(sum).await.unwrap();
            });
        }
        drop(results);
        let mut total = 0;
        while let Some(sum) = sums.recv().await {
            total += sum;
        }
        total
    });
    assert_eq!(total, 8 * (199 * 200 / 2));
}

fn wakes_from_foreign_threads(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let mut tasks = Vec::new();
    let mut threads = Vec::new();
    for _ in 0..3 {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..200).map(|_| oneshot::channel::<usize>()).unzip();
        for receiver in receivers {
            tasks.push(runtime.spawn(async move { receiver.await.unwrap() }));
        }
        threads.push(std::thread::spawn(move || {
            for (i, sender) in senders.into_iter().enumerate() {
                sender.send(i).unwrap();
            }
        }));
    }
    let sum: usize = runtime.block_on(async {
        let mut sum = 0;
        for task in tasks {
            sum += task.await.unwrap();
        }
        sum
    });
    assert_eq!(sum, 3 * (199 * 200 / 2));
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

/// Keeps all workers busy with tasks that yield, until it is dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn new(runtime: &Runtime, tasks: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..tasks {
            let stop = Arc::clone(&stop);
            runtime.spawn(async move {
                while !stop.load(SeqCst) {
                    yield_now().await;
                }
            });
        }
        Self(stop)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

fn yielding_tasks_starve_nobody(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let _busy = Busy::new(&runtime, 20);
    // From outside, from a task, and by a wake out of a foreign thread.
    runtime.block_on(async {
        let (sender, receiver) = oneshot::channel();
        let waits = heist::spawn(receiver);
        let spawns = heist::spawn(async { heist::spawn(async { 7 }).await.unwrap() });
        assert_eq!(spawns.await.unwrap(), 7);
        sender.send(8).unwrap();
        assert_eq!(waits.await.unwrap().unwrap(), 8);
    });
}

fn tasks_that_wake_each_other_starve_nobody(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    for _ in 0..4 {
        let (there, mut here) = mpsc::channel(1);
        let (back, mut again) = mpsc::channel(1);
        runtime.spawn(async move {
            while let Some(()) = here.recv().await {
                if back.send(()).await.is_err() {
                    break;
                }
            }
        });
        let stop = Arc::clone(&stop);
        runtime.spawn(async move {
            while !stop.load(SeqCst) {
                if there.send(()).await.is_err() || again.recv().await.is_none() {
                    break;
                }
            }
        });
    }
    for _ in 0..50 {
        let task = runtime.spawn(async { heist::spawn(async { 1 }).await.unwrap() });
        assert_eq!(runtime.block_on(task).unwrap(), 1);
    }
    stop.store(true, SeqCst);
}

fn timers_and_io_go_on_beside_yielding_tasks(make: Make<'_>) {
    use heist::io::{AsyncReadExt, AsyncWriteExt};
    let runtime = make().build().unwrap();
    let _busy = Busy::new(&runtime, 8);
    runtime.block_on(async {
        heist::spawn(heist::time::sleep(Duration::from_millis(2)))
            .await
            .unwrap();
        let listener = heist::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = heist::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut bytes = [0; 5];
            socket.read_exact(&mut bytes).await.unwrap();
            socket.write_all(&bytes).await.unwrap();
        });
        let client = heist::spawn(async move {
            let mut socket = heist::net::TcpStream::connect(address).await.unwrap();
            socket.write_all(b"hello").await.unwrap();
            let mut bytes = [0; 5];
            socket.read_exact(&mut bytes).await.unwrap();
            bytes
        });
        assert_eq!(&client.await.unwrap(), b"hello");
        server.await.unwrap();
    });
}

fn panics_go_to_the_handle(make: Make<'_>) {
    let runtime = make().build().unwrap();
    runtime.block_on(async {
        for i in 0..20 {
            let task = heist::spawn(async move {
                yield_now().await;
                if i % 2 == 0 {
                    std::panic::resume_unwind(Box::new("on purpose"));
                }
            });
            let result = task.await;
            assert_eq!(result.is_err_and(|error| error.is_panic()), i % 2 == 0);
        }
    });
}

fn hooks_are_called(make: Make<'_>) {
    let counts: Arc<[AtomicUsize; 6]> = Arc::default();
    let count = |i: usize| {
        let counts = Arc::clone(&counts);
        move || {
            counts[i].fetch_add(1, SeqCst);
        }
    };
    let of_task = |i: usize| {
        let count = count(i);
        move |_: &heist::runtime::TaskMeta<'_>| count()
    };
    let runtime = make()
        .on_task_spawn(of_task(0))
        .on_task_terminate(of_task(1))
        .on_before_task_poll(of_task(2))
        .on_after_task_poll(of_task(3))
        .on_thread_park(count(4))
        .on_thread_unpark(count(5))
        .build()
        .unwrap();
    runtime.block_on(async {
        for _ in 0..30 {
            heist::spawn(yield_now()).await.unwrap();
        }
    });
    drop(runtime);
    let count = |i: usize| counts[i].load(SeqCst);
    assert_eq!((count(0), count(1), count(2), count(3)), (30, 30, 60, 60));
    assert!(count(4) >= count(5));
}

fn block_in_place_keeps_others_going(make: Make<'_>) {
    let runtime = make().build().unwrap();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..8)
            .map(|i| {
                heist::spawn(async move {
                    yield_now().await;
                    let value = heist::task::block_in_place(|| {
                        std::thread::sleep(Duration::from_millis(1));
                        i
                    });
                    yield_now().await;
                    value
                })
            })
            .collect();
        for (i, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.await.unwrap(), i);
        }
    });
}

fn abort_ends_a_task(make: Make<'_>) {
    let runtime = make().build().unwrap();
    runtime.block_on(async {
        let idle = heist::spawn(std::future::pending::<()>());
        let busy = heist::spawn(async {
            loop {
                yield_now().await;
            }
        });
        yield_now().await;
        idle.abort();
        busy.abort();
        assert!(idle.await.unwrap_err().is_cancelled());
        assert!(busy.await.unwrap_err().is_cancelled());
    });
}

/// Counts down when it is dropped.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

fn shutdown_drops_every_future(make: Make<'_>) {
    for _ in 0..10 {
        let runtime = make().build().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        for kind in 0..200 {
            let alive = Alive::new(&count);
            runtime.spawn(async move {
                let alive = alive;
                match kind % 4 {
                    0 => std::future::pending().await,
                    1 => loop {
                        yield_now().await;
                    },
                    2 => heist::time::sleep(Duration::from_secs(1000)).await,
                    _ => {
                        heist::spawn(async move {
                            let _alive = alive;
                            std::future::pending::<()>().await;
                        });
                    }
                }
            });
        }
        drop(runtime);
        assert_eq!(count.load(SeqCst), 0);
    }
}

/// Leaves its waker in a place that foreign threads wake from, for ever.
struct Exposed {
    wakers: Arc<std::sync::Mutex<Vec<Waker>>>,
    _alive: Alive,
}

impl Future for Exposed {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut wakers = self.wakers.lock().unwrap();
        if wakers.len() < 500 {
            wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

fn shutdown_beside_foreign_wakes(make: Make<'_>) {
    for _ in 0..10 {
        let runtime = make().build().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let wakers = Arc::new(std::sync::Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..20 {
            runtime.spawn(Exposed {
                wakers: Arc::clone(&wakers),
                _alive: Alive::new(&count),
            });
        }
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (wakers, stop) = (Arc::clone(&wakers), Arc::clone(&stop));
                std::thread::spawn(move || {
                    while !stop.load(SeqCst) {
                        let now: Vec<Waker> = wakers.lock().unwrap().clone();
                        now.iter().for_each(Waker::wake_by_ref);
                        std::thread::yield_now();
                    }
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(1));
        drop(runtime);
        assert_eq!(count.load(SeqCst), 0);
        stop.store(true, SeqCst);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        wakers.lock().unwrap().clear();
    }
}

fn a_spawn_after_the_end_is_cancelled(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let handle = runtime.handle().clone();
    drop(runtime);
    let task = handle.spawn(async { 1 });
    let result = futures::executor::block_on(task);
    assert!(result.unwrap_err().is_cancelled());
}

struct SpawnOnDrop(Option<oneshot::Sender<()>>);

impl Drop for SpawnOnDrop {
    fn drop(&mut self) {
        let _ = self.0.take().map(|sender| sender.send(()));
        heist::spawn(async {});
    }
}

fn a_drop_may_spawn_and_wake(make: Make<'_>) {
    for _ in 0..10 {
        let runtime = make().build().unwrap();
        for _ in 0..20 {
            let (sender, receiver) = oneshot::channel();
            runtime.spawn(async move {
                let _guard = SpawnOnDrop(Some(sender));
                std::future::pending::<()>().await;
            });
            runtime.spawn(async move {
                let _ = receiver.await;
                std::future::pending::<()>().await;
            });
        }
        drop(runtime);
    }
}

fn an_idle_runtime_wakes_for_one_task(make: Make<'_>) {
    let runtime = make().build().unwrap();
    for i in 0..100 {
        // Sometimes the workers have gone to sleep, sometimes they are about to.
        if i % 10 == 0 {
            std::thread::sleep(Duration::from_micros(300));
        }
        let begin = Instant::now();
        assert_eq!(
            runtime.block_on(runtime.spawn(async move { i })).unwrap(),
            i
        );
        assert!(begin.elapsed() < Duration::from_secs(30), "a lost wake");
    }
}

fn metrics_add_up(make: Make<'_>) {
    let runtime = make().build().unwrap();
    let metrics = runtime.metrics();
    runtime.block_on(async {
        for _ in 0..100 {
            heist::spawn(yield_now()).await.unwrap();
        }
    });
    assert_eq!(metrics.spawned_tasks_count(), 100);
    assert_eq!(metrics.num_alive_tasks(), 0);
    assert_eq!(metrics.global_queue_depth(), 0);
    let polls: u64 = (0..metrics.num_workers())
        .map(|worker| metrics.worker_poll_count(worker))
        .sum();
    assert_eq!(polls, 200);
}

/// What a turn made runnable waits for its worker, where a strategy has queues of workers.
#[test]
fn queue_depths() {
    const TASKS: usize = 20;
    let choices: [(&str, Choice, (usize, usize)); 5] = [
        // The one in its slot is next, and counts as running.
        ("stealing", WorkStealing.into(), (TASKS - 1, TASKS - 1)),
        ("global queue", GlobalQueue::new.into(), (0, TASKS)),
        ("round robin", RoundRobin::new.into(), (TASKS, TASKS)),
        ("classes", Classes::new.into(), (TASKS, TASKS)),
        ("sharded", Sharded::new.into(), (TASKS, TASKS)),
    ];
    for (name, choice, expected) in choices {
        let runtime = builder(choice, 1).build().unwrap();
        let depths = |metrics: heist::runtime::RuntimeMetrics| {
            let local = metrics.worker_local_queue_depth(0);
            (local, local + metrics.global_queue_depth())
        };
        let task = runtime.spawn(async move {
            let tasks: Vec<_> = (0..TASKS).map(|_| heist::spawn(async {})).collect();
            let full = depths(heist::runtime::Handle::current().metrics());
            for task in tasks {
                task.await.unwrap();
            }
            (full, depths(heist::runtime::Handle::current().metrics()))
        });
        let (full, empty) = runtime.block_on(task).unwrap();
        assert_eq!(full, expected, "{name}");
        assert_eq!(empty, (0, 0), "{name}");
    }
}
