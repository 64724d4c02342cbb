//! `block_in_place`: the worker's duties go to another thread, and with them its queues.
//!
//! The core goes back to its post and a thread is told to take it up. The task that blocks stays on
//! this thread, which is no worker any more: what it wakes goes to the injector. If it is done before
//! the other thread came, it takes the core back.
//!
//! **H1** One thread at a time is on its way to a post: who hands the core on while one is ([`Vacancy::is_filled`](super::crew::Vacancy::is_filled))
//! leaves it to that one. It has yet to lock the vacancy, where it will find the core, or that it was taken back again; only
//! then is another one sent. So many short closures in a row cost one wake, not one each, and threads do not
//! heap up that all come to nothing.
//!
//! Tested by `tests/runtime.rs` (few threads come) and the storms of `tests/stress.rs`.

use crate::engine::base::budget::{Budget, BudgetScope};
use crate::engine::base::current as poll;
use crate::engine::sched::crew::{Core, Crew, Post};
use crate::engine::sched::current;
use crate::engine::sched::custom::Custom;
use crate::engine::sched::strategy::{Stealing, Strategy};
use crate::engine::sched::worker::{self, WorkerContext};
use crate::engine::task::Task;
use std::sync::Arc;

type Duty = Box<dyn FnOnce() + Send>;

impl<S: Strategy> Crew<S> {
    /// Has a thread take up post `index`.
    pub(super) fn start_worker(
        self: &Arc<Self>,
        index: usize,
    ) -> Result<(), (std::io::Error, Duty)> {
        let crew = Arc::clone(self);
        self.services()
            .pool
            .start_duty(Box::new(move || worker::run(&crew, index)))
    }
}

/// Runs `f`, which may block, with this thread's duties handed on.
pub(crate) fn block_in_place<R>(f: impl FnOnce() -> R) -> R {
    let handed_on = (hand_on::<Stealing>(), hand_on::<Custom>());
    let _unlimited = BudgetScope::enter(Budget::unconstrained());
    let may_block = poll::set_may_block(true);
    /// Undoes it all, also when `f` unwinds.
    struct Return(bool, (bool, bool));
    impl Drop for Return {
        fn drop(&mut self) {
            poll::set_may_block(self.0);
            if self.1.0 {
                current::with(|worker| worker.map(WorkerContext::<Stealing>::take_back));
            }
            if self.1.1 {
                current::with(|worker| worker.map(WorkerContext::<Custom>::take_back));
            }
        }
    }
    let _return = Return(may_block, handed_on);
    f()
}

/// Hands on what this thread has to do as a worker of such a crew; false if nothing.
fn hand_on<S: Strategy>() -> bool {
    current::with(|worker: Option<&WorkerContext<S>>| worker.is_some_and(WorkerContext::hand_on))
}

impl<S: Strategy> Post<S> {
    /// The thread that was on its way here has come: gives it the core, if that is still there.
    pub(super) fn fill(&self) -> Option<Box<Core<S>>> {
        let mut vacancy = self.vacancy.lock();
        vacancy.is_filled = false;
        vacancy.core.take()
    }
}

impl<S: Strategy> WorkerContext<S> {
    /// Gives the core to another thread; false if it stays here.
    fn hand_on(&self) -> bool {
        // In a hook, or a waker that the drivers call: they need the core back, right here.
        if self.dispatching.get() || !self.crew.strategy.hands_on() {
            return false;
        }
        let Some(core) = self.core.take() else {
            return false;
        };
        // The closer must not wait for a task that may block for long: it is no longer listed, and
        // is cancelled when its poll ends (T9).
        if let Some(task) = Task::running() {
            task.unlist(Arc::as_ptr(&self.crew));
        }
        self.on_duty.set(false);
        let is_filled = {
            let mut vacancy = self.post().vacancy.lock();
            vacancy.core = Some(core);
            std::mem::replace(&mut vacancy.is_filled, true)
        };
        if !is_filled && self.crew.start_worker(self.index()).is_err() {
            // No thread to be had: go on as the worker we are.
            self.post().vacancy.lock().is_filled = false;
            self.take_back();
            return false;
        }
        true
    }

    /// Takes the core back, if nobody has come for it.
    fn take_back(&self) {
        let core = self.post().vacancy.lock().core.take();
        if let Some(core) = core {
            self.core.set(Some(core));
            self.on_duty.set(true);
        }
    }
}
