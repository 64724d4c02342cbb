//! The guards that keep their lock alive.

use crate::sync::StdArc as Arc;
use crate::sync::guard::guard_impls;
use crate::sync::rwlock::RwLock;

/// Permits of the lock, given back when dropped.
pub(super) struct OwnedHold<T: ?Sized> {
    lock: Arc<RwLock<T>>,
    count: u32,
}

impl<T: ?Sized> OwnedHold<T> {
    pub(super) fn new(lock: Arc<RwLock<T>>, count: u32) -> Self {
        Self { lock, count }
    }

    /// Gives all back but one.
    fn keep_one(mut self) -> Self {
        let back = self.count - 1;
        self.count = 1;
        self.lock.permits.release(back as usize);
        self
    }
}

impl<T: ?Sized> Drop for OwnedHold<T> {
    fn drop(&mut self) {
        self.lock.permits.release(self.count as usize);
    }
}

/// Shares an [`RwLock`] in an [`Arc`] with other readers, and shows its value or a part of it.
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the lock is given back at once"]
pub struct OwnedRwLockReadGuard<T: ?Sized, U: ?Sized = T> {
    pub(super) hold: OwnedHold<T>,
    pub(super) data: *const U,
}

/// Holds an [`RwLock`] in an [`Arc`] alone.
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the lock is given back at once"]
pub struct OwnedRwLockWriteGuard<T: ?Sized> {
    pub(super) hold: OwnedHold<T>,
    pub(super) data: *mut T,
}

/// Holds an [`RwLock`] in an [`Arc`] alone and shows a part of its value. Made by
/// [`OwnedRwLockWriteGuard::map`].
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the lock is given back at once"]
pub struct OwnedRwLockMappedWriteGuard<T: ?Sized, U: ?Sized = T> {
    hold: OwnedHold<T>,
    data: *mut U,
}

// SAFETY: a reader's guard is as good as `&U`, and may drop the lock with its `T`.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Sync> Send for OwnedRwLockReadGuard<T, U> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync, U: ?Sized + Send + Sync> Sync for OwnedRwLockReadGuard<T, U> {}
// SAFETY: a writer's guard is as good as `&mut T`; downgraded, as `&T`.
unsafe impl<T: ?Sized + Send + Sync> Send for OwnedRwLockWriteGuard<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for OwnedRwLockWriteGuard<T> {}
// SAFETY: as above, for the part.
unsafe impl<T, U> Send for OwnedRwLockMappedWriteGuard<T, U>
where
    T: ?Sized + Send + Sync,
    U: ?Sized + Send + Sync,
{
}
// SAFETY: as above.
unsafe impl<T, U> Sync for OwnedRwLockMappedWriteGuard<T, U>
where
    T: ?Sized + Send + Sync,
    U: ?Sized + Send + Sync,
{
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockReadGuard<T, U> {
    fn data(&self) -> *const U {
        self.data
    }

    /// A guard of the part of the value that `f` returns.
    ///
    /// An associated function, so that it hides no method of the value.
    pub fn map<F, V: ?Sized>(this: Self, f: F) -> OwnedRwLockReadGuard<T, V>
    where
        F: FnOnce(&U) -> &V,
    {
        let data: *const V = f(&*this);
        OwnedRwLockReadGuard {
            hold: this.hold,
            data,
        }
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<F, V: ?Sized>(this: Self, f: F) -> Result<OwnedRwLockReadGuard<T, V>, Self>
    where
        F: FnOnce(&U) -> Option<&V>,
    {
        match f(&*this).map(|part| part as *const V) {
            Some(data) => Ok(OwnedRwLockReadGuard {
                hold: this.hold,
                data,
            }),
            None => Err(this),
        }
    }

    /// The lock that this holds.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        &this.hold.lock
    }
}

impl<T: ?Sized> OwnedRwLockWriteGuard<T> {
    fn data(&self) -> *mut T {
        self.data
    }

    /// A guard of the part of the value that `f` returns.
    ///
    /// An associated function, so that it hides no method of the value.
    pub fn map<F, U: ?Sized>(mut this: Self, f: F) -> OwnedRwLockMappedWriteGuard<T, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = f(&mut *this);
        OwnedRwLockMappedWriteGuard {
            hold: this.hold,
            data,
        }
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<F, U: ?Sized>(
        mut this: Self,
        f: F,
    ) -> Result<OwnedRwLockMappedWriteGuard<T, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match f(&mut *this).map(|part| part as *mut U) {
            Some(data) => Ok(OwnedRwLockMappedWriteGuard {
                hold: this.hold,
                data,
            }),
            None => Err(this),
        }
    }

    /// [`map`](Self::map) and [`downgrade`](Self::downgrade) in one step.
    pub fn downgrade_map<F, U: ?Sized>(this: Self, f: F) -> OwnedRwLockReadGuard<T, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = f(&*this);
        OwnedRwLockReadGuard {
            hold: this.hold.keep_one(),
            data,
        }
    }

    /// [`try_map`](Self::try_map) and [`downgrade`](Self::downgrade) in one step.
    ///
    /// # Errors
    ///
    /// The guard, not downgraded, comes back if `f` returns `None`.
    pub fn try_downgrade_map<F, U: ?Sized>(
        this: Self,
        f: F,
    ) -> Result<OwnedRwLockReadGuard<T, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        match f(&*this).map(|part| part as *const U) {
            Some(data) => Ok(OwnedRwLockReadGuard {
                hold: this.hold.keep_one(),
                data,
            }),
            None => Err(this),
        }
    }

    /// The same guard as a mapped one, to be stored where others are.
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        OwnedRwLockMappedWriteGuard {
            hold: this.hold,
            data: this.data,
        }
    }

    /// Lets other readers in without letting a writer in between.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        OwnedRwLockReadGuard {
            hold: self.hold.keep_one(),
            data: self.data,
        }
    }

    /// The lock that this holds.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        &this.hold.lock
    }
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockMappedWriteGuard<T, U> {
    fn data(&self) -> *mut U {
        self.data
    }

    /// A guard of the part of the part that `f` returns.
    pub fn map<F, V: ?Sized>(mut this: Self, f: F) -> OwnedRwLockMappedWriteGuard<T, V>
    where
        F: FnOnce(&mut U) -> &mut V,
    {
        let data: *mut V = f(&mut *this);
        OwnedRwLockMappedWriteGuard {
            hold: this.hold,
            data,
        }
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<F, V: ?Sized>(
        mut this: Self,
        f: F,
    ) -> Result<OwnedRwLockMappedWriteGuard<T, V>, Self>
    where
        F: FnOnce(&mut U) -> Option<&mut V>,
    {
        match f(&mut *this).map(|part| part as *mut V) {
            Some(data) => Ok(OwnedRwLockMappedWriteGuard {
                hold: this.hold,
                data,
            }),
            None => Err(this),
        }
    }

    /// The lock that this holds.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        &this.hold.lock
    }
}

guard_impls!([T: ?Sized, U: ?Sized] OwnedRwLockReadGuard<T, U> => U);
guard_impls!(mut [T: ?Sized] OwnedRwLockWriteGuard<T> => T);
guard_impls!(mut [T: ?Sized, U: ?Sized] OwnedRwLockMappedWriteGuard<T, U> => U);
