//! Locks and permits that several tasks want at once.
//!
//! *Brief*: held for a moment, so that the tasks meet only when two workers do. *Held*: across a
//! yield, so that everybody else queues up and each hand-over wakes a task.

use std::future::Future;
use std::sync::Arc;

use super::rt;
use super::{multi_thread, on_worker};
use crate::counts::{BRIEF_LOCKS, HELD_LOCKS, LOCKERS, PERMITS};
use crate::workload::{Round, Workload};

use rt::sync::{Mutex, RwLock, Semaphore};
use rt::task::yield_now;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "mutex_brief",
        what: "10 tasks lock a Mutex, add one, unlock",
        ops: LOCKERS * BRIEF_LOCKS,
        prepare: |workers| mutex(workers, BRIEF_LOCKS, false),
    },
    Workload {
        name: "mutex_held",
        what: "10 tasks lock a Mutex and yield before they unlock it",
        ops: LOCKERS * HELD_LOCKS,
        prepare: |workers| mutex(workers, HELD_LOCKS, true),
    },
    Workload {
        name: "rwlock_brief",
        what: "10 tasks lock a RwLock, one time in eight to write",
        ops: LOCKERS * BRIEF_LOCKS,
        prepare: |workers| rwlock(workers, BRIEF_LOCKS, false),
    },
    Workload {
        name: "rwlock_held",
        what: "10 tasks lock a RwLock, one time in eight to write, and yield before they unlock it",
        ops: LOCKERS * HELD_LOCKS,
        prepare: |workers| rwlock(workers, HELD_LOCKS, true),
    },
    Workload {
        name: "semaphore_brief",
        what: "10 tasks take one of 5 permits and give it back",
        ops: LOCKERS * BRIEF_LOCKS,
        prepare: |workers| semaphore(workers, BRIEF_LOCKS, false),
    },
    Workload {
        name: "semaphore_held",
        what: "10 tasks take one of 5 permits and yield before they give it back",
        ops: LOCKERS * HELD_LOCKS,
        prepare: |workers| semaphore(workers, HELD_LOCKS, true),
    },
];

/// Each round runs ten copies of a task, made by `task`, to their ends.
fn ten_tasks<F>(workers: usize, task: impl Fn() -> F + Send + Sync + 'static) -> Round
where
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = multi_thread(workers);
    let task = Arc::new(task);
    Box::new(move || {
        let task = Arc::clone(&task);
        on_worker(&runtime, async move {
            let running: Vec<_> = (0..LOCKERS).map(|_| rt::spawn(task())).collect();
            for task in running {
                task.await.expect("no task panics");
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
    ten_tasks(workers, move || {
        let count = Arc::clone(&count);
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
    ten_tasks(workers, move || {
        let count = Arc::clone(&count);
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
    ten_tasks(workers, move || {
        let permits = Arc::clone(&permits);
        async move {
            for _ in 0..times {
                let _permit = permits.acquire().await.expect("nobody closes it");
                hold(held).await;
            }
        }
    })
}
