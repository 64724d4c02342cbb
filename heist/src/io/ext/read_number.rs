//! `read_u8` to `read_f64_le`: one future for all of them.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::AsyncRead;
use crate::io::ext::codec::{Big, Codec, Little};
use crate::io::ext::read::poll_fill;

pin_project! {
    /// Reads the bytes of one number.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadNumber<R, C>
    where
        C: Codec,
    {
        #[pin]
        reader: R,
        bytes: C::Bytes,
        read: u8,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<R, C: Codec> ReadNumber<R, C> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            bytes: C::Bytes::default(),
            read: 0,
            _pin: PhantomPinned,
        }
    }
}

impl<R: AsyncRead, C: Codec> Future for ReadNumber<R, C> {
    type Output = io::Result<C::Number>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        let mut read = usize::from(*me.read);
        let result = poll_fill(me.reader, cx, me.bytes.as_mut(), &mut read);
        *me.read = read as u8;
        Poll::Ready(match ready!(result)? {
            true => Ok(C::decode(*me.bytes)),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        })
    }
}

/// The futures' names, one a method.
macro_rules! names {
    ($($name:ident = $order:ident<$number:ty>;)*) => {$(
        pub(super) type $name<R> = ReadNumber<R, $order<$number>>;
    )*};
}

names! {
    ReadU8 = Big<u8>;
    ReadI8 = Big<i8>;
    ReadU16 = Big<u16>;
    ReadI16 = Big<i16>;
    ReadU32 = Big<u32>;
    ReadI32 = Big<i32>;
    ReadU64 = Big<u64>;
    ReadI64 = Big<i64>;
    ReadU128 = Big<u128>;
    ReadI128 = Big<i128>;
    ReadF32 = Big<f32>;
    ReadF64 = Big<f64>;
    ReadU16Le = Little<u16>;
    ReadI16Le = Little<i16>;
    ReadU32Le = Little<u32>;
    ReadI32Le = Little<i32>;
    ReadU64Le = Little<u64>;
    ReadI64Le = Little<i64>;
    ReadU128Le = Little<u128>;
    ReadI128Le = Little<i128>;
    ReadF32Le = Little<f32>;
    ReadF64Le = Little<f64>;
}
