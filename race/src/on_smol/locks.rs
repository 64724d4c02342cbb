//! As `workloads/locks.rs`, on async-lock.

use std::future::Future;
use std::sync::Arc;

use smol::future::yield_now;
use smol::lock::{Mutex, RwLock, Semaphore};

use super::{Crew, Entry};
use crate::counts::{BRIEF_LOCKS, HELD_LOCKS, LOCKERS, PERMITS};
use crate::workload::Round;

pub(super) const ENTRIES: &[Entry] = &[
    ("mutex_brief", |workers| mutex(workers, BRIEF_LOCKS, false)),
    ("mutex_held", |workers| mutex(workers, HELD_LOCKS, true)),
    ("rwlock_brief", |workers| {
        rwlock(workers, BRIEF_LOCKS, false)
    }),
    ("rwlock_held", |workers| rwlock(workers, HELD_LOCKS, true)),
    ("semaphore_brief", |workers| {
        semaphore(workers, BRIEF_LOCKS, false)
    }),
    ("semaphore_held", |workers| {
        semaphore(workers, HELD_LOCKS, true)
    }),
];

/// Each round runs so many copies of a task, made by `task`, to their ends.
fn many_tasks<F>(workers: usize, task: impl Fn() -> F + Send + Sync + 'static) -> Round
where
    F: Future<Output = ()> + Send + 'static,
{
    let crew = Crew::new(workers);
    let executor = crew.executor();
    let task = Arc::new(task);
    Box::new(move || {
        let task = task.clone();
        crew.run(async move {
            let running: Vec<_> = (0..LOCKERS).map(|_| executor.spawn(task())).collect();
            for task in running {
                task.await;
            }
        });
    })
}

async fn hold(held: bool) {
    if held {
        yield_now().await;
    }
}

fn mutex(workers: usize, times: usize, held: bool) -> Round {
    let count = Arc::new(Mutex::new(0_usize));
    many_tasks(workers, move || {
        let count = count.clone();
        async move {
            for _ in 0..times {
                let mut count = count.lock().await;
                *count += 1;
                hold(held).await;
            }
        }
    })
}

fn rwlock(workers: usize, times: usize, held: bool) -> Round {
    let count = Arc::new(RwLock::new(0_usize));
    many_tasks(workers, move || {
        let count = count.clone();
        async move {
            for i in 0..times {
                if i % 8 == 0 {
                    let mut count = count.write().await;
                    *count += 1;
                    hold(held).await;
                } else {
                    let count = count.read().await;
                    assert!(*count <= usize::MAX / 2);
                    hold(held).await;
                }
            }
        }
    })
}

fn semaphore(workers: usize, times: usize, held: bool) -> Round {
    let permits = Arc::new(Semaphore::new(PERMITS));
    many_tasks(workers, move || {
        let permits = permits.clone();
        async move {
            for _ in 0..times {
                let _permit = permits.acquire().await;
                hold(held).await;
            }
        }
    })
}
