//! As `workloads/channels.rs` and `workloads/request_reply.rs`, on async-channel.

use smol::Task;
use smol::channel::{Receiver, Sender, bounded, unbounded};

use super::{Crew, Entry};
use crate::counts::{ASKED_BY_BLOCK_ON, ASKED_BY_TASK, HOPS, MESSAGES, RING};
use crate::latch::Latch;
use crate::workload::Round;

pub(super) const ENTRIES: &[Entry] = &[
    ("request_reply_task", request_reply_task),
    ("request_reply_block_on", request_reply_block_on),
    ("mpsc_bounded_1", |workers| {
        mpsc(workers, 1, || bounded(100))
    }),
    ("mpsc_bounded_5", |workers| {
        mpsc(workers, 5, || bounded(100))
    }),
    ("mpsc_unbounded_1", |workers| mpsc(workers, 1, unbounded)),
    ("mpsc_unbounded_5", |workers| mpsc(workers, 5, unbounded)),
    ("ring_500", ring),
];

type Request = (usize, Sender<usize>);

/// Dropping the task ends the server.
fn start_server(crew: &Crew) -> (Sender<Request>, Task<()>) {
    let (requests, inbox) = bounded::<Request>(10);
    let server = crew.executor().spawn(async move {
        while let Ok((number, reply)) = inbox.recv().await {
            reply.send(number + 1).await.expect("the client waits");
        }
    });
    (requests, server)
}

async fn ask(server: Sender<Request>, times: usize) {
    for number in 0..times {
        let (reply, answer) = bounded(1);
        server.send((number, reply)).await.expect("the server runs");
        assert_eq!(answer.recv().await, Ok(number + 1));
    }
}

fn request_reply_task(workers: usize) -> Round {
    let crew = Crew::new(workers);
    let (requests, server) = start_server(&crew);
    Box::new(move || {
        let _alive = (&crew, &server);
        crew.run(ask(requests.clone(), ASKED_BY_TASK));
    })
}

fn request_reply_block_on(workers: usize) -> Round {
    let crew = Crew::new(workers);
    let (requests, server) = start_server(&crew);
    Box::new(move || {
        let _alive = (&crew, &server);
        smol::block_on(ask(requests.clone(), ASKED_BY_BLOCK_ON));
    })
}

fn mpsc(
    workers: usize,
    producers: usize,
    channel: fn() -> (Sender<usize>, Receiver<usize>),
) -> Round {
    let crew = Crew::new(workers);
    let executor = crew.executor();
    Box::new(move || {
        crew.run(async move {
            let (sender, receiver) = channel();
            for _ in 0..producers {
                let sender = sender.clone();
                let producer = async move {
                    for i in 0..MESSAGES / producers {
                        sender.send(i).await.expect("the receiver is alive");
                    }
                };
                executor.spawn(producer).detach();
            }
            drop(sender);
            let mut received = 0;
            while receiver.recv().await.is_ok() {
                received += 1;
            }
            assert_eq!(received, MESSAGES);
        });
    })
}

fn ring(workers: usize) -> Round {
    let crew = Crew::new(workers);
    let latch = Latch::new();
    let (outlets, inlets): (Vec<_>, Vec<_>) = (0..RING).map(|_| bounded::<usize>(1)).unzip();
    let mut tasks = Vec::with_capacity(RING);
    for (i, inlet) in inlets.into_iter().enumerate() {
        let next = outlets[(i + 1) % RING].clone();
        let latch = latch.clone();
        tasks.push(crew.executor().spawn(async move {
            while let Ok(hops_left) = inlet.recv().await {
                if hops_left == 0 {
                    latch.count_down();
                } else {
                    next.send(hops_left - 1).await.expect("the ring is whole");
                }
            }
        }));
    }
    Box::new(move || {
        let _alive = (&crew, &tasks);
        latch.arm(1);
        smol::block_on(outlets[0].send(HOPS)).expect("the ring is whole");
        latch.wait();
    })
}
