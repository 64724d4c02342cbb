//! Taking part in the cooperative budget.
//!
//! A task that never waits would never let others run. So each poll has a budget of operations; every
//! socket, timer, channel and lock of heist takes one unit for each thing it does, and when none is
//! left returns `Pending` until the task has had another turn. A program rarely has to know. Who
//! writes a resource or a scheduler of their own takes part with the functions here.
//!
//! ```
//! use std::future::poll_fn;
//! use std::task::{Poll, ready};
//! use heist::task::coop;
//!
//! # #[heist::main(flavor = "current_thread")]
//! # async fn main() {
//! // A source that is always ready still lets others run.
//! let mut next = 0u32;
//! for _ in 0..1000 {
//!     let item = poll_fn(|cx| {
//!         let budget = ready!(coop::poll_proceed(cx));
//!         next += 1;
//!         budget.made_progress();
//!         Poll::Ready(next)
//!     });
//!     item.await;
//! }
//! assert_eq!(next, 1000);
//! # }
//! ```

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::engine::base::budget::{self, Budget, BudgetScope};
pub use crate::engine::base::budget::{Coop, RestoreOnPending, cooperative};

/// Takes one unit of budget; `Pending` if there is none, and another turn was asked for.
///
/// The unit is given back when the result is dropped, unless
/// [`made_progress`](RestoreOnPending::made_progress) was called.
#[inline]
pub fn poll_proceed(cx: &mut Context<'_>) -> Poll<RestoreOnPending> {
    budget::poll_proceed(cx)
}

/// True while there is budget left. Outside of a task always.
#[inline]
#[must_use]
pub fn has_budget_remaining() -> bool {
    budget::has_budget_remaining()
}

/// Takes one unit of budget, and yields if there was none. For loops that do not wait.
///
/// # Cancel safety
///
/// Cancel safe: there is nothing to lose.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut sum = 0;
/// for i in 0..10_000u64 {
///     sum += i;
///     heist::task::coop::consume_budget().await;
/// }
/// # assert_eq!(sum, 49_995_000);
/// # }
/// ```
pub async fn consume_budget() {
    std::future::poll_fn(|cx| {
        let budget = ready!(poll_proceed(cx));
        budget.made_progress();
        Poll::Ready(())
    })
    .await;
}

pin_project! {
    /// A future without a budget; see [`unconstrained`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Unconstrained<F> {
        #[pin]
        inner: F,
    }
}

/// Runs `inner` without a budget: its resources never make it yield.
///
/// # Cancel safety
///
/// That of `inner`.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// use heist::task::coop;
///
/// // A thousand messages in one turn: nobody else runs meanwhile.
/// let (sender, mut receiver) = heist::sync::mpsc::channel(1000);
/// for n in 0..1000 {
///     sender.try_send(n).unwrap();
/// }
/// let drain = async { while !receiver.is_empty() { receiver.recv().await; } };
/// coop::unconstrained(drain).await;
/// # }
/// ```
pub fn unconstrained<F>(inner: F) -> Unconstrained<F> {
    Unconstrained { inner }
}

impl<F: Future> Future for Unconstrained<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _unlimited = BudgetScope::enter(Budget::unconstrained());
        self.project().inner.poll(cx)
    }
}
