//! Sockets: TCP, UDP and Unix domain.
//!
//! * [`TcpListener`] and [`TcpStream`], and [`TcpSocket`] to set options before connecting or
//!   listening.
//! * [`UdpSocket`].
//! * [`UnixListener`] and [`UnixStream`], [`UnixDatagram`], [`UnixSocket`], and pipes:
//!   [`unix::pipe`].
//!
//! For other descriptors there is [`AsyncFd`](crate::io::unix::AsyncFd).
//!
//! A socket belongs to the runtime it is made in, whose reactor wakes the tasks that wait for it. It
//! may be used from any task of any runtime, and even outlive its own, but then can wait no more:
//! [`is_rt_shutdown_err`](crate::runtime::is_rt_shutdown_err).
//!
//! # Panics
//!
//! Functions that make a socket panic outside a runtime, and in one whose I/O is not enabled.

mod addr;
#[allow(unsafe_code, reason = "buffers that are not initialised yet")]
pub(crate) mod evented;
#[macro_use]
mod datagram;
#[macro_use]
mod ip_options;
#[macro_use]
mod socket;
#[macro_use]
mod stream;
pub mod tcp;
mod udp;
pub mod unix;

pub use self::addr::{ToSocketAddrs, lookup_host};
pub use self::tcp::listener::TcpListener;
pub use self::tcp::socket::TcpSocket;
pub use self::tcp::stream::TcpStream;
pub use self::udp::UdpSocket;
pub use self::unix::datagram::UnixDatagram;
pub use self::unix::listener::UnixListener;
pub use self::unix::socket::UnixSocket;
pub use self::unix::stream::UnixStream;
