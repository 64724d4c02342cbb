use std::pin::Pin;

use crate::io::AsyncBufRead;
use crate::io::ext::fill_buf::FillBuf;
use crate::io::ext::lines::Lines;
use crate::io::ext::read_line::ReadLine;
use crate::io::ext::read_until::ReadUntil;
use crate::io::ext::split::Split;

/// The methods to `.await` on an [`AsyncBufRead`].
///
/// Every buffered reader has them; the trait only has to be in scope.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncBufReadExt, BufReader};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut reader = BufReader::new(&b"hello\nworld\n"[..]);
///     let mut line = String::new();
///     reader.read_line(&mut line).await?;
///     assert_eq!(line, "hello\n");
///     Ok(())
/// }
/// ```
pub trait AsyncBufReadExt: AsyncBufRead {
    /// Appends all up to and with the next `byte` to `buf`, or all up to the end, and returns how
    /// many bytes it was.
    ///
    /// A 0 means the end. Unless the end came first, the last byte of `buf` is now `byte`. A peer
    /// that never sends `byte` makes `buf` grow without limit; [`take`](crate::io::AsyncReadExt::take)
    /// sets one.
    ///
    /// # Errors
    ///
    /// Those of the reader, except [`Interrupted`](crate::io::ErrorKind::Interrupted), after which
    /// it tries again. What was read by then is in `buf`.
    ///
    /// # Cancel safety
    ///
    /// What a cancelled call had read is in `buf`, and another call goes on after it; only the count
    /// starts anew.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut reader = &b"to-be-or"[..];
    ///     let mut buf = Vec::new();
    ///     assert_eq!(reader.read_until(b'-', &mut buf).await?, 3);
    ///     assert_eq!(buf, b"to-");
    ///     Ok(())
    /// }
    /// ```
    fn read_until<'a>(&'a mut self, byte: u8, buf: &'a mut Vec<u8>) -> ReadUntil<'a, Self>
    where
        Self: Unpin,
    {
        ReadUntil::new(self, byte, buf)
    }

    /// Appends the next line to `buf`, with its end, and returns how many bytes it was.
    ///
    /// A 0 means the end. A peer that never ends its line makes `buf` grow without limit;
    /// [`take`](crate::io::AsyncReadExt::take) sets one.
    ///
    /// # Errors
    ///
    /// As [`read_until`](Self::read_until), and
    /// [`InvalidData`](crate::io::ErrorKind::InvalidData) if the line is not UTF-8: then the line is
    /// lost, and `buf` is as it was.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: what a cancelled call had read is lost, and so is what was in `buf`.
    /// [`Lines::next_line`] and [`read_until`](Self::read_until) lose nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut reader = &b"hello\nworld"[..];
    ///     let mut line = String::new();
    ///     assert_eq!(reader.read_line(&mut line).await?, 6);
    ///     assert_eq!(reader.read_line(&mut line).await?, 5);
    ///     assert_eq!(reader.read_line(&mut line).await?, 0);
    ///     assert_eq!(line, "hello\nworld");
    ///     Ok(())
    /// }
    /// ```
    fn read_line<'a>(&'a mut self, buf: &'a mut String) -> ReadLine<'a, Self>
    where
        Self: Unpin,
    {
        ReadLine::new(self, buf)
    }

    /// The segments between one `byte` and the next, one after the other.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt, BufReader};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut segments = BufReader::new(&b"to-be-or"[..]).split(b'-');
    ///     while let Some(segment) = segments.next_segment().await? {
    ///         assert_eq!(segment.len(), 2);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    fn split(self, byte: u8) -> Split<Self>
    where
        Self: Sized + Unpin,
    {
        Split::new(self, byte)
    }

    /// The bytes in the buffer; reads more first if it is empty.
    ///
    /// An empty slice means the end. What of it is used is told by [`consume`](Self::consume); what
    /// is not consumed is there again next time.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what a cancelled call had read is in the reader's buffer.
    ///
    /// # Panics
    ///
    /// The future panics when polled again after it has completed.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut reader = &b"hello"[..];
    ///     let first = reader.fill_buf().await?[0];
    ///     reader.consume(1);
    ///     assert_eq!((first, reader), (b'h', &b"ello"[..]));
    ///     Ok(())
    /// }
    /// ```
    fn fill_buf(&mut self) -> FillBuf<'_, Self>
    where
        Self: Unpin,
    {
        FillBuf::new(self)
    }

    /// Takes the first `amt` bytes out of the buffer.
    ///
    /// `amt` is at most the length of what [`fill_buf`](Self::fill_buf) last returned; what more does
    /// is the reader's choice, and may be a panic.
    fn consume(&mut self, amt: usize)
    where
        Self: Unpin,
    {
        Pin::new(self).consume(amt);
    }

    /// The lines, one after the other, without their ends.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncBufReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut lines = (&b"hello\r\nworld"[..]).lines();
    ///     assert_eq!(lines.next_line().await?.as_deref(), Some("hello"));
    ///     assert_eq!(lines.next_line().await?.as_deref(), Some("world"));
    ///     assert_eq!(lines.next_line().await?, None);
    ///     Ok(())
    /// }
    /// ```
    fn lines(self) -> Lines<Self>
    where
        Self: Sized,
    {
        Lines::new(self)
    }
}

impl<R: AsyncBufRead + ?Sized> AsyncBufReadExt for R {}
