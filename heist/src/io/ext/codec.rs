//! Numbers as bytes, in either order: what the `read_*` and `write_*` methods have in common.

use std::fmt;
use std::marker::PhantomData;

/// A way to write a number as bytes.
pub trait Codec {
    /// The number.
    type Number: Copy;
    /// An array of as many bytes as the number has.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Default + fmt::Debug;

    /// The number's bytes.
    fn encode(number: Self::Number) -> Self::Bytes;

    /// The number those bytes stand for.
    fn decode(bytes: Self::Bytes) -> Self::Number;
}

/// The most significant byte first, as networks have it.
#[derive(Debug)]
pub struct Big<N>(PhantomData<N>);

/// The least significant byte first.
#[derive(Debug)]
pub struct Little<N>(PhantomData<N>);

macro_rules! codecs {
    ($($number:ty),*) => {$(
        impl Codec for Big<$number> {
            type Number = $number;
            type Bytes = [u8; size_of::<$number>()];

            #[inline]
            fn encode(number: Self::Number) -> Self::Bytes {
                number.to_be_bytes()
            }

            #[inline]
            fn decode(bytes: Self::Bytes) -> Self::Number {
                <$number>::from_be_bytes(bytes)
            }
        }

        impl Codec for Little<$number> {
            type Number = $number;
            type Bytes = [u8; size_of::<$number>()];

            #[inline]
            fn encode(number: Self::Number) -> Self::Bytes {
                number.to_le_bytes()
            }

            #[inline]
            fn decode(bytes: Self::Bytes) -> Self::Number {
                <$number>::from_le_bytes(bytes)
            }
        }
    )*};
}

codecs!(u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, f32, f64);
