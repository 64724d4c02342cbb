//! The runtime as a program sees it: spawning, joining, blocking, shutting down.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::time::Duration;

use heist::runtime::{Builder, Handle, Runtime};
use heist::task;

fn runtimes() -> [Runtime; 3] {
    [
        Builder::new_current_thread().enable_all().build().unwrap(),
        Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap(),
        Builder::new_multi_thread()
            .worker_threads(4)
            .enable_all()
            .build()
            .unwrap(),
    ]
}

#[test]
fn block_on_gives_the_output() {
    for runtime in runtimes() {
        assert_eq!(runtime.block_on(async { 42 }), 42);
    }
}

#[test]
fn spawned_tasks_run_and_are_joined() {
    for runtime in runtimes() {
        let sum = runtime.block_on(async {
            let tasks: Vec<_> = (0..1000u64)
                .map(|i| heist::spawn(async move { i }))
                .collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await.unwrap();
            }
            sum
        });
        assert_eq!(sum, 499_500);
    }
}

#[test]
fn yield_now_lets_others_run() {
    for runtime in runtimes() {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..100)
                .map(|_| {
                    heist::spawn(async {
                        for _ in 0..100 {
                            task::yield_now().await;
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        });
    }
}

#[test]
fn tasks_are_spawned_from_other_threads() {
    for runtime in runtimes() {
        let handle = runtime.handle().clone();
        let tasks: Vec<_> =
            std::thread::spawn(move || (0..100).map(|i| handle.spawn(async move { i })).collect())
                .join()
                .unwrap();
        runtime.block_on(async move {
            for (i, task) in tasks.into_iter().enumerate() {
                assert_eq!(task.await.unwrap(), i);
            }
        });
    }
}

#[test]
fn blocking_functions_run_beside() {
    for runtime in runtimes() {
        let outputs = runtime.block_on(async {
            let tasks: Vec<_> = (0..50)
                .map(|i| task::spawn_blocking(move || i * 2))
                .collect();
            let mut outputs = Vec::new();
            for task in tasks {
                outputs.push(task.await.unwrap());
            }
            outputs
        });
        assert_eq!(outputs, (0..50).map(|i| i * 2).collect::<Vec<_>>());
    }
}

#[test]
fn a_panic_is_the_handles() {
    for runtime in runtimes() {
        runtime.block_on(async {
            let error = heist::spawn(async { panic!("on purpose") })
                .await
                .unwrap_err();
            assert!(error.is_panic());
            assert_eq!(
                *error.into_panic().downcast::<&str>().unwrap(),
                "on purpose"
            );
            assert_eq!(heist::spawn(async { 1 }).await.unwrap(), 1);
        });
    }
}

#[test]
fn abort_cancels_and_drops_the_future() {
    for runtime in runtimes() {
        runtime.block_on(async {
            let (tx, rx) = mpsc::channel::<()>();
            let task = heist::spawn(async move {
                let _held = tx;
                pending::<()>().await;
            });
            task::yield_now().await;
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
            assert!(rx.recv().is_err(), "the future and all it held is gone");
        });
    }
}

#[test]
fn dropping_the_runtime_drops_every_task() {
    struct CountDrop(Arc<AtomicUsize>);
    impl Drop for CountDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    for runtime in runtimes() {
        let dropped = Arc::new(AtomicUsize::new(0));
        for i in 0..200 {
            let held = CountDrop(Arc::clone(&dropped));
            runtime.spawn(async move {
                let _held = held;
                if i % 2 == 0 {
                    task::yield_now().await;
                }
                pending::<()>().await;
            });
        }
        runtime.block_on(async { task::yield_now().await });
        drop(runtime);
        assert_eq!(dropped.load(SeqCst), 200);
    }
}

#[test]
fn spawning_after_shutdown_gives_a_cancelled_handle() {
    for runtime in runtimes() {
        let handle = runtime.handle().clone();
        drop(runtime);
        let mut task = handle.spawn(async {});
        assert!(task.is_finished());
        let waker = std::task::Waker::noop();
        let mut cx = std::task::Context::from_waker(waker);
        let Poll::Ready(output) = std::future::Future::poll(std::pin::Pin::new(&mut task), &mut cx)
        else {
            panic!("it is finished");
        };
        assert!(output.unwrap_err().is_cancelled());
        let blocking = handle.spawn_blocking(|| ());
        assert!(blocking.is_finished());
    }
}

#[test]
fn wakers_may_outlive_the_runtime() {
    for runtime in runtimes() {
        let (tx, rx) = mpsc::channel();
        runtime.spawn(std::future::poll_fn(move |cx| {
            tx.send(cx.waker().clone()).unwrap();
            Poll::<()>::Pending
        }));
        runtime.block_on(async { task::yield_now().await });
        let waker = rx.recv().unwrap();
        drop(runtime);
        let another = waker.clone();
        waker.wake_by_ref();
        waker.wake();
        drop(another);
    }
}

#[test]
fn block_in_place_hands_the_worker_on() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        heist::spawn(async {
            let (tx, rx) = mpsc::channel();
            heist::spawn(async move { tx.send("from a sibling").unwrap() });
            let got = task::block_in_place(move || rx.recv_timeout(Duration::from_secs(60)));
            assert_eq!(got, Ok("from a sibling"));
        })
        .await
        .unwrap();
    });
}

#[test]
fn short_blocks_in_place_do_not_heap_up_threads() {
    let begun = Arc::new(AtomicUsize::new(0));
    let counted = begun.clone();
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(move || {
            counted.fetch_add(1, SeqCst);
        })
        .build()
        .unwrap();
    let task = runtime.spawn(async {
        for _ in 0..5_000 {
            task::block_in_place(|| ());
        }
    });
    runtime.block_on(task).unwrap();
    drop(runtime);
    let begun = begun.load(SeqCst);
    // Its worker and a substitute, and a few more if those that come in vain are slow to be idle again.
    assert!(begun < 20, "{begun} threads");
}

#[test]
fn block_on_may_be_nested_in_block_in_place() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let got = runtime.block_on(async {
        heist::spawn(async {
            task::block_in_place(|| {
                Handle::current().block_on(async {
                    let inner = heist::spawn(async { task::block_in_place(|| 3) });
                    task::yield_now().await;
                    inner.await.unwrap()
                })
            })
        })
        .await
        .unwrap()
    });
    assert_eq!(got, 3);
}

#[test]
fn handle_current_is_the_runtimes_own() {
    assert!(Handle::try_current().is_err());
    for runtime in runtimes() {
        let id = runtime.handle().id();
        assert_eq!(runtime.block_on(async { Handle::current().id() }), id);
        assert_eq!(
            runtime.block_on(async {
                heist::spawn(async { Handle::current().id() })
                    .await
                    .unwrap()
            }),
            id
        );
        let blocking = runtime.block_on(async {
            task::spawn_blocking(|| Handle::current().id())
                .await
                .unwrap()
        });
        assert_eq!(blocking, id);
        let guard = runtime.enter();
        assert_eq!(Handle::current().id(), id);
        drop(guard);
        assert!(Handle::try_current().is_err());
    }
}

/// What a task holds that waits, or that was never begun, may be what a stuck one waits for.
#[test]
fn a_runtime_ends_that_has_a_worker_stuck_on_what_another_task_holds() {
    for begun in [true, false] {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .unwrap();
        let (held, waits) = mpsc::channel::<()>();
        let (stuck, is_stuck) = mpsc::channel();
        runtime.spawn(async move {
            let holder = heist::spawn(async move {
                let _held = held;
                pending::<()>().await;
            });
            if begun {
                task::yield_now().await;
            }
            stuck.send(()).unwrap();
            assert!(waits.recv().is_err());
            drop(holder);
        });
        is_stuck.recv().unwrap();
        drop(runtime);
    }
}

/// The same with what waits behind much else.
#[test]
fn a_runtime_ends_that_has_a_worker_stuck_on_the_last_of_many() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    let (entered, has_entered) = mpsc::channel();
    let enter = |gate: mpsc::Receiver<()>| {
        let entered = entered.clone();
        async move {
            entered.send(()).unwrap();
            assert!(gate.recv().is_err());
        }
    };
    let (held, waits) = mpsc::channel::<()>();
    runtime.spawn(enter(waits));
    has_entered.recv().unwrap();
    let (first, gate) = mpsc::channel::<()>();
    runtime.spawn(enter(gate));
    has_entered.recv().unwrap();
    // The other worker takes some of these, and has to wait in the first; the rest stays in front of the last.
    let (second, gate) = mpsc::channel::<()>();
    runtime.spawn(enter(gate));
    for _ in 0..600 {
        runtime.spawn(async {});
    }
    drop(first);
    has_entered.recv().unwrap();
    runtime.spawn(async move { drop(held) });
    let opener = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(second);
    });
    drop(runtime);
    opener.join().unwrap();
}

/// They would have a thread each, but for the order in which threads are made.
#[test]
fn blocking_functions_that_could_have_had_a_thread_are_run_before_the_end() {
    for runtime in runtimes() {
        let ran = Arc::new(AtomicUsize::new(0));
        for _ in 0..20 {
            let ran = Arc::clone(&ran);
            runtime.spawn_blocking(move || {
                std::thread::sleep(Duration::from_millis(5));
                ran.fetch_add(1, SeqCst);
            });
        }
        drop(runtime);
        assert_eq!(ran.load(SeqCst), 20);
    }
}

/// Spawns when it is dropped.
struct Heir(mpsc::Sender<bool>);

impl Drop for Heir {
    fn drop(&mut self) {
        let found = Handle::try_current().is_ok();
        self.0.send(found).unwrap();
    }
}

#[test]
fn what_block_on_drops_is_dropped_in_the_runtime() {
    for runtime in runtimes() {
        let handle = runtime.handle().clone();
        let (tx, found) = mpsc::channel();
        let brief = || {
            let heir = Heir(tx.clone());
            let endless = async move {
                let _heir = heir;
                pending::<()>().await;
            };
            let mut endless = Box::pin(endless);
            std::future::poll_fn(move |cx| {
                assert!(endless.as_mut().poll(cx).is_pending());
                Poll::Ready(())
            })
        };
        runtime.block_on(brief());
        assert!(found.recv().unwrap());
        handle.block_on(brief());
        assert!(found.recv().unwrap());
    }
}

/// The thread of a current-thread runtime is its own again when the future is dropped.
#[test]
fn what_block_on_drops_may_block() {
    let [alone, _, other] = runtimes();
    alone.block_on(std::future::poll_fn(move |_| {
        let _held = &other;
        Poll::Ready(())
    }));
}

#[test]
fn a_stuck_worker_may_wait_for_what_it_spawns_at_the_end() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    let (stuck, is_stuck) = mpsc::channel();
    let (ended, has_ended) = mpsc::channel::<()>();
    runtime.spawn(async move {
        stuck.send(()).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let (held, waits) = mpsc::channel::<()>();
        heist::spawn(async move { drop(held) });
        assert!(waits.recv().is_err());
        drop(ended);
    });
    is_stuck.recv().unwrap();
    drop(runtime);
    assert!(has_ended.recv().is_err());
}

/// What blocking functions hold that are cancelled at the end, too.
#[test]
fn what_a_cancelled_blocking_function_drops_is_dropped_in_the_runtime() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (begun, has_begun) = mpsc::channel();
    let (open, gate) = mpsc::channel::<()>();
    runtime.spawn_blocking(move || {
        begun.send(()).unwrap();
        let _ = gate.recv();
    });
    has_begun.recv().unwrap();
    let (tx, found) = mpsc::channel();
    let heir = Heir(tx);
    let cancelled = runtime.spawn_blocking(move || drop(heir));
    runtime.shutdown_background();
    assert!(found.recv().unwrap());
    assert!(cancelled.is_finished());
    drop(open);
}

#[test]
fn a_handles_block_on_has_a_budget() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let (semaphore, done) = (heist::sync::Semaphore::new(1), std::cell::Cell::new(false));
    runtime.handle().block_on(async {
        heist::join!(
            async {
                while !done.get() {
                    drop(semaphore.acquire().await.unwrap());
                }
            },
            async { done.set(true) }
        )
    });
}

#[test]
fn who_drives_one_runtime_alone_does_not_block_in_place_for_another() {
    let [alone, _, many] = runtimes();
    let handle = many.handle().clone();
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        alone.block_on(async {
            let _entered = handle.enter();
            task::block_in_place(|| ());
        });
    }));
    assert!(refused.is_err());
    assert_eq!(many.block_on(async { task::block_in_place(|| 3) }), 3);
    // Who only waits for something of it does not drive it.
    let guest = alone
        .handle()
        .block_on(async { task::block_in_place(|| 4) });
    assert_eq!(guest, 4);
}

#[test]
fn io_uring_is_io() {
    let runtime = Builder::new_current_thread()
        .enable_io_uring()
        .build()
        .unwrap();
    let bound = runtime.block_on(heist::net::TcpListener::bind("127.0.0.1:0"));
    assert!(bound.is_ok());
}

#[test]
fn who_built_a_current_thread_runtime_is_its_worker_until_another_drives_it() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let here = Some(std::thread::current().id());
    assert_eq!(runtime.metrics().worker_thread_id(0), here);
    std::thread::scope(|scope| {
        let driven = scope.spawn(|| {
            runtime.block_on(async {});
            Some(std::thread::current().id())
        });
        let other = driven.join().unwrap();
        assert_eq!(runtime.metrics().worker_thread_id(0), other);
    });
}

/// Beside something that spends all of the budget whenever it is polled.
#[test]
fn who_is_notified_hears_of_it() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let stop = heist::sync::Notify::new();
    let (tx, mut rx) = heist::sync::mpsc::unbounded_channel();
    (0..1000).for_each(|i| tx.send(i).unwrap());
    let mut received = 0;
    runtime.block_on(async {
        heist::select! {
            biased;
            () = async {
                while rx.recv().await.is_some() {
                    received += 1;
                    tx.send(0).unwrap();
                    stop.notify_one();
                }
            } => unreachable!("there is always more"),
            () = stop.notified() => {}
        }
    });
    // It was sent away once.
    assert_eq!(received, 256);
}

/// Where each wait has a place in the queue before it is awaited, and is over by then.
#[test]
fn who_is_always_notified_gives_way() {
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let other = heist::spawn(async {});
        let notify = heist::sync::Notify::new();
        let mut waits = 0;
        while !other.is_finished() {
            let mut notified = std::pin::pin!(notify.notified());
            notified.as_mut().enable();
            notify.notify_one();
            notified.await;
            waits += 1;
            assert!(waits < 1_000, "nobody else has a turn");
        }
    });
}
