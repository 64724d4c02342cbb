//! `select!`: the first branch that gets there.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::list::{And, Length, Nil};
use super::order::Order;
use crate::engine::base::{budget, current};

/// Waits for several branches at once, goes on with the first whose pattern matches and drops the
/// others.
///
/// ```text
/// select! {
///     biased;                                          // optional
///     <pattern> = <future> [, if <precondition>] => <handler>,
///     …                                                // 1 to 64 branches
///     else => <handler>                                // optional
/// }
/// ```
///
/// It runs in these steps:
///
/// 1. The preconditions are evaluated. A branch whose precondition is `false` is disabled.
/// 2. The future expressions are evaluated, also those of disabled branches: an expression that
///    must not be evaluated goes into an `async` block. Anything with
///    [`IntoFuture`](std::future::IntoFuture) will do.
/// 3. The enabled futures are polled by the task that awaits the `select!`: concurrently, never in
///    parallel.
/// 4. When a future is done, its output is compared with the pattern. If it matches, all futures
///    are dropped, and the handler runs with the pattern's variables. If not, that branch is
///    disabled and the others go on.
/// 5. When all branches are disabled, the `else` handler runs.
///
/// The value of the handler is the value of the `select!`, so all handlers have one type. A handler
/// is an expression in the surrounding function: it can `await`, `return`, `break` and use `?`. As
/// the futures are gone by then, all handlers may borrow what the futures had borrowed.
///
/// # Fairness
///
/// Each poll begins with a branch chosen at random, so that a branch which is always ready does
/// not keep the others from being looked at. With `biased;` the branches are polled in the order
/// they are written. This saves the random number, and makes sense where the order has a meaning
/// (a shutdown signal first); but whoever uses it must see to it that an earlier branch leaves
/// room for the later ones.
///
/// A `select!` in a loop, all of whose branches are always ready, does not hold the thread: once
/// the task's [budget](crate::task::coop) is spent, the next `select!` gives up the task's turn.
///
/// # Cancel safety
///
/// The futures of the branches that lose are dropped, wherever they are. In a loop that means
/// that they begin anew each time, so a future that keeps something in itself between polls (bytes
/// it has already read, a place in a queue) loses it. The methods of this crate say under this
/// heading whether it is safe to use them so. What is not goes outside the loop, is
/// [pinned](crate::pin) and polled by reference: `_ = &mut operation => …`.
///
/// # Panics
///
/// If all branches are disabled and there is no `else`.
///
/// # Examples
///
/// ```
/// async fn quick() -> u32 {
///     1
/// }
///
/// #[heist::main]
/// async fn main() {
///     let winner = heist::select! {
///         n = quick() => n,
///         _ = std::future::pending::<()>() => unreachable!(),
///     };
///     assert_eq!(winner, 1);
/// }
/// ```
///
/// Two channels until both are closed. A pattern that does not match disables its branch:
///
/// ```
/// use heist::sync::mpsc;
///
/// #[heist::main]
/// async fn main() {
///     let (left, mut lefts) = mpsc::channel(4);
///     let (right, mut rights) = mpsc::channel(4);
///     heist::spawn(async move {
///         for n in 0..3 {
///             left.send(n).await.unwrap();
///             right.send(10 * n).await.unwrap();
///         }
///     });
///
///     let mut sum = 0;
///     loop {
///         heist::select! {
///             Some(n) = lefts.recv() => sum += n,
///             Some(n) = rights.recv() => sum += n,
///             else => break,
///         }
///     }
///     assert_eq!(sum, 33);
/// }
/// ```
///
/// One operation that goes on through the loop. When it is done its precondition turns `false`,
/// because a future must not be polled again:
///
/// ```
/// use heist::time::{self, Duration};
///
/// async fn operation() -> u32 {
///     time::sleep(Duration::from_millis(5)).await;
///     42
/// }
///
/// #[heist::main]
/// async fn main() {
///     let operation = operation();
///     heist::pin!(operation);
///     let mut ticks = time::interval(Duration::from_millis(2));
///     let mut answer = None;
///     while answer.is_none() {
///         heist::select! {
///             _ = ticks.tick() => {}
///             n = &mut operation, if answer.is_none() => answer = Some(n),
///         }
///     }
///     assert_eq!(answer, Some(42));
/// }
/// ```
///
/// A branch is a pattern, a future and a handler; nothing of it can be left out:
///
/// ```compile_fail
/// # async fn example() {
/// heist::select! { std::future::pending::<()>() => {} }
/// # }
/// ```
///
/// ```compile_fail
/// # async fn example() {
/// heist::select! {}
/// # }
/// ```
///
/// ```compile_fail
/// # async fn example() {
/// heist::select! { _ = "not a future" => {} }
/// # }
/// ```
#[macro_export]
macro_rules! select {
    (biased; $($branches:tt)*) => {
        $crate::__select!(@begin Biased $($branches)*)
    };
    ($($branches:tt)*) => {
        $crate::__select!(@begin Random $($branches)*)
    };
}

/// Reads one branch a step, so that 64 of them stay below the recursion limit, and gives each a
/// name from the list for its variant of the outcome.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    (@begin $order:ident) => {
        ::core::compile_error!("`select!` needs at least one branch: `<pattern> = <future> => <handler>`")
    };
    (@begin $order:ident else => $else:expr $(,)?) => {
        $else
    };
    (@begin $order:ident $($branches:tt)+) => {
        $crate::__select!(@next $order {} [
            B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 B14 B15 B16 B17 B18 B19 B20 B21 B22
            B23 B24 B25 B26 B27 B28 B29 B30 B31 B32 B33 B34 B35 B36 B37 B38 B39 B40 B41 B42 B43
            B44 B45 B46 B47 B48 B49 B50 B51 B52 B53 B54 B55 B56 B57 B58 B59 B60 B61 B62 B63
        ] $($branches)+)
    };

    // The end, with and without `else`.
    (@next $order:ident $done:tt $names:tt) => {
        $crate::__select!(@expand $order $done (
            ::core::panic!("all branches of a `select!` are disabled and it has no `else`")
        ))
    };
    (@next $order:ident $done:tt $names:tt else => $else:expr $(,)?) => {
        $crate::__select!(@expand $order $done ($else))
    };
    (@next $order:ident $done:tt [] $($branches:tt)+) => {
        ::core::compile_error!("`select!` takes up to 64 branches")
    };

    // A branch. A handler in braces needs no comma; any other needs one, unless it is the last.
    // `future` and `enabled` look the same in every step and are not: each has its own hygiene.
    (@next $order:ident {$($done:tt)*} [$name:ident $($names:ident)*]
        $pattern:pat = $future:expr $(, if $precondition:expr)? => $handler:block, $($rest:tt)*
    ) => {
        $crate::__select!(@next $order {
            $($done)* [$name future enabled ($($precondition)?) $pattern = $future => $handler]
        } [$($names)*] $($rest)*)
    };
    (@next $order:ident {$($done:tt)*} [$name:ident $($names:ident)*]
        $pattern:pat = $future:expr $(, if $precondition:expr)? => $handler:block $($rest:tt)*
    ) => {
        $crate::__select!(@next $order {
            $($done)* [$name future enabled ($($precondition)?) $pattern = $future => $handler]
        } [$($names)*] $($rest)*)
    };
    (@next $order:ident {$($done:tt)*} [$name:ident $($names:ident)*]
        $pattern:pat = $future:expr $(, if $precondition:expr)? => $handler:expr, $($rest:tt)*
    ) => {
        $crate::__select!(@next $order {
            $($done)* [$name future enabled ($($precondition)?) $pattern = $future => $handler]
        } [$($names)*] $($rest)*)
    };
    (@next $order:ident {$($done:tt)*} [$name:ident $($names:ident)*]
        $pattern:pat = $future:expr $(, if $precondition:expr)? => $handler:expr
    ) => {
        $crate::__select!(@next $order {
            $($done)* [$name future enabled ($($precondition)?) $pattern = $future => $handler]
        } [$($names)*])
    };

    (@expand $order:ident {
        $([$name:ident $future_var:ident $enabled:ident ($($precondition:expr)?)
            $pattern:pat = $future:expr => $handler:expr])+
    } ($else:expr)) => {{
        // One variant a branch: the outcome is no larger than the largest output.
        enum __HeistSelect<$($name),+> {
            $($name($name),)+
        }

        // The futures are gone before a handler runs, and with them what they borrow.
        #[allow(unused_mut, reason = "for `ref mut` in a pattern")]
        let mut outcome = {
            $(let $enabled = true $(&& $precondition)?;)+
            // A statement each, so that `&temporary()` lives on.
            $(let $future_var = $future;)+
            let select = $crate::macros::support::Select::new($crate::macros::support::$order)
                $(.branch($enabled, $future_var, |output| {
                    // A future that never ends may leave its output's type open. Beside `!` it
                    // falls back to what an expression that never ends falls back to.
                    let mut output = if true { output } else { ::core::unreachable!() };
                    // Does the pattern match? The guard can say so without moving anything out
                    // of `output`, as no arm is ever taken through it.
                    let mut matched = false;
                    #[allow(
                        unused_variables,
                        unused_mut,
                        unreachable_code,
                        unreachable_patterns,
                        reason = "the handler uses them; here it is only asked"
                    )]
                    match output {
                        $pattern if { matched = true; false } => ::core::unreachable!(),
                        _ => {}
                    }
                    if matched {
                        ::core::option::Option::Some(__HeistSelect::$name(output))
                    } else {
                        ::core::option::Option::None
                    }
                }))+;
            select.await
        };

        match outcome {
            $(::core::option::Option::Some(__HeistSelect::$name($pattern)) => $handler,)+
            ::core::option::Option::None => $else,
            #[allow(unreachable_patterns, reason = "if no pattern can fail")]
            ::core::option::Option::Some(_) => {
                ::core::unreachable!("the pattern matched when the branch was done")
            }
        }
    }};
}

pin_project! {
    /// A future and the test of its output.
    #[derive(Debug)]
    pub struct Branch<F, A> {
        #[pin]
        future: F,
        accept: A,
    }
}

/// A list of [`Branch`]es that lead to a `T`.
pub trait Branches<T>: Length {
    /// Polls those whose index is in `part` and not in `disabled`, up to the first whose output is
    /// accepted; true if any is not done yet. One that is done is disabled.
    fn poll_part(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        part: &Range<u32>,
        disabled: &mut u64,
    ) -> ControlFlow<T, bool>;
}

impl<T> Branches<T> for Nil {
    #[inline]
    fn poll_part(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        _part: &Range<u32>,
        _disabled: &mut u64,
    ) -> ControlFlow<T, bool> {
        ControlFlow::Continue(false)
    }
}

impl<L, F, A, T> Branches<T> for And<L, Branch<F, A>>
where
    L: Branches<T>,
    F: Future,
    A: FnMut(F::Output) -> Option<T>,
{
    #[inline]
    fn poll_part(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        part: &Range<u32>,
        disabled: &mut u64,
    ) -> ControlFlow<T, bool> {
        let this = self.project();
        let elder_pending = this.elder.poll_part(cx, part, disabled)?;
        let bit = 1 << L::LENGTH;
        if !part.contains(&L::LENGTH) || *disabled & bit != 0 {
            return ControlFlow::Continue(elder_pending);
        }
        let branch = this.last.project();
        let Poll::Ready(output) = branch.future.poll(cx) else {
            return ControlFlow::Continue(true);
        };
        *disabled |= bit;
        match (branch.accept)(output) {
            Some(outcome) => ControlFlow::Break(outcome),
            None => ControlFlow::Continue(elder_pending),
        }
    }
}

pin_project! {
    /// What `select!` awaits: `Some` outcome, or `None` when all branches are disabled.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Select<O, L, T> {
        #[pin]
        branches: L,
        // One bit a branch.
        disabled: u64,
        order: O,
        outcome: PhantomData<fn() -> T>,
    }
}

/// `L` and one more branch.
type With<L, F, A> = And<L, Branch<<F as IntoFuture>::IntoFuture, A>>;

impl<O: Order, T> Select<O, Nil, T> {
    #[inline]
    pub fn new(order: O) -> Self {
        Self {
            branches: Nil,
            disabled: 0,
            order,
            outcome: PhantomData,
        }
    }
}

impl<O: Order, L: Length, T> Select<O, L, T> {
    #[inline]
    pub fn branch<F, A>(self, enabled: bool, future: F, accept: A) -> Select<O, With<L, F, A>, T>
    where
        F: IntoFuture,
        A: FnMut(F::Output) -> Option<T>,
    {
        Select {
            branches: And {
                elder: self.branches,
                last: Branch {
                    future: future.into_future(),
                    accept,
                },
            },
            disabled: self.disabled | u64::from(!enabled) << L::LENGTH,
            order: self.order,
            outcome: PhantomData,
        }
    }
}

impl<O: Order, L: Branches<T>, T> Future for Select<O, L, T> {
    type Output = Option<T>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Without budget our own resources would be pending anyway; futures that know nothing of
        // budgets would go on, and with them a loop around this.
        if !budget::has_budget_remaining() {
            current::yield_turn(cx);
            return Poll::Pending;
        }
        let mut this = self.project();
        let mut pending = false;
        for part in this.order.round(L::LENGTH) {
            match this.branches.as_mut().poll_part(cx, &part, this.disabled) {
                ControlFlow::Continue(part_pending) => pending |= part_pending,
                ControlFlow::Break(outcome) => return Poll::Ready(Some(outcome)),
            }
        }
        if pending {
            Poll::Pending
        } else {
            Poll::Ready(None)
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::future::{pending, ready};
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    use super::*;
    use crate::engine::base::budget::{Budget, BudgetScope};

    #[derive(Default)]
    struct Woken(AtomicU32);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn gives_up_its_turn_once_the_budget_is_spent() {
        let woken = Arc::new(Woken::default());
        let waker = Arc::clone(&woken).into();
        let mut cx = Context::from_waker(&waker);
        let _scope = BudgetScope::enter(Budget::initial());
        let mut select = pin!(async {
            crate::select! { () = ready(()) => 1 }
        });
        while let Poll::Ready(unit) = budget::poll_proceed(&mut cx) {
            unit.made_progress();
        }
        woken.0.store(0, Ordering::Relaxed);

        assert!(select.as_mut().poll(&mut cx).is_pending());
        assert_eq!(woken.0.load(Ordering::Relaxed), 1, "asked for another turn");
        budget::replace(Budget::initial());
        assert_eq!(select.poll(&mut cx), Poll::Ready(1));
    }

    #[test]
    fn takes_a_future_whose_output_has_no_type() {
        let never = std::future::poll_fn(|_| panic!("polled though it is disabled"));
        let mut select = pin!(async {
            crate::select! {
                _ = never, if false => unreachable!(),
                n = ready(1) => n,
            }
        });
        let mut cx = Context::from_waker(std::task::Waker::noop());
        assert_eq!(select.as_mut().poll(&mut cx), Poll::Ready(1));
    }

    #[test]
    fn is_no_larger_than_its_futures_and_a_word() {
        let large = || async {
            let buffer = [0u8; 1000];
            pending::<()>().await;
            std::hint::black_box(&buffer);
        };
        let one = size_of_val(&large());
        let select = async {
            crate::select! {
                _ = large() => {}
                _ = large() => {}
                _ = large() => {}
            }
        };
        assert!(size_of_val(&select) < 3 * one + 64);
        let join = async { crate::join!(large(), large(), large()) };
        assert!(size_of_val(&join) < 3 * one + 64);
    }
}
