//! Strategies that do what they must not: the runtime ends in order and says what it was, and nothing else
//! happens. Also run under AddressSanitizer, as any test.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use heist::runtime::{Builder, Runtime};
use heist::scheduler::{Cause, Runnable, Scheduler, Tell, Turn};
use heist::task::JoinSet;
use heist::time::timeout;

/// What a [`Faulty`] does at its `at`th push or pick.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    PanicInPush,
    PanicInNext,
    PanicInSteal,
    PanicInHasWork,
    PanicInHasSharedWork,
    PanicInStart,
    DropPushed,
    DropPicked,
    Forget,
    Keep,
    TellTooFar,
}

/// First in, first out, but for one fault.
struct Faulty {
    queue: Mutex<VecDeque<Runnable>>,
    kept: Mutex<Vec<Runnable>>,
    fault: Fault,
    at: usize,
    pushes: AtomicUsize,
    picks: AtomicUsize,
}

impl Faulty {
    fn runtime(fault: Fault, at: usize, workers: usize) -> Runtime {
        Builder::new_multi_thread()
            .worker_threads(workers)
            .scheduler(move |_| Faulty {
                queue: Mutex::default(),
                kept: Mutex::default(),
                fault,
                at,
                pushes: AtomicUsize::new(0),
                picks: AtomicUsize::new(0),
            })
            .enable_all()
            .build()
            .unwrap()
    }

    fn fail_if(&self, fault: Fault, now: bool) {
        if self.fault == fault && now {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
    }
}

impl Scheduler for Faulty {
    type Worker = ();

    fn worker(&self, _: usize) {}

    fn push(&self, task: Runnable, _: Cause, _: Option<&mut ()>) -> Tell {
        let now = self.pushes.fetch_add(1, SeqCst) == self.at;
        self.fail_if(Fault::PanicInPush, now);
        match self.fault {
            Fault::DropPushed if now => drop(task),
            Fault::Forget if now => std::mem::forget(task),
            Fault::Keep if now => self.kept.lock().unwrap().push(task),
            Fault::TellTooFar if now => {
                self.queue.lock().unwrap().push_back(task);
                return Tell::Worker(99);
            }
            _ => self.queue.lock().unwrap().push_back(task),
        }
        Tell::Anyone
    }

    fn next(&self, _: &mut (), _: &mut Turn<'_>) -> Option<Runnable> {
        let task = self.queue.lock().unwrap().pop_front()?;
        let now = self.picks.fetch_add(1, SeqCst) == self.at;
        self.fail_if(Fault::PanicInNext, now);
        if self.fault == Fault::DropPicked && now {
            return None;
        }
        Some(task)
    }

    fn steal(&self, _: &mut (), _: &mut Turn<'_>) -> Option<Runnable> {
        self.fail_if(Fault::PanicInSteal, self.picks.load(SeqCst) >= self.at);
        None
    }

    fn has_work(&self, _: &()) -> bool {
        self.fail_if(Fault::PanicInHasWork, self.picks.load(SeqCst) >= self.at);
        !self.queue.lock().unwrap().is_empty()
    }

    fn has_shared_work(&self) -> bool {
        self.fail_if(
            Fault::PanicInHasSharedWork,
            self.picks.load(SeqCst) >= self.at,
        );
        !self.queue.lock().unwrap().is_empty()
    }

    fn on_start(&self, _: usize) {
        self.fail_if(Fault::PanicInStart, true);
    }
}

/// What `f` panics with.
fn message_of(f: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(f)).err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(text.unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap().to_string()))
}

/// Runs tasks that spawn, yield and wait until the fault is told, or all are done; gives the message.
fn run(fault: Fault, at: usize, workers: usize) -> Option<String> {
    let runtime = Faulty::runtime(fault, at, workers);
    let futures = Arc::new(());
    let told = message_of(|| {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..30)
                .map(|_| {
                    let future = Arc::clone(&futures);
                    heist::spawn(async move {
                        let _future = future;
                        heist::task::yield_now().await;
                        let _ = heist::spawn(heist::task::yield_now()).await;
                    })
                })
                .collect();
            for task in tasks {
                let _ = task.await;
            }
            if !matches!(fault, Fault::Forget | Fault::Keep) {
                // Told here, while a guest waits.
                std::future::pending::<()>().await;
            }
        });
    });
    let at_drop = message_of(|| drop(runtime));
    if fault != Fault::Forget && fault != Fault::Keep {
        assert_eq!(Arc::strong_count(&futures), 1, "a future was not dropped");
    }
    assert!(told.is_none() || at_drop.is_none(), "told once");
    told.or(at_drop)
}

fn assert_told(fault: Fault, expected: &str) {
    for workers in [1, 3] {
        for at in [0, 1, 7, 40] {
            let told = run(fault, at, workers).expect("a fault is told");
            assert!(told.contains(expected), "{told}");
            assert!(told.starts_with("the scheduler failed: it "), "{told}");
        }
    }
}

#[test]
fn a_panic_is_told_by_block_on() {
    assert_told(Fault::PanicInPush, "panicked in `push`: on purpose");
    assert_told(Fault::PanicInNext, "panicked in `next`: on purpose");
    assert_told(Fault::PanicInSteal, "panicked in `steal`: on purpose");
    assert_told(Fault::PanicInHasWork, "panicked in `has_work`");
    assert_told(Fault::PanicInHasSharedWork, "panicked in `has_shared_work`");
    assert_told(Fault::PanicInStart, "panicked in `on_start`");
}

#[test]
fn a_dropped_task_is_told() {
    assert_told(Fault::DropPushed, "dropped task");
    assert_told(Fault::DropPicked, "dropped task");
}

#[test]
fn a_worker_that_does_not_exist_is_told() {
    assert_told(Fault::TellTooFar, "told worker 99 of");
}

/// Whoever waits for it waits in vain; the shutdown does not, and tells.
#[test]
fn a_forgotten_task_is_told_at_the_end() {
    for fault in [Fault::Forget, Fault::Keep] {
        for at in [0, 5] {
            let runtime = Faulty::runtime(fault, at, 2);
            let mut tasks = JoinSet::new();
            for _ in 0..10 {
                tasks.spawn_on(heist::task::yield_now(), runtime.handle());
            }
            runtime.block_on(async {
                for _ in 0..9 {
                    let ended = timeout(Duration::from_secs(60), tasks.join_next()).await;
                    ended.expect("nine end").unwrap().unwrap();
                }
                let last = timeout(Duration::from_millis(30), tasks.join_next()).await;
                assert!(last.is_err(), "it was forgotten");
            });
            tasks.detach_all();
            let told = message_of(|| drop(runtime)).expect("a fault is told");
            assert!(told.contains("it lost 1 task"), "{told}");
        }
    }
}

static ELSEWHERE: Mutex<Vec<Runnable>> = Mutex::new(Vec::new());

/// Puts every third task into a static; gives back what it finds there.
struct Smuggler {
    queue: Mutex<VecDeque<Runnable>>,
    gives: bool,
}

impl Scheduler for Smuggler {
    type Worker = usize;

    fn worker(&self, _: usize) -> usize {
        0
    }

    fn push(&self, task: Runnable, cause: Cause, _: Option<&mut usize>) -> Tell {
        if !self.gives && cause == Cause::Yielded {
            ELSEWHERE.lock().unwrap().push(task);
        } else {
            self.queue.lock().unwrap().push_back(task);
        }
        Tell::Anyone
    }

    fn next(&self, _: &mut usize, _: &mut Turn<'_>) -> Option<Runnable> {
        if self.gives
            && let Some(task) = ELSEWHERE.lock().unwrap().pop()
        {
            return Some(task);
        }
        self.queue.lock().unwrap().pop_front()
    }

    fn has_work(&self, _: &usize) -> bool {
        !self.queue.lock().unwrap().is_empty()
            || self.gives && !ELSEWHERE.lock().unwrap().is_empty()
    }
}

fn smuggler(gives: bool) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .scheduler(move |_| Smuggler {
            queue: Mutex::default(),
            gives,
        })
        .build()
        .unwrap()
}

/// A task that outlives its runtime in a static, and then gets into another one.
#[test]
fn a_task_of_another_runtime_is_not_run() {
    let from = smuggler(false);
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ran);
    let task = from.spawn(async move {
        heist::task::yield_now().await;
        counted.fetch_add(1, SeqCst);
    });
    while ELSEWHERE.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    let told = message_of(|| drop(from)).expect("a fault is told");
    assert!(told.contains("it lost 1 task"), "{told}");

    let to = smuggler(true);
    let told = message_of(|| {
        to.block_on(async {
            // Cancelled by the fault, maybe before that is told here.
            let _ = heist::spawn(std::future::pending::<()>()).await;
            std::future::pending::<()>().await
        })
    })
    .expect("a fault is told");
    assert!(told.contains("a task of another runtime"), "{told}");
    drop(to);
    assert!(ELSEWHERE.lock().unwrap().is_empty());
    assert_eq!(ran.load(SeqCst), 0);
    // It was dropped, and so cancelled, though its runtime is long gone.
    let error = futures::executor::block_on(task).unwrap_err();
    assert!(error.is_cancelled());
}

/// A panic of the function that makes the scheduler, or a worker's state, is the builder's.
#[test]
fn a_panic_in_the_making_is_the_builders() {
    let told = message_of(|| {
        let _ = Builder::new_multi_thread()
            .scheduler(|_| -> Smuggler { std::panic::resume_unwind(Box::new("in the making")) })
            .build();
    });
    assert_eq!(told.as_deref(), Some("in the making"));
}

#[test]
#[should_panic(expected = "multi-thread runtime only")]
fn a_current_thread_runtime_has_no_choice() {
    Builder::new_current_thread().scheduler(heist::scheduler::GlobalQueue::new);
}
