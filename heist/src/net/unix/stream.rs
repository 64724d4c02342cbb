use std::fmt;
use std::future::poll_fn;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BufMut;

use super::addr::SocketAddr;
use super::halves::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
use super::ucred::UCred;
use crate::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use crate::loom::sync::Arc;
use crate::net::evented::{Evented, check_nonblocking, retry};

/// A stream to another process on this machine.
///
/// Made by [`connect`](Self::connect), by [`pair`](Self::pair), or by
/// [`UnixListener::accept`](crate::net::UnixListener::accept). It is read and written with the methods
/// of [`AsyncReadExt`](crate::io::AsyncReadExt) and [`AsyncWriteExt`](crate::io::AsyncWriteExt).
/// Dropping it closes both directions; `shutdown` ends the writing side and leaves the other open.
///
/// # Examples
///
/// ```no_run
/// use heist::io::{AsyncReadExt, AsyncWriteExt};
/// use heist::net::UnixStream;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let (mut near, mut far) = UnixStream::pair()?;
/// near.write_all(b"ping").await?;
/// let mut word = [0; 4];
/// far.read_exact(&mut word).await?;
/// assert_eq!(&word, b"ping");
/// # Ok(())
/// # }
/// ```
pub struct UnixStream {
    io: Evented<mio::net::UnixStream>,
}

stream_methods!(UnixStream, net::UnixStream, SocketAddr);

impl UnixStream {
    /// Connects to the socket at `path`.
    ///
    /// # Errors
    ///
    /// The system's: nobody listens there, or the listener's queue is full (`WouldBlock`).
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-connect-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::io::AsyncWriteExt;
    /// use heist::net::{UnixListener, UnixStream};
    ///
    /// let listener = UnixListener::bind(dir.join("socket"))?;
    /// let mut client = UnixStream::connect(dir.join("socket")).await?;
    /// client.write_all(b"hello").await?;
    /// # drop(listener);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect<P: AsRef<Path>>(path: P) -> io::Result<Self> {
        let io = mio::net::UnixStream::connect_addr(&SocketAddr::of(path.as_ref())?)?;
        Self::connecting(io).await
    }

    /// Connects to the socket with this address, which may be one that is in no file system.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect).
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Cancel safety
    ///
    /// As [`connect`](Self::connect).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-connect-addr-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::net::{UnixListener, UnixStream};
    ///
    /// let listener = UnixListener::bind(dir.join("socket"))?;
    /// let address = listener.local_addr()?;
    /// let client = UnixStream::connect_addr(&address).await?;
    /// # drop(client);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect_addr(addr: &SocketAddr) -> io::Result<Self> {
        let io = mio::net::UnixStream::connect_addr(addr.as_std())?;
        Self::connecting(io).await
    }

    /// Unix sockets connect at once or not at all; systems where they do not say so by an event.
    pub(super) async fn connecting(io: mio::net::UnixStream) -> io::Result<Self> {
        let is_done = cfg!(any(target_os = "linux", target_os = "android"));
        let ready = if is_done {
            Ready::WRITABLE
        } else {
            Ready::EMPTY
        };
        let stream = Self {
            io: Evented::assumed(io, ready)?,
        };
        poll_fn(|cx| stream.io.registration().poll_write_ready(cx)).await?;
        match stream.io.take_error()? {
            Some(e) => Err(e),
            None => Ok(stream),
        }
    }

    /// A connection that somebody else made. It can be written, and often read, at once.
    pub(super) fn accepted(io: mio::net::UnixStream) -> io::Result<Self> {
        let io = Evented::accepted(io, Ready::READABLE | Ready::WRITABLE)?;
        Ok(Self { io })
    }

    /// Two streams, each the other's peer.
    ///
    /// # Errors
    ///
    /// The system's.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn pair() -> io::Result<(Self, Self)> {
        let (a, b) = mio::net::UnixStream::pair()?;
        let a = Evented::assumed(a, Ready::WRITABLE)?;
        let b = Evented::assumed(b, Ready::WRITABLE)?;
        Ok((Self { io: a }, Self { io: b }))
    }

    /// Who is at the other side.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn peer_cred(&self) -> io::Result<UCred> {
        UCred::of_peer(self.as_fd())
    }
}
