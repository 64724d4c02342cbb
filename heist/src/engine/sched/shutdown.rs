//! Bringing a crew down.
//!
//! 1. `Crew::close` marks the crew as closing and wakes all workers.
//! 2. Each worker leaves its loop after the poll it is in, and returns its core.
//! 3. The last one to return has all queues. It closes the owned lists: idle tasks are cancelled on
//!    the spot, the others marked.
//! 4. It drains the queues and the injector, cancelling what it finds, until no task is listed: what
//!    is missing is on its way into the injector from a thread that just woke it, or is being polled
//!    by nobody (a task that blocks in place is not listed, and ends when its poll does). And until
//!    no foreign call is under way ([`foreign`](super::foreign)).
//! 5. It closes the injector: a spawn that comes later gets its task back and cancels it.
//! 6. Timers and reactor are shut down: whoever still waits on them outside of tasks is told (or, with
//!    `enable_alt_timer`, let through by its timer).

use crate::engine::sched::crew::{Core, Crew};
use crate::engine::sched::strategy::{Stealing, Strategy};
use crate::engine::task::Runnable;
use crate::loom::thread;
use std::sync::Arc;

impl<S: Strategy> Crew<S> {
    /// A worker leaves. The last one does the rest.
    pub(super) fn return_core(self: &Arc<Self>, core: Box<Core<S>>) {
        let cores = {
            let mut returned = self.returned.lock();
            returned.push(core);
            if returned.len() < self.config.workers {
                return;
            }
            std::mem::take(&mut *returned)
        };
        S::end_tasks(self, cores);
        for timers in self.posts.iter().filter_map(|post| post.timers.as_ref()) {
            timers.shutdown(self.config.last_timers);
        }
        if let Some(reactor) = self.driver.handle() {
            reactor.shutdown();
        }
    }
}

impl Crew<Stealing> {
    pub(super) fn end_tasks(&self, cores: &[Box<Core<Stealing>>]) {
        self.owned.close(Runnable::cancel);
        loop {
            for core in cores {
                while let Some(runnable) = core.own.queue.pop_front() {
                    runnable.cancel();
                }
                while let Some(runnable) = self.posts[core.index].own.slot.take() {
                    runnable.cancel();
                }
            }
            if let Some(injected) = self.strategy.injector.try_take(|len| len) {
                injected.for_each(Runnable::cancel);
            }
            // F2: the tasks before the calls.
            if self.owned.is_empty() && self.foreign_calls.all_ended() {
                break;
            }
            thread::yield_now();
        }
        self.strategy.injector.close().for_each(Runnable::cancel);
    }
}
