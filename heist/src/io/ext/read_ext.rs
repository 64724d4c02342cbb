use bytes::BufMut;

use crate::io::AsyncRead;
use crate::io::ext::chain::Chain;
use crate::io::ext::read::{Read, ReadExact};
use crate::io::ext::read_buf::ReadBuf;
use crate::io::ext::read_number::*;
use crate::io::ext::read_to_end::{ReadToEnd, ReadToString};
use crate::io::ext::take::Take;

/// The documentation all number methods share, around what differs.
macro_rules! numbers {
    ($(
        $name:ident -> $future:ident: $what:literal, $order:literal,
        $value:literal as $to_bytes:ident, $cancel:literal;
    )*) => {$(
        #[doc = concat!("Reads ", $what, $order, ".")]
        ///
        /// Reading a little at a time from a reader that asks the system each time is slow: put a
        /// [`BufReader`](crate::io::BufReader) around it.
        ///
        /// # Errors
        ///
        /// As [`read_exact`](Self::read_exact): the reader's own, and
        /// [`UnexpectedEof`](crate::io::ErrorKind::UnexpectedEof) if it ends before the number does.
        ///
        /// # Cancel safety
        ///
        #[doc = $cancel]
        ///
        /// # Examples
        ///
        /// ```
        /// use heist::io::{self, AsyncReadExt};
        ///
        /// #[heist::main]
        /// async fn main() -> io::Result<()> {
        #[doc = concat!("    let bytes = ", stringify!($value), ".", stringify!($to_bytes), "();")]
        ///     let mut reader = &bytes[..];
        #[doc = concat!("    assert_eq!(reader.", stringify!($name), "().await?, ", stringify!($value), ");")]
        ///     Ok(())
        /// }
        /// ```
        fn $name(&mut self) -> $future<&mut Self>
        where
            Self: Unpin,
        {
            $future::new(self)
        }
    )*};
}

/// The methods to `.await` on an [`AsyncRead`].
///
/// Every reader has them; the trait only has to be in scope.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let mut reader = &b"hello"[..];
///     let mut buf = [0; 8];
///     let n = reader.read(&mut buf).await?;
///     assert_eq!(&buf[..n], b"hello");
///     Ok(())
/// }
/// ```
pub trait AsyncReadExt: AsyncRead {
    /// A reader that reads this one to its end, then `next`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut both = (&b"hello "[..]).chain(&b"world"[..]);
    ///     let mut text = String::new();
    ///     both.read_to_string(&mut text).await?;
    ///     assert_eq!(text, "hello world");
    ///     Ok(())
    /// }
    /// ```
    fn chain<R>(self, next: R) -> Chain<Self, R>
    where
        Self: Sized,
        R: AsyncRead,
    {
        Chain::new(self, next)
    }

    /// Reads some bytes into `buf` and returns how many.
    ///
    /// Waits until there is at least one. A 0 means that the end is reached, or that `buf` is empty.
    /// Fewer bytes than fit are no sign of the end; [`read_exact`](Self::read_exact) fills all of
    /// `buf`.
    ///
    /// # Errors
    ///
    /// Those of the reader; then nothing was read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a call that did not complete has read nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut reader = &b"hello"[..];
    ///     let mut buf = [0; 3];
    ///     assert_eq!(reader.read(&mut buf).await?, 3);
    ///     assert_eq!(reader.read(&mut buf).await?, 2);
    ///     assert_eq!(reader.read(&mut buf).await?, 0);
    ///     Ok(())
    /// }
    /// ```
    fn read<'a>(&'a mut self, buf: &'a mut [u8]) -> Read<'a, Self>
    where
        Self: Unpin,
    {
        Read::new(self, buf)
    }

    /// Reads some bytes, appends them to `buf` and returns how many.
    ///
    /// As [`read`](Self::read), into any [`BufMut`], which is advanced by what was read. A 0 means
    /// that the end is reached, or that `buf` has no room. A growing buffer, such as
    /// [`BytesMut`](bytes::BytesMut) or `Vec<u8>`, always has room.
    ///
    /// # Errors
    ///
    /// Those of the reader; then nothing was read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a call that did not complete has read nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut reader = &b"hello"[..];
    ///     let mut buf = Vec::with_capacity(64);
    ///     while reader.read_buf(&mut buf).await? > 0 {}
    ///     assert_eq!(buf, b"hello");
    ///     Ok(())
    /// }
    /// ```
    fn read_buf<'a, B>(&'a mut self, buf: &'a mut B) -> ReadBuf<'a, Self, B>
    where
        Self: Unpin,
        B: BufMut + ?Sized,
    {
        ReadBuf::new(self, buf)
    }

    /// Reads until `buf` is full and returns its length.
    ///
    /// # Errors
    ///
    /// [`UnexpectedEof`](crate::io::ErrorKind::UnexpectedEof) if the end comes first, and those of
    /// the reader, except [`Interrupted`](crate::io::ErrorKind::Interrupted), after which it tries
    /// again. How much of `buf` was written by then is not told.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: what a cancelled call had read is in `buf`, and how much it was is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut reader = &b"hello"[..];
    ///     let mut buf = [0; 4];
    ///     reader.read_exact(&mut buf).await?;
    ///     assert_eq!(&buf, b"hell");
    ///
    ///     let too_few = reader.read_exact(&mut buf).await.unwrap_err();
    ///     assert_eq!(too_few.kind(), io::ErrorKind::UnexpectedEof);
    ///     Ok(())
    /// }
    /// ```
    fn read_exact<'a>(&'a mut self, buf: &'a mut [u8]) -> ReadExact<'a, Self>
    where
        Self: Unpin,
    {
        ReadExact::new(self, buf)
    }

    numbers! {
        read_u8 -> ReadU8: "an unsigned 8-bit integer", "", 200_u8 as to_be_bytes,
            "Cancel safe: a call that did not complete has read nothing.";
        read_i8 -> ReadI8: "a signed 8-bit integer", "", 100_i8 as to_be_bytes,
            "Cancel safe: a call that did not complete has read nothing.";
        read_u16 -> ReadU16: "an unsigned 16-bit integer", ", most significant byte first",
            0x0102_u16 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_i16 -> ReadI16: "a signed 16-bit integer", ", most significant byte first",
            0x0102_i16 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_u32 -> ReadU32: "an unsigned 32-bit integer", ", most significant byte first",
            0x0102_0304_u32 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_i32 -> ReadI32: "a signed 32-bit integer", ", most significant byte first",
            0x0102_0304_i32 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_u64 -> ReadU64: "an unsigned 64-bit integer", ", most significant byte first",
            0x0102_0304_0506_u64 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_i64 -> ReadI64: "a signed 64-bit integer", ", most significant byte first",
            0x0102_0304_0506_i64 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_u128 -> ReadU128: "an unsigned 128-bit integer", ", most significant byte first",
            0x0102_0304_0506_u128 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_i128 -> ReadI128: "a signed 128-bit integer", ", most significant byte first",
            0x0102_0304_0506_i128 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_f32 -> ReadF32: "a 32-bit floating-point number", ", most significant byte first",
            1.5_f32 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_f64 -> ReadF64: "a 64-bit floating-point number", ", most significant byte first",
            1.5_f64 as to_be_bytes, "Not cancel safe: bytes already read are lost.";
        read_u16_le -> ReadU16Le: "an unsigned 16-bit integer", ", least significant byte first",
            0x0102_u16 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_i16_le -> ReadI16Le: "a signed 16-bit integer", ", least significant byte first",
            0x0102_i16 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_u32_le -> ReadU32Le: "an unsigned 32-bit integer", ", least significant byte first",
            0x0102_0304_u32 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_i32_le -> ReadI32Le: "a signed 32-bit integer", ", least significant byte first",
            0x0102_0304_i32 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_u64_le -> ReadU64Le: "an unsigned 64-bit integer", ", least significant byte first",
            0x0102_0304_0506_u64 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_i64_le -> ReadI64Le: "a signed 64-bit integer", ", least significant byte first",
            0x0102_0304_0506_i64 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_u128_le -> ReadU128Le: "an unsigned 128-bit integer", ", least significant byte first",
            0x0102_0304_0506_u128 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_i128_le -> ReadI128Le: "a signed 128-bit integer", ", least significant byte first",
            0x0102_0304_0506_i128 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_f32_le -> ReadF32Le: "a 32-bit floating-point number", ", least significant byte first",
            1.5_f32 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
        read_f64_le -> ReadF64Le: "a 64-bit floating-point number", ", least significant byte first",
            1.5_f64 as to_le_bytes, "Not cancel safe: bytes already read are lost.";
    }

    /// Reads to the end, appends all to `buf` and returns how many bytes it was.
    ///
    /// The vector grows as needed; one whose capacity fits exactly does not grow.
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
    /// use heist::io::{self, AsyncReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut all = b"> ".to_vec();
    ///     assert_eq!((&b"hello"[..]).read_to_end(&mut all).await?, 5);
    ///     assert_eq!(all, b"> hello");
    ///     Ok(())
    /// }
    /// ```
    fn read_to_end<'a>(&'a mut self, buf: &'a mut Vec<u8>) -> ReadToEnd<'a, Self>
    where
        Self: Unpin,
    {
        ReadToEnd::new(self, buf)
    }

    /// Reads to the end, appends all to `dst` and returns how many bytes it was.
    ///
    /// # Errors
    ///
    /// As [`read_to_end`](Self::read_to_end), and
    /// [`InvalidData`](crate::io::ErrorKind::InvalidData) if what was read is not UTF-8. Then, and
    /// with any other error, `dst` is as it was.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: what a cancelled call had read is lost, and so is what was in `dst`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut text = String::from("> ");
    ///     assert_eq!((&b"hello"[..]).read_to_string(&mut text).await?, 5);
    ///     assert_eq!(text, "> hello");
    ///     Ok(())
    /// }
    /// ```
    fn read_to_string<'a>(&'a mut self, dst: &'a mut String) -> ReadToString<'a, Self>
    where
        Self: Unpin,
    {
        ReadToString::new(self, dst)
    }

    /// A reader that reads at most `limit` bytes of this one, then is at its end.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::io::{self, AsyncReadExt};
    ///
    /// #[heist::main]
    /// async fn main() -> io::Result<()> {
    ///     let mut text = String::new();
    ///     (&b"hello world"[..]).take(5).read_to_string(&mut text).await?;
    ///     assert_eq!(text, "hello");
    ///     Ok(())
    /// }
    /// ```
    fn take(self, limit: u64) -> Take<Self>
    where
        Self: Sized,
    {
        Take::new(self, limit)
    }
}

impl<R: AsyncRead + ?Sized> AsyncReadExt for R {}
