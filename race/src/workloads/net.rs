//! TCP on loopback. Client and server are tasks of the same runtime.

use super::rt;
use super::{Runtime, multi_thread};
use crate::workload::{Round, Workload};

use rt::io::{AsyncReadExt, AsyncWriteExt};
use rt::net::{TcpListener, TcpStream};

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "tcp_echo",
    what: "50 connections, each sends 64 bytes and awaits them back",
    ops: CONNECTIONS * EXCHANGES,
    prepare: tcp_echo,
}];

const CONNECTIONS: usize = 50;
const EXCHANGES: usize = 30;
const MESSAGE: usize = 64;

/// The connections are made here, once: a round only exchanges.
fn tcp_echo(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let mut clients = runtime.block_on(connect(&runtime));
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
async fn echo(mut stream: TcpStream) {
    let mut buffer = [0; MESSAGE];
    while stream.read_exact(&mut buffer).await.is_ok() {
        if stream.write_all(&buffer).await.is_err() {
            break;
        }
    }
}

async fn exchange(mut stream: TcpStream) -> TcpStream {
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
