//! The cooperative budget: how many operations a task may do before it must give up its turn.
//!
//! The scheduler gives each poll [`Budget::initial`]. Every resource of ours calls
//! [`poll_proceed`] before it does its work: with budget left it takes one unit and goes on; with
//! none it asks for another turn and returns `Pending`, although it might be ready. Code that runs
//! outside a task is unconstrained. A task that is run from the next-task slot goes on with what its
//! predecessor left, so that two tasks that wake each other cannot hold a worker.

use std::cell::Cell;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::engine::base::current;

/// Operations left in this poll; `None` is without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(Option<u8>);

impl Budget {
    /// What a task gets when the scheduler switches to it.
    pub(crate) const fn initial() -> Self {
        Self(Some(128))
    }

    pub(crate) const fn unconstrained() -> Self {
        Self(None)
    }

    #[inline(always)]
    pub(crate) fn has_remaining(self) -> bool {
        self.0 != Some(0)
    }

    pub(crate) fn is_unconstrained(self) -> bool {
        self.0.is_none()
    }
}

/// Replaces the thread's budget and returns the one before.
#[inline(always)]
pub(crate) fn replace(budget: Budget) -> Budget {
    current::with(|c| c.budget.replace(budget))
}

/// Puts the budget found at its making back when dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct BudgetScope {
    outer: Budget,
    _thread_bound: PhantomData<*const ()>,
}

impl BudgetScope {
    /// Gives the thread `budget` until the scope ends.
    #[inline]
    pub(crate) fn enter(budget: Budget) -> Self {
        Self {
            outer: replace(budget),
            _thread_bound: PhantomData,
        }
    }
}

impl Drop for BudgetScope {
    #[inline]
    fn drop(&mut self) {
        replace(self.outer);
    }
}

/// True while the running task has budget left; always outside a task.
#[inline]
pub(crate) fn has_budget_remaining() -> bool {
    current::with(|c| c.budget.get().has_remaining())
}

/// Takes one unit of budget.
///
/// `Pending` means that the budget is spent and another turn was asked for. The unit is given back
/// when the returned value is dropped, unless [`RestoreOnPending::made_progress`] was called.
#[inline]
pub(crate) fn poll_proceed(cx: &mut Context<'_>) -> Poll<RestoreOnPending> {
    let taken = current::with(|c| match c.budget.get().0 {
        None => Some(Budget::unconstrained()),
        Some(0) => None,
        Some(n) => {
            c.budget.set(Budget(Some(n - 1)));
            Some(Budget(Some(n)))
        }
    });
    match taken {
        Some(before) => Poll::Ready(RestoreOnPending(Cell::new(before), PhantomData)),
        None => {
            give_up_turn(cx);
            Poll::Pending
        }
    }
}

/// Takes one unit of budget for what is done already. The caller has seen that there is one.
#[inline]
pub(crate) fn spend() {
    current::with(|c| {
        if let Some(n) = c.budget.get().0 {
            c.budget.set(Budget(Some(n - 1)));
        }
    });
}

/// The budget is spent: asks for another turn.
#[cold]
pub(crate) fn give_up_turn(cx: &mut Context<'_>) {
    // One turn is given up, however many of its futures find that the budget is spent.
    current::with(|c| c.forced_yield.set(true));
    current::yield_turn(cx);
}

/// Whether this thread has sent a task away because its budget was spent, since the last call.
#[inline]
pub(crate) fn take_forced_yield() -> bool {
    // Mostly false: a look costs less than a store.
    current::with(|c| c.forced_yield.get() && c.forced_yield.replace(false))
}

/// A unit of budget that goes back if nothing came of it.
///
/// Returned by [`poll_proceed`](crate::task::coop::poll_proceed). Call
/// [`made_progress`](Self::made_progress) when the operation succeeded; otherwise dropping it
/// restores the budget, as waiting is not work.
#[derive(Debug)]
#[must_use]
pub struct RestoreOnPending(Cell<Budget>, PhantomData<*const ()>);

impl RestoreOnPending {
    /// Says that the operation got somewhere: the unit of budget stays spent.
    #[inline]
    pub fn made_progress(&self) {
        self.0.set(Budget::unconstrained());
    }
}

impl Drop for RestoreOnPending {
    #[inline]
    fn drop(&mut self) {
        let before = self.0.get();
        if !before.is_unconstrained() {
            replace(before);
        }
    }
}

pin_project! {
    /// A future that spends budget; see [`cooperative`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Coop<F: Future> {
        #[pin]
        fut: F,
    }
}

/// Makes a future that knows nothing of the budget take part in it: each time it is ready costs one
/// unit, and it is not polled when there is none.
///
/// # Cancel safety
///
/// That of `fut`: it is not polled when the budget is spent, and so loses nothing.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// use heist::task::coop::cooperative;
///
/// // A future that is always ready would never let others have their turn.
/// for _ in 0..1000 {
///     cooperative(std::future::ready(())).await;
/// }
/// # }
/// ```
pub fn cooperative<F: Future>(fut: F) -> Coop<F> {
    Coop { fut }
}

impl<F: Future> Future for Coop<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let unit = ready!(poll_proceed(cx));
        let output = ready!(self.project().fut.poll(cx));
        unit.made_progress();
        Poll::Ready(output)
    }
}
