use std::io::IoSlice;

use bytes::Buf;

use crate::io::AsyncWrite;
use crate::io::ext::flush::{Flush, Shutdown};
use crate::io::ext::write::{Write, WriteAll, WriteVectored};
use crate::io::ext::write_buf::{WriteAllBuf, WriteBuf};
use crate::io::ext::write_number::*;

/// The documentation all number methods share, around what differs.
macro_rules! numbers {
    ($(
        $name:ident($number:ty) -> $future:ident: $what:literal, $order:literal,
        $value:literal as $to_bytes:ident, $cancel:literal;
    )*) => {$(
        #[doc = concat!("Writes ", $what, $order, ".")]
        ///
        /// Writing a little at a time to a writer that asks the system each time is slow: put a
        /// [`BufWriter`](crate::io::BufWriter) around it.
        ///
        /// # Errors
        ///
        /// As [`write_all`](Self::write_all).
        ///
        /// # Cancel safety
        ///
        #[doc = $cancel]
        ///
        /// # Examples
        ///
        /// ```
        /// use heist::io::{self, AsyncWriteExt};
        ///
        /// #[heist::main]
        /// async fn main() -> io::Result<()> {
        ///     let mut writer = Vec::new();
        #[doc = concat!("    writer.", stringify!($name), "(", stringify!($value), ").await?;")]
        #[doc = concat!("    assert_eq!(writer, ", stringify!($value), ".", stringify!($to_bytes), "());")]
        ///     Ok(())
        /// }
        /// ```
        fn $name(&mut self, n: $number) -> $future<&mut Self>
        where
            Self: Unpin,
        {
            $future::new(self, n)
        }
    )*};
}

/// The methods to `.await` on an [`AsyncWrite`].
///
/// Every writer has them; the trait only has to be in scope.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut writer = Vec::new();
///     writer.write_all(b"hello").await?;
///     writer.flush().await?;
///     assert_eq!(writer, b"hello");
///     Ok(())
/// }
/// ```
pub trait AsyncWriteExt: AsyncWrite {
    /// Writes some of `src` and returns how many bytes.
    ///
    /// Waits until at least one is accepted. A 0 means that the writer takes no more, or that `src`
    /// is empty. [`write_all`](Self::write_all) writes all of `src`.
    ///
    /// # Errors
    ///
    /// Those of the writer; then nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a call that did not complete has written nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncWriteExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut room = [0; 4];
    ///     let mut writer = std::io::Cursor::new(&mut room[..]);
    ///     assert_eq!(writer.write(b"hello").await?, 4);
    ///     assert_eq!(writer.write(b"o").await?, 0);
    ///     assert_eq!(&room, b"hell");
    ///     Ok(())
    /// }
    /// ```
    fn write<'a>(&'a mut self, src: &'a [u8]) -> Write<'a, Self>
    where
        Self: Unpin,
    {
        Write::new(self, src)
    }

    /// Writes some of what is in `bufs`, in order, and returns how many bytes.
    ///
    /// As [`write`](Self::write), from several slices as if they were one. A writer that cannot
    /// ([`is_write_vectored`](AsyncWrite::is_write_vectored)) writes from the first one only.
    ///
    /// # Errors
    ///
    /// Those of the writer; then nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a call that did not complete has written nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncWriteExt};
    /// use std::io::IoSlice;
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut writer = Vec::new();
    ///     let parts = [IoSlice::new(b"hello "), IoSlice::new(b"world")];
    ///     assert_eq!(writer.write_vectored(&parts).await?, 11);
    ///     assert_eq!(writer, b"hello world");
    ///     Ok(())
    /// }
    /// ```
    fn write_vectored<'a, 'b>(&'a mut self, bufs: &'a [IoSlice<'b>]) -> WriteVectored<'a, 'b, Self>
    where
        Self: Unpin,
    {
        WriteVectored::new(self, bufs)
    }

    /// Writes some of `src`, advances it by that, and returns how many bytes it was.
    ///
    /// As [`write`](Self::write), from any [`Buf`]. If the writer takes several slices at once it is
    /// given all the chunks of `src`.
    ///
    /// # Errors
    ///
    /// Those of the writer; then nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a call that did not complete has written nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncWriteExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut writer = Vec::new();
    ///     let mut src = &b"hello"[..];
    ///     while !src.is_empty() {
    ///         writer.write_buf(&mut src).await?;
    ///     }
    ///     assert_eq!(writer, b"hello");
    ///     Ok(())
    /// }
    /// ```
    fn write_buf<'a, B>(&'a mut self, src: &'a mut B) -> WriteBuf<'a, Self, B>
    where
        Self: Sized + Unpin,
        B: Buf,
    {
        WriteBuf::new(self, src)
    }

    /// Writes all of `src`, advancing it as it goes.
    ///
    /// # Errors
    ///
    /// As [`write_all`](Self::write_all). `src` begins with what was not written.
    ///
    /// # Cancel safety
    ///
    /// `src` is advanced by exactly what was written: another call with the same `src` goes on where
    /// the cancelled one was.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncWriteExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut writer = Vec::new();
    ///     let mut src = &b"hello"[..];
    ///     writer.write_all_buf(&mut src).await?;
    ///     assert_eq!((writer, src), (b"hello".to_vec(), &b""[..]));
    ///     Ok(())
    /// }
    /// ```
    fn write_all_buf<'a, B>(&'a mut self, src: &'a mut B) -> WriteAllBuf<'a, Self, B>
    where
        Self: Sized + Unpin,
        B: Buf,
    {
        WriteAllBuf::new(self, src)
    }

    /// Writes all of `src`.
    ///
    /// # Errors
    ///
    /// [`WriteZero`](crate::io::ErrorKind::WriteZero) if the writer takes no more, and its own
    /// errors, except [`Interrupted`](crate::io::ErrorKind::Interrupted), after which it tries again.
    /// How much was written by then is not told.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a cancelled call may have written part of `src`, and how much it was is lost.
    /// [`write_all_buf`](Self::write_all_buf) keeps count.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncWriteExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut writer = Vec::new();
    ///     writer.write_all(b"hello").await?;
    ///     assert_eq!(writer, b"hello");
    ///     Ok(())
    /// }
    /// ```
    fn write_all<'a>(&'a mut self, src: &'a [u8]) -> WriteAll<'a, Self>
    where
        Self: Unpin,
    {
        WriteAll::new(self, src)
    }

    numbers! {
        write_u8(u8) -> WriteU8: "an unsigned 8-bit integer", "", 200_u8 as to_be_bytes,
            "Cancel safe: a call that did not complete has written nothing.";
        write_i8(i8) -> WriteI8: "a signed 8-bit integer", "", 100_i8 as to_be_bytes,
            "Cancel safe: a call that did not complete has written nothing.";
        write_u16(u16) -> WriteU16: "an unsigned 16-bit integer", ", most significant byte first",
            0x0102_u16 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_i16(i16) -> WriteI16: "a signed 16-bit integer", ", most significant byte first",
            0x0102_i16 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_u32(u32) -> WriteU32: "an unsigned 32-bit integer", ", most significant byte first",
            0x0102_0304_u32 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_i32(i32) -> WriteI32: "a signed 32-bit integer", ", most significant byte first",
            0x0102_0304_i32 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_u64(u64) -> WriteU64: "an unsigned 64-bit integer", ", most significant byte first",
            0x0102_0304_0506_u64 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_i64(i64) -> WriteI64: "a signed 64-bit integer", ", most significant byte first",
            0x0102_0304_0506_i64 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_u128(u128) -> WriteU128: "an unsigned 128-bit integer", ", most significant byte first",
            0x0102_0304_0506_u128 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_i128(i128) -> WriteI128: "a signed 128-bit integer", ", most significant byte first",
            0x0102_0304_0506_i128 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_f32(f32) -> WriteF32: "a 32-bit floating-point number", ", most significant byte first",
            1.5_f32 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_f64(f64) -> WriteF64: "a 64-bit floating-point number", ", most significant byte first",
            1.5_f64 as to_be_bytes, "Not cancel safe: part of the number may be written.";
        write_u16_le(u16) -> WriteU16Le: "an unsigned 16-bit integer", ", least significant byte first",
            0x0102_u16 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_i16_le(i16) -> WriteI16Le: "a signed 16-bit integer", ", least significant byte first",
            0x0102_i16 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_u32_le(u32) -> WriteU32Le: "an unsigned 32-bit integer", ", least significant byte first",
            0x0102_0304_u32 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_i32_le(i32) -> WriteI32Le: "a signed 32-bit integer", ", least significant byte first",
            0x0102_0304_i32 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_u64_le(u64) -> WriteU64Le: "an unsigned 64-bit integer", ", least significant byte first",
            0x0102_0304_0506_u64 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_i64_le(i64) -> WriteI64Le: "a signed 64-bit integer", ", least significant byte first",
            0x0102_0304_0506_i64 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_u128_le(u128) -> WriteU128Le: "an unsigned 128-bit integer", ", least significant byte first",
            0x0102_0304_0506_u128 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_i128_le(i128) -> WriteI128Le: "a signed 128-bit integer", ", least significant byte first",
            0x0102_0304_0506_i128 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_f32_le(f32) -> WriteF32Le: "a 32-bit floating-point number", ", least significant byte first",
            1.5_f32 as to_le_bytes, "Not cancel safe: part of the number may be written.";
        write_f64_le(f64) -> WriteF64Le: "a 64-bit floating-point number", ", least significant byte first",
            1.5_f64 as to_le_bytes, "Not cancel safe: part of the number may be written.";
    }

    /// Sends on what the writer holds back, and waits until it has reached its destination.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what a cancelled call did not flush is still held back, and the next call goes
    /// on with it.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncWriteExt, BufWriter};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut writer = BufWriter::new(Vec::new());
    ///     writer.write_all(b"hello").await?;
    ///     assert_eq!(writer.get_ref(), b"");
    ///     writer.flush().await?;
    ///     assert_eq!(writer.get_ref(), b"hello");
    ///     Ok(())
    /// }
    /// ```
    fn flush(&mut self) -> Flush<'_, Self>
    where
        Self: Unpin,
    {
        Flush::new(self)
    }

    /// Ends the writing: flushes, and tells the other side that nothing more comes.
    ///
    /// Dropping a writer instead may lose what it holds back. After this, do not write to it again.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: call it again to go on.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt, AsyncWriteExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let (mut near, mut far) = io::duplex(64);
    ///     near.write_all(b"hello").await?;
    ///     near.shutdown().await?;
    ///     let mut all = String::new();
    ///     far.read_to_string(&mut all).await?;
    ///     assert_eq!(all, "hello");
    ///     Ok(())
    /// }
    /// ```
    fn shutdown(&mut self) -> Shutdown<'_, Self>
    where
        Self: Unpin,
    {
        Shutdown::new(self)
    }
}

impl<W: AsyncWrite + ?Sized> AsyncWriteExt for W {}
