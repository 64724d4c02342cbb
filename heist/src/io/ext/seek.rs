//! `seek`, `rewind` and `stream_position`.

use std::future::Future;
use std::io::{self, SeekFrom};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncSeek;

pin_project! {
    /// What the methods of [`AsyncSeekExt`](crate::io::AsyncSeekExt) return.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Seek<'a, S: ?Sized> {
        stream: &'a mut S,
        // `None` once the seek is under way.
        target: Option<SeekFrom>,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, S: ?Sized> Seek<'a, S> {
    pub(super) fn new(stream: &'a mut S, target: SeekFrom) -> Self {
        Self {
            stream,
            target: Some(target),
            _pin: PhantomPinned,
        }
    }
}

impl<S: AsyncSeek + Unpin + ?Sized> Future for Seek<'_, S> {
    type Output = io::Result<u64>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        let mut stream = Pin::new(&mut **me.stream);
        if let Some(target) = *me.target {
            // One that was cancelled may still be under way.
            ready!(stream.as_mut().poll_complete(cx))?;
            stream.as_mut().start_seek(target)?;
            *me.target = None;
        }
        stream.poll_complete(cx)
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Seeking, poll_once};
    use crate::io::{AsyncReadExt, AsyncSeekExt};
    use futures::executor::block_on;
    use std::io::{Cursor, SeekFrom};

    #[test]
    fn seeks_in_a_cursor() {
        block_on(async {
            let mut cursor = Cursor::new(b"abcdef");
            assert_eq!(cursor.seek(SeekFrom::End(-2)).await.unwrap(), 4);
            assert_eq!(cursor.read_u8().await.unwrap(), b'e');
            assert_eq!(cursor.stream_position().await.unwrap(), 5);
            assert_eq!(cursor.rewind().await.unwrap(), 0);
            assert!(cursor.seek(SeekFrom::Current(-1)).await.is_err());
        });
    }

    #[test]
    fn waits_for_a_cancelled_seek_before_its_own() {
        let mut stream = Seeking::new(100);
        assert!(poll_once(stream.seek(SeekFrom::Start(7))).is_pending());
        assert_eq!(block_on(stream.seek(SeekFrom::Current(3))).unwrap(), 10);
        assert_eq!(stream.seeks(), [SeekFrom::Start(7), SeekFrom::Current(3)]);
    }
}
