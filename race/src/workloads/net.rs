//! Round trips over sockets: TCP and UDP on loopback, Unix streams. Client and server are tasks of the
//! same runtime.

use std::future::Future;

use super::rt;
use super::{Runtime, multi_thread};
use crate::workload::{Round, Workload};

use rt::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use rt::net::{TcpListener, TcpStream, UdpSocket, UnixStream};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "tcp_echo",
        what: "50 connections, each sends 64 bytes and awaits them back",
        ops: CONNECTIONS * EXCHANGES,
        prepare: tcp_echo,
    },
    Workload {
        name: "unix_echo",
        what: "the same over pairs of Unix streams",
        ops: CONNECTIONS * EXCHANGES,
        prepare: unix_echo,
    },
    Workload {
        name: "udp_echo",
        what: "the same over pairs of connected UDP sockets",
        ops: CONNECTIONS * EXCHANGES,
        prepare: udp_echo,
    },
];

const CONNECTIONS: usize = 50;
const EXCHANGES: usize = 30;
const MESSAGE: usize = 64;

/// The connections are made by `connect`, once: a round only exchanges, 30 times on each.
fn exchanging<C, F>(
    workers: usize,
    connect: impl FnOnce(&Runtime) -> Vec<C>,
    exchange: impl Fn(C) -> F + 'static,
) -> Round
where
    C: Send + 'static,
    F: Future<Output = C> + Send + 'static,
{
    let runtime = multi_thread(workers);
    let mut clients = connect(&runtime);
    Box::new(move || {
        runtime.block_on(async {
            let running: Vec<_> = clients
                .drain(..)
                .map(|client| rt::spawn(exchange(client)))
                .collect();
            for client in running {
                clients.push(client.await.expect("no client panics"));
            }
        });
    })
}

fn tcp_echo(workers: usize) -> Round {
    let connect = |runtime: &Runtime| runtime.block_on(connect(runtime));
    exchanging(workers, connect, exchange)
}

fn unix_echo(workers: usize) -> Round {
    let connect = |runtime: &Runtime| {
        let _inside = runtime.enter();
        let pairs = (0..CONNECTIONS).map(|_| {
            let (client, server) = UnixStream::pair().expect("a pair can be made");
            rt::spawn(echo(server));
            client
        });
        pairs.collect()
    };
    exchanging(workers, connect, exchange)
}

fn udp_echo(workers: usize) -> Round {
    let connect = |runtime: &Runtime| {
        runtime.block_on(async {
            let mut clients = Vec::with_capacity(CONNECTIONS);
            for _ in 0..CONNECTIONS {
                let (client, server) = (udp_socket().await, udp_socket().await);
                udp_connect(&client, &server).await;
                udp_connect(&server, &client).await;
                rt::spawn(udp_echo_back(server));
                clients.push(client);
            }
            clients
        })
    };
    exchanging(workers, connect, udp_exchange)
}

async fn connect(runtime: &Runtime) -> Vec<TcpStream> {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound listener has one");
    runtime.spawn(async move {
        for _ in 0..CONNECTIONS {
            let (server, _) = listener.accept().await.expect("a client connects");
            server.set_nodelay(true).expect("TCP has nodelay");
            rt::spawn(echo(server));
        }
    });
    let mut clients = Vec::with_capacity(CONNECTIONS);
    for _ in 0..CONNECTIONS {
        let client = TcpStream::connect(address).await.expect("a server listens");
        client.set_nodelay(true).expect("TCP has nodelay");
        clients.push(client);
    }
    clients
}

/// Until the client hangs up.
async fn echo(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut buffer = [0; MESSAGE];
    while stream.read_exact(&mut buffer).await.is_ok() {
        if stream.write_all(&buffer).await.is_err() {
            break;
        }
    }
}

async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) -> S {
    let mut answer = [0; MESSAGE];
    for i in 0..EXCHANGES {
        let question = [i as u8; MESSAGE];
        stream.write_all(&question).await.expect("the server reads");
        stream
            .read_exact(&mut answer)
            .await
            .expect("the server answers");
        assert_eq!(question, answer);
    }
    stream
}

async fn udp_socket() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0")
        .await
        .expect("loopback has a free port")
}

async fn udp_connect(socket: &UdpSocket, to: &UdpSocket) {
    let address = to.local_addr().expect("a bound socket has one");
    socket.connect(address).await.expect("loopback is there");
}

/// Until the client is gone and its port refuses.
async fn udp_echo_back(socket: UdpSocket) {
    let mut buffer = [0; MESSAGE];
    while let Ok(length) = socket.recv(&mut buffer).await {
        if socket.send(&buffer[..length]).await.is_err() {
            break;
        }
    }
}

/// At most one datagram is under way in each direction, so none is lost.
async fn udp_exchange(socket: UdpSocket) -> UdpSocket {
    let mut answer = [0; MESSAGE];
    for i in 0..EXCHANGES {
        let question = [i as u8; MESSAGE];
        socket.send(&question).await.expect("the server reads");
        let length = socket.recv(&mut answer).await.expect("the server answers");
        assert_eq!((length, question), (MESSAGE, answer));
    }
    socket
}
