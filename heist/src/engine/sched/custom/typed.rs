//! From the scheduler as an object to the scheduler as a type.

use std::any::Any;

use crate::engine::sched::crew::Core;
use crate::engine::sched::custom::scheduler::{Scheduler, Tell, Turn, Wishes};
use crate::engine::sched::custom::token::Runnable;
use crate::engine::sched::custom::{Custom, Method, guarded};
use crate::engine::sched::push::YIELDS_BEFORE_DRIVERS;
use crate::engine::sched::strategy::{Cause, Pick, Strategy};
use crate::engine::sched::worker::WorkerContext;
use crate::engine::task;

/// How many tasks may follow another in one turn.
const GOES_ON: u32 = 3;

/// A [`Scheduler`] with its type forgotten. What can panic is guarded by the caller.
pub(super) trait Erased: Send + Sync {
    fn worker(&self, index: usize) -> Box<dyn Any + Send>;
    fn work(&self, worker: &WorkerContext<Custom>, core: Box<Core<Custom>>);
    /// All of [`Strategy::push_local`], guarded: one call, and
    /// what follows from the answer is compiled together with what gives it.
    fn push_local(&self, worker: &WorkerContext<Custom>, runnable: task::Runnable, cause: Cause);
    fn push_foreign(&self, task: Runnable, cause: Cause) -> Tell;
    fn drain(&self, worker: &mut (dyn Any + Send), turn: &mut Turn<'_>) -> Option<Runnable>;
    fn has_work(&self, worker: &(dyn Any + Send)) -> bool;
    fn has_shared_work(&self) -> bool;
    fn queue_depth(&self, index: usize) -> usize;
    fn keeps_tasks(&self) -> bool;
}

/// A scheduler of type `T`, and the worker's loop that knows it.
pub(super) struct Typed<T>(pub(super) T);

/// A worker's state, as what it is.
///
/// # Safety
///
/// C7: it was made by a `Typed<T>`.
#[inline(always)]
unsafe fn state_mut<T: Scheduler>(state: &mut (dyn Any + Send)) -> &mut T::Worker {
    debug_assert!(state.is::<T::Worker>());
    // SAFETY: it is one, says the caller, and borrowed alone.
    unsafe { &mut *std::ptr::from_mut(state).cast() }
}

impl<T: Scheduler> Typed<T> {
    #[inline]
    fn state(core: &mut Core<Custom>) -> &mut T::Worker {
        // SAFETY: C7 — the core is one of the crew that has this scheduler.
        unsafe { state_mut::<T>(&mut *core.own.state) }
    }

    /// Asks for a task, and checks what comes.
    #[inline]
    fn ask(
        &self,
        worker: &WorkerContext<Custom>,
        core: &mut Core<Custom>,
        method: Method,
        ask: impl FnOnce(&T, &mut T::Worker, &mut Turn<'_>) -> Option<Runnable>,
    ) -> Option<task::Runnable> {
        let mut wishes = Wishes::default();
        let mut turn = Turn::new(core.index, core.tick, &mut wishes);
        let given = guarded(&worker.crew, method, || {
            ask(&self.0, Self::state(core), &mut turn)
        });
        if wishes.drivers {
            core.until_maintain = 1;
            wishes.goes_on = false;
        }
        let task = given??;
        if wishes.goes_on && core.own.in_a_row < GOES_ON {
            core.own.in_a_row += 1;
            core.until_maintain += 1;
        } else {
            core.own.in_a_row = 0;
        }
        if !task.is_of(&worker.crew) {
            worker.crew.fail_by_stranger(method, task);
            return None;
        }
        Some(task.into_right())
    }
}

impl<T: Scheduler> Pick<Custom> for Typed<T> {
    #[inline]
    fn next_task(
        &self,
        worker: &WorkerContext<Custom>,
        core: &mut Core<Custom>,
    ) -> Option<task::Runnable> {
        core.tick = core.tick.wrapping_add(1);
        self.ask(worker, core, Method::Next, T::next)
    }

    fn search(
        &self,
        worker: &WorkerContext<Custom>,
        core: &mut Core<Custom>,
    ) -> Option<task::Runnable> {
        if !core.searching {
            worker.crew.idle.start_searching();
            core.searching = true;
        }
        // Now somebody looks for it: this worker.
        core.own.unannounced = 0;
        self.ask(worker, core, Method::Steal, T::steal)
    }

    #[inline]
    fn push_yielded(
        &self,
        worker: &WorkerContext<Custom>,
        core: &mut Core<Custom>,
        runnable: task::Runnable,
    ) {
        worker.post().own.yielded.add(1);
        let task = Runnable::new(runnable);
        let tell = guarded(&worker.crew, Method::Push, || {
            self.0.push(task, Cause::Yielded, Some(Self::state(core)))
        });
        match tell {
            // This worker is awake and comes to it: others are asked for help, no more.
            Some(Tell::Anyone) => worker.crew.help(),
            Some(tell) => worker.tell(core, tell),
            None => {}
        }
        // As in the default: who yields may wait for what only the drivers bring.
        core.yields += 1;
        if core.yields.is_multiple_of(YIELDS_BEFORE_DRIVERS) {
            let depth = guarded(&worker.crew, Method::QueueDepth, || {
                self.0.queue_depth(core.index)
            });
            // Where workers have no queues, or do not say, it is all that waits anywhere.
            let depth = depth.filter(|&depth| depth > 0);
            let depth = depth.unwrap_or_else(|| worker.crew.tokens_out() as usize);
            if core.yields as usize >= YIELDS_BEFORE_DRIVERS as usize * depth {
                core.until_maintain = 1;
            }
        }
    }
}

impl<T: Scheduler> Erased for Typed<T> {
    fn worker(&self, index: usize) -> Box<dyn Any + Send> {
        Box::new(self.0.worker(index))
    }

    fn work(&self, worker: &WorkerContext<Custom>, core: Box<Core<Custom>>) {
        let _ = guarded(&worker.crew, Method::OnStart, || {
            self.0.on_start(core.index)
        });
        worker.run(core, self);
    }

    fn push_local(&self, worker: &WorkerContext<Custom>, runnable: task::Runnable, cause: Cause) {
        // The core is gone while a task of this worker blocks in place, and within the scheduler itself.
        let Some(mut core) = worker.core.take() else {
            return Custom::push_foreign(&worker.crew, runnable, cause);
        };
        worker.post().counters.local_schedules.add(1);
        let task = Runnable::new(runnable);
        let tell = guarded(&worker.crew, Method::Push, || {
            self.0.push(task, cause, Some(Self::state(&mut core)))
        });
        if let Some(tell) = tell {
            worker.tell(&mut core, tell);
        }
        worker.lend(core);
    }

    fn push_foreign(&self, task: Runnable, cause: Cause) -> Tell {
        self.0.push(task, cause, None)
    }

    fn drain(&self, worker: &mut (dyn Any + Send), turn: &mut Turn<'_>) -> Option<Runnable> {
        // SAFETY: C7 — passed on by the crew that has this scheduler.
        let worker = unsafe { state_mut::<T>(worker) };
        let next = self.0.next(worker, turn);
        next.or_else(|| self.0.steal(worker, turn))
    }

    fn has_work(&self, worker: &(dyn Any + Send)) -> bool {
        let state = worker.downcast_ref();
        self.0.has_work(state.expect("made by this scheduler (C7)"))
    }

    fn has_shared_work(&self) -> bool {
        self.0.has_shared_work()
    }

    fn queue_depth(&self, index: usize) -> usize {
        self.0.queue_depth(index)
    }

    fn keeps_tasks(&self) -> bool {
        self.0.keeps_tasks()
    }
}
