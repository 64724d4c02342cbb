//! The ends of the world: nothing to read, the same for ever, and a place where all disappears.
//!
//! None of them ever waits, and so each call spends budget: a loop over them would otherwise never
//! let another task run.

mod empty;
mod repeat;
mod sink;

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::engine::base::budget;
use crate::io::AsyncWrite;

pub use self::empty::{Empty, empty};
pub use self::repeat::{Repeat, repeat};
pub use self::sink::{Sink, sink};

/// Spends one unit of budget; `Pending` when there is none left.
#[inline]
fn poll_spend(cx: &mut Context<'_>) -> Poll<()> {
    ready!(budget::poll_proceed(cx)).made_progress();
    Poll::Ready(())
}

/// A writer that takes all and keeps nothing.
macro_rules! swallows {
    ($Writer:ident) => {
        impl AsyncWrite for $Writer {
            #[inline]
            fn poll_write(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buf: &[u8],
            ) -> Poll<io::Result<usize>> {
                ready!(poll_spend(cx));
                Poll::Ready(Ok(buf.len()))
            }

            #[inline]
            fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                poll_spend(cx).map(Ok)
            }

            #[inline]
            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                poll_spend(cx).map(Ok)
            }

            #[inline]
            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                ready!(poll_spend(cx));
                Poll::Ready(Ok(bufs.iter().map(|buf| buf.len()).sum()))
            }

            #[inline]
            fn is_write_vectored(&self) -> bool {
                true
            }
        }
    };
}

swallows!(Empty);
swallows!(Sink);

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::budget::{Budget, BudgetScope};
    use crate::io::test_support::poll_once;
    use crate::io::{AsyncBufReadExt, AsyncReadExt, AsyncSeekExt, AsyncWriteExt, SeekFrom};
    use futures::executor::block_on;

    #[test]
    fn empty_has_nothing_takes_all_and_is_nowhere() {
        block_on(async {
            let mut empty = empty();
            assert_eq!(empty.read(&mut [0; 4]).await.unwrap(), 0);
            assert_eq!(empty.fill_buf().await.unwrap(), b"");
            assert_eq!(empty.write(b"abc").await.unwrap(), 3);
            let parts = [IoSlice::new(b"ab"), IoSlice::new(b"c")];
            assert_eq!(empty.write_vectored(&parts).await.unwrap(), 3);
            assert_eq!(empty.seek(SeekFrom::Start(7)).await.unwrap(), 0);
            empty.flush().await.unwrap();
            empty.shutdown().await.unwrap();
        });
    }

    #[test]
    fn repeat_fills_whatever_it_gets() {
        let mut memory = vec![0; 1000];
        block_on(repeat(7).read_exact(&mut memory)).unwrap();
        assert_eq!(memory, [7; 1000]);
        let mut vec = Vec::with_capacity(100);
        assert!(block_on(repeat(7).read_buf(&mut vec)).unwrap() >= 100);
    }

    #[test]
    fn sink_takes_all() {
        block_on(async {
            let mut sink = sink();
            assert_eq!(sink.write(b"abc").await.unwrap(), 3);
            let parts = [IoSlice::new(b"ab"), IoSlice::new(b"c")];
            assert_eq!(sink.write_vectored(&parts).await.unwrap(), 3);
            sink.shutdown().await.unwrap();
        });
    }

    /// How often `f` completes before the budget of one poll is spent.
    fn turns(mut f: impl FnMut() -> bool) -> usize {
        let _scope = BudgetScope::enter(Budget::initial());
        (0..1000).take_while(|_| f()).count()
    }

    #[test]
    fn each_call_spends_budget() {
        let mut buf = [0; 4];
        assert_eq!(turns(|| poll_once(empty().read(&mut buf)).is_ready()), 128);
        assert_eq!(turns(|| poll_once(empty().write(b"a")).is_ready()), 128);
        assert_eq!(turns(|| poll_once(empty().fill_buf()).is_ready()), 128);
        assert_eq!(
            turns(|| poll_once(repeat(0).read(&mut buf)).is_ready()),
            128
        );
        assert_eq!(turns(|| poll_once(sink().write(b"a")).is_ready()), 128);
        assert_eq!(turns(|| poll_once(sink().flush()).is_ready()), 128);
    }
}
