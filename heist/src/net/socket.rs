//! What streams and datagram sockets have in common, written once: all are an
//! [`Evented`](super::evented::Evented) called `io`.

/// The methods and traits of a socket that is made by its own `from_std`.
///
/// `$addr` is the type of its addresses.
macro_rules! socket_methods {
    ($Socket:ident, $std:ty, $addr:ty) => {
        impl $Socket {
            /// Takes the socket out of the runtime. It stays non-blocking.
            ///
            /// # Errors
            ///
            /// The system's, if the runtime's selector does not give it back.
            pub fn into_std(self) -> io::Result<$std> {
                self.io.into_inner().map(Into::into)
            }

            /// This side's address.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn local_addr(&self) -> io::Result<$addr> {
                self.io.local_addr().map(Into::into)
            }

            /// The other side's address.
            ///
            /// # Errors
            ///
            /// The system's, for example that it is not connected.
            pub fn peer_addr(&self) -> io::Result<$addr> {
                self.io.peer_addr().map(Into::into)
            }

            /// Takes the error that the socket has stored (`SO_ERROR`), and leaves none.
            ///
            /// # Errors
            ///
            /// The system's, if the question itself fails.
            pub fn take_error(&self) -> io::Result<Option<io::Error>> {
                self.io.take_error()
            }

            /// Waits until one of the things of `interest` can be done.
            ///
            /// For tasks that read and write at once; followed by one of the methods that do not wait. Any
            /// number of tasks may wait.
            ///
            /// Readiness is a hint: what follows may still find nothing to be done, and give
            /// `WouldBlock`. Once it does, the next wait really waits.
            ///
            /// # Errors
            ///
            /// That the socket's runtime has shut down.
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
            /// use std::io;
            ///
            /// let (stream, mut other) = UnixStream::pair()?;
            /// other.write_all(b"hello").await?;
            /// drop(other);
            /// loop {
            ///     let ready = stream.ready(Interest::READABLE).await?;
            ///     if ready.is_readable() {
            ///         let mut data = [0; 1024];
            ///         match stream.try_read(&mut data) {
            ///             Ok(0) => break,
            ///             Ok(n) => println!("read {n} bytes"),
            ///             Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            ///             Err(e) => return Err(e),
            ///         }
            ///     }
            /// }
            /// # Ok(())
            /// # }
            /// ```
            pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
                Ok(self.io.registration().readiness(interest).await?.ready)
            }

            /// Does an operation of the caller's on the socket, if it is ready for `interest`.
            ///
            /// For what has no method here. `f` works on the socket (by its descriptor) and gives
            /// `WouldBlock` if, and only if, the socket itself said so: that clears the readiness.
            ///
            /// # Errors
            ///
            /// `WouldBlock` if the socket is not ready, else what `f` gives.
            pub fn try_io<R>(
                &self,
                interest: Interest,
                f: impl FnOnce() -> io::Result<R>,
            ) -> io::Result<R> {
                self.io
                    .registration()
                    .try_io(interest, || self.io.try_io(f))
            }

            /// Does an operation of the caller's on the socket, and waits as long as it would block.
            ///
            /// [`try_io`](Self::try_io) until it gives something else than `WouldBlock`. `f` may be
            /// called more than once.
            ///
            /// # Errors
            ///
            /// What `f` gives, or that the socket's runtime has shut down.
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
            /// use heist::net::UnixStream;
            /// use std::os::fd::AsFd;
            ///
            /// let (a, _b) = UnixStream::pair()?;
            /// // Stands for a system call that this type has no method for.
            /// let cloned = a
            ///     .async_io(Interest::WRITABLE, || a.as_fd().try_clone_to_owned())
            ///     .await?;
            /// # drop(cloned);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn async_io<R>(
                &self,
                interest: Interest,
                mut f: impl FnMut() -> io::Result<R>,
            ) -> io::Result<R> {
                self.io
                    .registration()
                    .async_io(interest, || self.io.try_io(&mut f))
                    .await
            }
        }

        impl TryFrom<$std> for $Socket {
            type Error = io::Error;

            /// As [`from_std`](Self::from_std), with its panics.
            fn try_from(socket: $std) -> io::Result<Self> {
                Self::from_std(socket)
            }
        }

        impl fmt::Debug for $Socket {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.io.fmt(f)
            }
        }

        descriptor_traits!($Socket);
    };
}

/// `AsFd` and `AsRawFd` of something whose descriptor is in `io`.
macro_rules! descriptor_traits {
    ($Socket:ident) => {
        impl std::os::fd::AsFd for $Socket {
            fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
                self.io.as_fd()
            }
        }

        impl std::os::fd::AsRawFd for $Socket {
            fn as_raw_fd(&self) -> std::os::fd::RawFd {
                std::os::fd::AsFd::as_fd(self).as_raw_fd()
            }
        }
    };
}
