//! A descriptor of any kind that the system's selector can watch.

use std::error::Error;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::task::{Context, Poll, ready};

use crate::engine::reactor::{Interest, Ready, ReadyEvent, Registration};
use crate::net::evented::current_reactor;

/// Lets tasks wait for a descriptor that comes from elsewhere.
///
/// It wraps what owns the descriptor, and does no I/O itself: [`readable`](Self::readable) and
/// [`writable`](Self::writable) wait until the descriptor is ready and give a guard. Then the operation
/// is tried; if it says `WouldBlock`, the guard is told so
/// ([`clear_ready`](AsyncFdReadyGuard::clear_ready), or
/// [`try_io`](AsyncFdReadyGuard::try_io), which does it by itself), and one waits again. An operation
/// that says `WouldBlock` without the guard being told makes the next wait return at once.
///
/// The descriptor must be non-blocking, and of a kind that selectors watch: files are not. Dropping
/// the `AsyncFd`, or [`into_inner`](Self::into_inner), takes it out of the selector.
///
/// # Examples
///
/// A socket of std's, read as it is:
///
/// ```no_run
/// use heist::io::Interest;
/// use heist::io::unix::AsyncFd;
/// use std::io::{self, Read};
/// use std::net::TcpStream;
///
/// # #[heist::main]
/// # async fn main() -> io::Result<()> {
/// let stream = TcpStream::connect("127.0.0.1:8080")?;
/// stream.set_nonblocking(true)?;
/// // SAFETY: the stream owns its descriptor, and is owned by the `AsyncFd`.
/// let stream = unsafe { AsyncFd::register(stream)? };
/// let mut data = [0; 1024];
/// let len = stream
///     .async_io(Interest::READABLE, |mut stream| stream.read(&mut data))
///     .await?;
/// println!("read {len} bytes");
/// # Ok(())
/// # }
/// ```
pub struct AsyncFd<T: AsRawFd> {
    registration: Registration,
    /// `None` only while `into_inner` or `drop` takes it.
    inner: Option<T>,
}

/// A descriptor that was found to be ready; borrows the [`AsyncFd`].
///
/// Tells the reactor when it is not so any more: see there.
#[must_use = "what was tried on the descriptor may have shown that it is not ready any more"]
pub struct AsyncFdReadyGuard<'a, T: AsRawFd> {
    async_fd: &'a AsyncFd<T>,
    event: Option<ReadyEvent>,
}

/// As [`AsyncFdReadyGuard`], with the [`AsyncFd`] borrowed mutably.
#[must_use = "what was tried on the descriptor may have shown that it is not ready any more"]
pub struct AsyncFdReadyMutGuard<'a, T: AsRawFd> {
    async_fd: &'a mut AsyncFd<T>,
    event: Option<ReadyEvent>,
}

const BOTH: Interest = Interest::READABLE.add(Interest::WRITABLE);

impl<T: AsRawFd> AsyncFd<T> {
    /// Watches the descriptor of `inner`, to read and to write.
    ///
    /// # Errors
    ///
    /// The system's, if the descriptor cannot be watched, with `inner`.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Safety
    ///
    /// `as_raw_fd` of `inner` gives the same, open descriptor each time until the `AsyncFd` is
    /// dropped or taken apart.
    #[track_caller]
    pub unsafe fn register(inner: T) -> Result<Self, AsyncFdRegisterError<T>> {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { Self::register_with_interest(inner, BOTH) }
    }

    /// As [`register`](Self::register), for `interest` only.
    ///
    /// # Errors
    ///
    /// The system's, if the descriptor cannot be watched, with `inner`.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Safety
    ///
    /// As for [`register`](Self::register).
    #[track_caller]
    pub unsafe fn register_with_interest(
        inner: T,
        interest: Interest,
    ) -> Result<Self, AsyncFdRegisterError<T>> {
        let fd = inner.as_raw_fd();
        let (reactor, worker) = current_reactor();
        match Registration::new(&reactor, worker, fd, interest, Ready::EMPTY) {
            Ok(registration) => Ok(Self {
                registration,
                inner: Some(inner),
            }),
            Err(cause) => Err(AsyncFdRegisterError { inner, cause }),
        }
    }

    /// As [`register`](Self::register), without its promise.
    ///
    /// # Errors
    ///
    /// The system's, if the descriptor cannot be watched.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    #[deprecated = "nothing keeps the descriptor from being closed by others: use `AsyncFd::register`"]
    pub fn new(inner: T) -> io::Result<Self> {
        // SAFETY: nobody promised anything. The worst that can come of a wrong descriptor here is
        // that the reactor watches, or stops watching, another one of the process's.
        unsafe { Self::register(inner) }.map_err(Into::into)
    }

    /// As [`register_with_interest`](Self::register_with_interest), without its promise.
    ///
    /// # Errors
    ///
    /// The system's, if the descriptor cannot be watched.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    #[deprecated = "nothing keeps the descriptor from being closed by others: use `AsyncFd::register_with_interest`"]
    pub fn with_interest(inner: T, interest: Interest) -> io::Result<Self> {
        // SAFETY: nobody promised anything. The worst that can come of a wrong descriptor here is
        // that the reactor watches, or stops watching, another one of the process's.
        unsafe { Self::register_with_interest(inner, interest) }.map_err(Into::into)
    }

    /// As [`register`](Self::register), without its promise.
    ///
    /// # Errors
    ///
    /// The system's, if the descriptor cannot be watched.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    #[deprecated = "nothing keeps the descriptor from being closed by others: use `AsyncFd::register`"]
    pub fn try_new(inner: T) -> Result<Self, AsyncFdRegisterError<T>> {
        // SAFETY: nobody promised anything. The worst that can come of a wrong descriptor here is
        // that the reactor watches, or stops watching, another one of the process's.
        unsafe { Self::register(inner) }
    }

    /// As [`register_with_interest`](Self::register_with_interest), without its promise.
    ///
    /// # Errors
    ///
    /// The system's, if the descriptor cannot be watched.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    #[deprecated = "nothing keeps the descriptor from being closed by others: use `AsyncFd::register_with_interest`"]
    pub fn try_with_interest(
        inner: T,
        interest: Interest,
    ) -> Result<Self, AsyncFdRegisterError<T>> {
        // SAFETY: nobody promised anything. The worst that can come of a wrong descriptor here is
        // that the reactor watches, or stops watching, another one of the process's.
        unsafe { Self::register_with_interest(inner, interest) }
    }

    /// What owns the descriptor.
    #[inline]
    pub fn get_ref(&self) -> &T {
        self.inner.as_ref().expect("there until it is taken")
    }

    /// What owns the descriptor, mutably. It must not be replaced by what has another.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("there until it is taken")
    }

    /// Stops watching, and gives back what owns the descriptor.
    pub fn into_inner(mut self) -> T {
        self.take().expect("taken once")
    }

    fn take(&mut self) -> Option<T> {
        let inner = self.inner.take()?;
        // The registration ends all the same.
        let _ = self.registration.deregister(inner.as_raw_fd());
        Some(inner)
    }

    /// Asks whether there is something to read; if not, the task is woken when there is.
    ///
    /// Of several tasks that poll to read, only the last is woken: use [`readable`](Self::readable)
    /// where several wait.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
    pub fn poll_read_ready<'a>(
        &'a self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let event = ready!(self.registration.poll_read_ready(cx))?;
        Poll::Ready(Ok(self.guard(event)))
    }

    /// As [`poll_read_ready`](Self::poll_read_ready), with a guard that borrows mutably.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
    pub fn poll_read_ready_mut<'a>(
        &'a mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyMutGuard<'a, T>>> {
        let event = ready!(self.registration.poll_read_ready(cx))?;
        Poll::Ready(Ok(self.guard_mut(event)))
    }

    /// Asks whether there is room to write; if not, the task is woken when there is.
    ///
    /// Of several tasks that poll to write, only the last is woken: use [`writable`](Self::writable)
    /// where several wait.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
    pub fn poll_write_ready<'a>(
        &'a self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyGuard<'a, T>>> {
        let event = ready!(self.registration.poll_write_ready(cx))?;
        Poll::Ready(Ok(self.guard(event)))
    }

    /// As [`poll_write_ready`](Self::poll_write_ready), with a guard that borrows mutably.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
    pub fn poll_write_ready_mut<'a>(
        &'a mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<AsyncFdReadyMutGuard<'a, T>>> {
        let event = ready!(self.registration.poll_write_ready(cx))?;
        Poll::Ready(Ok(self.guard_mut(event)))
    }

    /// Waits until one of the things of `interest` can be done. Any number of tasks may wait.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
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
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let fd = unsafe { AsyncFd::register(ours)? };
    /// theirs.write_all(b"x")?;
    /// let mut guard = fd.ready(Interest::READABLE | Interest::WRITABLE).await?;
    /// if guard.ready().is_readable() {
    ///     let mut buf = [0; 8];
    ///     match guard.try_io(|fd| fd.get_ref().read(&mut buf)) {
    ///         Ok(read) => assert_eq!(read?, 1),
    ///         Err(_would_block) => { /* wait again */ }
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn ready(&self, interest: Interest) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        let event = self.registration.readiness(interest).await?;
        Ok(self.guard(event))
    }

    /// As [`ready`](Self::ready), with a guard that borrows mutably.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
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
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let mut fd = unsafe { AsyncFd::register(ours)? };
    /// theirs.write_all(b"x")?;
    /// let mut guard = fd.ready_mut(Interest::READABLE).await?;
    /// let mut buf = [0; 8];
    /// let read = guard.try_io(|fd| fd.get_mut().read(&mut buf));
    /// assert_eq!(read.unwrap()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn ready_mut(
        &mut self,
        interest: Interest,
    ) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        let event = self.registration.readiness(interest).await?;
        Ok(self.guard_mut(event))
    }

    /// Waits until there is something to read: [`ready`](Self::ready) for [`Interest::READABLE`].
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
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
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let fd = unsafe { AsyncFd::register(ours)? };
    /// theirs.write_all(b"x")?;
    /// let mut buf = [0; 8];
    /// let read = loop {
    ///     let mut guard = fd.readable().await?;
    ///     if let Ok(result) = guard.try_io(|fd| fd.get_ref().read(&mut buf)) {
    ///         break result?;
    ///     }
    /// };
    /// assert_eq!(read, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn readable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::READABLE).await
    }

    /// As [`readable`](Self::readable), with a guard that borrows mutably.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
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
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let mut fd = unsafe { AsyncFd::register(ours)? };
    /// theirs.write_all(b"x")?;
    /// let mut guard = fd.readable_mut().await?;
    /// let mut buf = [0; 8];
    /// assert_eq!(guard.try_io(|fd| fd.get_mut().read(&mut buf)).unwrap()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn readable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::READABLE).await
    }

    /// Waits until there is room to write: [`ready`](Self::ready) for [`Interest::WRITABLE`].
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
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
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let fd = unsafe { AsyncFd::register(ours)? };
    /// let mut guard = fd.writable().await?;
    /// assert_eq!(guard.try_io(|fd| fd.get_ref().write(b"hi")).unwrap()?, 2);
    ///
    /// let mut buf = [0; 2];
    /// theirs.read_exact(&mut buf)?;
    /// assert_eq!(&buf, b"hi");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn writable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::WRITABLE).await
    }

    /// As [`writable`](Self::writable), with a guard that borrows mutably.
    ///
    /// # Errors
    ///
    /// That the descriptor's runtime has shut down.
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
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let mut fd = unsafe { AsyncFd::register(ours)? };
    /// let mut guard = fd.writable_mut().await?;
    /// assert_eq!(guard.try_io(|fd| fd.get_mut().write(b"hi")).unwrap()?, 2);
    /// # let mut buf = [0; 2];
    /// # theirs.read_exact(&mut buf)?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn writable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::WRITABLE).await
    }

    /// Does an operation on the descriptor, and waits as long as it would block.
    ///
    /// `f` gives `WouldBlock` if, and only if, the descriptor itself said so; it may be called more
    /// than once.
    ///
    /// # Errors
    ///
    /// What `f` gives, or that the descriptor's runtime has shut down.
    ///
    /// # Cancel safety
    ///
    /// Dropped between two calls of `f`, nothing is lost that `f` did not lose itself.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::io::Interest;
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let fd = unsafe { AsyncFd::register(ours)? };
    /// theirs.write_all(b"x")?;
    /// let mut buf = [0; 8];
    /// let read = fd.async_io(Interest::READABLE, |mut socket| socket.read(&mut buf)).await?;
    /// assert_eq!(read, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn async_io<R>(
        &self,
        interest: Interest,
        mut f: impl FnMut(&T) -> io::Result<R>,
    ) -> io::Result<R> {
        self.registration
            .async_io(interest, || f(self.get_ref()))
            .await
    }

    /// As [`async_io`](Self::async_io), with mutable access.
    ///
    /// # Errors
    ///
    /// As [`async_io`](Self::async_io).
    ///
    /// # Cancel safety
    ///
    /// Dropped between two calls of `f`, nothing is lost that `f` did not lose itself.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::io::Interest;
    /// use heist::io::unix::AsyncFd;
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// ours.set_nonblocking(true)?;
    /// // SAFETY: a `UnixStream` keeps its descriptor open until it is dropped.
    /// let mut fd = unsafe { AsyncFd::register(ours)? };
    /// theirs.write_all(b"x")?;
    /// let mut buf = [0; 8];
    /// let read = fd.async_io_mut(Interest::READABLE, |socket| socket.read(&mut buf)).await?;
    /// assert_eq!(read, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn async_io_mut<R>(
        &mut self,
        interest: Interest,
        mut f: impl FnMut(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let inner = self.inner.as_mut().expect("there until it is taken");
        self.registration.async_io(interest, || f(inner)).await
    }

    /// Does an operation on the descriptor, if it is ready for `interest`.
    ///
    /// `f` gives `WouldBlock` if, and only if, the descriptor itself said so: that clears the
    /// readiness.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if the descriptor is not ready, else what `f` gives.
    pub fn try_io<R>(
        &self,
        interest: Interest,
        f: impl FnOnce(&T) -> io::Result<R>,
    ) -> io::Result<R> {
        self.registration.try_io(interest, || f(self.get_ref()))
    }

    /// As [`try_io`](Self::try_io), with mutable access.
    ///
    /// # Errors
    ///
    /// As [`try_io`](Self::try_io).
    pub fn try_io_mut<R>(
        &mut self,
        interest: Interest,
        f: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let inner = self.inner.as_mut().expect("there until it is taken");
        self.registration.try_io(interest, || f(inner))
    }

    fn guard(&self, event: ReadyEvent) -> AsyncFdReadyGuard<'_, T> {
        AsyncFdReadyGuard {
            async_fd: self,
            event: Some(event),
        }
    }

    fn guard_mut(&mut self, event: ReadyEvent) -> AsyncFdReadyMutGuard<'_, T> {
        AsyncFdReadyMutGuard {
            async_fd: self,
            event: Some(event),
        }
    }
}

impl<T: AsRawFd> AsRawFd for AsyncFd<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.get_ref().as_raw_fd()
    }
}

impl<T: AsRawFd> AsFd for AsyncFd<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the promise made to `register`: the descriptor is open as long as we are.
        unsafe { BorrowedFd::borrow_raw(self.as_raw_fd()) }
    }
}

impl<T: AsRawFd + fmt::Debug> fmt::Debug for AsyncFd<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFd")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<T: AsRawFd> Drop for AsyncFd<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// What both guards do with the readiness that was found.
macro_rules! guard_methods {
    () => {
        /// Says that the operation found nothing to be done: the descriptor is not ready any more, unless
        /// something happened since.
        pub fn clear_ready(&mut self) {
            if let Some(event) = self.event.take() {
                self.async_fd.registration.clear_readiness(event);
            }
        }

        /// As [`clear_ready`](Self::clear_ready), for some of the flags.
        pub fn clear_ready_matching(&mut self, ready: Ready) {
            if let Some(event) = self.event.take() {
                self.async_fd
                    .registration
                    .clear_readiness(event.with_ready(ready));
                let left = event.ready - ready;
                if !left.is_empty() {
                    self.event = Some(event.with_ready(left));
                }
            }
        }

        /// Says that the descriptor may still be ready. Does nothing, and says so in the code.
        pub fn retain_ready(&mut self) {}

        /// What the descriptor was found to be ready for; less what was cleared since.
        pub fn ready(&self) -> Ready {
            self.event.map_or(Ready::EMPTY, |event| event.ready)
        }
    };
}

impl<'a, Inner: AsRawFd> AsyncFdReadyGuard<'a, Inner> {
    guard_methods!();

    /// Does an operation on the descriptor, and clears the readiness if it would block.
    ///
    /// `f` gives `WouldBlock` if, and only if, the descriptor itself said so.
    ///
    /// # Errors
    ///
    /// [`TryIoError`] if the operation would block: wait again. What else it gives is in the `Ok`.
    pub fn try_io<R>(
        &mut self,
        f: impl FnOnce(&'a AsyncFd<Inner>) -> io::Result<R>,
    ) -> Result<io::Result<R>, TryIoError> {
        match f(self.async_fd) {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                self.clear_ready();
                Err(TryIoError(()))
            }
            result => Ok(result),
        }
    }

    /// The [`AsyncFd`].
    pub fn get_ref(&self) -> &'a AsyncFd<Inner> {
        self.async_fd
    }

    /// What owns the descriptor.
    pub fn get_inner(&self) -> &'a Inner {
        self.async_fd.get_ref()
    }
}

impl<Inner: AsRawFd> AsyncFdReadyMutGuard<'_, Inner> {
    guard_methods!();

    /// Does an operation on the descriptor, and clears the readiness if it would block.
    ///
    /// `f` gives `WouldBlock` if, and only if, the descriptor itself said so.
    ///
    /// # Errors
    ///
    /// [`TryIoError`] if the operation would block: wait again. What else it gives is in the `Ok`.
    pub fn try_io<R>(
        &mut self,
        f: impl FnOnce(&mut AsyncFd<Inner>) -> io::Result<R>,
    ) -> Result<io::Result<R>, TryIoError> {
        match f(self.async_fd) {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                self.clear_ready();
                Err(TryIoError(()))
            }
            result => Ok(result),
        }
    }

    /// The [`AsyncFd`].
    pub fn get_ref(&self) -> &AsyncFd<Inner> {
        self.async_fd
    }

    /// The [`AsyncFd`], mutably.
    pub fn get_mut(&mut self) -> &mut AsyncFd<Inner> {
        self.async_fd
    }

    /// What owns the descriptor.
    pub fn get_inner(&self) -> &Inner {
        self.async_fd.get_ref()
    }

    /// What owns the descriptor, mutably.
    pub fn get_inner_mut(&mut self) -> &mut Inner {
        self.async_fd.get_mut()
    }
}

impl<T: AsRawFd + fmt::Debug> fmt::Debug for AsyncFdReadyGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFdReadyGuard")
            .field("async_fd", &self.async_fd)
            .field("ready", &self.ready())
            .finish()
    }
}

impl<T: AsRawFd + fmt::Debug> fmt::Debug for AsyncFdReadyMutGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFdReadyMutGuard")
            .field("async_fd", &self.async_fd)
            .field("ready", &self.ready())
            .finish()
    }
}

/// The operation would block: the descriptor was not ready after all.
#[derive(Debug)]
pub struct TryIoError(());

/// A descriptor could not be watched; with what owns it.
pub struct AsyncFdRegisterError<T> {
    inner: T,
    cause: io::Error,
}

/// [`AsyncFdRegisterError`], by its old name.
#[doc(hidden)]
#[deprecated = "now called `AsyncFdRegisterError`"]
pub type AsyncFdTryNewError<T> = AsyncFdRegisterError<T>;

impl<T> AsyncFdRegisterError<T> {
    /// What was to be watched, and why it cannot be.
    pub fn into_parts(self) -> (T, io::Error) {
        (self.inner, self.cause)
    }
}

impl<T> fmt::Display for AsyncFdRegisterError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl<T> fmt::Debug for AsyncFdRegisterError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.cause, f)
    }
}

impl<T> Error for AsyncFdRegisterError<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

impl<T> From<AsyncFdRegisterError<T>> for io::Error {
    fn from(error: AsyncFdRegisterError<T>) -> Self {
        error.cause
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::reactor::test_support::run;
    use futures::join;
    use std::future::poll_fn;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    fn pair() -> (AsyncFd<UnixStream>, UnixStream) {
        let (a, b) = UnixStream::pair().unwrap();
        a.set_nonblocking(true).unwrap();
        // SAFETY: the stream owns its descriptor, and the `AsyncFd` the stream.
        (unsafe { AsyncFd::register(a) }.unwrap(), b)
    }

    fn would_block(_: &AsyncFd<UnixStream>) -> io::Result<()> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    #[test]
    fn readiness_stays_until_it_is_cleared() {
        run(async {
            let (fd, mut peer) = pair();
            peer.write_all(b"x").unwrap();
            for _ in 0..3 {
                let mut guard = fd.readable().await.unwrap();
                assert!(guard.ready().is_readable());
                guard.retain_ready();
            }
            let mut guard = fd.readable().await.unwrap();
            assert!(guard.try_io(|_| Ok(())).is_ok());
            assert!(guard.try_io(would_block).is_err());
            assert!(guard.ready().is_empty());
            assert_eq!(
                fd.try_io(Interest::READABLE, |_| Ok(()))
                    .unwrap_err()
                    .kind(),
                io::ErrorKind::WouldBlock
            );
            peer.write_all(b"y").unwrap();
            let n = fd
                .async_io(Interest::READABLE, |mut io| io.read(&mut [0; 8]))
                .await
                .unwrap();
            assert_eq!(n, 2);
        });
    }

    #[test]
    fn a_part_of_the_readiness_is_cleared() {
        run(async {
            let (fd, mut peer) = pair();
            peer.write_all(b"x").unwrap();
            let _ = fd.readable().await.unwrap();
            let mut guard = fd.ready(BOTH).await.unwrap();
            assert!(guard.ready().is_readable() && guard.ready().is_writable());
            guard.clear_ready_matching(Ready::WRITABLE);
            assert_eq!(guard.ready(), Ready::READABLE);
            assert!(fd.try_io(Interest::WRITABLE, |_| Ok(())).is_err());
            assert!(fd.try_io(Interest::READABLE, |_| Ok(())).is_ok());
        });
    }

    #[test]
    fn a_stale_guard_clears_nothing_new() {
        run(async {
            let (fd, mut peer) = pair();
            peer.write_all(b"x").unwrap();
            let mut stale = fd.readable().await.unwrap();
            peer.write_all(b"y").unwrap();
            // The second event comes while the first is still looked at.
            let mut turns = 0;
            poll_fn(|cx| {
                turns += 1;
                cx.waker().wake_by_ref();
                if turns < 5 {
                    Poll::Pending
                } else {
                    Poll::Ready(())
                }
            })
            .await;
            stale.clear_ready();
            assert!(fd.try_io(Interest::READABLE, |_| Ok(())).is_ok());
        });
    }

    #[test]
    fn the_end_is_not_cleared() {
        run(async {
            let (mut fd, peer) = pair();
            drop(peer);
            fd.readable_mut().await.unwrap().clear_ready();
            let guard = fd.readable_mut().await.unwrap();
            assert!(guard.ready().is_read_closed());
            let n = fd
                .try_io_mut(Interest::READABLE, |io| io.read(&mut [0]))
                .unwrap();
            assert_eq!(n, 0);
        });
    }

    #[test]
    fn several_wait_and_only_for_what_they_want() {
        run(async {
            let (fd, mut peer) = pair();
            let write = async { peer.write_all(b"x").unwrap() };
            let polled = poll_fn(|cx| fd.poll_read_ready(cx).map_ok(drop));
            let (a, b, c, ()) = join!(fd.readable(), fd.ready(BOTH), polled, write);
            assert!(a.unwrap().ready().is_readable());
            assert!(!b.unwrap().ready().is_empty());
            c.unwrap();
        });
    }

    #[test]
    fn taken_apart_it_can_be_watched_again() {
        run(async {
            let (fd, peer) = pair();
            let raw = fd.as_raw_fd();
            let stream = fd.into_inner();
            assert_eq!(stream.as_raw_fd(), raw);
            #[allow(deprecated, reason = "the old names work too")]
            let fd = AsyncFd::with_interest(stream, Interest::WRITABLE).unwrap();
            fd.writable().await.unwrap().retain_ready();
            drop((fd, peer));
        });
    }

    #[test]
    fn what_cannot_be_watched_comes_back() {
        run(async {
            let file = std::fs::File::open("/proc/self/exe").unwrap();
            // SAFETY: the file owns its descriptor.
            let error = unsafe { AsyncFd::register(file) }.unwrap_err();
            assert!(!error.to_string().is_empty());
            let (_file, cause) = error.into_parts();
            assert_eq!(cause.raw_os_error(), Some(libc::EPERM));
        });
    }
}
