//! Round trips over what is not TCP: UDP on loopback, and Unix streams. Client and server are tasks of the
//! same runtime.

use std::future::Future;

use super::net::{echo, exchange};
use super::rt;
use super::{Runtime, multi_thread};
use crate::counts::MESSAGE_BYTES;
use crate::workload::{Round, Workload};

use rt::net::{UdpSocket, UnixStream};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "unix_echo",
        what: "50 pairs of Unix streams, 64 bytes there and back",
        ops: PAIRS * EXCHANGES,
        prepare: unix_echo,
    },
    Workload {
        name: "udp_echo",
        what: "50 pairs of connected UDP sockets, 64 bytes there and back",
        ops: PAIRS * EXCHANGES,
        prepare: udp_echo,
    },
];

const PAIRS: usize = 50;
const EXCHANGES: usize = 30;

/// The connections are there, made once: a round only exchanges on each.
fn exchanging<C, F>(
    runtime: Runtime,
    mut clients: Vec<C>,
    exchange: impl Fn(C) -> F + 'static,
) -> Round
where
    C: Send + 'static,
    F: Future<Output = C> + Send + 'static,
{
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

fn unix_echo(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let clients = runtime.block_on(async {
        let pair = |_| {
            let (client, server) = UnixStream::pair().expect("a pair can be made");
            rt::spawn(echo(server));
            client
        };
        (0..PAIRS).map(pair).collect()
    });
    exchanging(runtime, clients, |client| exchange(client, EXCHANGES))
}

fn udp_echo(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let clients = runtime.block_on(async {
        let mut clients = Vec::with_capacity(PAIRS);
        for _ in 0..PAIRS {
            let (client, server) = (udp_socket().await, udp_socket().await);
            udp_connect(&client, &server).await;
            udp_connect(&server, &client).await;
            rt::spawn(udp_echo_back(server));
            clients.push(client);
        }
        clients
    });
    exchanging(runtime, clients, udp_exchange)
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
    let mut buffer = [0; MESSAGE_BYTES];
    while let Ok(length) = socket.recv(&mut buffer).await {
        if socket.send(&buffer[..length]).await.is_err() {
            break;
        }
    }
}

/// At most one datagram is under way in each direction, so none is lost.
async fn udp_exchange(socket: UdpSocket) -> UdpSocket {
    let mut answer = [0; MESSAGE_BYTES];
    for i in 0..EXCHANGES {
        let question = [i as u8; MESSAGE_BYTES];
        socket.send(&question).await.expect("the server reads");
        let length = socket.recv(&mut answer).await.expect("the server answers");
        assert_eq!((length, question), (MESSAGE_BYTES, answer));
    }
    socket
}
