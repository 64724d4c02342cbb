//! A value that is computed once.
//!
//! **What.** The [value](super::once_value) and a [`Permits`] of one: who has the permit may write.
//!
//! **Rules.**
//! * Q1. Only the holder of the permit writes, and only if it found the value not set while it held it.
//! * Q2. Whoever has written closes the permits: those who wait for the permit find the value.
//!
//! **Orderings.** Those who learn of the value from the closed permits have the closing's release, which
//! comes after the value's.
//!
//! **Tested by** `loom_tests`.

use std::fmt;
use std::future::Future;

use crate::sync::once_value::{OnceValue, once_impls};
use crate::sync::permits::{Permits, Refusal};

/// A cell that is written once, possibly by an asynchronous initialiser.
///
/// Of several tasks that want the value at the same time one computes it and the others wait. If that
/// one fails, panics or is dropped, the next one tries.
///
/// ```
/// use heist::sync::OnceCell;
///
/// static ANSWER: OnceCell<u32> = OnceCell::const_new();
///
/// # futures::executor::block_on(async {
/// assert_eq!(ANSWER.get(), None);
/// assert_eq!(*ANSWER.get_or_init(|| async { 6 * 7 }).await, 42);
/// assert_eq!(ANSWER.get(), Some(&42));
/// # });
/// ```
pub struct OnceCell<T> {
    value: OnceValue<T>,
    permits: Permits,
}

/// Why [`OnceCell::set`] did not write; the value is in it.
#[derive(Debug, PartialEq, Eq)]
pub enum SetError<T> {
    /// The cell has a value.
    AlreadyInitializedError(T),
    /// An initialiser is at work.
    InitializingError(T),
}

impl<T> fmt::Display for SetError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AlreadyInitializedError(_) => "AlreadyInitializedError",
            Self::InitializingError(_) => "InitializingError",
        })
    }
}

impl<T: fmt::Debug> std::error::Error for SetError<T> {}

impl<T> SetError<T> {
    /// True if the cell has a value.
    pub fn is_already_init_err(&self) -> bool {
        matches!(self, Self::AlreadyInitializedError(_))
    }

    /// True if an initialiser is at work.
    pub fn is_initializing_err(&self) -> bool {
        matches!(self, Self::InitializingError(_))
    }
}

/// The right to initialise, given back when dropped.
struct Initializer<'a>(&'a Permits);

impl Drop for Initializer<'_> {
    fn drop(&mut self) {
        self.0.release(1);
    }
}

impl<T> OnceCell<T> {
    /// An empty cell.
    pub fn new() -> Self {
        Self {
            value: OnceValue::new(None),
            permits: Permits::new(1),
        }
    }

    /// As [`new`](Self::new), in constants and statics.
    #[cfg(not(all(test, heist_loom)))]
    pub const fn const_new() -> Self {
        Self {
            value: OnceValue::const_empty(),
            permits: Permits::const_new(1),
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
            value: OnceValue::const_with(value),
            permits: Permits::const_new_closed(),
        }
    }

    /// True if the cell has a value.
    pub fn initialized(&self) -> bool {
        self.value.is_set()
    }

    /// The value, if there is one.
    pub fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// The value to be changed, if there is one.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut()
    }

    /// Writes the value, by the right to do so.
    fn write(&self, value: T, initializer: Initializer<'_>) -> &T {
        // SAFETY: Q1.
        let value = unsafe { self.value.write(value) };
        // Q2. The permit goes back into the closed permits, where it is of no use.
        self.permits.close();
        drop(initializer);
        value
    }

    /// Writes `value` if the cell is empty and nobody is about to fill it.
    ///
    /// # Errors
    ///
    /// The value comes back, with the reason.
    ///
    /// ```
    /// use heist::sync::{OnceCell, SetError};
    ///
    /// let cell = OnceCell::new();
    /// assert_eq!(cell.set(1), Ok(()));
    /// assert_eq!(cell.set(2), Err(SetError::AlreadyInitializedError(2)));
    /// ```
    pub fn set(&self, value: T) -> Result<(), SetError<T>> {
        match self.permits.try_acquire(1) {
            Ok(()) => {
                self.write(value, Initializer(&self.permits));
                Ok(())
            }
            Err(_) if self.initialized() => Err(SetError::AlreadyInitializedError(value)),
            Err(Refusal::Closed) => Err(SetError::AlreadyInitializedError(value)),
            Err(Refusal::TooFew) => Err(SetError::InitializingError(value)),
        }
    }

    /// The value, or the right to write it.
    async fn get_or_right(&self) -> Result<&T, Initializer<'_>> {
        loop {
            if let Some(value) = self.get() {
                return Ok(value);
            }
            if self.permits.acquire(1).await.is_ok() {
                return Err(Initializer(&self.permits));
            }
            // Q2: closed, so the flag is set; this look acquires it from the closing.
            let closed = self.permits.is_closed();
            debug_assert!(closed);
        }
    }

    /// The value; computed by `f` if the cell is empty.
    ///
    /// Of several callers one runs its `f` and the others wait for it.
    ///
    /// # Cancel safety
    ///
    /// A caller that is dropped while its `f` runs lets the next one try.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::OnceCell;
    ///
    /// async fn connect() -> String {
    ///     String::from("a connection")
    /// }
    ///
    /// static CONNECTION: OnceCell<String> = OnceCell::const_new();
    /// assert_eq!(CONNECTION.get_or_init(connect).await, "a connection");
    /// // This one does not connect again.
    /// CONNECTION.get_or_init(connect).await;
    /// # }
    /// ```
    pub async fn get_or_init<F, Fut>(&self, f: F) -> &T
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        match self.get_or_right().await {
            Ok(value) => value,
            Err(right) => {
                let value = f().await;
                self.write(value, right)
            }
        }
    }

    /// The value; computed by `f`, which may fail, if the cell is empty.
    ///
    /// # Errors
    ///
    /// The error of `f`; the cell stays empty, and another caller that waits tries.
    ///
    /// # Cancel safety
    ///
    /// As [`get_or_init`](Self::get_or_init).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let cell = heist::sync::OnceCell::new();
    /// let failed = cell.get_or_try_init(async || Err::<u32, _>("not yet")).await;
    /// assert_eq!(failed, Err("not yet"));
    /// let done = cell.get_or_try_init(async || Ok::<_, &str>(7)).await;
    /// assert_eq!(done, Ok(&7));
    /// # }
    /// ```
    pub async fn get_or_try_init<E, F, Fut>(&self, f: F) -> Result<&T, E>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        match self.get_or_right().await {
            Ok(value) => Ok(value),
            Err(right) => {
                let value = f().await?;
                Ok(self.write(value, right))
            }
        }
    }

    /// The value, out of the cell.
    pub fn into_inner(mut self) -> Option<T> {
        self.take()
    }

    /// Takes the value out and leaves the cell empty.
    pub fn take(&mut self) -> Option<T> {
        std::mem::take(self).value.take()
    }
}

once_impls!(OnceCell);

impl<T> From<T> for OnceCell<T> {
    fn from(value: T) -> Self {
        Self {
            value: OnceValue::new(Some(value)),
            permits: Permits::new_closed(),
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::sync::test_support::noop;
    use std::future::{pending, ready};
    use std::sync::Arc;
    use std::task::Context;

    #[test]
    fn set_once_and_get() {
        let mut cell = OnceCell::new();
        assert_eq!(cell.get(), None);
        assert_eq!(cell.get_mut(), None);
        assert_eq!(cell.take(), None);
        cell.set("a".to_string()).unwrap();
        assert!(cell.set("b".into()).unwrap_err().is_already_init_err());
        assert_eq!(*block_on(cell.get_or_init(pending)), "a");
        cell.get_mut().unwrap().push('c');
        assert_eq!(cell.clone(), cell);
        assert_eq!(cell.take().unwrap(), "ac");
        assert!(!cell.initialized());
        cell.set("again".into()).unwrap();
        assert_eq!(cell.into_inner().unwrap(), "again");
        assert_eq!(OnceCell::from(1), OnceCell::const_new_with(1));
        assert_eq!(OnceCell::<u8>::new_with(None).into_inner(), None);
        assert_eq!(
            OnceCell::from(1).set(2),
            Err(SetError::AlreadyInitializedError(2))
        );
    }

    #[test]
    fn a_failed_or_dropped_initialiser_lets_the_next_try() {
        let cell = OnceCell::new();
        let waker = noop();
        let mut cx = Context::from_waker(&waker);
        let mut first = Box::pin(cell.get_or_init(pending::<u8>));
        assert!(first.as_mut().poll(&mut cx).is_pending());
        assert!(cell.set(1).unwrap_err().is_initializing_err());
        let mut second = Box::pin(cell.get_or_try_init(|| ready(Err("no"))));
        let mut third = Box::pin(cell.get_or_init(|| ready(3)));
        assert!(second.as_mut().poll(&mut cx).is_pending());
        assert!(third.as_mut().poll(&mut cx).is_pending());
        drop(first);
        assert_eq!(
            second.as_mut().poll(&mut cx),
            std::task::Poll::Ready(Err("no"))
        );
        drop(second);
        assert_eq!(third.as_mut().poll(&mut cx), std::task::Poll::Ready(&3));
    }

    #[test]
    fn the_value_is_dropped_once() {
        let value = Arc::new(());
        drop(OnceCell::from(Arc::clone(&value)));
        let mut cell = OnceCell::from(Arc::clone(&value));
        drop(cell.take());
        drop(cell);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::sync::Arc;
    use crate::loom::thread;
    use crate::sync::loom_support::{Tracked, model, poll_once};
    use std::future::{pending, ready};
    use std::pin::pin;

    fn cell() -> Arc<OnceCell<Tracked>> {
        Arc::new(OnceCell::new())
    }

    #[test]
    fn one_initialises_and_both_see() {
        model(|| {
            let cell = cell();
            let other = {
                let cell = Arc::clone(&cell);
                thread::spawn(move || block_on(cell.get_or_init(|| ready(Tracked::new(1)))).get())
            };
            let ours = block_on(cell.get_or_init(|| ready(Tracked::new(2)))).get();
            assert_eq!(ours, other.join().unwrap());
        });
    }

    /// Setting wins, or finds an initialiser at work or done.
    #[test]
    fn setting_against_initialising() {
        model(|| {
            let cell = cell();
            let other = {
                let cell = Arc::clone(&cell);
                thread::spawn(move || cell.set(Tracked::new(1)).is_ok())
            };
            let value = block_on(cell.get_or_init(|| ready(Tracked::new(2)))).get();
            assert_eq!(other.join().unwrap(), value == 1);
        });
    }

    /// A look without waiting sees a whole value or none.
    #[test]
    fn a_look_sees_all_or_nothing() {
        model(|| {
            let cell = cell();
            let other = {
                let cell = Arc::clone(&cell);
                thread::spawn(move || cell.get().map(Tracked::get))
            };
            assert!(cell.set(Tracked::new(1)).is_ok());
            assert!(matches!(other.join().unwrap(), None | Some(1)));
        });
    }

    /// An initialiser that is dropped or fails lets the next one try.
    #[test]
    fn the_next_one_tries() {
        model(|| {
            let cell = cell();
            let other = {
                let cell = Arc::clone(&cell);
                thread::spawn(move || {
                    let _given_up = poll_once(pin!(cell.get_or_init(pending)));
                    let failed = block_on(cell.get_or_try_init(|| ready(Err(()))));
                    failed.map(Tracked::get)
                })
            };
            assert_eq!(
                block_on(cell.get_or_init(|| ready(Tracked::new(1)))).get(),
                1
            );
            assert!(matches!(other.join().unwrap(), Err(()) | Ok(1)));
        });
    }
}
