//! A server task answers requests that carry a oneshot for the reply: the commonest shape of an
//! actor. The client is a task, or the thread in `block_on`.

use super::rt;
use super::{Runtime, multi_thread, on_worker};
use crate::counts::{ASKED_BY_BLOCK_ON, ASKED_BY_TASK};
use crate::workload::{Round, Workload};

use rt::sync::{mpsc, oneshot};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "request_reply_task",
        what: "a task asks a server task and awaits each answer",
        ops: ASKED_BY_TASK,
        prepare: from_task,
    },
    Workload {
        name: "request_reply_block_on",
        what: "the thread in block_on asks a server task and awaits each answer",
        ops: ASKED_BY_BLOCK_ON,
        prepare: from_block_on,
    },
];

type Request = (usize, oneshot::Sender<usize>);

fn start_server(runtime: &Runtime) -> mpsc::Sender<Request> {
    let (requests, mut inbox) = mpsc::channel::<Request>(10);
    runtime.spawn(async move {
        while let Some((number, reply)) = inbox.recv().await {
            reply.send(number + 1).expect("the client waits");
        }
    });
    requests
}

async fn ask(server: mpsc::Sender<Request>, times: usize) {
    for number in 0..times {
        let (reply, answer) = oneshot::channel();
        server.send((number, reply)).await.expect("the server runs");
        assert_eq!(answer.await, Ok(number + 1));
    }
}

fn from_task(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let server = start_server(&runtime);
    Box::new(move || on_worker(&runtime, ask(server.clone(), ASKED_BY_TASK)))
}

fn from_block_on(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let server = start_server(&runtime);
    Box::new(move || runtime.block_on(ask(server.clone(), ASKED_BY_BLOCK_ON)))
}
