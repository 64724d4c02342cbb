//! One thread, boxed futures, a waker that does nothing.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::counts::{CHAINS, DEPTH, FAN, FAN_REPEATS, YIELDERS, YIELDS};
use crate::workload::Round;

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One future after the other: allocate, poll, free.
pub(super) fn allocate_poll_free_chained() -> Round {
    Box::new(|| {
        for i in 0..CHAINS * DEPTH {
            poll_once(make(i));
        }
    })
}

/// The same with a thousand alive at a time.
pub(super) fn allocate_poll_free_fanned() -> Round {
    Box::new(|| {
        for _ in 0..FAN_REPEATS {
            let tasks: Vec<Boxed> = (0..FAN).map(make).collect();
            tasks.into_iter().for_each(poll_once);
        }
    })
}

fn make(number: usize) -> Boxed {
    let future: Boxed = Box::pin(async move {
        black_box(number);
    });
    black_box(future)
}

fn poll_once(mut future: Boxed) {
    let polled = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_ready());
}

/// A queue of futures that say they are not done yet.
pub(super) fn poll_in_turn() -> Round {
    fn yielder() -> Boxed {
        let mut left = YIELDS;
        Box::pin(poll_fn(move |_| match left {
            0 => Poll::Ready(()),
            _ => {
                left -= 1;
                Poll::Pending
            }
        }))
    }
    Box::new(|| {
        let mut queue: VecDeque<Boxed> = (0..YIELDERS).map(|_| yielder()).collect();
        let mut context = Context::from_waker(Waker::noop());
        while let Some(mut future) = queue.pop_front() {
            if future.as_mut().poll(&mut context).is_pending() {
                queue.push_back(future);
            }
        }
    })
}
