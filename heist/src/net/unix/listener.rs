use std::fmt;
use std::io;
use std::os::unix::net;
use std::path::Path;
use std::task::{Context, Poll};

use super::addr::SocketAddr;
use super::stream::UnixStream;
use crate::io::{Interest, Ready};
use crate::net::evented::{Evented, check_nonblocking, retry};

/// A Unix domain socket that connections come to.
///
/// The file at its path stays when it is dropped: a server removes it before it binds again.
///
/// # Examples
///
/// ```no_run
/// use heist::net::UnixListener;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let listener = UnixListener::bind("/run/service")?;
/// loop {
///     let (stream, _peer) = listener.accept().await?;
///     println!("served {:?}", stream.peer_cred()?);
/// }
/// # }
/// ```
pub struct UnixListener {
    io: Evented<mio::net::UnixListener>,
}

impl UnixListener {
    /// Listens at `path`, where no file may be yet.
    ///
    /// # Errors
    ///
    /// The system's.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<Self> {
        let addr = SocketAddr::of(path.as_ref())?;
        Self::listening(mio::net::UnixListener::bind_addr(&addr)?)
    }

    /// Listens at this address, which may be one that is in no file system.
    ///
    /// # Errors
    ///
    /// The system's.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn bind_addr(addr: &SocketAddr) -> io::Result<Self> {
        Self::listening(mio::net::UnixListener::bind_addr(addr.as_std())?)
    }

    #[track_caller]
    pub(super) fn listening(io: mio::net::UnixListener) -> io::Result<Self> {
        let io = Evented::with_interest(io, Interest::READABLE, Ready::EMPTY)?;
        Ok(Self { io })
    }

    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// The system's; as for [`TcpListener::accept`](crate::net::TcpListener::accept).
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-accept-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::net::{UnixListener, UnixStream};
    ///
    /// let listener = UnixListener::bind(dir.join("socket"))?;
    /// let client = heist::spawn(UnixStream::connect(dir.join("socket")));
    /// let (server, _) = listener.accept().await?;
    /// # drop((server, client.await??));
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn accept(&self) -> io::Result<(UnixStream, SocketAddr)> {
        let (io, addr) = self
            .io
            .registration()
            .async_io(Interest::READABLE, || retry(|| self.io.accept()))
            .await?;
        Ok((UnixStream::accepted(io)?, addr.into()))
    }

    /// Takes a connection; if there is none, the task is woken when there is.
    ///
    /// Of several tasks that poll, only the last is woken.
    ///
    /// # Errors
    ///
    /// As [`accept`](Self::accept).
    #[inline]
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(UnixStream, SocketAddr)>> {
        self.io
            .registration()
            .poll_read_io(cx, || retry(|| self.io.accept()))
            .map(|accepted| {
                let (io, addr) = accepted?;
                Ok((UnixStream::accepted(io)?, addr.into()))
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
    #[track_caller]
    pub fn from_std(listener: net::UnixListener) -> io::Result<Self> {
        check_nonblocking(&listener)?;
        Self::listening(mio::net::UnixListener::from_std(listener))
    }

    /// Takes the listener out of the runtime. It stays non-blocking.
    ///
    /// # Errors
    ///
    /// The system's, if the runtime's selector does not give it back.
    pub fn into_std(self) -> io::Result<net::UnixListener> {
        self.io.into_inner().map(Into::into)
    }

    /// The address it listens at.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr().map(Into::into)
    }

    /// Takes the error that the socket has stored (`SO_ERROR`), and leaves none.
    ///
    /// # Errors
    ///
    /// The system's, if the question itself fails.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }
}

impl TryFrom<net::UnixListener> for UnixListener {
    type Error = io::Error;

    /// As [`from_std`](Self::from_std), with its panics.
    fn try_from(listener: net::UnixListener) -> io::Result<Self> {
        Self::from_std(listener)
    }
}

impl fmt::Debug for UnixListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io.fmt(f)
    }
}

descriptor_traits!(UnixListener);
