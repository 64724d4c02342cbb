use std::fmt;
use std::future::poll_fn;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::BufMut;

use super::halves::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
use crate::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use crate::loom::sync::Arc;
use crate::net::ToSocketAddrs;
use crate::net::addr::{no_address, to_socket_addrs};
use crate::net::evented::{Evented, check_nonblocking, retry};

/// A TCP connection.
///
/// Made by [`connect`](Self::connect), or by
/// [`TcpListener::accept`](crate::net::TcpListener::accept). It is read and written with the methods
/// of [`AsyncReadExt`](crate::io::AsyncReadExt) and [`AsyncWriteExt`](crate::io::AsyncWriteExt).
/// Dropping it closes both directions; `shutdown` ends the writing side and leaves the other open.
///
/// # Examples
///
/// ```no_run
/// use heist::io::AsyncWriteExt;
/// use heist::net::TcpStream;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let mut stream = TcpStream::connect("127.0.0.1:8080").await?;
/// stream.write_all(b"hello world!").await?;
/// # Ok(())
/// # }
/// ```
pub struct TcpStream {
    io: Evented<mio::net::TcpStream>,
}

stream_methods!(TcpStream, std::net::TcpStream, SocketAddr);

impl TcpStream {
    /// Connects to an address; to the first that works, if there are several.
    ///
    /// [`TcpSocket`](crate::net::TcpSocket) connects with options.
    ///
    /// # Errors
    ///
    /// The last address's error; `InvalidInput` if the name stands for none.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the connection up.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::net::{TcpListener, TcpStream};
    ///
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let stream = TcpStream::connect(listener.local_addr()?).await?;
    /// assert_eq!(stream.peer_addr()?, listener.local_addr()?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        let mut last = None;
        for addr in to_socket_addrs(addr).await? {
            let connected = match mio::net::TcpStream::connect(addr) {
                Ok(io) => Self::connecting(io).await,
                Err(e) => Err(e),
            };
            match connected {
                Ok(stream) => return Ok(stream),
                Err(e) => last = Some(e),
            }
        }
        Err(last.unwrap_or_else(no_address))
    }

    /// Waits until a socket that is connecting has done so, or failed.
    pub(super) async fn connecting(io: mio::net::TcpStream) -> io::Result<Self> {
        let stream = Self {
            io: Evented::new(io)?,
        };
        // Writable is how the system says that it is over, either way.
        poll_fn(|cx| stream.io.registration().poll_write_ready(cx)).await?;
        match stream.io.take_error()? {
            Some(e) => Err(e),
            None => Ok(stream),
        }
    }

    /// A connection that somebody else made. It can be written, and often read, at once.
    pub(super) fn accepted(io: mio::net::TcpStream) -> io::Result<Self> {
        let io = Evented::accepted(io, Ready::READABLE | Ready::WRITABLE)?;
        Ok(Self { io })
    }

    /// Looks at what is there to read, and leaves it there; if nothing is, the task is woken when
    /// something is. Gives the number of bytes it put into `buf`; 0 is the end of the stream, or a full
    /// `buf`.
    ///
    /// Of several tasks that poll to read, only the last is woken.
    ///
    /// # Errors
    ///
    /// The system's, or that the stream's runtime has shut down.
    #[inline]
    pub fn poll_peek(
        &self,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        self.io.poll_peek(cx, buf)
    }

    /// Looks at what is there to read, waiting until something is, and leaves it there.
    ///
    /// # Errors
    ///
    /// The system's, or that the stream's runtime has shut down.
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
    /// let (mut server, _) = listener.accept().await?;
    /// client.write_all(b"hello").await?;
    ///
    /// let (mut ahead, mut read) = ([0; 10], [0; 10]);
    /// let n = server.peek(&mut ahead).await?;
    /// assert_eq!(server.read(&mut read[..n]).await?, n);
    /// assert_eq!(ahead[..n], read[..n]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io
            .registration()
            .async_io(Interest::READABLE, || retry(|| self.io.peek(buf)))
            .await
    }

    /// Whether small writes are sent at once (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.io.nodelay()
    }

    /// Sends small writes at once, or lets the system gather them (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.io.set_nodelay(nodelay)
    }

    /// Whether what arrives is acknowledged at once (`TCP_QUICKACK`).
    ///
    /// # Errors
    ///
    /// The system's.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn quickack(&self) -> io::Result<bool> {
        self.io.socket().tcp_quickack()
    }

    /// Acknowledges what arrives at once, or later (`TCP_QUICKACK`).
    ///
    /// The system does not keep it for ever: it is a wish for what comes next.
    ///
    /// # Errors
    ///
    /// The system's.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn set_quickack(&self, quickack: bool) -> io::Result<()> {
        self.io.socket().set_tcp_quickack(quickack)
    }

    /// How long closing waits for what is not sent yet (`SO_LINGER`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        self.io.socket().linger()
    }

    /// Makes closing wait for what is not sent yet (`SO_LINGER`), for at most this long.
    ///
    /// # Errors
    ///
    /// The system's.
    #[deprecated = "with a time to linger, dropping the socket blocks the thread"]
    pub fn set_linger(&self, dur: Option<Duration>) -> io::Result<()> {
        self.io.socket().set_linger(dur)
    }

    /// Makes closing give up what is not sent yet, and reset the connection (`SO_LINGER` of zero).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.io.socket().set_linger(Some(Duration::ZERO))
    }

    /// How many hops a packet may take (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn ttl(&self) -> io::Result<u32> {
        self.io.ttl()
    }

    /// Sets how many hops a packet may take (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }
}
