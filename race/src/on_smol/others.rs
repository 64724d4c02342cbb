//! As `workloads/timers.rs`, `blocking.rs` and `net.rs`: async-io, blocking and async-net.

use std::future::Future;
use std::time::Duration;

use smol::future::{or, yield_now};
use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};
use smol::{Task, Timer, unblock};

use super::{Crew, Entry};
use crate::counts::{BLOCKING_CALLS, CHURNERS, CHURNS, MESSAGE_BYTES, READY, exchanges};
use crate::workload::Round;

pub(super) const ENTRIES: &[Entry] = &[
    ("timeout_ready", timeout_ready),
    ("timer_churn", timer_churn),
    ("spawn_blocking_seq", blocking_seq),
    ("spawn_blocking_burst", blocking_burst),
    ("tcp_echo_1", |workers| tcp_echo(workers, 1)),
    ("tcp_echo_50", |workers| tcp_echo(workers, 50)),
    ("tcp_echo_1000", |workers| tcp_echo(workers, 1_000)),
];

/// smol's way to a timeout: a race against a timer.
async fn timeout<T>(after: Duration, future: impl Future<Output = T>) -> Option<T> {
    let done = async { Some(future.await) };
    let late = async {
        Timer::after(after).await;
        None
    };
    or(done, late).await
}

fn timeout_ready(workers: usize) -> Round {
    let crew = Crew::new(workers);
    Box::new(move || {
        crew.run(async {
            for i in 0..READY {
                let value = timeout(Duration::from_secs(1), async { i }).await;
                assert_eq!(value, Some(i));
            }
        });
    })
}

fn timer_churn(workers: usize) -> Round {
    let crew = Crew::new(workers);
    let executor = crew.executor();
    Box::new(move || {
        crew.run(async move {
            let churn = || async {
                for _ in 0..CHURNS {
                    let yielded = timeout(Duration::from_secs(1), yield_now()).await;
                    yielded.expect("a yield takes less than a second");
                }
            };
            let tasks: Vec<_> = (0..CHURNERS).map(|_| executor.spawn(churn())).collect();
            for task in tasks {
                task.await;
            }
        });
    })
}

fn blocking_seq(workers: usize) -> Round {
    let crew = Crew::new(workers);
    Box::new(move || {
        crew.run(async {
            for i in 0..BLOCKING_CALLS {
                assert_eq!(unblock(move || i).await, i);
            }
        });
    })
}

fn blocking_burst(workers: usize) -> Round {
    let crew = Crew::new(workers);
    Box::new(move || {
        crew.run(async {
            let calls: Vec<_> = (0..BLOCKING_CALLS).map(|i| unblock(move || i)).collect();
            for (i, call) in calls.into_iter().enumerate() {
                assert_eq!(call.await, i);
            }
        });
    })
}

fn tcp_echo(workers: usize, connections: usize) -> Round {
    let crew = Crew::new(workers);
    let (mut clients, servers) = smol::block_on(connect(&crew, connections));
    let times = exchanges(connections);
    Box::new(move || {
        let _alive = &servers;
        let running: Vec<_> = clients
            .drain(..)
            .map(|client| crew.executor().spawn(exchange(client, times)))
            .collect();
        smol::block_on(async {
            for client in running {
                clients.push(client.await);
            }
        });
    })
}

/// The clients, and the servers' tasks.
async fn connect(crew: &Crew, connections: usize) -> (Vec<TcpStream>, Vec<Task<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound listener has one");
    let (mut clients, mut servers) = (Vec::new(), Vec::new());
    for _ in 0..connections {
        let client = TcpStream::connect(address).await.expect("a server listens");
        client.set_nodelay(true).expect("TCP has nodelay");
        clients.push(client);
        let (server, _) = listener.accept().await.expect("descriptors suffice");
        server.set_nodelay(true).expect("TCP has nodelay");
        servers.push(crew.executor().spawn(echo(server)));
    }
    (clients, servers)
}

async fn echo(mut stream: TcpStream) {
    let mut buffer = [0; MESSAGE_BYTES];
    while stream.read_exact(&mut buffer).await.is_ok() {
        if stream.write_all(&buffer).await.is_err() {
            break;
        }
    }
}

async fn exchange(mut stream: TcpStream, times: usize) -> TcpStream {
    let mut answer = [0; MESSAGE_BYTES];
    for i in 0..times {
        let question = [i as u8; MESSAGE_BYTES];
        stream.write_all(&question).await.expect("the server reads");
        let read = stream.read_exact(&mut answer).await;
        read.expect("the server answers");
        assert_eq!(question, answer);
    }
    stream
}
