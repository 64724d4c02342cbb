//! Many tasks in one `JoinSet`.

use super::rt;
use super::{multi_thread, on_worker};
use crate::workload::{Round, Workload};

use rt::task::JoinSet;

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "join_set",
    what: "a task spawns 10,000 into a JoinSet and takes each as it ends",
    ops: TASKS,
    prepare: join_set,
}];

const TASKS: usize = 10_000;

fn join_set(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let mut tasks = JoinSet::new();
            for i in 0..TASKS {
                tasks.spawn(async move { i });
            }
            let mut sum = 0;
            while let Some(done) = tasks.join_next().await {
                sum += done.expect("no task panics");
            }
            assert_eq!(sum, TASKS * (TASKS - 1) / 2);
        });
    })
}
