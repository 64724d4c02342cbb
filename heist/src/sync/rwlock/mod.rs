//! A lock for many readers or one writer, waited for asynchronously.
//!
//! **What.** A [`Permits`] of as many permits as there may be readers, and the value. A reader has one
//! permit, a writer has all. Fairness, cancellation and orderings are those of
//! [`permits`](crate::sync::permits): as the queue is first come, first served, a writer that waits
//! keeps later readers waiting, and so does not starve.
//!
//! **Rules.**
//! * K1. Who has a permit may read the value; who has all may write it. A guard has its permits, and
//!   mapping it or downgrading it moves them along.
//! * K2. The permits are never closed, so acquiring never fails.
//!
//! **Tested by** the models of `permits`, and `loom_tests`.

use std::fmt;
use std::marker::PhantomData;

use crate::engine::base::{current, parker};
use crate::sync::mutex::TryLockError;
use crate::sync::permits::{AcquirePermits, Permits};
use crate::sync::{StdArc as Arc, UnsafeValueCell};

mod borrowed;
mod owned;

pub use self::borrowed::{RwLockMappedWriteGuard, RwLockReadGuard, RwLockWriteGuard};
pub use self::owned::{OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard};

use self::borrowed::{Hold, ReadHold};
use self::owned::OwnedHold;

/// K2. Said where the permits are awaited: a function for it would be a future around theirs.
const NEVER_CLOSED: &str = "a lock is never closed";

/// The most readers at a time, and the usual limit.
#[cfg(not(all(test, heist_loom)))]
const MAX_READERS: u32 = u32::MAX >> 3;
/// Few, so that a model's writer has few permits to gather.
#[cfg(all(test, heist_loom))]
const MAX_READERS: u32 = 3;

/// A lock that many may [read](Self::read) or one may [write](Self::write).
///
/// Waiting for it does not block the thread, and its guards may be held across an `.await`. It is
/// fair: readers and writers get it in the order in which they came, so that a reader who comes
/// after a waiting writer waits too. For that reason a task that holds a read guard must not wait
/// for another one: with a writer in between both would wait for ever.
///
/// A panic while it is held does not poison it.
///
/// ```
/// use heist::sync::RwLock;
///
/// # futures::executor::block_on(async {
/// let config = RwLock::new("a".to_string());
/// {
///     let first = config.read().await;
///     let second = config.read().await;
///     assert_eq!(*first, *second);
/// }
/// config.write().await.push('b');
/// assert_eq!(*config.read().await, "ab");
/// # });
/// ```
pub struct RwLock<T: ?Sized> {
    permits: Permits,
    /// How many permits there are: a writer takes all.
    max_readers: u32,
    value: UnsafeValueCell<T>,
}

// SAFETY: K1 — a writer has the value alone, so it must be `Send`.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: K1 — readers share the value, so it must be `Sync` too.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T: ?Sized> RwLock<T> {
    /// An unlocked lock around `value`.
    pub fn new(value: T) -> Self
    where
        T: Sized,
    {
        Self::with_max_readers(value, MAX_READERS)
    }

    /// As [`new`](Self::new), for at most `max_readers` readers at a time.
    ///
    /// # Panics
    ///
    /// Panics if `max_readers` is 0 or more than `u32::MAX >> 3`.
    #[track_caller]
    pub fn with_max_readers(value: T, max_readers: u32) -> Self
    where
        T: Sized,
    {
        assert_readers(max_readers);
        Self {
            permits: Permits::new(max_readers as usize),
            max_readers,
            value: UnsafeValueCell::new(value),
        }
    }

    /// As [`new`](Self::new), in constants and statics.
    ///
    /// ```
    /// use heist::sync::RwLock;
    ///
    /// static LEVEL: RwLock<u8> = RwLock::const_new(3);
    /// assert_eq!(*LEVEL.try_read().unwrap(), 3);
    /// ```
    #[cfg(not(all(test, heist_loom)))]
    pub const fn const_new(value: T) -> Self
    where
        T: Sized,
    {
        Self::const_with_max_readers(value, MAX_READERS)
    }

    /// As [`with_max_readers`](Self::with_max_readers), in constants and statics.
    ///
    /// # Panics
    ///
    /// Panics if `max_readers` is 0 or more than `u32::MAX >> 3`.
    #[cfg(not(all(test, heist_loom)))]
    #[track_caller]
    pub const fn const_with_max_readers(value: T, max_readers: u32) -> Self
    where
        T: Sized,
    {
        assert_readers(max_readers);
        Self {
            permits: Permits::const_new(max_readers as usize),
            max_readers,
            value: UnsafeValueCell::new(value),
        }
    }

    fn acquire(&self, n: u32) -> AcquirePermits<'_> {
        self.permits.acquire(n as usize)
    }

    fn try_acquire(&self, n: u32) -> Result<(), TryLockError> {
        self.permits
            .try_acquire(n as usize)
            .map_err(|_| TryLockError(()))
    }

    /// The guard of a reader; the caller has taken its permit.
    fn reader(&self) -> RwLockReadGuard<'_, T> {
        RwLockReadGuard {
            hold: ReadHold(&self.permits),
            data: self.value.get(),
            _borrows: PhantomData,
        }
    }

    /// The guard of the writer; the caller has taken all permits.
    fn writer(&self) -> RwLockWriteGuard<'_, T> {
        RwLockWriteGuard {
            hold: Hold::new(&self.permits, self.max_readers),
            data: self.value.get(),
            _borrows: PhantomData,
        }
    }

    fn owned_reader(self: Arc<Self>) -> OwnedRwLockReadGuard<T> {
        OwnedRwLockReadGuard {
            data: self.value.get(),
            hold: OwnedHold::new(self, 1),
        }
    }

    fn owned_writer(self: Arc<Self>) -> OwnedRwLockWriteGuard<T> {
        let all = self.max_readers;
        OwnedRwLockWriteGuard {
            data: self.value.get(),
            hold: OwnedHold::new(self, all),
        }
    }

    /// Waits until there is no writer, and none who came before, and shares the lock.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let lock = heist::sync::RwLock::new(7);
    /// let (a, b) = heist::join!(lock.read(), lock.read());
    /// assert_eq!((*a, *b), (7, 7));
    /// # }
    /// ```
    pub async fn read(&self) -> RwLockReadGuard<'_, T> {
        self.acquire(1).await.expect(NEVER_CLOSED);
        self.reader()
    }

    /// Blocks this thread until it shares the lock, for use outside asynchronous code.
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_read(&self) -> RwLockReadGuard<'_, T> {
        current::assert_may_block();
        parker::block_on(self.read())
    }

    /// As [`read`](Self::read), with a guard that keeps the lock alive and has no lifetime.
    ///
    /// # Cancel safety
    ///
    /// As [`read`](Self::read).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::RwLock;
    /// use std::sync::Arc;
    ///
    /// let lock = Arc::new(RwLock::new(7));
    /// let guard = lock.clone().read_owned().await;
    /// let seen = heist::spawn(async move { *guard }).await.unwrap();
    /// assert_eq!(seen, 7);
    /// # }
    /// ```
    pub async fn read_owned(self: Arc<Self>) -> OwnedRwLockReadGuard<T> {
        self.acquire(1).await.expect(NEVER_CLOSED);
        self.owned_reader()
    }

    /// Shares the lock if there is no writer and nobody waits.
    ///
    /// # Errors
    ///
    /// An error if that is not so.
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        self.try_acquire(1)?;
        Ok(self.reader())
    }

    /// As [`try_read`](Self::try_read), with a guard that keeps the lock alive.
    ///
    /// # Errors
    ///
    /// As [`try_read`](Self::try_read).
    pub fn try_read_owned(self: Arc<Self>) -> Result<OwnedRwLockReadGuard<T>, TryLockError> {
        self.try_acquire(1)?;
        Ok(self.owned_reader())
    }

    /// Waits until nobody else has the lock, and takes it alone.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let lock = heist::sync::RwLock::new(1);
    /// *lock.write().await += 1;
    /// assert_eq!(*lock.read().await, 2);
    /// # }
    /// ```
    pub async fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.acquire(self.max_readers).await.expect(NEVER_CLOSED);
        self.writer()
    }

    /// Blocks this thread until it has the lock alone, for use outside asynchronous code.
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_write(&self) -> RwLockWriteGuard<'_, T> {
        current::assert_may_block();
        parker::block_on(self.write())
    }

    /// As [`write`](Self::write), with a guard that keeps the lock alive and has no lifetime.
    ///
    /// # Cancel safety
    ///
    /// As [`write`](Self::write).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::RwLock;
    /// use std::sync::Arc;
    ///
    /// let lock = Arc::new(RwLock::new(1));
    /// let mut guard = lock.clone().write_owned().await;
    /// heist::spawn(async move { *guard += 1 }).await.unwrap();
    /// assert_eq!(*lock.read().await, 2);
    /// # }
    /// ```
    pub async fn write_owned(self: Arc<Self>) -> OwnedRwLockWriteGuard<T> {
        self.acquire(self.max_readers).await.expect(NEVER_CLOSED);
        self.owned_writer()
    }

    /// Takes the lock alone if nobody has it and nobody waits.
    ///
    /// # Errors
    ///
    /// An error if that is not so.
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        self.try_acquire(self.max_readers)?;
        Ok(self.writer())
    }

    /// As [`try_write`](Self::try_write), with a guard that keeps the lock alive.
    ///
    /// # Errors
    ///
    /// As [`try_write`](Self::try_write).
    pub fn try_write_owned(self: Arc<Self>) -> Result<OwnedRwLockWriteGuard<T>, TryLockError> {
        self.try_acquire(self.max_readers)?;
        Ok(self.owned_writer())
    }

    /// The value. No locking is needed: the borrow shows that nobody else has the lock.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value, out of the lock.
    pub fn into_inner(self) -> T
    where
        T: Sized,
    {
        self.value.into_inner()
    }
}

#[track_caller]
const fn assert_readers(max_readers: u32) {
    assert!(
        max_readers != 0,
        "a RwLock may not be created with 0 readers: nobody could ever read it"
    );
    assert!(
        max_readers <= MAX_READERS,
        "a lock cannot have more than `u32::MAX >> 3` readers"
    );
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => debug.field("data", &&*guard),
            Err(_) => debug.field("data", &format_args!("<locked>")),
        };
        debug.finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::sync::Arc as LoomArc;
    use crate::loom::thread;
    use crate::sync::testing::{Tracked, model, poll_once};
    use std::pin::pin;

    fn locked() -> LoomArc<RwLock<Tracked>> {
        LoomArc::new(RwLock::new(Tracked::new(0)))
    }

    #[test]
    fn writers_exclude_and_readers_share() {
        model(|| {
            let lock = locked();
            let writer = {
                let lock = LoomArc::clone(&lock);
                thread::spawn(move || {
                    let guard = block_on(lock.write());
                    guard.add_one();
                    let guard = RwLockWriteGuard::downgrade(guard);
                    assert_eq!(guard.get(), 1);
                })
            };
            assert!(block_on(lock.read()).get() <= 1);
            writer.join().unwrap();
            assert!(lock.try_write().is_ok());
        });
    }

    /// A writer waits for the reader, and sees that it is done.
    #[test]
    fn the_last_reader_lets_the_writer_in() {
        model(|| {
            let lock = locked();
            let reader = {
                let lock = LoomArc::clone(&lock);
                thread::spawn(move || block_on(lock.read()).get())
            };
            block_on(lock.write()).set(1);
            assert!(reader.join().unwrap() <= 1);
            assert_eq!(block_on(lock.read()).get(), 1);
        });
    }

    /// A writer that gives up lets the readers behind it in.
    #[test]
    fn a_writer_that_gives_up() {
        model(|| {
            let lock = locked();
            let first = block_on(lock.read());
            let writer = {
                let lock = LoomArc::clone(&lock);
                thread::spawn(move || {
                    if let std::task::Poll::Ready(guard) = poll_once(pin!(lock.write())) {
                        guard.set(1);
                    }
                })
            };
            assert_eq!(first.get(), 0);
            drop(first);
            assert!(block_on(lock.read()).get() <= 1);
            writer.join().unwrap();
            assert!(lock.try_write().is_ok());
        });
    }
}
