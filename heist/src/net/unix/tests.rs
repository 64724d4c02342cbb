//! Unix domain sockets and pipes, on a reactor turned by hand.

use std::future::poll_fn;
use std::io::{self, IoSlice, Write};
use std::net::Shutdown;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures::join;

use super::pipe::{self, OpenOptions};
use crate::engine::reactor::test_support::{closed_is_closed, run, start};
use crate::io::{AsyncReadExt, AsyncWriteExt, Interest, ReadBuf};
use crate::net::{UnixDatagram, UnixListener, UnixSocket, UnixStream};

/// A path of its own, removed at the end.
struct TempPath(PathBuf);

impl TempPath {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "heist-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Relaxed)
        );
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for TempPath {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_begins_with_zero_is_a_name_in_no_file_system() {
    run(async {
        let name = format!("\0heist-{}-abstract", std::process::id());
        let listener = UnixListener::bind(&name).unwrap();
        let (near, far) = join!(UnixStream::connect(&name), listener.accept());
        far.unwrap();
        let peer = near.unwrap().peer_addr().unwrap();
        assert_eq!(peer.as_abstract_name(), Some(&name.as_bytes()[1..]));
        assert!(UnixListener::bind("/tmp/with\0zero").is_err());
    });
}

#[test]
fn a_stream_through_a_path() {
    let _guard = closed_is_closed();
    run(async {
        let path = TempPath::new();
        let listener = UnixListener::bind(&path.0).unwrap();
        let (near, far) = join!(UnixStream::connect(&path.0), listener.accept());
        let (mut near, (mut far, peer)) = (near.unwrap(), far.unwrap());
        assert!(peer.is_unnamed());
        assert_eq!(near.peer_addr().unwrap().as_pathname(), Some(&*path.0));
        let cred = far.peer_cred().unwrap();
        assert_eq!(cred.pid(), Some(std::process::id() as i32));
        let data = vec![7; 1 << 20];
        let send = async {
            near.write_all(&data).await.unwrap();
            near.shutdown().await.unwrap();
        };
        let mut got = Vec::new();
        let ((), received) = join!(send, far.read_to_end(&mut got));
        received.unwrap();
        assert!(got == data);
        drop(listener);
        assert!(UnixStream::connect(&path.0).await.is_err());
    });
}

#[test]
fn a_pair_and_its_halves() {
    run(async {
        let (a, b) = UnixStream::pair().unwrap();
        let (mut a_read, mut a_write) = a.into_split();
        let (b_read, b_write) = b.into_split();
        a_write.write_all(b"hello").await.unwrap();
        drop(a_write);
        let mut b = b_read.reunite(b_write).unwrap();
        let mut text = String::new();
        b.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "hello");
        let (_, mut write) = b.split();
        write.write_all(b"x").await.unwrap();
        assert_eq!(a_read.read_u8().await.unwrap(), b'x');
        assert!(a_read.local_addr().unwrap().is_unnamed());
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_in_no_file_system() {
    use std::os::linux::net::SocketAddrExt;
    run(async {
        let name = format!("heist-test-{}", std::process::id());
        let addr = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        let addr = super::SocketAddr::from(addr);
        let listener = UnixListener::bind_addr(&addr).unwrap();
        assert_eq!(
            listener.local_addr().unwrap().as_abstract_name(),
            Some(name.as_bytes())
        );
        let connect = UnixStream::connect_addr(&addr);
        let (near, far) = join!(connect, poll_fn(|cx| listener.poll_accept(cx)));
        near.unwrap();
        far.unwrap();
    });
}

#[test]
fn datagrams() {
    run(async {
        let (a, b) = UnixDatagram::pair().unwrap();
        a.send(b"one").await.unwrap();
        let mut buf = [0; 8];
        assert_eq!(b.recv(&mut buf).await.unwrap(), 3);
        // A full queue makes the sender wait; nothing is lost.
        let mut sent = 0;
        while a.try_send(&[1; 512]).is_ok() {
            sent += 1;
        }
        let receive = async {
            for _ in 0..=sent {
                let mut datagram = Vec::with_capacity(1024);
                assert_eq!(b.recv_buf(&mut datagram).await.unwrap(), 512);
            }
        };
        let last = [2; 512];
        let ((), done) = join!(receive, a.send(&last));
        done.unwrap();
        a.shutdown(Shutdown::Both).unwrap();

        let path = TempPath::new();
        let named = UnixDatagram::bind(&path.0).unwrap();
        let unnamed = UnixDatagram::unbound().unwrap();
        unnamed.send_to(b"to", &path.0).await.unwrap();
        let mut read_buf = ReadBuf::new(&mut buf);
        let from = poll_fn(|cx| named.poll_recv_from(cx, &mut read_buf))
            .await
            .unwrap();
        assert!(from.is_unnamed());
        assert_eq!(read_buf.filled(), b"to");
        unnamed.connect(&path.0).unwrap();
        unnamed.try_send(b"again").unwrap();
        assert_eq!(named.recv_from(&mut buf).await.unwrap().0, 5);
    });
}

#[test]
fn sockets_bound_before_they_are_used() {
    run(async {
        let (server, client) = (TempPath::new(), TempPath::new());
        let socket = UnixSocket::new_stream().unwrap();
        socket.bind(&server.0).unwrap();
        let listener = socket.listen(8).unwrap();
        let socket = UnixSocket::new_stream().unwrap();
        socket.bind(&client.0).unwrap();
        let (near, far) = join!(socket.connect(&server.0), listener.accept());
        near.unwrap();
        assert_eq!(far.unwrap().1.as_pathname(), Some(&*client.0));

        assert!(UnixSocket::new_datagram().unwrap().listen(1).is_err());
        assert!(
            UnixSocket::new_datagram()
                .unwrap()
                .connect(&server.0)
                .await
                .is_err()
        );
        assert!(UnixSocket::new_stream().unwrap().datagram().is_err());
        UnixSocket::new_datagram().unwrap().datagram().unwrap();
    });
}

/// One that refuses what is neither would refuse this.
#[test]
fn sockets_of_another_type_are_the_systems_affair() {
    run(async {
        let packets = || {
            let socket = socket2::Socket::new(
                socket2::Domain::UNIX,
                socket2::Type::from(libc::SOCK_SEQPACKET),
                None,
            )
            .unwrap();
            socket.set_nonblocking(true).unwrap();
            let fd = OwnedFd::from(socket).into_raw_fd();
            // SAFETY: it is ours, and open.
            unsafe { UnixSocket::from_raw_fd(fd) }
        };
        let path = TempPath::new();
        let listening = packets();
        listening.bind(&path.0).unwrap();
        let listener = listening.listen(8).unwrap();
        let (near, far) = join!(packets().connect(&path.0), listener.accept());
        let (mut near, (mut far, _)) = (near.unwrap(), far.unwrap());
        near.write_all(b"packet").await.unwrap();
        let mut buf = [0; 16];
        assert_eq!(far.read(&mut buf).await.unwrap(), 6);
        let stream = UnixSocket::new_stream().unwrap();
        assert_eq!(stream.datagram().unwrap_err().kind(), io::ErrorKind::Other);
    });
}

/// The system takes 1,024 slices at a time. That the rest is left out does not mean that there is no room.
#[test]
fn more_slices_than_the_system_takes() {
    const SLICES: usize = 1_500;
    const TAKEN: usize = 1_024;
    run(async {
        let slices = [IoSlice::new(b"x"); SLICES];
        let (mut sender, mut receiver) = pipe::pipe().unwrap();
        sender.writable().await.unwrap();
        assert_eq!(sender.try_write_vectored(&slices).unwrap(), TAKEN);
        assert_eq!(sender.write_vectored(&slices).await.unwrap(), TAKEN);
        sender.write_all(b"rest").await.unwrap();
        let mut all = vec![0; 2 * TAKEN + 4];
        receiver.read_exact(&mut all).await.unwrap();
        assert!(all.ends_with(b"xrest"));

        let (mut near, mut far) = UnixStream::pair().unwrap();
        near.writable().await.unwrap();
        assert_eq!(near.try_write_vectored(&slices).unwrap(), TAKEN);
        assert_eq!(near.write_vectored(&slices).await.unwrap(), TAKEN);
        near.write_all(b"rest").await.unwrap();
        far.read_exact(&mut all).await.unwrap();
        assert!(all.ends_with(b"xrest"));
    });
}

#[test]
fn pipes() {
    let _guard = closed_is_closed();
    run(async {
        let (mut sender, mut receiver) = pipe::pipe().unwrap();
        let data = vec![3; 1 << 18];
        let send = async {
            sender.write_all(&data).await.unwrap();
            drop(sender);
        };
        let mut got = Vec::new();
        let ((), received) = join!(send, receiver.read_to_end(&mut got));
        received.unwrap();
        assert!(got == data);

        // Nobody reads any more.
        let (sender, receiver) = pipe::pipe().unwrap();
        drop(receiver);
        let ready = sender.ready(Interest::WRITABLE).await.unwrap();
        assert!(ready.is_write_closed());
        assert_eq!(
            sender.try_write(b"x").unwrap_err().kind(),
            io::ErrorKind::BrokenPipe
        );

        let (sender, receiver) = pipe::pipe().unwrap();
        let mut blocking = std::fs::File::from(sender.into_blocking_fd().unwrap());
        blocking.write_all(b"back").unwrap();
        receiver.readable().await.unwrap();
        let mut vec = Vec::with_capacity(8);
        assert_eq!(receiver.try_read_buf(&mut vec).unwrap(), 4);
        pipe::Sender::from_file(blocking).unwrap();
        let fd = receiver.into_nonblocking_fd().unwrap();
        assert!(pipe::Sender::from_owned_fd(fd).is_err(), "the wrong end");
    });
}

#[test]
fn named_pipes() {
    run(async {
        let path = TempPath::new();
        let mut mkfifo = start(std::process::Command::new("mkfifo").arg(&path.0));
        assert!(mkfifo.wait().unwrap().success());
        let e = OpenOptions::new().open_sender(&path.0).unwrap_err();
        assert_eq!(e.raw_os_error(), Some(libc::ENXIO));
        let mut receiver = OpenOptions::new().open_receiver(&path.0).unwrap();
        let mut sender = OpenOptions::new().open_sender(&path.0).unwrap();
        sender.write_all(b"line").await.unwrap();
        let mut line = [0; 4];
        receiver.read_exact(&mut line).await.unwrap();
        assert_eq!(&line, b"line");
        let mut both = OpenOptions::new();
        #[cfg(target_os = "linux")]
        both.read_write(true).open_sender(&path.0).unwrap();
        assert!(both.open_receiver("/dev/null").is_err());
        let null = OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
        assert!(pipe::Receiver::from_owned_fd(null).is_err());
    });
}
