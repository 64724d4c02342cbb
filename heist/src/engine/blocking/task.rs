//! A blocking function as a task: polled once, on a pool thread.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::engine::base::current;
use crate::engine::blocking::Job;
use crate::engine::task::{self, Closed, Id, JoinHandle, Origin, Polled, Runnable, Schedule, Task};

/// The function, as a future that is ready after one poll.
#[derive(Debug)]
struct BlockingTask<F>(Option<F>);

impl<F> Unpin for BlockingTask<F> {}

impl<F: FnOnce() -> R, R> Future for BlockingTask<F> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<R> {
        let f = self.0.take().expect("a blocking task is polled once");
        // For whatever the function asks, no task is running on this thread.
        let outer = current::enter(
            std::ptr::null(),
            current::task_id().map_or(0, |id| id.get()),
        );
        let result = f();
        let _ = current::leave(outer);
        Poll::Ready(result)
    }
}

/// The "scheduler" of blocking tasks: they are never woken and never wait.
#[derive(Debug)]
struct Unscheduled;

static UNSCHEDULED: Unscheduled = Unscheduled;

impl Schedule for Unscheduled {
    fn schedule(&self, _runnable: Runnable) {
        unreachable!("a blocking task is runnable from its making to its end");
    }

    unsafe fn adopt(&self, _task: Task) -> Result<(), Closed> {
        unreachable!("a blocking task never waits");
    }

    unsafe fn release(&self, _task: Task) {
        unreachable!("a blocking task is never listed");
    }
}

impl Job for Runnable {
    fn run(self) {
        match Runnable::run(self) {
            Polled::Done => {}
            Polled::Idle | Polled::Again(_) => unreachable!("a blocking task never waits"),
        }
    }

    fn cancel(self) {
        Runnable::cancel(self);
    }
}

/// Makes a task of `f`, for a pool.
pub(crate) fn blocking_task<F, R>(f: F, origin: Origin) -> (Runnable, JoinHandle<R>)
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    // SAFETY: T11 — a static outlives all; `F` and `R` are `Send`.
    unsafe {
        task::new(
            BlockingTask(Some(f)),
            &raw const UNSCHEDULED,
            Id::next(),
            origin,
        )
    }
}
