use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Wake;

use super::*;
use crate::engine::base::rng::FastRand;
use crate::sync::test_support::{CountingWaker, noop};

fn poll(future: &mut Pin<Box<AcquirePermits<'_>>>) -> Poll<Result<(), Closed>> {
    future.as_mut().poll(&mut Context::from_waker(&noop()))
}

#[test]
fn first_come_first_served() {
    let permits = Permits::new(2);
    let mut big = Box::pin(permits.acquire(3));
    let mut small = Box::pin(permits.acquire(1));
    assert!(poll(&mut big).is_pending());
    // The two that there were are the first one's now.
    assert_eq!(permits.available(), 0);
    assert_eq!(permits.try_acquire(1), Err(Refusal::TooFew));
    assert_eq!(permits.try_acquire(0), Ok(()));
    assert!(poll(&mut small).is_pending());
    permits.release(1);
    assert!(poll(&mut small).is_pending());
    assert_eq!(poll(&mut big), Poll::Ready(Ok(())));
    permits.release(3);
    assert_eq!(poll(&mut small), Poll::Ready(Ok(())));
    assert_eq!(permits.available(), 2);
}

#[test]
fn without_budget_the_place_in_the_queue_is_kept() {
    use crate::engine::base::budget::{Budget, BudgetScope};

    let spent = || {
        let scope = BudgetScope::enter(Budget::initial());
        while let Poll::Ready(unit) = budget::poll_proceed(&mut Context::from_waker(&noop())) {
            unit.made_progress();
        }
        scope
    };
    let permits = Permits::new(1);

    // S8. What it could have, it leaves to others until it has a turn.
    let mut holder = Box::pin(permits.acquire(1));
    let scope = spent();
    assert!(poll(&mut holder).is_pending());
    assert_eq!(permits.available(), 1);
    drop(scope);
    assert_eq!(poll(&mut holder), Poll::Ready(Ok(())));
    // If it has to wait, it queues up, and keeps its place before one that has budget.
    let scope = spent();
    let mut next = Box::pin(permits.acquire(1));
    assert!(poll(&mut next).is_pending());
    drop(scope);
    let mut last = Box::pin(permits.acquire(1));
    assert!(poll(&mut last).is_pending());

    permits.release(1);
    assert!(poll(&mut last).is_pending());
    // Granted, not told, and dropped: nothing is lost.
    let scope = spent();
    assert!(poll(&mut next).is_pending());
    drop(scope);
    drop(next);
    assert_eq!(poll(&mut last), Poll::Ready(Ok(())));
    drop(last);
    permits.release(1);
    assert_eq!(permits.available(), 1);
}

#[test]
fn a_cancelled_waiter_passes_on_what_it_had() {
    let permits = Permits::new(2);
    let mut big = Box::pin(permits.acquire(3));
    let mut small = Box::pin(permits.acquire(1));
    assert!(poll(&mut big).is_pending());
    assert!(poll(&mut small).is_pending());
    drop(big);
    assert_eq!(poll(&mut small), Poll::Ready(Ok(())));
    assert_eq!(permits.available(), 1);

    // Granted, and dropped without having been polled again.
    let mut a = Box::pin(permits.acquire(2));
    let mut b = Box::pin(permits.acquire(2));
    assert!(poll(&mut a).is_pending());
    assert!(poll(&mut b).is_pending());
    permits.release(1);
    drop(a);
    assert_eq!(poll(&mut b), Poll::Ready(Ok(())));
    permits.release(2);
    assert_eq!(permits.available(), 2);
}

#[test]
fn close_refuses_all_and_returns_what_they_had() {
    let permits = Permits::new(1);
    let mut waiters: Vec<_> = (0..100).map(|_| Box::pin(permits.acquire(2))).collect();
    for waiter in &mut waiters {
        assert!(poll(waiter).is_pending());
    }
    permits.close();
    for waiter in &mut waiters {
        assert_eq!(poll(waiter), Poll::Ready(Err(Closed)));
    }
    assert_eq!(permits.available(), 1);
    assert_eq!(permits.try_acquire(1), Err(Refusal::Closed));
    assert_eq!(permits.forget(5), 1);
    assert!(permits.is_closed());
    permits.release(3);
    assert_eq!(permits.available(), 3);
    assert_eq!(
        poll(&mut Box::pin(permits.acquire(1))),
        Poll::Ready(Err(Closed))
    );
}

#[test]
fn too_many_permits_panic_and_change_nothing() {
    assert!(catch_unwind(|| Permits::new(Permits::MAX + 1)).is_err());
    let permits = Permits::new(Permits::MAX);
    assert!(catch_unwind(AssertUnwindSafe(|| permits.release(1))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| permits.try_acquire(Permits::MAX + 1))).is_err());
    assert_eq!(permits.available(), Permits::MAX);
    assert_eq!(permits.try_acquire(1), Ok(()));
    permits.release(1);

    // Through the queue.
    let permits = Permits::new(0);
    let mut waiter = Box::pin(permits.acquire(1));
    assert!(poll(&mut waiter).is_pending());
    permits.release(Permits::MAX);
    assert!(catch_unwind(AssertUnwindSafe(|| permits.release(2))).is_err());
    assert_eq!(permits.available(), Permits::MAX - 1);
}

#[test]
fn wakers_are_kept_up_to_date_and_not_leaked() {
    let (first, first_waker) = CountingWaker::new();
    let (second, second_waker) = CountingWaker::new();
    let permits = Permits::new(0);
    let mut waiter = Box::pin(permits.acquire(1));
    for waker in [&first_waker, &first_waker, &second_waker] {
        assert!(
            waiter
                .as_mut()
                .poll(&mut Context::from_waker(waker))
                .is_pending()
        );
    }
    assert_eq!(Arc::strong_count(&first), 2);
    permits.release(1);
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(Arc::strong_count(&second), 2);
}

#[test]
fn a_panicking_waker_does_not_keep_the_others_waiting() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            panic!("wake")
        }
    }
    for close in [false, true] {
        let permits = Permits::new(0);
        let mut waiters: Vec<_> = (0..100).map(|_| Box::pin(permits.acquire(1))).collect();
        let bad = Waker::from(Arc::new(Bad));
        for (i, waiter) in waiters.iter_mut().enumerate() {
            let waker = if i == 3 { bad.clone() } else { noop() };
            assert!(
                waiter
                    .as_mut()
                    .poll(&mut Context::from_waker(&waker))
                    .is_pending()
            );
        }
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            if close {
                permits.close();
            } else {
                permits.release(200);
            }
        }));
        assert!(unwound.is_err());
        for waiter in &mut waiters {
            assert!(poll(waiter).is_ready());
        }
        assert_eq!(permits.available(), if close { 0 } else { 100 });
    }
}

/// Random operations against a queue of numbers.
#[test]
fn random_operations_agree_with_a_model() {
    let mut rng = FastRand::new(5);
    for round in 0..500 {
        let start = rng.below(4) as usize;
        let permits = Permits::new(start);
        let mut free = start;
        let mut held = 0;
        let mut closed = false;
        // The futures, in the order of the queue; the model's (wanted, collected).
        let mut futures: VecDeque<Pin<Box<AcquirePermits<'_>>>> = VecDeque::new();
        let mut model: VecDeque<(usize, usize)> = VecDeque::new();
        let settle = |free: &mut usize,
                      held: &mut usize,
                      model: &mut VecDeque<(usize, usize)>,
                      futures: &mut VecDeque<Pin<Box<AcquirePermits<'_>>>>| {
            while let Some((wanted, collected)) = model.front_mut() {
                let given = (*wanted - *collected).min(*free);
                *collected += given;
                *free -= given;
                if wanted != collected {
                    break;
                }
                *held += *wanted;
                model.pop_front();
                let mut future = futures.pop_front().unwrap();
                assert_eq!(poll(&mut future), Poll::Ready(Ok(())));
            }
        };
        for _ in 0..60 {
            let n = rng.below(4) as usize;
            match rng.below(if round % 4 == 0 { 6 } else { 5 }) {
                0 => {
                    let mut future = Box::pin(permits.acquire(n));
                    match poll(&mut future) {
                        Poll::Ready(Ok(())) => {
                            assert!(!closed && (n == 0 || (model.is_empty() && n <= free)));
                            free -= n;
                            held += n;
                        }
                        Poll::Ready(Err(Closed)) => assert!(closed),
                        Poll::Pending => {
                            assert!(!closed && (!model.is_empty() || n > free));
                            model.push_back((n, 0));
                            futures.push_back(future);
                            settle(&mut free, &mut held, &mut model, &mut futures);
                        }
                    }
                }
                1 => {
                    let n = n.min(held);
                    held -= n;
                    free += n;
                    permits.release(n);
                    settle(&mut free, &mut held, &mut model, &mut futures);
                }
                2 if !futures.is_empty() => {
                    let i = rng.below(futures.len() as u32) as usize;
                    drop(futures.remove(i));
                    let (_, collected) = model.remove(i).unwrap();
                    free += collected;
                    settle(&mut free, &mut held, &mut model, &mut futures);
                }
                3 => {
                    let ok = permits.try_acquire(n);
                    if closed {
                        assert_eq!(ok, Err(Refusal::Closed));
                    } else if n == 0 || (model.is_empty() && n <= free) {
                        assert_eq!(ok, Ok(()));
                        free -= n;
                        held += n;
                    } else {
                        assert_eq!(ok, Err(Refusal::TooFew));
                    }
                }
                4 => {
                    let gone = permits.forget(n);
                    assert_eq!(gone, if model.is_empty() { n.min(free) } else { 0 });
                    free -= gone;
                    let added = rng.below(2) as usize;
                    free += added;
                    permits.release(added);
                    settle(&mut free, &mut held, &mut model, &mut futures);
                }
                5 => {
                    permits.close();
                    closed = true;
                    for (_, collected) in model.drain(..) {
                        free += collected;
                    }
                    for mut future in futures.drain(..) {
                        assert_eq!(poll(&mut future), Poll::Ready(Err(Closed)));
                    }
                }
                _ => {}
            }
            assert_eq!(permits.available(), if model.is_empty() { free } else { 0 });
        }
    }
}

#[test]
fn threads_share_and_none_is_lost() {
    use crate::engine::base::parker::block_on;
    let permits = Arc::new(Permits::new(3));
    let threads: Vec<_> = (0..4)
        .map(|seed| {
            let permits = Arc::clone(&permits);
            std::thread::spawn(move || {
                let mut rng = FastRand::new(seed);
                for _ in 0..3_000 {
                    let n = rng.below(4) as usize;
                    if rng.below(4) == 0 {
                        // Cancelled after one poll.
                        let mut future = Box::pin(permits.acquire(n));
                        if poll(&mut future) == Poll::Ready(Ok(())) {
                            permits.release(n);
                        }
                    } else {
                        block_on(permits.acquire(n)).unwrap();
                        permits.release(n);
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(permits.available(), 3);
}
