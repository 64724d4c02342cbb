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
            ///
            /// # Examples
            ///
            /// ```
            /// # #[heist::main(flavor = "current_thread")]
            /// # async fn main() -> std::io::Result<()> {
            /// use heist::io::{AsyncReadExt, AsyncWriteExt};
            /// use heist::net::{TcpListener, TcpStream};
            ///
            /// let listener = TcpListener::bind("127.0.0.1:0").await?;
            /// let mut client = TcpStream::connect(listener.local_addr()?).await?;
            /// let (server, _) = listener.accept().await?;
            /// client.write_all(b"hi").await?;
            ///
            /// let (mut read, _write) = server.into_split();
            /// let mut buf = [0; 1];
            /// assert_eq!(read.peek(&mut buf).await?, 1);
            /// // It is still there.
            /// let mut buf = [0; 2];
            /// read.read_exact(&mut buf).await?;
            /// assert_eq!(&buf, b"hi");
            /// # Ok(())
            /// # }
            /// ```
            pub async fn peek(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let mut buf = ReadBuf::new(buf);
                poll_fn(|cx| self.poll_peek(cx, &mut buf)).await
            }
        }
    )*};
}

peek!(ReadHalf<'_>, OwnedReadHalf);
