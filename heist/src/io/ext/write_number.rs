//! `write_u8` to `write_f64_le`: one future for all of them.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncWrite;
use crate::io::ext::codec::{Big, Codec, Little};
use crate::io::ext::write::poll_write_some;

pin_project! {
    /// Writes the bytes of one number.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct WriteNumber<W, C>
    where
        C: Codec,
    {
        #[pin]
        writer: W,
        bytes: C::Bytes,
        written: u8,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<W, C: Codec> WriteNumber<W, C> {
    pub(super) fn new(writer: W, number: C::Number) -> Self {
        Self {
            writer,
            bytes: C::encode(number),
            written: 0,
            _pin: PhantomPinned,
        }
    }
}

impl<W: AsyncWrite, C: Codec> Future for WriteNumber<W, C> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut me = self.project();
        let bytes = me.bytes.as_ref();
        while usize::from(*me.written) < bytes.len() {
            let rest = &bytes[usize::from(*me.written)..];
            *me.written += ready!(poll_write_some(me.writer.as_mut(), cx, rest))? as u8;
        }
        Poll::Ready(Ok(()))
    }
}

/// The futures' names, one a method.
macro_rules! names {
    ($($name:ident = $order:ident<$number:ty>;)*) => {$(
        pub(super) type $name<W> = WriteNumber<W, $order<$number>>;
    )*};
}

names! {
    WriteU8 = Big<u8>;
    WriteI8 = Big<i8>;
    WriteU16 = Big<u16>;
    WriteI16 = Big<i16>;
    WriteU32 = Big<u32>;
    WriteI32 = Big<i32>;
    WriteU64 = Big<u64>;
    WriteI64 = Big<i64>;
    WriteU128 = Big<u128>;
    WriteI128 = Big<i128>;
    WriteF32 = Big<f32>;
    WriteF64 = Big<f64>;
    WriteU16Le = Little<u16>;
    WriteI16Le = Little<i16>;
    WriteU32Le = Little<u32>;
    WriteI32Le = Little<i32>;
    WriteU64Le = Little<u64>;
    WriteI64Le = Little<i64>;
    WriteU128Le = Little<u128>;
    WriteI128Le = Little<i128>;
    WriteF32Le = Little<f32>;
    WriteF64Le = Little<f64>;
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::io::test_support::{Step, Taking, poll_once, reader, writer};
    use crate::io::{AsyncReadExt, AsyncWriteExt};
    use futures::executor::block_on;
    use std::io;

    /// Writes `$value`, looks at the bytes, and reads it back.
    macro_rules! there_and_back {
        ($($write:ident, $read:ident, $to_bytes:ident, $value:expr;)*) => {
            block_on(async {$(
                let mut bytes = vec![];
                bytes.$write($value).await.unwrap();
                assert_eq!(bytes, $value.$to_bytes(), stringify!($write));
                assert_eq!((&bytes[..]).$read().await.unwrap(), $value, stringify!($read));
                // Two bytes at a time.
                let mut slow = writer((0..8).flat_map(|_| [Taking::Pending, Taking::Bytes(2)]));
                slow.$write($value).await.unwrap();
                assert_eq!(slow.written(), bytes);
                let mut slow =
                    reader(bytes.chunks(2).flat_map(|two| [Step::Pending, Step::data(two)]));
                assert_eq!(slow.$read().await.unwrap(), $value);
            )*})
        };
    }

    #[test]
    fn each_number_in_each_order() {
        there_and_back! {
            write_u8, read_u8, to_be_bytes, 0xfe_u8;
            write_i8, read_i8, to_be_bytes, -2_i8;
            write_u16, read_u16, to_be_bytes, 0x0102_u16;
            write_i16, read_i16, to_be_bytes, -0x0102_i16;
            write_u32, read_u32, to_be_bytes, 0x0102_0304_u32;
            write_i32, read_i32, to_be_bytes, -0x0102_0304_i32;
            write_u64, read_u64, to_be_bytes, 0x0102_0304_0506_0708_u64;
            write_i64, read_i64, to_be_bytes, -0x0102_0304_0506_0708_i64;
            write_u128, read_u128, to_be_bytes, u128::MAX / 3;
            write_i128, read_i128, to_be_bytes, i128::MIN / 3;
            write_f32, read_f32, to_be_bytes, 1.25e10_f32;
            write_f64, read_f64, to_be_bytes, -1.25e100_f64;
            write_u16_le, read_u16_le, to_le_bytes, 0x0102_u16;
            write_i16_le, read_i16_le, to_le_bytes, -0x0102_i16;
            write_u32_le, read_u32_le, to_le_bytes, 0x0102_0304_u32;
            write_i32_le, read_i32_le, to_le_bytes, -0x0102_0304_i32;
            write_u64_le, read_u64_le, to_le_bytes, 0x0102_0304_0506_0708_u64;
            write_i64_le, read_i64_le, to_le_bytes, -0x0102_0304_0506_0708_i64;
            write_u128_le, read_u128_le, to_le_bytes, u128::MAX / 3;
            write_i128_le, read_i128_le, to_le_bytes, i128::MIN / 3;
            write_f32_le, read_f32_le, to_le_bytes, 1.25e10_f32;
            write_f64_le, read_f64_le, to_le_bytes, -1.25e100_f64;
        }
    }

    #[test]
    fn an_end_within_a_number_is_an_error() {
        for short in [&b""[..], b"\x01\x02\x03"] {
            let error = block_on((&*short).read_u32()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
            assert!(error.get_ref().is_none(), "the kind says it all");
        }
        let error = block_on((&b""[..]).read_i8()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_writer_that_takes_nothing_is_an_error() {
        let mut full = writer([Taking::Bytes(1), Taking::Bytes(0)]);
        let error = block_on(full.write_u16(7)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn interruptions_are_passed_over() {
        let mut reader = reader([Step::Error(io::ErrorKind::Interrupted), Step::data([5])]);
        assert_eq!(block_on(reader.read_u8()).unwrap(), 5);
        let mut writer = writer([Taking::Error(io::ErrorKind::Interrupted), Taking::Bytes(1)]);
        block_on(writer.write_u8(5)).unwrap();
        assert_eq!(writer.written(), [5]);
    }

    #[test]
    fn a_single_byte_is_read_whole_or_not_at_all() {
        let mut reader = reader([Step::Pending, Step::data([5])]);
        assert!(poll_once(reader.read_u8()).is_pending());
        assert_eq!(block_on(reader.read_u8()).unwrap(), 5);
    }
}
