//! A value that is set once and waited for.
//!
//! **Rules.**
//! * X1. The value is written once, by whoever moved the state from `EMPTY` to `WRITING`, before it
//!   moves on to `SET`; from then on it is only read.
//! * X2. Who waits makes its [`Notify`] future before it looks; who sets tells all after `SET`.
//!
//! **Orderings.** `SET` is stored with release and read with acquire: the value.
//!
//! **Tested by** `loom_tests`.

use std::fmt;
use std::mem::MaybeUninit;

use crate::loom::sync::atomic::AtomicU8;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::loom::thread;
use crate::sync::{Notify, UnsafeValueCell};

const EMPTY: u8 = 0;
const WRITING: u8 = 1;
const SET: u8 = 2;

/// A cell that is set once and that any number of tasks can wait for.
///
/// Unlike a [`OnceCell`](crate::sync::OnceCell), which the first to ask fills, this one is filled
/// by whoever has the value, and the others [`wait`](Self::wait).
///
/// ```
/// use heist::sync::SetOnce;
///
/// static ADDRESS: SetOnce<&str> = SetOnce::const_new();
///
/// # futures::executor::block_on(async {
/// std::thread::spawn(|| ADDRESS.set("127.0.0.1:80").unwrap());
/// assert_eq!(*ADDRESS.wait().await, "127.0.0.1:80");
/// # });
/// ```
pub struct SetOnce<T> {
    state: AtomicU8,
    value: UnsafeValueCell<MaybeUninit<T>>,
    set: Notify,
}

/// The cell was set already; here is the value back. From [`SetOnce::set`].
#[derive(Debug, PartialEq, Eq)]
pub struct SetOnceError<T>(pub T);

impl<T> fmt::Display for SetOnceError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetOnceError")
    }
}

impl<T: fmt::Debug> std::error::Error for SetOnceError<T> {}

// SAFETY: X1 — shared, it gives `&T` to all threads, and takes a `T` of one to be dropped by another.
unsafe impl<T: Send + Sync> Sync for SetOnce<T> {}
// SAFETY: it owns its value.
unsafe impl<T: Send> Send for SetOnce<T> {}

impl<T> SetOnce<T> {
    /// An empty cell.
    pub fn new() -> Self {
        Self {
            state: AtomicU8::new(EMPTY),
            value: UnsafeValueCell::new(MaybeUninit::uninit()),
            set: Notify::new(),
        }
    }

    /// As [`new`](Self::new), in constants and statics.
    #[cfg(not(all(test, heist_loom)))]
    pub const fn const_new() -> Self {
        Self {
            state: AtomicU8::new(EMPTY),
            value: UnsafeValueCell::new(MaybeUninit::uninit()),
            set: Notify::const_new(),
        }
    }

    /// A cell with `value` in it, or an empty one.
    pub fn new_with(value: Option<T>) -> Self {
        match value {
            Some(value) => Self::from(value),
            None => Self::new(),
        }
    }

    /// A cell with `value` in it, in constants and statics.
    #[cfg(not(all(test, heist_loom)))]
    pub const fn const_new_with(value: T) -> Self {
        Self {
            state: AtomicU8::new(SET),
            value: UnsafeValueCell::new(MaybeUninit::new(value)),
            set: Notify::const_new(),
        }
    }

    /// True if the cell is set.
    pub fn initialized(&self) -> bool {
        // Ordering: pairs with the release in `set`.
        self.state.load(Acquire) == SET
    }

    /// The value, if it is set.
    pub fn get(&self) -> Option<&T> {
        self.initialized().then(|| {
            // SAFETY: X1 — set: written, and only read from now on.
            unsafe { (*self.value.get()).assume_init_ref() }
        })
    }

    /// Sets the value and wakes all who wait for it.
    ///
    /// # Errors
    ///
    /// The value comes back if the cell was set before.
    pub fn set(&self, value: T) -> Result<(), SetOnceError<T>> {
        // Ordering: none; the winner is the only one to write.
        if self
            .state
            .compare_exchange(EMPTY, WRITING, Relaxed, Relaxed)
            .is_err()
        {
            // Who is told "set before" may rely on `get`. The other is between two lines.
            while !self.initialized() {
                thread::yield_now();
            }
            return Err(SetOnceError(value));
        }
        // SAFETY: X1 — we moved the state to WRITING.
        unsafe { (*self.value.get()).write(value) };
        // Ordering: pairs with the acquire in `initialized`.
        self.state.store(SET, Release);
        self.set.notify_waiters();
        Ok(())
    }

    /// The value, out of the cell.
    pub fn into_inner(self) -> Option<T> {
        if self.state.load(Relaxed) != SET {
            return None;
        }
        // So that the drop leaves the value to us.
        self.state.store(EMPTY, Relaxed);
        // SAFETY: X1 — it was set, and we have the cell alone.
        Some(unsafe { (*self.value.get()).assume_init_read() })
    }

    /// Waits until the value is set.
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
    /// use heist::sync::SetOnce;
    /// use std::sync::Arc;
    ///
    /// let config = Arc::new(SetOnce::new());
    /// let reader = config.clone();
    /// let task = heist::spawn(async move { *reader.wait().await });
    /// config.set(7).unwrap();
    /// assert_eq!(task.await.unwrap(), 7);
    /// # }
    /// ```
    pub async fn wait(&self) -> &T {
        loop {
            // X2: before the look.
            let set = self.set.notified();
            if let Some(value) = self.get() {
                return value;
            }
            set.await;
        }
    }
}

impl<T> Drop for SetOnce<T> {
    fn drop(&mut self) {
        if self.state.load(Relaxed) == SET {
            // SAFETY: X1 — set, and we have the cell alone.
            unsafe { self.value.get_mut().assume_init_drop() };
        }
    }
}

impl<T> Default for SetOnce<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for SetOnce<T> {
    fn from(value: T) -> Self {
        Self {
            state: AtomicU8::new(SET),
            value: UnsafeValueCell::new(MaybeUninit::new(value)),
            set: Notify::new(),
        }
    }
}

impl<T: Clone> Clone for SetOnce<T> {
    fn clone(&self) -> Self {
        Self::new_with(self.get().cloned())
    }
}

impl<T: PartialEq> PartialEq for SetOnce<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for SetOnce<T> {}

impl<T: fmt::Debug> fmt::Debug for SetOnce<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetOnce")
            .field("value", &self.get())
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use std::sync::Arc;

    #[test]
    fn set_wait_and_take() {
        let cell = Arc::new(SetOnce::<Arc<i32>>::new());
        assert_eq!(cell.get(), None);
        let waiting: Vec<_> = (0..3)
            .map(|_| {
                let cell = Arc::clone(&cell);
                std::thread::spawn(move || block_on(cell.wait()).clone())
            })
            .collect();
        let value = Arc::new(5);
        cell.set(Arc::clone(&value)).unwrap();
        assert_eq!(cell.set(Arc::new(6)), Err(SetOnceError(Arc::new(6))));
        for thread in waiting {
            assert_eq!(*thread.join().unwrap(), 5);
        }
        assert_eq!((*cell).clone(), *cell);
        let cell = Arc::into_inner(cell).unwrap();
        assert_eq!(cell.into_inner(), Some(Arc::clone(&value)));
        assert_eq!(Arc::strong_count(&value), 1);
        drop(SetOnce::from(Arc::clone(&value)));
        assert_eq!(Arc::strong_count(&value), 1);
        assert_eq!(SetOnce::const_new_with(1), SetOnce::new_with(Some(1)));
        assert_eq!(SetOnce::<u8>::new().into_inner(), None);
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::sync::Arc;

    #[test]
    fn two_set_and_one_waits() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let cell = Arc::new(SetOnce::new());
            let setters: Vec<_> = (0..2)
                .map(|i| {
                    let cell = Arc::clone(&cell);
                    thread::spawn(move || {
                        let won = cell.set(Arc::new(i)).is_ok();
                        assert!(cell.get().is_some());
                        won
                    })
                })
                .collect();
            assert!(**block_on(cell.wait()) < 2);
            let won = setters.into_iter().filter_map(|t| t.join().ok());
            assert_eq!(won.filter(|won| *won).count(), 1);
        });
    }
}
