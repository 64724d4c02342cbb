//! Bringing a crew down.
//!
//! 1. `Crew::close` marks the crew as closing and wakes all workers.
//! 2. Each worker leaves its loop after the poll it is in. With the default strategy it closes the owned lists: idle tasks are cancelled on
//!    the spot, the others marked. And it cancels what it finds in the queues, its siblings' as well: one of these may be
//!    stuck in a poll, and wait for something that such a task holds. Then it returns its core.
//! 3. The last one to return has all queues. With another strategy it is the one that closes the owned lists.
//! 4. It drains them and the injector, cancelling what it finds, until no task is listed: what
//!    is missing is on its way into the injector from a thread that just woke it, or is being polled
//!    by nobody (a task that blocks in place is not listed, and ends when its poll does). And until
//!    no foreign call is under way ([`foreign`](super::foreign)).
//! 5. It closes the injector: a spawn that comes later gets its task back and cancels it.
//! 6. Timers and reactor are shut down: whoever still waits on them outside of tasks is told (or, with
//!    `enable_alt_timer`, let through by its timer).
//! 7. The memory of large tasks that was kept for the next ones goes back.

use crate::engine::sched::crew::{Core, Crew};
use crate::engine::sched::strategy::{Stealing, Strategy};
use crate::engine::task::{self, Runnable};
use crate::loom::thread;
use std::sync::Arc;

impl<S: Strategy> Crew<S> {
    /// A worker leaves. The last one does the rest.
    pub(super) fn return_core(self: &Arc<Self>, core: Box<Core<S>>) {
        S::leave(self, &core);
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
        // Who shut the runtime down need not have waited for this.
        task::release_large_cells();
    }
}

impl Crew<Stealing> {
    /// Cancels what waits, and what is queued, wherever that is.
    pub(super) fn leave(&self, core: &Core<Stealing>) {
        self.owned.close(Runnable::cancel);
        self.end_queued(core);
    }

    fn end_queued(&self, core: &Core<Stealing>) {
        let own = &core.own.queue;
        let end_own = || {
            while let Some(runnable) = own.pop_front() {
                runnable.cancel();
            }
        };
        end_own();
        for (index, post) in self.posts.iter().enumerate() {
            while let Some(runnable) = post.own.slot.take() {
                runnable.cancel();
            }
            if index == core.index {
                continue;
            }
            while let Some((runnable, _)) = post.own.stealer.steal_into(own) {
                runnable.cancel();
                end_own();
            }
        }
        // One take is not all of it: what came last is behind what came before.
        while !self.strategy.injector.is_empty() {
            match self.strategy.injector.try_take(|len| len) {
                Some(injected) => injected.for_each(Runnable::cancel),
                None => thread::yield_now(),
            }
        }
    }

    pub(super) fn end_tasks(&self, cores: &[Box<Core<Stealing>>]) {
        loop {
            cores.iter().for_each(|core| self.end_queued(core));
            // F2: the tasks before the calls.
            if self.owned.is_empty() && self.foreign_calls.all_ended() {
                break;
            }
            thread::yield_now();
        }
        self.strategy.injector.close().for_each(Runnable::cancel);
    }
}
