//! Values that belong to a task.
#![forbid(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures::executor::block_on;
use heist::task::LocalKey;

heist::task_local! {
    /// With documentation, visibility and attributes.
    #[allow(dead_code, reason = "an attribute on a key")]
    pub static NUMBER: u32;
    pub(crate) static TEXT: String;
    static SHARED: Rc<Cell<u32>>
}

heist::task_local! {}

heist::task_local!(static SINGLE: u8);

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

async fn yield_once() {
    let mut yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn only_in_the_scope() {
    assert!(NUMBER.try_get().is_err());
    NUMBER.sync_scope(1, || {
        assert_eq!(NUMBER.get(), 1);
        assert!(TEXT.try_with(|_| ()).is_err());
        TEXT.sync_scope("a".into(), || TEXT.with(|text| assert_eq!(text, "a")));
    });
    assert!(NUMBER.try_get().is_err());
    SINGLE.sync_scope(1, || assert_eq!(SINGLE.get(), 1));
}

#[test]
fn scopes_nest_and_interleave() {
    block_on(async {
        let work = |n| {
            NUMBER.scope(n, async move {
                for _ in 0..3 {
                    assert_eq!(NUMBER.get(), n);
                    NUMBER
                        .scope(n + 100, async move {
                            yield_once().await;
                            assert_eq!(NUMBER.get(), n + 100);
                        })
                        .await;
                }
                NUMBER.get()
            })
        };
        assert_eq!(heist::join!(work(1), work(2)), (1, 2));
        assert!(NUMBER.try_get().is_err());
    });
}

#[test]
fn moves_between_threads_with_its_future() {
    let mut future = Box::pin(NUMBER.scope(5, async {
        assert_eq!(NUMBER.get(), 5);
        yield_once().await;
        NUMBER.get()
    }));
    assert!(poll_once(future.as_mut()).is_pending());
    let moved = std::thread::spawn(move || block_on(future));
    assert_eq!(moved.join().unwrap(), 5);
}

#[test]
fn the_value_comes_back() {
    block_on(async {
        let future = SHARED.scope(Rc::new(Cell::new(0)), async {
            SHARED.with(|shared| shared.set(7));
        });
        heist::pin!(future);
        future.as_mut().await;
        assert_eq!(future.as_mut().take_value().unwrap().get(), 7);
        assert!(future.take_value().is_none());
    });
}

#[test]
fn without_its_value_the_future_goes_on_without() {
    let mut future = Box::pin(NUMBER.scope(1, async {
        yield_once().await;
        NUMBER.try_get().is_err()
    }));
    assert!(poll_once(future.as_mut()).is_pending());
    assert_eq!(future.as_mut().take_value(), Some(1));
    assert_eq!(poll_once(future.as_mut()), Poll::Ready(true));
}

/// Notes in its drop what the key says then.
struct Witness(Rc<RefCell<Vec<Option<u32>>>>);

impl Drop for Witness {
    fn drop(&mut self) {
        self.0.borrow_mut().push(NUMBER.try_get().ok());
    }
}

#[test]
fn the_future_finds_its_value_when_it_is_dropped() {
    let seen = Rc::new(RefCell::new(vec![]));

    // Done: dropped in its last poll.
    let witness = Witness(seen.clone());
    let mut future = Box::pin(NUMBER.scope(1, async move {
        yield_once().await;
        drop(witness);
    }));
    assert!(poll_once(future.as_mut()).is_pending());
    assert!(poll_once(future.as_mut()).is_ready());
    drop(future);

    // Captured and never touched: dropped with the future, in its last poll too.
    let witness = Witness(seen.clone());
    let mut future = Box::pin(NUMBER.scope(2, {
        poll_fn(move |_| {
            let _ = &witness;
            Poll::Ready(())
        })
    }));
    assert!(poll_once(future.as_mut()).is_ready());
    assert_eq!(*seen.borrow(), [Some(1), Some(2)]);
    drop(future);

    // Half way, and before the first poll.
    let witness = Witness(seen.clone());
    let mut future = Box::pin(NUMBER.scope(3, async move {
        let _witness = witness;
        pending::<()>().await;
    }));
    assert!(poll_once(future.as_mut()).is_pending());
    drop(future);
    let witness = Witness(seen.clone());
    drop(NUMBER.scope(4, async move { drop(witness) }));
    assert_eq!(*seen.borrow(), [Some(1), Some(2), Some(3), Some(4)]);
}

#[test]
fn a_panic_puts_the_outer_value_back() {
    NUMBER.sync_scope(1, || {
        assert!(catch_unwind(|| NUMBER.sync_scope(2, || panic!("inside"))).is_err());
        assert_eq!(NUMBER.get(), 1);
        let panicking = catch_unwind(AssertUnwindSafe(|| {
            block_on(NUMBER.scope(3, async { panic!("inside") }))
        }));
        assert!(panicking.is_err());
        assert_eq!(NUMBER.get(), 1);
    });
    assert!(NUMBER.try_get().is_err());
}

fn panic_of(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().unwrap().to_string(),
    }
}

#[test]
fn misuse_panics() {
    let outside = panic_of(|| NUMBER.with(|_| ()));
    assert!(outside.contains("outside of its scope"), "{outside}");
    let outside = panic_of(|| drop(TEXT.get()));
    assert!(outside.contains("outside of its scope"), "{outside}");

    let in_use = panic_of(|| {
        NUMBER.sync_scope(1, || NUMBER.with(|_| NUMBER.sync_scope(2, || ())));
    });
    assert!(in_use.contains("is in use"), "{in_use}");
    let in_use = panic_of(|| {
        NUMBER.sync_scope(1, || {
            NUMBER.with(|_| block_on(NUMBER.scope(2, async {})));
        });
    });
    assert!(in_use.contains("is in use"), "{in_use}");
    assert!(NUMBER.try_get().is_err());

    let mut future = Box::pin(NUMBER.scope(1, async {}));
    assert!(poll_once(future.as_mut()).is_ready());
    let twice = panic_of(|| assert!(poll_once(future.as_mut()).is_ready()));
    assert!(twice.contains("after it was done"), "{twice}");
}

#[test]
fn reading_inside_reading_is_fine() {
    NUMBER.sync_scope(1, || NUMBER.with(|a| NUMBER.with(|b| assert_eq!(a, b))));
}

#[test]
fn dropped_inside_with_the_future_is_still_dropped() {
    let seen = Rc::new(RefCell::new(vec![]));
    let witness = Witness(seen.clone());
    let future = NUMBER.scope(2, async move { drop(witness) });
    NUMBER.sync_scope(1, || NUMBER.with(|_| drop(future)));
    assert_eq!(*seen.borrow(), [Some(1)]);
}

#[test]
fn a_thread_that_ends() {
    struct AtExit;
    impl Drop for AtExit {
        fn drop(&mut self) {
            // Whether the storage is still there or not: no panic, no value.
            assert!(TEXT.try_get().is_err());
        }
    }
    thread_local!(static AT_EXIT: AtExit = const { AtExit });
    std::thread::spawn(|| {
        AT_EXIT.with(|_| ());
        TEXT.sync_scope("a".into(), || ());
    })
    .join()
    .unwrap();
}

#[test]
fn as_text() {
    let future = NUMBER.scope(1, async {});
    assert_eq!(format!("{future:?}"), "TaskLocalFuture { value: 1 }");
    let mut future = Box::pin(future);
    future.as_mut().take_value();
    assert_eq!(
        format!("{future:?}"),
        "TaskLocalFuture { value: <missing> }"
    );
    assert_eq!(format!("{NUMBER:?}"), "LocalKey { .. }");
    let error = NUMBER.try_get().unwrap_err();
    assert_eq!(format!("{error:?}"), "AccessError");
    assert!(!error.to_string().is_empty());
}

#[test]
fn auto_traits() {
    fn assert_shared<T: Send + Sync + Unpin>() {}
    fn assert_send<T: Send>(_: &T) {}
    assert_shared::<LocalKey<Rc<u8>>>();
    assert_send(&NUMBER.scope(1, async {}));
}
