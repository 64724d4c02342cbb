//! A place for one task's waker that any thread may take and wake.
//!
//! **What.** One side *registers* (one task at a time), any number of threads *wake*. A
//! registration followed by a look at the condition, against a change of the condition followed by
//! a wake, never misses: either the look sees the change or the wake sees the registration.
//!
//! **States** of the word:
//!
//! | bits | meaning | who may touch the cell |
//! |---|---|---|
//! | `0` | nobody waits | nobody |
//! | `HAS` | a waker is in the cell | nobody, until they take one of the two bits below |
//! | `REGISTERING` (with or without `HAS`) | a registration is under way | the registrar |
//! | `WAKING` (with or without `HAS`) | a waker is being taken out | the taker |
//! | `REGISTERING + WAKING` | a wake came during a registration | the registrar, who then wakes |
//!
//! **Rules.**
//! * W1. The cell belongs to whoever moved the word from neither bit to `REGISTERING` or `WAKING`,
//!   until it moves the word back.
//! * W2. A wake that finds `REGISTERING` leaves `WAKING` behind, and the registrar wakes the waker
//!   it has just put in: no wake is lost.
//! * W3. A registrar that finds the cell taken wakes its own waker, so that its task looks again.
//!   Nobody ever waits for the cell.
//! * W4. No waker is woken or dropped while the cell is held; one is cloned there, which is harmless
//!   as nobody waits for the cell (W3), and a clone that panics gives the cell back.
//!
//! **Orderings.** `register` ends and `wake` begins with a `SeqCst` fence: these two are the Dekker
//! pair that lets `wake` return after one plain load when nobody waits. A wake that only leaves its
//! bit behind (W2, or a second waker) is published by that same read-modify-write, and whoever
//! gives the cell back acquires it, so that the woken task sees what both wakers wrote.
//!
//! **Rejected.** Two read-modify-writes in every wake (most wakes find nobody); a lock (wakers run
//! user code).
//!
//! **Tested by** `loom_tests`: without either fence `a_wake_is_never_missed` deadlocks; with a relaxed
//! `fetch_or` in `take_held` all models report a race on the cell.

use std::fmt;
use std::task::Waker;

use crate::loom::cell::UnsafeCell;
use crate::loom::hint;
use crate::loom::sync::atomic::AtomicU8;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use crate::loom::sync::atomic::fence;

const HAS: u8 = 1;
const REGISTERING: u8 = 2;
const WAKING: u8 = 4;

pub(crate) struct AtomicWaker {
    word: AtomicU8,
    cell: UnsafeCell<Option<Waker>>,
}

// SAFETY: W1 — the cell is only touched by the one thread that holds a bit of the word.
unsafe impl Sync for AtomicWaker {}
// SAFETY: a `Waker` is `Send`.
unsafe impl Send for AtomicWaker {}

impl std::panic::UnwindSafe for AtomicWaker {}
impl std::panic::RefUnwindSafe for AtomicWaker {}

impl AtomicWaker {
    pub(crate) fn new() -> Self {
        Self {
            word: AtomicU8::new(0),
            cell: UnsafeCell::new(None),
        }
    }

    /// Makes `waker` the one to wake. The caller looks at its condition *after* this.
    pub(crate) fn register(&self, waker: &Waker) {
        let before = self.word.load(Relaxed) & HAS;
        // Ordering: acquire pairs with the give-back of the cell's last holder (W1).
        match self
            .word
            .compare_exchange(before, before | REGISTERING, Acquire, Relaxed)
        {
            Ok(_) => self.register_held(waker),
            Err(now) if now & (REGISTERING | WAKING) == 0 => {
                // Only HAS changed under the load: a wake came and went.
                match self.word.compare_exchange(
                    now,
                    now | REGISTERING,
                    // Ordering: as above.
                    Acquire,
                    Relaxed,
                ) {
                    Ok(_) => self.register_held(waker),
                    Err(_) => look_again(waker),
                }
            }
            Err(_) => look_again(waker),
        }
        // Ordering: pairs with the fence in `take`; see the module's docs.
        fence(SeqCst);
    }

    /// Puts `waker` in; the caller has set `REGISTERING`.
    fn register_held(&self, waker: &Waker) {
        /// Gives the cell back also when the clone panics.
        struct Held<'a>(&'a AtomicWaker);

        impl Held<'_> {
            /// Leaves the waker in place, or takes it if a wake came meanwhile (W2).
            fn give_back(&self) -> Option<Waker> {
                // SAFETY: W1 — REGISTERING is ours.
                let has = self.0.cell.with(|p| unsafe { (*p).is_some() });
                let has = if has { HAS } else { 0 };
                let mut now = self.0.word.load(Relaxed);
                while now & WAKING == 0 {
                    // Ordering: release gives the cell to the next holder, acquire sees what a wake
                    // that left its bit had published.
                    match self.0.word.compare_exchange(now, has, AcqRel, Relaxed) {
                        Ok(_) => return None,
                        Err(actual) => now = actual,
                    }
                }
                // SAFETY: W1 — REGISTERING is still ours.
                let woken = self.0.cell.with_mut(|p| unsafe { (*p).take() });
                // Ordering: as above.
                self.0.word.swap(0, AcqRel);
                woken
            }
        }

        impl Drop for Held<'_> {
            fn drop(&mut self) {
                // Unwinding out of the clone: what was registered before stays so.
                if let Some(waker) = self.give_back() {
                    waker.wake();
                }
            }
        }

        let held = Held(self);
        // SAFETY: W1 — REGISTERING is ours.
        let same = self
            .cell
            .with(|p| unsafe { (*p).as_ref().is_some_and(|old| old.will_wake(waker)) });
        let old = if same {
            None
        } else {
            let new = waker.clone();
            // SAFETY: W1 — REGISTERING is ours.
            self.cell.with_mut(|p| unsafe { (*p).replace(new) })
        };
        let woken = held.give_back();
        std::mem::forget(held);
        // W4: from here the cell is not ours any more.
        if let Some(waker) = woken {
            waker.wake();
        }
        drop(old);
    }

    /// Wakes whoever is registered. The caller has changed the condition *before* this.
    #[inline]
    pub(crate) fn wake(&self) {
        if let Some(waker) = self.take() {
            waker.wake();
        }
    }

    /// As [`wake`](Self::wake), without its fence, for one who knows that what is registered is to be seen from here:
    /// the registrar changes another word after each registration, by a read-modify-write that releases, and so did the
    /// caller, by one that acquires, before this call.
    ///
    /// If the waker is gone, somebody took it after that, and the registrar comes, registers and changes that word
    /// again, whereby it sees what the caller did. (`mpsc`'s models.)
    #[inline]
    pub(crate) fn wake_seen(&self) {
        if self.word.load(Relaxed) != 0
            && let Some(waker) = self.take_held()
        {
            waker.wake();
        }
    }

    /// Takes the registered waker out, to be woken later or dropped.
    #[inline]
    pub(crate) fn take(&self) -> Option<Waker> {
        // Ordering: pairs with the fence in `register`; see the module's docs.
        fence(SeqCst);
        if self.word.load(Relaxed) == 0 {
            return None;
        }
        self.take_held()
    }

    #[cold]
    fn take_held(&self) -> Option<Waker> {
        // Ordering: release publishes the caller's change to whoever holds the cell (W2), acquire
        // pairs with the registrar's give-back.
        let before = self.word.fetch_or(WAKING, AcqRel);
        if before & (REGISTERING | WAKING) != 0 {
            return None;
        }
        // SAFETY: W1 — WAKING is ours.
        let waker = self.cell.with_mut(|p| unsafe { (*p).take() });
        // Ordering: release gives the cell back; acquire, and a swap rather than a store, carry on
        // what other wakers published by their `fetch_or` meanwhile.
        self.word.swap(0, AcqRel);
        waker
    }
}

/// W3. Whoever holds the cell is about to give it back.
#[cold]
fn look_again(waker: &Waker) {
    waker.wake_by_ref();
    hint::spin_loop();
}

impl fmt::Debug for AtomicWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicWaker").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::task::{RawWaker, RawWakerVTable, Wake};

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    #[test]
    fn wakes_once_per_registration_and_keeps_the_same_waker() {
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&count));
        let cell = AtomicWaker::new();
        cell.wake();
        cell.register(&waker);
        cell.register(&waker);
        // The test's, the test's waker, and one clone in the cell.
        assert_eq!(Arc::strong_count(&count), 3);
        cell.wake();
        cell.wake();
        assert_eq!(count.0.load(SeqCst), 1);
        assert_eq!(Arc::strong_count(&count), 2);
    }

    #[test]
    fn a_new_waker_replaces_the_old() {
        let (a, b) = (
            Arc::new(Count(AtomicUsize::new(0))),
            Arc::new(Count(AtomicUsize::new(0))),
        );
        let cell = AtomicWaker::new();
        cell.register(&Waker::from(Arc::clone(&a)));
        cell.register(&Waker::from(Arc::clone(&b)));
        assert_eq!(Arc::strong_count(&a), 1);
        cell.wake();
        assert_eq!((a.0.load(SeqCst), b.0.load(SeqCst)), (0, 1));
    }

    fn panicking_waker(clone_panics: bool) -> Waker {
        fn clone_bad(_: *const ()) -> RawWaker {
            panic!("clone")
        }
        fn clone_good(p: *const ()) -> RawWaker {
            RawWaker::new(p, &GOOD_CLONE)
        }
        fn wake_bad(_: *const ()) {
            panic!("wake")
        }
        fn nothing(_: *const ()) {}
        static BAD_CLONE: RawWakerVTable =
            RawWakerVTable::new(clone_bad, nothing, nothing, nothing);
        static GOOD_CLONE: RawWakerVTable =
            RawWakerVTable::new(clone_good, wake_bad, wake_bad, nothing);
        let vtable = if clone_panics {
            &BAD_CLONE
        } else {
            &GOOD_CLONE
        };
        // SAFETY: the table's functions ignore the pointer and may be called from any thread.
        unsafe { Waker::new(std::ptr::null(), vtable) }
    }

    #[test]
    fn a_panicking_waker_leaves_it_usable() {
        for clone_panics in [true, false] {
            let count = Arc::new(Count(AtomicUsize::new(0)));
            let good = Waker::from(Arc::clone(&count));
            let cell = AtomicWaker::new();
            let result = std::panic::catch_unwind(|| {
                cell.register(&panicking_waker(clone_panics));
                cell.wake();
            });
            assert!(result.is_err());
            cell.register(&good);
            cell.wake();
            assert_eq!(count.0.load(SeqCst), 1);
        }
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::sync::Arc;
    use crate::loom::sync::atomic::AtomicUsize;
    use crate::loom::thread;
    use std::future::poll_fn;
    use std::task::Poll;

    struct Gate {
        waker: AtomicWaker,
        count: AtomicUsize,
    }

    fn gate() -> Arc<Gate> {
        Arc::new(Gate {
            waker: AtomicWaker::new(),
            count: AtomicUsize::new(0),
        })
    }

    async fn wait_for(gate: &Gate, count: usize) {
        poll_fn(|cx| {
            gate.waker.register(cx.waker());
            if gate.count.load(Relaxed) == count {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    fn open(gate: &Arc<Gate>) -> thread::JoinHandle<()> {
        let gate = Arc::clone(gate);
        thread::spawn(move || {
            gate.count.fetch_add(1, Relaxed);
            gate.waker.wake();
        })
    }

    #[test]
    fn a_wake_is_never_missed() {
        loom::model(|| {
            let gate = gate();
            let opener = open(&gate);
            block_on(wait_for(&gate, 1));
            opener.join().unwrap();
        });
    }

    #[test]
    fn two_wakers_are_both_seen() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let gate = gate();
            let openers = [open(&gate), open(&gate)];
            block_on(wait_for(&gate, 2));
            for opener in openers {
                opener.join().unwrap();
            }
        });
    }

    #[test]
    fn a_registration_that_moves_between_tasks_is_woken() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let gate = gate();
            let opener = open(&gate);
            // Another task looked first and went away.
            gate.waker.register(&futures::task::noop_waker());
            block_on(wait_for(&gate, 1));
            opener.join().unwrap();
        });
    }
}
