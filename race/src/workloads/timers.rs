//! Timers that never fire: the usual fate of a timeout. Those that do are in `tails/timers.rs`.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use super::rt;
use super::{multi_thread, on_worker};
use crate::counts::{CHURNERS, CHURNS, READY};
use crate::workload::{Round, Workload};

use rt::sync::mpsc;
use rt::time::{Instant, Sleep, sleep, timeout};

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
    Workload {
        name: "timeout_pending",
        what: "a timeout around the wait for another task's answer",
        ops: ANSWERS,
        prepare: timeout_pending,
    },
    Workload {
        name: "sleep_reset_1m",
        what: "of a million live sleeps, 20,000 get another deadline",
        ops: RESETS,
        prepare: sleep_reset,
    },
];

const ANSWERS: usize = 20_000;
const SLEEPS: usize = 1_000_000;
const RESETS: usize = 20_000;

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

fn timeout_pending(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let (ask, mut asked) = mpsc::channel(1);
            let (answer, mut answers) = mpsc::channel(1);
            rt::spawn(async move {
                while let Some(i) = asked.recv().await {
                    answer.send(i).await.expect("the other task listens");
                }
            });
            for i in 0..ANSWERS {
                ask.send(i).await.expect("the other task listens");
                let answer = timeout(Duration::from_secs(1), answers.recv()).await;
                assert!(answer.is_ok_and(|answer| answer == Some(i)));
            }
        });
    })
}

const HOUR: Duration = Duration::from_secs(3_600);

/// Every 50th sleep of them, from another start each round.
fn sleep_reset(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let mut sleeps = on_worker(&runtime, async {
        let mut sleeps: Vec<Pin<Box<Sleep>>> = (0..SLEEPS as u64)
            .map(|i| Box::pin(sleep(HOUR + Duration::from_millis(i))))
            .collect();
        for sleep in &mut sleeps {
            set(sleep).await;
        }
        sleeps
    });
    let mut start = 0;
    Box::new(move || {
        let mut taken = std::mem::take(&mut sleeps);
        start = (start + 1) % (SLEEPS / RESETS);
        sleeps = on_worker(&runtime, async move {
            let later = Instant::now() + 2 * HOUR;
            for (i, sleep) in taken
                .iter_mut()
                .skip(start)
                .step_by(SLEEPS / RESETS)
                .enumerate()
            {
                sleep
                    .as_mut()
                    .reset(later + Duration::from_millis(i as u64));
                set(sleep).await;
            }
            taken
        });
    })
}

/// A sleep counts from its first poll on.
async fn set(sleep: &mut Pin<Box<Sleep>>) {
    poll_fn(|cx| {
        assert!(
            sleep.as_mut().poll(cx).is_pending(),
            "an hour has not passed"
        );
        Poll::Ready(())
    })
    .await;
}
