//! OnceCell and SetOnce.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use heist::sync::{OnceCell, SetError, SetOnce, SetOnceError};

use crate::harness::{Polled, pick, sequences};
use crate::permits::{FairPermits, Look};

/// What an initialiser is told to do when it is polled next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Wait,
    Succeed(usize),
    Fail,
}

/// One who wants the value: `None` if its initialiser failed.
struct Caller<'a> {
    id: usize,
    future: Polled<'a, Option<usize>>,
    order: Rc<Cell<Order>>,
    /// It has the right to initialise, and its initialiser waits.
    initialises: bool,
}

fn call(cell: &OnceCell<usize>, id: usize) -> Caller<'_> {
    let order = Rc::new(Cell::new(Order::Wait));
    let orders = Rc::clone(&order);
    let init = poll_fn(move |_| match orders.get() {
        Order::Wait => Poll::Pending,
        Order::Succeed(value) => Poll::Ready(Ok(value)),
        Order::Fail => Poll::Ready(Err(())),
    });
    let future = async move { cell.get_or_try_init(|| init).await.ok().copied() };
    Caller {
        id,
        future: Polled::new(future),
        order,
        initialises: false,
    }
}

#[test]
fn once_cell() {
    sequences(|rng| {
        let cell = OnceCell::new();
        // The right to initialise is a fair permit, and writing closes it.
        let mut right = FairPermits::new(1);
        let mut value = None;
        let mut callers: Vec<Caller<'_>> = Vec::new();
        for id in 0..40 {
            match rng.below(12) {
                0..3 => {
                    let mut caller = call(&cell, id);
                    let result = caller.future.poll();
                    let expected = match right.acquire(id, 1) {
                        Look::Waits => Poll::Pending,
                        Look::Granted => {
                            caller.initialises = true;
                            Poll::Pending
                        }
                        Look::Refused => Poll::Ready(value),
                    };
                    assert_eq!(result, expected);
                    if result.is_pending() {
                        callers.push(caller);
                    }
                }
                3..9 => {
                    let Some(at) = pick(rng, &callers) else {
                        continue;
                    };
                    let caller = &mut callers[at];
                    let order = match rng.below(6) {
                        0 => Order::Succeed(id),
                        1 | 2 => Order::Fail,
                        _ => Order::Wait,
                    };
                    caller.order.set(order);
                    let result = caller.future.poll_somehow(rng);
                    if !caller.initialises {
                        match right.look(caller.id) {
                            Look::Waits => {
                                assert_eq!(result, Poll::Pending);
                                continue;
                            }
                            Look::Refused => {
                                assert_eq!(result, Poll::Ready(value));
                                drop(callers.swap_remove(at));
                                continue;
                            }
                            Look::Granted => caller.initialises = true,
                        }
                    }
                    match order {
                        Order::Wait => assert_eq!(result, Poll::Pending),
                        Order::Fail => {
                            assert_eq!(result, Poll::Ready(None));
                            right.release(1);
                            drop(callers.swap_remove(at));
                        }
                        Order::Succeed(new) => {
                            assert_eq!(result, Poll::Ready(Some(new)));
                            value = Some(new);
                            right.close();
                            right.release(1);
                            drop(callers.swap_remove(at));
                        }
                    }
                }
                9 | 10 => {
                    if let Some(at) = pick(rng, &callers) {
                        let caller = callers.swap_remove(at);
                        if caller.initialises {
                            right.release(1);
                        } else {
                            right.give_up(caller.id);
                        }
                    }
                }
                _ if rng.below(3) == 0 => {
                    let expected = if value.is_some() {
                        Err(SetError::AlreadyInitializedError(id))
                    } else if right.try_acquire(1) {
                        value = Some(id);
                        right.close();
                        Ok(())
                    } else {
                        Err(SetError::InitializingError(id))
                    };
                    assert_eq!(cell.set(id), expected);
                }
                _ => {}
            }
            assert_eq!(
                (cell.get().copied(), cell.initialized()),
                (value, value.is_some())
            );
            for caller in callers.iter().filter(|caller| !caller.initialises) {
                let told = right.is_told(caller.id);
                assert!(caller.future.was_woken() || !told, "lost wake");
            }
        }
        drop(callers);
        assert_eq!(cell.into_inner(), value);
    });
}

#[test]
fn set_once() {
    sequences(|rng| {
        let cell = SetOnce::new();
        let mut value = None;
        let mut waiting: Vec<Polled<'_, usize>> = Vec::new();
        for i in 0..24 {
            match rng.below(10) {
                0..4 => {
                    let mut future = Polled::new(async { *cell.wait().await });
                    match (future.poll(), value) {
                        (Poll::Pending, None) => waiting.push(future),
                        (Poll::Ready(got), Some(value)) => assert_eq!(got, value),
                        (got, _) => panic!("{got:?}"),
                    }
                }
                4..7 => {
                    if let Some(at) = pick(rng, &waiting) {
                        match (waiting[at].poll_somehow(rng), value) {
                            (Poll::Pending, None) => {}
                            (Poll::Ready(got), Some(value)) => {
                                assert_eq!(got, value);
                                drop(waiting.swap_remove(at));
                            }
                            (got, _) => panic!("{got:?}"),
                        }
                    }
                }
                7 | 8 => {
                    if let Some(at) = pick(rng, &waiting) {
                        drop(waiting.swap_remove(at));
                    }
                }
                _ => {
                    let expected = match value {
                        Some(_) => Err(SetOnceError(i)),
                        None => Ok(()),
                    };
                    value.get_or_insert(i);
                    assert_eq!(cell.set(i), expected);
                }
            }
            assert_eq!(
                (cell.get().copied(), cell.initialized()),
                (value, value.is_some())
            );
            for future in &waiting {
                assert!(future.was_woken() || value.is_none(), "lost wake");
            }
        }
        drop(waiting);
        assert_eq!(cell.into_inner(), value);
    });
}
