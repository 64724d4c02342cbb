//! `block_in_place`: the worker's duties go to another thread, and with them its queues.
//!
//! The core goes back to its post and a thread is told to take it up. The task that blocks stays on
//! this thread, which is no worker any more: what it wakes goes to the injector. If it is done before
//! the other thread came, it takes the core back.
//! Who is on the way, and that nothing is lost: [`vacancy`](super::vacancy).

use crate::engine::base::budget::{Budget, BudgetScope};
use crate::engine::base::current as poll;
use crate::engine::sched::crew::Crew;
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
        let vacancy = &self.post().vacancy;
        if vacancy.leave(core) && self.crew.start_worker(self.index()).is_err() {
            // No thread to be had: go on as the worker we are.
            vacancy.nobody_comes();
            self.take_back();
            return false;
        }
        true
    }

    /// Takes the core back, if nobody has come for it.
    fn take_back(&self) {
        if let Some(core) = self.post().vacancy.take_back() {
            self.core.set(Some(core));
            self.on_duty.set(true);
        }
    }
}
