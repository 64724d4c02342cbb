use std::io::SeekFrom;

use crate::io::AsyncSeek;
use crate::io::ext::seek::Seek;

/// The methods to `.await` on an [`AsyncSeek`].
///
/// Everything that can seek has them; the trait only has to be in scope.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt, AsyncSeekExt, SeekFrom};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut cursor = std::io::Cursor::new(b"abcdef");
///     assert_eq!(cursor.seek(SeekFrom::End(-2)).await?, 4);
///     assert_eq!(cursor.read_u8().await?, b'e');
///     Ok(())
/// }
/// ```
pub trait AsyncSeekExt: AsyncSeek {
    /// Seeks, and returns the new position from the start.
    ///
    /// A seek that is still under way is waited for first.
    ///
    /// # Errors
    ///
    /// Those of the stream, which include a position before the start.
    ///
    /// # Cancel safety
    ///
    /// A cancelled call may or may not have moved the position, or still be about to: seek again
    /// before relying on it.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::io::{AsyncReadExt, AsyncSeekExt, SeekFrom};
    /// use std::io::Cursor;
    ///
    /// let mut file = Cursor::new(b"skip this, read that");
    /// assert_eq!(file.seek(SeekFrom::Start(11)).await?, 11);
    /// let mut rest = String::new();
    /// file.read_to_string(&mut rest).await?;
    /// assert_eq!(rest, "read that");
    /// # Ok(())
    /// # }
    /// ```
    fn seek(&mut self, pos: SeekFrom) -> Seek<'_, Self>
    where
        Self: Unpin,
    {
        Seek::new(self, pos)
    }

    /// Seeks to the start: `seek(SeekFrom::Start(0))`.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    ///
    /// # Cancel safety
    ///
    /// As [`seek`](Self::seek).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::io::{AsyncReadExt, AsyncSeekExt};
    /// use std::io::Cursor;
    ///
    /// let mut file = Cursor::new(b"again");
    /// for _ in 0..2 {
    ///     let mut text = String::new();
    ///     file.read_to_string(&mut text).await?;
    ///     assert_eq!(text, "again");
    ///     file.rewind().await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    fn rewind(&mut self) -> Seek<'_, Self>
    where
        Self: Unpin,
    {
        self.seek(SeekFrom::Start(0))
    }

    /// The position from the start: `seek(SeekFrom::Current(0))`.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the position stays what it is.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::io::{AsyncReadExt, AsyncSeekExt};
    /// use std::io::Cursor;
    ///
    /// let mut file = Cursor::new(b"0123456789");
    /// file.read_exact(&mut [0; 4]).await?;
    /// assert_eq!(file.stream_position().await?, 4);
    /// # Ok(())
    /// # }
    /// ```
    fn stream_position(&mut self) -> Seek<'_, Self>
    where
        Self: Unpin,
    {
        self.seek(SeekFrom::Current(0))
    }
}

impl<S: AsyncSeek + ?Sized> AsyncSeekExt for S {}
