//! Models of a set and one foreign thread.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::task::{Poll, Waker};

use super::*;
use crate::engine::base::parker::block_on;
use crate::engine::queue::testing::model;
use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::{Acquire, Release};

/// What the task waits for. The waker is handed over before the other thread starts, so its lock
/// need not be modelled.
struct Gate {
    open: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

struct Waiter {
    gate: Arc<Gate>,
    home: ThreadMark,
}

impl Future for Waiter {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        assert!(self.home.is_here());
        if self.gate.open.load(Acquire) {
            return Poll::Ready(());
        }
        let mut waker = self.gate.waker.lock().unwrap();
        if waker.is_none() {
            *waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        assert!(self.home.is_here(), "L2");
    }
}

/// A set with an idle task, the task's waker, and its handle.
fn idle_task() -> (Rc<LocalScheduler>, Arc<Gate>, Waker, JoinHandle<()>) {
    let set = LocalScheduler::new();
    let gate = Arc::new(Gate {
        open: AtomicBool::new(false),
        waker: Mutex::new(None),
    });
    let waiter = Waiter {
        gate: Arc::clone(&gate),
        home: ThreadMark::here(),
    };
    let join = set.spawn(waiter, Id::next(), Origin::here());
    let mut cx = Context::from_waker(Waker::noop());
    assert_eq!(set.poll(&mut cx, |_| None::<()>), Err(Progress::Waiting));
    let waker = gate.waker.lock().unwrap().take().expect("polled");
    (set, gate, waker, join)
}

#[test]
fn a_foreign_wake_vs_poll() {
    model(Some(2), || {
        let (set, gate, waker, join) = idle_task();
        let other = thread::spawn(move || {
            gate.open.store(true, Release);
            waker.wake();
        });
        block_on(poll_fn(|cx| match set.poll(cx, |_| None::<()>) {
            Err(Progress::Empty) => Poll::Ready(()),
            _ => Poll::Pending,
        }));
        assert!(join.is_finished());
        set.close();
        drop(set);
        other.join().unwrap();
    });
}

#[test]
fn a_foreign_wake_vs_close() {
    model(Some(2), || {
        let (set, _gate, waker, join) = idle_task();
        let other = thread::spawn(move || waker.wake());
        set.close();
        assert!(join.is_finished());
        drop(set);
        other.join().unwrap();
    });
}

#[test]
fn a_foreign_abort_vs_close() {
    model(Some(2), || {
        let (set, _gate, waker, join) = idle_task();
        drop(waker);
        let abort = join.abort_handle();
        let other = thread::spawn(move || abort.abort());
        set.close();
        assert!(join.is_finished());
        drop((set, join));
        other.join().unwrap();
    });
}
