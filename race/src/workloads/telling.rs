//! One task tells many: broadcast and watch.
//!
//! *Each*: the sender waits until all have heard of one value before it sends the next, so that
//! every value wakes every receiver. *Burst*: many values at once, which the receivers then read.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::rt;
use super::{multi_thread, on_worker};
use crate::workload::{Round, Workload};

use rt::sync::{Notify, broadcast, watch};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "broadcast_each",
        what: "10 receivers wait for each value of a broadcast channel",
        ops: LISTENERS * VALUES,
        prepare: broadcast_each,
    },
    Workload {
        name: "broadcast_burst",
        what: "10 receivers read 1,000 values of a broadcast channel at a time",
        ops: LISTENERS * BURSTS * BURST,
        prepare: broadcast_burst,
    },
    Workload {
        name: "watch_each",
        what: "100 receivers wait for each value of a watch channel",
        ops: WATCHERS * CHANGES,
        prepare: watch_each,
    },
    Workload {
        name: "watch_borrow",
        what: "10 tasks look at a watch channel's value, which one of them keeps changing",
        ops: LOOKERS * LOOKS,
        prepare: watch_borrow,
    },
];

const LISTENERS: usize = 10;
const VALUES: usize = 1_000;
const BURSTS: usize = 10;
const BURST: usize = 1_000;
const WATCHERS: usize = 100;
const CHANGES: usize = 200;
const LOOKERS: usize = 10;
const LOOKS: usize = 10_000;

/// How the sender learns that all have heard: a count, and one wake by the last.
#[derive(Default)]
struct Heard {
    count: AtomicUsize,
    all: Notify,
}

impl Heard {
    fn one_more(&self, of: usize) {
        if (self.count.fetch_add(1, Ordering::AcqRel) + 1).is_multiple_of(of) {
            self.all.notify_one();
        }
    }
}

/// Spawns the listeners, runs `sender`, and waits for all.
async fn with_listeners<F>(listeners: Vec<F>, sender: impl Future<Output = ()>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let running: Vec<_> = listeners.into_iter().map(rt::spawn).collect();
    sender.await;
    for listener in running {
        listener.await.expect("no listener panics");
    }
}

fn broadcast_each(workers: usize) -> Round {
    broadcasting(workers, VALUES, 1)
}

fn broadcast_burst(workers: usize) -> Round {
    broadcasting(workers, BURSTS, BURST)
}

fn broadcasting(workers: usize, times: usize, burst: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async move {
            let heard = Arc::new(Heard::default());
            let (sender, _) = broadcast::channel(burst.next_power_of_two());
            let listeners = (0..LISTENERS).map(|_| {
                let mut receiver = sender.subscribe();
                let heard = Arc::clone(&heard);
                async move {
                    let mut expected = 0;
                    while let Ok(value) = receiver.recv().await {
                        assert_eq!(value, expected);
                        expected += 1;
                        if expected % burst == 0 {
                            heard.one_more(LISTENERS);
                        }
                    }
                    assert_eq!(expected, times * burst);
                }
            });
            let listeners = listeners.collect();
            with_listeners(listeners, async move {
                for i in 0..times {
                    for j in 0..burst {
                        let told = sender.send(i * burst + j).expect("all listen");
                        assert_eq!(told, LISTENERS);
                    }
                    heard.all.notified().await;
                }
            })
            .await;
        });
    })
}

fn watch_each(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let seen = Arc::new(Heard::default());
            let (sender, receiver) = watch::channel(0);
            let watchers = (0..WATCHERS).map(|_| {
                let mut receiver = receiver.clone();
                let seen = Arc::clone(&seen);
                async move {
                    let mut expected = 0;
                    while receiver.changed().await.is_ok() {
                        expected += 1;
                        assert_eq!(*receiver.borrow_and_update(), expected);
                        seen.one_more(WATCHERS);
                    }
                    assert_eq!(expected, CHANGES);
                }
            });
            let watchers = watchers.collect();
            drop(receiver);
            with_listeners(watchers, async move {
                for i in 1..=CHANGES {
                    sender.send(i).expect("all watch");
                    seen.all.notified().await;
                }
            })
            .await;
        });
    })
}

fn watch_borrow(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let (sender, receiver) = watch::channel(0);
            let lookers = (1..LOOKERS).map(|_| {
                let receiver = receiver.clone();
                async move {
                    let mut latest = 0;
                    for _ in 0..LOOKS {
                        let value = *receiver.borrow();
                        assert!(value >= latest);
                        latest = value;
                    }
                }
            });
            let lookers = lookers.collect();
            with_listeners(lookers, async {
                rt::spawn(async move {
                    for i in 1..=LOOKS {
                        sender.send(i).expect("a receiver is left");
                    }
                })
                .await
                .expect("no sender panics");
            })
            .await;
            assert_eq!(*receiver.borrow(), LOOKS);
        });
    })
}
