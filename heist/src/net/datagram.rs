//! What UDP and Unix datagram sockets have in common, written once: both are an
//! [`Evented`](super::evented::Evented) called `io`, and have a `recv_from_into` of their own.

/// The methods and traits of a datagram socket.
macro_rules! datagram_methods {
    ($Socket:ident, $std:ty, $addr:ty) => {
        impl $Socket {
            /// Ties a socket of std's to the current runtime.
            ///
            /// The socket must be non-blocking; this does not make it so.
            ///
            /// # Errors
            ///
            /// The system's, if the socket cannot be watched.
            ///
            /// # Panics
            ///
            /// Outside a runtime with I/O; and, in builds with debug assertions, if the socket blocks.
            #[track_caller]
            pub fn from_std(socket: $std) -> io::Result<Self> {
                check_nonblocking(&socket)?;
                Self::from_mio(mio::net::$Socket::from_std(socket))
            }

            /// A new socket has room to send.
            #[track_caller]
            pub(super) fn from_mio(io: mio::net::$Socket) -> io::Result<Self> {
                let io = Evented::assumed(io, Ready::WRITABLE)?;
                Ok(Self { io })
            }

            /// Waits until there is a datagram. [`ready`](Self::ready) for
            /// [`Interest::READABLE`].
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
            /// use heist::net::UnixDatagram;
            ///
            /// let (a, b) = UnixDatagram::pair()?;
            /// a.send(b"hi").await?;
            /// let mut buf = [0; 8];
            /// let n = loop {
            ///     b.readable().await?;
            ///     match b.try_recv(&mut buf) {
            ///         Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            ///         result => break result?,
            ///     }
            /// };
            /// assert_eq!(&buf[..n], b"hi");
            /// # Ok(())
            /// # }
            /// ```
            pub async fn readable(&self) -> io::Result<()> {
                self.ready(Interest::READABLE).await.map(drop)
            }

            /// Waits until there is room to send. [`ready`](Self::ready) for
            /// [`Interest::WRITABLE`].
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
            /// use heist::net::UnixDatagram;
            ///
            /// let (a, b) = UnixDatagram::pair()?;
            /// a.writable().await?;
            /// assert_eq!(a.try_send(b"hi")?, 2);
            /// # drop(b);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn writable(&self) -> io::Result<()> {
                self.ready(Interest::WRITABLE).await.map(drop)
            }

            /// Asks whether there is a datagram; if not, the task is woken when there is.
            ///
            /// Of several tasks that poll to receive, only the last is woken: use
            /// [`readable`](Self::readable) where several wait.
            ///
            /// # Errors
            ///
            /// That the socket's runtime has shut down.
            pub fn poll_recv_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.io.registration().poll_read_ready(cx).map_ok(drop)
            }

            /// Asks whether there is room to send; if not, the task is woken when there is.
            ///
            /// Of several tasks that poll to send, only the last is woken: use
            /// [`writable`](Self::writable) where several wait.
            ///
            /// # Errors
            ///
            /// That the socket's runtime has shut down.
            pub fn poll_send_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.io.registration().poll_write_ready(cx).map_ok(drop)
            }

            /// Sends `buf` as one datagram to the address the socket is connected to.
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
            /// use heist::net::UnixDatagram;
            ///
            /// let (a, b) = UnixDatagram::pair()?;
            /// assert_eq!(a.send(b"one datagram").await?, 12);
            /// let mut buf = [0; 64];
            /// assert_eq!(b.recv(&mut buf).await?, 12);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn send(&self, buf: &[u8]) -> io::Result<usize> {
                self.io
                    .registration()
                    .async_io(Interest::WRITABLE, || self.io.send(buf))
                    .await
            }

            /// As [`send`](Self::send); if there is no room, the task is woken when there is.
            ///
            /// Of several tasks that poll to send, only the last is woken.
            ///
            /// # Errors
            ///
            /// As [`send`](Self::send).
            #[inline]
            pub fn poll_send(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                self.io
                    .registration()
                    .poll_write_io(cx, || self.io.send(buf))
            }

            /// As [`send`](Self::send), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` if there is no room now; wait with [`writable`](Self::writable). Else
            /// the system's.
            #[inline]
            pub fn try_send(&self, buf: &[u8]) -> io::Result<usize> {
                self.io
                    .registration()
                    .try_io(Interest::WRITABLE, || self.io.send(buf))
            }

            /// Receives one datagram from the address the socket is connected to. What does not fit
            /// into `buf` is lost.
            ///
            /// # Errors
            ///
            /// The system's, or that the socket's runtime has shut down.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: dropped before it is done, nothing was received.
            ///
            /// # Examples
            ///
            /// ```
            /// # #[heist::main(flavor = "current_thread")]
            /// # async fn main() -> std::io::Result<()> {
            /// use heist::net::UnixDatagram;
            ///
            /// let (a, b) = UnixDatagram::pair()?;
            /// a.send(b"first").await?;
            /// a.send(b"second").await?;
            /// let mut buf = [0; 64];
            /// assert_eq!(b.recv(&mut buf).await?, 5);
            /// assert_eq!(b.recv(&mut buf).await?, 6);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn recv(&self, buf: &mut [u8]) -> io::Result<usize> {
                let received = self
                    .io
                    .registration()
                    .async_io(Interest::READABLE, || retry(|| (*self.io).recv(buf)))
                    .await;
                received.inspect(|_| self.io.follow())
            }

            /// As [`recv`](Self::recv); if there is nothing, the task is woken when there is.
            ///
            /// Of several tasks that poll to receive, only the last is woken.
            ///
            /// # Errors
            ///
            /// As [`recv`](Self::recv).
            #[inline]
            pub fn poll_recv(
                &self,
                cx: &mut Context<'_>,
                buf: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                fill(buf, |unfilled| {
                    self.io
                        .registration()
                        .poll_read_io(cx, || self.io.recv(unfilled))
                })
                .map_ok(|_| self.io.follow())
            }

            /// As [`recv`](Self::recv), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` if nothing is there now; wait with [`readable`](Self::readable). Else
            /// the system's.
            #[inline]
            pub fn try_recv(&self, buf: &mut [u8]) -> io::Result<usize> {
                let received = self
                    .io
                    .registration()
                    .try_io(Interest::READABLE, || retry(|| (*self.io).recv(buf)));
                received.inspect(|_| self.io.follow())
            }

            /// As [`recv`](Self::recv), into the free part of a buffer, whose cursor it moves on.
            ///
            /// # Errors
            ///
            /// As [`recv`](Self::recv).
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: dropped before it is done, nothing was received.
            ///
            /// # Examples
            ///
            /// ```
            /// # #[heist::main(flavor = "current_thread")]
            /// # async fn main() -> std::io::Result<()> {
            /// use heist::net::UnixDatagram;
            ///
            /// let (a, b) = UnixDatagram::pair()?;
            /// a.send(b"one, ").await?;
            /// a.send(b"two").await?;
            /// let mut text = Vec::with_capacity(64);
            /// b.recv_buf(&mut text).await?;
            /// b.recv_buf(&mut text).await?;
            /// assert_eq!(text, b"one, two");
            /// # Ok(())
            /// # }
            /// ```
            pub async fn recv_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
                let received = self.io.registration().async_io(Interest::READABLE, || {
                    fill_chunk(buf, |chunk| Ok((self.io.recv(chunk)?, ())))
                });
                let (n, ()) = received.await?;
                self.io.follow();
                Ok(n)
            }

            /// As [`recv_buf`](Self::recv_buf), without waiting.
            ///
            /// # Errors
            ///
            /// As [`try_recv`](Self::try_recv).
            pub fn try_recv_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
                self.io.try_recv_buf(buf)
            }

            /// Receives one datagram, and tells who sent it. What does not fit into `buf` is lost.
            ///
            /// # Errors
            ///
            /// The system's, or that the socket's runtime has shut down.
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: dropped before it is done, nothing was received.
            ///
            /// # Examples
            ///
            /// ```
            /// # #[heist::main(flavor = "current_thread")]
            /// # async fn main() -> std::io::Result<()> {
            /// use heist::net::UdpSocket;
            ///
            /// let server = UdpSocket::bind("127.0.0.1:0").await?;
            /// let client = UdpSocket::bind("127.0.0.1:0").await?;
            /// client.send_to(b"hello", server.local_addr()?).await?;
            ///
            /// let mut buf = [0; 64];
            /// let (n, from) = server.recv_from(&mut buf).await?;
            /// assert_eq!((&buf[..n], from), (&b"hello"[..], client.local_addr()?));
            /// # Ok(())
            /// # }
            /// ```
            pub async fn recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, $addr)> {
                let (n, addr) = self
                    .io
                    .registration()
                    .async_io(Interest::READABLE, || retry(|| self.io.recv_from(buf)))
                    .await?;
                self.io.follow();
                Ok((n, addr.into()))
            }

            /// As [`recv_from`](Self::recv_from); if there is nothing, the task is woken when there is.
            ///
            /// Of several tasks that poll to receive, only the last is woken.
            ///
            /// # Errors
            ///
            /// As [`recv_from`](Self::recv_from).
            #[inline]
            pub fn poll_recv_from(
                &self,
                cx: &mut Context<'_>,
                buf: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<$addr>> {
                let mut from = None;
                let received = fill(buf, |unfilled| {
                    self.io.registration().poll_read_io(cx, || {
                        let (n, addr) = retry(|| self.recv_from_into(unfilled))?;
                        from = Some(addr);
                        Ok(n)
                    })
                });
                received.map_ok(|_| {
                    self.io.follow();
                    from.expect("a datagram has a sender")
                })
            }

            /// As [`recv_from`](Self::recv_from), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` if nothing is there now; wait with [`readable`](Self::readable). Else
            /// the system's.
            #[inline]
            pub fn try_recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, $addr)> {
                let (n, addr) = self
                    .io
                    .registration()
                    .try_io(Interest::READABLE, || retry(|| self.io.recv_from(buf)))?;
                self.io.follow();
                Ok((n, addr.into()))
            }

            /// As [`recv_from`](Self::recv_from), into the free part of a buffer, whose cursor it moves
            /// on.
            ///
            /// # Errors
            ///
            /// As [`recv_from`](Self::recv_from).
            ///
            /// # Cancel safety
            ///
            /// Cancel safe: dropped before it is done, nothing was received.
            ///
            /// # Examples
            ///
            /// ```
            /// # #[heist::main(flavor = "current_thread")]
            /// # async fn main() -> std::io::Result<()> {
            /// use heist::net::UdpSocket;
            ///
            /// let server = UdpSocket::bind("127.0.0.1:0").await?;
            /// let client = UdpSocket::bind("127.0.0.1:0").await?;
            /// client.send_to(b"hello", server.local_addr()?).await?;
            ///
            /// let mut buf = Vec::with_capacity(64);
            /// let (n, from) = server.recv_buf_from(&mut buf).await?;
            /// assert_eq!((n, from), (5, client.local_addr()?));
            /// assert_eq!(buf, b"hello");
            /// # Ok(())
            /// # }
            /// ```
            pub async fn recv_buf_from<B: BufMut>(
                &self,
                buf: &mut B,
            ) -> io::Result<(usize, $addr)> {
                let received = self.io.registration().async_io(Interest::READABLE, || {
                    fill_chunk(buf, |chunk| retry(|| self.recv_from_into(chunk)))
                });
                received.await.inspect(|_| self.io.follow())
            }

            /// As [`recv_buf_from`](Self::recv_buf_from), without waiting.
            ///
            /// # Errors
            ///
            /// As [`try_recv_from`](Self::try_recv_from).
            pub fn try_recv_buf_from<B: BufMut>(&self, buf: &mut B) -> io::Result<(usize, $addr)> {
                let received = self.io.registration().try_io(Interest::READABLE, || {
                    fill_chunk(buf, |chunk| retry(|| self.recv_from_into(chunk)))
                });
                received.inspect(|_| self.io.follow())
            }
        }

        socket_methods!($Socket, $std, $addr);
    };
}
