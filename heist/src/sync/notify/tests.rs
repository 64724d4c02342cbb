use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Wake;

use super::*;
use crate::engine::base::rng::FastRand;
use crate::sync::test_support::{CountingWaker, noop};

type Boxed<'a> = Pin<Box<Notified<'a>>>;

fn boxed(notify: &Notify) -> Boxed<'_> {
    Box::pin(notify.notified())
}

fn poll(future: &mut Boxed<'_>) -> bool {
    future
        .as_mut()
        .poll(&mut Context::from_waker(&noop()))
        .is_ready()
}

#[test]
fn one_notification_is_stored_not_two() {
    let notify = Notify::new();
    notify.notify_one();
    notify.notify_one();
    assert!(poll(&mut boxed(&notify)));
    assert!(!poll(&mut boxed(&notify)));
}

#[test]
fn first_and_last() {
    let notify = Notify::new();
    let mut futures: Vec<_> = (0..3).map(|_| boxed(&notify)).collect();
    for future in &mut futures {
        assert!(!poll(future));
    }
    notify.notify_last();
    assert!(!poll(&mut futures[0]) && !poll(&mut futures[1]) && poll(&mut futures[2]));
    notify.notify_one();
    assert!(poll(&mut futures[0]) && !poll(&mut futures[1]));
    // Done stays done.
    assert!(poll(&mut futures[0]));
}

#[test]
fn notify_waiters_reaches_futures_that_were_not_polled() {
    let notify = Notify::new();
    let (mut unpolled, mut polled) = (boxed(&notify), boxed(&notify));
    assert!(!poll(&mut polled));
    notify.notify_one();
    // `polled` got that one, and passes it on when dropped.
    notify.notify_waiters();
    let mut late = boxed(&notify);
    assert!(poll(&mut unpolled) && !poll(&mut late));
    drop(polled);
    assert!(poll(&mut late));
}

#[test]
fn notify_waiters_keeps_a_stored_notification() {
    let notify = Notify::new();
    notify.notify_one();
    let mut before = boxed(&notify);
    notify.notify_waiters();
    // By the generation, so the stored one stays.
    assert!(poll(&mut before));
    assert!(poll(&mut boxed(&notify)));
    assert!(!poll(&mut boxed(&notify)));
}

#[test]
fn a_dropped_receiver_passes_on_by_its_own_rule() {
    let notify = Notify::new();
    let mut futures: VecDeque<_> = (0..4).map(|_| boxed(&notify)).collect();
    for future in &mut futures {
        assert!(!poll(future));
    }
    notify.notify_last();
    drop(futures.pop_back());
    assert!(poll(&mut futures[2]) && !poll(&mut futures[0]));
    notify.notify_one();
    drop(futures.pop_front());
    assert!(poll(&mut futures[0]));
    drop(futures);
    assert!(!poll(&mut boxed(&notify)));
}

#[test]
fn enable_takes_a_place() {
    let notify = Arc::new(Notify::new());
    let mut first = Box::pin(Arc::clone(&notify).notified_owned());
    assert!(!first.as_mut().enable());
    assert!(!first.as_mut().enable());
    let mut second = boxed(&notify);
    assert!(!poll(&mut second));
    notify.notify_one();
    assert!(!poll(&mut second));
    assert!(first.as_mut().enable());
    crate::engine::base::parker::block_on(first);
}

#[test]
fn wakers_are_kept_up_to_date_and_not_leaked() {
    let (first, first_waker) = CountingWaker::new();
    let (second, second_waker) = CountingWaker::new();
    let notify = Notify::new();
    let mut future = boxed(&notify);
    for waker in [&first_waker, &first_waker, &second_waker] {
        assert!(
            future
                .as_mut()
                .poll(&mut Context::from_waker(waker))
                .is_pending()
        );
    }
    assert_eq!(Arc::strong_count(&first), 2);
    notify.notify_waiters();
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(Arc::strong_count(&second), 2);
}

/// While `notify_waiters` is between two batches, single notifications must treat those not told
/// yet as notified.
#[test]
fn between_two_batches() {
    struct Reenter(Arc<Notify>);
    impl Wake for Reenter {
        fn wake(self: Arc<Self>) {
            self.0.notify_one();
        }
    }
    let notify = Arc::new(Notify::new());
    let mut futures: Vec<_> = (0..100).map(|_| boxed(&notify)).collect();
    let waker = Waker::from(Arc::new(Reenter(Arc::clone(&notify))));
    for (i, future) in futures.iter_mut().enumerate() {
        if i == 5 {
            assert!(
                future
                    .as_mut()
                    .poll(&mut Context::from_waker(&waker))
                    .is_pending()
            );
        } else {
            assert!(!poll(future));
        }
    }
    notify.notify_waiters();
    assert!(futures.iter_mut().all(poll));
    drop(futures);
    assert!(poll(&mut boxed(&notify)), "the single one was stored");
    assert!(!poll(&mut boxed(&notify)));
}

#[test]
fn a_panicking_waker_does_not_keep_the_others_waiting() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            panic!("wake")
        }
    }
    let notify = Notify::new();
    let (count, counting) = CountingWaker::new();
    let bad = Waker::from(Arc::new(Bad));
    let mut futures: Vec<_> = (0..100).map(|_| boxed(&notify)).collect();
    for (i, future) in futures.iter_mut().enumerate() {
        let waker = if i == 3 { &bad } else { &counting };
        assert!(
            future
                .as_mut()
                .poll(&mut Context::from_waker(waker))
                .is_pending()
        );
    }
    assert!(catch_unwind(AssertUnwindSafe(|| notify.notify_waiters())).is_err());
    assert_eq!(count.count(), 99);
    assert!(futures.iter_mut().all(poll));
}

#[test]
fn random_operations_agree_with_a_model() {
    #[derive(Clone, Copy, PartialEq)]
    enum Model {
        New,
        Queued,
        One,
        Last,
        All,
        Done,
    }

    /// Gives a single notification in the model.
    fn single(
        model: &mut [(u32, Model)],
        order: &mut VecDeque<u32>,
        stored: &mut bool,
        kind: Model,
    ) {
        let id = if kind == Model::Last {
            order.pop_back()
        } else {
            order.pop_front()
        };
        match id {
            Some(id) => model.iter_mut().find(|m| m.0 == id).unwrap().1 = kind,
            None => *stored = true,
        }
    }

    let mut rng = FastRand::new(9);
    for _ in 0..400 {
        let notify = Notify::new();
        let mut futures: Vec<Boxed<'_>> = Vec::new();
        let mut model: Vec<(u32, Model)> = Vec::new();
        let mut order = VecDeque::new();
        let mut stored = false;
        for id in 0..80 {
            let some =
                (!futures.is_empty()).then(|| rng.below(futures.len().max(1) as u32) as usize);
            match (rng.below(6), some) {
                (0, _) => {
                    futures.push(boxed(&notify));
                    model.push((id, Model::New));
                }
                (1, Some(i)) => {
                    let (id, was) = model[i];
                    let now = match was {
                        Model::New if stored => {
                            stored = false;
                            Model::Done
                        }
                        Model::New => {
                            order.push_back(id);
                            Model::Queued
                        }
                        Model::Queued => Model::Queued,
                        _ => Model::Done,
                    };
                    model[i].1 = now;
                    assert_eq!(poll(&mut futures[i]), now == Model::Done);
                }
                (2, Some(i)) => {
                    drop(futures.swap_remove(i));
                    let (id, was) = model.swap_remove(i);
                    order.retain(|other| *other != id);
                    if was == Model::One || was == Model::Last {
                        single(&mut model, &mut order, &mut stored, was);
                    }
                }
                (3, _) => {
                    notify.notify_one();
                    single(&mut model, &mut order, &mut stored, Model::One);
                }
                (4, _) => {
                    notify.notify_last();
                    single(&mut model, &mut order, &mut stored, Model::Last);
                }
                (5, _) => {
                    notify.notify_waiters();
                    order.clear();
                    for (_, state) in &mut model {
                        if matches!(state, Model::New | Model::Queued) {
                            *state = Model::All;
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
