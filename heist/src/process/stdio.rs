//! The pipes to and from a child.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};

use socket2::SockRef;

use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use crate::net::unix::pipe;

/// What the three have in common.
macro_rules! child_pipe {
    ($Pipe:ident, $End:ident, $doc:literal) => {
        #[doc = $doc]
        ///
        /// It belongs to the runtime it is made in, and is closed when dropped.
        #[derive(Debug)]
        pub struct $Pipe {
            pipe: pipe::$End,
        }

        impl $Pipe {
            #[doc = concat!("Takes a [`std::process::", stringify!($Pipe), "`], and makes it")]
            /// non-blocking.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime has shut down.
            ///
            /// # Panics
            ///
            /// Outside a runtime with I/O.
            #[track_caller]
            pub fn from_std(inner: std::process::$Pipe) -> io::Result<Self> {
                // It need not be a pipe: `std` takes any descriptor for one.
                let fd = OwnedFd::from(inner);
                SockRef::from(&fd).set_nonblocking(true)?;
                let pipe = pipe::$End::from_owned_fd_unchecked(fd)?;
                Ok(Self { pipe })
            }

            /// Takes the descriptor out of the runtime, and makes it blocking.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn into_owned_fd(self) -> io::Result<OwnedFd> {
                self.pipe.into_blocking_fd()
            }
        }

        /// For another child to have as its input or output.
        impl TryInto<Stdio> for $Pipe {
            type Error = io::Error;

            fn try_into(self) -> io::Result<Stdio> {
                self.into_owned_fd().map(Stdio::from)
            }
        }

        impl AsFd for $Pipe {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.pipe.as_fd()
            }
        }

        impl AsRawFd for $Pipe {
            fn as_raw_fd(&self) -> RawFd {
                self.pipe.as_raw_fd()
            }
        }
    };
}

child_pipe!(
    ChildStdin,
    Sender,
    "Where a child's standard input comes from."
);
child_pipe!(
    ChildStdout,
    Receiver,
    "Where a child's standard output goes to."
);
child_pipe!(
    ChildStderr,
    Receiver,
    "Where a child's standard error goes to."
);

impl AsyncWrite for ChildStdin {
    #[inline]
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.pipe).poll_write(cx, buf)
    }

    #[inline]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.pipe).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.pipe.is_write_vectored()
    }

    /// Nothing is held back: what is written is the system's.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_flush(cx)
    }

    /// Does nothing: the child sees the end when the pipe is dropped.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_shutdown(cx)
    }
}

impl AsyncRead for ChildStdout {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_read(cx, buf)
    }
}

impl AsyncRead for ChildStderr {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_read(cx, buf)
    }
}
