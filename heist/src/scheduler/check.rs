//! A strategy on the test bench.

use std::collections::HashMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::runtime::{Builder, Runtime};
use crate::scheduler::{Cause, Runnable, Scheduler, Tell, Turn};
use crate::task::{Id, JoinHandle, block_in_place, yield_now};

/// How long a load may take before it is said to hang. Each needs some milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often to see whether a load that does not end has broken a promise.
const LOOK: Duration = Duration::from_millis(100);

/// Runs a strategy under several loads and panics if it breaks a promise of [`Scheduler`]. For tests.
///
/// With one, two and four workers, and tasks that spawn, yield, wake each other, are woken by other threads, by
/// timers, block in place and panic, and with shutdowns in the middle of it all, it finds out whether
///
/// * every task that is pushed comes back (a task that is lost is named, with the place where it was spawned),
/// * `has_work` and `has_shared_work` say so when `next` has something,
/// * the workers that are told come, and nobody starves beside tasks that never wait,
/// * nothing panics, and workers that are named exist.
///
/// It takes about a second. What it does not find is not proved to be absent: run it often, and under load.
///
/// ```
/// use heist::scheduler::{GlobalQueue, check};
///
/// check(GlobalQueue::new);
/// ```
///
/// A strategy that forgets every hundredth task:
///
/// ```should_panic
/// # use std::sync::{Mutex, atomic::{AtomicUsize, Ordering}};
/// # use std::collections::VecDeque;
/// # use heist::scheduler::{check, Cause, Runnable, Scheduler, Tell, Turn};
/// # #[derive(Default)]
/// # struct Forgetful { queue: Mutex<VecDeque<Runnable>>, pushes: AtomicUsize }
/// # impl Scheduler for Forgetful {
/// #     type Worker = ();
/// #     fn worker(&self, _: usize) {}
/// fn push(&self, task: Runnable, _: Cause, _: Option<&mut ()>) -> Tell {
///     if self.pushes.fetch_add(1, Ordering::Relaxed) % 100 != 99 {
///         self.queue.lock().unwrap().push_back(task);
///     }
///     Tell::Anyone
/// }
/// #     fn next(&self, _: &mut (), _: &mut Turn<'_>) -> Option<Runnable> {
/// #         self.queue.lock().unwrap().pop_front()
/// #     }
/// #     fn has_work(&self, _: &()) -> bool { !self.queue.lock().unwrap().is_empty() }
/// #     fn has_shared_work(&self) -> bool { !self.queue.lock().unwrap().is_empty() }
/// # }
///
/// check(|_workers| Forgetful::default());
/// ```
///
/// # Panics
///
/// If the strategy breaks a promise; that is what it is for.
#[track_caller]
pub fn check<S: Scheduler>(make: impl Fn(usize) -> S + Send + Sync + 'static) {
    check_within(PATIENCE, LOADS, make);
}

#[track_caller]
fn check_within<S: Scheduler>(
    patience: Duration,
    loads: &[Load],
    make: impl Fn(usize) -> S + Send + Sync + 'static,
) {
    let make = Arc::new(make);
    for workers in [1, 2, 4] {
        for (name, load) in loads {
            if let Err(problem) = run_load(patience, workers, *load, &make) {
                panic!("the scheduler breaks a promise ({name}, {workers} workers): {problem}");
            }
        }
    }
}

fn run_load<S: Scheduler>(
    patience: Duration,
    workers: usize,
    load: fn(&Runtime),
    make: &Arc<impl Fn(usize) -> S + Send + Sync + 'static>,
) -> Result<(), String> {
    let ledger = Arc::new(Ledger::default());
    let (done, wait) = mpsc::channel();
    let (kept, make) = (Arc::clone(&ledger), Arc::clone(make));
    std::thread::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let runtime = Builder::new_multi_thread()
                .worker_threads(workers)
                .scheduler(move |workers| Watched {
                    scheduler: make(workers),
                    ledger: Arc::clone(&kept),
                })
                .enable_all()
                .build()
                .expect("the system has threads for a runtime");
            load(&runtime);
        }));
        let _ = done.send(result.map_err(|panic| text_of(&*panic)));
    });
    // A thread that hangs stays behind; the test that called us is over.
    let begin = Instant::now();
    let result = loop {
        match wait.recv_timeout(patience.min(LOOK)) {
            Ok(result) => break result,
            Err(_) if ledger.lock().problem.is_some() => break Ok(()),
            Err(RecvTimeoutError::Timeout) if begin.elapsed() < patience => {}
            Err(_) => break Err(ledger.who_is_missing()),
        }
    };
    // What was written down first is the cause of the rest.
    let first = ledger.lock().problem.take();
    match first {
        Some(problem) => Err(problem),
        None => result,
    }
}

#[inline]
fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a text").to_owned()
}

/// What the strategy was given, and has not given back.
#[derive(Default)]
struct Ledger {
    entries: Mutex<Entries>,
    /// Pushes that have begun, and ended.
    begun: AtomicUsize,
    ended: AtomicUsize,
}

#[derive(Default)]
struct Entries {
    tasks: HashMap<Id, (Cause, &'static Location<'static>)>,
    problem: Option<String>,
}

impl Ledger {
    #[inline]
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn problem(&self, text: String) {
        self.lock().problem.get_or_insert(text);
    }

    #[inline]
    fn who_is_missing(&self) -> String {
        let entries = self.lock();
        match entries.tasks.iter().next() {
            Some((id, (cause, place))) => format!(
                "it hangs, with {} tasks that were pushed and not given back. One is task {id} ({cause:?}), spawned \
                 at {place}: it was lost, or whoever was to be told was not",
                entries.tasks.len()
            ),
            None => "it hangs, though every task that was pushed was given back".to_owned(),
        }
    }
}

/// The strategy, with somebody who looks over its shoulder.
struct Watched<S> {
    scheduler: S,
    ledger: Arc<Ledger>,
}

impl<S: Scheduler> Watched<S> {
    fn take(
        &self,
        worker: &mut S::Worker,
        turn: &mut Turn<'_>,
        take: impl FnOnce(&S, &mut S::Worker, &mut Turn<'_>) -> Option<Runnable>,
        nothing_since: Option<usize>,
    ) -> Option<Runnable> {
        let task = take(&self.scheduler, worker, turn)?;
        if nothing_since == Some(self.ledger.begun.load(SeqCst)) {
            self.ledger.problem(format!(
                "`has_work` and `has_shared_work` said there was nothing, and `next` gave task {}",
                task.id()
            ));
        }
        if self.ledger.lock().tasks.remove(&task.id()).is_none() {
            self.ledger
                .problem(format!("it gave task {}, which it did not have", task.id()));
        }
        Some(task)
    }
}

impl<S: Scheduler> Scheduler for Watched<S> {
    type Worker = S::Worker;

    fn worker(&self, index: usize) -> S::Worker {
        self.scheduler.worker(index)
    }

    fn push(&self, task: Runnable, cause: Cause, worker: Option<&mut S::Worker>) -> Tell {
        let entry = (task.id(), (cause, task.spawned_at()));
        self.ledger.lock().tasks.insert(entry.0, entry.1);
        self.ledger.begun.fetch_add(1, SeqCst);
        let tell = self.scheduler.push(task, cause, worker);
        self.ledger.ended.fetch_add(1, SeqCst);
        tell
    }

    fn next(&self, worker: &mut S::Worker, turn: &mut Turn<'_>) -> Option<Runnable> {
        // What was pushed before this look is to be seen; a push that is under way, or comes between the
        // looks, does not count. Ended first: if the two are equal, none was under way at the second load.
        let ended = self.ledger.ended.load(SeqCst);
        let begun = self.ledger.begun.load(SeqCst);
        let seen = self.scheduler.has_work(worker) || self.scheduler.has_shared_work();
        let nothing = !seen && begun == ended;
        self.take(worker, turn, S::next, nothing.then_some(begun))
    }

    fn steal(&self, worker: &mut S::Worker, turn: &mut Turn<'_>) -> Option<Runnable> {
        self.take(worker, turn, S::steal, None)
    }

    fn has_work(&self, worker: &S::Worker) -> bool {
        self.scheduler.has_work(worker)
    }

    fn has_shared_work(&self) -> bool {
        self.scheduler.has_shared_work()
    }

    fn queue_depth(&self, index: usize) -> usize {
        self.scheduler.queue_depth(index)
    }

    fn on_start(&self, index: usize) {
        self.scheduler.on_start(index);
    }

    fn keeps_tasks(&self) -> bool {
        self.scheduler.keeps_tasks()
    }
}

type Load = (&'static str, fn(&Runtime));

const LOADS: &[Load] = &[
    ("tasks from outside", from_outside),
    ("tasks that spawn tasks", tree),
    ("tasks that yield", yields),
    ("tasks that wake each other", channels),
    ("wakes from other threads", foreign_wakes),
    ("one task at a time, workers asleep", one_by_one),
    ("a task beside others that never wait", beside_busy),
    ("timers", timers),
    ("tasks that block in place", blocking),
    ("tasks that panic", panics),
    ("a shutdown with tasks everywhere", shutdown),
];

// What follows is `inline` so that it is compiled by those who call `check`, and not with every program.

/// The loads' tasks are of one type: each takes the compiler as long as a page of other code.
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

#[inline]
fn boxed(task: impl Future<Output = ()> + Send + 'static) -> Boxed {
    Box::pin(task)
}

#[track_caller]
fn spawn(runtime: &Runtime, task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    runtime.spawn(boxed(task))
}

#[inline]
fn join(runtime: &Runtime, tasks: Vec<JoinHandle<()>>) {
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("the task does not panic");
        }
    });
}

#[inline]
fn from_outside(runtime: &Runtime) {
    let tasks = (0..500).map(|_| spawn(runtime, async {})).collect();
    join(runtime, tasks);
}

#[inline]
fn tree(runtime: &Runtime) {
    #[inline]
    fn grow(depth: u32) -> Boxed {
        Box::pin(async move {
            if depth > 0 {
                let twigs = [0, 1].map(|_| crate::spawn(grow(depth - 1)));
                for twig in twigs {
                    twig.await.expect("the task does not panic");
                }
            }
        })
    }
    join(runtime, vec![spawn(runtime, grow(7))]);
}

#[inline]
fn yields(runtime: &Runtime) {
    let task = || async {
        for _ in 0..50 {
            yield_now().await;
        }
    };
    join(runtime, (0..20).map(|_| spawn(runtime, task())).collect());
}

#[inline]
fn channels(runtime: &Runtime) {
    let mut tasks = Vec::new();
    for _ in 0..10 {
        let (there, mut here) = crate::sync::mpsc::channel(1);
        let (back, mut again) = crate::sync::mpsc::channel(1);
        tasks.push(spawn(runtime, async move {
            while let Some(()) = here.recv().await {
                let _ = back.send(()).await;
            }
        }));
        tasks.push(spawn(runtime, async move {
            for _ in 0..50 {
                let _ = there.send(()).await;
                let _ = again.recv().await;
            }
        }));
    }
    join(runtime, tasks);
}

#[inline]
fn foreign_wakes(runtime: &Runtime) {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..300).map(|_| crate::sync::oneshot::channel()).unzip();
    let wait = |receiver: crate::sync::oneshot::Receiver<()>| async move {
        receiver.await.expect("somebody sends");
    };
    let tasks = receivers.into_iter().map(|r| spawn(runtime, wait(r)));
    let tasks = tasks.collect();
    let sends = std::thread::spawn(move || {
        for sender in senders {
            let _ = sender.send(());
        }
    });
    join(runtime, tasks);
    sends.join().expect("sending does not panic");
}

#[inline]
fn one_by_one(runtime: &Runtime) {
    for i in 0..100 {
        if i % 20 == 0 {
            // Now they sleep; at other times they are about to.
            std::thread::sleep(Duration::from_millis(1));
        }
        join(runtime, vec![spawn(runtime, yield_now())]);
    }
}

#[inline]
fn beside_busy(runtime: &Runtime) {
    let stop = Arc::new(AtomicBool::new(false));
    let busy = (0..20).map(|_| {
        let stop = Arc::clone(&stop);
        spawn(runtime, async move {
            while !stop.load(SeqCst) {
                yield_now().await;
            }
        })
    });
    let busy = busy.collect();
    for _ in 0..20 {
        let task = spawn(runtime, async {
            crate::spawn(boxed(yield_now()))
                .await
                .expect("a yield is harmless");
        });
        join(runtime, vec![task]);
    }
    stop.store(true, SeqCst);
    join(runtime, busy);
}

#[inline]
fn timers(runtime: &Runtime) {
    let nap = |i: u64| async move { crate::time::sleep(Duration::from_micros(50 * i)).await };
    join(runtime, (0..40).map(|i| spawn(runtime, nap(i))).collect());
}

#[inline]
fn blocking(runtime: &Runtime) {
    let task = || async {
        yield_now().await;
        block_in_place(|| std::thread::sleep(Duration::from_micros(200)));
        yield_now().await;
    };
    join(runtime, (0..10).map(|_| spawn(runtime, task())).collect());
}

#[inline]
fn panics(runtime: &Runtime) {
    for _ in 0..10 {
        let task = spawn(runtime, async {
            yield_now().await;
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        let result: Result<(), _> = runtime.block_on(task);
        assert!(result.is_err_and(|error| error.is_panic()));
    }
}

/// Waits for ever, and is woken all the time.
struct Restless(Arc<Mutex<Vec<Waker>>>);

impl Future for Restless {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut wakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if wakers.len() < 200 {
            wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

#[inline]
fn shutdown(runtime: &Runtime) {
    let wakers = Arc::new(Mutex::new(Vec::<Waker>::new()));
    for i in 0..120 {
        match i % 4 {
            0 => spawn(runtime, std::future::pending()),
            1 => spawn(runtime, Restless(Arc::clone(&wakers))),
            2 => spawn(runtime, async {
                crate::time::sleep(Duration::from_secs(1000)).await
            }),
            _ => spawn(runtime, async {
                loop {
                    yield_now().await;
                }
            }),
        };
    }
    let weak = Arc::downgrade(&wakers);
    std::thread::spawn(move || {
        // Goes on beside the shutdown, until the last task is dropped.
        while let Some(wakers) = weak.upgrade() {
            let now = wakers
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            drop(wakers);
            now.iter().for_each(Waker::wake_by_ref);
            std::thread::yield_now();
        }
    });
    std::thread::sleep(Duration::from_millis(2));
    // The runtime is dropped when this returns.
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// What is wrong with a [`Wrong`].
    #[derive(Clone, Copy, PartialEq)]
    enum Bug {
        Forgets,
        Drops,
        HidesWork,
        TellsNobody,
        Starves,
        Panics,
    }

    struct Wrong {
        queue: Mutex<VecDeque<Runnable>>,
        pushes: AtomicUsize,
        bug: Bug,
    }

    impl Wrong {
        fn queue(&self) -> MutexGuard<'_, VecDeque<Runnable>> {
            self.queue.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Scheduler for Wrong {
        type Worker = ();

        fn worker(&self, _: usize) {}

        fn push(&self, task: Runnable, cause: Cause, _: Option<&mut ()>) -> Tell {
            let now = self.pushes.fetch_add(1, SeqCst) % 100 == 99;
            match self.bug {
                Bug::Forgets if now => std::mem::forget(task),
                Bug::Drops if now => drop(task),
                Bug::Panics if now => std::panic::resume_unwind(Box::new("on purpose")),
                Bug::Starves if cause == Cause::Yielded => self.queue().push_front(task),
                _ => self.queue().push_back(task),
            }
            match self.bug {
                Bug::TellsNobody => Tell::Worker(0),
                _ => Tell::Anyone,
            }
        }

        fn next(&self, _: &mut (), turn: &mut Turn<'_>) -> Option<Runnable> {
            if self.bug == Bug::TellsNobody && turn.worker() == 0 {
                return None;
            }
            self.queue().pop_front()
        }

        fn has_work(&self, _: &()) -> bool {
            self.bug != Bug::HidesWork && !self.queue().is_empty()
        }

        fn has_shared_work(&self) -> bool {
            self.has_work(&())
        }
    }

    fn told(bug: Bug, patience: Duration, loads: &[Load]) -> String {
        let make = move |_| Wrong {
            queue: Mutex::default(),
            pushes: AtomicUsize::new(0),
            bug,
        };
        let panic = catch_unwind(AssertUnwindSafe(|| check_within(patience, loads, make)));
        text_of(&*panic.expect_err("the bug is found"))
    }

    #[test]
    fn each_bug_is_found_and_named() {
        let expect = |told: String, text: &str| assert!(told.contains(text), "{told}");
        let at_once = |bug| told(bug, PATIENCE, LOADS);
        expect(at_once(Bug::Drops), "it dropped task");
        expect(at_once(Bug::HidesWork), "said there was nothing");
        expect(at_once(Bug::Panics), "it panicked in `push`: on purpose");
        // Those that make it hang are found by waiting: not with loads that only take long.
        let hangs = |bug, load| told(bug, Duration::from_secs(2), &[("", load)]);
        let lost = "pushed and not given back";
        expect(hangs(Bug::Forgets, from_outside), lost);
        expect(hangs(Bug::TellsNobody, from_outside), lost);
        expect(hangs(Bug::Starves, beside_busy), lost);
    }

    #[test]
    fn the_built_in_ones_pass() {
        check(crate::scheduler::GlobalQueue::new);
        check(crate::scheduler::RoundRobin::new);
        check(crate::scheduler::Sharded::new);
        check(crate::scheduler::Classes::new);
    }
}
