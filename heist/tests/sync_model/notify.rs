//! Notify.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Wake, Waker};

use heist::sync::Notify;
use heist::sync::futures::Notified;

use crate::harness::{pick, sequences};

/// What the model knows of a future.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Not polled.
    Made,
    Queued,
    /// Told, and not polled since.
    One,
    Last,
    All,
    /// It has said that it is ready.
    Done,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

struct Waiting<'a> {
    future: Pin<Box<Notified<'a>>>,
    woken: Arc<Woken>,
    /// It was polled since it was made, so it has a waker to be told by.
    polled: bool,
    stage: Stage,
}

#[derive(Default)]
struct Model<'a> {
    stored: bool,
    /// In the order of joining for those in the queue.
    waiting: Vec<Waiting<'a>>,
}

impl Model<'_> {
    fn tell_one(&mut self, stage: Stage) {
        let queued = |waiting: &Waiting<'_>| waiting.stage == Stage::Queued;
        let found = match stage {
            Stage::Last => self.waiting.iter().rposition(queued),
            _ => self.waiting.iter().position(queued),
        };
        match found {
            Some(at) => self.waiting[at].stage = stage,
            None => self.stored = true,
        }
    }

    fn tell_all(&mut self) {
        for waiting in &mut self.waiting {
            if matches!(waiting.stage, Stage::Made | Stage::Queued) {
                waiting.stage = Stage::All;
            }
        }
    }

    /// Polls or enables the one at `at`; true if the model says that it is ready.
    fn look(&mut self, at: usize) -> bool {
        match self.waiting[at].stage {
            Stage::Made if self.stored => {
                self.stored = false;
                self.waiting[at].stage = Stage::Done;
            }
            Stage::Made => {
                // To the end of the queue.
                let mut waiting = self.waiting.remove(at);
                waiting.stage = Stage::Queued;
                self.waiting.push(waiting);
                return false;
            }
            Stage::Queued => return false,
            _ => self.waiting[at].stage = Stage::Done,
        }
        true
    }
}

#[test]
fn notify() {
    sequences(|rng| {
        let notify = Notify::new();
        let mut model = Model::default();
        for _ in 0..60 {
            match rng.below(16) {
                0..3 => model.waiting.push(Waiting {
                    future: Box::pin(notify.notified()),
                    woken: Arc::new(Woken(AtomicBool::new(false))),
                    polled: false,
                    stage: Stage::Made,
                }),
                3..8 => {
                    let Some(at) = pick(rng, &model.waiting) else {
                        continue;
                    };
                    let enable = rng.below(3) == 0;
                    let waiting = &mut model.waiting[at];
                    if waiting.stage == Stage::Done && !enable {
                        continue;
                    }
                    let ready = if enable {
                        waiting.future.as_mut().enable()
                    } else {
                        waiting.polled = true;
                        waiting.woken.0.store(false, SeqCst);
                        let waker = Waker::from(Arc::clone(&waiting.woken));
                        let mut cx = Context::from_waker(&waker);
                        waiting.future.as_mut().poll(&mut cx).is_ready()
                    };
                    assert_eq!(ready, model.look(at));
                }
                8..11 => {
                    if let Some(at) = pick(rng, &model.waiting) {
                        let stage = model.waiting.remove(at).stage;
                        // It passes on what it did not use.
                        if matches!(stage, Stage::One | Stage::Last) {
                            model.tell_one(stage);
                        }
                    }
                }
                11..13 => {
                    notify.notify_one();
                    model.tell_one(Stage::One);
                }
                13 => {
                    notify.notify_last();
                    model.tell_one(Stage::Last);
                }
                _ => {
                    notify.notify_waiters();
                    model.tell_all();
                }
            }
            for waiting in &model.waiting {
                let told = matches!(waiting.stage, Stage::One | Stage::Last | Stage::All);
                let woken = waiting.woken.0.load(SeqCst);
                assert!(woken || !waiting.polled || !told, "lost wake");
            }
        }
    });
}
