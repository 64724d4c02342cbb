//! The handles: [`JoinHandle`] waits for a task, [`AbortHandle`] only cancels it.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use crate::engine::base::budget;
use crate::engine::task::state::{DropJoin, Last};
use crate::engine::task::{Id, JoinError, Task};

/// Waits for a task, and gives its output.
///
/// Made by [`spawn`](crate::spawn) and its kin. Awaiting it gives `Ok` with the task's output, or a
/// [`JoinError`] if the task panicked or was cancelled.
///
/// Dropping the handle detaches the task: it goes on, and nobody can wait for it any more.
///
/// # Cancel safety
///
/// `&mut JoinHandle` is cancel safe: used in a `select!` branch that does not complete, nothing is
/// lost, and it can be awaited again.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// let task = heist::spawn(async { 6 * 7 });
/// assert_eq!(task.await.unwrap(), 42);
/// # }
/// ```
pub struct JoinHandle<T> {
    task: Task,
    _output: PhantomData<T>,
}

// SAFETY: the handle is a counted claim on a cell whose shared parts are atomics; what it moves
// between threads is the output.
unsafe impl<T: Send> Send for JoinHandle<T> {}
// SAFETY: as above; `&JoinHandle` gives no access to the output.
unsafe impl<T: Send> Sync for JoinHandle<T> {}

impl<T> UnwindSafe for JoinHandle<T> {}
impl<T> RefUnwindSafe for JoinHandle<T> {}
impl<T> Unpin for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    /// # Safety
    ///
    /// `task` has `JOIN_INTEREST` set for this very handle, and its output is a `T`.
    pub(super) unsafe fn new(task: Task) -> Self {
        Self {
            task,
            _output: PhantomData,
        }
    }

    /// Asks the task to end at its next `.await`.
    ///
    /// Awaiting the handle afterwards gives a [cancelled](JoinError::is_cancelled) error, unless the
    /// task had completed already. A task from [`spawn_blocking`](crate::task::spawn_blocking) that
    /// has begun cannot be aborted.
    pub fn abort(&self) {
        self.task.abort();
    }

    /// True once the task has ended, by whatever way.
    pub fn is_finished(&self) -> bool {
        self.task.header().state.is_complete()
    }

    /// A handle that can abort the task and no more.
    #[must_use = "an abort handle does nothing by itself"]
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle::new(self.task)
    }

    /// The task's [`Id`].
    pub fn id(&self) -> Id {
        self.task.header().id
    }

    /// As [`register`](Self::register), of a handle that was not polled yet, and without a clone.
    pub(crate) fn register_first(&self, waker: Waker) -> bool {
        let state = &self.task.header().state;
        // SAFETY: the handle keeps the cell alive.
        let field = &unsafe { super::header::Header::trailer(self.task.0) }.join_waker;
        // SAFETY: T6 — unset.
        let old = field.with_mut(|field| unsafe { (*field).replace(waker) });
        debug_assert!(old.is_none());
        if state.set_join_waker() {
            return true;
        }
        // SAFETY: T8 — completed before, so the waker is still ours.
        drop(field.with_mut(|field| unsafe { (*field).take() }));
        false
    }

    /// The output, if the task has ended.
    ///
    /// # Panics
    ///
    /// If it was taken before.
    pub(crate) fn try_take(&mut self) -> Option<Result<T, JoinError>> {
        self.is_finished().then(|| self.take_output())
    }

    /// The output of a complete task.
    fn take_output(&mut self) -> Result<T, JoinError> {
        let header = self.task.header();
        assert!(header.state.is_complete());
        let mut output = MaybeUninit::<Result<T, JoinError>>::uninit();
        // SAFETY: T5 — complete, and we are the handle; the output is a `T`.
        unsafe { (header.vtable.take_output)(self.task.0, output.as_mut_ptr().cast()) };
        // SAFETY: `take_output` wrote it.
        unsafe { output.assume_init() }
    }

    /// Makes sure that `waker` is woken at completion; false if that has happened.
    fn register(&self, waker: &Waker) -> bool {
        let state = &self.task.header().state;
        // SAFETY: the handle keeps the cell alive.
        let field = &unsafe { super::header::Header::trailer(self.task.0) }.join_waker;
        // Dropped last, when the state is right again: it is the user's, and may panic.
        let mut _old = None;
        if state.has_join_waker() {
            // Set, so nobody's to touch (T6): take it back first, unless the completer has it.
            if !state.unset_join_waker() {
                return false;
            }
            // SAFETY: T6 — unset.
            let same = field
                .with(|field| unsafe { (*field).as_ref() }.is_some_and(|w| w.will_wake(waker)));
            if !same {
                let new = waker.clone();
                // SAFETY: T6 — unset.
                _old = field.with_mut(|field| unsafe { (*field).replace(new) });
            }
        } else {
            let new = waker.clone();
            // SAFETY: T6 — unset.
            _old = field.with_mut(|field| unsafe { (*field).replace(new) });
        }
        if state.set_join_waker() {
            return true;
        }
        // Completed before: the waker is still ours (T8).
        // SAFETY: T8.
        drop(field.with_mut(|field| unsafe { (*field).take() }));
        false
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let coop = ready!(budget::poll_proceed(cx));
        let header = self.task.header();
        if !header.state.is_complete() && self.register(cx.waker()) {
            return Poll::Pending;
        }
        coop.made_progress();
        Poll::Ready(self.take_output())
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        let header = self.task.header();
        // Dropped last: it is the user's, and may panic.
        let mut _waker = None;
        loop {
            match header.state.drop_join() {
                DropJoin::Done => return,
                DropJoin::DropWaker => {
                    // SAFETY: the handle keeps the cell alive.
                    let field = &unsafe { super::header::Header::trailer(self.task.0) }.join_waker;
                    // SAFETY: T6 — unset.
                    _waker = field.with_mut(|field| unsafe { (*field).take() });
                }
                DropJoin::DropOutput => {
                    // SAFETY: T5 — complete, and we are the handle.
                    unsafe { (header.vtable.drop_output)(self.task.0) };
                    if header.state.release_join() == Last::Free {
                        // SAFETY: T10.
                        unsafe { super::free(self.task.0) };
                    }
                    return;
                }
            }
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle")
            .field("id", &self.id())
            .finish()
    }
}

/// Cancels a task, without the right to its output.
///
/// Made by [`JoinHandle::abort_handle`]; unlike a `JoinHandle` it can be cloned.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// let task = heist::spawn(std::future::pending::<()>());
/// let stop = task.abort_handle();
/// stop.abort();
/// assert!(task.await.unwrap_err().is_cancelled());
/// assert!(stop.is_finished());
/// # }
/// ```
pub struct AbortHandle {
    task: Task,
}

// SAFETY: a counted reference to a cell of which it touches atomics and constants only.
unsafe impl Send for AbortHandle {}
// SAFETY: as above.
unsafe impl Sync for AbortHandle {}

impl UnwindSafe for AbortHandle {}
impl RefUnwindSafe for AbortHandle {}

impl AbortHandle {
    fn new(task: Task) -> Self {
        task.header().state.ref_inc();
        Self { task }
    }

    /// Asks the task to end at its next `.await`; see [`JoinHandle::abort`].
    pub fn abort(&self) {
        self.task.abort();
    }

    /// True once the task has ended, by whatever way.
    pub fn is_finished(&self) -> bool {
        self.task.header().state.is_complete()
    }

    /// The task's [`Id`].
    pub fn id(&self) -> Id {
        self.task.header().id
    }
}

impl Clone for AbortHandle {
    fn clone(&self) -> Self {
        Self::new(self.task)
    }
}

impl Drop for AbortHandle {
    fn drop(&mut self) {
        if self.task.header().state.ref_dec() == Last::Free {
            // SAFETY: T10.
            unsafe { super::free(self.task.0) };
        }
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle")
            .field("id", &self.id())
            .finish()
    }
}
