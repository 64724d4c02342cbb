//! A channel that keeps only the latest value: many senders, many receivers.
//!
//! Each [`Receiver`] can look at the value at any time, knows whether it has seen it, and can wait
//! for one it has not: a configuration, a state, a signal to stop. Values that are replaced before
//! a receiver looks are not seen by it; if it must see all, use [`broadcast`](super::broadcast).
//!
//! ```
//! use heist::sync::watch;
//!
//! # futures::executor::block_on(async {
//! let (tx, mut rx) = watch::channel("starting");
//! assert_eq!(*rx.borrow(), "starting");
//! tx.send("running").unwrap();
//! rx.changed().await.unwrap();
//! assert_eq!(*rx.borrow_and_update(), "running");
//! drop(tx);
//! assert!(rx.changed().await.is_err());
//! # });
//! ```
//!
//! # Looking blocks changing
//!
//! A [`Ref`] holds a lock. While it lives, a sender blocks its thread, and after that sender all who
//! look. Keep it for a moment, and never across an `.await`.
//!
//! # Inside
//!
//! * V1. The version and the closed flag are one word. The version changes under the value's write
//!   lock, so that who holds the read lock sees the version of the value it sees.
//! * V2. Who waits makes its [`Notify`] future, then looks at the word; who changes the word tells all
//!   afterwards.
//!
//! *Tested by* `loom_tests`: each ordering weakened by itself is a race on what a change, or an end of
//! either side, must bring along; a look before the future is made is a deadlock; a version that
//! changes outside the lock, a look at a value under another's version.

use std::fmt;
use std::ops::Deref;

use crate::engine::base::budget::cooperative;
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::Notify;

pub mod error;
#[allow(unsafe_code, reason = "a lock")]
mod lock;

use self::error::{RecvError, SendError};
use self::lock::{ReadGuard, ValueLock};

const CLOSED: usize = 1;
/// From one version to the next.
const STEP: usize = 2;

/// Changes the value. Made by [`channel`] or [`Sender::new`]; clone it for more senders.
pub struct Sender<T> {
    watched: Arc<Watched<T>>,
}

/// Looks at the value and waits for changes. Made by [`channel`] or [`Sender::subscribe`]; a clone
/// has seen what the original has.
pub struct Receiver<T> {
    watched: Arc<Watched<T>>,
    /// The version it has seen last.
    seen: usize,
}

/// A look at the value. It holds a lock: see the [module](self).
pub struct Ref<'a, T> {
    guard: ReadGuard<'a, T>,
    has_changed: bool,
}

struct Watched<T> {
    value: ValueLock<T>,
    /// `version | CLOSED`.
    word: AtomicUsize,
    senders: AtomicUsize,
    receivers: AtomicUsize,
    /// Told when the word changes.
    changed: Notify,
    /// Told when the last receiver goes.
    unwatched: Notify,
}

impl<T> Watched<T> {
    fn word(&self) -> usize {
        // Ordering: pairs with the release of who changed it, so that a change seen is a change that
        // happened before.
        self.word.load(Acquire)
    }

    fn version(&self) -> usize {
        self.word() & !CLOSED
    }

    /// Waits for another version than `seen`, and notes it there.
    async fn wait(&self, seen: &mut usize) -> Result<(), RecvError> {
        loop {
            // V2: before the look.
            let changed = self.changed.notified();
            let word = self.word();
            if word & !CLOSED != *seen {
                *seen = word & !CLOSED;
                return Ok(());
            }
            if word & CLOSED != 0 {
                return Err(RecvError(()));
            }
            changed.await;
        }
    }
}

/// A channel whose value is `init`, which its receiver counts as seen.
pub fn channel<T>(init: T) -> (Sender<T>, Receiver<T>) {
    let tx = Sender::new(init);
    let rx = tx.subscribe();
    (tx, rx)
}

impl<T> Ref<'_, T> {
    /// True if the receiver had not seen this value when it made this look. Always false for a
    /// sender's look.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ref")
            .field("value", &**self)
            .field("has_changed", &self.has_changed)
            .finish()
    }
}

impl<T> Receiver<T> {
    fn new(watched: &Arc<Watched<T>>, seen: usize) -> Self {
        watched.receivers.fetch_add(1, Relaxed);
        Self {
            watched: Arc::clone(watched),
            seen,
        }
    }

    /// A look at the value, which does not count as seeing it.
    ///
    /// The [`Ref`] holds a lock: see the [module](self).
    pub fn borrow(&self) -> Ref<'_, T> {
        let guard = self.watched.value.read();
        Ref {
            has_changed: self.watched.version() != self.seen, // V1
            guard,
        }
    }

    /// A look at the value, which counts as seeing it: [`changed`](Self::changed) will wait for
    /// another.
    ///
    /// The [`Ref`] holds a lock: see the [module](self).
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let guard = self.watched.value.read();
        let version = self.watched.version(); // V1
        let has_changed = version != self.seen;
        self.seen = version;
        Ref { guard, has_changed }
    }

    /// True if there is a value that this receiver has not seen.
    ///
    /// # Errors
    ///
    /// An error if all senders are gone, also if there is such a value.
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        let word = self.watched.word();
        if word & CLOSED != 0 {
            return Err(RecvError(()));
        }
        Ok(word != self.seen)
    }

    /// True if all senders are gone.
    pub fn is_closed(&self) -> bool {
        self.watched.word() & CLOSED != 0
    }

    /// Makes the receiver count the value as not seen.
    pub fn mark_changed(&mut self) {
        self.seen = self.seen.wrapping_sub(STEP);
    }

    /// Makes the receiver count the value as seen.
    pub fn mark_unchanged(&mut self) {
        self.seen = self.watched.version();
    }

    /// Waits for a value that this receiver has not seen, and counts it as seen.
    ///
    /// # Errors
    ///
    /// An error if all senders are gone and the last value was seen.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, no value was counted as seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, mut receiver) = heist::sync::watch::channel("starting");
    /// sender.send("ready").unwrap();
    /// receiver.changed().await.unwrap();
    /// assert_eq!(*receiver.borrow_and_update(), "ready");
    ///
    /// drop(sender);
    /// assert!(receiver.changed().await.is_err());
    /// # }
    /// ```
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        cooperative(self.watched.wait(&mut self.seen)).await
    }

    /// Waits until `f` is true of the value, and returns a look at it. The value there is comes first.
    ///
    /// All values that `f` was asked about count as seen. `f` runs under the channel's lock.
    ///
    /// # Errors
    ///
    /// An error if all senders are gone and `f` is not true of the last value.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe, apart from what `f` did.
    ///
    /// ```
    /// use heist::sync::watch;
    ///
    /// # futures::executor::block_on(async {
    /// let (tx, mut rx) = watch::channel(0);
    /// std::thread::spawn(move || {
    ///     for i in 1..=10 {
    ///         tx.send(i).unwrap();
    ///     }
    /// });
    /// assert!(*rx.wait_for(|i| *i >= 5).await.unwrap() >= 5);
    /// # });
    /// ```
    pub async fn wait_for(&mut self, f: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        cooperative(self.wait_until(f)).await
    }

    async fn wait_until(&mut self, mut f: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        let Self { watched, seen } = self;
        let mut closed = false;
        loop {
            {
                let guard = watched.value.read();
                let version = watched.version(); // V1
                let has_changed = version != *seen;
                *seen = version;
                if (!closed || has_changed) && f(&guard) {
                    return Ok(Ref { guard, has_changed });
                }
            }
            if closed {
                return Err(RecvError(()));
            }
            closed = watched.wait(seen).await.is_err();
        }
    }

    /// True if `other` is of the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.watched, &other.watched)
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self::new(&self.watched, self.seen)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        // Ordering: release, so that who finds no receiver knows that all are done.
        if self.watched.receivers.fetch_sub(1, Release) == 1 {
            self.watched.unwatched.notify_waiters();
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("watched", &*self.watched)
            .field("seen", &(self.seen / STEP))
            .finish()
    }
}

impl<T> Sender<T> {
    /// A channel's sender, without a receiver yet.
    pub fn new(init: T) -> Self {
        Self {
            watched: Arc::new(Watched {
                value: ValueLock::new(init),
                word: AtomicUsize::new(0),
                senders: AtomicUsize::new(1),
                receivers: AtomicUsize::new(0),
                changed: Notify::new(),
                unwatched: Notify::new(),
            }),
        }
    }

    /// Puts `value` in the place of the one there was.
    ///
    /// # Errors
    ///
    /// The value comes back, and the old one stays, if there is no receiver. See
    /// [`send_replace`](Self::send_replace) for another way.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        if self.receiver_count() == 0 {
            return Err(SendError(value));
        }
        // Dropped here, after the lock.
        drop(self.send_replace(value));
        Ok(())
    }

    /// Changes the value in place, whether or not there is a receiver, and wakes all who wait.
    ///
    /// `modify` runs under the channel's lock. If it panics, nobody is told of what it changed.
    pub fn send_modify<F>(&self, modify: F)
    where
        F: FnOnce(&mut T),
    {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    /// Changes the value in place, whether or not there is a receiver, and wakes all who wait if
    /// `modify` returns true; returns what it returned.
    ///
    /// `modify` runs under the channel's lock. If it panics, nobody is told of what it changed.
    ///
    /// ```
    /// use heist::sync::watch;
    ///
    /// let (tx, rx) = watch::channel(1);
    /// assert!(!tx.send_if_modified(|_| false));
    /// assert!(!rx.has_changed().unwrap());
    /// ```
    pub fn send_if_modified<F>(&self, modify: F) -> bool
    where
        F: FnOnce(&mut T) -> bool,
    {
        {
            let mut value = self.watched.value.write();
            if !modify(&mut value) {
                return false;
            }
            // V1. Ordering: pairs with the acquire in `word`.
            self.watched.word.fetch_add(STEP, Release);
        }
        self.watched.changed.notify_waiters(); // V2
        true
    }

    /// Puts `value` in the place of the one there was, whether or not there is a receiver, and returns
    /// the old one.
    pub fn send_replace(&self, mut value: T) -> T {
        self.send_modify(|old| std::mem::swap(old, &mut value));
        value
    }

    /// A look at the value.
    ///
    /// The [`Ref`] holds a lock: see the [module](self).
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref {
            guard: self.watched.value.read(),
            has_changed: false,
        }
    }

    /// True if there is no receiver.
    pub fn is_closed(&self) -> bool {
        self.receiver_count() == 0
    }

    /// Waits until there is no receiver.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (sender, receiver) = heist::sync::watch::channel(0);
    /// heist::spawn(async move { drop(receiver) });
    /// sender.closed().await;
    /// assert!(sender.is_closed());
    /// # }
    /// ```
    pub async fn closed(&self) {
        cooperative(async {
            loop {
                // V2: before the look.
                let unwatched = self.watched.unwatched.notified();
                if self.is_closed() {
                    return;
                }
                unwatched.await;
            }
        })
        .await;
    }

    /// A new receiver, which counts the value there is as seen.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::new(&self.watched, self.watched.version())
    }

    /// How many receivers there are.
    pub fn receiver_count(&self) -> usize {
        // Ordering: pairs with the drop of the last one.
        self.watched.receivers.load(Acquire)
    }

    /// How many senders there are.
    pub fn sender_count(&self) -> usize {
        self.watched.senders.load(Relaxed)
    }

    /// True if `other` is of the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.watched, &other.watched)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.watched.senders.fetch_add(1, Relaxed);
        Self {
            watched: Arc::clone(&self.watched),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        // Ordering: the last one has seen what the others did.
        if self.watched.senders.fetch_sub(1, AcqRel) == 1 {
            // Ordering: pairs with the acquire in `word`.
            self.watched.word.fetch_or(CLOSED, Release);
            self.watched.changed.notify_waiters(); // V2
        }
    }
}

impl<T: Default> Default for Sender<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("watched", &*self.watched)
            .finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for Watched<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word();
        f.debug_struct("Watched")
            .field("value", &self.value)
            .field("version", &(word / STEP))
            .field("is_closed", &(word & CLOSED != 0))
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::sync::test_support::{CountingWaker, noop};
    use std::future::Future;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::task::Context;

    fn is_pending<F: Future>(future: F) -> bool {
        std::pin::pin!(future)
            .poll(&mut Context::from_waker(&noop()))
            .is_pending()
    }

    #[test]
    fn each_receiver_knows_what_it_has_seen() {
        let (tx, mut a) = channel(0);
        let mut b = a.clone();
        assert!(is_pending(a.changed()));
        tx.send(1).unwrap();
        tx.send(2).unwrap();
        assert!(a.has_changed().unwrap() && a.borrow().has_changed());
        assert!(block_on(a.changed()).is_ok() && is_pending(a.changed()));
        assert!(b.borrow_and_update().has_changed());
        assert!(!b.borrow().has_changed() && *b.borrow() == 2);
        a.mark_changed();
        assert!(block_on(a.changed()).is_ok());
        tx.send_modify(|v| *v += 1);
        a.mark_unchanged();
        assert!(is_pending(a.changed()));
        let late = tx.subscribe();
        assert!(!late.has_changed().unwrap());
        assert!(late.same_channel(&a) && tx.same_channel(&tx.clone()));
        drop(tx);
        assert!(b.has_changed().is_err() && b.is_closed());
        assert!(block_on(b.changed()).is_ok() && block_on(b.changed()).is_err());
    }

    /// Whoever prints a channel does not wait for its lock, which it may hold itself.
    #[test]
    fn printing_does_not_wait() {
        let (tx, rx) = channel(1);
        assert!(format!("{tx:?}").contains("ValueLock(1)"));
        tx.send_modify(|_| assert!(format!("{tx:?} {rx:?}").contains("<locked>")));
        let look = rx.borrow();
        assert!(format!("{rx:?}").contains("ValueLock(1)"));
        drop(look);
    }

    /// As a reference's would: a look at a longer life is one at a shorter.
    #[test]
    fn a_look_is_covariant() {
        fn shorter<'a>(look: Ref<'a, &'static str>, _: &'a str) -> Ref<'a, &'a str> {
            look
        }
        let (_tx, rx) = channel("static");
        let short = String::from("short");
        assert_eq!(*shorter(rx.borrow(), &short), "static");
    }

    #[test]
    fn counts_and_closing() {
        let tx = Sender::<u8>::default();
        assert!(tx.is_closed());
        assert_eq!(tx.send(1), Err(SendError(1)));
        assert_eq!(tx.send_replace(2), 0);
        let rx = tx.subscribe();
        let other = tx.clone();
        assert_eq!((tx.receiver_count(), tx.sender_count()), (1, 2));
        drop(tx);
        assert!(!rx.is_closed());
        let (count, waker) = CountingWaker::new();
        let mut closed = Box::pin(other.closed());
        let mut cx = Context::from_waker(&waker);
        assert!(closed.as_mut().poll(&mut cx).is_pending());
        drop(rx);
        assert_eq!(count.count(), 1);
        assert!(closed.as_mut().poll(&mut cx).is_ready());
        assert_eq!(*other.borrow(), 2);
    }

    #[test]
    fn waiting_for_a_value() {
        let (tx, mut rx) = channel(0);
        assert!(!block_on(rx.wait_for(|v| *v == 0)).unwrap().has_changed());
        assert!(is_pending(rx.wait_for(|v| *v == 1)));
        tx.send(1).unwrap();
        assert!(block_on(rx.wait_for(|v| *v == 1)).unwrap().has_changed());
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            drop(block_on(rx.wait_for(|_| panic!("predicate"))));
        }));
        assert!(panicked.is_err());
        let panicked = catch_unwind(AssertUnwindSafe(|| tx.send_modify(|_| panic!("modify"))));
        assert!(panicked.is_err());
        assert!(!rx.has_changed().unwrap());
        tx.send(5).unwrap();
        drop(tx);
        assert!(block_on(rx.wait_for(|v| *v == 6)).is_err());
        assert_eq!(*block_on(rx.wait_for(|v| *v == 5)).unwrap(), 5);
    }

    #[test]
    fn a_blocked_wait_sees_the_value() {
        let (tx, mut rx) = channel(0);
        let waiting = std::thread::spawn(move || *block_on(rx.wait_for(|v| *v >= 100)).unwrap());
        for i in 1..=100 {
            tx.send(i).unwrap();
        }
        assert_eq!(waiting.join().unwrap(), 100);
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::thread;
    use crate::sync::testing::{Tracked, model, poll_once};
    use std::pin::pin;

    #[test]
    fn a_change_and_the_end_are_seen() {
        model(|| {
            let (tx, mut rx) = channel(Tracked::new(0));
            let sender = thread::spawn(move || assert!(tx.send(Tracked::new(1)).is_ok()));
            assert!(block_on(rx.changed()).is_ok());
            assert_eq!(rx.borrow().get(), 1);
            assert!(block_on(rx.changed()).is_err());
            sender.join().unwrap();
        });
    }

    #[test]
    fn two_receivers_see_it() {
        model(|| {
            let (tx, mut rx) = channel(0);
            let mut other = rx.clone();
            let waiting = thread::spawn(move || block_on(other.changed()).is_ok());
            tx.send(1).unwrap();
            assert!(block_on(rx.changed()).is_ok());
            assert!(waiting.join().unwrap());
        });
    }

    /// And who misses it sees what all did before they went.
    #[test]
    fn the_last_receiver_is_missed() {
        for by_waiting in [false, true] {
            model(move || {
                let beside = Arc::new([Tracked::new(0), Tracked::new(0)]);
                let (tx, rx) = channel(0);
                let receivers: Vec<_> = [rx.clone(), rx]
                    .into_iter()
                    .enumerate()
                    .map(|(i, rx)| {
                        let beside = Arc::clone(&beside);
                        thread::spawn(move || {
                            beside[i].set(1);
                            drop(rx);
                        })
                    })
                    .collect();
                if by_waiting {
                    block_on(tx.closed());
                }
                if tx.is_closed() {
                    assert_eq!((beside[0].get(), beside[1].get()), (1, 1));
                } else {
                    assert!(!by_waiting);
                }
                for receiver in receivers {
                    receiver.join().unwrap();
                }
            });
        }
    }

    /// Who hears that something changed has also all that the sender did before.
    #[test]
    fn a_change_brings_what_came_before_it() {
        model(|| {
            let beside = Arc::new(Tracked::new(0));
            let (tx, mut rx) = channel(0);
            let sender = {
                let beside = Arc::clone(&beside);
                thread::spawn(move || {
                    beside.set(1);
                    tx.send(1).unwrap();
                    tx
                })
            };
            if rx.has_changed().unwrap() {
                assert_eq!(beside.get(), 1);
            }
            assert!(block_on(rx.changed()).is_ok());
            assert_eq!(beside.get(), 1);
            drop(sender.join().unwrap());
        });
    }

    /// Who finds no sender, or no receiver, has all that the last one did.
    #[test]
    fn an_end_brings_what_came_before_it() {
        model(|| {
            let beside = Arc::new((Tracked::new(0), Tracked::new(0)));
            let (tx, rx) = channel(0);
            let other = {
                let beside = Arc::clone(&beside);
                let tx = tx.clone();
                let mut rx = rx.clone();
                thread::spawn(move || {
                    beside.0.set(1);
                    drop(tx);
                    assert!(block_on(rx.changed()).is_err());
                    assert_eq!(beside.1.get(), 1);
                    drop(rx);
                })
            };
            drop(rx);
            beside.1.set(1);
            drop(tx);
            other.join().unwrap();
            assert_eq!(beside.0.get(), 1);
        });
    }

    /// Whoever gives up waiting has seen nothing.
    #[test]
    fn giving_up_against_send() {
        model(|| {
            let (tx, mut rx) = channel(0);
            let sender = thread::spawn(move || tx.send(1).is_ok());
            if poll_once(pin!(rx.changed())).is_pending() {
                assert!(block_on(rx.changed()).is_ok());
            }
            assert_eq!(*rx.borrow(), 1);
            assert!(sender.join().unwrap());
        });
    }

    /// A value that is looked at has the version it is said to have (V1).
    #[test]
    fn a_look_knows_its_version() {
        model(|| {
            let (tx, mut rx) = channel(0);
            let sender = thread::spawn(move || tx.send(1).is_ok());
            let (value, has_changed) = {
                let look = rx.borrow_and_update();
                (*look, look.has_changed())
            };
            assert_eq!(value == 1, has_changed);
            assert_eq!(block_on(rx.changed()).is_ok(), !has_changed);
            assert!(sender.join().unwrap());
        });
    }
}
