use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::task::{Context, Poll};

use bytes::BufMut;
use socket2::SockAddr;

use super::ToSocketAddrs;
use super::addr::{to_socket_addrs, try_each};
use super::evented::{Evented, check_nonblocking, fill, fill_chunk, retry};
use crate::engine::base::words;
use crate::io::{Interest, ReadBuf, Ready};

/// A UDP socket.
///
/// It is used in one of two ways: to many, with [`send_to`](Self::send_to) and
/// [`recv_from`](Self::recv_from); or to one, after [`connect`](Self::connect), with
/// [`send`](Self::send) and [`recv`](Self::recv). All methods take `&self`, so that tasks can share
/// the socket in an `Arc`, some to send and some to receive.
///
/// # Examples
///
/// ```no_run
/// use heist::net::UdpSocket;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let socket = UdpSocket::bind("0.0.0.0:8080").await?;
/// let mut datagram = [0; 1024];
/// loop {
///     let (len, from) = socket.recv_from(&mut datagram).await?;
///     socket.send_to(&datagram[..len], from).await?;
/// }
/// # }
/// ```
pub struct UdpSocket {
    io: Evented<mio::net::UdpSocket>,
}

datagram_methods!(UdpSocket, std::net::UdpSocket, SocketAddr);
ip_options!(UdpSocket, |self| self.io.socket());

fn to_ip(addr: &SockAddr) -> io::Result<SocketAddr> {
    addr.as_socket().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "neither an IPv4 nor an IPv6 address",
        )
    })
}

impl UdpSocket {
    /// A socket bound to an address; to the first that works, if there are several.
    ///
    /// # Errors
    ///
    /// The last address's error; `InvalidInput` if the name stands for none.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a socket that was bound in vain is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// let socket = heist::net::UdpSocket::bind("127.0.0.1:0").await?;
    /// println!("port {}", socket.local_addr()?.port());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        try_each(to_socket_addrs(addr).await?, |addr| {
            Self::from_mio(mio::net::UdpSocket::bind(addr)?)
        })
    }

    /// Connects the socket: it sends to this address, and receives from no other.
    ///
    /// # Errors
    ///
    /// The last address's error; `InvalidInput` if the name stands for none.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it is connected, or as it was before.
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
    /// client.connect(server.local_addr()?).await?;
    /// client.send(b"hello").await?;
    /// assert_eq!(server.recv(&mut [0; 64]).await?, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect<A: ToSocketAddrs>(&self, addr: A) -> io::Result<()> {
        try_each(to_socket_addrs(addr).await?, |addr| self.io.connect(addr))
    }

    fn recv_from_into(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, SocketAddr)> {
        let (n, from) = self.io.socket().recv_from(buf)?;
        Ok((n, to_ip(&from)?))
    }

    /// Sends `buf` as one datagram to `addr`; to its first address, if there are several.
    ///
    /// # Errors
    ///
    /// The system's; `InvalidInput` if the name stands for no address; or that the socket's runtime
    /// has shut down.
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
    /// use heist::net::UdpSocket;
    ///
    /// let server = UdpSocket::bind("127.0.0.1:0").await?;
    /// let client = UdpSocket::bind("127.0.0.1:0").await?;
    /// assert_eq!(client.send_to(b"hello", server.local_addr()?).await?, 5);
    /// assert_eq!(server.recv(&mut [0; 64]).await?, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_to<A: ToSocketAddrs>(&self, buf: &[u8], addr: A) -> io::Result<usize> {
        let Some(target) = to_socket_addrs(addr).await?.next() else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                words::NO_TARGET,
            ));
        };
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
    #[inline]
    pub fn poll_send_to(
        &self,
        cx: &mut Context<'_>,
        buf: &[u8],
        target: SocketAddr,
    ) -> Poll<io::Result<usize>> {
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
    #[inline]
    pub fn try_send_to(&self, buf: &[u8], target: SocketAddr) -> io::Result<usize> {
        self.io.registration().try_io(Interest::WRITABLE, || {
            retry(|| self.io.send_to(buf, target))
        })
    }

    /// As [`recv`](Self::recv), and leaves the datagram where it is.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is taken from the socket.
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
    /// let mut buf = [0; 64];
    /// assert_eq!(server.peek(&mut buf).await?, 5);
    /// // It is still there.
    /// assert_eq!(server.recv(&mut buf).await?, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io
            .registration()
            .async_io(Interest::READABLE, || retry(|| self.io.peek(buf)))
            .await
    }

    /// As [`poll_recv`](Self::poll_recv), and leaves the datagram where it is.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    #[inline]
    pub fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.io.poll_peek(cx, buf).map_ok(drop)
    }

    /// As [`try_recv`](Self::try_recv), and leaves the datagram where it is.
    ///
    /// # Errors
    ///
    /// As [`try_recv`](Self::try_recv).
    #[inline]
    pub fn try_peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io
            .registration()
            .try_io(Interest::READABLE, || retry(|| self.io.peek(buf)))
    }

    /// As [`recv_from`](Self::recv_from), and leaves the datagram where it is.
    ///
    /// # Errors
    ///
    /// As [`recv_from`](Self::recv_from).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is taken from the socket.
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
    /// let mut buf = [0; 64];
    /// assert_eq!(server.peek_from(&mut buf).await?, (5, client.local_addr()?));
    /// // It is still there.
    /// assert_eq!(server.recv(&mut buf).await?, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io
            .registration()
            .async_io(Interest::READABLE, || retry(|| self.io.peek_from(buf)))
            .await
    }

    /// As [`poll_recv_from`](Self::poll_recv_from), and leaves the datagram where it is.
    ///
    /// # Errors
    ///
    /// As [`recv_from`](Self::recv_from).
    #[inline]
    pub fn poll_peek_from(
        &self,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<SocketAddr>> {
        let mut from = None;
        let peeked = fill(buf, |unfilled| {
            self.io.registration().poll_read_io(cx, || {
                let (n, addr) = retry(|| self.io.socket().peek_from(unfilled))?;
                from = Some(to_ip(&addr)?);
                Ok(n)
            })
        });
        peeked.map_ok(|_| from.expect("a datagram has a sender"))
    }

    /// As [`try_recv_from`](Self::try_recv_from), and leaves the datagram where it is.
    ///
    /// # Errors
    ///
    /// As [`try_recv_from`](Self::try_recv_from).
    #[inline]
    pub fn try_peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io
            .registration()
            .try_io(Interest::READABLE, || retry(|| self.io.peek_from(buf)))
    }

    fn sender(&self) -> io::Result<SocketAddr> {
        retry(|| to_ip(&self.io.socket().peek_sender()?))
    }

    /// Waits for a datagram, tells who sent it, and leaves it where it is.
    ///
    /// # Errors
    ///
    /// As [`recv_from`](Self::recv_from).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is taken from the socket.
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
    /// assert_eq!(server.peek_sender().await?, client.local_addr()?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn peek_sender(&self) -> io::Result<SocketAddr> {
        self.io
            .registration()
            .async_io(Interest::READABLE, || self.sender())
            .await
    }

    /// As [`peek_sender`](Self::peek_sender); if there is nothing, the task is woken when there is.
    ///
    /// # Errors
    ///
    /// As [`recv_from`](Self::recv_from).
    #[inline]
    pub fn poll_peek_sender(&self, cx: &mut Context<'_>) -> Poll<io::Result<SocketAddr>> {
        self.io.registration().poll_read_io(cx, || self.sender())
    }

    /// As [`peek_sender`](Self::peek_sender), without waiting.
    ///
    /// # Errors
    ///
    /// As [`try_recv_from`](Self::try_recv_from).
    #[inline]
    pub fn try_peek_sender(&self) -> io::Result<SocketAddr> {
        self.io
            .registration()
            .try_io(Interest::READABLE, || self.sender())
    }

    /// Whether it may send to broadcast addresses (`SO_BROADCAST`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn broadcast(&self) -> io::Result<bool> {
        self.io.broadcast()
    }

    /// Lets it send to broadcast addresses, or not (`SO_BROADCAST`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_broadcast(&self, on: bool) -> io::Result<()> {
        self.io.set_broadcast(on)
    }

    /// Whether what it sends to an IPv4 group comes back here (`IP_MULTICAST_LOOP`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        self.io.multicast_loop_v4()
    }

    /// Lets what it sends to an IPv4 group come back here, or not (`IP_MULTICAST_LOOP`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        self.io.set_multicast_loop_v4(on)
    }

    /// How far what it sends to an IPv4 group goes (`IP_MULTICAST_TTL`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn multicast_ttl_v4(&self) -> io::Result<u32> {
        self.io.multicast_ttl_v4()
    }

    /// Sets how far what it sends to an IPv4 group goes (`IP_MULTICAST_TTL`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_multicast_ttl_v4(&self, ttl: u32) -> io::Result<()> {
        self.io.set_multicast_ttl_v4(ttl)
    }

    /// Whether what it sends to an IPv6 group comes back here (`IPV6_MULTICAST_LOOP`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn multicast_loop_v6(&self) -> io::Result<bool> {
        self.io.multicast_loop_v6()
    }

    /// Lets what it sends to an IPv6 group come back here, or not (`IPV6_MULTICAST_LOOP`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_multicast_loop_v6(&self, on: bool) -> io::Result<()> {
        self.io.set_multicast_loop_v6(on)
    }

    /// How many hops a datagram may take (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn ttl(&self) -> io::Result<u32> {
        self.io.ttl()
    }

    /// Sets how many hops a datagram may take (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }

    /// Joins an IPv4 group on the interface with this address; on the system's choice, if it is
    /// unspecified.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn join_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.join_multicast_v4(&multiaddr, &interface)
    }

    /// Joins an IPv6 group on the interface with this number; on the system's choice, if it is 0.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn join_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.join_multicast_v6(multiaddr, interface)
    }

    /// Leaves a group joined by [`join_multicast_v4`](Self::join_multicast_v4).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn leave_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.leave_multicast_v4(&multiaddr, &interface)
    }

    /// Leaves a group joined by [`join_multicast_v6`](Self::join_multicast_v6).
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn leave_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.leave_multicast_v6(multiaddr, interface)
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::reactor::test_support::{closed_is_closed, run};
    use futures::join;
    use std::future::poll_fn;

    const LOCAL: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 0);

    async fn pair() -> (UdpSocket, UdpSocket) {
        let (a, b) = join!(UdpSocket::bind(LOCAL), UdpSocket::bind(LOCAL));
        (a.unwrap(), b.unwrap())
    }

    #[test]
    fn to_and_from() {
        run(async {
            let (a, b) = pair().await;
            let (a_addr, b_addr) = (a.local_addr().unwrap(), b.local_addr().unwrap());
            let mut buf = [0; 8];
            let (received, sent) = join!(b.recv_from(&mut buf), a.send_to(b"one", b_addr));
            assert_eq!(sent.unwrap(), 3);
            assert_eq!(received.unwrap(), (3, a_addr));

            a.send_to(b"two!", &[b_addr][..]).await.unwrap();
            assert_eq!(b.peek_sender().await.unwrap(), a_addr);
            assert_eq!(b.peek_from(&mut buf).await.unwrap(), (4, a_addr));
            assert_eq!(b.try_peek_from(&mut buf).unwrap(), (4, a_addr));
            assert_eq!(b.try_peek_sender().unwrap(), a_addr);
            let mut all = ReadBuf::new(&mut buf);
            let from = poll_fn(|cx| b.poll_peek_from(cx, &mut all)).await.unwrap();
            assert_eq!((from, all.filled()), (a_addr, &b"two!"[..]));
            all.clear();
            let from = poll_fn(|cx| b.poll_recv_from(cx, &mut all)).await.unwrap();
            assert_eq!((from, all.filled()), (a_addr, &b"two!"[..]));
            assert_eq!(
                b.try_recv_from(&mut [0]).unwrap_err().kind(),
                io::ErrorKind::WouldBlock
            );

            a.try_send_to(b"three", b_addr).unwrap();
            let mut vec = Vec::with_capacity(16);
            assert_eq!(b.recv_buf_from(&mut vec).await.unwrap(), (5, a_addr));
            assert_eq!(vec, b"three");
            assert!(a.send_to(b"x", &[][..]).await.is_err());
        });
    }

    #[test]
    fn connected() {
        run(async {
            let (a, b) = pair().await;
            let (to_a, to_b) = (a.local_addr().unwrap(), b.local_addr().unwrap());
            a.connect(to_b).await.unwrap();
            b.connect(to_a).await.unwrap();
            assert_eq!(a.peer_addr().unwrap(), to_b);
            a.send(b"one").await.unwrap();
            let mut buf = [0; 2];
            // Cut off: the rest of a datagram is lost.
            assert_eq!(b.recv(&mut buf).await.unwrap(), 2);
            a.try_send(b"").unwrap();
            assert_eq!(b.recv(&mut buf).await.unwrap(), 0);
            poll_fn(|cx| a.poll_send(cx, b"12")).await.unwrap();
            assert_eq!(b.peek(&mut buf).await.unwrap(), 2);
            let mut vec = Vec::with_capacity(16);
            assert_eq!(b.recv_buf(&mut vec).await.unwrap(), 2);
            a.try_send(b"34").unwrap();
            b.readable().await.unwrap();
            let mut read_buf = ReadBuf::new(&mut buf);
            poll_fn(|cx| b.poll_recv(cx, &mut read_buf)).await.unwrap();
            assert_eq!(read_buf.filled(), b"34");
        });
    }

    /// Nobody is there: the system says so as an error of the socket, without anything to read.
    #[test]
    fn the_error_of_a_peer_that_is_gone_ends_the_wait() {
        let _guard = closed_is_closed();
        run(async {
            let (a, b) = pair().await;
            a.connect(b.local_addr().unwrap()).await.unwrap();
            drop(b);
            assert!(a.try_recv(&mut [0]).is_err());
            a.send(b"anybody?").await.unwrap();
            let e = a.recv(&mut [0; 8]).await.unwrap_err();
            assert_eq!(e.kind(), io::ErrorKind::ConnectionRefused);
            a.send(b"anybody?").await.unwrap();
            let mut byte = [0];
            let mut buf = ReadBuf::new(&mut byte);
            let e = poll_fn(|cx| a.poll_recv(cx, &mut buf)).await.unwrap_err();
            assert_eq!(e.kind(), io::ErrorKind::ConnectionRefused);
        });
    }

    #[test]
    fn options() {
        run(async {
            let (a, _) = pair().await;
            a.set_broadcast(true).unwrap();
            assert!(a.broadcast().unwrap());
            a.set_ttl(5).unwrap();
            assert_eq!(a.ttl().unwrap(), 5);
            a.set_multicast_ttl_v4(3).unwrap();
            assert_eq!(a.multicast_ttl_v4().unwrap(), 3);
            a.set_multicast_loop_v4(false).unwrap();
            assert!(!a.multicast_loop_v4().unwrap());
            a.set_tos_v4(0x10).unwrap();
            assert_eq!(a.tos_v4().unwrap(), 0x10);
            assert!(a.take_error().unwrap().is_none());
            let std = a.into_std().unwrap();
            UdpSocket::from_std(std).unwrap();
        });
    }
}
