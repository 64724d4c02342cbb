//! Giving up the turn.

use std::future::Future;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::engine::base::current;

pin_project! {
    /// Pending once. A type of its own, and not an `async fn`: that would be a second state around this one.
    #[derive(Debug)]
    struct YieldNow {
        yielded: bool,
        // What an `async fn` gives is not `Unpin` either.
        #[pin]
        _pinned: PhantomPinned,
    }
}

impl Future for YieldNow {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(self.project().yielded, true) {
            return Poll::Ready(());
        }
        current::yield_turn(cx);
        Poll::Pending
    }
}

/// Lets others run: the task goes to the end of its queue and comes back when its turn is there.
///
/// No promise is made about who runs in between.
///
/// # Cancel safety
///
/// Cancel safe: there is nothing to lose.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// heist::spawn(async { println!("first") });
/// heist::task::yield_now().await;
/// println!("second");
/// # }
/// ```
#[inline]
pub fn yield_now() -> impl Future<Output = ()> {
    YieldNow {
        yielded: false,
        _pinned: PhantomPinned,
    }
}
