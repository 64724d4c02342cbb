//! Tasks that are not `Send`, on the workers of a crew that keeps tasks (C6).

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::sched::current;
use crate::engine::sched::custom::Custom;
use crate::engine::sched::local_set::LocalScheduler;
use crate::engine::sched::strategy::Strategy;
use crate::engine::sched::worker::WorkerContext;
use crate::engine::task::{Id, Origin};

/// The set of local tasks of the worker that this thread is, if it is one of runtime `id` that has such.
pub(crate) fn set_here(id: Option<RuntimeId>) -> Option<Rc<LocalScheduler>> {
    current::with(|worker: Option<&WorkerContext<Custom>>| {
        let worker = worker.filter(|worker| Some(worker.crew.services().id) == id)?;
        (!worker.crew.strategy.hands_on()).then(|| worker.local_set())
    })
}

impl WorkerContext<Custom> {
    fn local_set(&self) -> Rc<LocalScheduler> {
        if let Some(set) = self.local.get() {
            return Rc::clone(set);
        }
        let set = Rc::clone(self.local.get_or_init(LocalScheduler::new));
        if self.crew.is_closing() {
            // The worker may have left already, and nobody will run them.
            set.close();
        } else {
            let run = RunSet {
                worker: self.index(),
            };
            drop(self.crew.spawn(run, Id::next(), Origin::here()));
        }
        set
    }
}

/// The task that runs a worker's local tasks. It ends with the runtime.
struct RunSet {
    worker: usize,
}

impl Future for RunSet {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let set = current::with(|worker: Option<&WorkerContext<Custom>>| {
            let worker = worker?;
            if worker.index() != self.worker {
                worker.crew.fail(&format!(
                    "it says that it keeps tasks on their worker, and moved one from worker {} to {}",
                    self.worker,
                    worker.index()
                ));
                return None;
            }
            worker.local.get().map(Rc::clone)
        });
        if let Some(set) = set {
            // Whether it waits, is empty, or has more to do (and has woken us): there may come others.
            let _: Result<(), _> = set.poll(cx, |_| None);
        }
        Poll::Pending
    }
}
