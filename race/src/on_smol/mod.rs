//! A part of the workloads on smol: its executor on as many threads, its channels, timers and sockets,
//! in its own idioms. What smol has no counterpart for (`Notify`, a current-thread runtime that
//! others spawn into, `JoinSet`) is left out.

mod article;
mod channels;
mod locks;
mod others;
mod spawning;

use std::future::Future;
use std::thread::{self, JoinHandle};

use smol::Executor;
use smol::channel::{Sender, bounded};

use crate::on_tokio;
use crate::workload::{Round, Workload};

/// A workload's name, and how smol runs it.
type Entry = (&'static str, fn(usize) -> Round);

/// What is the same for everyone comes from the other sides' list.
pub(crate) fn all() -> Vec<Workload> {
    let own = [
        article::ENTRIES,
        spawning::ENTRIES,
        channels::ENTRIES,
        locks::ENTRIES,
        others::ENTRIES,
    ]
    .concat();
    let theirs = on_tokio::workloads::all();
    own.into_iter()
        .map(|(name, prepare)| {
            let theirs = theirs.iter().find(|workload| workload.name == name);
            let theirs = *theirs.unwrap_or_else(|| panic!("{name} is a workload"));
            Workload { prepare, ..theirs }
        })
        .collect()
}

/// An executor and the threads that run it. The executor lives for ever, as the one behind
/// `smol::spawn` does: a task can spawn without a counted pointer to it.
struct Crew {
    executor: &'static Executor<'static>,
    stop: Sender<()>,
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    fn new(workers: usize) -> Self {
        let executor: &'static Executor<'static> = Box::leak(Box::new(Executor::new()));
        let (stop, stopped) = bounded::<()>(1);
        let threads = (0..workers)
            .map(|_| {
                let stopped = stopped.clone();
                thread::spawn(move || {
                    // An error: the channel was closed, which is how one is told to stop.
                    let _ = smol::block_on(executor.run(stopped.recv()));
                })
            })
            .collect();
        Self {
            executor,
            stop,
            threads,
        }
    }

    /// By a method, so that a closure that spawns keeps all of the crew.
    fn executor(&self) -> &'static Executor<'static> {
        self.executor
    }

    /// Runs a future as a task and blocks until it is done.
    fn run<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T {
        smol::block_on(self.executor.spawn(future))
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.stop.close();
        for thread in self.threads.drain(..) {
            thread.join().expect("no task panics");
        }
        // Tasks whose handles were dropped are in the queue once more, to be dropped.
        while self.executor.try_tick() {}
    }
}
