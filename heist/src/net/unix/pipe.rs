//! Pipes: one end writes, the other reads.
//!
//! [`pipe`] makes an anonymous one; [`OpenOptions`] opens a named one (a FIFO).
//!
//! # Examples
//!
//! ```no_run
//! use heist::io::{AsyncReadExt, AsyncWriteExt};
//! use heist::net::unix::pipe;
//!
//! # #[heist::main]
//! # async fn main() -> std::io::Result<()> {
//! let (mut sender, mut receiver) = pipe::pipe()?;
//! sender.write_all(b"hello").await?;
//! drop(sender);
//! let mut text = String::new();
//! receiver.read_to_string(&mut text).await?;
//! assert_eq!(text, "hello");
//! # Ok(())
//! # }
//! ```

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BufMut;

use crate::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use crate::net::evented::{Evented, fill, fill_chunk, for_one_call, retry};

/// Makes a pipe.
///
/// # Errors
///
/// The system's.
///
/// # Panics
///
/// Outside a runtime with I/O.
#[track_caller]
pub fn pipe() -> io::Result<(Sender, Receiver)> {
    let (sender, receiver) = mio::unix::pipe::new()?;
    Ok((Sender::from_mio(sender)?, Receiver::from_mio(receiver)?))
}

/// How to open a named pipe.
///
/// # Examples
///
/// ```no_run
/// use heist::net::unix::pipe;
///
/// # fn open() -> std::io::Result<()> {
/// let receiver = pipe::OpenOptions::new().open_receiver("/run/commands")?;
/// # drop(receiver);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    read_write: bool,
    unchecked: bool,
}

impl OpenOptions {
    /// One end, and it must be a pipe.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the pipe to read and to write, whichever end is asked for.
    ///
    /// A sender can then be opened before any receiver is there, and a receiver does not come to the
    /// end when the last sender goes.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn read_write(&mut self, value: bool) -> &mut Self {
        self.read_write = value;
        self
    }

    /// Does not check that the file is a pipe.
    pub fn unchecked(&mut self, value: bool) -> &mut Self {
        self.unchecked = value;
        self
    }

    /// Opens the end that reads. It does not wait for a sender.
    ///
    /// # Errors
    ///
    /// The system's; `InvalidInput` if the file is not a pipe.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn open_receiver<P: AsRef<Path>>(&self, path: P) -> io::Result<Receiver> {
        let mut options = std::fs::OpenOptions::new();
        Receiver::from_file_unchecked(self.open(options.read(true), path.as_ref())?)
    }

    /// Opens the end that writes. It does not wait for a receiver.
    ///
    /// # Errors
    ///
    /// The system's: `ENXIO` if nobody has the other end open. `InvalidInput` if the file is not a
    /// pipe.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn open_sender<P: AsRef<Path>>(&self, path: P) -> io::Result<Sender> {
        let mut options = std::fs::OpenOptions::new();
        Sender::from_file_unchecked(self.open(options.write(true), path.as_ref())?)
    }

    fn open(&self, options: &mut std::fs::OpenOptions, path: &Path) -> io::Result<File> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self.read_write {
            options.read(true).write(true);
        }
        let file = options.custom_flags(libc::O_NONBLOCK).open(path)?;
        if !self.unchecked {
            check_pipe(&file)?;
        }
        Ok(file)
    }
}

fn check_pipe(file: &File) -> io::Result<()> {
    if file.metadata()?.file_type().is_fifo() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a pipe"))
    }
}

fn flags(fd: BorrowedFd<'_>) -> io::Result<libc::c_int> {
    // SAFETY: an open descriptor.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) } {
        -1 => Err(io::Error::last_os_error()),
        flags => Ok(flags),
    }
}

fn set_flags(fd: BorrowedFd<'_>, flags: libc::c_int) -> io::Result<()> {
    // SAFETY: an open descriptor, and flags.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Checks that `file` is the end of a pipe that is open for `access`, and makes it non-blocking.
fn prepare(file: File, access: libc::c_int) -> io::Result<File> {
    check_pipe(&file)?;
    let flags = flags(file.as_fd())?;
    let mode = flags & libc::O_ACCMODE;
    if mode != access && mode != libc::O_RDWR {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the pipe is not open in this direction",
        ));
    }
    if flags & libc::O_NONBLOCK == 0 {
        set_flags(file.as_fd(), flags | libc::O_NONBLOCK)?;
    }
    Ok(file)
}

/// What the two ends have in common.
macro_rules! pipe_end {
    ($End:ident, $interest:ident, $access:expr) => {
        impl $End {
            #[track_caller]
            fn from_mio(io: mio::unix::pipe::$End) -> io::Result<Self> {
                let io = Evented::with_interest(io, Interest::$interest, Ready::EMPTY)?;
                Ok(Self { io })
            }

            /// Takes the end of a pipe that is open as a file. It is made non-blocking.
            ///
            /// # Errors
            ///
            /// `InvalidInput` if it is not a pipe, or not open in this direction; else the
            /// system's.
            ///
            /// # Panics
            ///
            /// Outside a runtime with I/O.
            #[track_caller]
            pub fn from_file(file: File) -> io::Result<Self> {
                Self::from_file_unchecked(prepare(file, $access)?)
            }

            /// As [`from_file`](Self::from_file), from a descriptor.
            ///
            /// # Errors
            ///
            /// As [`from_file`](Self::from_file).
            ///
            /// # Panics
            ///
            /// Outside a runtime with I/O.
            #[track_caller]
            pub fn from_owned_fd(owned_fd: OwnedFd) -> io::Result<Self> {
                Self::from_file(owned_fd.into())
            }

            /// As [`from_file`](Self::from_file), but checks and changes nothing: the file must be a
            /// pipe, open in this direction, and non-blocking.
            ///
            /// # Errors
            ///
            /// The system's, if the file cannot be watched.
            ///
            /// # Panics
            ///
            /// Outside a runtime with I/O.
            #[track_caller]
            pub fn from_file_unchecked(file: File) -> io::Result<Self> {
                Self::from_owned_fd_unchecked(file.into())
            }

            /// As [`from_file_unchecked`](Self::from_file_unchecked), from a descriptor.
            ///
            /// # Errors
            ///
            /// The system's, if the descriptor cannot be watched.
            ///
            /// # Panics
            ///
            /// Outside a runtime with I/O.
            #[track_caller]
            pub fn from_owned_fd_unchecked(owned_fd: OwnedFd) -> io::Result<Self> {
                Self::from_mio(owned_fd.into())
            }

            /// Takes the end out of the runtime, and makes it blocking.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn into_blocking_fd(self) -> io::Result<OwnedFd> {
                let fd = self.into_nonblocking_fd()?;
                set_flags(fd.as_fd(), flags(fd.as_fd())? & !libc::O_NONBLOCK)?;
                Ok(fd)
            }

            /// Takes the end out of the runtime. It stays non-blocking.
            ///
            /// # Errors
            ///
            /// The system's, if the runtime's selector does not give it back.
            pub fn into_nonblocking_fd(self) -> io::Result<OwnedFd> {
                self.io.into_inner().map(Into::into)
            }

            /// Waits until one of the things of `interest` can be done. Any number of tasks may wait.
            ///
            /// # Errors
            ///
            /// That the pipe's runtime has shut down.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: readiness that nobody used stays.
            ///
            /// # Examples
            ///
            /// ```
            /// # #[heist::main(flavor = "current_thread")]
            /// # async fn main() -> std::io::Result<()> {
            /// use heist::io::Interest;
            /// use heist::net::unix::pipe;
            ///
            /// let (sender, _receiver) = pipe::pipe()?;
            /// assert!(sender.ready(Interest::WRITABLE).await?.is_writable());
            /// # Ok(())
            /// # }
            /// ```
            pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
                Ok(self.io.registration().readiness(interest).await?.ready)
            }

            /// Does an operation of the caller's on the pipe, if it is ready.
            ///
            /// `f` works on the descriptor and gives `WouldBlock` if, and only if, the pipe itself
            /// said so: that clears the readiness.
            ///
            /// # Errors
            ///
            /// `WouldBlock` if the pipe is not ready, else what `f` gives.
            pub fn try_io<R>(&self, f: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
                self.io
                    .registration()
                    .try_io(Interest::$interest, || self.io.try_io(f))
            }
        }

        descriptor_traits!($End);
    };
}

/// The end of a pipe that writes.
#[derive(Debug)]
pub struct Sender {
    io: Evented<mio::unix::pipe::Sender>,
}

pipe_end!(Sender, WRITABLE, libc::O_WRONLY);

impl Sender {
    /// Waits until there is room to write, or nobody reads any more.
    ///
    /// # Errors
    ///
    /// That the pipe's runtime has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: readiness that nobody used stays.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::net::unix::pipe;
    ///
    /// let (sender, _receiver) = pipe::pipe()?;
    /// sender.writable().await?;
    /// assert_eq!(sender.try_write(b"hi")?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn writable(&self) -> io::Result<()> {
        self.ready(Interest::WRITABLE).await.map(drop)
    }

    /// Asks whether there is room to write; if not, the task is woken when there is.
    ///
    /// Of several tasks that poll, only the last is woken.
    ///
    /// # Errors
    ///
    /// That the pipe's runtime has shut down.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io.registration().poll_write_ready(cx).map_ok(drop)
    }

    /// Writes as much of `buf` as there is room for, without waiting.
    ///
    /// Up to `PIPE_BUF` bytes (4096 on Linux) are written all or none.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if there is no room now; else the system's.
    #[inline]
    pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        self.io
            .registration()
            .try_io(Interest::WRITABLE, || retry(|| (&*self.io).write(buf)))
    }

    /// As [`try_write`](Self::try_write), from several buffers, one after the other.
    ///
    /// # Errors
    ///
    /// As [`try_write`](Self::try_write).
    #[inline]
    pub fn try_write_vectored(&self, buf: &[IoSlice<'_>]) -> io::Result<usize> {
        self.io.registration().try_io(Interest::WRITABLE, || {
            retry(|| (&*self.io).write_vectored(buf))
        })
    }
}

impl AsyncWrite for Sender {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.io
            .registration()
            .poll_stream_write(cx, buf.len(), || retry(|| (&*self.io).write(buf)))
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let bufs = for_one_call(bufs);
        let len = bufs.iter().map(|buf| buf.len()).sum();
        self.io
            .registration()
            .poll_stream_write(cx, len, || retry(|| (&*self.io).write_vectored(bufs)))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Nothing is held back: what is written is the system's.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Does nothing: a pipe ends when its sender is dropped.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// The end of a pipe that reads.
#[derive(Debug)]
pub struct Receiver {
    io: Evented<mio::unix::pipe::Receiver>,
}

pipe_end!(Receiver, READABLE, libc::O_RDONLY);

impl Receiver {
    /// Waits until there is something to read, or nobody writes any more.
    ///
    /// # Errors
    ///
    /// That the pipe's runtime has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: readiness that nobody used stays.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::io::AsyncWriteExt;
    /// use heist::net::unix::pipe;
    ///
    /// let (mut sender, receiver) = pipe::pipe()?;
    /// sender.write_all(b"hi").await?;
    /// receiver.readable().await?;
    /// assert_eq!(receiver.try_read(&mut [0; 8])?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn readable(&self) -> io::Result<()> {
        self.ready(Interest::READABLE).await.map(drop)
    }

    /// Asks whether there is something to read; if not, the task is woken when there is.
    ///
    /// Of several tasks that poll, only the last is woken.
    ///
    /// # Errors
    ///
    /// That the pipe's runtime has shut down.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io.registration().poll_read_ready(cx).map_ok(drop)
    }

    /// Reads what is there into `buf`, without waiting. `Ok(0)` is the end: nobody writes any more.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if nothing is there now; else the system's.
    #[inline]
    pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io
            .registration()
            .try_io(Interest::READABLE, || retry(|| (&*self.io).read(buf)))
    }

    /// As [`try_read`](Self::try_read), into several buffers, one after the other.
    ///
    /// # Errors
    ///
    /// As [`try_read`](Self::try_read).
    #[inline]
    pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.io.registration().try_io(Interest::READABLE, || {
            retry(|| (&*self.io).read_vectored(bufs))
        })
    }

    /// As [`try_read`](Self::try_read), into the free part of a buffer, whose cursor it moves on.
    ///
    /// # Errors
    ///
    /// As [`try_read`](Self::try_read).
    pub fn try_read_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
        self.io.registration().try_io(Interest::READABLE, || {
            fill_chunk(buf, |chunk| Ok((self.read_into(chunk)?, ()))).map(|(n, ())| n)
        })
    }

    fn read_into(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        retry(|| {
            let fd = self.io.as_raw_fd();
            // SAFETY: an open descriptor, and memory of the length given, which is only written to.
            let n = unsafe { libc::read(fd, buf.as_mut_ptr().cast(), buf.len()) };
            usize::try_from(n).map_err(|_| io::Error::last_os_error())
        })
    }
}

impl AsyncRead for Receiver {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        fill(buf, |unfilled| {
            self.io
                .registration()
                .poll_stream_read(cx, unfilled.len(), || self.read_into(unfilled))
        })
        .map_ok(drop)
    }
}
