//! What needs no model: panics of the user's code, ids, and a stress with real threads.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::state::{FinishPoll, State, Wake as StateWake};
use super::*;
use crate::engine::base::current;
use crate::engine::queue::injector::{Injector, Push};

struct Toy {
    queue: Injector<Runnable>,
    owned: OwnedTasks,
    completed: AtomicUsize,
    panicked: AtomicUsize,
}

impl Toy {
    fn new() -> Self {
        Self {
            queue: Injector::new(),
            owned: OwnedTasks::new(1),
            completed: AtomicUsize::new(0),
            panicked: AtomicUsize::new(0),
        }
    }

    #[track_caller]
    fn spawn<F: Future + 'static>(&self, future: F) -> JoinHandle<F::Output>
    where
        F::Output: 'static,
    {
        // SAFETY: T11 — each test keeps its `Toy` to the end. What is not `Send` stays on its thread.
        let (runnable, join) = unsafe { new(future, self, Id::next(), Origin::here()) };
        self.schedule(runnable);
        join
    }

    /// Polls one task once; false if there was none.
    fn run_one(&self) -> bool {
        let taken = self.queue.try_take(|_| 1).and_then(|mut c| c.pop_front());
        match taken.map(Runnable::run) {
            Some(Polled::Again(again)) => self.schedule(again),
            Some(Polled::Done | Polled::Idle) => {}
            None => return false,
        }
        true
    }

    fn run(&self) {
        while self.run_one() {}
    }
}

impl Schedule for Toy {
    fn schedule(&self, runnable: Runnable) {
        if let Push::Closed(runnable) = self.queue.push(runnable) {
            runnable.cancel();
        }
    }

    unsafe fn adopt(&self, task: Task) -> Result<(), Closed> {
        // SAFETY: passed on.
        unsafe { self.owned.adopt(0, task) }
    }

    unsafe fn release(&self, task: Task) {
        // SAFETY: passed on.
        unsafe { self.owned.release(task) };
    }

    fn on_complete(&self, _task: &Facts<'_>) {
        self.completed.fetch_add(1, Relaxed);
    }

    fn on_panic(&self) {
        self.panicked.fetch_add(1, Relaxed);
    }
}

fn poll<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

fn join_now<T>(mut join: JoinHandle<T>) -> Result<T, JoinError> {
    match poll(&mut join, Waker::noop()) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("not finished"),
    }
}

/// Counts its drops, and panics in them if it is told to.
struct Dropped(Arc<AtomicUsize>, bool);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
        if self.1 {
            panic!("a drop that panics");
        }
    }
}

fn message(error: JoinError) -> &'static str {
    *error.into_panic().downcast().expect("a literal")
}

#[test]
fn a_panic_of_the_future_goes_to_the_handle() {
    let (toy, drops) = (Toy::new(), Arc::default());
    let inside = Dropped(Arc::clone(&drops), false);
    let join = toy.spawn(async move {
        let _inside = inside;
        panic!("boom");
    });
    let id = join.id();
    toy.run();
    assert_eq!(drops.load(Relaxed), 1);
    let error = join_now::<()>(join).unwrap_err();
    assert!(error.is_panic() && !error.is_cancelled());
    assert_eq!(error.id(), id);
    assert_eq!(message(error), "boom");
    assert_eq!(
        (toy.completed.into_inner(), toy.panicked.into_inner()),
        (1, 1)
    );
}

#[test]
fn a_panic_of_the_futures_drop_goes_to_the_handle() {
    let toy = Toy::new();
    let drops = Arc::new(AtomicUsize::new(0));
    // When it is cancelled.
    let inside = Dropped(Arc::clone(&drops), true);
    let join = toy.spawn(async move {
        let _inside = inside;
        std::future::pending::<()>().await;
    });
    toy.run();
    join.abort();
    toy.run();
    assert_eq!(message(join_now(join).unwrap_err()), "a drop that panics");
    // When it is ready, which is when it is dropped; its output is dropped too.
    let (inside, output) = (
        Dropped(Arc::clone(&drops), true),
        Dropped(Arc::clone(&drops), false),
    );
    let mut output = Some(output);
    let join = toy.spawn(poll_fn(move |_| {
        let _ = &inside;
        Poll::Ready(output.take())
    }));
    toy.run();
    assert_eq!(message(join_now(join).err().unwrap()), "a drop that panics");
    assert_eq!(drops.load(Relaxed), 3);
    assert!(toy.owned.is_empty());
    assert_eq!(toy.completed.into_inner(), 2);
}

#[test]
fn a_panic_of_the_outputs_drop_ends_there() {
    let (toy, drops) = (Toy::new(), Arc::new(AtomicUsize::new(0)));
    let output = Dropped(Arc::clone(&drops), true);
    drop(toy.spawn(async move { output }));
    toy.run();
    let output = Dropped(Arc::clone(&drops), true);
    let join = toy.spawn(async move { output });
    toy.run();
    drop(join);
    assert_eq!(drops.load(Relaxed), 2);
}

struct Rude {
    _alive: Arc<()>,
    in_drop: bool,
}

impl Wake for Rude {
    fn wake(self: Arc<Self>) {
        if !self.in_drop {
            panic!("a waker that panics");
        }
    }
}

impl Drop for Rude {
    fn drop(&mut self) {
        if self.in_drop {
            panic!("a waker whose drop panics");
        }
    }
}

#[test]
fn a_join_waker_may_panic() {
    let (toy, alive) = (Toy::new(), Arc::new(()));
    let rude = |in_drop| {
        let _alive = Arc::clone(&alive);
        Waker::from(Arc::new(Rude { _alive, in_drop }))
    };
    // When it is woken: the worker goes on.
    let mut join = toy.spawn(async { 1 });
    assert!(poll(&mut join, &rude(false)).is_pending());
    toy.run();
    assert_eq!(join_now(join).unwrap(), 1);
    // When it is dropped with the handle: the task is detached all the same, and frees itself.
    let drops = Arc::new(AtomicUsize::new(0));
    let output = Dropped(Arc::clone(&drops), false);
    let mut join = toy.spawn(async { output });
    let waker = rude(true);
    assert!(poll(&mut join, &waker).is_pending());
    drop(waker);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(join))).is_err());
    toy.run();
    assert_eq!(drops.load(Relaxed), 1);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_dropped_handle_lets_go_of_its_waker() {
    struct Quiet;
    impl Wake for Quiet {
        fn wake(self: Arc<Self>) {}
    }
    let (toy, quiet) = (Toy::new(), Arc::new(Quiet));
    let mut join = toy.spawn(std::future::pending::<()>());
    toy.run();
    assert!(poll(&mut join, &Waker::from(Arc::clone(&quiet))).is_pending());
    assert_eq!(Arc::strong_count(&quiet), 2);
    drop(join);
    assert_eq!(Arc::strong_count(&quiet), 1);
    toy.owned.close(Runnable::cancel);
}

#[test]
#[should_panic(expected = "polled after completion")]
fn a_handle_gives_its_output_once() {
    let toy = Toy::new();
    let mut join = toy.spawn(async {});
    toy.run();
    assert!(poll(&mut join, Waker::noop()).is_ready());
    let _ = poll(&mut join, Waker::noop());
}

#[test]
fn the_id_is_known_in_poll_and_in_drops() {
    struct AtDrop(Arc<Mutex<Vec<Option<Id>>>>);
    impl Drop for AtDrop {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(Id::current());
        }
    }
    let (toy, seen) = (Toy::new(), Arc::new(Mutex::new(Vec::new())));
    let output = AtDrop(Arc::clone(&seen));
    let join = toy.spawn(async move {
        output.0.lock().unwrap().push(Id::current());
        output
    });
    let id = join.id();
    toy.run();
    drop(join);
    let at_abort = AtDrop(Arc::clone(&seen));
    let join = toy.spawn(async move {
        let _at_abort = at_abort;
        std::future::pending::<()>().await;
    });
    let aborted = join.id();
    toy.run();
    join.abort();
    toy.run();
    assert_eq!(*seen.lock().unwrap(), [Some(id), Some(id), Some(aborted)]);
    assert_eq!(Id::current(), None);
    assert_ne!(id, aborted);
}

#[test]
fn ids_are_unique_across_blocks_and_threads() {
    let threads: Vec<_> = (0..3)
        .map(|_| std::thread::spawn(|| (0..5000).map(|_| Id::next().as_u64()).collect::<Vec<_>>()))
        .collect();
    let mut all: Vec<_> = threads
        .into_iter()
        .flat_map(|t| t.join().unwrap())
        .collect();
    let n = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), n);
}

#[test]
fn an_unused_runnable_cancels() {
    let toy = Toy::new();
    let join = toy.spawn(std::future::pending::<()>());
    drop(toy.queue.close());
    assert!(join_now(join).unwrap_err().is_cancelled());
}

#[test]
fn yielding_keeps_the_turn_without_waking() {
    let toy = Toy::new();
    let mut polls = 0;
    let join = toy.spawn(poll_fn(move |cx| {
        polls += 1;
        if polls < 3 {
            current::yield_turn(cx);
            return Poll::Pending;
        }
        Poll::Ready(polls)
    }));
    toy.run();
    assert_eq!(join_now(join).unwrap(), 3);
}

/// T4 with the real limit.
#[test]
fn wakes_beyond_the_limit_are_not_counted() {
    const LIMIT: u64 = 1 << 20;
    let state = State::new();
    let first = state.start_poll();
    assert_eq!(first.wakes, 1);
    for _ in 0..20 * LIMIT {
        assert_eq!(state.wake_by_ref(), StateWake::Done);
    }
    // 24 bits would have overflowed by now. The first poll did not begin at the limit and takes its
    // one back; the second did, if one more wake comes, and keeps one.
    assert_eq!(state.finish_poll(first.wakes), FinishPoll::Woken);
    assert_eq!(state.wake_by_ref(), StateWake::Done);
    let second = state.start_poll();
    assert_eq!(second.wakes, LIMIT);
    assert_eq!(state.wake_by_ref(), StateWake::Done);
    assert_eq!(state.finish_poll(second.wakes), FinishPoll::Woken);
    let third = state.start_poll();
    assert_eq!(third.wakes, 1);
    assert_eq!(state.finish_poll(third.wakes), FinishPoll::Idle);
    assert_eq!(state.wake_by_ref(), StateWake::Schedule);
}

/// Two workers, two threads that wake, and one that aborts some: every task ends, once, and sees
/// every wake (its waker's flag is what it waits for).
#[test]
fn many_tasks_many_wakes() {
    const TASKS: usize = if cfg!(miri) { 10 } else { 20_000 };
    struct Shared {
        round: AtomicUsize,
        waker: Mutex<Option<Waker>>,
    }
    let toy = Toy::new();
    let dropped = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            Arc::new(Shared {
                round: AtomicUsize::new(0),
                waker: Mutex::new(None),
            })
        })
        .collect();
    let joins: Vec<_> = tasks
        .iter()
        .map(|task| {
            let (task, inside) = (Arc::clone(task), Dropped(Arc::clone(&dropped), false));
            toy.spawn(poll_fn(move |cx| {
                let _ = &inside;
                *task.waker.lock().unwrap() = Some(cx.waker().clone());
                if task.round.load(Relaxed) >= 2 {
                    *task.waker.lock().unwrap() = None;
                    return Poll::Ready(());
                }
                Poll::Pending
            }))
        })
        .collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Acquire) {
                    if !toy.run_one() {
                        std::thread::yield_now();
                    }
                }
            });
        }
        let wakers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    for task in &tasks {
                        task.round.fetch_add(1, Relaxed);
                        let waker = task.waker.lock().unwrap().clone();
                        if let Some(waker) = waker {
                            waker.wake();
                        }
                    }
                })
            })
            .collect();
        for join in joins.iter().step_by(7) {
            join.abort();
        }
        for waker in wakers {
            waker.join().unwrap();
        }
        let mut joins = joins;
        while toy.completed.load(Relaxed) < TASKS {
            std::thread::yield_now();
        }
        for (i, join) in joins.iter_mut().enumerate() {
            while !join.is_finished() {
                std::thread::yield_now();
            }
            let result = pin!(join).poll(&mut Context::from_waker(Waker::noop()));
            match result {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => assert!(error.is_cancelled() && i % 7 == 0),
                Poll::Pending => panic!("finished"),
            }
        }
        done.store(true, Release);
    });
    assert_eq!(dropped.load(Relaxed), TASKS);
    assert!(toy.owned.is_empty());
    // The wakers that aborted tasks left behind.
    tasks
        .iter()
        .for_each(|task| drop(task.waker.lock().unwrap().take()));
}
