//! Models of the task: a toy scheduler, futures that are counted, and every race of the state word.
//!
//! In models `WAKE_LIMIT` is 2, so that T4 is met with few wakes; cells tell loom when they leak.
//!
//! # Weakened once
//!
//! Each was changed alone, and these models failed. "Acquire" and "release" are the halves of an
//! `AcqRel` that were taken away.
//!
//! | what | model |
//! |---|---|
//! | `start_poll`: acquire | `abort_happens_before_drop_at_the_limit` |
//! | `finish_poll`: acquire | `abort_happens_before_drop_of_runnable` |
//! | `finish_poll`: release | `run_right_moves_by_ref`, `_by_abort` |
//! | `keep_one_wake`: acquire | `abort_happens_before_drop_at_the_limit` |
//! | `wake_is_covered`: release | `yield_vs_wake_at_the_limit`, `wake_two_over_the_limit` |
//! | `wake_by_ref`: acquire | `run_right_moves_with_the_link_by_ref` |
//! | `wake_by_ref`: release | `wake_two_idle` |
//! | `wake_by_val`: acquire | `last_one_frees_two_references` |
//! | `wake_by_val`: release | `wake_two_idle` |
//! | `cancel`: acquire | `run_right_moves_with_the_link_by_abort` |
//! | `cancel`: release | `abort_happens_before_drop_at_the_limit` |
//! | `complete`: acquire | `abort_then_join_vs_completion` |
//! | `complete`: release | `abort_handle_cloned_and_dropped_vs_completion` |
//! | `complete_detached`: acquire | `join_dropped_after_first_poll` |
//! | `complete_detached`: release | `abort_handle_cloned_and_dropped_vs_completion` |
//! | `is_complete`: acquire | `abort_then_join_vs_completion` |
//! | `set_join_waker`: acquire, release | `abort_then_join_vs_completion` |
//! | `unset_join_waker`: acquire | `join_dropped_after_first_poll` |
//! | `drop_join`: acquire of the load, of the failed exchange | `abort_handle_cloned_and_dropped_vs_completion` |
//! | `drop_join`: release | `join_dropped_after_first_poll` |
//! | `release_join`: acquire | `join_dropped_after_first_poll` |
//! | `release_join`: release | `abort_handle_cloned_and_dropped_vs_completion` |
//! | `ref_dec`: acquire | `abort_handle_cloned_and_dropped_vs_completion` |
//! | `ref_dec`: release | `join_dropped_after_first_poll` |
//! | of T4: a waker at the limit only looks | `yield_vs_wake_at_the_limit` |
//! | of T4: a poll at the limit takes all wakes back | `abort_happens_before_drop_at_the_limit` |
//! | a poll that yielded is finished as any other | `yield_vs_wake_below_the_limit` |
//! | of T6: the waker is replaced while it is set | `join_dropped_after_second_poll` |
//! | of T7: no reference for the completer | `join_dropped_after_first_poll` |
//! | `cancel` adds no wake to a running task | `abort_happens_before_drop_at_the_limit` |
//! | a dropped handle leaves its waker set | `tests::a_dropped_handle_lets_go_of_its_waker` |
//! | a closed list still takes tasks | `shutdown_vs_adopt_of_sleeper` |
//! | of T11: calls of `schedule` not waited for, or asked for before the lists | `shutdown_vs_foreign_abort`, `shutdown_vs_foreign_wake_closed_queue` |

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::AtomicUsize as Count;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::*;
use crate::engine::base::current;
use crate::engine::queue::injector::{Injector, Push};
use crate::engine::queue::testing::model;
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::atomic::{AtomicBool, AtomicUsize};
use crate::loom::thread;

// ---- what the models are made of. What only counts is `std`'s, as it must not order anything. ----

/// What happened to one task.
#[derive(Default)]
struct Counts {
    polls: Count,
    futures_dropped: Count,
    outputs_dropped: Count,
    /// The waker of the first poll.
    waker: Mutex<Option<Waker>>,
}

impl Counts {
    fn take_waker(&self) -> Waker {
        self.waker.lock().unwrap().take().expect("polled once")
    }

    /// The future was dropped once, and so was the output, if there was one.
    fn assert_over(&self, outputs: usize) {
        assert_eq!(self.futures_dropped.load(SeqCst), 1, "futures dropped");
        assert_eq!(
            self.outputs_dropped.load(SeqCst),
            outputs,
            "outputs dropped"
        );
    }

    fn is_over(&self) -> bool {
        self.futures_dropped.load(SeqCst) == 1
    }
}

/// A future that keeps the waker of its first poll and then asks `step`, which also gets the number
/// of the poll; `at_drop` runs when it is dropped.
struct Probe<F, D: FnMut() = fn()> {
    step: F,
    at_drop: D,
    counts: Arc<Counts>,
}

/// What a [`Probe`] gives: a value that loom watches.
struct Output {
    value: UnsafeCell<usize>,
    counts: Arc<Counts>,
}

impl<F, D: FnMut()> Drop for Probe<F, D> {
    fn drop(&mut self) {
        (self.at_drop)();
        self.counts.futures_dropped.fetch_add(1, SeqCst);
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.value.with_mut(|_| ());
        self.counts.outputs_dropped.fetch_add(1, SeqCst);
    }
}

impl<F, D> Future for Probe<F, D>
where
    F: FnMut(usize, &mut Context<'_>) -> bool + Unpin,
    D: FnMut() + Unpin,
{
    type Output = Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Output> {
        let poll = self.counts.polls.fetch_add(1, SeqCst);
        if poll == 0 {
            *self.counts.waker.lock().unwrap() = Some(cx.waker().clone());
        }
        if !(self.step)(poll, cx) {
            return Poll::Pending;
        }
        // A task that ends needs its first waker no more.
        drop(self.counts.waker.lock().unwrap().take());
        Poll::Ready(Output {
            value: UnsafeCell::new(7),
            counts: Arc::clone(&self.counts),
        })
    }
}

/// A queue of one that somebody runs: room enough for a task by T1.
struct Toy {
    queue: crate::loom::sync::Mutex<Option<Runnable>>,
    owned: OwnedTasks,
}

impl Toy {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            queue: crate::loom::sync::Mutex::new(None),
            owned: OwnedTasks::new(1),
        })
    }

    fn take(&self) -> Option<Runnable> {
        self.queue.lock().take()
    }

    /// Polls until it is no longer wanted.
    fn run(&self, mut runnable: Runnable) {
        while let Polled::Again(again) = runnable.run() {
            runnable = again;
        }
    }

    /// Runs until the queue is found empty.
    fn run_queued(&self) {
        while let Some(runnable) = self.take() {
            self.run(runnable);
        }
    }
}

impl Schedule for Toy {
    fn schedule(&self, runnable: Runnable) {
        let other = self.queue.lock().replace(runnable);
        assert!(other.is_none(), "two run rights (T1)");
    }

    unsafe fn adopt(&self, task: Task) -> Result<(), Closed> {
        // SAFETY: passed on.
        unsafe { self.owned.adopt(0, task) }
    }

    unsafe fn release(&self, task: Task) {
        // SAFETY: passed on.
        unsafe { self.owned.release(task) };
    }
}

/// Runs a woken task in the waker: the run right goes from thread to thread by the state word alone.
struct Inline(OwnedTasks);

impl Schedule for Inline {
    fn schedule(&self, mut runnable: Runnable) {
        while let Polled::Again(again) = runnable.run() {
            runnable = again;
        }
    }

    unsafe fn adopt(&self, task: Task) -> Result<(), Closed> {
        // SAFETY: passed on.
        unsafe { self.0.adopt(0, task) }
    }

    unsafe fn release(&self, task: Task) {
        // SAFETY: passed on.
        unsafe { self.0.release(task) };
    }
}

#[track_caller]
fn spawn_with<S: Schedule, D: FnMut() + Unpin + 'static>(
    scheduler: &Arc<S>,
    counts: &Arc<Counts>,
    step: impl FnMut(usize, &mut Context<'_>) -> bool + Unpin + 'static,
    at_drop: D,
) -> (Runnable, JoinHandle<Output>) {
    let probe = Probe {
        step,
        at_drop,
        counts: Arc::clone(counts),
    };
    // SAFETY: T11 — each model keeps its scheduler to the end. What is not `Send` here only counts.
    unsafe { new(probe, Arc::as_ptr(scheduler), Id::next(), Origin::here()) }
}

#[track_caller]
fn spawn<S: Schedule>(
    scheduler: &Arc<S>,
    counts: &Arc<Counts>,
    step: impl FnMut(usize, &mut Context<'_>) -> bool + Unpin + 'static,
) -> (Runnable, JoinHandle<Output>) {
    spawn_with(scheduler, counts, step, || ())
}

/// A waker of somebody outside.
#[derive(Default)]
struct Bell(Count);

impl std::task::Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl Bell {
    fn new() -> (Arc<Self>, Waker) {
        let bell = Arc::new(Self::default());
        let waker = Waker::from(Arc::clone(&bell));
        (bell, waker)
    }

    fn rung(&self) -> usize {
        self.0.load(SeqCst)
    }
}

fn poll_join(join: &mut JoinHandle<Output>, waker: &Waker) -> Poll<Result<Output, JoinError>> {
    Pin::new(join).poll(&mut Context::from_waker(waker))
}

/// The task is over: takes what is in it.
fn join_now(mut join: JoinHandle<Output>) -> Result<Output, JoinError> {
    assert!(join.is_finished());
    match poll_join(&mut join, Waker::noop()) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("finished, and yet pending"),
    }
}

fn assert_output(output: Output) {
    // SAFETY: the output is ours.
    assert_eq!(output.value.with(|value| unsafe { *value }), 7);
}

/// Flags that wakers set before they wake. Relaxed: whoever sees them must see them by T2.
type Flags<const N: usize> = crate::loom::sync::Arc<[AtomicBool; N]>;

fn flags<const N: usize>() -> Flags<N> {
    Flags::new(std::array::from_fn(|_| AtomicBool::new(false)))
}

fn all_set<const N: usize>(flags: &Flags<N>) -> bool {
    // All are looked at: a poll that stops at the first unset one would see less.
    flags.iter().filter(|flag| flag.load(Relaxed)).count() == N
}

#[derive(Clone, Copy)]
enum By {
    Ref,
    Value,
}

fn wake(waker: Waker, by: By) {
    match by {
        By::Ref => waker.wake_by_ref(),
        By::Value => waker.wake(),
    }
}

// ---- waking: T1 to T4 ----

/// `N` wakers, each of which sets its flag and wakes, against polls that see some of the flags. The
/// task is woken `before` times before they start. It must come to see all.
fn wakes_vs_polls<const N: usize>(preemptions: Option<usize>, before: usize, by: [By; N]) {
    model(preemptions, move || {
        let (toy, counts, flags) = (Toy::new(), Arc::default(), flags::<N>());
        let (runnable, join) = spawn(&toy, &counts, {
            let flags = flags.clone();
            move |_, _| all_set(&flags)
        });
        toy.run(runnable);
        let waker = counts.take_waker();
        (0..before).for_each(|_| waker.wake_by_ref());
        let wakers = std::array::from_fn::<_, N, _>(|i| {
            let (flags, waker) = (flags.clone(), waker.clone());
            thread::spawn(move || {
                flags[i].store(true, Relaxed);
                wake(waker, by[i]);
            })
        });
        drop(waker);
        toy.run_queued();
        for waker in wakers {
            waker.join().unwrap();
        }
        toy.run_queued();
        assert!(counts.is_over(), "a wake was lost");
        assert_output(join_now(join).ok().expect("output"));
        counts.assert_over(1);
    });
}

#[test]
fn wake_two_idle() {
    wakes_vs_polls(Some(3), 0, [By::Ref, By::Value]);
}

#[test]
fn wake_two_runnable() {
    wakes_vs_polls(Some(2), 1, [By::Ref, By::Value]);
}

/// T4: the count is at the limit before the waker comes.
#[test]
fn wake_one_at_the_limit() {
    wakes_vs_polls(None, 2, [By::Ref]);
    wakes_vs_polls(None, 2, [By::Value]);
}

/// T4: the count gets to the limit and over it during the polls.
#[test]
fn wake_three_over_the_limit() {
    wakes_vs_polls(Some(1), 1, [By::Ref, By::Value, By::Ref]);
}

#[test]
fn wake_two_over_the_limit() {
    wakes_vs_polls(Some(2), 3, [By::Value, By::Ref]);
}

/// T1 by the word alone: each waker polls the task itself if it wins the run right, with no queue in
/// between that would order one poll after the other.
fn run_right_moves(by: [By; 2]) {
    model(Some(3), move || {
        let scheduler = Arc::new(Inline(OwnedTasks::new(1)));
        let (counts, flags) = (Arc::default(), flags::<2>());
        let (runnable, join) = spawn(&scheduler, &counts, {
            let flags = flags.clone();
            move |_, _| all_set(&flags)
        });
        assert!(matches!(runnable.run(), Polled::Idle));
        let waker = counts.take_waker();
        let wakers = [0, 1].map(|i| {
            let (flags, waker) = (flags.clone(), waker.clone());
            thread::spawn(move || {
                flags[i].store(true, Relaxed);
                wake(waker, by[i]);
            })
        });
        drop(waker);
        for waker in wakers {
            waker.join().unwrap();
        }
        assert!(counts.is_over(), "a wake was lost");
        assert_output(join_now(join).ok().expect("output"));
        counts.assert_over(1);
    });
}

#[test]
fn run_right_moves_by_ref() {
    run_right_moves([By::Ref, By::Ref]);
}

#[test]
fn run_right_moves_by_value() {
    run_right_moves([By::Value, By::Value]);
}

/// The run right goes from a poll to an aborter, who drops the future.
#[test]
fn run_right_moves_by_abort() {
    model(None, || {
        let scheduler = Arc::new(Inline(OwnedTasks::new(1)));
        let counts = Arc::default();
        let (runnable, join) = spawn(&scheduler, &counts, |_, _| false);
        let abort = join.abort_handle();
        let aborter = thread::spawn(move || abort.abort());
        scheduler.schedule(runnable);
        aborter.join().unwrap();
        drop(counts.waker.lock().unwrap().take());
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

/// The same through the real queue: with the run right comes the link. The first waker gets the
/// task through the queue, the second does what `second` says.
fn run_right_moves_with_the_link(second: fn(Waker, AbortHandle)) {
    model(Some(3), move || {
        let (mortal, counts, flags) = (Mortal::new(), Arc::default(), flags::<2>());
        let (runnable, join) = spawn(&mortal, &counts, {
            let flags = flags.clone();
            move |_, _| all_set(&flags)
        });
        mortal.run(runnable);
        let (waker, abort) = (counts.take_waker(), join.abort_handle());
        let wakers = [
            thread::spawn({
                let (flags, waker) = (flags.clone(), waker.clone());
                move || {
                    flags[0].store(true, Relaxed);
                    waker.wake();
                }
            }),
            thread::spawn(move || {
                flags[1].store(true, Relaxed);
                second(waker, abort);
            }),
        ];
        mortal.run_queued();
        thread::yield_now();
        mortal.run_queued();
        for waker in wakers {
            waker.join().unwrap();
        }
        mortal.run_queued();
        assert!(counts.is_over(), "a wake was lost");
        let outputs = usize::from(join_now(join).is_ok());
        counts.assert_over(outputs);
    });
}

#[test]
fn run_right_moves_with_the_link_by_ref() {
    run_right_moves_with_the_link(|waker, _| waker.wake_by_ref());
}

#[test]
fn run_right_moves_with_the_link_by_value() {
    run_right_moves_with_the_link(|waker, _| waker.wake());
}

#[test]
fn run_right_moves_with_the_link_by_abort() {
    run_right_moves_with_the_link(|_, abort| abort.abort());
}

/// T4 by the word alone, with three wakers.
#[test]
fn run_right_moves_over_the_limit() {
    model(Some(1), || {
        let scheduler = Arc::new(Inline(OwnedTasks::new(1)));
        let (counts, flags) = (Arc::default(), flags::<3>());
        let (runnable, join) = spawn(&scheduler, &counts, {
            let flags = flags.clone();
            move |_, _| all_set(&flags)
        });
        assert!(matches!(runnable.run(), Polled::Idle));
        let waker = counts.take_waker();
        let wakers = [0, 1, 2].map(|i| {
            let (flags, waker) = (flags.clone(), waker.clone());
            thread::spawn(move || {
                flags[i].store(true, Relaxed);
                waker.wake();
            })
        });
        drop(waker);
        for waker in wakers {
            waker.join().unwrap();
        }
        assert!(counts.is_over(), "a wake was lost");
        assert_output(join_now(join).ok().expect("output"));
        counts.assert_over(1);
    });
}

/// Yielding against a wake: another poll follows, and sees what the waker did.
fn yield_vs_wake(before: usize) {
    model(None, move || {
        let (toy, counts, flags) = (Toy::new(), Arc::default(), flags::<1>());
        let (runnable, join) = spawn(&toy, &counts, {
            let flags = flags.clone();
            move |poll, cx| {
                let set = all_set(&flags);
                if poll == 1 {
                    current::yield_turn(cx);
                }
                set && poll > 1
            }
        });
        toy.run(runnable);
        let waker = counts.take_waker();
        (0..before).for_each(|_| waker.wake_by_ref());
        let waker = {
            let flags = flags.clone();
            thread::spawn(move || {
                flags[0].store(true, Relaxed);
                waker.wake();
            })
        };
        toy.run_queued();
        waker.join().unwrap();
        toy.run_queued();
        assert!(counts.is_over(), "a wake was lost");
        assert_output(join_now(join).ok().expect("output"));
        counts.assert_over(1);
    });
}

#[test]
fn yield_vs_wake_below_the_limit() {
    yield_vs_wake(0);
    yield_vs_wake(1);
}

#[test]
fn yield_vs_wake_at_the_limit() {
    yield_vs_wake(2);
}

#[test]
fn yield_vs_abort() {
    model(None, || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, join) = spawn(&toy, &counts, |poll, cx| {
            if poll < 2 {
                current::yield_turn(cx);
            }
            false
        });
        let abort = join.abort_handle();
        let aborter = thread::spawn(move || abort.abort());
        toy.run(runnable);
        aborter.join().unwrap();
        toy.run_queued();
        drop(counts.waker.lock().unwrap().take());
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

// ---- joining: T5 to T8, T10 ----

/// The handle is polled with one waker and then another while the task completes.
#[test]
fn join_with_two_wakers_vs_completion() {
    model(None, || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, mut join) = spawn(&toy, &counts, |_, _| true);
        let worker = {
            let toy = Arc::clone(&toy);
            thread::spawn(move || toy.run(runnable))
        };
        let (a, waker_a) = Bell::new();
        let (b, waker_b) = Bell::new();
        let mut result = poll_join(&mut join, &waker_a);
        let second = result.is_pending();
        if second {
            result = poll_join(&mut join, &waker_b);
        }
        worker.join().unwrap();
        if result.is_pending() {
            assert_eq!(
                (a.rung(), b.rung()),
                (0, 1),
                "the last waker is woken, once"
            );
            result = poll_join(&mut join, &waker_b);
        } else {
            assert_eq!(b.rung(), 0);
            assert!(a.rung() <= usize::from(second));
        }
        let Poll::Ready(Ok(output)) = result else {
            panic!("no output");
        };
        assert_output(output);
        drop((join, waker_a, waker_b));
        assert_eq!((Arc::strong_count(&a), Arc::strong_count(&b)), (1, 1));
        counts.assert_over(1);
    });
}

/// The same waker again: the field is read, not replaced.
#[test]
fn join_with_the_same_waker_vs_completion() {
    model(None, || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, mut join) = spawn(&toy, &counts, |_, _| true);
        let worker = {
            let toy = Arc::clone(&toy);
            thread::spawn(move || toy.run(runnable))
        };
        let (bell, waker) = Bell::new();
        let pending =
            poll_join(&mut join, &waker).is_pending() && poll_join(&mut join, &waker).is_pending();
        worker.join().unwrap();
        if pending {
            assert_eq!(bell.rung(), 1);
            assert!(poll_join(&mut join, &waker).is_ready());
        }
        drop((join, waker));
        assert_eq!(Arc::strong_count(&bell), 1);
        counts.assert_over(1);
    });
}

/// The handle is dropped while the task completes; `wakers` were registered before, or are now.
fn join_dropped_vs_completion(before: bool, during: bool) {
    model(None, move || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, mut join) = spawn(&toy, &counts, |_, _| true);
        let (bell, waker) = Bell::new();
        if before {
            assert!(poll_join(&mut join, &waker).is_pending());
        }
        let worker = {
            let toy = Arc::clone(&toy);
            thread::spawn(move || toy.run(runnable))
        };
        if during {
            let _ = poll_join(&mut join, &waker);
        }
        drop(join);
        worker.join().unwrap();
        drop(waker);
        assert!(bell.rung() <= 1);
        assert_eq!(Arc::strong_count(&bell), 1, "the waker lives on");
        counts.assert_over(1);
    });
}

#[test]
fn join_dropped_without_waker() {
    join_dropped_vs_completion(false, false);
}

#[test]
fn join_dropped_with_waker() {
    join_dropped_vs_completion(true, false);
}

#[test]
fn join_dropped_after_second_poll() {
    join_dropped_vs_completion(true, true);
}

#[test]
fn join_dropped_after_first_poll() {
    join_dropped_vs_completion(false, true);
}

/// T10: the last waker is used up, the handle dropped and the task completed, all at once.
fn last_one_frees(waker_does: fn(Waker)) {
    model(None, move || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, join) = spawn(&toy, &counts, |poll, _| poll > 0);
        toy.run(runnable);
        let waker = counts.take_waker();
        waker.wake_by_ref();
        let waker = thread::spawn(move || waker_does(waker));
        let joiner = thread::spawn(move || drop(join));
        toy.run_queued();
        waker.join().unwrap();
        joiner.join().unwrap();
        toy.run_queued();
        counts.assert_over(1);
    });
}

#[test]
fn last_one_frees_wake_by_value() {
    last_one_frees(Waker::wake);
}

#[test]
fn last_one_frees_waker_drop() {
    last_one_frees(drop);
}

#[test]
fn last_one_frees_wake_by_ref() {
    last_one_frees(|waker| waker.wake_by_ref());
}

/// T10 among references alone: the task is complete and detached.
#[test]
fn last_one_frees_two_references() {
    model(None, || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, join) = spawn(&toy, &counts, |poll, _| poll > 0);
        toy.run(runnable);
        let (waker, abort) = (counts.take_waker(), join.abort_handle());
        drop(join);
        waker.wake_by_ref();
        let aborter = thread::spawn(move || drop(abort));
        let waker = thread::spawn(move || waker.wake());
        toy.run_queued();
        aborter.join().unwrap();
        waker.join().unwrap();
        counts.assert_over(1);
    });
}

// ---- aborting ----

/// The future either ends by itself or is dropped, and everybody is told the same.
#[test]
fn abort_vs_completion_vs_wake() {
    model(None, || {
        let (toy, counts, flags) = (Toy::new(), Arc::default(), flags::<1>());
        let (runnable, join) = spawn(&toy, &counts, {
            let flags = flags.clone();
            move |_, _| all_set(&flags)
        });
        toy.run(runnable);
        let (waker, abort) = (counts.take_waker(), join.abort_handle());
        let waker = {
            let flags = flags.clone();
            thread::spawn(move || {
                flags[0].store(true, Relaxed);
                waker.wake();
            })
        };
        let aborter = thread::spawn(move || abort.abort());
        toy.run_queued();
        waker.join().unwrap();
        aborter.join().unwrap();
        toy.run_queued();
        let result = join_now(join);
        let outputs = usize::from(result.is_ok());
        assert!(
            result.is_ok_and(|output| {
                assert_output(output);
                true
            }) || outputs == 0
        );
        counts.assert_over(outputs);
    });
}

/// Both aborts race the first poll, and each other; the future never ends by itself.
#[test]
fn abort_twice_vs_poll() {
    model(Some(3), || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, join) = spawn(&toy, &counts, |_, _| false);
        let aborters = [(); 2].map(|()| {
            let abort = join.abort_handle();
            thread::spawn(move || abort.abort())
        });
        toy.run(runnable);
        for aborter in aborters {
            aborter.join().unwrap();
        }
        toy.run_queued();
        drop(counts.waker.lock().unwrap().take());
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

/// What the aborter did before is there when the future is dropped; `before` wakes bring the count
/// to the limit, where an abort adds none.
fn abort_happens_before_drop(before: usize) {
    model(None, move || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let data = crate::loom::sync::Arc::new(UnsafeCell::new(0));
        let (runnable, join) = spawn_with(&toy, &counts, |_, _| false, {
            let data = data.clone();
            move || {
                // SAFETY: T2 — the aborter's write came before.
                assert_eq!(data.with(|data| unsafe { *data }), 1);
            }
        });
        toy.run(runnable);
        let waker = counts.take_waker();
        (0..before).for_each(|_| waker.wake_by_ref());
        drop(waker);
        let abort = join.abort_handle();
        let aborter = thread::spawn(move || {
            // SAFETY: nobody else until the abort.
            data.with_mut(|data| unsafe { *data = 1 });
            abort.abort();
        });
        toy.run_queued();
        aborter.join().unwrap();
        toy.run_queued();
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

#[test]
fn abort_happens_before_drop_of_idle() {
    abort_happens_before_drop(0);
}

#[test]
fn abort_happens_before_drop_of_runnable() {
    abort_happens_before_drop(1);
}

#[test]
fn abort_happens_before_drop_at_the_limit() {
    abort_happens_before_drop(2);
    abort_happens_before_drop(3);
}

#[test]
fn abort_handle_cloned_and_dropped_vs_completion() {
    model(Some(3), || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, join) = spawn(&toy, &counts, |_, _| true);
        let abort = join.abort_handle();
        let aborter = thread::spawn(move || {
            let copy = abort.clone();
            drop(abort);
            let _ = copy.is_finished();
        });
        let joiner = thread::spawn(move || drop(join));
        toy.run(runnable);
        aborter.join().unwrap();
        joiner.join().unwrap();
        counts.assert_over(1);
    });
}

/// The handle aborts while the task ends, and then joins.
#[test]
fn abort_then_join_vs_completion() {
    model(None, || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, mut join) = spawn(&toy, &counts, |_, _| true);
        let worker = {
            let toy = Arc::clone(&toy);
            thread::spawn(move || toy.run(runnable))
        };
        join.abort();
        let (bell, waker) = Bell::new();
        let mut result = poll_join(&mut join, &waker);
        worker.join().unwrap();
        if result.is_pending() {
            assert_eq!(bell.rung(), 1);
            result = poll_join(&mut join, &waker);
        }
        let Poll::Ready(result) = result else {
            panic!("not ended");
        };
        counts.assert_over(0);
        let outputs = usize::from(result.is_ok());
        drop(result);
        counts.assert_over(outputs);
    });
}

/// A run right that is dropped ends the task.
#[test]
fn runnable_dropped_vs_join() {
    model(None, || {
        let (toy, counts) = (Toy::new(), Arc::default());
        let (runnable, mut join) = spawn(&toy, &counts, |_, _| false);
        let dropper = thread::spawn(move || drop(runnable));
        let (bell, waker) = Bell::new();
        let mut result = poll_join(&mut join, &waker);
        dropper.join().unwrap();
        if result.is_pending() {
            assert_eq!(bell.rung(), 1);
            result = poll_join(&mut join, &waker);
        }
        assert!(matches!(result, Poll::Ready(Err(error)) if error.is_cancelled()));
        assert_eq!(counts.polls.load(SeqCst), 0);
        counts.assert_over(0);
    });
}

// ---- shutting down: T9, T11 ----

/// A scheduler that may be let go of, and sees whether it is used after that.
struct Mortal {
    queue: Injector<Runnable>,
    owned: OwnedTasks,
    /// Calls of `schedule` that have begun and not ended: T11 for whoever is not a worker.
    calls: AtomicUsize,
    life: UnsafeCell<()>,
}

impl Mortal {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            queue: Injector::new(),
            owned: OwnedTasks::new(1),
            calls: AtomicUsize::new(0),
            life: UnsafeCell::new(()),
        })
    }

    fn use_it(&self) {
        self.life.with(|_| ());
    }

    fn run(&self, runnable: Runnable) {
        if let Polled::Again(runnable) = runnable.run() {
            self.schedule(runnable);
        }
    }

    fn run_queued(&self) {
        while let Some(runnable) = self.queue.try_take(|_| 1).and_then(|mut c| c.pop_front()) {
            self.run(runnable);
        }
    }

    fn drain(&self) {
        for runnable in self.queue.try_take(|n| n).into_iter().flatten() {
            runnable.cancel();
        }
    }

    /// What each worker does that leaves, while others may be at work.
    fn leave(&self) {
        self.owned.close(Runnable::cancel);
        self.drain();
    }

    /// What a runtime does at its end.
    fn shut_down(&self, close_queue: bool) {
        self.owned.close(Runnable::cancel);
        if close_queue {
            self.queue.close().for_each(Runnable::cancel);
        }
        loop {
            self.drain();
            // The list first: a task whose wake is on its way is listed until it is taken from the
            // queue, by when its caller is counted.
            if self.owned.is_empty() && self.calls.load(Acquire) == 0 {
                break;
            }
            thread::yield_now();
        }
    }

    fn let_go(&self) {
        self.life.with_mut(|_| ());
    }
}

impl Schedule for Mortal {
    fn schedule(&self, runnable: Runnable) {
        self.calls.fetch_add(1, Relaxed);
        if let Push::Closed(runnable) = self.queue.push(runnable) {
            runnable.cancel();
        }
        // Now it would look for a sleeper to tell.
        self.use_it();
        self.calls.fetch_sub(1, Release);
    }

    unsafe fn adopt(&self, task: Task) -> Result<(), Closed> {
        self.use_it();
        // SAFETY: passed on.
        unsafe { self.owned.adopt(0, task) }
    }

    unsafe fn release(&self, task: Task) {
        self.use_it();
        // SAFETY: passed on.
        unsafe { self.owned.release(task) };
    }

    fn on_complete(&self, _task: &Facts<'_>) {
        self.use_it();
    }
}

/// A foreign wake is on its way while the runtime ends.
fn shutdown_vs_foreign_wake(close_queue: bool) {
    model(None, move || {
        let (mortal, counts) = (Mortal::new(), Arc::default());
        let (runnable, join) = spawn(&mortal, &counts, |_, _| false);
        mortal.run(runnable);
        let waker = counts.take_waker();
        let waker = thread::spawn(move || waker.wake());
        mortal.shut_down(close_queue);
        mortal.let_go();
        waker.join().unwrap();
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

#[test]
fn shutdown_vs_foreign_wake_open_queue() {
    shutdown_vs_foreign_wake(false);
}

#[test]
fn shutdown_vs_foreign_wake_closed_queue() {
    shutdown_vs_foreign_wake(true);
}

/// A foreign abort is on its way while the runtime ends.
#[test]
fn shutdown_vs_foreign_abort() {
    model(None, || {
        let (mortal, counts) = (Mortal::new(), Arc::default());
        let (runnable, join) = spawn(&mortal, &counts, |_, _| false);
        mortal.run(runnable);
        drop(counts.take_waker());
        let abort = join.abort_handle();
        let aborter = thread::spawn(move || abort.abort());
        mortal.shut_down(true);
        mortal.let_go();
        aborter.join().unwrap();
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

/// A worker polls a task for the first time, and lists it or is refused. It may also end by itself.
fn shutdown_vs_adopt(ends_at: usize, yields: bool) {
    model(None, move || {
        let (mortal, counts) = (Mortal::new(), Arc::default());
        let (runnable, join) = spawn(&mortal, &counts, move |poll, cx| {
            if yields {
                current::yield_turn(cx);
            }
            poll == ends_at
        });
        let worker = {
            let mortal = Arc::clone(&mortal);
            thread::spawn(move || mortal.run(runnable))
        };
        mortal.shut_down(true);
        // A runtime does not let go of its scheduler before its workers have.
        worker.join().unwrap();
        mortal.let_go();
        drop(counts.waker.lock().unwrap().take());
        let outputs = usize::from(join_now(join).is_ok());
        counts.assert_over(outputs);
    });
}

#[test]
fn shutdown_vs_adopt_of_sleeper() {
    shutdown_vs_adopt(usize::MAX, false);
}

#[test]
fn shutdown_vs_adopt_of_yielder() {
    shutdown_vs_adopt(usize::MAX, true);
}

#[test]
fn shutdown_vs_end_at_first_poll() {
    shutdown_vs_adopt(0, false);
}

/// Everything at once: a listed task is woken from outside and released by a worker that polls it,
/// while the runtime ends.
#[test]
fn shutdown_vs_wake_vs_release() {
    model(Some(3), || {
        let (mortal, counts) = (Mortal::new(), Arc::default());
        let (runnable, join) = spawn(&mortal, &counts, |poll, _| poll > 0);
        mortal.run(runnable);
        let waker = counts.take_waker();
        let waker = thread::spawn(move || waker.wake());
        let worker = {
            let mortal = Arc::clone(&mortal);
            thread::spawn(move || mortal.run_queued())
        };
        mortal.shut_down(true);
        worker.join().unwrap();
        mortal.let_go();
        waker.join().unwrap();
        let outputs = usize::from(join_now(join).is_ok());
        counts.assert_over(outputs);
    });
}

/// Two workers leave at once, while a wake is on its way; who is the last does the rest.
#[test]
fn shutdown_by_two_vs_foreign_wake() {
    model(Some(3), || {
        let (mortal, counts) = (Mortal::new(), Arc::default());
        let (runnable, join) = spawn(&mortal, &counts, |_, _| false);
        mortal.run(runnable);
        let waker = counts.take_waker();
        let waker = thread::spawn(move || waker.wake());
        let leaver = {
            let mortal = Arc::clone(&mortal);
            thread::spawn(move || mortal.leave())
        };
        mortal.leave();
        leaver.join().unwrap();
        mortal.shut_down(true);
        mortal.let_go();
        waker.join().unwrap();
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

/// One leaves, and takes what is queued, while another polls a task that it lists or is refused, and that yields.
#[test]
fn shutdown_by_one_that_leaves_vs_adopt() {
    model(Some(3), || {
        let (mortal, counts) = (Mortal::new(), Arc::default());
        let (runnable, join) = spawn(&mortal, &counts, |poll, cx| {
            if poll == 0 {
                current::yield_turn(cx);
            }
            false
        });
        let worker = {
            let mortal = Arc::clone(&mortal);
            thread::spawn(move || {
                mortal.run(runnable);
                mortal.run_queued();
                mortal.leave();
            })
        };
        mortal.leave();
        worker.join().unwrap();
        mortal.shut_down(true);
        mortal.let_go();
        drop(counts.waker.lock().unwrap().take());
        assert!(join_now(join).err().expect("error").is_cancelled());
        counts.assert_over(0);
    });
}

/// Two tasks on one list: one is closed while the other is released next to it.
#[test]
fn shutdown_of_two_vs_release_of_one() {
    model(None, || {
        let mortal = Mortal::new();
        let counts = [Arc::default(), Arc::default()];
        let joins = [0, 1].map(|i| {
            let (runnable, join) = spawn(&mortal, &counts[i], |poll, _| poll > 0);
            mortal.run(runnable);
            join
        });
        counts[0].take_waker().wake();
        drop(counts[1].take_waker());
        let worker = {
            let mortal = Arc::clone(&mortal);
            thread::spawn(move || mortal.run_queued())
        };
        mortal.shut_down(true);
        worker.join().unwrap();
        mortal.let_go();
        for (join, counts) in joins.into_iter().zip(counts) {
            let outputs = usize::from(join_now(join).is_ok());
            counts.assert_over(outputs);
        }
    });
}
