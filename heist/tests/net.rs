//! TCP as programs rely on it, on real runtimes.

mod support;

use std::future::Future;
use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use heist::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, Interest};
use heist::net::{TcpListener, TcpSocket, TcpStream, UdpSocket, UnixStream};
use heist::task;
use heist::time;
use support::{Rng, bounded, multi, scale, single};

/// Runs `test` on every kind of runtime.
fn everywhere<F>(test: impl Fn() -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    bounded(120, move || {
        for runtime in [single(), multi(1), multi(3)] {
            runtime.block_on(async { heist::spawn(test()).await.unwrap() });
            runtime.block_on(test());
        }
    });
}

async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (client, accepted) = futures::join!(TcpStream::connect(address), listener.accept());
    let (client, (server, peer)) = (client.unwrap(), accepted.unwrap());
    assert_eq!(peer, client.local_addr().unwrap());
    assert_eq!(client.peer_addr().unwrap(), address);
    (client, server)
}

/// `len` bytes of which each says where it belongs.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect()
}

/// What was begun is finished first.
#[test]
fn of_many_new_tasks_the_first_end_before_the_last_begin() {
    const TASKS: usize = 3_000;
    bounded(120, || {
        let runtime = multi(1);
        let (open, is_open) = std::sync::mpsc::channel::<()>();
        // Nothing begins before all are there.
        let gate = runtime.spawn(async move { is_open.recv() });
        let (begun, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let (begun, most) = (begun.clone(), most.clone());
                runtime.spawn(async move {
                    most.fetch_max(begun.fetch_add(1, SeqCst) + 1, SeqCst);
                    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                    socket.connect(socket.local_addr().unwrap()).await.unwrap();
                    let mut answer = [0];
                    // The reader is first, and has to wait for the reactor.
                    let (read, written) =
                        futures::join!(socket.recv(&mut answer), socket.send(b"!"));
                    begun.fetch_sub(1, SeqCst);
                    (read.unwrap(), written.unwrap(), answer)
                })
            })
            .collect();
        open.send(()).unwrap();
        runtime.block_on(async {
            gate.await.unwrap().unwrap();
            for task in tasks {
                assert_eq!(task.await.unwrap(), (1, 1, *b"!"));
            }
        });
        let most = most.load(SeqCst);
        assert!(most < 800, "{most} at once");
    });
}

#[test]
fn large_transfers_in_both_directions() {
    everywhere(|| async {
        let len = scale(1 << 20, 8 << 20, 256 << 20);
        let (client, server) = pair().await;
        let both = [client, server].map(|stream| {
            let (mut read, mut write) = stream.into_split();
            let writer = heist::spawn(async move {
                let bytes = pattern(len);
                write.write_all(&bytes).await.unwrap();
                write.shutdown().await.unwrap();
            });
            let reader = heist::spawn(async move {
                let mut bytes = Vec::new();
                read.read_to_end(&mut bytes).await.unwrap();
                assert!(bytes == pattern(len), "the bytes are not those sent");
            });
            [writer, reader]
        });
        for task in both.into_iter().flatten() {
            task.await.unwrap();
        }
    });
}

#[test]
fn small_pieces_arrive_in_order() {
    everywhere(|| async {
        let (mut client, mut server) = pair().await;
        let len = scale(20_000, 100_000, 1_000_000);
        let writer = heist::spawn(async move {
            let mut rng = Rng::new(5);
            let bytes = pattern(len);
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let n = (1 + rng.below(64)).min(rest.len());
                client.write_all(&rest[..n]).await.unwrap();
                rest = &rest[n..];
                if rng.below(16) == 0 {
                    task::yield_now().await;
                }
            }
        });
        // Read a byte or a few at a time: what a short read leaves behind must not be forgotten.
        let mut rng = Rng::new(6);
        let mut got = Vec::new();
        let mut buffer = [0; 100];
        loop {
            let most = 1 + rng.below(100);
            match server.read(&mut buffer[..most]).await.unwrap() {
                0 => break,
                n => got.extend_from_slice(&buffer[..n]),
            }
        }
        assert!(got == pattern(len));
        writer.await.unwrap();
    });
}

#[test]
fn half_closed_connections() {
    everywhere(|| async {
        let (mut client, mut server) = pair().await;
        client.write_all(b"question").await.unwrap();
        client.shutdown().await.unwrap();
        assert!(client.write_all(b"more").await.is_err());
        let mut question = String::new();
        server.read_to_string(&mut question).await.unwrap();
        assert_eq!(question, "question");
        // The other way is still open.
        time::sleep(Duration::from_millis(1)).await;
        server.write_all(b"answer").await.unwrap();
        drop(server);
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "answer");
        // And the end stays the end.
        assert_eq!(client.read(&mut [0; 8]).await.unwrap(), 0);
    });
}

#[test]
fn a_dropped_write_half_is_the_end_of_the_stream() {
    everywhere(|| async {
        let (client, mut server) = pair().await;
        let (mut read, mut write) = client.into_split();
        write.write_all(b"bye").await.unwrap();
        drop(write);
        let mut text = String::new();
        server.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "bye");
        server.write_all(b"later").await.unwrap();
        let mut later = [0; 5];
        read.read_exact(&mut later).await.unwrap();
        assert_eq!(&later, b"later");
    });
}

#[test]
fn halves_are_put_together_again() {
    everywhere(|| async {
        let (client, mut server) = pair().await;
        let (read, write) = client.into_split();
        let (other, _server) = pair().await;
        let (other_read, other_write) = other.into_split();
        let error = read.reunite(other_write).unwrap_err();
        let (read, other_write) = (error.0, error.1);
        let mut client = read.reunite(write).unwrap();
        drop(other_read.reunite(other_write).unwrap());
        let (mut read, mut write) = client.split();
        write.write_all(b"whole").await.unwrap();
        let mut text = [0; 5];
        server.read_exact(&mut text).await.unwrap();
        assert_eq!(&text, b"whole");
        server.write_all(b"again").await.unwrap();
        read.read_exact(&mut text).await.unwrap();
        assert_eq!(&text, b"again");
    });
}

#[test]
fn peeking_takes_nothing() {
    everywhere(|| async {
        let (mut client, mut server) = pair().await;
        let peeker = async {
            let mut buffer = [0; 16];
            let n = server.peek(&mut buffer).await.unwrap();
            assert_eq!(&buffer[..n], b"look");
            let n = server.peek(&mut buffer[..2]).await.unwrap();
            assert_eq!(&buffer[..n], b"lo");
            let n = server.read(&mut buffer).await.unwrap();
            assert_eq!(&buffer[..n], b"look");
        };
        let writer = async {
            task::yield_now().await;
            client.write_all(b"look").await.unwrap();
        };
        futures::join!(peeker, writer);
    });
}

#[test]
fn a_refused_connection_is_an_error() {
    everywhere(|| async {
        // Bound, so that nobody else is there, and not listening.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = socket.local_addr().unwrap();
        for _ in 0..10 {
            let error = TcpStream::connect(address).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        }
        // The same socket may then listen.
        let listener = socket.listen(16).unwrap();
        let (client, server) = futures::join!(TcpStream::connect(address), listener.accept());
        client.unwrap();
        server.unwrap();
    });
}

#[test]
fn a_reset_reaches_the_reader() {
    everywhere(|| async {
        let (client, mut server) = pair().await;
        let reader = heist::spawn(async move { server.read(&mut [0; 8]).await });
        task::yield_now().await;
        client.set_zero_linger().unwrap();
        drop(client);
        let error = reader.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    });
}

#[test]
fn a_full_pipe_holds_the_writer_and_lets_it_go() {
    everywhere(|| async {
        let (client, mut server) = pair().await;
        // Fill it until a writer is held. Not for good: the system may come late to what is on its way.
        let mut sent = 0;
        loop {
            client.writable().await.unwrap();
            match client.try_write(&[7; 4096]) {
                Ok(n) => sent += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let more = time::timeout(Duration::from_millis(20), client.writable()).await;
                    if more.is_err() {
                        break;
                    }
                }
                Err(error) => panic!("{error}"),
            }
        }
        let writer = heist::spawn(async move {
            client.writable().await.unwrap();
            client
        });
        let mut got = 0;
        let mut buffer = vec![0; 65_536];
        while got < sent {
            got += server.read(&mut buffer).await.unwrap();
        }
        drop(writer.await.unwrap());
        assert_eq!(server.read(&mut buffer).await.unwrap(), 0);
    });
}

#[test]
fn many_wait_for_one_socket() {
    everywhere(|| async {
        let (mut client, server) = pair().await;
        let server = Arc::new(server);
        let ready = Arc::new(AtomicUsize::new(0));
        let waiters: Vec<_> = (0..20)
            .map(|i| {
                let (server, ready) = (Arc::clone(&server), Arc::clone(&ready));
                heist::spawn(async move {
                    let interest = if i % 2 == 0 {
                        Interest::READABLE
                    } else {
                        Interest::READABLE | Interest::WRITABLE
                    };
                    // Some are writable at once; in the end all see what there is to read.
                    while !server.ready(interest).await.unwrap().is_readable() {
                        task::yield_now().await;
                    }
                    ready.fetch_add(1, SeqCst);
                })
            })
            .collect();
        task::yield_now().await;
        client.write_all(b"all").await.unwrap();
        for waiter in waiters {
            waiter.await.unwrap();
        }
        assert_eq!(ready.load(SeqCst), 20);
    });
}

#[test]
fn many_accept_on_one_listener() {
    everywhere(|| async {
        let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await.unwrap());
        let address = listener.local_addr().unwrap();
        let acceptors: Vec<_> = (0..20)
            .map(|_| {
                let listener = Arc::clone(&listener);
                heist::spawn(async move {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    stream.write_all(b"x").await.unwrap();
                })
            })
            .collect();
        let clients: Vec<_> = (0..20)
            .map(|_| {
                heist::spawn(async move {
                    let mut stream = TcpStream::connect(address).await.unwrap();
                    let mut byte = [0];
                    stream.read_exact(&mut byte).await.unwrap();
                })
            })
            .collect();
        for task in acceptors.into_iter().chain(clients) {
            task.await.unwrap();
        }
    });
}

#[test]
fn cancelled_reads_lose_nothing() {
    everywhere(|| async {
        let (mut client, mut server) = pair().await;
        let len = scale(5_000, 20_000, 200_000);
        let writer = heist::spawn(async move {
            for chunk in pattern(len).chunks(7) {
                client.write_all(chunk).await.unwrap();
                task::yield_now().await;
            }
        });
        let mut got = Vec::new();
        let mut rng = Rng::new(9);
        loop {
            let mut buffer = [0; 32];
            let patience = Duration::from_micros(rng.below(300) as u64);
            match time::timeout(patience, server.read(&mut buffer)).await {
                Ok(n) => match n.unwrap() {
                    0 => break,
                    n => got.extend_from_slice(&buffer[..n]),
                },
                // Dropped in the middle, and begun again.
                Err(_) => continue,
            }
        }
        assert!(got == pattern(len));
        writer.await.unwrap();
    });
}

#[test]
fn a_stream_goes_to_std_and_back() {
    everywhere(|| async {
        let (client, mut server) = pair().await;
        let client = client.into_std().unwrap();
        client.shutdown(Shutdown::Read).unwrap();
        let mut client = TcpStream::from_std(client).unwrap();
        client.write_all(b"round trip").await.unwrap();
        drop(client);
        let mut text = String::new();
        server.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "round trip");
    });
}

#[test]
fn a_stream_outlives_its_runtime_with_an_error() {
    bounded(60, || {
        for runtime in [single(), multi(2)] {
            let (client, mut server) = runtime.block_on(pair());
            let (waiting, told) = std::sync::mpsc::channel();
            let reader = std::thread::spawn(move || {
                waiting.send(()).unwrap();
                futures::executor::block_on(server.read(&mut [0; 8]))
            });
            told.recv().unwrap();
            std::thread::sleep(Duration::from_millis(2));
            drop(runtime);
            // Told, not left waiting.
            assert!(reader.join().unwrap().is_err());
            drop(client);
        }
    });
}

#[test]
fn descriptors_that_are_used_again_get_no_old_events() {
    bounded(200, || {
        for runtime in [single(), multi(3)] {
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                heist::spawn(async move {
                    loop {
                        let (mut stream, _) = listener.accept().await.unwrap();
                        heist::spawn(async move {
                            let mut id = [0; 8];
                            if stream.read_exact(&mut id).await.is_ok() {
                                let _ = stream.write_all(&id).await;
                            }
                        });
                    }
                });
                let tasks: Vec<_> = (0..16u64)
                    .map(|task| {
                        heist::spawn(async move {
                            for i in 0..scale(30, 150, 2_000) as u64 {
                                let mut stream = TcpStream::connect(address).await.unwrap();
                                let id = (task << 32 | i).to_le_bytes();
                                stream.write_all(&id).await.unwrap();
                                if i % 4 == 0 {
                                    // Dropped with the answer on its way.
                                    continue;
                                }
                                let mut back = [0; 8];
                                stream.read_exact(&mut back).await.unwrap();
                                assert_eq!(back, id);
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
            });
        }
    });
}

/// Where the queue is full, clients have to try again, a second later.
#[test]
fn a_burst_of_connections_waits_to_be_accepted() {
    const BURST: usize = 900;
    bounded(120, || {
        single().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            for _ in 0..BURST {
                // It is closed, and stays in the queue.
                let patience = Duration::from_secs(10);
                std::net::TcpStream::connect_timeout(&address, patience).unwrap();
            }
            for _ in 0..BURST {
                listener.accept().await.unwrap();
            }
        });
    });
}

/// Of Unix sockets the system does not say on which processor anything arrives; of TCP and UDP it does. Each ends up
/// somewhere, and all is heard.
#[test]
fn sockets_of_all_kinds_are_heard_wherever_they_are() {
    async fn echo(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut byte = [0];
        while stream.read_exact(&mut byte).await.is_ok() {
            stream.write_all(&byte).await.unwrap();
        }
    }
    async fn ask(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
        for i in 0..300_u32 {
            let (question, mut answer) = ([i as u8], [0]);
            stream.write_all(&question).await.unwrap();
            stream.read_exact(&mut answer).await.unwrap();
            assert_eq!(question, answer);
        }
    }
    bounded(120, || {
        multi(4).block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mut asking = Vec::new();
            for _ in 0..20 {
                let client = TcpStream::connect(address).await.unwrap();
                let (server, _) = listener.accept().await.unwrap();
                heist::spawn(echo(server));
                asking.push(heist::spawn(ask(client)));
                let (client, server) = UnixStream::pair().unwrap();
                heist::spawn(echo(server));
                asking.push(heist::spawn(ask(client)));
                let [one, other] =
                    [0, 1].map(|_| std::net::UdpSocket::bind("127.0.0.1:0").unwrap());
                one.connect(other.local_addr().unwrap()).unwrap();
                other.connect(one.local_addr().unwrap()).unwrap();
                let [one, other] = [one, other].map(|socket| {
                    socket.set_nonblocking(true).unwrap();
                    UdpSocket::from_std(socket).unwrap()
                });
                heist::spawn(async move {
                    let mut byte = [0];
                    while other.recv(&mut byte).await.is_ok() && other.send(&byte).await.is_ok() {}
                });
                asking.push(heist::spawn(async move {
                    for i in 0..300_u32 {
                        one.send(&[i as u8]).await.unwrap();
                        let mut answer = [0];
                        assert_eq!(one.recv(&mut answer).await.unwrap(), 1);
                        assert_eq!(answer, [i as u8]);
                    }
                }));
            }
            for asked in asking {
                asked.await.unwrap();
            }
        })
    });
}
