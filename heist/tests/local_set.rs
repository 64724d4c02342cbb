//! Tasks that stay on their thread: `LocalSet` and `LocalRuntime`.
#![forbid(unsafe_code)]

mod support;

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, ThreadId};
use std::time::Duration;

use heist::runtime::{Builder, LocalOptions, LocalRuntime, UnhandledPanic};
use heist::sync::{Notify, oneshot};
use heist::task::{JoinHandle, LocalSet, spawn_local};
use support::{bounded, multi, scale, single};

/// Counts the drops that happen on the thread that made it, and fails on those that do not.
struct Homebound {
    home: ThreadId,
    drops: Arc<AtomicUsize>,
    strays: Arc<AtomicBool>,
    _not_send: Rc<()>,
}

#[derive(Clone, Default)]
struct Watched {
    drops: Arc<AtomicUsize>,
    strays: Arc<AtomicBool>,
}

impl Watched {
    fn one(&self) -> Homebound {
        Homebound {
            home: thread::current().id(),
            drops: Arc::clone(&self.drops),
            strays: Arc::clone(&self.strays),
            _not_send: Rc::new(()),
        }
    }

    #[track_caller]
    fn assert_dropped_at_home(&self, count: usize) {
        assert!(!self.strays.load(SeqCst), "dropped on another thread");
        assert_eq!(self.drops.load(SeqCst), count);
    }
}

impl Homebound {
    fn assert_home(&self) {
        if thread::current().id() != self.home {
            self.strays.store(true, SeqCst);
        }
    }
}

impl Drop for Homebound {
    fn drop(&mut self) {
        self.assert_home();
        self.drops.fetch_add(1, SeqCst);
    }
}

struct Count(AtomicUsize);

impl Count {
    fn new() -> (Arc<Self>, Waker) {
        let count = Arc::new(Self(AtomicUsize::new(0)));
        (Arc::clone(&count), Waker::from(count))
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn poll_once<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

#[test]
fn runs_what_is_not_send() {
    for runtime in [single(), multi(2)] {
        let set = LocalSet::new();
        let sum = set.block_on(&runtime, async {
            let shared = Rc::new(Cell::new(0));
            let tasks: Vec<JoinHandle<()>> = (0..200)
                .map(|i| {
                    let shared = Rc::clone(&shared);
                    spawn_local(async move {
                        heist::task::yield_now().await;
                        shared.set(shared.get() + i);
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            shared.get()
        });
        assert_eq!(sum, 199 * 200 / 2);
    }
}

#[test]
fn the_set_is_ready_when_it_is_empty() {
    single().block_on(async {
        let set = LocalSet::new();
        let done = Rc::new(Cell::new(0));
        for _ in 0..300 {
            let done = Rc::clone(&done);
            set.spawn_local(async move {
                heist::time::sleep(Duration::from_millis(1)).await;
                let inner = Rc::clone(&done);
                spawn_local(async move { inner.set(inner.get() + 1) });
                done.set(done.get() + 1);
            });
        }
        set.await;
        assert_eq!(done.get(), 600);
    });
}

#[test]
fn tasks_left_by_run_until_go_on_later() {
    single().block_on(async {
        let set = LocalSet::new();
        let steps = Rc::new(Cell::new(0));
        let count = Rc::clone(&steps);
        set.spawn_local(async move {
            for _ in 0..10 {
                count.set(count.get() + 1);
                heist::task::yield_now().await;
            }
        });
        set.run_until(async {}).await;
        let seen = steps.get();
        heist::task::yield_now().await;
        assert_eq!(steps.get(), seen, "nobody polls the set");
        set.await;
        assert_eq!(steps.get(), 10);
    });
}

#[test]
fn woken_from_other_threads_at_home() {
    bounded(120, || {
        let watched = Watched::default();
        let rounds = scale(300, 3000, 100_000);
        for runtime in [single(), multi(2)] {
            let set = LocalSet::new();
            set.block_on(&runtime, async {
                for round in 0..rounds {
                    let (tx, rx) = oneshot::channel::<usize>();
                    let homebound = watched.one();
                    let task = spawn_local(async move {
                        homebound.assert_home();
                        let received = rx.await.unwrap();
                        homebound.assert_home();
                        received
                    });
                    if round % 2 == 0 {
                        heist::task::yield_now().await;
                    }
                    heist::task::spawn_blocking(move || tx.send(round).unwrap());
                    assert_eq!(task.await.unwrap(), round);
                }
            });
        }
        watched.assert_dropped_at_home(2 * rounds);
    });
}

#[test]
fn aborted_from_another_thread_dropped_at_home() {
    bounded(120, || {
        let watched = Watched::default();
        let rounds = scale(300, 3000, 100_000);
        let (to_abort, aborts) = mpsc::channel::<heist::task::AbortHandle>();
        let aborter = thread::spawn(move || aborts.into_iter().for_each(|task| task.abort()));
        let runtime = single();
        let set = LocalSet::new();
        set.block_on(&runtime, async {
            for round in 0..rounds {
                let homebound = watched.one();
                let task = spawn_local(async move {
                    let _homebound = homebound;
                    pending::<()>().await;
                });
                if round % 2 == 0 {
                    // Idle, rather than never polled.
                    heist::task::yield_now().await;
                }
                to_abort.send(task.abort_handle()).unwrap();
                assert!(task.await.unwrap_err().is_cancelled());
                watched.assert_dropped_at_home(round + 1);
            }
        });
        drop(to_abort);
        aborter.join().unwrap();
    });
}

#[test]
fn dropped_while_others_wake_and_abort() {
    bounded(120, || {
        let watched = Watched::default();
        let rounds = scale(300, 3000, 100_000);
        for round in 0..rounds {
            let set = LocalSet::new();
            let notify = Arc::new(Notify::new());
            let tasks: Vec<_> = (0..4)
                .map(|_| {
                    let (homebound, notify) = (watched.one(), Arc::clone(&notify));
                    set.spawn_local(async move {
                        let _homebound = homebound;
                        loop {
                            notify.notified().await;
                        }
                    })
                    .abort_handle()
                })
                .collect();
            let (count, waker) = Count::new();
            let mut set = set;
            assert!(poll_once(&mut set, &waker).is_pending());
            let go = Arc::new(AtomicBool::new(false));
            let other = {
                let go = Arc::clone(&go);
                thread::spawn(move || {
                    while !go.load(SeqCst) {
                        std::hint::spin_loop();
                    }
                    for (i, task) in tasks.iter().enumerate() {
                        notify.notify_waiters();
                        if (i + round) % 2 == 0 {
                            task.abort();
                        }
                    }
                })
            };
            go.store(true, SeqCst);
            if round % 3 == 0 {
                let _ = poll_once(&mut set, &waker);
            }
            drop(set);
            watched.assert_dropped_at_home(4 * (round + 1));
            other.join().unwrap();
            drop(waker);
            // Neither the set nor its tasks keep what woke them.
            assert_eq!(Arc::strong_count(&count), 1);
        }
    });
}

#[test]
fn an_idle_set_is_woken_by_spawns_wakes_and_aborts() {
    let mut set = LocalSet::new();
    let (count, waker) = Count::new();
    let woken = || count.0.swap(0, SeqCst);
    set.spawn_local(pending::<()>());
    assert!(poll_once(&mut set, &waker).is_pending());
    assert_eq!(woken(), 0);

    set.spawn_local(async {});
    assert_eq!(woken(), 1);
    assert!(poll_once(&mut set, &waker).is_pending());

    let guard = set.enter();
    spawn_local(async {});
    drop(guard);
    assert_eq!(woken(), 1);
    assert!(poll_once(&mut set, &waker).is_pending());

    let (tx, rx) = oneshot::channel::<()>();
    set.spawn_local(async move { rx.await.unwrap() });
    woken();
    assert!(poll_once(&mut set, &waker).is_pending());
    tx.send(()).unwrap();
    assert_eq!(woken(), 1, "a wake on the same thread");
    assert!(poll_once(&mut set, &waker).is_pending());

    let (tx, rx) = oneshot::channel::<()>();
    set.spawn_local(async move { rx.await.unwrap() });
    assert!(poll_once(&mut set, &waker).is_pending());
    woken();
    thread::spawn(move || tx.send(()).unwrap()).join().unwrap();
    assert_eq!(woken(), 1, "a wake on another thread");
    assert!(poll_once(&mut set, &waker).is_pending());

    let task = set.spawn_local(pending::<()>());
    assert!(poll_once(&mut set, &waker).is_pending());
    woken();
    task.abort();
    assert_eq!(woken(), 1, "an abort");
    assert!(!task.is_finished());
    assert!(poll_once(&mut set, &waker).is_pending());
    assert!(task.is_finished());
}

#[test]
fn a_set_that_never_ran_drops_its_tasks() {
    let watched = Watched::default();
    let set = LocalSet::new();
    let handles: Vec<_> = (0..10)
        .map(|_| {
            let homebound = watched.one();
            set.spawn_local(async move { drop(homebound) })
        })
        .collect();
    drop(set);
    watched.assert_dropped_at_home(10);
    for handle in handles {
        assert!(handle.is_finished());
        let error = futures::executor::block_on(handle).unwrap_err();
        assert!(error.is_cancelled());
    }
}

/// Spawns another task of its kind when dropped, so many times.
struct Respawn(usize, Rc<Cell<usize>>);

impl Drop for Respawn {
    fn drop(&mut self) {
        self.1.set(self.1.get() + 1);
        if self.0 > 0 {
            let next = Respawn(self.0 - 1, Rc::clone(&self.1));
            spawn_local(async move {
                let _next = next;
                pending::<()>().await;
            });
        }
    }
}

#[test]
fn tasks_that_spawn_in_their_drop() {
    bounded(60, || {
        for polled in [false, true] {
            let count = Rc::new(Cell::new(0));
            let mut set = LocalSet::new();
            let first = Respawn(20, Rc::clone(&count));
            set.spawn_local(async move {
                let _first = first;
                pending::<()>().await;
            });
            if polled {
                assert!(poll_once(&mut set, Waker::noop()).is_pending());
            }
            drop(set);
            assert_eq!(count.get(), 21);
        }
    });
}

#[test]
fn in_a_thread_local() {
    std::thread_local! {
        static SET: RefCell<Option<LocalSet>> = const { RefCell::new(None) };
    }
    bounded(60, || {
        let watched = Watched::default();
        for _ in 0..50 {
            let watched = watched.clone();
            let ended = thread::spawn(move || {
                // Registered for teardown before heist's own.
                SET.with(|set| {
                    let mut set = set.borrow_mut();
                    let set = set.insert(LocalSet::new());
                    let homebound = watched.one();
                    set.spawn_local(async move {
                        let _homebound = homebound;
                        pending::<()>().await;
                    });
                    assert!(poll_once(set, Waker::noop()).is_pending());
                    let homebound = watched.one();
                    set.spawn_local(async move { drop(homebound) });
                });
            });
            ended.join().unwrap();
        }
        watched.assert_dropped_at_home(100);
    });
}

#[test]
fn a_guard_outlives_its_set() {
    let set = LocalSet::new();
    let guard = set.enter();
    drop(set);
    let task = spawn_local(async {});
    assert!(task.is_finished());
    drop(guard);
    assert!(catch_unwind(|| spawn_local(async {})).is_err());
}

#[test]
fn guards_nest() {
    let (outer, inner) = (LocalSet::new(), LocalSet::new());
    let seen = Rc::new(RefCell::new(String::new()));
    let say = |what: &'static str| {
        let seen = Rc::clone(&seen);
        drop(spawn_local(async move { seen.borrow_mut().push_str(what) }));
    };
    let outer_guard = outer.enter();
    say("a");
    let inner_guard = inner.enter();
    say("b");
    drop(inner_guard);
    say("c");
    drop(outer_guard);
    single().block_on(async {
        outer.await;
        assert_eq!(*seen.borrow(), "ac");
        inner.await;
        assert_eq!(*seen.borrow(), "acb");
    });
}

#[test]
fn spawn_local_outside_panics() {
    for runtime in [single(), multi(2)] {
        let result = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(async { drop(spawn_local(async {})) });
        }));
        assert!(result.is_err());
    }
    // A task spawned on the runtime is not in the set.
    let runtime = multi(2);
    let error = LocalSet::new().block_on(&runtime, async {
        let task = heist::spawn(async { drop(spawn_local(async {})) });
        task.await.unwrap_err()
    });
    assert!(error.is_panic());
}

#[test]
fn block_in_place_panics_in_a_set() {
    let runtime = multi(2);
    LocalSet::new().block_on(&runtime, async {
        let task = spawn_local(async { heist::task::block_in_place(|| ()) });
        assert!(task.await.unwrap_err().is_panic());
        let beside = heist::spawn(async { heist::task::block_in_place(|| 1) });
        assert_eq!(beside.await.unwrap(), 1);
    });
}

#[test]
fn a_panic_is_the_handles() {
    single().block_on(LocalSet::new().run_until(async {
        let error = spawn_local(async { panic!("boom") }).await.unwrap_err();
        assert_eq!(*error.into_panic().downcast::<&str>().unwrap(), "boom");
        assert_eq!(spawn_local(async { 1 }).await.unwrap(), 1);
    }));
}

#[test]
fn a_busy_task_leaves_turns_to_all() {
    bounded(60, || {
        single().block_on(LocalSet::new().run_until(async {
            let stop = Rc::new(Cell::new(false));
            // One that always could go on, by its own wakes, and one by its budget.
            for by_budget in [false, true] {
                let stop = Rc::clone(&stop);
                spawn_local(async move {
                    while !stop.get() {
                        if by_budget {
                            heist::task::consume_budget().await;
                        } else {
                            heist::task::yield_now().await;
                        }
                    }
                });
            }
            // On the runtime beside the set, in the set, and a timer.
            heist::spawn(async {}).await.unwrap();
            spawn_local(async {}).await.unwrap();
            heist::time::sleep(Duration::from_millis(2)).await;
            stop.set(true);
        }));
    });
}

#[test]
fn sets_within_sets() {
    single().block_on(LocalSet::new().run_until(async {
        let task = spawn_local(async {
            let inner = LocalSet::new();
            inner
                .run_until(async { spawn_local(async { Rc::new(3) }).await.unwrap() })
                .await
        });
        assert_eq!(*task.await.unwrap(), 3);
    }));
}

#[test]
fn local_runtime_runs_what_is_not_send() {
    let runtime = LocalRuntime::new().unwrap();
    let shared = Rc::new(Cell::new(0));
    let outer = {
        let shared = Rc::clone(&shared);
        runtime.spawn_local(async move {
            heist::time::sleep(Duration::from_millis(1)).await;
            let inner = {
                let shared = Rc::clone(&shared);
                spawn_local(async move { shared.set(shared.get() + 1) })
            };
            inner.await.unwrap();
            shared.set(shared.get() + 1);
            shared
        })
    };
    assert_eq!(runtime.block_on(outer).unwrap().get(), 2);
    // Others spawn what is `Send`.
    let handle = runtime.handle().clone();
    let task = thread::spawn(move || handle.spawn(async { thread::current().id() }))
        .join()
        .unwrap();
    assert_eq!(runtime.block_on(task).unwrap(), thread::current().id());
    assert_eq!(runtime.block_on(runtime.spawn_blocking(|| 5)).unwrap(), 5);
}

#[test]
fn local_runtime_stays_at_home() {
    bounded(120, || {
        let watched = Watched::default();
        let rounds = scale(200, 1000, 20_000);
        for round in 0..rounds {
            let runtime = Builder::new_current_thread()
                .build_local(LocalOptions::default())
                .unwrap();
            let notify = Arc::new(Notify::new());
            let tasks: Vec<_> = (0..4)
                .map(|_| {
                    let (homebound, notify) = (watched.one(), Arc::clone(&notify));
                    let task = runtime.spawn_local(async move {
                        loop {
                            notify.notified().await;
                            homebound.assert_home();
                        }
                    });
                    task.abort_handle()
                })
                .collect();
            runtime.block_on(heist::task::yield_now());
            let other = thread::spawn(move || {
                for (i, task) in tasks.iter().enumerate() {
                    notify.notify_waiters();
                    if (i + round) % 2 == 0 {
                        task.abort();
                    }
                }
            });
            if round % 2 == 0 {
                runtime.block_on(heist::task::yield_now());
            }
            drop(runtime);
            watched.assert_dropped_at_home(4 * (round + 1));
            other.join().unwrap();
        }
    });
}

#[test]
fn a_local_runtime_refuses_local_tasks_of_other_threads() {
    let runtime = LocalRuntime::new().unwrap();
    let handle = runtime.handle().clone();
    let elsewhere = thread::spawn(move || {
        let _entered = handle.enter();
        catch_unwind(|| spawn_local(async {})).is_err()
    });
    assert!(elsewhere.join().unwrap());
    let refused = runtime.spawn_blocking(|| catch_unwind(|| spawn_local(async {})).is_err());
    assert!(runtime.block_on(refused).unwrap());
    let crew = catch_unwind(|| Builder::new_multi_thread().build_local(LocalOptions::default()));
    assert!(crew.is_err());
}

#[test]
fn a_panic_ends_the_set_if_told_so() {
    let watched = Watched::default();
    let mut set = LocalSet::new();
    set.unhandled_panic(UnhandledPanic::ShutdownRuntime);
    let homebound = watched.one();
    set.spawn_local(async move {
        let _homebound = homebound;
        pending::<()>().await;
    });
    set.spawn_local(async { panic!("boom") });
    for _ in 0..2 {
        let blocked = catch_unwind(AssertUnwindSafe(|| {
            set.block_on(&single(), pending::<()>());
        }));
        assert!(blocked.is_err());
        watched.assert_dropped_at_home(1);
    }
    assert!(set.spawn_local(async {}).is_finished());
}

#[test]
fn dropping_run_until_leaves_the_set_whole() {
    single().block_on(async {
        let set = LocalSet::new();
        let ran = Rc::new(Cell::new(false));
        {
            let mut run = pin!(set.run_until(pending::<()>()));
            let polled = poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
            assert!(polled.is_pending());
        }
        let flag = Rc::clone(&ran);
        set.spawn_local(async move { flag.set(true) });
        set.await;
        assert!(ran.get());
    });
}

#[test]
fn tasks_that_wait_are_dropped_in_the_order_of_their_spawns() {
    struct Mark(u32, Rc<RefCell<Vec<u32>>>);
    impl Drop for Mark {
        fn drop(&mut self) {
            self.1.borrow_mut().push(self.0);
        }
    }
    let dropped = Rc::default();
    let mut set = LocalSet::new();
    for i in 0..5 {
        let mark = Mark(i, Rc::clone(&dropped));
        set.spawn_local(async move {
            let _mark = mark;
            pending::<()>().await;
        });
    }
    single().block_on(poll_fn(|cx| {
        assert!(Pin::new(&mut set).poll(cx).is_pending());
        Poll::Ready(())
    }));
    drop(set);
    assert_eq!(*dropped.borrow(), [0, 1, 2, 3, 4]);
}

/// While another thread is about to wake some of them.
#[test]
fn tasks_that_end_by_anothers_panic_end_at_home() {
    bounded(120, || {
        for round in 0..scale(100, 300, 20) {
            let watched = Watched::default();
            let runtime = Builder::new_current_thread()
                .unhandled_panic(UnhandledPanic::ShutdownRuntime)
                .build_local(LocalOptions::default())
                .unwrap();
            let wakers: Vec<_> = (0..8)
                .map(|_| {
                    let (tx, rx) = oneshot::channel::<()>();
                    let homebound = watched.one();
                    runtime.spawn_local(async move {
                        let _homebound = homebound;
                        let _ = rx.await;
                        pending::<()>().await;
                    });
                    tx
                })
                .collect();
            let ended = catch_unwind(AssertUnwindSafe(|| {
                runtime.block_on(async {
                    heist::task::yield_now().await;
                    let waking = thread::spawn(move || {
                        for tx in wakers {
                            let _ = tx.send(());
                        }
                    });
                    if round % 2 == 0 {
                        thread::yield_now();
                    }
                    spawn_local(async { panic!("ends all") });
                    heist::task::yield_now().await;
                    waking.join().unwrap();
                    pending::<()>().await;
                });
            }));
            assert!(ended.is_err());
            drop(runtime);
            watched.assert_dropped_at_home(8);
        }
    });
}
