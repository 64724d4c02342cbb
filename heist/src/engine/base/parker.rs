//! A place for one thread to sleep until another says so.
//!
//! **States** of the word: `EMPTY` (awake, or nothing to say), `PARKED` (a thread sleeps on the
//! condition variable, or is about to), `ELSEWHERE` (it sleeps in something of its own, such as the
//! reactor), `NOTIFIED` (a wake not yet consumed).
//!
//! **Rules.**
//! * P1. `unpark` swaps in `NOTIFIED` and makes a system call only if it found `PARKED`; an awake
//!   thread is told for the price of one swap.
//! * P2. The sleeper moves `EMPTY → PARKED` while it holds the mutex, and the waker that found
//!   `PARKED` takes the mutex before it notifies: so the notification cannot fall between the
//!   sleeper's decision and its wait.
//! * P4. A sleeper in `ELSEWHERE` is woken by the caller of `unpark`, who is told so, and sees what was written before about where
//!   that is.
//! * P3. A park consumes one `NOTIFIED`; wakes in between are one wake.
//!
//! **Orderings.** `unpark`'s swap is a release, the sleeper's taking of `NOTIFIED` an acquire:
//! what the waker wrote before is seen after the park. The sleeper's move to `ELSEWHERE` is a release, `unpark`'s swap an
//! acquire (P4).
//!
//! **Tested by** `loom_tests` below.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::engine::base::budget::{Budget, BudgetScope};
use crate::loom::sync::atomic::AtomicU32;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::loom::sync::{Arc, Condvar, Mutex};

const EMPTY: u32 = 0;
const PARKED: u32 = 1;
const NOTIFIED: u32 = 2;
const ELSEWHERE: u32 = 3;

#[derive(Debug)]
pub(crate) struct Parker {
    word: AtomicU32,
    mutex: Mutex<()>,
    condvar: Condvar,
}

/// A parker that wakers hold as well.
pub(crate) type SharedParker = Arc<Parker>;

impl Parker {
    pub(crate) fn new() -> Self {
        Self {
            word: AtomicU32::new(EMPTY),
            mutex: Mutex::new(()),
            condvar: Condvar::new(),
        }
    }

    /// Takes a wake that is already there.
    #[inline]
    pub(crate) fn try_consume(&self) -> bool {
        // Ordering: acquire pairs with the release in `unpark`. The load keeps a spinning thread
        // from writing the line again and again.
        self.word.load(Relaxed) == NOTIFIED
            && self
                .word
                .compare_exchange(NOTIFIED, EMPTY, Acquire, Relaxed)
                .is_ok()
    }

    /// Sleeps until [`unpark`](Self::unpark).
    pub(crate) fn park(&self) {
        self.park_inner(None);
    }

    /// Sleeps until [`unpark`](Self::unpark) or until `timeout` has passed. True if it was woken.
    pub(crate) fn park_timeout(&self, timeout: Duration) -> bool {
        self.park_inner(Some(timeout))
    }

    fn park_inner(&self, timeout: Option<Duration>) -> bool {
        if self.try_consume() {
            return true;
        }
        if timeout == Some(Duration::ZERO) {
            return false;
        }
        let mut guard = self.mutex.lock();
        // Ordering: on failure the word is NOTIFIED and is taken below with acquire.
        if self
            .word
            .compare_exchange(EMPTY, PARKED, Relaxed, Relaxed)
            .is_err()
        {
            return self.take();
        }
        loop {
            let timed_out;
            (guard, timed_out) = match timeout {
                None => (self.condvar.wait(guard), false),
                Some(limit) => self.condvar.wait_timeout(guard, limit),
            };
            if self.try_consume() {
                return true;
            }
            if timed_out {
                return self.take();
            }
            // A spurious return. With a limit it is passed on as an early end, which every caller
            // has to expect; without one, sleep again.
            if timeout.is_some() {
                return self.take();
            }
        }
    }

    /// Leaves `PARKED` or `NOTIFIED`; true if it was the latter.
    fn take(&self) -> bool {
        // Ordering: acquire pairs with the release in `unpark`.
        self.word.swap(EMPTY, Acquire) == NOTIFIED
    }

    /// Sleeps by `sleep` instead of the condition variable, unless a wake is already there. Whoever
    /// unparks meanwhile has to end that sleep (P4). True if woken.
    pub(crate) fn park_elsewhere(&self, sleep: impl FnOnce()) -> bool {
        // Ordering: release pairs with the acquire in `unpark_from`: who is told that we are elsewhere also sees where. On
        // failure the word is NOTIFIED and is taken below with acquire.
        if self
            .word
            .compare_exchange(EMPTY, ELSEWHERE, Release, Relaxed)
            .is_ok()
        {
            sleep();
        }
        self.take()
    }

    /// Wakes the sleeper, or the next park. For parkers that never park elsewhere.
    pub(crate) fn unpark(&self) {
        let elsewhere = self.unpark_from();
        debug_assert!(!elsewhere, "who parks elsewhere is woken there");
    }

    /// As [`unpark`](Self::unpark). True if the sleeper is elsewhere and the caller has to wake it
    /// there (P4).
    #[must_use]
    pub(crate) fn unpark_from(&self) -> bool {
        // Ordering: release pairs with the acquire of whoever consumes it (P3), acquire with the release in
        // `park_elsewhere`.
        match self.word.swap(NOTIFIED, AcqRel) {
            PARKED => {
                // P2: the sleeper holds the mutex from its decision until it waits.
                drop(self.mutex.lock());
                self.condvar.notify_one();
                false
            }
            found => found == ELSEWHERE,
        }
    }
}

/// Polls `future` on this thread and sleeps in between; knows nothing of any runtime.
///
/// The base of the `blocking_*` methods.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    match block_on_until(future, None) {
        Some(output) => output,
        None => unreachable!("without a limit, only the future ends the wait"),
    }
}

/// As [`block_on`], for at most `limit`.
pub(crate) fn block_on_until<F: Future>(
    future: F,
    limit: Option<std::time::Instant>,
) -> Option<F::Output> {
    let mut future = pin!(future);
    let parker = Arc::new(Parker::new());
    let waker = waker(&parker);
    let mut cx = Context::from_waker(&waker);
    loop {
        let polled = {
            let _budget = BudgetScope::enter(Budget::initial());
            future.as_mut().poll(&mut cx)
        };
        if let Poll::Ready(output) = polled {
            return Some(output);
        }
        match limit {
            None => parker.park(),
            Some(limit) => {
                let left = limit.checked_duration_since(std::time::Instant::now())?;
                parker.park_timeout(left);
            }
        }
    }
}

/// A waker that unparks `parker`.
#[cfg(not(all(test, heist_loom)))]
pub(crate) fn waker(parker: &Arc<Parker>) -> Waker {
    struct Unpark(Arc<Parker>);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }

        fn wake_by_ref(self: &Arc<Self>) {
            self.0.unpark();
        }
    }

    Waker::from(Arc::new(Unpark(Arc::clone(parker))))
}

/// As above; loom's `Arc` is not the one [`Wake`] wants.
#[cfg(all(test, heist_loom))]
pub(crate) fn waker(parker: &Arc<Parker>) -> Waker {
    struct Unpark(Arc<Parker>);

    impl Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }

    Waker::from(std::sync::Arc::new(Unpark(Arc::clone(parker))))
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::loom::cell::UnsafeCell;
    use crate::loom::thread;

    struct Mail(UnsafeCell<u32>);
    // SAFETY: the test's own protocol, which loom checks: one writer before `unpark`, one reader after.
    #[allow(unsafe_code, reason = "a cell that loom watches")]
    unsafe impl Sync for Mail {}

    #[test]
    #[allow(unsafe_code, reason = "a cell that loom watches")]
    fn a_wake_is_never_lost_and_carries_what_was_written() {
        loom::model(|| {
            let shared = Arc::new((Parker::new(), Mail(UnsafeCell::new(0))));
            let waker = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    // SAFETY: written before the unpark that lets the reader go.
                    shared.1.0.with_mut(|p| unsafe { *p = 7 });
                    shared.0.unpark();
                })
            };
            shared.0.park();
            // SAFETY: the writer's unpark was consumed.
            assert_eq!(shared.1.0.with(|p| unsafe { *p }), 7);
            waker.join().unwrap();
        });
    }

    #[test]
    fn two_wakers_wake_at_least_once() {
        loom::model(|| {
            let parker = Arc::new(Parker::new());
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let parker = Arc::clone(&parker);
                    thread::spawn(move || parker.unpark())
                })
                .collect();
            parker.park();
            for thread in threads {
                thread.join().unwrap();
            }
        });
    }
}
