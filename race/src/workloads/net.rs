//! TCP on loopback. Client and server are tasks of the same runtime.

use std::net::SocketAddr;

use super::rt;
use super::{Runtime, multi_thread, on_worker};
use crate::counts::{MESSAGE_BYTES, exchanges};
use crate::workload::{Round, Workload};

use rt::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use rt::net::{TcpListener, TcpStream};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "tcp_echo_1",
        what: "1 connection, sends 64 bytes and awaits them back",
        ops: exchanges(1),
        prepare: |workers| tcp_echo(workers, 1),
    },
    Workload {
        name: "tcp_echo_50",
        what: "50 connections, each sends 64 bytes and awaits them back",
        ops: 50 * exchanges(50),
        prepare: |workers| tcp_echo(workers, 50),
    },
    Workload {
        name: "tcp_echo_1000",
        what: "1,000 connections, each sends 64 bytes and awaits them back",
        ops: 1_000 * exchanges(1_000),
        prepare: |workers| tcp_echo(workers, 1_000),
    },
    Workload {
        name: "tcp_stream",
        what: "64 MiB over one connection, in pieces of 64 KiB; an operation is a MiB",
        ops: STREAM_MIB,
        prepare: tcp_stream,
    },
    Workload {
        name: "tcp_connect",
        what: "4 tasks connect, exchange 64 bytes and hang up, again and again",
        ops: CALLERS * CALLS,
        prepare: tcp_connect,
    },
];

const STREAM_MIB: usize = 64;
const PIECE: usize = 64 * 1024;
const CALLERS: usize = 4;
const CALLS: usize = 50;

/// The connections are made here, once: a round only exchanges.
fn tcp_echo(workers: usize, connections: usize) -> Round {
    let runtime = multi_thread(workers);
    let mut clients = connect(&runtime, connections);
    Box::new(move || exchange_on_all(&runtime, &mut clients, exchanges(connections)))
}

/// Every client a task, so many exchanges each.
pub(super) fn exchange_on_all(runtime: &Runtime, clients: &mut Vec<TcpStream>, times: usize) {
    runtime.block_on(async {
        let running: Vec<_> = clients
            .drain(..)
            .map(|client| rt::spawn(exchange(client, times)))
            .collect();
        for client in running {
            clients.push(client.await.expect("no client panics"));
        }
    });
}

/// Connects so many clients to a server that echoes.
pub(super) fn connect(runtime: &Runtime, connections: usize) -> Vec<TcpStream> {
    runtime.block_on(async {
        let address = serve(runtime).await;
        let mut clients = Vec::with_capacity(connections);
        for _ in 0..connections {
            clients.push(dial(address).await);
        }
        clients
    })
}

/// A task accepts and another one echoes, for each who connects.
async fn serve(runtime: &Runtime) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound listener has one");
    runtime.spawn(async move {
        loop {
            let (server, _) = listener.accept().await.expect("descriptors suffice");
            server.set_nodelay(true).expect("TCP has nodelay");
            rt::spawn(echo(server));
        }
    });
    address
}

async fn dial(address: SocketAddr) -> TcpStream {
    let client = TcpStream::connect(address).await.expect("a server listens");
    client.set_nodelay(true).expect("TCP has nodelay");
    client
}

/// Until the client hangs up.
pub(super) async fn echo(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut buffer = [0; MESSAGE_BYTES];
    while stream.read_exact(&mut buffer).await.is_ok() {
        if stream.write_all(&buffer).await.is_err() {
            break;
        }
    }
}

pub(super) async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, times: usize) -> S {
    let mut answer = [0; MESSAGE_BYTES];
    for i in 0..times {
        let question = [i as u8; MESSAGE_BYTES];
        stream.write_all(&question).await.expect("the server reads");
        stream
            .read_exact(&mut answer)
            .await
            .expect("the server answers");
        assert_eq!(question, answer);
    }
    stream
}

/// A writing task and a reading one.
fn tcp_stream(workers: usize) -> Round {
    async fn read_all(mut stream: TcpStream) -> TcpStream {
        let mut buffer = vec![0; PIECE];
        let mut left = STREAM_MIB << 20;
        while left > 0 {
            let got = stream.read(&mut buffer).await.expect("the writer writes");
            assert_ne!(got, 0, "the writer hung up");
            left -= got;
        }
        stream
    }
    let runtime = multi_thread(workers);
    let mut ends = Some(runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has one");
        let writer = dial(address).await;
        let (reader, _) = listener.accept().await.expect("a client connects");
        (writer, reader)
    }));
    Box::new(move || {
        let (mut writer, reader) = ends.take().expect("the last round put them back");
        ends = Some(on_worker(&runtime, async move {
            let reading = rt::spawn(read_all(reader));
            let piece = vec![7; PIECE];
            for _ in 0..(STREAM_MIB << 20) / PIECE {
                writer.write_all(&piece).await.expect("the reader reads");
            }
            (writer, reading.await.expect("no reader panics"))
        }));
    })
}

/// Hanging up resets: else the ports of the last minute's connections would run out.
fn tcp_connect(workers: usize) -> Round {
    async fn call(address: SocketAddr) {
        for _ in 0..CALLS {
            let stream = exchange(dial(address).await, 1).await;
            stream.set_zero_linger().expect("TCP can linger");
        }
    }
    let runtime = multi_thread(workers);
    let address = runtime.block_on(serve(&runtime));
    Box::new(move || {
        on_worker(&runtime, async move {
            let callers: Vec<_> = (0..CALLERS).map(|_| rt::spawn(call(address))).collect();
            for caller in callers {
                caller.await.expect("no caller panics");
            }
        });
    })
}
