//! Giving up the turn.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::engine::base::current;

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
pub async fn yield_now() {
    /// Pending once.
    struct YieldNow {
        yielded: bool,
    }

    impl Future for YieldNow {
        type Output = ();

        #[inline]
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            if self.yielded {
                return Poll::Ready(());
            }
            self.yielded = true;
            current::yield_turn(cx);
            Poll::Pending
        }
    }

    YieldNow { yielded: false }.await;
}
