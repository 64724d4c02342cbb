//! What only the classes promise.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use heist::runtime::{Builder, Runtime};
use heist::scheduler::{self, Class, Classes};
use heist::task::yield_now;

fn runtime(workers: usize, weights: (u32, u32, u32)) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(workers)
        .scheduler(move |workers| Classes::new(workers).weights(weights.0, weights.1, weights.2))
        .enable_all()
        .build()
        .unwrap()
}

/// Which classes had the turns, in order, while tasks of all three wanted to run.
fn turns(weights: (u32, u32, u32), count: usize) -> Vec<Class> {
    let runtime = runtime(1, weights);
    let log = Arc::new(Mutex::new(Vec::new()));
    let task = runtime.spawn({
        let log = Arc::clone(&log);
        async move {
            for class in [Class::Batch, Class::Normal, Class::Latency] {
                for _ in 0..count {
                    let log = Arc::clone(&log);
                    class.spawn(async move {
                        while log.lock().unwrap().len() < count {
                            log.lock().unwrap().push(class);
                            yield_now().await;
                        }
                    });
                }
            }
        }
    });
    runtime.block_on(task).unwrap();
    while log.lock().unwrap().len() < count {
        std::thread::yield_now();
    }
    drop(runtime);
    Arc::try_unwrap(log).unwrap().into_inner().unwrap()
}

#[test]
fn turns_go_by_weight() {
    for weights in [(16, 4, 1), (3, 2, 1), (1, 1, 1), (1, 2, 5)] {
        let lap = (weights.0 + weights.1 + weights.2) as usize;
        let turns = turns(weights, 21 * lap);
        // The first lap has begun before all were there.
        let of = |class| turns[lap..].iter().filter(|&&turn| turn == class).count();
        let (all, sum) = (20 * lap, lap);
        let near = |count: usize, weight: u32| {
            let share = all * weight as usize / sum;
            assert!(
                count.abs_diff(share) <= weight as usize,
                "{count} of {share}"
            );
        };
        near(of(Class::Latency), weights.0);
        near(of(Class::Normal), weights.1);
        near(of(Class::Batch), weights.2);
    }
}

#[test]
fn a_class_can_be_changed() {
    let runtime = runtime(2, (16, 4, 1));
    let task = runtime.spawn(async {
        assert_eq!(scheduler::tag(), Some(Class::Normal as u16));
        Class::Batch.enter();
        yield_now().await;
        assert_eq!(scheduler::tag(), Some(Class::Batch as u16));
        let inner = heist::spawn(async { scheduler::tag() }).await.unwrap();
        assert_eq!(inner, Some(Class::Normal as u16));
    });
    runtime.block_on(task).unwrap();
    assert_eq!(scheduler::tag(), None);
}

#[test]
#[should_panic(expected = "would starve")]
fn no_class_is_without_turns() {
    let _ = Classes::new(1).weights(1, 0, 1);
}

/// 200 batch tasks that never wait, and yet a latency task runs before the second of them has its turn.
#[test]
fn latency_does_not_wait_for_the_batch() {
    let runtime = runtime(1, (16, 4, 1));
    let turns = Arc::new(AtomicUsize::new(0));
    let waited = Arc::new(Mutex::new(Vec::new()));
    let batch: Vec<_> = (0..200)
        .map(|i| {
            let (turns, waited) = (Arc::clone(&turns), Arc::clone(&waited));
            let batch = async move {
                for turn in 0..50 {
                    let before = turns.fetch_add(1, SeqCst) + 1;
                    if (turn + i) % 20 == 0 {
                        let (turns, waited) = (Arc::clone(&turns), Arc::clone(&waited));
                        Class::Latency.spawn(async move {
                            waited.lock().unwrap().push(turns.load(SeqCst) - before);
                        });
                    }
                    yield_now().await;
                }
            };
            runtime.handle().spawn_tagged(Class::Batch as u16, batch)
        })
        .collect();
    runtime.block_on(async {
        for task in batch {
            task.await.unwrap();
        }
    });
    drop(runtime);
    let waited = waited.lock().unwrap();
    assert!(waited.len() > 400);
    assert!(waited.iter().all(|&turns| turns == 0), "{waited:?}");
}
