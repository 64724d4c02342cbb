//! `join!` and `try_join!`: all branches at once, in one task.

use std::future::Future;
use std::ops::{ControlFlow, Range};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::list::{And, Length, Nil};
use super::order::Order;

/// Waits for all branches and returns all their outputs.
///
/// The futures are polled by the task that awaits the `join!`: concurrently, but never in
/// parallel. To use more than one thread, [`spawn`](crate::spawn) them and join the handles.
/// Anything with [`IntoFuture`](std::future::IntoFuture) is a branch. The outputs come as a tuple
/// in the order of the branches; each future is dropped as soon as it is done.
///
/// Every poll of the `join!` begins with another branch, so that one which always uses up the
/// task's budget cannot starve the others. `join!(biased; a, b)` polls them in the order they are
/// written each time, for those who need to know it, or whose branches are so many and so short
/// that the turn itself costs.
///
/// # Cancel safety
///
/// Dropped before it is done, a `join!` drops all its branches, and the outputs of those that are
/// done already.
///
/// # Examples
///
/// ```
/// async fn length() -> usize {
///     5
/// }
///
/// async fn name() -> &'static str {
///     "heist"
/// }
///
/// #[heist::main]
/// async fn main() {
///     let (length, name) = heist::join!(length(), name());
///     assert_eq!(name.len(), length);
/// }
/// ```
///
/// Each branch has to be something to wait for:
///
/// ```compile_fail
/// # async fn example() {
/// heist::join!(5);
/// # }
/// ```
#[macro_export]
macro_rules! join {
    (biased; $($future:expr),* $(,)?) => {
        $crate::__join!(@join ($crate::macros::support::Biased) () {} $($future,)*)
    };
    ($($future:expr),* $(,)?) => {
        $crate::__join!(@join ($crate::macros::support::Rotating::default()) () {} $($future,)*)
    };
}

/// Waits for all branches to succeed, or for the first to fail.
///
/// As [`join!`](crate::join), for futures whose output is a [`Result`] with one error type in
/// common. If all end with `Ok`, the values come as `Ok` of a tuple in the order of the branches.
/// The first `Err` ends the whole: it is returned at once and the other branches are dropped.
///
/// A spawned task goes on when its handle is dropped, and a failing task does not fail its
/// handle: `try_join!(spawn(a), spawn(b))` ends early only if a task panics.
///
/// The order of polls and `biased;` are as in [`join!`](crate::join).
///
/// # Cancel safety
///
/// As for [`join!`](crate::join).
///
/// # Examples
///
/// ```
/// async fn half(n: u32) -> Result<u32, String> {
///     if n % 2 == 0 {
///         Ok(n / 2)
///     } else {
///         Err(format!("{n} is odd"))
///     }
/// }
///
/// #[heist::main]
/// async fn main() {
///     assert_eq!(heist::try_join!(half(4), half(6)), Ok((2, 3)));
///     assert_eq!(heist::try_join!(half(4), half(5)), Err("5 is odd".to_string()));
/// }
/// ```
///
/// The errors must be of one type:
///
/// ```compile_fail
/// # async fn example() {
/// let _ = heist::try_join!(async { Err::<(), u8>(1) }, async { Err::<(), char>('1') });
/// # }
/// ```
#[macro_export]
macro_rules! try_join {
    (biased; $($future:expr),* $(,)?) => {
        $crate::__join!(@try_join ($crate::macros::support::Biased) () {} $($future,)*)
    };
    ($($future:expr),* $(,)?) => {
        $crate::__join!(@try_join ($crate::macros::support::Rotating::default()) () {} $($future,)*)
    };
}

/// Reads one branch a step. The outputs come nested as the list is, so each step also adds to the
/// pattern that takes them apart: `((((), output), output), output)`. The identifiers look the
/// same and are not: every step has a hygiene of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! __join {
    (@$how:ident $order:tt $pattern:tt {$($done:tt)*} $future:expr, $($rest:tt)*) => {
        $crate::__join!(@$how $order ($pattern, output) {$($done)* [output $future]} $($rest)*)
    };

    (@join $order:tt () {}) => {
        async {}.await
    };
    (@join ($order:expr) $pattern:tt {$([$output:ident $future:expr])*}) => {{
        let join = $crate::macros::support::Join::new(
            $order,
            $crate::macros::support::Nil
                $(.and($crate::macros::support::MaybeDone::new($future)))*,
        );
        #[allow(unreachable_code, reason = "if an output cannot be")]
        {
            let $pattern = join.await;
            ($($output,)*)
        }
    }};

    (@try_join ($order:expr) $pattern:tt {$([$output:ident $future:expr])*}) => {{
        let join = $crate::macros::support::TryJoin::new(
            $order,
            $crate::macros::support::Nil
                $(.and($crate::macros::support::MaybeDone::new($future)))*,
        );
        join.await.map(|$pattern| ($($output,)*))
    }};
}

pin_project! {
    /// A future, then its output, then nothing.
    #[project = MaybeDoneProjection]
    #[project_replace = MaybeDoneOwned]
    #[derive(Debug)]
    pub enum MaybeDone<F: Future> {
        Waiting {
            #[pin]
            future: F,
        },
        Done { output: F::Output },
        Taken,
    }
}

impl<F: Future> MaybeDone<F> {
    #[inline]
    pub fn new(future: impl IntoFuture<IntoFuture = F, Output = F::Output>) -> Self {
        Self::Waiting {
            future: future.into_future(),
        }
    }

    /// Polls the future unless it is done; gives its output a place when it gets there.
    #[inline]
    fn poll_done(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<&mut F::Output> {
        if let MaybeDoneProjection::Waiting { future } = self.as_mut().project() {
            let output = ready!(future.poll(cx));
            self.set(Self::Done { output });
        }
        match self.project() {
            MaybeDoneProjection::Done { output } => Poll::Ready(output),
            _ => panic!("`join!` polled after it was done"),
        }
    }

    #[inline]
    fn take(self: Pin<&mut Self>) -> F::Output {
        match self.project_replace(Self::Taken) {
            MaybeDoneOwned::Done { output } => output,
            _ => unreachable!("taken only after `poll_done` was ready"),
        }
    }
}

/// A list of [`MaybeDone`]s.
pub trait Futures: Length {
    /// The outputs, nested as the list.
    type Outputs;

    /// Polls those whose index is in `part`; true if all of these are done.
    fn poll_part(self: Pin<&mut Self>, cx: &mut Context<'_>, part: &Range<u32>) -> bool;

    /// The outputs, when all are done.
    fn take(self: Pin<&mut Self>) -> Self::Outputs;
}

impl Futures for Nil {
    type Outputs = ();

    #[inline]
    fn poll_part(self: Pin<&mut Self>, _cx: &mut Context<'_>, _part: &Range<u32>) -> bool {
        true
    }

    #[inline]
    fn take(self: Pin<&mut Self>) {}
}

impl<L: Futures, F: Future> Futures for And<L, MaybeDone<F>> {
    type Outputs = (L::Outputs, F::Output);

    #[inline]
    fn poll_part(self: Pin<&mut Self>, cx: &mut Context<'_>, part: &Range<u32>) -> bool {
        let this = self.project();
        let elder_done = this.elder.poll_part(cx, part);
        let done = !part.contains(&L::LENGTH) || this.last.poll_done(cx).is_ready();
        elder_done & done
    }

    #[inline]
    fn take(self: Pin<&mut Self>) -> Self::Outputs {
        let this = self.project();
        (this.elder.take(), this.last.take())
    }
}

pin_project! {
    /// What `join!` awaits.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Join<O, L> {
        order: O,
        #[pin]
        futures: L,
    }
}

impl<O: Order, L: Futures> Join<O, L> {
    #[inline]
    pub fn new(order: O, futures: L) -> Self {
        Self { order, futures }
    }
}

impl<O: Order, L: Futures> Future for Join<O, L> {
    type Output = L::Outputs;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let mut done = true;
        for part in this.order.round(L::LENGTH) {
            done &= this.futures.as_mut().poll_part(cx, &part);
        }
        if done {
            Poll::Ready(this.futures.take())
        } else {
            Poll::Pending
        }
    }
}

/// A list of [`MaybeDone`]s whose outputs are `Result<_, E>`.
pub trait TryFutures<E>: Length {
    /// The values, nested as the list.
    type Values;

    /// Polls those whose index is in `part`, up to the first that fails; true if all of these are
    /// done.
    fn poll_part(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        part: &Range<u32>,
    ) -> ControlFlow<E, bool>;

    /// The values, when all are done and none has failed.
    fn take(self: Pin<&mut Self>) -> Self::Values;
}

impl<E> TryFutures<E> for Nil {
    type Values = ();

    #[inline]
    fn poll_part(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        _part: &Range<u32>,
    ) -> ControlFlow<E, bool> {
        ControlFlow::Continue(true)
    }

    #[inline]
    fn take(self: Pin<&mut Self>) {}
}

impl<L, F, T, E> TryFutures<E> for And<L, MaybeDone<F>>
where
    L: TryFutures<E>,
    F: Future<Output = Result<T, E>>,
{
    type Values = (L::Values, T);

    #[inline]
    fn poll_part(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        part: &Range<u32>,
    ) -> ControlFlow<E, bool> {
        let mut this = self.project();
        let elder_done = this.elder.poll_part(cx, part)?;
        if !part.contains(&L::LENGTH) {
            return ControlFlow::Continue(elder_done);
        }
        match this.last.as_mut().poll_done(cx) {
            Poll::Pending => ControlFlow::Continue(false),
            Poll::Ready(Ok(_)) => ControlFlow::Continue(elder_done),
            Poll::Ready(Err(_)) => match this.last.take() {
                Err(error) => ControlFlow::Break(error),
                Ok(_) => unreachable!("it was an error just now"),
            },
        }
    }

    #[inline]
    fn take(self: Pin<&mut Self>) -> Self::Values {
        let this = self.project();
        let elder = this.elder.take();
        match this.last.take() {
            Ok(value) => (elder, value),
            Err(_) => unreachable!("an error ends the round it is found in"),
        }
    }
}

pin_project! {
    /// What `try_join!` awaits.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct TryJoin<O, L, E> {
        order: O,
        #[pin]
        futures: L,
        error: std::marker::PhantomData<fn() -> E>,
    }
}

impl<O: Order, L: TryFutures<E>, E> TryJoin<O, L, E> {
    #[inline]
    pub fn new(order: O, futures: L) -> Self {
        Self {
            order,
            futures,
            error: std::marker::PhantomData,
        }
    }
}

impl<O: Order, L: TryFutures<E>, E> Future for TryJoin<O, L, E> {
    type Output = Result<L::Values, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let mut done = true;
        for part in this.order.round(L::LENGTH) {
            match this.futures.as_mut().poll_part(cx, &part) {
                ControlFlow::Continue(part_done) => done &= part_done,
                ControlFlow::Break(error) => return Poll::Ready(Err(error)),
            }
        }
        if done {
            Poll::Ready(Ok(this.futures.take()))
        } else {
            Poll::Pending
        }
    }
}
