//! What can be turned into socket addresses, and how.

use std::future::{self, Future};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::option;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use self::sealed::{Addresses, Internal, OneOrMore};
use crate::engine::base::words;
use crate::task::{JoinHandle, spawn_blocking};

/// What can be turned into one or more socket addresses.
///
/// Given to [`TcpStream::connect`](crate::net::TcpStream::connect),
/// [`TcpListener::bind`](crate::net::TcpListener::bind) and their like. It is implemented for
///
/// * addresses: [`SocketAddr`], [`SocketAddrV4`], [`SocketAddrV6`], slices of `SocketAddr`;
/// * addresses with a port: `(`[`IpAddr`]`, u16)`, `(`[`Ipv4Addr`]`, u16)`, `(`[`Ipv6Addr`]`, u16)`;
/// * hosts with a port: `(&str, u16)`, `(String, u16)`;
/// * `"host:port"`: `&str`, [`String`].
///
/// A string that is not an address is a host name, and the system is asked for it on a thread of the
/// blocking pool.
///
/// The trait is sealed: it has no methods to call, and cannot be implemented elsewhere.
/// [`lookup_host`] gives the addresses.
pub trait ToSocketAddrs: sealed::ToSocketAddrsPriv {}

/// Asks for the addresses of a host.
///
/// The port is part of what is asked for: `"example.com:80"`, or `("example.com", 80)`. It says
/// nothing of whether anybody listens there.
///
/// # Errors
///
/// The system's, if the name cannot be resolved.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed. A question to the system that is under way goes on on the pool.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// for addr in heist::net::lookup_host("127.0.0.1:3000").await? {
///     println!("it may be {addr}");
/// }
/// # Ok(())
/// # }
/// ```
pub async fn lookup_host<T>(host: T) -> io::Result<impl Iterator<Item = SocketAddr>>
where
    T: ToSocketAddrs,
{
    to_socket_addrs(host).await
}

pub(crate) fn to_socket_addrs<T: ToSocketAddrs>(addr: T) -> T::Future {
    addr.to_socket_addrs(Internal)
}

/// Does `attempt`, which does not wait, with each address until one works.
///
/// # Errors
///
/// The last one's; or that there are none.
pub(crate) fn try_each<S>(
    addrs: impl Iterator<Item = SocketAddr>,
    mut attempt: impl FnMut(SocketAddr) -> io::Result<S>,
) -> io::Result<S> {
    let mut last = None;
    for addr in addrs {
        match attempt(addr) {
            Ok(socket) => return Ok(socket),
            Err(e) => last = Some(e),
        }
    }
    Err(last.unwrap_or_else(no_address))
}

/// What came of trying no address at all.
pub(crate) fn no_address() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, words::NO_ADDRESS)
}

/// What the system says of a host: a blocking call, on a thread of the pool.
#[derive(Debug)]
pub(crate) struct Lookup(JoinHandle<io::Result<vec::IntoIter<SocketAddr>>>);

impl Future for Lookup {
    type Output = io::Result<vec::IntoIter<SocketAddr>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match ready!(Pin::new(&mut self.0).poll(cx)) {
            Ok(addrs) => addrs,
            Err(error) => Err(error.into()),
        })
    }
}

/// What the system is asked for.
enum Host {
    /// `"host:port"`.
    Text(String),
    WithPort(String, u16),
}

/// Asks the system for the addresses of `host`.
fn blocking_lookup(host: Host) -> Lookup {
    use std::net::ToSocketAddrs;

    Lookup(spawn_blocking(move || match host {
        Host::Text(text) => text.to_socket_addrs(),
        Host::WithPort(name, port) => (name, port).to_socket_addrs(),
    }))
}

macro_rules! one_address {
    ($($ty:ty => |$value:ident| $addr:expr;)*) => {$(
        impl ToSocketAddrs for $ty {}

        impl sealed::ToSocketAddrsPriv for $ty {
            type Iter = option::IntoIter<SocketAddr>;
            type Future = future::Ready<io::Result<Self::Iter>>;

            fn to_socket_addrs(&self, _: Internal) -> Self::Future {
                let $value = *self;
                future::ready(Ok(Some($addr).into_iter()))
            }
        }
    )*};
}

one_address! {
    SocketAddr => |addr| addr;
    SocketAddrV4 => |addr| SocketAddr::V4(addr);
    SocketAddrV6 => |addr| SocketAddr::V6(addr);
    (IpAddr, u16) => |addr| SocketAddr::from(addr);
    (Ipv4Addr, u16) => |addr| SocketAddr::from(addr);
    (Ipv6Addr, u16) => |addr| SocketAddr::from(addr);
}

impl ToSocketAddrs for &[SocketAddr] {}

impl sealed::ToSocketAddrsPriv for &[SocketAddr] {
    type Iter = vec::IntoIter<SocketAddr>;
    type Future = future::Ready<io::Result<Self::Iter>>;

    fn to_socket_addrs(&self, _: Internal) -> Self::Future {
        future::ready(Ok(Vec::from(*self).into_iter()))
    }
}

impl<T: ToSocketAddrs + ?Sized> ToSocketAddrs for &T {}

impl<T: sealed::ToSocketAddrsPriv + ?Sized> sealed::ToSocketAddrsPriv for &T {
    type Iter = T::Iter;
    type Future = T::Future;

    fn to_socket_addrs(&self, _: Internal) -> Self::Future {
        (**self).to_socket_addrs(Internal)
    }
}

impl ToSocketAddrs for str {}

impl sealed::ToSocketAddrsPriv for str {
    type Iter = OneOrMore;
    type Future = Addresses;

    fn to_socket_addrs(&self, _: Internal) -> Self::Future {
        match self.parse() {
            Ok(addr) => Addresses::known(addr),
            Err(_) => Addresses::asked(blocking_lookup(Host::Text(self.to_owned()))),
        }
    }
}

impl ToSocketAddrs for (&str, u16) {}

impl sealed::ToSocketAddrsPriv for (&str, u16) {
    type Iter = OneOrMore;
    type Future = Addresses;

    fn to_socket_addrs(&self, _: Internal) -> Self::Future {
        let (host, port) = *self;
        match host.parse::<IpAddr>() {
            Ok(ip) => Addresses::known((ip, port).into()),
            Err(_) => Addresses::asked(blocking_lookup(Host::WithPort(host.to_owned(), port))),
        }
    }
}

impl ToSocketAddrs for (String, u16) {}

impl sealed::ToSocketAddrsPriv for (String, u16) {
    type Iter = OneOrMore;
    type Future = Addresses;

    fn to_socket_addrs(&self, _: Internal) -> Self::Future {
        (self.0.as_str(), self.1).to_socket_addrs(Internal)
    }
}

impl ToSocketAddrs for String {}

impl sealed::ToSocketAddrsPriv for String {
    type Iter = OneOrMore;
    type Future = Addresses;

    fn to_socket_addrs(&self, _: Internal) -> Self::Future {
        self.as_str().to_socket_addrs(Internal)
    }
}

/// What the trait is made of, out of sight.
pub(crate) mod sealed {
    use super::*;

    #[doc(hidden)]
    pub trait ToSocketAddrsPriv {
        type Iter: Iterator<Item = SocketAddr> + Send + 'static;
        type Future: Future<Output = io::Result<Self::Iter>> + Send + 'static;

        fn to_socket_addrs(&self, internal: Internal) -> Self::Future;
    }

    /// Nobody else can make one, so nobody else can call the method.
    #[doc(hidden)]
    #[derive(Debug)]
    pub struct Internal;

    /// The addresses of a string: known, or asked for.
    #[doc(hidden)]
    #[derive(Debug)]
    pub struct Addresses(State);

    #[derive(Debug)]
    enum State {
        Known(Option<SocketAddr>),
        Asked(Lookup),
    }

    impl Addresses {
        pub(super) fn known(addr: SocketAddr) -> Self {
            Self(State::Known(Some(addr)))
        }

        pub(super) fn asked(lookup: Lookup) -> Self {
            Self(State::Asked(lookup))
        }
    }

    impl Future for Addresses {
        type Output = io::Result<OneOrMore>;

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
            match &mut self.0 {
                State::Known(addr) => Poll::Ready(Ok(OneOrMore::One(addr.take().into_iter()))),
                State::Asked(lookup) => {
                    let addrs = ready!(Pin::new(lookup).poll(cx))?;
                    Poll::Ready(Ok(OneOrMore::More(addrs)))
                }
            }
        }
    }

    #[doc(hidden)]
    #[derive(Debug)]
    pub enum OneOrMore {
        One(option::IntoIter<SocketAddr>),
        More(vec::IntoIter<SocketAddr>),
    }

    impl Iterator for OneOrMore {
        type Item = SocketAddr;

        fn next(&mut self) -> Option<SocketAddr> {
            match self {
                Self::One(addrs) => addrs.next(),
                Self::More(addrs) => addrs.next(),
            }
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            match self {
                Self::One(addrs) => addrs.size_hint(),
                Self::More(addrs) => addrs.size_hint(),
            }
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::parker::block_on;

    fn addrs<A: ToSocketAddrs>(addr: A) -> Vec<SocketAddr> {
        block_on(async { lookup_host(addr).await.unwrap().collect() })
    }

    #[test]
    fn addresses_need_nobody_to_be_asked() {
        let v4: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let v6: SocketAddr = "[::1]:80".parse().unwrap();
        for same in [
            addrs(v4),
            addrs::<&SocketAddr>(&v4),
            addrs((v4.ip(), 80)),
            addrs((Ipv4Addr::LOCALHOST, 80)),
            addrs("127.0.0.1:80"),
            addrs(String::from("127.0.0.1:80")),
            addrs(("127.0.0.1", 80)),
            addrs((String::from("127.0.0.1"), 80)),
        ] {
            assert_eq!(same, [v4]);
        }
        assert_eq!(addrs(("::1", 80)), [v6]);
        assert_eq!(addrs((Ipv6Addr::LOCALHOST, 80)), [v6]);
        assert_eq!(addrs(&[v4, v6][..]), [v4, v6]);
    }

    #[test]
    fn names_are_looked_up() {
        let runtime = crate::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let found = runtime.block_on(async {
            lookup_host("localhost:80")
                .await
                .unwrap()
                .collect::<Vec<_>>()
        });
        assert!(!found.is_empty() && found.iter().all(|addr| addr.ip().is_loopback()));
        assert!(runtime.block_on(lookup_host("no port")).is_err());
    }
}
