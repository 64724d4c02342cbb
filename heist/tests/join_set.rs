//! Sets of tasks that are joined as they end.
#![forbid(unsafe_code)]

mod support;

use std::future::{Future, pending};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use heist::runtime::{Builder, Runtime};
use heist::sync::oneshot;
use heist::task::{JoinSet, LocalSet};
use support::{bounded, eventually};

fn multi_thread() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Counts its drops.
struct OnDrop(Arc<AtomicUsize>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn gives_each_output_once() {
    bounded(60, || {
        multi_thread().block_on(async {
            for size in [0usize, 1, 2, 100, 5_000] {
                let mut set: JoinSet<usize> = (0..size).map(|i| async move { i }).collect();
                assert_eq!((set.len(), set.is_empty()), (size, size == 0));
                let mut seen = vec![false; size];
                while let Some(output) = set.join_next().await {
                    assert!(!std::mem::replace(&mut seen[output.unwrap()], true));
                }
                assert!(seen.iter().all(|&seen| seen));
                assert!(set.is_empty());
                assert!(set.join_next().await.is_none());
                assert!(set.try_join_next().is_none());
            }
        });
    });
}

#[test]
fn in_the_order_in_which_they_end() {
    current_thread().block_on(async {
        let mut set = JoinSet::new();
        let mut senders = Vec::new();
        for i in 0..8 {
            let (tx, rx) = oneshot::channel::<()>();
            senders.push(Some(tx));
            set.spawn(async move {
                rx.await.unwrap();
                i
            });
        }
        let order = [3, 1, 7, 0, 2, 6, 5, 4];
        for i in order {
            senders[i].take().unwrap().send(()).unwrap();
            // Ends before the next one is let go.
            heist::task::yield_now().await;
        }
        assert_eq!(set.join_all().await, order);
    });
}

#[test]
fn places_are_used_again() {
    bounded(60, || {
        multi_thread().block_on(async {
            let mut set = JoinSet::new();
            let (mut spawned, mut joined) = (0u64, 0u64);
            for _ in 0..16 {
                set.spawn(async move { spawned });
                spawned += 1;
            }
            while let Some(output) = set.join_next().await {
                output.unwrap();
                joined += 1;
                if spawned < 20_000 {
                    set.spawn(async move {
                        if spawned % 3 == 0 {
                            heist::task::yield_now().await;
                        }
                        spawned
                    });
                    spawned += 1;
                }
            }
            assert_eq!(joined, spawned);
        });
    });
}

#[test]
fn detached_tasks_go_on_and_do_not_come_back() {
    bounded(60, || {
        multi_thread().block_on(async {
            let ended = Arc::new(AtomicUsize::new(0));
            let mut set = JoinSet::new();
            for round in 0..500 {
                for _ in 0..8 {
                    let ended = Arc::clone(&ended);
                    // Some have ended, some are ending, some wait when they are detached.
                    set.spawn(async move {
                        heist::task::yield_now().await;
                        ended.fetch_add(1, SeqCst);
                        usize::MAX
                    });
                }
                set.detach_all();
                assert!(set.is_empty());
                // New ones take the places; only they are joined.
                set.spawn(async move { round });
                set.spawn(async move { round });
                while let Some(output) = set.join_next().await {
                    assert_eq!(output.unwrap(), round);
                }
            }
            eventually(30, "all detached tasks end", || ended.load(SeqCst) == 4000);
        });
    });
}

#[test]
fn dropping_aborts_all() {
    bounded(60, || {
        multi_thread().block_on(async {
            let drops = Arc::new(AtomicUsize::new(0));
            let mut set = JoinSet::new();
            for _ in 0..100 {
                let guard = OnDrop(Arc::clone(&drops));
                set.spawn(async move {
                    let _guard = guard;
                    pending::<()>().await;
                });
            }
            drop(set);
            eventually(30, "all futures are dropped", || drops.load(SeqCst) == 100);
        });
    });
}

#[test]
fn shutdown_waits_for_the_aborted() {
    for runtime in [multi_thread(), current_thread()] {
        runtime.block_on(async {
            let drops = Arc::new(AtomicUsize::new(0));
            let mut set = JoinSet::new();
            for i in 0..100 {
                let guard = OnDrop(Arc::clone(&drops));
                set.spawn(async move {
                    let _guard = guard;
                    match i % 3 {
                        0 => pending().await,
                        1 => panic!("not joined"),
                        _ => (),
                    }
                });
            }
            set.shutdown().await;
            assert!(set.is_empty());
            assert_eq!(drops.load(SeqCst), 100);
        });
    }
}

#[test]
fn aborted_and_panicked_tasks_are_told_apart() {
    current_thread().block_on(async {
        let mut set = JoinSet::new();
        let aborted = set.spawn(pending::<u8>());
        let panicked = set.spawn(async { panic!("boom") });
        let fine = set.spawn(async { 5 });
        aborted.abort();
        let mut ids = Vec::new();
        while let Some(output) = set.join_next_with_id().await {
            match output {
                Ok((id, output)) => {
                    assert_eq!((id, output), (fine.id(), 5));
                    ids.push(id);
                }
                Err(error) => {
                    assert_eq!(error.is_panic(), error.id() == panicked.id());
                    assert_eq!(error.is_cancelled(), error.id() == aborted.id());
                    ids.push(error.id());
                }
            }
        }
        assert_eq!(ids.len(), 3);
        for handle in [aborted, panicked, fine] {
            assert!(handle.is_finished() && ids.contains(&handle.id()));
        }
    });
}

#[test]
fn join_all_passes_panics_on() {
    let runtime = current_thread();
    let joined = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            let mut set = JoinSet::new();
            set.spawn(async { panic!("boom") });
            set.spawn(pending::<()>());
            set.join_all().await
        })
    }));
    assert_eq!(*joined.unwrap_err().downcast::<&str>().unwrap(), "boom");
}

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn wakes_whoever_polled_last_and_only_when_a_task_ended() {
    let runtime = current_thread();
    let _entered = runtime.enter();
    let counts = [0, 1].map(|_| Arc::new(Count(AtomicUsize::new(0))));
    let wakers = counts.clone().map(Waker::from);
    let mut set = JoinSet::new();
    let (tx, rx) = oneshot::channel::<()>();
    set.spawn(async move { rx.await.unwrap() });
    set.spawn(async {
        for _ in 0..10 {
            heist::task::yield_now().await;
        }
        pending().await
    });
    for waker in &wakers {
        let polled = set.poll_join_next(&mut Context::from_waker(waker));
        assert!(polled.is_pending());
    }
    let turns = || async {
        for _ in 0..100 {
            heist::task::yield_now().await;
        }
    };
    runtime.block_on(turns());
    assert_eq!(counts.each_ref().map(|count| count.0.load(SeqCst)), [0, 0]);
    tx.send(()).unwrap();
    runtime.block_on(turns());
    assert_eq!(counts.each_ref().map(|count| count.0.load(SeqCst)), [0, 1]);
    let mut cx = Context::from_waker(&wakers[0]);
    assert!(matches!(
        set.poll_join_next(&mut cx),
        Poll::Ready(Some(Ok(())))
    ));
    assert!(set.poll_join_next(&mut cx).is_pending());
}

#[test]
fn join_next_is_cancel_safe() {
    bounded(60, || {
        multi_thread().block_on(async {
            let mut set: JoinSet<u32> = (0..1000).map(|i| async move { i }).collect();
            let mut joined = 0;
            while !set.is_empty() {
                let mut next = pin!(set.join_next());
                // One poll, and dropped if it is not ready.
                if let Poll::Ready(output) =
                    std::future::poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx))).await
                {
                    output.unwrap().unwrap();
                    joined += 1;
                } else {
                    heist::task::yield_now().await;
                }
            }
            assert_eq!(joined, 1000);
        });
    });
}

#[test]
fn blocking_functions_and_other_runtimes() {
    let (here, other) = (current_thread(), multi_thread());
    here.block_on(async {
        let mut set = JoinSet::new();
        set.spawn_blocking(|| 1);
        set.spawn_blocking_on(|| 2, other.handle());
        set.spawn_on(async { 4 }, other.handle());
        set.build_task().name("eight").spawn(async { 8 }).unwrap();
        assert_eq!(set.join_all().await.iter().sum::<i32>(), 15);
    });
}

#[test]
fn local_tasks() {
    current_thread().block_on(async {
        let local = LocalSet::new();
        let mut set = JoinSet::new();
        set.spawn_local_on(async { std::rc::Rc::new(1) }, &local);
        let sum = local
            .run_until(async {
                set.spawn_local(async { std::rc::Rc::new(2) });
                set.join_all().await.iter().map(|n| **n).sum::<i32>()
            })
            .await;
        assert_eq!(sum, 3);
    });
}

#[test]
fn a_set_that_never_runs_dry_spends_budget() {
    bounded(60, || {
        current_thread().block_on(async {
            let mut set = JoinSet::new();
            (0..4).for_each(|_| drop(set.spawn(async {})));
            let beside = heist::spawn(async {});
            // Refills itself, and ends only if the other task had its turn.
            while set.join_next().await.is_some() {
                if beside.is_finished() {
                    break;
                }
                set.spawn(async {});
            }
        });
    });
}

#[test]
fn in_a_timeout() {
    current_thread().block_on(async {
        let mut set = JoinSet::new();
        set.spawn(pending::<()>());
        let timeout = heist::time::timeout(Duration::from_millis(5), set.join_next()).await;
        assert!(timeout.is_err());
        assert_eq!(set.len(), 1);
    });
}

#[test]
fn outputs_are_dropped_with_the_set() {
    bounded(60, || {
        let drops = Arc::new(AtomicUsize::new(0));
        let runtime = multi_thread();
        for _ in 0..300 {
            let set: JoinSet<OnDrop> = {
                let _entered = runtime.enter();
                (0..4)
                    .map(|_| {
                        let output = OnDrop(Arc::clone(&drops));
                        async move { output }
                    })
                    .collect()
            };
            drop(set);
        }
        eventually(30, "all outputs are dropped", || drops.load(SeqCst) == 1200);
    });
}
