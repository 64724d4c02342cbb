//! The guards that borrow their lock.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use crate::sync::guard::guard_impls;
use crate::sync::permits::Permits;

/// A reader's permit, given back when dropped.
pub(super) struct ReadHold<'a>(pub(super) &'a Permits);

impl Drop for ReadHold<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.release(1);
    }
}

/// A writer's permits, given back when dropped.
pub(super) struct Hold<'a> {
    permits: &'a Permits,
    count: u32,
}

impl<'a> Hold<'a> {
    pub(super) fn new(permits: &'a Permits, count: u32) -> Self {
        Self { permits, count }
    }

    /// Gives all back but one.
    fn keep_one(self) -> ReadHold<'a> {
        let all = ManuallyDrop::new(self);
        // Made first: it is given back also if a waker panics in the release.
        let one = ReadHold(all.permits);
        all.permits.release(all.count as usize - 1);
        one
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.permits.release(self.count as usize);
    }
}

/// Shares an [`RwLock`](super::RwLock) with other readers; unlocks when dropped.
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the lock is given back at once"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    pub(super) hold: ReadHold<'a>,
    pub(super) data: *const T,
    pub(super) _borrows: PhantomData<&'a T>,
}

/// Holds an [`RwLock`](super::RwLock) alone; unlocks when dropped.
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the lock is given back at once"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    pub(super) hold: Hold<'a>,
    pub(super) data: *mut T,
    pub(super) _borrows: PhantomData<&'a mut T>,
}

/// Holds an [`RwLock`](super::RwLock) alone and shows a part of its value. Made by
/// [`RwLockWriteGuard::map`].
#[clippy::has_significant_drop]
#[must_use = "dropped at once, the lock is given back at once"]
pub struct RwLockMappedWriteGuard<'a, T: ?Sized> {
    hold: Hold<'a>,
    data: *mut T,
    _borrows: PhantomData<&'a mut T>,
}

// SAFETY: a reader's guard is as good as `&T`.
unsafe impl<T: ?Sized + Sync> Send for RwLockReadGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLockReadGuard<'_, T> {}
// SAFETY: a writer's guard is as good as `&mut T`; downgraded, as `&T`.
unsafe impl<T: ?Sized + Send + Sync> Send for RwLockWriteGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLockWriteGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Send for RwLockMappedWriteGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLockMappedWriteGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    fn data(&self) -> *const T {
        self.data
    }

    /// A guard of the part of the value that `f` returns.
    ///
    /// An associated function, so that it hides no method of the value.
    pub fn map<F, U: ?Sized>(this: Self, f: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = f(&*this);
        reader(this.hold, data)
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<F, U: ?Sized>(this: Self, f: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        match f(&*this).map(|part| part as *const U) {
            Some(data) => Ok(reader(this.hold, data)),
            None => Err(this),
        }
    }
}

fn reader<'a, U: ?Sized>(hold: ReadHold<'a>, data: *const U) -> RwLockReadGuard<'a, U> {
    RwLockReadGuard {
        hold,
        data,
        _borrows: PhantomData,
    }
}

fn mapped<'a, U: ?Sized>(hold: Hold<'a>, data: *mut U) -> RwLockMappedWriteGuard<'a, U> {
    RwLockMappedWriteGuard {
        hold,
        data,
        _borrows: PhantomData,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    fn data(&self) -> *mut T {
        self.data
    }

    /// A guard of the part of the value that `f` returns.
    ///
    /// An associated function, so that it hides no method of the value.
    pub fn map<F, U: ?Sized>(mut this: Self, f: F) -> RwLockMappedWriteGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = f(&mut *this);
        mapped(this.hold, data)
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<F, U: ?Sized>(
        mut this: Self,
        f: F,
    ) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match f(&mut *this).map(|part| part as *mut U) {
            Some(data) => Ok(mapped(this.hold, data)),
            None => Err(this),
        }
    }

    /// [`map`](Self::map) and [`downgrade`](Self::downgrade) in one step.
    pub fn downgrade_map<F, U: ?Sized>(this: Self, f: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let data: *const U = f(&*this);
        reader(this.hold.keep_one(), data)
    }

    /// [`try_map`](Self::try_map) and [`downgrade`](Self::downgrade) in one step.
    ///
    /// # Errors
    ///
    /// The guard, not downgraded, comes back if `f` returns `None`.
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, f: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        match f(&*this).map(|part| part as *const U) {
            Some(data) => Ok(reader(this.hold.keep_one(), data)),
            None => Err(this),
        }
    }

    /// The same guard as a mapped one, to be stored where others are.
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        mapped(this.hold, this.data)
    }

    /// Lets other readers in without letting a writer in between.
    ///
    /// ```
    /// use heist::sync::RwLock;
    ///
    /// let lock = RwLock::new(1);
    /// let mut writer = lock.try_write().unwrap();
    /// *writer = 2;
    /// let reader = writer.downgrade();
    /// assert_eq!((*reader, *lock.try_read().unwrap()), (2, 2));
    /// ```
    pub fn downgrade(self) -> RwLockReadGuard<'a, T> {
        reader(self.hold.keep_one(), self.data)
    }
}

impl<'a, T: ?Sized> RwLockMappedWriteGuard<'a, T> {
    fn data(&self) -> *mut T {
        self.data
    }

    /// A guard of the part of the part that `f` returns.
    pub fn map<F, U: ?Sized>(mut this: Self, f: F) -> RwLockMappedWriteGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let data: *mut U = f(&mut *this);
        mapped(this.hold, data)
    }

    /// As [`map`](Self::map), if `f` returns a part.
    ///
    /// # Errors
    ///
    /// The guard comes back if `f` returns `None`.
    pub fn try_map<F, U: ?Sized>(
        mut this: Self,
        f: F,
    ) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match f(&mut *this).map(|part| part as *mut U) {
            Some(data) => Ok(mapped(this.hold, data)),
            None => Err(this),
        }
    }
}

guard_impls!([T: ?Sized] RwLockReadGuard<'_, T> => T);
guard_impls!(mut [T: ?Sized] RwLockWriteGuard<'_, T> => T);
guard_impls!(mut [T: ?Sized] RwLockMappedWriteGuard<'_, T> => T);
