//! A blocking readers-writer lock without poisoning: `std`'s, and loom's in models.
//!
//! Held for the moment of a look or a change, and by the user's `Ref`.

#[cfg(all(test, heist_loom))]
use ::loom::sync as imp;
#[cfg(not(all(test, heist_loom)))]
use std::sync as imp;

pub(super) type ReadGuard<'a, T> = imp::RwLockReadGuard<'a, T>;

#[derive(Debug)]
pub(super) struct ValueLock<T>(imp::RwLock<T>);

impl<T> ValueLock<T> {
    pub(super) fn new(value: T) -> Self {
        Self(imp::RwLock::new(value))
    }

    pub(super) fn read(&self) -> ReadGuard<'_, T> {
        self.0.read().unwrap_or_else(|poison| poison.into_inner())
    }

    pub(super) fn write(&self) -> imp::RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(|poison| poison.into_inner())
    }
}
