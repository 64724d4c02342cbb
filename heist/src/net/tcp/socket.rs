use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

use super::listener::TcpListener;
use super::stream::TcpStream;

/// A TCP socket that is neither connected nor listening yet: the place to set options first.
///
/// # Examples
///
/// ```no_run
/// use heist::net::TcpSocket;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let socket = TcpSocket::new_v4()?;
/// socket.set_reuseaddr(true)?;
/// socket.bind("127.0.0.1:8080".parse().unwrap())?;
/// let listener = socket.listen(1024)?;
/// # drop(listener);
/// # Ok(())
/// # }
/// ```
pub struct TcpSocket {
    io: Socket,
}

ip_options!(TcpSocket, |self| self.io);

impl TcpSocket {
    /// A socket for IPv4.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn new_v4() -> io::Result<Self> {
        Self::new(Domain::IPV4)
    }

    /// A socket for IPv6.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn new_v6() -> io::Result<Self> {
        Self::new(Domain::IPV6)
    }

    fn new(domain: Domain) -> io::Result<Self> {
        // Closed on `exec`, as all sockets of socket2's are.
        let io = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
        io.set_nonblocking(true)?;
        Ok(Self { io })
    }

    /// Takes a stream of std's, made elsewhere, to be connected or listened on.
    ///
    /// The stream must be non-blocking and not connected; this does not check it.
    pub fn from_std_stream(std_stream: std::net::TcpStream) -> Self {
        Self {
            io: Socket::from(std_stream),
        }
    }

    /// Whether an idle connection is probed (`SO_KEEPALIVE`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn keepalive(&self) -> io::Result<bool> {
        self.io.keepalive()
    }

    /// Probes an idle connection, or not (`SO_KEEPALIVE`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_keepalive(&self, keepalive: bool) -> io::Result<()> {
        self.io.set_keepalive(keepalive)
    }

    /// Whether an address can be bound that is in use (`SO_REUSEADDR`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn reuseaddr(&self) -> io::Result<bool> {
        self.io.reuse_address()
    }

    /// Lets an address be bound that is in use (`SO_REUSEADDR`). What that means differs between systems.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_reuseaddr(&self, reuseaddr: bool) -> io::Result<()> {
        self.io.set_reuse_address(reuseaddr)
    }

    /// Whether several sockets can be bound to the port (`SO_REUSEPORT`).
    ///
    /// # Errors
    ///
    /// The system's.
    #[cfg(all(
        unix,
        not(any(target_os = "solaris", target_os = "illumos", target_os = "cygwin"))
    ))]
    pub fn reuseport(&self) -> io::Result<bool> {
        self.io.reuse_port()
    }

    /// Lets several sockets be bound to the port (`SO_REUSEPORT`). Where connections then go differs
    /// between systems.
    ///
    /// # Errors
    ///
    /// The system's.
    #[cfg(all(
        unix,
        not(any(target_os = "solaris", target_os = "illumos", target_os = "cygwin"))
    ))]
    pub fn set_reuseport(&self, reuseport: bool) -> io::Result<()> {
        self.io.set_reuse_port(reuseport)
    }

    /// How much the system holds to be sent (`SO_SNDBUF`). Linux tells twice what was set.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn send_buffer_size(&self) -> io::Result<u32> {
        self.io.send_buffer_size().map(|size| size as u32)
    }

    /// Wishes for how much the system holds to be sent (`SO_SNDBUF`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_send_buffer_size(&self, size: u32) -> io::Result<()> {
        self.io.set_send_buffer_size(size as usize)
    }

    /// How much the system holds to be read (`SO_RCVBUF`). Linux tells twice what was set.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn recv_buffer_size(&self) -> io::Result<u32> {
        self.io.recv_buffer_size().map(|size| size as u32)
    }

    /// Wishes for how much the system holds to be read (`SO_RCVBUF`). It matters before connecting or
    /// listening: the window is agreed on then.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_recv_buffer_size(&self, size: u32) -> io::Result<()> {
        self.io.set_recv_buffer_size(size as usize)
    }

    /// Whether small writes are sent at once (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.io.tcp_nodelay()
    }

    /// Sends small writes at once, or lets the system gather them (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.io.set_tcp_nodelay(nodelay)
    }

    /// How long closing waits for what is not sent yet (`SO_LINGER`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        self.io.linger()
    }

    /// Makes closing wait for what is not sent yet (`SO_LINGER`), for at most this long.
    ///
    /// # Errors
    ///
    /// The system's.
    #[deprecated = "with a time to linger, dropping the socket blocks the thread"]
    pub fn set_linger(&self, dur: Option<Duration>) -> io::Result<()> {
        self.io.set_linger(dur)
    }

    /// Makes closing give up what is not sent yet, and reset the connection (`SO_LINGER` of zero).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.io.set_linger(Some(Duration::ZERO))
    }

    /// This side's address.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()?.as_socket().ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "neither an IPv4 nor an IPv6 address",
            )
        })
    }

    /// Takes the error that the socket has stored (`SO_ERROR`), and leaves none.
    ///
    /// # Errors
    ///
    /// The system's, if the question itself fails.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }

    /// Binds the socket to an address of this side.
    ///
    /// # Errors
    ///
    /// The system's, for example that the address is in use.
    pub fn bind(&self, addr: SocketAddr) -> io::Result<()> {
        self.io.bind(&addr.into())
    }

    /// Connects to `addr`.
    ///
    /// # Errors
    ///
    /// The system's, for example that nobody listens there.
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
    /// use heist::net::{TcpListener, TcpSocket};
    ///
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_nodelay(true)?;
    /// let stream = socket.connect(listener.local_addr()?).await?;
    /// assert!(stream.nodelay()?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(self, addr: SocketAddr) -> io::Result<TcpStream> {
        match self.io.connect(&addr.into()) {
            // Interrupted, it goes on in the background all the same.
            Err(e)
                if e.raw_os_error() != Some(libc::EINPROGRESS)
                    && e.kind() != io::ErrorKind::Interrupted =>
            {
                return Err(e);
            }
            _ => {}
        }
        TcpStream::connecting(OwnedFd::from(self.io).into()).await
    }

    /// Listens, with a queue of `backlog` connections that nobody has accepted yet.
    ///
    /// # Errors
    ///
    /// The system's.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    pub fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        self.io.listen(backlog.try_into().unwrap_or(i32::MAX))?;
        TcpListener::listening(OwnedFd::from(self.io).into())
    }
}

impl fmt::Debug for TcpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

impl IntoRawFd for TcpSocket {
    fn into_raw_fd(self) -> RawFd {
        self.io.into_raw_fd()
    }
}

impl FromRawFd for TcpSocket {
    /// The descriptor is a TCP socket's, and non-blocking.
    ///
    /// # Safety
    ///
    /// As [`FromRawFd`] says: the descriptor is open, and now this socket's alone.
    unsafe fn from_raw_fd(fd: RawFd) -> Self {
        // SAFETY: the caller's promise is the one asked for.
        let io = unsafe { Socket::from_raw_fd(fd) };
        Self { io }
    }
}

descriptor_traits!(TcpSocket);
