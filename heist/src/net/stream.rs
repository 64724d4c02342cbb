//! What TCP and Unix streams have in common, written once: both are an
//! [`Evented`](super::evented::Evented) called `io`.

/// The methods and traits of a stream.
///
/// `$addr` is the type of its addresses.
macro_rules! stream_methods {
    ($Stream:ident, $std:ty, $addr:ty) => {
        impl $Stream {
            /// Ties a stream of std's to the current runtime.
            ///
            /// The stream must be non-blocking; this does not make it so.
            ///
            /// # Errors
            ///
            /// The system's, if the stream cannot be watched.
            ///
            /// # Panics
            ///
            /// Outside a runtime with I/O; and, in builds with debug assertions, if the stream blocks.
            #[track_caller]
            pub fn from_std(stream: $std) -> io::Result<Self> {
                check_nonblocking(&stream)?;
                let io = Evented::new(mio::net::$Stream::from_std(stream))?;
                Ok(Self { io })
            }

            /// Waits until there is something to read, or the end.
            ///
            /// [`ready`](Self::ready) for [`Interest::READABLE`]; what is said there holds here.
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
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
            /// use heist::net::UnixStream;
            /// use std::io;
            ///
            /// let (stream, mut other) = UnixStream::pair()?;
            /// other.write_all(b"hello").await?;
            /// let mut data = [0; 1024];
            /// let n = loop {
            ///     stream.readable().await?;
            ///     match stream.try_read(&mut data) {
            ///         Err(e) if e.kind() == io::ErrorKind::WouldBlock => continue,
            ///         result => break result?,
            ///     }
            /// };
            /// assert_eq!(&data[..n], b"hello");
            /// # Ok(())
            /// # }
            /// ```
            pub async fn readable(&self) -> io::Result<()> {
                self.ready(Interest::READABLE).await.map(drop)
            }

            /// Waits until there is room to write.
            ///
            /// [`ready`](Self::ready) for [`Interest::WRITABLE`]; what is said there holds here.
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
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
            /// use heist::net::UnixStream;
            ///
            /// let (a, b) = UnixStream::pair()?;
            /// a.writable().await?;
            /// assert_eq!(a.try_write(b"hi")?, 2);
            /// # drop(b);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn writable(&self) -> io::Result<()> {
                self.ready(Interest::WRITABLE).await.map(drop)
            }

            /// Asks whether there is something to read; if not, the task is woken when there is.
            ///
            /// Of several tasks that poll, only the last is woken: use
            /// [`readable`](Self::readable) where several wait.
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
            pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.io.registration().poll_read_ready(cx).map_ok(drop)
            }

            /// Asks whether there is room to write; if not, the task is woken when there is.
            ///
            /// Of several tasks that poll, only the last is woken: use
            /// [`writable`](Self::writable) where several wait.
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
            pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.io.registration().poll_write_ready(cx).map_ok(drop)
            }

            /// Reads what is there into `buf`, without waiting. `Ok(0)` is the end of the stream, or
            /// an empty `buf`.
            ///
            /// # Errors
            ///
            /// `WouldBlock` if nothing is there now; wait with [`readable`](Self::readable). Else
            /// the system's.
            #[inline]
            pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
                let read = self
                    .io
                    .registration()
                    .try_io(Interest::READABLE, || retry(|| (&*self.io).read(buf)));
                read.inspect(|_| self.io.follow())
            }

            /// As [`try_read`](Self::try_read), into several buffers, one after the other.
            ///
            /// # Errors
            ///
            /// As [`try_read`](Self::try_read).
            #[inline]
            pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
                let read = self.io.registration().try_io(Interest::READABLE, || {
                    retry(|| (&*self.io).read_vectored(bufs))
                });
                read.inspect(|_| self.io.follow())
            }

            /// As [`try_read`](Self::try_read), into the free part of a buffer, whose cursor it moves
            /// on.
            ///
            /// # Errors
            ///
            /// As [`try_read`](Self::try_read).
            pub fn try_read_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
                self.io.try_recv_buf(buf)
            }

            /// Writes as much of `buf` as there is room for, without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` if there is no room now; wait with [`writable`](Self::writable). Else
            /// the system's.
            #[inline]
            pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
                self.io
                    .registration()
                    .try_io(Interest::WRITABLE, || self.io.send(buf))
            }

            /// As [`try_write`](Self::try_write), from several buffers, one after the other.
            ///
            /// # Errors
            ///
            /// As [`try_write`](Self::try_write).
            #[inline]
            pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
                self.io
                    .registration()
                    .try_io(Interest::WRITABLE, || self.io.send_vectored(bufs))
            }

            /// Splits the stream into a half to read and a half to write, which borrow it.
            ///
            /// The halves cost nothing, but must stay in one task; for two,
            /// [`into_split`](Self::into_split).
            pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
                (ReadHalf(self), WriteHalf(self))
            }

            /// Splits the stream into a half to read and a half to write, which can go to two tasks.
            ///
            /// Dropping the half that writes shuts the writing side down, so that the peer sees the
            /// end. The halves share the stream by reference count; [`split`](Self::split) does not
            /// need that.
            pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
                let stream = Arc::new(self);
                let read = OwnedReadHalf {
                    stream: Arc::clone(&stream),
                };
                let write = OwnedWriteHalf {
                    stream,
                    shuts_down: true,
                };
                (read, write)
            }

            /// `AsyncRead`, by reference: for the halves.
            pub(super) fn poll_read_shared(
                &self,
                cx: &mut Context<'_>,
                buf: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                self.io.poll_stream_read(cx, buf)
            }

            /// `AsyncWrite`, by reference: for the halves.
            pub(super) fn poll_write_shared(
                &self,
                cx: &mut Context<'_>,
                buf: &[u8],
            ) -> Poll<io::Result<usize>> {
                self.io.poll_stream_write(cx, buf)
            }

            pub(super) fn poll_write_vectored_shared(
                &self,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.io.poll_stream_write_vectored(cx, bufs)
            }

            /// Ends the writing side. A peer that is gone already is no error.
            pub(super) fn shutdown_write(&self) -> io::Result<()> {
                match self.io.shutdown(Shutdown::Write) {
                    Err(e) if e.kind() == io::ErrorKind::NotConnected => Ok(()),
                    result => result,
                }
            }
        }

        impl AsyncRead for $Stream {
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buf: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                self.poll_read_shared(cx, buf)
            }
        }

        impl AsyncWrite for $Stream {
            fn poll_write(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buf: &[u8],
            ) -> Poll<io::Result<usize>> {
                self.poll_write_shared(cx, buf)
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.poll_write_vectored_shared(cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            /// Nothing is held back: what is written is the system's.
            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(self.shutdown_write())
            }
        }

        impl AsRef<Self> for $Stream {
            fn as_ref(&self) -> &Self {
                self
            }
        }

        socket_methods!($Stream, $std, $addr);
    };
}

/// The four halves of a stream, and the error of putting strangers together.
macro_rules! stream_halves {
    ($Stream:ident, $addr:ty) => {
        #[doc = concat!("The half of a [`", stringify!($Stream), "`] that reads, borrowed.")]
        ///
        #[doc = concat!("Made by [`", stringify!($Stream), "::split`].")]
        #[derive(Debug)]
        pub struct ReadHalf<'a>(pub(super) &'a $Stream);

        #[doc = concat!("The half of a [`", stringify!($Stream), "`] that writes, borrowed.")]
        ///
        #[doc = concat!("Made by [`", stringify!($Stream), "::split`]. Its `shutdown` ends the")]
        /// stream's writing side.
        #[derive(Debug)]
        pub struct WriteHalf<'a>(pub(super) &'a $Stream);

        #[doc = concat!("The half of a [`", stringify!($Stream), "`] that reads.")]
        ///
        #[doc = concat!("Made by [`", stringify!($Stream), "::into_split`].")]
        #[derive(Debug)]
        pub struct OwnedReadHalf {
            pub(super) stream: Arc<$Stream>,
        }

        #[doc = concat!("The half of a [`", stringify!($Stream), "`] that writes.")]
        ///
        #[doc = concat!("Made by [`", stringify!($Stream), "::into_split`]. Dropping it ends the")]
        /// stream's writing side, so that the peer reads to the end; [`forget`](Self::forget) does
        /// not.
        #[derive(Debug)]
        pub struct OwnedWriteHalf {
            pub(super) stream: Arc<$Stream>,
            /// Ends the writing side when dropped.
            pub(super) shuts_down: bool,
        }

        /// Two halves were to be put together that do not belong together; here they are again.
        #[derive(Debug)]
        pub struct ReuniteError(pub OwnedReadHalf, pub OwnedWriteHalf);

        impl fmt::Display for ReuniteError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($crate::engine::base::words::OTHER_HALF)
            }
        }

        impl std::error::Error for ReuniteError {}

        /// Puts the two halves together again.
        fn reunite(read: OwnedReadHalf, write: OwnedWriteHalf) -> Result<$Stream, ReuniteError> {
            if !Arc::ptr_eq(&read.stream, &write.stream) {
                return Err(ReuniteError(read, write));
            }
            write.forget();
            Ok(Arc::try_unwrap(read.stream).expect("a stream has two halves"))
        }

        impl OwnedReadHalf {
            /// Puts the two halves together again.
            ///
            /// # Errors
            ///
            /// Both halves, if they are not of the same stream.
            pub fn reunite(self, other: OwnedWriteHalf) -> Result<$Stream, ReuniteError> {
                reunite(self, other)
            }
        }

        impl OwnedWriteHalf {
            /// Puts the two halves together again.
            ///
            /// # Errors
            ///
            /// Both halves, if they are not of the same stream.
            pub fn reunite(self, other: OwnedReadHalf) -> Result<$Stream, ReuniteError> {
                reunite(other, self)
            }

            /// Drops the half and leaves the stream's writing side open.
            pub fn forget(mut self) {
                self.shuts_down = false;
            }
        }

        impl Drop for OwnedWriteHalf {
            fn drop(&mut self) {
                if self.shuts_down {
                    let _ = self.stream.shutdown_write();
                }
            }
        }

        stream_halves!(@read $Stream, $addr, [ReadHalf<'_>], |half| half.0);
        stream_halves!(@read $Stream, $addr, [OwnedReadHalf], |half| &*half.stream);
        stream_halves!(@write $Stream, $addr, [WriteHalf<'_>], |half| half.0, |_| ());
        stream_halves!(
            @write $Stream, $addr, [OwnedWriteHalf], |half| &*half.stream,
            // It is done: no need to do it again when dropped.
            |half| half.shuts_down = false
        );
    };

    (@read $Stream:ident, $addr:ty, [$($Half:tt)*], |$half:ident| $stream:expr) => {
        impl $($Half)* {
            #[doc = concat!("As [`", stringify!($Stream), "::ready`].")]
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
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
            /// use heist::io::{AsyncWriteExt, Interest};
            /// use heist::net::UnixStream;
            ///
            /// let (a, mut b) = UnixStream::pair()?;
            /// let (read, _write) = a.into_split();
            /// b.write_all(b"x").await?;
            /// assert!(read.ready(Interest::READABLE).await?.is_readable());
            /// # Ok(())
            /// # }
            /// ```
            pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
                self.as_ref().ready(interest).await
            }

            #[doc = concat!("As [`", stringify!($Stream), "::readable`].")]
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
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
            /// use heist::net::UnixStream;
            ///
            /// let (a, mut b) = UnixStream::pair()?;
            /// let (read, _write) = a.into_split();
            /// b.write_all(b"x").await?;
            /// read.readable().await?;
            /// assert_eq!(read.try_read(&mut [0; 8])?, 1);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn readable(&self) -> io::Result<()> {
                self.as_ref().readable().await
            }

            #[doc = concat!("As [`", stringify!($Stream), "::try_read`], with its errors.")]
            #[inline]
            pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
                self.as_ref().try_read(buf)
            }

            #[doc = concat!("As [`", stringify!($Stream), "::try_read_vectored`], with its errors.")]
            #[inline]
            pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
                self.as_ref().try_read_vectored(bufs)
            }

            #[doc = concat!("As [`", stringify!($Stream), "::try_read_buf`], with its errors.")]
            pub fn try_read_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
                self.as_ref().try_read_buf(buf)
            }
        }

        impl AsyncRead for $($Half)* {
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buf: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                (*self).as_ref().poll_read_shared(cx, buf)
            }
        }

        stream_halves!(@both $Stream, $addr, [$($Half)*], |$half| $stream);
    };

    (
        @write $Stream:ident, $addr:ty, [$($Half:tt)*], |$half:ident| $stream:expr,
        |$done:pat_param| $is_done:expr
    ) => {
        impl $($Half)* {
            #[doc = concat!("As [`", stringify!($Stream), "::ready`].")]
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
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
            /// use heist::net::UnixStream;
            ///
            /// let (a, _b) = UnixStream::pair()?;
            /// let (_read, write) = a.into_split();
            /// assert!(write.ready(Interest::WRITABLE).await?.is_writable());
            /// # Ok(())
            /// # }
            /// ```
            pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
                self.as_ref().ready(interest).await
            }

            #[doc = concat!("As [`", stringify!($Stream), "::writable`].")]
            ///
            /// # Errors
            ///
            /// That the stream's runtime has shut down.
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
            /// use heist::net::UnixStream;
            ///
            /// let (a, _b) = UnixStream::pair()?;
            /// let (_read, write) = a.into_split();
            /// write.writable().await?;
            /// assert_eq!(write.try_write(b"hi")?, 2);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn writable(&self) -> io::Result<()> {
                self.as_ref().writable().await
            }

            #[doc = concat!("As [`", stringify!($Stream), "::try_write`], with its errors.")]
            #[inline]
            pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
                self.as_ref().try_write(buf)
            }

            #[doc = concat!("As [`", stringify!($Stream), "::try_write_vectored`], with its errors.")]
            #[inline]
            pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
                self.as_ref().try_write_vectored(bufs)
            }
        }

        impl AsyncWrite for $($Half)* {
            fn poll_write(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buf: &[u8],
            ) -> Poll<io::Result<usize>> {
                (*self).as_ref().poll_write_shared(cx, buf)
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                (*self).as_ref().poll_write_vectored_shared(cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            /// Nothing is held back: what is written is the system's.
            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            /// Ends the stream's writing side.
            fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                let me = self.get_mut();
                (*me).as_ref().shutdown_write()?;
                let $done = me;
                $is_done;
                Poll::Ready(Ok(()))
            }
        }

        stream_halves!(@both $Stream, $addr, [$($Half)*], |$half| $stream);
    };

    (@both $Stream:ident, $addr:ty, [$($Half:tt)*], |$half:ident| $stream:expr) => {
        impl $($Half)* {
            /// The other side's address.
            ///
            /// # Errors
            ///
            /// The system's, for example that the stream is not connected.
            pub fn peer_addr(&self) -> io::Result<$addr> {
                self.as_ref().peer_addr()
            }

            /// This side's address.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn local_addr(&self) -> io::Result<$addr> {
                self.as_ref().local_addr()
            }
        }

        impl AsRef<$Stream> for $($Half)* {
            fn as_ref(&self) -> &$Stream {
                let $half = self;
                $stream
            }
        }
    };
}
