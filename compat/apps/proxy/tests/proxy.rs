//! Two thousand connections at once, of four kinds.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proxy::Stats;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Barrier, Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

const CONNECTIONS: usize = 2_000;
const LIMIT: Duration = Duration::from_secs(120);
/// The upstream breaks a connection on which it reads this byte; all others come back.
const BREAK: u8 = 0xFF;

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

/// A server that sends back all it gets.
async fn upstream() -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut buffer = vec![0; 4096];
                loop {
                    let Ok(count @ 1..) = stream.read(&mut buffer).await else {
                        return;
                    };
                    if buffer[..count].contains(&BREAK) {
                        // Closed with no more than a reset.
                        return stream.set_zero_linger().unwrap();
                    }
                    if stream.write_all(&buffer[..count]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, server)
}

struct Proxy {
    address: SocketAddr,
    stats: Arc<Stats>,
    stop: watch::Sender<bool>,
    task: JoinHandle<io::Result<()>>,
}

async fn proxy_to(upstream: SocketAddr) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stats = Arc::new(Stats::default());
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(proxy::serve(
        listener,
        upstream,
        Arc::clone(&stats),
        stopped,
    ));
    Proxy {
        address,
        stats,
        stop,
        task,
    }
}

/// Bytes that are nobody else's, without [`BREAK`].
fn pattern(seed: usize, length: usize) -> Vec<u8> {
    (0..length)
        .map(|place| ((seed * 31 + place * 7) % 251) as u8)
        .collect()
}

/// Sends all, says that this was all, and reads until the other side says so too.
async fn exchange(stream: TcpStream, sent: Vec<u8>) -> Vec<u8> {
    let (mut reader, mut writer) = stream.into_split();
    let length = sent.len();
    let writing = tokio::spawn(async move {
        writer.write_all(&sent).await.unwrap();
        writer.shutdown().await.unwrap();
    });
    let mut received = Vec::with_capacity(length);
    reader.read_to_end(&mut received).await.unwrap();
    writing.await.unwrap();
    received
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_connections_slow_ones_and_killed_ones() {
    // Four descriptors a connection: client, both sides of the proxy, upstream.
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let needed = CONNECTIONS as u64 * 4 + 200;
    assert!(
        limit.maximum.is_none_or(|maximum| maximum >= needed),
        "this needs {needed} open files, and the hard limit is {limit:?}"
    );

    let (upstream, server) = upstream().await;
    let proxy = proxy_to(upstream).await;
    let all_connected = Arc::new(Barrier::new(CONNECTIONS));
    // Fewer at a time than the queues of the listeners hold: the kernel resets some of the others.
    let connecting = Arc::new(Semaphore::new(200));
    let mut clients = JoinSet::new();
    for number in 0..CONNECTIONS {
        let address = proxy.address;
        let all_connected = Arc::clone(&all_connected);
        let connecting = Arc::clone(&connecting);
        clients.spawn(async move {
            let turn = connecting.acquire().await.unwrap();
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_u8(1).await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), 1);
            drop(turn);
            all_connected.wait().await;
            match number % 4 {
                // Quick ones, with more than fits into the buffers on the way.
                0 | 1 => {
                    let sent = pattern(number, 40_000);
                    assert!(
                        exchange(stream, sent.clone()).await == sent,
                        "connection {number}"
                    );
                }
                // Slow ones: a byte, its answer, a pause.
                2 => {
                    for byte in pattern(number, 20) {
                        stream.write_u8(byte).await.unwrap();
                        assert_eq!(stream.read_u8().await.unwrap(), byte);
                        sleep(Duration::from_millis(50)).await;
                    }
                    stream.shutdown().await.unwrap();
                    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
                }
                // Killed in the middle, by the client or by the upstream.
                _ => {
                    let sent = pattern(number, 5_000);
                    stream.write_all(&sent).await.unwrap();
                    let mut half = [0; 2_000];
                    stream.read_exact(&mut half).await.unwrap();
                    assert!(sent.starts_with(&half), "connection {number}");
                    if number % 8 == 3 {
                        stream.set_zero_linger().unwrap();
                    } else {
                        stream.write_u8(BREAK).await.unwrap();
                        let rest = stream.read_to_end(&mut Vec::new()).await;
                        assert!(rest.is_err() || rest.unwrap() <= 3_000);
                    }
                }
            }
        });
    }
    timeout(LIMIT, async {
        while let Some(client) = clients.join_next().await {
            client.unwrap();
        }
    })
    .await
    .expect("every client comes to its end");

    proxy.stop.send(true).unwrap();
    timeout(LIMIT, proxy.task)
        .await
        .expect("nothing is left open")
        .unwrap()
        .unwrap();
    let Stats {
        open,
        ended,
        broken,
    } = &*proxy.stats;
    assert_eq!(open.load(Ordering::Relaxed), 0);
    assert_eq!(
        ended.load(Ordering::Relaxed) + broken.load(Ordering::Relaxed),
        CONNECTIONS
    );
    // Whether the proxy hears of a kill as an error or as an end is up to the kernel, so those that
    // were killed may count as either; the others ended in order.
    assert!(
        ended.load(Ordering::Relaxed) >= CONNECTIONS / 4 * 3,
        "{:?}",
        proxy.stats
    );
    server.abort();
    assert!(server.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn one_side_may_end_long_before_the_other() {
    let (upstream, _server) = upstream().await;
    let proxy = proxy_to(upstream).await;
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let sent = pattern(1, 1_000_000);
    assert!(
        timeout(LIMIT, exchange(stream, sent.clone()))
            .await
            .unwrap()
            == sent
    );
}

#[tokio::test]
async fn an_upstream_that_is_not_there_closes_the_client() {
    // Bound, and not listening: a port that was given up may be the proxy's own next, which then connects to
    // itself until there are no descriptors left.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let proxy = proxy_to(socket.local_addr().unwrap()).await;
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    let read = timeout(LIMIT, stream.read(&mut [0]))
        .await
        .expect("it is told");
    assert!(matches!(read, Ok(0) | Err(_)));
    proxy.stop.send(true).unwrap();
    timeout(LIMIT, proxy.task).await.unwrap().unwrap().unwrap();
    assert_eq!(proxy.stats.broken.load(Ordering::Relaxed), 1);
}
