//! Values that belong to a task: the type behind [`task_local!`](crate::task_local).
//!
//! **What.** A key is a slot in thread-local storage, empty by default. A scope holds the value
//! itself; around each poll of its future (or its closure, or the future's drop) the value is
//! swapped into the slot, and swapped back after. So the value moves between threads with its
//! task, and scopes nest: the inner scope holds the outer's value while it runs.
//!
//! **Rules.**
//! * K1. The slot is borrowed mutably only for a swap, in which no user code runs; it is borrowed
//!   shared only in [`LocalKey::try_with`], around the user's closure. Hence the only conflict is a
//!   scope entered inside that closure, and this is an error before anything is changed.
//! * K2. Whoever swapped in swaps back, also when the code between unwinds.
//! * K3. A future is dropped with its value in the slot: when it is done, and when the scope is
//!   dropped before. If the slot cannot be had then (K1, or the thread is ending), it is dropped
//!   without.

use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::engine::base::words;

/// A value of which each task has its own; declared by [`task_local!`](crate::task_local).
///
/// There is no value outside a scope, and none in a task spawned from within: who wants to pass it
/// on wraps the new task's future in a [`scope`](Self::scope) too.
///
/// # Examples
///
/// ```
/// heist::task_local! {
///     static DEPTH: u32;
/// }
///
/// #[heist::main]
/// async fn main() {
///     DEPTH
///         .scope(1, async {
///             assert_eq!(DEPTH.get(), 1);
///             DEPTH.scope(2, async { assert_eq!(DEPTH.get(), 2) }).await;
///             assert_eq!(DEPTH.get(), 1);
///
///             let spawned = heist::spawn(async { DEPTH.try_get().is_err() });
///             assert!(spawned.await.unwrap());
///         })
///         .await;
/// }
/// ```
pub struct LocalKey<T: 'static> {
    /// For the macro, which has to write it in a `static`.
    #[doc(hidden)]
    pub inner: std::thread::LocalKey<RefCell<Option<T>>>,
}

impl<T: 'static> LocalKey<T> {
    /// Gives the key `value` for as long as `future` runs.
    ///
    /// The value is dropped with the returned future, after `future` itself, which still finds it
    /// in its drop. To get it back use [`TaskLocalFuture::take_value`].
    ///
    /// # Panics
    ///
    /// The returned future panics when it is polled inside a closure given to
    /// [`with`](Self::with) or [`try_with`](Self::try_with) of the same key, in the destructor of a
    /// thread-local after the key's own storage is gone, or after it is done.
    ///
    /// # Cancel safety
    ///
    /// That of `f`; the value is dropped with it.
    ///
    /// # Examples
    ///
    /// ```
    /// heist::task_local! {
    ///     static NUMBER: u32;
    /// }
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// NUMBER.scope(1, async {
    ///     assert_eq!(NUMBER.get(), 1);
    /// }).await;
    /// # }
    /// ```
    pub fn scope<F>(&'static self, value: T, future: F) -> TaskLocalFuture<T, F>
    where
        F: Future,
    {
        TaskLocalFuture {
            key: self,
            value: Some(value),
            future: Some(future),
            pinned: PhantomPinned,
        }
    }

    /// Gives the key `value` for as long as the closure runs.
    ///
    /// # Panics
    ///
    /// Inside a closure given to [`with`](Self::with) or [`try_with`](Self::try_with) of the same
    /// key, and in the destructor of a thread-local after the key's own storage is gone.
    ///
    /// # Examples
    ///
    /// ```
    /// heist::task_local! {
    ///     static NUMBER: u32;
    /// }
    ///
    /// NUMBER.sync_scope(1, || assert_eq!(NUMBER.get(), 1));
    /// ```
    #[track_caller]
    pub fn sync_scope<F, R>(&'static self, value: T, closure: F) -> R
    where
        F: FnOnce() -> R,
    {
        let mut value = Some(value);
        match self.in_scope(&mut value, closure) {
            Ok(result) => result,
            Err(error) => error.panic(),
        }
    }

    /// Runs `closure` with `value` in the slot.
    #[inline]
    fn in_scope<R>(
        &'static self,
        value: &mut Option<T>,
        closure: impl FnOnce() -> R,
    ) -> Result<R, EnterError> {
        /// K2.
        struct SwapBack<'a, T: 'static> {
            key: &'static LocalKey<T>,
            value: &'a mut Option<T>,
        }

        impl<T: 'static> Drop for SwapBack<'_, T> {
            fn drop(&mut self) {
                // It worked on the way in. Nothing that the closure borrowed is left (K1), and a
                // slot that was alive before the call is alive at its end.
                let swapped = self.key.swap(self.value);
                debug_assert!(swapped.is_ok());
            }
        }

        self.swap(value)?;
        let _swap_back = SwapBack { key: self, value };
        Ok(closure())
    }

    fn swap(&'static self, value: &mut Option<T>) -> Result<(), EnterError> {
        self.inner
            .try_with(|slot| match slot.try_borrow_mut() {
                Ok(mut slot) => {
                    mem::swap(&mut *slot, value);
                    Ok(())
                }
                Err(_) => Err(EnterError::Borrowed),
            })
            .unwrap_or(Err(EnterError::Destroyed))
    }

    /// Runs a closure on the task's value.
    ///
    /// # Panics
    ///
    /// Outside a scope.
    ///
    /// # Examples
    ///
    /// ```
    /// heist::task_local! {
    ///     static NAME: String;
    /// }
    ///
    /// let length = NAME.sync_scope("heist".to_string(), || NAME.with(|name| name.len()));
    /// assert_eq!(length, 5);
    /// ```
    #[track_caller]
    pub fn with<F, R>(&'static self, closure: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        match self.try_with(closure) {
            Ok(result) => result,
            Err(_) => panic!("{}", words::OUT_OF_SCOPE),
        }
    }

    /// Runs a closure on the task's value, if there is one.
    ///
    /// # Errors
    ///
    /// Outside a scope.
    ///
    /// # Examples
    ///
    /// ```
    /// heist::task_local! {
    ///     static NUMBER: u32;
    /// }
    ///
    /// assert!(NUMBER.try_with(|n| n + 1).is_err());
    /// NUMBER.sync_scope(1, || assert_eq!(NUMBER.try_with(|n| n + 1), Ok(2)));
    /// ```
    pub fn try_with<F, R>(&'static self, closure: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        // A slot that is gone has no value: the same as no scope. The borrow cannot fail (K1).
        self.inner
            .try_with(|slot| slot.borrow().as_ref().map(closure))
            .ok()
            .flatten()
            .ok_or(AccessError { _private: () })
    }
}

impl<T: Clone + 'static> LocalKey<T> {
    /// A clone of the task's value.
    ///
    /// # Panics
    ///
    /// Outside a scope.
    #[track_caller]
    pub fn get(&'static self) -> T {
        self.with(T::clone)
    }

    /// A clone of the task's value, if there is one.
    ///
    /// # Errors
    ///
    /// Outside a scope.
    pub fn try_get(&'static self) -> Result<T, AccessError> {
        self.try_with(T::clone)
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("LocalKey { .. }")
    }
}

pin_project! {
    /// A future and the value of a [`LocalKey`] while it runs.
    ///
    /// Made by [`LocalKey::scope`].
    #[must_use = "futures do nothing unless polled"]
    pub struct TaskLocalFuture<T, F>
    where
        T: 'static,
    {
        key: &'static LocalKey<T>,
        // Some, unless it is in the slot or was taken.
        value: Option<T>,
        // None when it is done.
        #[pin]
        future: Option<F>,
        #[pin]
        pinned: PhantomPinned,
    }

    impl<T: 'static, F> PinnedDrop for TaskLocalFuture<T, F> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            let mut future = this.future;
            if mem::needs_drop::<F>() && future.is_some() {
                // K3. An error leaves the future where it is, to be dropped with the fields.
                let _ = this.key.in_scope(this.value, || future.set(None));
            }
        }
    }
}

impl<T, F> TaskLocalFuture<T, F>
where
    T: 'static,
{
    /// Takes the value out, for example after the future is done.
    ///
    /// `None` if it was taken before. A future that is polled after this finds its key without a
    /// value.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::cell::Cell;
    ///
    /// heist::task_local! {
    ///     static COUNT: Cell<u32>;
    /// }
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let counting = COUNT.scope(Cell::new(0), async {
    ///     COUNT.with(|count| count.set(count.get() + 1));
    /// });
    /// heist::pin!(counting);
    /// counting.as_mut().await;
    /// assert_eq!(counting.take_value().unwrap().get(), 1);
    /// # }
    /// ```
    pub fn take_value(self: Pin<&mut Self>) -> Option<T> {
        self.project().value.take()
    }
}

impl<T: 'static, F: Future> Future for TaskLocalFuture<T, F> {
    type Output = F::Output;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut future = this.future;
        let polled = this.key.in_scope(this.value, || {
            let poll = future.as_mut().as_pin_mut()?.poll(cx);
            if poll.is_ready() {
                // K3: here, where it finds the value.
                future.set(None);
            }
            Some(poll)
        });
        match polled {
            Ok(Some(poll)) => poll,
            Ok(None) => panic!("a `TaskLocalFuture` was polled after it was done"),
            Err(error) => error.panic(),
        }
    }
}

impl<T: fmt::Debug + 'static, F> fmt::Debug for TaskLocalFuture<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("TaskLocalFuture");
        match &self.value {
            Some(value) => out.field("value", value),
            None => out.field("value", &format_args!("<missing>")),
        };
        out.finish()
    }
}

/// There is no value: the code runs outside any scope of the key.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct AccessError {
    _private: (),
}

impl fmt::Debug for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessError").finish()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(words::NO_VALUE)
    }
}

impl std::error::Error for AccessError {}

/// Why a scope cannot be entered.
#[derive(Debug)]
enum EnterError {
    Borrowed,
    Destroyed,
}

impl EnterError {
    #[track_caller]
    fn panic(self) -> ! {
        match self {
            Self::Borrowed => panic!("a task-local scope was entered while its value is in use"),
            Self::Destroyed => {
                panic!("a task-local scope was entered while its thread is being torn down")
            }
        }
    }
}
