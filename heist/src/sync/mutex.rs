//! A lock that is waited for asynchronously.
//!
//! **What.** A [`Permits`] of one, and the value. Holding the permit is holding the lock; fairness,
//! cancellation and orderings are those of [`permits`](crate::sync::permits).
//!
//! **Rules.**
//! * M1. The value is touched only through a guard, and a guard has the permit. Mapping a guard moves
//!   the permit along.
//! * M2. The permits are never closed, so acquiring never fails.
//!
//! **Tested by** the models of `permits`, and `loom_tests` below.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use crate::engine::base::{current, parker};
use crate::sync::guard::guard_impls;
use crate::sync::permits::Permits;
use crate::sync::{StdArc as Arc, UnsafeValueCell};

/// M2. Said where the permits are awaited: a function for it would be a future around theirs.
const NEVER_CLOSED: &str = "a mutex is never closed";

/// A lock whose [`lock`](Self::lock) waits without blocking the thread.
///
/// Its guard may be held across an `.await`, which is what it is for: a connection that is used for
/// a whole request, say. For plain data that is only looked at and changed, `std`'s `Mutex` is faster
/// and just as good in asynchronous code, as long as its guard is not held across an `.await`.
///
/// The lock is fair: it goes to those who wait in the order in which they came. A panic while it is
/// held does not poison it.
///
/// ```
/// use heist::sync::Mutex;
///
/// # futures::executor::block_on(async {
/// let names = Mutex::new(vec!["Ann"]);
/// names.lock().await.push("Bob");
/// assert_eq!(*names.lock().await, ["Ann", "Bob"]);
/// # });
/// ```
pub struct Mutex<T: ?Sized> {
    permits: Permits,
    value: UnsafeValueCell<T>,
}

/// Holds a [`Mutex`], which is unlocked when this is dropped. The value is reached by `*guard`.
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the mutex is unlocked at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    lock: &'a Mutex<T>,
}

/// Holds a [`Mutex`] in an [`Arc`], without a lifetime.
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the mutex is unlocked at once"]
pub struct OwnedMutexGuard<T: ?Sized> {
    hold: OwnedHold<T>,
}

/// Holds a [`Mutex`] and shows a part of its value. Made by [`MutexGuard::map`].
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the mutex is unlocked at once"]
pub struct MappedMutexGuard<'a, T: ?Sized> {
    permits: &'a Permits,
    data: *mut T,
    _borrows: PhantomData<&'a mut T>,
}

/// Holds a [`Mutex`] in an [`Arc`] and shows a part of its value. Made by [`OwnedMutexGuard::map`].
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the mutex is unlocked at once"]
pub struct OwnedMappedMutexGuard<T: ?Sized, U: ?Sized = T> {
    hold: OwnedHold<T>,
    data: *mut U,
}

/// The mutex is locked. From [`Mutex::try_lock`] and its kin, also those of
/// [`RwLock`](crate::sync::RwLock).
#[derive(Debug)]
pub struct TryLockError(pub(super) ());

impl fmt::Display for TryLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("operation would block")
    }
}

impl std::error::Error for TryLockError {}

// SAFETY: M1 — the lock gives its value to one thread at a time, so that must be `Send`.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
// SAFETY: a shared guard gives `&T`.
unsafe impl<T: ?Sized + Send + Sync> Sync for MutexGuard<'_, T> {}
// SAFETY: a shared guard gives `&T`.
unsafe impl<T: ?Sized + Send + Sync> Sync for OwnedMutexGuard<T> {}
// SAFETY: a shared guard gives `&T`.
unsafe impl<T: ?Sized + Sync> Sync for MappedMutexGuard<'_, T> {}
// SAFETY: a guard is as good as `&mut T`, and unlocking is for any thread.
unsafe impl<T: ?Sized + Send> Send for MappedMutexGuard<'_, T> {}
// SAFETY: a shared guard gives `&U`, and may drop the mutex.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Send + Sync> Sync for OwnedMappedMutexGuard<T, U> {}
// SAFETY: a guard is as good as `&mut U`, and may drop the mutex.
unsafe impl<T: ?Sized + Send, U: ?Sized + Send> Send for OwnedMappedMutexGuard<T, U> {}

impl<T: ?Sized> Mutex<T> {
    /// An unlocked mutex around `value`.
    pub fn new(value: T) -> Self
    where
        T: Sized,
    {
        Self {
            permits: Permits::new(1),
            value: UnsafeValueCell::new(value),
        }
    }

    /// As [`new`](Self::new), in constants and statics.
    ///
    /// ```
    /// use heist::sync::Mutex;
    ///
    /// static COUNT: Mutex<u32> = Mutex::const_new(0);
    /// *COUNT.try_lock().unwrap() += 1;
    /// ```
    #[cfg(not(all(test, heist_loom)))]
    pub const fn const_new(value: T) -> Self
    where
        T: Sized,
    {
        Self {
            permits: Permits::const_new(1),
            value: UnsafeValueCell::new(value),
        }
    }

    /// Waits for the lock.
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
    /// let mutex = heist::sync::Mutex::new(1);
    /// *mutex.lock().await += 1;
    /// assert_eq!(*mutex.lock().await, 2);
    /// # }
    /// ```
    pub async fn lock(&self) -> MutexGuard<'_, T> {
        self.permits.acquire(1).await.expect(NEVER_CLOSED);
        MutexGuard { lock: self }
    }

    /// Blocks this thread until it has the lock, for use outside asynchronous code.
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        current::assert_may_block();
        parker::block_on(self.lock())
    }

    /// As [`blocking_lock`](Self::blocking_lock), with a guard that keeps the mutex alive.
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        current::assert_may_block();
        parker::block_on(self.lock_owned())
    }

    /// As [`lock`](Self::lock), with a guard that keeps the mutex alive and has no lifetime.
    ///
    /// # Cancel safety
    ///
    /// As [`lock`](Self::lock).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::Mutex;
    /// use std::sync::Arc;
    ///
    /// let mutex = Arc::new(Mutex::new(1));
    /// let mut guard = mutex.clone().lock_owned().await;
    /// // It borrows nothing, and can go to another task.
    /// heist::spawn(async move { *guard += 1 }).await.unwrap();
    /// assert_eq!(*mutex.lock().await, 2);
    /// # }
    /// ```
    pub async fn lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        self.permits.acquire(1).await.expect(NEVER_CLOSED);
        OwnedMutexGuard {
            hold: OwnedHold(self),
        }
    }

    /// Takes the lock if nobody has it and nobody waits for it.
    ///
    /// # Errors
    ///
    /// An error if that is not so.
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        match self.permits.try_acquire(1) {
            Ok(()) => Ok(MutexGuard { lock: self }),
            Err(_) => Err(TryLockError(())),
        }
    }

    /// As [`try_lock`](Self::try_lock), with a guard that keeps the mutex alive.
    ///
    /// # Errors
    ///
    /// As [`try_lock`](Self::try_lock).
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        match self.permits.try_acquire(1) {
            Ok(()) => Ok(OwnedMutexGuard {
                hold: OwnedHold(self),
            }),
            Err(_) => Err(TryLockError(())),
        }
    }

    /// The value. No locking is needed: the borrow shows that nobody else has the mutex.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value, out of the mutex.
    pub fn into_inner(self) -> T
    where
        T: Sized,
    {
        self.value.into_inner()
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => debug.field("data", &&*guard),
            Err(_) => debug.field("data", &format_args!("<locked>")),
        };
        debug.finish()
    }
}

/// The permit of an owned guard, given back when dropped.
struct OwnedHold<T: ?Sized>(Arc<Mutex<T>>);

impl<T: ?Sized> Drop for OwnedHold<T> {
    fn drop(&mut self) {
        self.0.permits.release(1);
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn data(&self) -> *mut T {
        self.lock.value.get()
    }

    /// A guard of the part of the value that `f` returns.
    ///
    /// An associated function, so that it hides no method of the value.
    ///
    /// ```
    /// use heist::sync::{Mutex, MutexGuard};
    ///
    /// let mutex = Mutex::new((1, 2));
    /// let mut second = MutexGuard::map(mutex.try_lock().unwrap(), |pair| &mut pair.1);
    /// *second = 7;
    /// drop(second);
    /// assert_eq!(mutex.into_inner(), (1, 7));
    /// ```
    pub fn map<U, F>(mut this: Self, f: F) -> MappedMutexGuard<'a, U>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = f(&mut *this);
        this.mapped(data)
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<U, F>(mut this: Self, f: F) -> Result<MappedMutexGuard<'a, U>, Self>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match f(&mut *this).map(|part| part as *mut U) {
            Some(data) => Ok(this.mapped(data)),
            None => Err(this),
        }
    }

    fn mapped<U: ?Sized>(self, data: *mut U) -> MappedMutexGuard<'a, U> {
        // M1: the permit goes along.
        let this = ManuallyDrop::new(self);
        MappedMutexGuard {
            permits: &this.lock.permits,
            data,
            _borrows: PhantomData,
        }
    }

    /// The mutex that this holds.
    pub fn mutex(this: &Self) -> &'a Mutex<T> {
        this.lock
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.permits.release(1);
    }
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    fn data(&self) -> *mut T {
        self.hold.0.value.get()
    }

    /// A guard of the part of the value that `f` returns.
    pub fn map<U, F>(mut this: Self, f: F) -> OwnedMappedMutexGuard<T, U>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = f(&mut *this);
        OwnedMappedMutexGuard {
            hold: this.hold,
            data,
        }
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<U, F>(mut this: Self, f: F) -> Result<OwnedMappedMutexGuard<T, U>, Self>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match f(&mut *this).map(|part| part as *mut U) {
            Some(data) => Ok(OwnedMappedMutexGuard {
                hold: this.hold,
                data,
            }),
            None => Err(this),
        }
    }

    /// The mutex that this holds.
    pub fn mutex(this: &Self) -> &Arc<Mutex<T>> {
        &this.hold.0
    }
}

impl<'a, T: ?Sized> MappedMutexGuard<'a, T> {
    fn data(&self) -> *mut T {
        self.data
    }

    /// A guard of the part of the part that `f` returns.
    pub fn map<U, F>(mut this: Self, f: F) -> MappedMutexGuard<'a, U>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = f(&mut *this);
        this.mapped(data)
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<U, F>(mut this: Self, f: F) -> Result<MappedMutexGuard<'a, U>, Self>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match f(&mut *this).map(|part| part as *mut U) {
            Some(data) => Ok(this.mapped(data)),
            None => Err(this),
        }
    }

    fn mapped<U: ?Sized>(self, data: *mut U) -> MappedMutexGuard<'a, U> {
        // M1: the permit goes along.
        let this = ManuallyDrop::new(self);
        MappedMutexGuard {
            permits: this.permits,
            data,
            _borrows: PhantomData,
        }
    }
}

impl<T: ?Sized> Drop for MappedMutexGuard<'_, T> {
    fn drop(&mut self) {
        self.permits.release(1);
    }
}

impl<T: ?Sized, U: ?Sized> OwnedMappedMutexGuard<T, U> {
    fn data(&self) -> *mut U {
        self.data
    }

    /// A guard of the part of the part that `f` returns.
    pub fn map<S, F>(mut this: Self, f: F) -> OwnedMappedMutexGuard<T, S>
    where
        S: ?Sized,
        F: FnOnce(&mut U) -> &mut S,
    {
        let data: *mut S = f(&mut *this);
        OwnedMappedMutexGuard {
            hold: this.hold,
            data,
        }
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<S, F>(mut this: Self, f: F) -> Result<OwnedMappedMutexGuard<T, S>, Self>
    where
        S: ?Sized,
        F: FnOnce(&mut U) -> Option<&mut S>,
    {
        match f(&mut *this).map(|part| part as *mut S) {
            Some(data) => Ok(OwnedMappedMutexGuard {
                hold: this.hold,
                data,
            }),
            None => Err(this),
        }
    }
}

guard_impls!(mut [T: ?Sized] MutexGuard<'_, T> => T);
guard_impls!(mut [T: ?Sized] OwnedMutexGuard<T> => T);
guard_impls!(mut [T: ?Sized] MappedMutexGuard<'_, T> => T);
guard_impls!(mut [T: ?Sized, U: ?Sized] OwnedMappedMutexGuard<T, U> => U);

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::parker::block_on;

    #[test]
    fn guards_exclude_map_and_unlock() {
        let mutex = Arc::new(Mutex::new((1, Some(2))));
        let guard = mutex.try_lock().unwrap();
        assert!(mutex.try_lock().is_err());
        assert!(std::ptr::eq(MutexGuard::mutex(&guard), &*mutex));
        assert_eq!(
            format!("{mutex:?} {guard:?}"),
            "Mutex { data: <locked> } (1, Some(2))"
        );
        let mapped = MutexGuard::map(guard, |pair| &mut pair.1);
        let mut mapped = MappedMutexGuard::try_map(mapped, Option::as_mut).unwrap();
        *mapped += 1;
        let mapped = MappedMutexGuard::try_map(mapped, |_| None::<&mut u8>).unwrap_err();
        assert_eq!(format!("{}", MappedMutexGuard::map(mapped, |n| n)), "3");

        let guard = Arc::clone(&mutex).try_lock_owned().unwrap();
        assert!(Arc::clone(&mutex).try_lock_owned().is_err());
        assert!(Arc::ptr_eq(OwnedMutexGuard::mutex(&guard), &mutex));
        let guard = OwnedMutexGuard::try_map(guard, |_| None::<&mut u8>).unwrap_err();
        let mapped = OwnedMutexGuard::map(guard, |pair| &mut pair.1);
        let mut mapped = OwnedMappedMutexGuard::try_map(mapped, Option::as_mut).unwrap();
        *mapped += 1;
        drop(OwnedMappedMutexGuard::map(mapped, |n| n));
        assert_eq!(*block_on(mutex.lock()), (1, Some(4)));
        assert_eq!(Arc::into_inner(mutex).unwrap().into_inner(), (1, Some(4)));
    }

    #[test]
    fn a_panic_in_map_unlocks_and_unsized_values_fit() {
        let mutex: Arc<Mutex<[u8]>> = Arc::new(Mutex::new([1, 2, 3]));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            drop(MutexGuard::map(mutex.try_lock().unwrap(), |_| -> &mut u8 {
                panic!("map")
            }));
        }));
        assert!(result.is_err());
        mutex.blocking_lock()[0] = 9;
        assert_eq!(Arc::clone(&mutex).blocking_lock_owned()[..], [9, 2, 3]);
    }

    #[test]
    fn threads_and_tasks_count_together() {
        let mutex = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..4)
            .map(|i| {
                let mutex = Arc::clone(&mutex);
                std::thread::spawn(move || {
                    for _ in 0..2_000 {
                        if i % 2 == 0 {
                            *mutex.blocking_lock() += 1;
                        } else {
                            *block_on(Arc::clone(&mutex).lock_owned()) += 1;
                        }
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(*mutex.try_lock().unwrap(), 8_000);
    }

    #[test]
    fn guards_go_where_they_should() {
        fn all<T: Send + Sync>() {}
        all::<MutexGuard<'_, u8>>();
        all::<OwnedMutexGuard<u8>>();
        all::<MappedMutexGuard<'_, u8>>();
        all::<OwnedMappedMutexGuard<u8, u16>>();
        fn send_sync<T: Send + Sync>(_: T) {}
        let mutex = Mutex::new(0_u8);
        send_sync(mutex.lock());
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::sync::Arc as LoomArc;
    use crate::loom::thread;
    use crate::sync::testing::{Tracked, model, poll_once};
    use std::pin::pin;

    fn locked() -> LoomArc<Mutex<Tracked>> {
        LoomArc::new(Mutex::new(Tracked::new(0)))
    }

    #[test]
    fn excludes() {
        model(|| {
            let mutex = locked();
            let other = {
                let mutex = LoomArc::clone(&mutex);
                thread::spawn(move || block_on(mutex.lock()).add_one())
            };
            block_on(mutex.lock()).add_one();
            other.join().unwrap();
            assert_eq!(block_on(mutex.lock()).get(), 2);
        });
    }

    /// Who gives up its place, having got the lock or not, keeps nobody else out.
    #[test]
    fn giving_up_against_unlock() {
        model(|| {
            let mutex = locked();
            let guard = block_on(mutex.lock());
            let other = {
                let mutex = LoomArc::clone(&mutex);
                thread::spawn(move || {
                    if let std::task::Poll::Ready(guard) = poll_once(pin!(mutex.lock())) {
                        guard.add_one();
                    }
                    block_on(mutex.lock()).add_one();
                })
            };
            guard.add_one();
            drop(guard);
            block_on(mutex.lock()).add_one();
            other.join().unwrap();
            assert!(mutex.try_lock().unwrap().get() >= 3);
        });
    }

    /// A lock that was had by trying is as good as any.
    #[test]
    fn trying_against_unlock() {
        model(|| {
            let mutex = locked();
            let other = {
                let mutex = LoomArc::clone(&mutex);
                thread::spawn(move || block_on(mutex.lock()).add_one())
            };
            if let Ok(guard) = mutex.try_lock() {
                guard.add_one();
            }
            other.join().unwrap();
            assert!(mutex.try_lock().unwrap().get() >= 1);
        });
    }
}
