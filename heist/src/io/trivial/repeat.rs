use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::BufMut;

use crate::io::trivial::poll_spend;
use crate::io::{AsyncRead, ReadBuf};

/// A reader of one byte, over and over, without end.
///
/// Made by [`repeat`].
#[derive(Debug)]
pub struct Repeat {
    byte: u8,
}

/// A reader that fills whatever it is given with `byte`, and never ends.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut buf = [0; 3];
///     io::repeat(7).read_exact(&mut buf).await?;
///     assert_eq!(buf, [7, 7, 7]);
///     Ok(())
/// }
/// ```
pub fn repeat(byte: u8) -> Repeat {
    Repeat { byte }
}

impl AsyncRead for Repeat {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(poll_spend(cx));
        buf.put_bytes(self.byte, buf.remaining());
        Poll::Ready(Ok(()))
    }
}
