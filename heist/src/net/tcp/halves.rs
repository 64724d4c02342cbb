use std::fmt;
use std::future::poll_fn;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BufMut;

use crate::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use crate::loom::sync::Arc;
use crate::net::TcpStream;

stream_halves!(TcpStream, SocketAddr);

/// Looking ahead, which only the halves of TCP streams can.
macro_rules! peek {
    ($($Half:ty),*) => {$(
        impl $Half {
            /// As [`TcpStream::poll_peek`], with its errors.
            pub fn poll_peek(
                &mut self,
                cx: &mut Context<'_>,
                buf: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<usize>> {
                self.as_ref().poll_peek(cx, buf)
            }

            /// As [`TcpStream::peek`], with its errors.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: nothing is taken from the stream.
            pub async fn peek(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let mut buf = ReadBuf::new(buf);
                poll_fn(|cx| self.poll_peek(cx, &mut buf)).await
            }
        }
    )*};
}

peek!(ReadHalf<'_>, OwnedReadHalf);
