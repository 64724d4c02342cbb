//! What the machine allows: a few of the workloads done by hand, without a runtime. Nothing here is
//! fair, that is the point: no stealing, no joining, no waking of what is not awaited.

mod epoll;
mod futures;
mod threads;

use crate::on_tokio;
use crate::workload::{Round, Workload};

/// A workload's name, and how it is done by hand.
type Entry = (&'static str, fn(usize) -> Round);

const ENTRIES: &[Entry] = &[
    ("chained_spawn", |_| futures::allocate_poll_free_chained()),
    ("spawn_from_worker", |_| {
        futures::allocate_poll_free_fanned()
    }),
    ("yield_many", |_| futures::poll_in_turn()),
    ("request_reply_block_on", |_| threads::round_trips_asked()),
    ("spawn_blocking_seq", |_| threads::round_trips_called()),
    ("tcp_echo_1", |_| epoll::echo(1, 1)),
    ("tcp_echo_50", |workers| epoll::echo(workers, 50)),
    ("tcp_echo_1000", |workers| epoll::echo(workers, 1_000)),
];

/// What is the same for everyone comes from the other sides' list.
pub(crate) fn all() -> Vec<Workload> {
    let theirs = on_tokio::workloads::all();
    ENTRIES
        .iter()
        .map(|&(name, prepare)| {
            let theirs = theirs.iter().find(|workload| workload.name == name);
            let theirs = *theirs.unwrap_or_else(|| panic!("{name} is a workload"));
            Workload { prepare, ..theirs }
        })
        .collect()
}
