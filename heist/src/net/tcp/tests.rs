//! TCP over the loopback, on a reactor turned by hand.

use std::future::{Future, poll_fn};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::join;

use crate::engine::reactor::is_rt_shutdown_err;
use crate::engine::reactor::test_support::{run, start};
use crate::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use crate::net::{TcpListener, TcpSocket, TcpStream};

const LOCAL: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 0);

async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(LOCAL).await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (near, far) = join!(TcpStream::connect(addr), listener.accept());
    let (near, (far, peer)) = (near.unwrap(), far.unwrap());
    assert_eq!(near.local_addr().unwrap(), peer);
    (near, far)
}

async fn read(stream: &mut (impl AsyncRead + Unpin), buf: &mut [u8]) -> io::Result<usize> {
    let mut buf = ReadBuf::new(buf);
    poll_fn(|cx| Pin::new(&mut *stream).poll_read(cx, &mut buf)).await?;
    Ok(buf.filled().len())
}

async fn read_exact(stream: &mut (impl AsyncRead + Unpin), buf: &mut [u8]) {
    let mut got = 0;
    while got < buf.len() {
        let n = read(stream, &mut buf[got..]).await.unwrap();
        assert_ne!(n, 0, "the stream ended early");
        got += n;
    }
}

async fn write_all(stream: &mut (impl AsyncWrite + Unpin), mut buf: &[u8]) {
    while !buf.is_empty() {
        let n = poll_fn(|cx| Pin::new(&mut *stream).poll_write(cx, buf))
            .await
            .unwrap();
        buf = &buf[n..];
    }
}

async fn shutdown(stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    poll_fn(|cx| Pin::new(&mut *stream).poll_shutdown(cx)).await
}

#[test]
fn what_can_go_to_other_threads_and_through_panics() {
    fn all<T: Send + Sync + Unpin + std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    fn send<T: Send>(_: T) {}
    all::<TcpStream>();
    all::<TcpListener>();
    all::<TcpSocket>();
    all::<super::ReadHalf<'_>>();
    all::<super::WriteHalf<'_>>();
    all::<super::OwnedReadHalf>();
    all::<super::OwnedWriteHalf>();
    all::<crate::net::UdpSocket>();
    all::<crate::net::UnixStream>();
    all::<crate::net::UnixListener>();
    all::<crate::net::UnixDatagram>();
    all::<crate::net::UnixSocket>();
    all::<crate::net::unix::pipe::Sender>();
    all::<crate::net::unix::pipe::Receiver>();
    all::<crate::io::unix::AsyncFd<std::net::TcpStream>>();
    send(TcpStream::connect("localhost:80"));
    send(TcpListener::bind(LOCAL));
    send(crate::net::UdpSocket::bind(LOCAL));
    send(crate::net::lookup_host("localhost:80"));
    send(crate::signal::ctrl_c());
    // Never polled: only their types matter.
    let _ = |listener: &'static TcpListener, stream: &'static TcpStream| {
        send(listener.accept());
        send(stream.readable());
        send(stream.async_io(Interest::READABLE, || Ok(())));
    };
}

#[test]
fn an_echo_of_a_megabyte() {
    run(async {
        let (mut near, mut far) = pair().await;
        let data: Vec<u8> = (0..1_000_000_u32).map(|i| (i % 251) as u8).collect();
        let (mut near_read, mut near_write) = near.split();
        let echo = async {
            let mut buf = vec![0; 8192];
            loop {
                match read(&mut far, &mut buf).await.unwrap() {
                    0 => break,
                    n => write_all(&mut far, &buf[..n]).await,
                }
            }
            shutdown(&mut far).await.unwrap();
        };
        let send = async {
            write_all(&mut near_write, &data).await;
            shutdown(&mut near_write).await.unwrap();
        };
        let receive = async {
            let mut got = vec![0; data.len()];
            read_exact(&mut near_read, &mut got).await;
            assert_eq!(read(&mut near_read, &mut [0]).await.unwrap(), 0);
            assert!(got == data);
        };
        join!(echo, send, receive);
    });
}

#[test]
fn an_accepted_socket_is_tried_before_it_is_waited_for() {
    run(async {
        let (_near, far) = pair().await;
        // No turn has seen the new socket yet.
        assert_eq!(far.try_write(b"first").unwrap(), 5);
        let e = far.try_read(&mut [0]).unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::WouldBlock);
    });
}

#[test]
fn a_refused_connection_is_an_error() {
    run(async {
        // Bound, so that nobody else gets it, and not listening.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from(LOCAL)).unwrap();
        let addr = socket.local_addr().unwrap();
        let e = TcpStream::connect(addr).await.unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::ConnectionRefused);
        let e = TcpStream::connect(&[][..]).await.unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::InvalidInput);
        // The second address works.
        let listener = TcpListener::bind(LOCAL).await.unwrap();
        let addrs = [addr, listener.local_addr().unwrap()];
        TcpStream::connect(&addrs[..]).await.unwrap();
    });
}

#[test]
fn ready_and_try_io() {
    run(async {
        let (near, far) = pair().await;
        let both = Interest::READABLE | Interest::WRITABLE;
        assert!(near.ready(both).await.unwrap().is_writable());
        near.writable().await.unwrap();
        assert_eq!(
            near.try_write_vectored(&[IoSlice::new(b"ab"), IoSlice::new(b"cd")])
                .unwrap(),
            4
        );
        far.readable().await.unwrap();
        // Accepted sockets are assumed readable; wait until the bytes are really there.
        let mut ahead = [0; 8];
        assert_eq!(far.peek(&mut ahead).await.unwrap(), 4);
        let (mut a, mut b) = ([0; 1], [0; 2]);
        let mut bufs = [IoSliceMut::new(&mut a), IoSliceMut::new(&mut b)];
        assert_eq!(far.try_read_vectored(&mut bufs).unwrap(), 3);
        assert_eq!((a, b), (*b"a", *b"bc"));
        let mut rest = Vec::with_capacity(10);
        assert_eq!(far.try_read_buf(&mut rest).unwrap(), 1);
        assert_eq!(rest, b"d");
        // A "would block" of the caller's own clears the flag, whatever is there to read.
        let e = far.try_io(Interest::READABLE, || {
            Err::<(), _>(io::ErrorKind::WouldBlock.into())
        });
        assert_eq!(e.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        let called = far.try_io(Interest::READABLE, || -> io::Result<()> {
            panic!("not ready")
        });
        assert_eq!(called.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        near.try_write(b"!").unwrap();
        let mut byte = [0];
        let n = far
            .async_io(Interest::READABLE, || {
                // SAFETY: a descriptor that is open, and a buffer of the length given.
                let n = unsafe { libc::recv(far.as_raw_fd(), byte.as_mut_ptr().cast(), 1, 0) };
                usize::try_from(n).map_err(|_| io::Error::last_os_error())
            })
            .await
            .unwrap();
        assert_eq!((n, byte), (1, *b"!"));
    });
}

#[test]
fn several_tasks_wait_for_one_socket() {
    run(async {
        let (near, far) = pair().await;
        // Use up what is assumed of an accepted socket.
        assert!(far.try_read(&mut [0]).is_err());
        let first = far.readable();
        let second = far.ready(Interest::READABLE);
        let polled = poll_fn(|cx| far.poll_read_ready(cx));
        let write = async { near.try_write(b"x").unwrap() };
        let (first, second, polled, _) = join!(first, second, polled, write);
        first.unwrap();
        assert!(second.unwrap().is_readable());
        polled.unwrap();
    });
}

#[test]
fn owned_halves_end_the_stream_and_come_together_again() {
    run(async {
        let (near, far) = pair().await;
        let (mut near_read, near_write) = near.into_split();
        let (far_read, mut far_write) = far.into_split();
        let (near_read_again, near_write) = match near_read.reunite(near_write) {
            Ok(stream) => stream.into_split(),
            Err(_) => panic!("they are of one stream"),
        };
        near_read = near_read_again;
        let error = far_read.reunite(near_write).unwrap_err();
        assert!(!error.to_string().is_empty());
        let super::ReuniteError(mut far_read, near_write) = error;

        write_all(&mut far_write, b"bye").await;
        let mut buf = [0; 3];
        read_exact(&mut near_read, &mut buf).await;
        // Dropped, the half ends its direction; forgotten, it does not.
        far_write.forget();
        let mut cx = Context::from_waker(Waker::noop());
        let mut byte = [0];
        let mut end = Box::pin(read(&mut near_read, &mut byte));
        assert!(end.as_mut().poll(&mut cx).is_pending());
        drop(end);
        drop(near_write);
        assert_eq!(read(&mut far_read, &mut [0]).await.unwrap(), 0);
        // The other direction went with the last reference.
        drop(far_read);
        assert_eq!(read(&mut near_read, &mut [0]).await.unwrap(), 0);
    });
}

#[test]
fn shutting_down_a_dead_connection_is_no_error() {
    run(async {
        let (mut near, far) = pair().await;
        far.set_zero_linger().unwrap();
        drop(far);
        near.readable().await.unwrap();
        let e = read(&mut near, &mut [0]).await.unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::ConnectionReset);
        shutdown(&mut near).await.unwrap();
    });
}

#[test]
fn std_and_back() {
    run(async {
        let listener = std::net::TcpListener::bind(LOCAL).unwrap();
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::try_from(listener).unwrap();
        let (near, far) = join!(
            TcpStream::connect(listener.local_addr().unwrap()),
            listener.accept()
        );
        let near = near.unwrap().into_std().unwrap();
        let mut far = far.unwrap().0;
        near.set_nonblocking(false).unwrap();
        io::Write::write_all(&mut &near, b"std").unwrap();
        let mut buf = [0; 3];
        read_exact(&mut far, &mut buf).await;
        assert_eq!(&buf, b"std");
        near.set_nonblocking(true).unwrap();
        let near = TcpStream::from_std(near).unwrap();
        near.writable().await.unwrap();
        let listener = listener.into_std().unwrap();
        drop((near, listener));
    });
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "set_nonblocking")]
fn a_blocking_socket_is_refused() {
    run(async {
        let _ = TcpListener::from_std(std::net::TcpListener::bind(LOCAL).unwrap());
    });
}

#[test]
#[should_panic(expected = "there is no reactor running")]
fn no_socket_without_a_runtime() {
    let mut bind = pin!(TcpListener::bind(LOCAL));
    let _ = bind.as_mut().poll(&mut Context::from_waker(Waker::noop()));
}

#[test]
fn a_socket_may_outlive_its_runtime_but_not_wait() {
    let (listener, mut stream) = run(async {
        let listener = TcpListener::bind(LOCAL).await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        (listener, stream)
    });
    run(async {
        assert!(is_rt_shutdown_err(&listener.accept().await.unwrap_err()));
        assert!(is_rt_shutdown_err(
            &read(&mut stream, &mut [0]).await.unwrap_err()
        ));
    });
}

#[test]
fn options() {
    run(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.set_reuseport(true).unwrap();
        socket.set_keepalive(true).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_send_buffer_size(32 * 1024).unwrap();
        socket.set_recv_buffer_size(32 * 1024).unwrap();
        socket.set_tos_v4(0x10).unwrap();
        assert!(socket.reuseaddr().unwrap() && socket.reuseport().unwrap());
        assert!(socket.keepalive().unwrap() && socket.nodelay().unwrap());
        assert!(socket.send_buffer_size().unwrap() >= 32 * 1024);
        assert!(socket.recv_buffer_size().unwrap() >= 32 * 1024);
        assert_eq!(socket.tos_v4().unwrap(), 0x10);
        assert_eq!(socket.device().unwrap(), None);
        assert_eq!(socket.linger().unwrap(), None);
        assert!(socket.take_error().unwrap().is_none());
        socket.bind(SocketAddr::from(LOCAL)).unwrap();
        let addr = socket.local_addr().unwrap();
        let listener = socket.listen(16).unwrap();
        assert_eq!(listener.local_addr().unwrap(), addr);
        listener.set_ttl(9).unwrap();
        assert_eq!(listener.ttl().unwrap(), 9);

        let socket = TcpSocket::new_v4().unwrap();
        // SAFETY: the descriptor was just given up by its owner.
        let socket = unsafe { TcpSocket::from_raw_fd(socket.into_raw_fd()) };
        let (near, far) = join!(socket.connect(addr), poll_fn(|cx| listener.poll_accept(cx)));
        let near = near.unwrap();
        far.unwrap();
        near.set_nodelay(true).unwrap();
        assert!(near.nodelay().unwrap());
        near.set_quickack(true).unwrap();
        near.quickack().unwrap();
        near.set_ttl(11).unwrap();
        assert_eq!(near.ttl().unwrap(), 11);
        near.set_zero_linger().unwrap();
        assert_eq!(near.linger().unwrap(), Some(Duration::ZERO));
        assert!(near.take_error().unwrap().is_none());
        assert_eq!(near.peer_addr().unwrap(), addr);
        assert!(format!("{near:?} {listener:?}").contains("127.0.0.1"));
    });
}

#[test]
fn a_thousand_sockets_reuse_slots_and_descriptors() {
    run(async {
        let listener = TcpListener::bind(LOCAL).await.unwrap();
        let addr = listener.local_addr().unwrap();
        for id in 0..1000_u32 {
            let (near, far) = join!(TcpStream::connect(addr), listener.accept());
            let (mut near, mut far) = (near.unwrap(), far.unwrap().0);
            write_all(&mut near, &id.to_le_bytes()).await;
            let mut got = [0; 4];
            read_exact(&mut far, &mut got).await;
            assert_eq!(u32::from_le_bytes(got), id);
        }
    });
}

/// Runs `test` in a process of its own, which finds the variable `mark` set.
fn alone(test: &str, mark: &str) {
    let mut process = std::process::Command::new(std::env::current_exe().unwrap());
    process
        .args(["--exact", test])
        .env(mark, "1")
        .stdout(std::process::Stdio::null());
    let status = start(&mut process).wait().unwrap();
    assert!(status.success(), "{status}");
}

/// At the limit of descriptors, `accept` says so at once, each time, and goes on when one is free.
/// The limit is the process's, so the test runs in one of its own.
#[test]
fn accept_at_the_limit_of_descriptors() {
    if std::env::var_os("HEIST_FD_LIMIT_TEST").is_none() {
        return alone(
            "net::tcp::tests::accept_at_the_limit_of_descriptors",
            "HEIST_FD_LIMIT_TEST",
        );
    }
    let limit = libc::rlimit {
        rlim_cur: 64,
        rlim_max: 64,
    };
    // SAFETY: a limit that lives while the call does.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
    run(async {
        let listener = TcpListener::bind(LOCAL).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let mut hoard = Vec::new();
        while let Ok(file) = std::fs::File::open("/dev/null") {
            hoard.push(file);
        }
        for _ in 0..3 {
            let e = listener.accept().await.unwrap_err();
            assert_eq!(e.raw_os_error(), Some(libc::EMFILE));
        }
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(Err(e)) = listener.poll_accept(&mut cx) else {
            panic!("the readiness was lost");
        };
        assert_eq!(e.raw_os_error(), Some(libc::EMFILE));
        drop(hoard);
        let (_, peer) = listener.accept().await.unwrap();
        assert_eq!(peer, client.local_addr().unwrap());
    });
}

/// Writing to a peer that is gone is an error, also where `SIGPIPE` kills.
#[test]
fn no_signal_for_a_closed_peer() {
    if std::env::var_os("HEIST_SIGPIPE_TEST").is_none() {
        return alone(
            "net::tcp::tests::no_signal_for_a_closed_peer",
            "HEIST_SIGPIPE_TEST",
        );
    }
    // SAFETY: the default action is what the test is about.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    run(async {
        let (mut near, far) = pair().await;
        far.set_zero_linger().unwrap();
        drop(far);
        near.readable().await.unwrap();
        for _ in 0..3 {
            let _ = near.try_write(b"x");
            let _ = near.try_write_vectored(&[IoSlice::new(b"x")]);
            let _ = poll_fn(|cx| Pin::new(&mut near).poll_write(cx, b"x")).await;
        }
    });
}
