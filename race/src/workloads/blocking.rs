//! The pool for blocking calls.

use super::rt;
use super::{multi_thread, on_worker};
use crate::counts::BLOCKING_CALLS;
use crate::workload::{Round, Workload};

use rt::task::spawn_blocking;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "spawn_blocking_seq",
        what: "a task runs empty blocking calls, one after the other",
        ops: BLOCKING_CALLS,
        prepare: sequential,
    },
    Workload {
        name: "spawn_blocking_burst",
        what: "a task starts 1,000 empty blocking calls, then joins them",
        ops: BLOCKING_CALLS,
        prepare: burst,
    },
];

fn sequential(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            for i in 0..BLOCKING_CALLS {
                let value = spawn_blocking(move || i).await;
                assert!(value.is_ok_and(|value| value == i));
            }
        });
    })
}

fn burst(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let calls: Vec<_> = (0..BLOCKING_CALLS)
                .map(|i| spawn_blocking(move || i))
                .collect();
            for (i, call) in calls.into_iter().enumerate() {
                assert!(call.await.is_ok_and(|value| value == i));
            }
        });
    })
}
