//! A value that is set once and waited for.
//!
//! **What.** The [value](super::once_value), a flag for the right to write it, and a [`Notify`].
//!
//! **Rules.**
//! * X1. Who sets `claimed` writes the value; nobody else does.
//! * X2. Who waits makes its [`Notify`] future before it looks; who sets tells all after the value is
//!   there.
//!
//! **Orderings.** None of its own: the value brings its own, and `claimed` only picks the winner.
//!
//! **Tested by** `loom_tests`.

use std::fmt;

use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::thread;
use crate::sync::Notify;
use crate::sync::once_value::{OnceValue, once_impls};

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
    claimed: AtomicBool,
    value: OnceValue<T>,
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

impl<T> SetOnce<T> {
    /// An empty cell.
    pub fn new() -> Self {
        Self {
            claimed: AtomicBool::new(false),
            value: OnceValue::new(None),
            set: Notify::new(),
        }
    }

    /// As [`new`](Self::new), in constants and statics.
    #[cfg(not(all(test, heist_loom)))]
    pub const fn const_new() -> Self {
        Self {
            claimed: AtomicBool::new(false),
            value: OnceValue::const_empty(),
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
            claimed: AtomicBool::new(true),
            value: OnceValue::const_with(value),
            set: Notify::const_new(),
        }
    }

    /// True if the cell is set.
    pub fn initialized(&self) -> bool {
        self.value.is_set()
    }

    /// The value, if it is set.
    pub fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// Sets the value and wakes all who wait for it.
    ///
    /// # Errors
    ///
    /// The value comes back if the cell was set before.
    pub fn set(&self, value: T) -> Result<(), SetOnceError<T>> {
        // Ordering: none; the winner is the only one to write.
        if self.claimed.swap(true, Relaxed) {
            // Who is told "set before" may rely on `get`. The other is between two lines.
            while !self.initialized() {
                thread::yield_now();
            }
            return Err(SetOnceError(value));
        }
        // SAFETY: X1.
        unsafe { self.value.write(value) };
        self.set.notify_waiters();
        Ok(())
    }

    /// The value, out of the cell.
    pub fn into_inner(mut self) -> Option<T> {
        self.value.take()
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

once_impls!(SetOnce);

impl<T> From<T> for SetOnce<T> {
    fn from(value: T) -> Self {
        Self {
            claimed: AtomicBool::new(true),
            value: OnceValue::new(Some(value)),
            set: Notify::new(),
        }
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
    use crate::sync::loom_support::{Tracked, model, poll_once};
    use std::pin::pin;
    use std::task::Poll;

    fn cell() -> Arc<SetOnce<Tracked>> {
        Arc::new(SetOnce::new())
    }

    #[test]
    fn two_set_and_one_waits() {
        model(|| {
            let cell = cell();
            let setters: Vec<_> = (0..2)
                .map(|i| {
                    let cell = Arc::clone(&cell);
                    thread::spawn(move || {
                        let won = cell.set(Tracked::new(i)).is_ok();
                        assert!(cell.get().is_some_and(|value| value.get() < 2));
                        won
                    })
                })
                .collect();
            assert!(block_on(cell.wait()).get() < 2);
            let won = setters.into_iter().filter_map(|t| t.join().ok());
            assert_eq!(won.filter(|won| *won).count(), 1);
        });
    }

    /// Who gives up waiting while the value comes can still have it.
    #[test]
    fn giving_up_against_set() {
        model(|| {
            let cell = cell();
            let setter = {
                let cell = Arc::clone(&cell);
                thread::spawn(move || assert!(cell.set(Tracked::new(1)).is_ok()))
            };
            if let Poll::Ready(value) = poll_once(pin!(cell.wait())) {
                assert_eq!(value.get(), 1);
            }
            assert_eq!(block_on(cell.wait()).get(), 1);
            setter.join().unwrap();
        });
    }
}
