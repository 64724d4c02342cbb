//! Timers that never fire: the usual fate of a timeout.

use std::time::Duration;

use super::rt;
use super::{multi_thread, on_worker};
use crate::workload::{Round, Workload};

use rt::time::timeout;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "timeout_ready",
        what: "a timeout around a future that is ready at once",
        ops: READY,
        prepare: timeout_ready,
    },
    Workload {
        name: "timer_churn",
        what: "8 tasks put a timeout around a yield: each timer is set and cancelled",
        ops: CHURNERS * CHURNS,
        prepare: timer_churn,
    },
];

const READY: usize = 200_000;
const CHURNERS: usize = 8;
const CHURNS: usize = 4_000;

fn timeout_ready(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            for i in 0..READY {
                let value = timeout(Duration::from_secs(1), async { i }).await;
                assert!(value.is_ok_and(|value| value == i));
            }
        });
    })
}

fn timer_churn(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let tasks: Vec<_> = (0..CHURNERS)
                .map(|_| {
                    rt::spawn(async {
                        for _ in 0..CHURNS {
                            let yielded = timeout(Duration::from_secs(1), rt::task::yield_now());
                            yielded.await.expect("a yield takes less than a second");
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("no task panics");
            }
        });
    })
}
