use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use super::socket::TcpSocket;
use super::stream::TcpStream;
use crate::io::{Interest, Ready};
use crate::net::ToSocketAddrs;
use crate::net::addr::{to_socket_addrs, try_each};
use crate::net::evented::{Evented, check_nonblocking, retry};

/// How many connections may wait to be accepted. With the 128 that are usual elsewhere, a burst of more has some of its
/// clients try again a second later, or three.
const BACKLOG: u32 = 1024;

/// A TCP socket that connections come to.
///
/// # Examples
///
/// ```no_run
/// use heist::net::TcpListener;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let listener = TcpListener::bind("127.0.0.1:8080").await?;
/// loop {
///     let (stream, peer) = listener.accept().await?;
///     heist::spawn(async move {
///         println!("{peer} is there");
///         drop(stream);
///     });
/// }
/// # }
/// ```
pub struct TcpListener {
    io: Evented<mio::net::TcpListener>,
}

impl TcpListener {
    /// Listens on an address; on the first that works, if there are several. Port 0 takes one that is
    /// free: [`local_addr`](Self::local_addr) tells which.
    ///
    /// The socket has `SO_REUSEADDR` and a queue of 1,024 connections that nobody has accepted yet;
    /// [`TcpSocket`] gives the choice.
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
    /// Cancel safe: a socket that was bound in vain is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::net::TcpListener;
    ///
    /// // Any free port, on this machine only.
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// println!("listening on {}", listener.local_addr()?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        try_each(to_socket_addrs(addr).await?, |addr| {
            let socket = match addr {
                SocketAddr::V4(_) => TcpSocket::new_v4()?,
                SocketAddr::V6(_) => TcpSocket::new_v6()?,
            };
            socket.set_reuseaddr(cfg!(unix))?;
            socket.bind(addr)?;
            socket.listen(BACKLOG)
        })
    }

    pub(super) fn listening(io: mio::net::TcpListener) -> io::Result<Self> {
        let io = Evented::with_interest(io, Interest::READABLE, Ready::EMPTY)?;
        Ok(Self { io })
    }

    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// The system's. Most concern one connection, or pass: a server goes on after them. At the limit
    /// of descriptors (`EMFILE`) the connection stays in the queue and every call fails at once until
    /// one is free, so a server had better pause before the next.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no connection is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::net::{TcpListener, TcpStream};
    ///
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let address = listener.local_addr()?;
    /// let client = heist::spawn(TcpStream::connect(address));
    /// let (server, from) = listener.accept().await?;
    /// assert_eq!(from, client.await??.local_addr()?);
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (io, addr) = self
            .io
            .registration()
            .async_io(Interest::READABLE, || retry(|| self.io.accept()))
            .await?;
        Ok((TcpStream::accepted(io)?, addr))
    }

    /// Takes a connection; if there is none, the task is woken when there is.
    ///
    /// Of several tasks that poll, only the last is woken.
    ///
    /// # Errors
    ///
    /// As [`accept`](Self::accept).
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        self.io
            .registration()
            .poll_read_io(cx, || retry(|| self.io.accept()))
            .map(|accepted| {
                let (io, addr) = accepted?;
                Ok((TcpStream::accepted(io)?, addr))
            })
    }

    /// Ties a listener of std's to the current runtime.
    ///
    /// The listener must be non-blocking; this does not make it so.
    ///
    /// # Errors
    ///
    /// The system's, if the listener cannot be watched.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O; and, in builds with debug assertions, if the listener blocks.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use heist::net::TcpListener;
    ///
    /// # #[heist::main]
    /// # async fn main() -> std::io::Result<()> {
    /// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// listener.set_nonblocking(true)?;
    /// let listener = TcpListener::from_std(listener)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn from_std(listener: std::net::TcpListener) -> io::Result<Self> {
        check_nonblocking(&listener)?;
        let io = mio::net::TcpListener::from_std(listener);
        let io = Evented::with_interest(io, Interest::READABLE, Ready::EMPTY)?;
        Ok(Self { io })
    }

    /// Takes the listener out of the runtime. It stays non-blocking.
    ///
    /// # Errors
    ///
    /// The system's, if the runtime's selector does not give it back.
    pub fn into_std(self) -> io::Result<std::net::TcpListener> {
        self.io.into_inner().map(Into::into)
    }

    /// The address it listens on.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
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

impl TryFrom<std::net::TcpListener> for TcpListener {
    type Error = io::Error;

    /// As [`from_std`](Self::from_std), with its panics.
    fn try_from(listener: std::net::TcpListener) -> io::Result<Self> {
        Self::from_std(listener)
    }
}

impl fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

descriptor_traits!(TcpListener);
