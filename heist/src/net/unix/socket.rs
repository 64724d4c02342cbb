use std::io;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::path::Path;

use socket2::{Domain, SockAddr, Socket, Type};

use super::datagram::UnixDatagram;
use super::listener::UnixListener;
use super::stream::UnixStream;

/// A Unix domain socket that is neither connected nor listening yet.
///
/// For what [`UnixStream`], [`UnixListener`] and [`UnixDatagram`] do not offer themselves: to bind a
/// socket before it connects, or to choose the length of a listener's queue.
#[derive(Debug)]
pub struct UnixSocket {
    io: Socket,
}

impl UnixSocket {
    /// A socket for datagrams.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn new_datagram() -> io::Result<Self> {
        Self::new(Type::DGRAM)
    }

    /// A socket for a stream.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn new_stream() -> io::Result<Self> {
        Self::new(Type::STREAM)
    }

    fn new(ty: Type) -> io::Result<Self> {
        let io = Socket::new(Domain::UNIX, ty, None)?;
        io.set_nonblocking(true)?;
        Ok(Self { io })
    }

    /// The error of using a socket for what it is not. Only of these two types: others, such as one of packets in
    /// sequence, can be both.
    fn check(&self, wanted: Type, method: &str) -> io::Result<()> {
        let (unfit, kind) = match wanted {
            Type::STREAM => (Type::DGRAM, "datagram"),
            _ => (Type::STREAM, "stream"),
        };
        if self.io.r#type()? != unfit {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "{method} cannot be called on a {kind} socket"
        )))
    }

    /// Binds the socket to `path`, where no file may be yet.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn bind(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.io.bind(&SockAddr::unix(path)?)
    }

    /// Listens, with a queue of `backlog` connections that nobody has accepted yet.
    ///
    /// # Errors
    ///
    /// The system's, or that it is a datagram socket.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn listen(self, backlog: u32) -> io::Result<UnixListener> {
        self.check(Type::STREAM, "listen")?;
        self.io.listen(backlog.try_into().unwrap_or(i32::MAX))?;
        UnixListener::listening(OwnedFd::from(self.io).into())
    }

    /// Connects to the socket at `path`.
    ///
    /// # Errors
    ///
    /// The system's, or that it is a datagram socket.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Cancel safety
    ///
    /// The socket is closed if the future is dropped. The other side may see a connection that ends
    /// at once.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-socket-connect-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::net::{UnixListener, UnixSocket};
    ///
    /// let listener = UnixListener::bind(dir.join("socket"))?;
    /// let socket = UnixSocket::new_stream()?;
    /// let client = socket.connect(dir.join("socket")).await?;
    /// # drop((listener, client));
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(self, path: impl AsRef<Path>) -> io::Result<UnixStream> {
        self.check(Type::STREAM, "connect")?;
        match self.io.connect(&SockAddr::unix(path)?) {
            Err(e) if e.raw_os_error() != Some(libc::EINPROGRESS) => return Err(e),
            _ => {}
        }
        UnixStream::connecting(OwnedFd::from(self.io).into()).await
    }

    /// Makes a datagram socket of it.
    ///
    /// # Errors
    ///
    /// The system's, or that it is a stream socket.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn datagram(self) -> io::Result<UnixDatagram> {
        self.check(Type::DGRAM, "datagram")?;
        UnixDatagram::from_mio(OwnedFd::from(self.io).into())
    }
}

impl IntoRawFd for UnixSocket {
    fn into_raw_fd(self) -> RawFd {
        self.io.into_raw_fd()
    }
}

impl FromRawFd for UnixSocket {
    /// The descriptor is a Unix domain socket's, and non-blocking.
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

descriptor_traits!(UnixSocket);
