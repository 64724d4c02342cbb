//! A blocking function in the pool's queue, and the clock that waits for it.

use crate::engine::blocking::Job;
use crate::engine::sched::SchedHandle;
use crate::engine::task::Runnable;

/// A blocking task. While it is not over, a paused clock does not move by itself.
#[derive(Debug)]
pub(crate) struct BlockingJob {
    runnable: Runnable,
    hold: ClockHold,
}

impl BlockingJob {
    pub(crate) fn new(runnable: Runnable, scheduler: &SchedHandle) -> Self {
        Self {
            runnable,
            hold: ClockHold::new(scheduler),
        }
    }
}

// Outside of the function, the hold is let go of when whoever waits for the output has been woken: in
// between, all tasks would seem to wait, and the clock would jump past what the output was to beat.
impl Job for BlockingJob {
    fn run(self) {
        Job::run(self.runnable);
        drop(self.hold);
    }

    fn cancel(self) {
        Job::cancel(self.runnable);
        drop(self.hold);
    }
}

#[derive(Debug)]
struct ClockHold(Option<SchedHandle>);

impl ClockHold {
    fn new(scheduler: &SchedHandle) -> Self {
        // A multi-thread runtime's clock cannot be paused.
        if !matches!(scheduler, SchedHandle::CurrentThread(_)) {
            return Self(None);
        }
        scheduler.services().clock().inhibit_auto_advance();
        Self(Some(scheduler.clone()))
    }
}

impl Drop for ClockHold {
    fn drop(&mut self) {
        if let Some(SchedHandle::CurrentThread(scheduler)) = &self.0 {
            scheduler.services().clock().allow_auto_advance();
            scheduler.unpark();
        }
    }
}
