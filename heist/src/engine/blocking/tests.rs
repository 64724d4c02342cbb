use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::time::{Duration, Instant};

use super::roster::{Faults, Next, Roster, Step};
use super::{Config, Job, Mandatory, SubmitError, ThreadPool};

/// Far longer than anything here takes: reaching it is a hang.
const HANG: Duration = Duration::from_secs(60);

/// A closure that is told whether it is run or cancelled.
struct Closure(Box<dyn FnOnce(bool) + Send>);

impl Job for Closure {
    fn run(self) {
        (self.0)(true);
    }

    fn cancel(self) {
        (self.0)(false);
    }
}

type Pool = ThreadPool<Closure>;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn pool(max_threads: usize, keep_alive: Duration) -> Pool {
    ThreadPool::new(Config {
        max_threads,
        keep_alive,
        ..Config::new(cores())
    })
}

fn submit(pool: &Pool, f: impl FnOnce(bool) + Send + 'static) {
    pool.submit(Closure(Box::new(f)), Mandatory::No)
        .expect("accepted");
}

fn end(pool: &Pool) {
    pool.shutdown();
    assert!(pool.wait(Some(HANG)));
    assert_eq!(pool.num_threads(), 0);
    assert_eq!(pool.num_idle_threads(), 0);
    assert_eq!(pool.queue_depth(), 0);
}

/// Waits until `condition` holds.
fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < HANG, "hangs");
        std::thread::sleep(Duration::from_micros(100));
    }
}

type Gate = Arc<Mutex<mpsc::Receiver<()>>>;

/// A place to wait at until the other half is dropped.
fn gate() -> (Gate, mpsc::Sender<()>) {
    let (open, gate) = mpsc::channel();
    (Arc::new(Mutex::new(gate)), open)
}

fn wait_at(gate: &Gate) {
    assert!(gate.lock().unwrap().recv_timeout(HANG).is_err());
}

#[test]
fn each_of_many_jobs_runs_once() {
    const JOBS: usize = 100_000;
    const SUBMITTERS: usize = 4;
    let pool = pool(8, Duration::from_secs(1));
    let runs: Arc<Vec<AtomicUsize>> = Arc::new((0..JOBS).map(|_| AtomicUsize::new(0)).collect());
    let done = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for submitter in 0..SUBMITTERS {
            let (pool, runs, done) = (&pool, &runs, &done);
            scope.spawn(move || {
                for job in (submitter..JOBS).step_by(SUBMITTERS) {
                    let (runs, done) = (Arc::clone(runs), Arc::clone(done));
                    submit(pool, move |run| {
                        assert!(run);
                        runs[job].fetch_add(1, Relaxed);
                        done.fetch_add(1, SeqCst);
                    });
                }
            });
        }
    });
    until(|| done.load(SeqCst) == JOBS);
    assert!(runs.iter().all(|runs| runs.load(Relaxed) == 1));
    assert!(pool.num_threads() <= 8);
    end(&pool);
}

#[test]
fn one_thread_runs_jobs_in_order() {
    let pool = pool(1, Duration::from_secs(1));
    let order = Arc::new(Mutex::new(Vec::new()));
    for i in 0..1000 {
        let order = Arc::clone(&order);
        submit(&pool, move |_| order.lock().unwrap().push(i));
    }
    until(|| order.lock().unwrap().len() == 1000);
    assert!(order.lock().unwrap().is_sorted());
    end(&pool);
}

/// B1: the pool grows to its cap though every job blocks, from cold and from warm.
#[test]
fn jobs_that_need_each_other_all_run_at_once() {
    const CAP: usize = 64;
    let pool = pool(CAP, Duration::from_secs(10));
    for _ in 0..20 {
        let barrier = Arc::new(Barrier::new(CAP));
        let (done, all_done) = mpsc::channel();
        for _ in 0..CAP {
            let (barrier, done) = (Arc::clone(&barrier), done.clone());
            submit(&pool, move |_| {
                barrier.wait();
                done.send(()).unwrap();
            });
        }
        for _ in 0..CAP {
            all_done.recv_timeout(HANG).expect("hangs");
        }
        assert_eq!(pool.num_threads(), CAP);
    }
    end(&pool);
}

/// The same below the cap: there is a thread for each, and for no more.
#[test]
fn jobs_get_a_thread_each_below_the_cap() {
    const JOBS: usize = 200;
    let pool = pool(512, HANG);
    let (gate, open) = gate();
    let (entered, has_entered) = mpsc::channel();
    for _ in 0..JOBS {
        let (gate, entered) = (Arc::clone(&gate), entered.clone());
        submit(&pool, move |_| {
            entered.send(()).unwrap();
            wait_at(&gate);
        });
    }
    for _ in 0..JOBS {
        has_entered.recv_timeout(HANG).expect("hangs");
    }
    assert_eq!(pool.num_threads(), JOBS);
    drop(open);
    end(&pool);
}

/// #8056: threads whose time is about to be over, and bursts of jobs.
#[test]
fn bursts_meet_threads_that_time_out() {
    for (keep_alive, cap) in [(0, 4), (50, 4), (200, 1), (1000, 16)] {
        let pool = pool(cap, Duration::from_micros(keep_alive));
        for round in 0..200 {
            let burst = 1 + round % 7;
            let (done, all_done) = mpsc::channel();
            for _ in 0..burst {
                let done = done.clone();
                submit(&pool, move |_| done.send(()).unwrap());
            }
            for _ in 0..burst {
                all_done.recv_timeout(HANG).expect("hangs");
            }
            let pause = keep_alive.saturating_sub(20) + round as u64 % 40;
            std::thread::sleep(Duration::from_micros(pause));
        }
        until(|| pool.num_threads() == 0);
        end(&pool);
    }
}

#[test]
fn idle_threads_leave_and_the_warmest_stay() {
    let pool = pool(4, Duration::from_millis(40));
    let barrier = Arc::new(Barrier::new(5));
    for _ in 0..4 {
        let barrier = Arc::clone(&barrier);
        submit(&pool, move |_| {
            barrier.wait();
        });
    }
    // While they wait for us, none is idle.
    until(|| pool.num_threads() == 4);
    barrier.wait();
    // Jobs come all the time, but one thread is enough for them: the others leave.
    let names = Arc::new(Mutex::new(std::collections::HashSet::new()));
    let start = Instant::now();
    while pool.num_threads() > 1 {
        let names = Arc::clone(&names);
        let (done, is_done) = mpsc::channel();
        submit(&pool, move |_| {
            names.lock().unwrap().insert(std::thread::current().id());
            done.send(()).unwrap();
        });
        is_done.recv_timeout(HANG).expect("hangs");
        std::thread::sleep(Duration::from_millis(1));
        assert!(start.elapsed() < HANG);
    }
    end(&pool);
}

#[test]
fn shutdown_races() {
    for round in 0..500 {
        let pool = pool(2, Duration::from_micros(round % 100));
        let resolved = Arc::new(AtomicUsize::new(0));
        let mandatory_lost = Arc::new(AtomicBool::new(false));
        let submitted: usize = std::thread::scope(|scope| {
            let submitters: Vec<_> = (0..2)
                .map(|_| {
                    let (pool, resolved, lost) = (&pool, &resolved, &mandatory_lost);
                    scope.spawn(move || {
                        for i in 0.. {
                            let mandatory = [Mandatory::No, Mandatory::Yes][i % 2];
                            let (resolved, lost) = (Arc::clone(resolved), Arc::clone(lost));
                            let job = Closure(Box::new(move |run| {
                                if !run && mandatory == Mandatory::Yes {
                                    lost.store(true, SeqCst);
                                }
                                resolved.fetch_add(1, SeqCst);
                            }));
                            match pool.submit(job, mandatory) {
                                Ok(()) => {}
                                Err(SubmitError::ShutDown(_)) => return i,
                                Err(error) => panic!("{error:?}"),
                            }
                        }
                        unreachable!("ends by the shutdown")
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_micros(round * 7 % 300));
            pool.shutdown();
            assert!(pool.wait(Some(HANG)));
            submitters.into_iter().map(|s| s.join().unwrap()).sum()
        });
        assert_eq!(resolved.load(SeqCst), submitted);
        assert!(!mandatory_lost.load(SeqCst));
        end(&pool);
    }
}

#[test]
fn shutdown_cancels_what_is_queued_and_runs_what_is_mandatory() {
    let pool = pool(1, Duration::from_secs(10));
    let (gate, open) = gate();
    let (entered, has_entered) = mpsc::channel();
    submit(&pool, move |_| {
        entered.send(()).unwrap();
        wait_at(&gate);
    });
    has_entered.recv_timeout(HANG).unwrap();
    let fates = Arc::new(Mutex::new(Vec::new()));
    for (i, mandatory) in [Mandatory::No, Mandatory::Yes, Mandatory::No, Mandatory::Yes]
        .into_iter()
        .enumerate()
    {
        let fates = Arc::clone(&fates);
        let job = Closure(Box::new(move |run| fates.lock().unwrap().push((i, run))));
        pool.submit(job, mandatory).unwrap();
    }
    assert_eq!(pool.queue_depth(), 4);
    pool.shutdown();
    assert_eq!(*fates.lock().unwrap(), [(0, false), (2, false)]);
    assert_eq!(pool.queue_depth(), 2);

    let late = pool.submit(Closure(Box::new(|_| ())), Mandatory::Yes);
    assert!(matches!(late, Err(SubmitError::ShutDown(_))));
    assert!(pool.start_duty(Box::new(|| ())).is_err());

    // A job that does not end: the wait is as long as it was said to be.
    let start = Instant::now();
    assert!(!pool.wait(Some(Duration::ZERO)));
    assert!(!pool.wait(Some(Duration::from_millis(10))));
    assert!(start.elapsed() < HANG / 2);
    drop(open);
    assert!(pool.wait(Some(Duration::MAX)));
    assert_eq!(fates.lock().unwrap()[2..], [(1, true), (3, true)]);
    assert!(pool.wait(Some(Duration::ZERO)));
}

#[test]
fn a_cancelled_job_may_use_the_pool() {
    let pool = pool(1, Duration::from_secs(10));
    let (gate, open) = gate();
    let (entered, has_entered) = mpsc::channel();
    submit(&pool, move |_| {
        entered.send(()).unwrap();
        wait_at(&gate);
    });
    has_entered.recv_timeout(HANG).unwrap();
    let inner = pool.clone();
    let (told, tell) = mpsc::channel();
    submit(&pool, move |run| {
        let refused = inner.submit(Closure(Box::new(|_| ())), Mandatory::No);
        inner.shutdown();
        told.send(run || refused.is_ok()).unwrap();
    });
    pool.shutdown();
    assert!(!tell.recv_timeout(HANG).unwrap());
    drop(open);
    end(&pool);
}

#[test]
fn a_member_shuts_down_and_waits() {
    for timeout in [None, Some(Duration::MAX), Some(HANG)] {
        let pool = pool(4, Duration::from_secs(10));
        let (done, all_done) = mpsc::channel();
        let barrier = Arc::new(Barrier::new(3));
        for _ in 0..3 {
            let (inner, done, barrier) = (pool.clone(), done.clone(), Arc::clone(&barrier));
            submit(&pool, move |_| {
                barrier.wait();
                inner.shutdown();
                assert!(inner.wait(timeout));
                done.send(()).unwrap();
            });
        }
        for _ in 0..3 {
            all_done.recv_timeout(HANG).expect("hangs");
        }
        end(&pool);
    }
}

/// A thread-local of a pool thread that uses the pool when the thread is all but gone.
#[test]
fn a_thread_local_destructor_waits() {
    struct Waiter(Pool, mpsc::Sender<bool>);

    impl Drop for Waiter {
        fn drop(&mut self) {
            self.0.shutdown();
            self.1.send(self.0.wait(None)).unwrap();
        }
    }

    thread_local! {
        static WAITER: std::cell::RefCell<Option<Waiter>> = const { std::cell::RefCell::new(None) };
    }

    for _ in 0..100 {
        let pool = pool(3, Duration::ZERO);
        let (done, all_done) = mpsc::channel();
        let barrier = Arc::new(Barrier::new(3));
        for _ in 0..3 {
            let waiter = Waiter(pool.clone(), done.clone());
            let barrier = Arc::clone(&barrier);
            submit(&pool, move |_| {
                WAITER.set(Some(waiter));
                // Each thread gets one.
                barrier.wait();
            });
        }
        for _ in 0..3 {
            assert!(all_done.recv_timeout(HANG).expect("hangs"));
        }
        end(&pool);
    }
}

#[test]
fn nested_submits() {
    fn nest(pool: &Pool, depth: usize) {
        if depth > 0 {
            let inner = pool.clone();
            let (done, is_done) = mpsc::channel();
            submit(pool, move |_| {
                nest(&inner, depth - 1);
                done.send(()).unwrap();
            });
            is_done.recv_timeout(HANG).expect("hangs");
        }
    }
    let pool = pool(16, Duration::from_micros(100));
    for depth in 0..16 {
        nest(&pool, depth);
    }
    end(&pool);
}

/// #8406: threads on duty are not pool threads.
#[test]
fn duties_take_nothing_from_the_cap() {
    let pool = pool(1, Duration::from_secs(10));
    let (gate, open) = gate();
    let (entered, has_entered) = mpsc::channel();
    for _ in 0..4 {
        let (gate, entered) = (Arc::clone(&gate), entered.clone());
        let duty = move || {
            entered.send(()).unwrap();
            wait_at(&gate);
        };
        assert!(pool.start_duty(Box::new(duty)).is_ok());
    }
    for _ in 0..4 {
        has_entered
            .recv_timeout(HANG)
            .expect("a duty starts at once");
    }
    assert_eq!(pool.num_threads(), 0);
    let (done, is_done) = mpsc::channel();
    submit(&pool, move |_| done.send(()).unwrap());
    is_done.recv_timeout(HANG).expect("hangs");
    until(|| pool.num_idle_threads() == 1);
    drop(open);
    // One thread fits, the others leave.
    until(|| pool.num_idle_threads() == 1);
    assert_eq!(pool.num_threads(), 1);
    // An idle thread takes a duty, and comes back.
    let (ended, has_ended) = mpsc::channel();
    let duty = move || ended.send(()).unwrap();
    assert!(pool.start_duty(Box::new(duty)).is_ok());
    has_ended.recv_timeout(HANG).unwrap();
    until(|| pool.num_idle_threads() == 1);
    end(&pool);
}

#[test]
fn refused_threads() {
    let pool = pool(4, Duration::from_secs(10));
    let refuse = |creations| {
        pool.set_faults(Faults { creations });
    };
    refuse(2);
    let (told, tell) = mpsc::channel();
    let job = Closure(Box::new(move |run| told.send(run).unwrap()));
    // Nobody lives: the job comes back.
    let Err(error @ SubmitError::NoThread(..)) = pool.submit(job, Mandatory::No) else {
        panic!("no thread was to be had");
    };
    let job = error.into_job();
    // So does a duty.
    let Err((_, duty)) = pool.start_duty(Box::new(|| ())) else {
        panic!("no thread was to be had");
    };
    drop(duty);
    assert_eq!(pool.queue_depth(), 0);
    pool.submit(job, Mandatory::No).unwrap();
    assert!(tell.recv_timeout(HANG).unwrap());
    // Someone lives: jobs are accepted, and run by that thread.
    refuse(usize::MAX);
    let (done, all_done) = mpsc::channel();
    for _ in 0..100 {
        let done = done.clone();
        submit(&pool, move |_| done.send(()).unwrap());
    }
    for _ in 0..100 {
        all_done.recv_timeout(HANG).expect("hangs");
    }
    assert_eq!(pool.num_threads(), 1);
    // Threads can be had again: the pool grows, though jobs were queued while it could not.
    let barrier = Arc::new(Barrier::new(3));
    for _ in 0..3 {
        let (barrier, done) = (Arc::clone(&barrier), done.clone());
        submit(&pool, move |_| {
            barrier.wait();
            done.send(()).unwrap();
        });
    }
    refuse(0);
    submit(&pool, |_| ());
    for _ in 0..3 {
        all_done.recv_timeout(HANG).expect("hangs");
    }
    end(&pool);
}

#[test]
fn panics_stay_where_they_are() {
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a payload that panics");
        }
    }

    let hook: Arc<dyn Fn() + Send + Sync> = Arc::new(|| panic!("a hook that panics"));
    let calls = Arc::new(AtomicUsize::new(0));
    let named = Arc::clone(&calls);
    let config = Config {
        max_threads: 2,
        on_start: Some(Arc::clone(&hook)),
        on_stop: Some(hook),
        around: Some(Arc::new(|serve| {
            serve();
            panic!("a context that panics");
        })),
        name: Arc::new(move || {
            assert!(named.fetch_add(1, SeqCst) > 0, "a name that panics");
            String::from("calm")
        }),
        ..Config::new(cores())
    };
    let pool = Pool::new(config);
    let first = pool.submit(Closure(Box::new(|_| ())), Mandatory::No);
    assert!(matches!(first, Err(SubmitError::NoThread(..))));
    for i in 0..100 {
        submit(&pool, move |_| {
            if i % 2 == 0 {
                std::panic::panic_any(Bomb);
            }
            panic!("a job that panics");
        });
    }
    assert!(
        pool.start_duty(Box::new(|| panic!("a duty that panics")))
            .is_ok()
    );
    let (done, is_done) = mpsc::channel();
    submit(&pool, move |_| {
        let name = std::thread::current().name().map(String::from);
        done.send(name).unwrap();
    });
    assert_eq!(is_done.recv_timeout(HANG).unwrap().as_deref(), Some("calm"));
    end(&pool);
}

#[test]
fn hooks_run_inside_the_context_once_a_thread() {
    thread_local! {
        static INSIDE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    let starts = Arc::new(AtomicUsize::new(0));
    let stops = Arc::new(AtomicUsize::new(0));
    let count = |counter: &Arc<AtomicUsize>| -> Arc<dyn Fn() + Send + Sync> {
        let counter = Arc::clone(counter);
        Arc::new(move || {
            assert!(INSIDE.get());
            counter.fetch_add(1, SeqCst);
        })
    };
    let pool = Pool::new(Config {
        max_threads: 3,
        stack_size: Some(128 * 1024),
        on_start: Some(count(&starts)),
        on_stop: Some(count(&stops)),
        around: Some(Arc::new(|serve| {
            INSIDE.set(true);
            serve();
            INSIDE.set(false);
        })),
        ..Config::new(cores())
    });
    let barrier = Arc::new(Barrier::new(4));
    for _ in 0..3 {
        let barrier = Arc::clone(&barrier);
        submit(&pool, move |_| {
            assert!(INSIDE.get());
            barrier.wait();
        });
    }
    barrier.wait();
    assert_eq!(starts.load(SeqCst), 3);
    end(&pool);
    assert_eq!(stops.load(SeqCst), 3);
}

/// B2: a burst makes one call, and each thread that comes makes one more.
#[test]
fn a_burst_calls_one_thread_and_the_chain_the_rest() {
    let mut roster = Roster::new(3);
    let mut calls = Vec::new();
    for job in 0..1000 {
        calls.extend(id_of(roster.push(job, Mandatory::No).1));
    }
    assert_eq!(calls, [0]);
    for (place, id) in (0..3).enumerate() {
        let Next::Run(job, step) = roster.next(id) else {
            panic!("there are jobs");
        };
        assert_eq!(job, place);
        // The third fills the cap.
        assert_eq!(id_of(step), (id < 2).then_some(id + 1));
    }
    for job in 3..1000 {
        let Next::Run(taken, Step::Done) = roster.next(job % 3) else {
            panic!("a thread that comes back calls nobody");
        };
        assert_eq!(taken, job);
    }
    for id in 0..3 {
        assert!(matches!(roster.next(id), Next::Nap { .. }));
    }
    assert_eq!(roster.idle_threads(), 3);
    // B5, and again one call for many.
    assert!(matches!(roster.push(0, Mandatory::No).1, Step::Ring(_)));
    assert!(matches!(roster.push(1, Mandatory::No).1, Step::Done));
    assert_eq!(roster.idle_threads(), 2);
    assert!(
        matches!(roster.next(0), Next::Nap { .. }),
        "B3: a stale ring"
    );
    assert!(matches!(roster.next(2), Next::Run(0, Step::Ring(_))));
    // B4: the time of a thread is over while there is work.
    assert!(matches!(roster.nap_over(0), Next::Run(1, Step::Done)));
    assert!(matches!(roster.next(1), Next::Nap { .. }));
    assert!(matches!(roster.nap_over(1), Next::Leave));
}

/// How many threads are called by a step and those that follow from it.
fn called(roster: &mut Roster<usize>, step: Step) -> usize {
    match step {
        Step::Done => 0,
        Step::Ring(_) | Step::Create(..) => 1,
        Step::RingOn(_) => {
            let next = roster.muster();
            1 + called(roster, next)
        }
    }
}

/// Who waits for the end waits for a thread that is being made, and is told that it never will be.
#[test]
fn the_last_member_may_be_one_that_is_refused() {
    let (entered, has_entered) = mpsc::channel();
    let (gate, open) = gate();
    let pool: Pool = ThreadPool::new(Config {
        name: Arc::new(move || {
            entered.send(()).unwrap();
            wait_at(&gate);
            std::panic::resume_unwind(Box::new("no name, no thread"));
        }),
        ..Config::new(cores())
    });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let refused = pool.submit(Closure(Box::new(|_| ())), Mandatory::No);
            assert!(matches!(refused, Err(SubmitError::NoThread(..))));
        });
        has_entered.recv().unwrap();
        pool.shutdown();
        scope.spawn(move || {
            // The other is in `wait` by then, mostly.
            std::thread::sleep(Duration::from_millis(20));
            drop(open);
        });
        let start = Instant::now();
        assert!(pool.wait(Some(HANG)));
        assert!(start.elapsed() < HANG, "nobody told it");
    });
}

/// B13.
#[test]
fn the_chain_grows_wide_where_jobs_last() {
    const THREADS: usize = 40;
    let mut roster = Roster::new(THREADS);
    // As many as there may be, all idle, the last on top.
    for job in 0..THREADS {
        let _ = roster.push(job, Mandatory::No);
    }
    for id in 0..THREADS {
        let Next::Run(..) = roster.next(id) else {
            panic!("there are jobs");
        };
    }
    for id in 0..THREADS {
        assert!(matches!(roster.next(id), Next::Nap { .. }));
    }
    let arrive = |roster: &mut Roster<usize>, id: usize| {
        let Next::Run(_, step) = roster.next(id) else {
            panic!("there are jobs");
        };
        called(roster, step)
    };
    let burst = |roster: &mut Roster<usize>| {
        for job in 0..THREADS {
            let _ = roster.push(job, Mandatory::No);
        }
    };
    // No job ends: each that comes calls more than the last, till there are enough on their way.
    burst(&mut roster);
    let calls: Vec<_> = (0..7)
        .map(|nth| arrive(&mut roster, THREADS - 1 - nth))
        .collect();
    assert_eq!(calls, [1, 2, 3, 5, 1, 1, 1]);
    // One ends: the next that comes finds that out, and calls nobody, as there are many on their way.
    assert!(matches!(roster.next(THREADS - 1), Next::Run(_, Step::Done)));
    assert_eq!(arrive(&mut roster, THREADS - 8), 0);
    // The rest of them, till the queue is empty.
    let mut left = THREADS - 9;
    while left > 0 {
        assert!(matches!(roster.next(THREADS - 1), Next::Run(_, Step::Done)));
        left -= 1;
    }
    assert!(matches!(roster.next(THREADS - 1), Next::Nap { .. }));
}

fn id_of(step: Step) -> Option<usize> {
    match step {
        Step::Create(id, _) => Some(id),
        Step::Done | Step::Ring(_) | Step::RingOn(_) => None,
    }
}
