//! A thread in `block_on` that has to wait for the core.

use std::task::Waker;

use crate::engine::base::parker::{self, Parker, SharedParker};
use crate::engine::sched::current_thread::CurrentThread;

/// A thread in `block_on` while another one drives.
pub(super) struct Guest<'a> {
    scheduler: &'a CurrentThread,
    pub(super) parker: SharedParker,
    pub(super) waker: Waker,
}

impl<'a> Guest<'a> {
    pub(super) fn new(scheduler: &'a CurrentThread) -> Self {
        let parker = SharedParker::new(Parker::new());
        let waker = parker::waker(&parker);
        Self {
            scheduler,
            parker,
            waker,
        }
    }

    fn is_in(&self, waiting: &[SharedParker]) -> Option<usize> {
        waiting
            .iter()
            .position(|parker| SharedParker::ptr_eq(parker, &self.parker))
    }

    /// Asks to be told when the core is free; once, however often it comes round.
    pub(super) fn enlist(&self) {
        let mut waiting = self.scheduler.waiting.lock();
        if self.is_in(&waiting).is_none() {
            waiting.push(SharedParker::clone(&self.parker));
        }
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        let mut waiting = self.scheduler.waiting.lock();
        if let Some(place) = self.is_in(&waiting) {
            waiting.swap_remove(place);
        }
    }
}
