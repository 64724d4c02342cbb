use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::unix::net;
use std::path::Path;
use std::task::{Context, Poll};

use bytes::BufMut;

use super::addr::SocketAddr;
use crate::io::{Interest, ReadBuf, Ready};
use crate::net::evented::{Evented, check_nonblocking, fill, fill_chunk, retry};

/// A datagram socket to other processes on this machine.
///
/// Unlike UDP, nothing is lost or reordered on the way: a sender waits while the receiver's queue is
/// full.
///
/// # Examples
///
/// ```no_run
/// use heist::net::UnixDatagram;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let (near, far) = UnixDatagram::pair()?;
/// near.send(b"ping").await?;
/// let mut word = [0; 8];
/// let len = far.recv(&mut word).await?;
/// assert_eq!(&word[..len], b"ping");
/// # Ok(())
/// # }
/// ```
pub struct UnixDatagram {
    io: Evented<mio::net::UnixDatagram>,
}

datagram_methods!(UnixDatagram, net::UnixDatagram, SocketAddr);

impl UnixDatagram {
    /// A socket at `path`, where no file may be yet.
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
        Self::from_mio(mio::net::UnixDatagram::bind(path)?)
    }

    /// Two sockets, each connected to the other.
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
        let (a, b) = mio::net::UnixDatagram::pair()?;
        Ok((Self::from_mio(a)?, Self::from_mio(b)?))
    }

    /// A socket without a name. It can send, but nobody can answer.
    ///
    /// # Errors
    ///
    /// The system's.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn unbound() -> io::Result<Self> {
        Self::from_mio(mio::net::UnixDatagram::unbound()?)
    }

    /// Connects the socket: it sends to the one at `path`, and receives from no other.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn connect<P: AsRef<Path>>(&self, path: P) -> io::Result<()> {
        self.io.connect(path)
    }

    fn recv_from_into(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, SocketAddr)> {
        // std knows all kinds of these addresses, but no memory that is not initialised.
        let buf: *mut [MaybeUninit<u8>] = buf;
        // SAFETY: the same memory with the same length. All that `recv_from` does with it is to give
        // it to a system call that writes to it.
        let buf = unsafe { &mut *(buf as *mut [u8]) };
        let (n, addr) = self.io.recv_from(buf)?;
        Ok((n, addr.into()))
    }

    /// Sends `buf` as one datagram to the socket at `target`.
    ///
    /// # Errors
    ///
    /// The system's, or that the socket's runtime has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropped before it is done, nothing was sent.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-dgram-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::net::UnixDatagram;
    ///
    /// let server = UnixDatagram::bind(dir.join("socket"))?;
    /// let client = UnixDatagram::unbound()?;
    /// client.send_to(b"hello", dir.join("socket")).await?;
    /// assert_eq!(server.recv(&mut [0; 64]).await?, 5);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        let target = target.as_ref();
        self.io
            .registration()
            .async_io(Interest::WRITABLE, || {
                retry(|| self.io.send_to(buf, target))
            })
            .await
    }

    /// As [`send_to`](Self::send_to); if there is no room, the task is woken when there is.
    ///
    /// Of several tasks that poll to send, only the last is woken.
    ///
    /// # Errors
    ///
    /// As [`send_to`](Self::send_to).
    pub fn poll_send_to<P: AsRef<Path>>(
        &self,
        cx: &mut Context<'_>,
        buf: &[u8],
        target: P,
    ) -> Poll<io::Result<usize>> {
        let target = target.as_ref();
        self.io
            .registration()
            .poll_write_io(cx, || retry(|| self.io.send_to(buf, target)))
    }

    /// As [`send_to`](Self::send_to), without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if there is no room now; wait with [`writable`](Self::writable). Else the
    /// system's.
    pub fn try_send_to<P: AsRef<Path>>(&self, buf: &[u8], target: P) -> io::Result<usize> {
        let target = target.as_ref();
        self.io.registration().try_io(Interest::WRITABLE, || {
            retry(|| self.io.send_to(buf, target))
        })
    }

    /// Ends receiving, sending or both.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.io.shutdown(how)
    }
}
