//! One task blocks its worker for 50 ms, which nobody should do: what becomes of the work that the
//! worker had taken on?

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::{Runtime, Tail, TailRound, multi_thread, on_worker, rt};

use rt::io::{AsyncReadExt, AsyncWriteExt};
use rt::net::TcpListener;

pub(super) const TAILS: &[Tail] = &[
    Tail {
        name: "stall_slot",
        what: "a task spawns another and blocks for 50 ms: when does the other run?",
        prepare: stall_slot,
    },
    Tail {
        name: "stall_timer",
        what: "a task sleeps, gets up alone and blocks for 50 ms: how late are others' timers?",
        prepare: stall_timer,
    },
    Tail {
        name: "stall_socket",
        what: "one of 8 connections makes its server block for 50 ms; the others ask then: when are they answered?",
        prepare: stall_socket,
    },
];

const BLOCKED: Duration = Duration::from_millis(50);
const TIMES: usize = 8;

fn block() {
    thread::sleep(BLOCKED);
}

fn stall_slot(workers: usize) -> TailRound {
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let mut delays = Vec::with_capacity(TIMES);
            for _ in 0..TIMES {
                let spawned = Instant::now();
                let other = rt::spawn(async move { spawned.elapsed() });
                block();
                delays.push(other.await.expect("no task panics"));
            }
            delays
        })
    })
}

/// Ten tasks set their timers. When all sleep, one gets up, alone, and blocks: the others' time comes meanwhile.
fn stall_timer(workers: usize) -> TailRound {
    const SLEEPERS: usize = 10;
    const UNTIL_BLOCKED: Duration = Duration::from_millis(3);
    const UNTIL_DUE: Duration = Duration::from_millis(8);
    async fn sleeper(due: Instant) -> Duration {
        rt::time::sleep_until(due.into()).await;
        due.elapsed()
    }
    let runtime = multi_thread(workers);
    Box::new(move || {
        on_worker(&runtime, async {
            let mut delays = Vec::with_capacity(TIMES * SLEEPERS);
            for _ in 0..TIMES {
                let start = Instant::now();
                let due = start + UNTIL_DUE;
                let sleepers: Vec<_> = (0..SLEEPERS).map(|_| rt::spawn(sleeper(due))).collect();
                rt::time::sleep_until((start + UNTIL_BLOCKED).into()).await;
                block();
                for sleeper in sleepers {
                    delays.push(sleeper.await.expect("no task panics"));
                }
            }
            delays
        })
    })
}

const CONNECTIONS: usize = 8;
/// What makes a server block.
const POISON: u8 = 13;

/// The clients are this thread's. It asks on one connection what makes a server block, and on all others while that
/// does.
fn stall_socket(workers: usize) -> TailRound {
    const UNTIL_BLOCKED: Duration = Duration::from_millis(2);
    let runtime = multi_thread(workers);
    let clients = serve(&runtime);
    Box::new(move || {
        let mut delays = Vec::with_capacity(TIMES * (CONNECTIONS - 1));
        for time in 0..TIMES {
            let poisoned = time % CONNECTIONS;
            let ask = |mut client: &TcpStream, question| {
                let asked = client.write_all(&[question]);
                asked.expect("the server reads");
            };
            let await_answer = |mut client: &TcpStream| {
                let answered = client.read_exact(&mut [0]);
                answered.expect("the server answers");
            };
            ask(&clients[poisoned], POISON);
            thread::sleep(UNTIL_BLOCKED);
            let asked = Instant::now();
            let healthy = (0..CONNECTIONS).filter(|&i| i != poisoned);
            healthy.clone().for_each(|i| ask(&clients[i], 0));
            for i in healthy {
                await_answer(&clients[i]);
                delays.push(asked.elapsed());
            }
            await_answer(&clients[poisoned]);
            // The servers get to sleep.
            thread::sleep(Duration::from_millis(2));
        }
        let _alive = &runtime;
        delays
    })
}

fn serve(runtime: &Runtime) -> Vec<TcpStream> {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound listener has one");
    let connect = |_| {
        let client = TcpStream::connect(address).expect("a server listens");
        client.set_nodelay(true).expect("TCP has nodelay");
        let accepted = runtime.block_on(listener.accept());
        let (mut server, _) = accepted.expect("a client connects");
        server.set_nodelay(true).expect("TCP has nodelay");
        runtime.spawn(async move {
            let mut question = [0];
            while server.read_exact(&mut question).await.is_ok() {
                if question[0] == POISON {
                    block();
                }
                if server.write_all(&question).await.is_err() {
                    break;
                }
            }
        });
        client
    };
    (0..CONNECTIONS).map(connect).collect()
}
