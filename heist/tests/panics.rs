//! Panics of the user's code, wherever it is called: they stay where they belong, the worker lives,
//! and everything is dropped once.

mod support;

use std::any::Any;
use std::future::{Future, Ready, pending, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc as std_mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use heist::net::TcpListener;
use heist::runtime::{Builder, Runtime};
use heist::sync::mpsc::error::TryRecvError;
use heist::sync::{
    Mutex, MutexGuard, Notify, OnceCell, RwLock, RwLockWriteGuard, Semaphore, broadcast, mpsc,
    oneshot, watch,
};
use heist::task::{self, JoinError, JoinHandle};
use heist::time;
use support::{BANG, Counted, Tally, bounded, eventually, hush, in_child, multi, scale, single};

/// How often each cell of the matrix is tried.
fn rounds() -> usize {
    scale(100, 100, 1000)
}

/// Runs `cell` on every flavor, again and again; what it was given is dropped at the end, and the
/// runtime still works.
fn matrix(cell: impl Fn(&Runtime, &Tally) + Send + 'static) {
    hush();
    bounded(120, move || {
        for runtime in [single(), multi(1), multi(2)] {
            let tally = Tally::default();
            for _ in 0..rounds() {
                cell(&runtime, &tally);
            }
            assert_works(&runtime);
            drop(runtime);
            tally.becomes_even();
        }
    });
}

/// All workers run tasks, timers fire, and blocking functions run.
fn assert_works(runtime: &Runtime) {
    let workers = runtime.metrics().num_workers();
    runtime.block_on(async {
        if workers > 1 {
            let barrier = Arc::new(std::sync::Barrier::new(workers));
            let tasks: Vec<_> = (0..workers)
                .map(|_| {
                    let barrier = Arc::clone(&barrier);
                    heist::spawn(async move {
                        barrier.wait();
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        }
        assert_eq!(heist::spawn(async { 1 }).await.unwrap(), 1);
        heist::spawn(time::sleep(Duration::from_millis(1)))
            .await
            .unwrap();
        assert_eq!(task::spawn_blocking(|| 2).await.unwrap(), 2);
    });
}

fn bang() -> ! {
    panic!("{BANG}")
}

#[track_caller]
fn assert_bang(error: JoinError) {
    assert!(error.is_panic(), "{error:?}");
    let payload = error.into_panic();
    assert_eq!(
        payload.downcast_ref::<String>().map(String::as_str),
        Some(BANG)
    );
}

/// A future that holds something; ready when told to be.
struct Holding<T> {
    held: Counted,
    output: Option<T>,
}

impl<T: Unpin> Future for Holding<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        let _ = &self.held;
        match self.output.take() {
            Some(output) => Poll::Ready(output),
            None => Poll::Pending,
        }
    }
}

#[test]
fn in_poll() {
    matrix(|runtime, tally| {
        let held = tally.one();
        let task = runtime.spawn(async move {
            let _held = held;
            task::yield_now().await;
            bang()
        });
        assert_bang(runtime.block_on(task).map(|_: ()| ()).unwrap_err());
    });
}

#[test]
fn in_poll_of_a_detached_task() {
    matrix(|runtime, tally| {
        let (held, told) = (tally.one(), tally.one());
        let (tx, rx) = oneshot::channel::<()>();
        runtime.spawn(async move {
            let (_held, _tx) = (held, tx);
            bang()
        });
        assert!(runtime.block_on(rx).is_err());
        drop(told);
    });
}

#[test]
fn in_poll_and_in_the_drop_that_follows() {
    matrix(|runtime, tally| {
        let bomb = tally.bomb();
        // Not inside the unwinding of the poll, which would be an abort: the future panics by
        // itself and keeps the bomb.
        let mut polled = false;
        let task = runtime.spawn(poll_fn(move |_| {
            let _ = &bomb;
            if !std::mem::replace(&mut polled, true) {
                bang()
            }
            Poll::<()>::Pending
        }));
        assert_bang(runtime.block_on(task).unwrap_err());
    });
}

#[test]
fn in_the_drop_of_a_ready_future() {
    matrix(|runtime, tally| {
        let task = runtime.spawn(Holding {
            held: tally.bomb(),
            output: Some(tally.one()),
        });
        assert_bang(runtime.block_on(task).unwrap_err());
    });
}

#[test]
fn in_the_drop_of_an_aborted_future() {
    matrix(|runtime, tally| {
        let task: JoinHandle<()> = runtime.spawn(Holding {
            held: tally.bomb(),
            output: None,
        });
        runtime.block_on(task::yield_now());
        task.abort();
        assert_bang(runtime.block_on(task).unwrap_err());
    });
}

#[test]
fn in_the_drop_of_futures_at_shutdown() {
    hush();
    bounded(120, || {
        for round in 0..rounds() {
            let tally = Tally::default();
            let runtime = match round % 3 {
                0 => single(),
                workers => multi(workers),
            };
            let tasks: Vec<JoinHandle<()>> = (0..10)
                .map(|i| {
                    let held = if i % 2 == 0 {
                        tally.bomb()
                    } else {
                        tally.one()
                    };
                    runtime.spawn(Holding { held, output: None })
                })
                .collect();
            if round % 2 == 0 {
                runtime.block_on(task::yield_now());
            }
            drop(runtime);
            tally.assert_even();
            for (i, task) in tasks.into_iter().enumerate() {
                let error = futures::executor::block_on(task).unwrap_err();
                assert_eq!(error.is_panic(), i % 2 == 0);
                assert_eq!(error.is_cancelled(), i % 2 == 1);
            }
        }
    });
}

#[test]
fn in_the_drop_of_an_output_nobody_waits_for() {
    matrix(|runtime, tally| {
        let output = tally.bomb();
        let (go, gone) = oneshot::channel::<()>();
        let task = runtime.spawn(async move {
            let _ = gone.await;
            output
        });
        drop(task);
        go.send(()).unwrap();
        runtime.block_on(async {
            while tally.made() != tally.dropped() {
                task::yield_now().await;
            }
        });
    });
}

#[test]
fn in_the_drop_of_an_output_with_its_handle() {
    matrix(|runtime, tally| {
        let output = tally.bomb();
        let task = runtime.spawn(async move { output });
        runtime.block_on(async {
            while !task.is_finished() {
                task::yield_now().await;
            }
        });
        // As in Tokio, the handle swallows it.
        drop(task);
        tally.assert_even();
    });
}

/// A waker that panics when it is woken, and counts.
struct Touchy {
    woken: AtomicUsize,
    _held: Counted,
}

impl Wake for Touchy {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.fetch_add(1, SeqCst);
        bang();
    }
}

impl Touchy {
    fn new(tally: &Tally) -> (Arc<Self>, Waker) {
        let touchy = Arc::new(Self {
            woken: AtomicUsize::new(0),
            _held: tally.one(),
        });
        let waker = Waker::from(Arc::clone(&touchy));
        (touchy, waker)
    }

    fn was_woken(&self) -> bool {
        self.woken.load(SeqCst) > 0
    }
}

fn poll_with<F: Future + ?Sized>(future: Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

#[test]
fn in_the_waker_of_a_join_handle() {
    matrix(|runtime, tally| {
        let (touchy, waker) = Touchy::new(tally);
        let (go, gone) = oneshot::channel::<()>();
        let output = tally.one();
        let mut task = runtime.spawn(async move {
            let _ = gone.await;
            output
        });
        assert!(poll_with(Pin::new(&mut task), &waker).is_pending());
        drop(waker);
        go.send(()).unwrap();
        runtime.block_on(async {
            while !touchy.was_woken() {
                task::yield_now().await;
            }
        });
        drop(runtime.block_on(task).unwrap());
    });
}

#[test]
fn in_the_waker_of_a_oneshot() {
    matrix(|runtime, tally| {
        let (touchy, waker) = Touchy::new(tally);
        let (tx, mut rx) = oneshot::channel();
        assert!(poll_with(Pin::new(&mut rx), &waker).is_pending());
        drop(waker);
        let message = tally.one();
        // It is the sender's caller who sees it.
        let task = runtime.spawn(async move { tx.send(message).is_ok() });
        let outcome = runtime.block_on(task);
        assert!(touchy.was_woken());
        assert_bang(outcome.unwrap_err());
        // The message is there all the same.
        drop(rx.try_recv().unwrap());
    });
}

#[test]
fn in_the_wakers_of_notify() {
    matrix(|runtime, tally| {
        let notify = Arc::new(Notify::new());
        let mut waiting: Vec<_> = (0..40)
            .map(|i| {
                let mut notified = Box::pin(Arc::clone(&notify).notified_owned());
                // Mostly others, with two that panic in one batch.
                let (touchy, waker) = if i == 3 || i == 5 || i == 39 {
                    let (touchy, waker) = Touchy::new(tally);
                    (Some(touchy), waker)
                } else {
                    (None, Waker::noop().clone())
                };
                assert!(poll_with(notified.as_mut(), &waker).is_pending());
                (notified, touchy)
            })
            .collect();
        let notifier = {
            let notify = Arc::clone(&notify);
            runtime.spawn(async move { notify.notify_waiters() })
        };
        assert_bang(runtime.block_on(notifier).unwrap_err());
        for (notified, touchy) in &mut waiting {
            assert!(touchy.as_ref().is_none_or(|touchy| touchy.was_woken()));
            assert!(poll_with(notified.as_mut(), Waker::noop()).is_ready());
        }
    });
}

#[test]
fn in_the_waker_of_a_semaphore() {
    matrix(|runtime, tally| {
        let semaphore = Arc::new(Semaphore::new(0));
        let mut acquire = pin!(semaphore.acquire());
        let (touchy, waker) = Touchy::new(tally);
        assert!(poll_with(acquire.as_mut(), &waker).is_pending());
        drop(waker);
        let giver = {
            let semaphore = Arc::clone(&semaphore);
            runtime.spawn(async move { semaphore.add_permits(1) })
        };
        assert_bang(runtime.block_on(giver).unwrap_err());
        assert!(touchy.was_woken());
        assert!(poll_with(acquire, Waker::noop()).is_ready());
    });
}

#[test]
fn in_the_wakers_of_mpsc() {
    matrix(|runtime, tally| {
        // The receiver's, by a message: it is in the channel, and the next one too.
        let (tx, mut rx) = mpsc::channel(1);
        let (touchy, waker) = Touchy::new(tally);
        assert!(poll_with(pin!(rx.recv()), &waker).is_pending());
        drop(waker);
        let message = tally.one();
        let sender = tx.clone();
        let task = runtime.spawn(async move { sender.send(message).await.is_ok() });
        assert_bang(runtime.block_on(task).unwrap_err());
        assert!(touchy.was_woken());
        // The sender's, by the room that a receipt makes: the message is lost with the panic, as a
        // value that is about to be returned is, but the room is there for the next sender.
        let mut second = Box::pin(tx.send(tally.one()));
        let (touchy, waker) = Touchy::new(tally);
        assert!(poll_with(second.as_mut(), &waker).is_pending());
        drop(waker);
        let task = runtime.spawn(async move {
            let received = AssertUnwindSafe(|| rx.try_recv().is_ok());
            let outcome = catch_unwind(received);
            (rx, outcome.is_err())
        });
        let (mut rx, panicked) = runtime.block_on(task).unwrap();
        assert!(panicked && touchy.was_woken());
        assert!(poll_with(second.as_mut(), Waker::noop()).is_ready());
        drop(second);
        drop(rx.try_recv().unwrap());
        assert_eq!(rx.capacity(), 1);
        // The receiver's, by the end.
        let (touchy, waker) = Touchy::new(tally);
        assert!(poll_with(pin!(rx.recv()), &waker).is_pending());
        drop(waker);
        let task = runtime.spawn(async move { drop(tx) });
        assert_bang(runtime.block_on(task).unwrap_err());
        assert!(touchy.was_woken());
        assert!(
            rx.try_recv()
                .is_err_and(|error| error == TryRecvError::Disconnected)
        );
    });
}

#[test]
fn in_the_wakers_of_waiting_senders() {
    matrix(|runtime, tally| {
        // All are told of the close, whoever panics, and the messages go.
        let (tx, rx) = mpsc::channel(1);
        tx.try_send(tally.one()).unwrap();
        let mut waiting: Vec<_> = (0..40)
            .map(|i| {
                let tx = tx.clone();
                let message = tally.one();
                let mut send = Box::pin(async move { tx.send(message).await.is_ok() });
                let (touchy, waker) = if i % 10 == 3 {
                    let (touchy, waker) = Touchy::new(tally);
                    (Some(touchy), waker)
                } else {
                    (None, Waker::noop().clone())
                };
                assert!(poll_with(send.as_mut(), &waker).is_pending());
                (send, touchy)
            })
            .collect();
        let task = runtime.spawn(async move { drop(rx) });
        assert_bang(runtime.block_on(task).unwrap_err());
        for (send, touchy) in &mut waiting {
            assert!(touchy.as_ref().is_none_or(|touchy| touchy.was_woken()));
            assert_eq!(poll_with(send.as_mut(), Waker::noop()), Poll::Ready(false));
        }
        drop(waiting);
        assert!(tx.is_closed());
    });
}

#[test]
fn in_the_drop_of_messages_in_channels() {
    matrix(|runtime, tally| {
        // mpsc: the others behind the one whose drop panics are dropped too.
        let (tx, rx) = mpsc::channel(100);
        let (unbounded_tx, unbounded_rx) = mpsc::unbounded_channel();
        for i in 0..40 {
            let message = || if i == 7 { tally.bomb() } else { tally.one() };
            tx.try_send(message()).unwrap();
            unbounded_tx.send(message()).unwrap();
        }
        let task = runtime.spawn(async move { drop(rx) });
        assert_bang(runtime.block_on(task).unwrap_err());
        assert_eq!(tx.capacity(), 100);
        let task = runtime.spawn(async move { drop(unbounded_rx) });
        assert_bang(runtime.block_on(task).unwrap_err());
        assert!(tx.try_send(tally.one()).is_err() && unbounded_tx.is_closed());
        // broadcast: the value that is overwritten; the new one was sent all the same.
        let tx = broadcast::Sender::new(1);
        let mut rx = tx.subscribe();
        assert!(tx.send(Arc::new(tally.bomb())).is_ok());
        let (tx, second) = (tx, Arc::new(tally.one()));
        let sent = Arc::clone(&second);
        let task = runtime.spawn(async move {
            let outcome = catch_unwind(AssertUnwindSafe(|| tx.send(sent).is_ok()));
            (tx, outcome.is_err())
        });
        let (tx, panicked) = runtime.block_on(task).unwrap();
        assert!(panicked);
        assert!(matches!(
            rx.try_recv(),
            Err(broadcast::error::TryRecvError::Lagged(1))
        ));
        assert!(Arc::ptr_eq(&rx.try_recv().unwrap(), &second) && tx.is_empty());
        // watch: the value that is replaced; the new one is there, and the receivers know.
        let (tx, rx) = watch::channel(tally.bomb());
        let next = tally.one();
        let task = runtime.spawn(async move {
            let outcome = catch_unwind(AssertUnwindSafe(|| tx.send(next).is_ok()));
            (tx, outcome.is_err())
        });
        let (tx, panicked) = runtime.block_on(task).unwrap();
        assert!(panicked && rx.has_changed().unwrap());
        drop(rx);
        assert!(tx.is_closed());
    });
}

#[test]
fn in_the_wakers_of_broadcast_and_watch() {
    matrix(|runtime, tally| {
        let told = broadcast::Sender::new(4);
        let (watched, _) = watch::channel(0);
        let mut waiting: Vec<_> = (0..40)
            .map(|i| {
                let (mut hears, mut sees) = (told.subscribe(), watched.subscribe());
                let mut both: [Pin<Box<dyn Future<Output = bool> + Send>>; 2] = [
                    Box::pin(async move { hears.recv().await == Ok(1) }),
                    Box::pin(async move { sees.changed().await.is_ok() && *sees.borrow() == 1 }),
                ];
                let touchy = (i % 10 == 3).then(|| [Touchy::new(tally), Touchy::new(tally)]);
                for (future, i) in both.iter_mut().zip(0..) {
                    let noop = Waker::noop();
                    let waker = touchy.as_ref().map_or(noop, |touchy| &touchy[i].1);
                    assert!(poll_with(future.as_mut(), waker).is_pending());
                }
                (both, touchy)
            })
            .collect();
        let task = runtime.spawn(async move {
            let send = catch_unwind(AssertUnwindSafe(|| told.send(1).is_ok()));
            let change = catch_unwind(AssertUnwindSafe(|| watched.send(1).is_ok()));
            (send.is_err(), change.is_err())
        });
        assert_eq!(runtime.block_on(task).unwrap(), (true, true));
        for (both, touchy) in &mut waiting {
            for touchy in touchy.iter().flatten() {
                assert!(touchy.0.was_woken());
            }
            for future in both {
                let heard = poll_with(future.as_mut(), Waker::noop());
                assert_eq!(heard, Poll::Ready(true));
            }
        }
    });
}

#[test]
fn in_what_a_lock_or_a_cell_calls() {
    matrix(|runtime, tally| {
        // A holder that panics lets the next one in: no poisoning.
        let mutex = Arc::new(Mutex::new(0));
        let lock = Arc::new(RwLock::new(0));
        let holder = {
            let (mutex, lock) = (Arc::clone(&mutex), Arc::clone(&lock));
            runtime.spawn(async move {
                let (mut a, mut b) = (mutex.lock().await, lock.write().await);
                (*a, *b) = (1, 1);
                task::yield_now().await;
                bang()
            })
        };
        assert_bang(runtime.block_on(holder).unwrap_err());
        assert_eq!(
            (*mutex.try_lock().unwrap(), *lock.try_read().unwrap()),
            (1, 1)
        );
        // So does a mapping that panics.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _ = MutexGuard::map(mutex.try_lock().unwrap(), |_| -> &mut u8 { bang() });
        }));
        assert!(outcome.is_err() && mutex.try_lock().is_ok());
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _ = RwLockWriteGuard::map(lock.try_write().unwrap(), |_| -> &mut u8 { bang() });
        }));
        assert!(outcome.is_err() && lock.try_write().is_ok());
        // An initialiser that panics, in its call or its poll, lets the next one try.
        let cell = OnceCell::new();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let init = || -> Ready<Counted> { bang() };
            let _ = poll_with(pin!(cell.get_or_init(init)), Waker::noop());
        }));
        assert!(outcome.is_err() && !cell.initialized());
        let go = AtomicBool::new(false);
        let mut first = Box::pin(cell.get_or_init(|| {
            let (held, go) = (tally.one(), &go);
            poll_fn(move |_| {
                let _ = &held;
                if go.load(SeqCst) {
                    bang()
                } else {
                    Poll::Pending
                }
            })
        }));
        let mut second = Box::pin(cell.get_or_init(|| ready(tally.one())));
        assert!(poll_with(first.as_mut(), Waker::noop()).is_pending());
        assert!(poll_with(second.as_mut(), Waker::noop()).is_pending());
        go.store(true, SeqCst);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            poll_with(first.as_mut(), Waker::noop()).is_ready()
        }));
        assert!(outcome.is_err());
        drop(first);
        assert!(poll_with(second.as_mut(), Waker::noop()).is_ready());
        drop(second);
        assert!(cell.initialized());
        // A change of a watched value that panics: what it changed stays, nobody is told, and the
        // channel goes on.
        let (tx, mut rx) = watch::channel(0);
        let change = |value: &mut i32| -> bool {
            *value += 1;
            bang()
        };
        let modify = || tx.send_modify(|value| assert!(change(value)));
        assert!(catch_unwind(AssertUnwindSafe(modify)).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| tx.send_if_modified(change))).is_err());
        assert!(!rx.has_changed().unwrap());
        let looks = catch_unwind(AssertUnwindSafe(|| {
            drop(poll_with(pin!(rx.wait_for(|_| bang())), Waker::noop()));
        }));
        assert!(looks.is_err());
        tx.send_modify(|value| *value += 1);
        assert_eq!(
            (rx.has_changed().ok(), *rx.borrow_and_update()),
            (Some(true), 3)
        );
    });
}

#[test]
fn in_the_clone_of_a_broadcast_value() {
    struct Touchy(bool, Arc<Counted>);

    impl Clone for Touchy {
        fn clone(&self) -> Self {
            if self.0 {
                bang();
            }
            Self(self.0, Arc::clone(&self.1))
        }
    }

    matrix(|runtime, tally| {
        let tx = broadcast::Sender::new(4);
        let (mut rx, last) = (tx.subscribe(), tx.subscribe());
        for touchy in [false, true, false] {
            assert!(tx.send(Touchy(touchy, Arc::new(tally.one()))).is_ok());
        }
        let task = runtime.spawn(async move {
            let mut heard = Vec::new();
            for _ in 0..3 {
                let recv = AssertUnwindSafe(|| rx.try_recv().is_ok());
                heard.push(catch_unwind(recv).unwrap_or(false));
            }
            heard
        });
        // The one whose clone panics counts as received, and those behind it come.
        assert_eq!(runtime.block_on(task).unwrap(), [true, false, true]);
        assert_eq!(last.len(), 3);
        drop(last);
        assert!(tx.is_empty());
    });
}

#[test]
fn in_the_waker_of_a_timer() {
    matrix(|runtime, tally| {
        let (touchies, mut sleeps): (Vec<_>, Vec<_>) = (0..3)
            .map(|_| {
                let (touchy, waker) = Touchy::new(tally);
                let _entered = runtime.enter();
                let moment = Duration::from_millis(1);
                let mut sleep = Box::pin(time::sleep(moment));
                // A machine with other things to do may let it end before it is polled at all.
                while poll_with(sleep.as_mut(), &waker).is_ready() {
                    sleep.as_mut().reset(time::Instant::now() + moment);
                }
                (touchy, sleep)
            })
            .unzip();
        runtime.block_on(async {
            while !touchies.iter().all(|touchy| touchy.was_woken()) {
                time::sleep(Duration::from_millis(1)).await;
            }
        });
        for sleep in &mut sleeps {
            assert!(poll_with(sleep.as_mut(), Waker::noop()).is_ready());
        }
    });
}

#[test]
fn in_the_waker_of_a_socket() {
    matrix(|runtime, tally| {
        let (touchy, waker) = Touchy::new(tally);
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        assert!(
            listener
                .poll_accept(&mut Context::from_waker(&waker))
                .is_pending()
        );
        drop(waker);
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        runtime.block_on(async {
            while !touchy.was_woken() {
                task::yield_now().await;
            }
            listener.accept().await.unwrap();
        });
        drop(client);
    });
}

/// A waker that panics when it is dropped.
struct Fragile(#[expect(dead_code, reason = "held for its drop")] Counted);

impl Wake for Fragile {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn in_the_drop_of_a_join_handles_waker() {
    matrix(|runtime, tally| {
        let poll_once = |task: &mut JoinHandle<()>| {
            let waker = Waker::from(Arc::new(Fragile(tally.bomb())));
            let polled = catch_unwind(AssertUnwindSafe(|| {
                assert!(poll_with(Pin::new(task), &waker).is_pending());
            }));
            if let Err(payload) = polled {
                assert!(is_bang(&*payload));
            }
            // The handle has the other one.
            drop(waker);
        };
        // Replaced, dropped with the handle, and dropped by who wakes it.
        let mut task = runtime.spawn(pending::<()>());
        poll_once(&mut task);
        poll_once(&mut task);
        poll_once(&mut task);
        task.abort();
        drop_quietly(task);

        let (go, gone) = oneshot::channel::<()>();
        let mut task = runtime.spawn(async move { drop(gone.await) });
        poll_once(&mut task);
        go.send(()).unwrap();
        runtime.block_on(async {
            while tally.made() != tally.dropped() {
                task::yield_now().await;
            }
            task.await.unwrap();
        });
    });
}

fn drop_quietly<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        assert!(payload.downcast_ref::<String>().is_some_and(|s| s == BANG));
    }
}

#[test]
fn in_a_blocking_function() {
    matrix(|runtime, tally| {
        let held = tally.one();
        let task = runtime.spawn_blocking(move || {
            let _held = held;
            bang()
        });
        assert_bang(runtime.block_on(task).map(|_: ()| ()).unwrap_err());
    });
}

#[test]
fn in_what_a_blocking_function_held_or_gave() {
    matrix(|runtime, tally| {
        let (held, output) = (tally.bomb(), tally.bomb());
        let panicked = runtime.spawn_blocking(move || drop(held));
        assert_bang(runtime.block_on(panicked).unwrap_err());
        drop(runtime.spawn_blocking(move || output));
    });
}

#[test]
fn in_block_in_place() {
    hush();
    bounded(120, || {
        let runtime = multi(2);
        let tally = Tally::default();
        for _ in 0..rounds() {
            let held = tally.one();
            let task = runtime.spawn(async move {
                task::yield_now().await;
                task::block_in_place(move || {
                    let _held = held;
                    bang()
                })
            });
            assert_bang(runtime.block_on(task).map(|_: ()| ()).unwrap_err());
        }
        assert_works(&runtime);
        drop(runtime);
        tally.assert_even();
    });
}

#[test]
fn in_the_root_future() {
    matrix(|runtime, tally| {
        let (held, waits) = (tally.one(), tally.one());
        // A task that outlives the panic.
        let task = runtime.spawn(async move {
            for _ in 0..3 {
                task::yield_now().await;
            }
            waits
        });
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(async move {
                let _held = held;
                task::yield_now().await;
                bang()
            })
        }));
        let payload = outcome.map(|_: ()| ()).unwrap_err();
        assert!(payload.downcast_ref::<String>().is_some_and(|s| s == BANG));
        drop(runtime.block_on(task).unwrap());
    });
}

#[test]
fn in_the_drop_of_a_message() {
    matrix(|runtime, tally| {
        // In a oneshot that is dropped with its message.
        let (tx, rx) = oneshot::channel();
        tx.send(tally.bomb()).unwrap();
        let task = runtime.spawn(async move { drop(rx) });
        assert_bang(runtime.block_on(task).unwrap_err());
        // And one that comes back, as there is no receiver.
        let (tx, rx) = oneshot::channel();
        drop(rx);
        let bomb = tally.bomb();
        let task = runtime.spawn(async move { drop(tx.send(bomb)) });
        assert_bang(runtime.block_on(task).unwrap_err());
    });
}

/// A payload whose drop panics in turn.
struct Relay(#[expect(dead_code, reason = "held for its drop")] Counted);

#[test]
fn in_the_drop_of_a_panics_payload() {
    matrix(|runtime, tally| {
        // The handle's owner gets it.
        let payload = Relay(tally.bomb());
        let task = runtime.spawn(async move { panic_any(payload) });
        let error = runtime.block_on(task).map(|_: ()| ()).unwrap_err();
        drop_quietly(error);

        // Nobody gets it: the runtime has to drop it.
        let payload = Relay(tally.bomb());
        drop(runtime.spawn(async move { panic_any(payload) }));
        let payload = Relay(tally.bomb());
        drop(runtime.spawn_blocking(move || panic_any(payload)));
        runtime.block_on(async {
            while tally.made() != tally.dropped() {
                time::sleep(Duration::from_millis(1)).await;
            }
        });

        // Out of a waker.
        struct Thrower(Tally, AtomicUsize);
        impl Wake for Thrower {
            fn wake(self: Arc<Self>) {
                self.1.fetch_add(1, SeqCst);
                panic_any(Relay(self.0.bomb()));
            }
        }
        let thrower = Arc::new(Thrower(tally.clone(), AtomicUsize::new(0)));
        let (go, gone) = oneshot::channel::<()>();
        let mut task = runtime.spawn(async move { gone.await.is_ok() });
        let waker = Waker::from(Arc::clone(&thrower));
        assert!(poll_with(Pin::new(&mut task), &waker).is_pending());
        drop(waker);
        go.send(()).unwrap();
        assert!(runtime.block_on(async {
            while thrower.1.load(SeqCst) == 0 {
                task::yield_now().await;
            }
            task.await.unwrap()
        }));

        // And in the drop of an output.
        #[expect(dead_code, reason = "counts its own drop")]
        struct Output(Tally, Counted);
        impl Drop for Output {
            fn drop(&mut self) {
                panic_any(Relay(self.0.bomb()));
            }
        }
        let output = Output(tally.clone(), tally.one());
        drop(runtime.spawn(async move { output }));
        runtime.block_on(async {
            while tally.made() != tally.dropped() {
                time::sleep(Duration::from_millis(1)).await;
            }
        });
    });
}

/// What a hook does each time, but for the first few: panic.
fn touchy_hook(calls: &Arc<AtomicUsize>) -> impl Fn() + Send + Sync + 'static {
    let calls = Arc::clone(calls);
    move || {
        calls.fetch_add(1, SeqCst);
        bang()
    }
}

#[test]
fn in_the_hooks_of_threads() {
    hush();
    bounded(120, || {
        for round in 0..rounds() {
            let tally = Tally::default();
            let (starts, stops) = (Arc::default(), Arc::default());
            let mut builder = match round % 3 {
                0 => Builder::new_current_thread(),
                _ => Builder::new_multi_thread(),
            };
            let runtime = builder
                .worker_threads(2)
                .enable_all()
                .on_thread_start(touchy_hook(&starts))
                .on_thread_stop(touchy_hook(&stops))
                .build()
                .unwrap();
            let held = tally.one();
            runtime.spawn(async move {
                let _held = held;
                pending::<()>().await;
            });
            runtime.block_on(async {
                assert_eq!(heist::spawn(async { 1 }).await.unwrap(), 1);
                assert_eq!(task::spawn_blocking(|| 2).await.unwrap(), 2);
            });
            drop(runtime);
            tally.assert_even();
            assert!(starts.load(SeqCst) > 0);
            assert_eq!(starts.load(SeqCst), stops.load(SeqCst));
        }
    });
}

#[test]
fn in_the_hooks_of_sleep() {
    hush();
    bounded(120, || {
        for round in 0..rounds() {
            let tally = Tally::default();
            let (parks, unparks) = (Arc::default(), Arc::default());
            let runtime = Builder::new_multi_thread()
                .worker_threads(1 + round % 3)
                .enable_all()
                .on_thread_park(touchy_hook(&parks))
                .on_thread_unpark(touchy_hook(&unparks))
                .build()
                .unwrap();
            for _ in 0..5 {
                let held = tally.one();
                runtime.spawn(async move {
                    let _held = held;
                    pending::<()>().await;
                });
            }
            for _ in 0..5 {
                let task = runtime.spawn(async {
                    time::sleep(Duration::from_millis(1)).await;
                    heist::spawn(async { 1 }).await.unwrap()
                });
                assert_eq!(runtime.block_on(task).unwrap(), 1);
            }
            assert!(parks.load(SeqCst) > 0 && unparks.load(SeqCst) > 0);
            drop(runtime);
            tally.assert_even();
        }
    });
}

#[test]
fn in_the_hooks_of_sleep_of_a_single_thread() {
    // There the hooks run in `block_on`, whose caller sees the panic, as in Tokio. The runtime stays
    // whole.
    hush();
    bounded(120, || {
        for _ in 0..rounds() {
            let tally = Tally::default();
            let parks = Arc::new(AtomicUsize::new(0));
            let runtime = {
                let parks = Arc::clone(&parks);
                Builder::new_current_thread()
                    .enable_all()
                    .on_thread_park(move || {
                        if parks.fetch_add(1, SeqCst) == 0 {
                            bang()
                        }
                    })
                    .build()
                    .unwrap()
            };
            let held = tally.one();
            let task = runtime.spawn(async move {
                time::sleep(Duration::from_millis(1)).await;
                held
            });
            // Not a short time, which may be over before anybody has to sleep.
            let outcome = catch_unwind(AssertUnwindSafe(|| runtime.block_on(pending::<()>())));
            assert!(is_bang(&*outcome.unwrap_err()));
            drop(runtime.block_on(task).unwrap());
            assert_works(&runtime);
            drop(runtime);
            tally.assert_even();
        }
    });
}

fn is_bang(payload: &(dyn Any + Send)) -> bool {
    payload.downcast_ref::<String>().is_some_and(|s| s == BANG)
}

#[test]
fn in_the_name_of_a_thread() {
    hush();
    bounded(60, || {
        // A worker that cannot be named cannot be started: an error, not a hang.
        let built = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name_fn(|| bang())
            .build();
        assert!(built.is_err());
    });
}

#[test]
fn everywhere_at_once() {
    hush();
    bounded(200, || {
        for round in 0..rounds() / 2 {
            let tally = Tally::default();
            let runtime = multi(1 + round % 3);
            let (tx, rx) = std_mpsc::channel();
            for i in 0..100 {
                let (bomb, held, tx) = (tally.bomb(), tally.one(), tx.clone());
                runtime.spawn(async move {
                    let (_held, _tx) = (held, tx);
                    match i % 5 {
                        0 => drop(bomb),
                        1 => {
                            let inner = heist::spawn(async move {
                                task::yield_now().await;
                                bomb
                            });
                            drop(inner);
                        }
                        2 => {
                            let inner = task::spawn_blocking(move || drop(bomb));
                            assert_bang(inner.await.unwrap_err());
                        }
                        3 => {
                            let inner = heist::spawn(Holding::<()> {
                                held: bomb,
                                output: None,
                            });
                            task::yield_now().await;
                            inner.abort();
                            assert_bang(inner.await.unwrap_err());
                        }
                        _ => {
                            // Ended by shutdown.
                            heist::spawn(Holding::<()> {
                                held: bomb,
                                output: None,
                            });
                        }
                    }
                });
            }
            drop(tx);
            if round % 2 == 0 {
                let gone = rx.recv_timeout(Duration::from_secs(60));
                assert_eq!(gone, Err::<(), _>(std_mpsc::RecvTimeoutError::Disconnected));
            }
            drop(runtime);
            tally.becomes_even();
        }
    });
}

#[test]
fn a_dropped_runtime_while_panicking_does_not_abort() {
    in_child("a_dropped_runtime_while_panicking_does_not_abort", || {
        hush();
        // In an asynchronous context its drop would panic: not while another panic unwinds.
        let outer = single();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            outer.block_on(async {
                let _inner = multi(1);
                bang()
            })
        }));
        assert!(is_bang(&*outcome.map(|_: ()| ()).unwrap_err()));
        eventually(40, "the inner runtime's threads leave", || {
            support::threads() <= 3
        });
    });
}
