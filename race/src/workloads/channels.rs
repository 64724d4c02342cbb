//! Channels and `Notify`.

use std::sync::Arc;

use super::rt;
use super::{multi_thread, on_worker};
use crate::counts::{HOPS, MESSAGES, RING};
use crate::latch::Latch;
use crate::workload::{Round, Workload};

use rt::sync::{Notify, mpsc, oneshot};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "mpsc_bounded_1",
        what: "1 producer task, 1 consumer task, capacity 100",
        ops: MESSAGES,
        prepare: |workers| bounded(workers, 1),
    },
    Workload {
        name: "mpsc_bounded_5",
        what: "5 producer tasks, 1 consumer task, capacity 100",
        ops: MESSAGES,
        prepare: |workers| bounded(workers, 5),
    },
    Workload {
        name: "mpsc_unbounded_1",
        what: "1 producer task, 1 consumer task, no bound",
        ops: MESSAGES,
        prepare: |workers| unbounded(workers, 1),
    },
    Workload {
        name: "mpsc_unbounded_5",
        what: "5 producer tasks, 1 consumer task, no bound",
        ops: MESSAGES,
        prepare: |workers| unbounded(workers, 5),
    },
    Workload {
        name: "oneshot",
        what: "a task makes a channel, sends and receives",
        ops: ONESHOTS,
        prepare: oneshot_ready,
    },
    Workload {
        name: "notify_handoff",
        what: "two tasks wake each other in turn through two Notify",
        ops: 2 * HAND_OFFS,
        prepare: notify_handoff,
    },
    Workload {
        name: "ring_500",
        what: "one token goes round 500 tasks joined by bounded channels",
        ops: HOPS,
        prepare: ring,
    },
];

const ONESHOTS: usize = 100_000;
const HAND_OFFS: usize = 20_000;

fn bounded(workers: usize, producers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async move {
            let (sender, mut receiver) = mpsc::channel(100);
            for _ in 0..producers {
                let sender = sender.clone();
                rt::spawn(async move {
                    for i in 0..MESSAGES / producers {
                        sender.send(i).await.expect("the receiver is alive");
                    }
                });
            }
            drop(sender);
            let mut received = 0;
            while receiver.recv().await.is_some() {
                received += 1;
            }
            assert_eq!(received, MESSAGES);
        });
    })
}

fn unbounded(workers: usize, producers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async move {
            let (sender, mut receiver) = mpsc::unbounded_channel();
            for _ in 0..producers {
                let sender = sender.clone();
                rt::spawn(async move {
                    for i in 0..MESSAGES / producers {
                        sender.send(i).expect("the receiver is alive");
                    }
                });
            }
            drop(sender);
            let mut received = 0;
            while receiver.recv().await.is_some() {
                received += 1;
            }
            assert_eq!(received, MESSAGES);
        });
    })
}

fn oneshot_ready(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            for i in 0..ONESHOTS {
                let (sender, receiver) = oneshot::channel();
                sender.send(i).expect("the receiver is alive");
                assert_eq!(receiver.await, Ok(i));
            }
        });
    })
}

fn notify_handoff(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let (there, back) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
            let other = rt::spawn({
                let (there, back) = (there.clone(), back.clone());
                async move {
                    for _ in 0..HAND_OFFS {
                        there.notified().await;
                        back.notify_one();
                    }
                }
            });
            for _ in 0..HAND_OFFS {
                there.notify_one();
                back.notified().await;
            }
            other.await.expect("no task panics");
        });
    })
}

fn ring(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let latch = Latch::new();
    let (outlets, inlets): (Vec<_>, Vec<_>) = (0..RING).map(|_| mpsc::channel::<usize>(1)).unzip();
    for (i, mut inlet) in inlets.into_iter().enumerate() {
        let next = outlets[(i + 1) % RING].clone();
        let latch = latch.clone();
        runtime.spawn(async move {
            while let Some(hops_left) = inlet.recv().await {
                if hops_left == 0 {
                    latch.count_down();
                } else {
                    next.send(hops_left - 1).await.expect("the ring is whole");
                }
            }
        });
    }
    Box::new(move || {
        latch.arm(1);
        runtime
            .block_on(outlets[0].send(HOPS))
            .expect("the ring is whole");
        latch.wait();
    })
}
