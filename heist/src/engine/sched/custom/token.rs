//! A task in the hands of a strategy.

use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;

use crate::engine::sched::crew::Crew;
use crate::engine::sched::custom::Custom;
use crate::engine::task::{self, Id};

/// A task that can run, as a [`Scheduler`](super::Scheduler) gets it and gives it back.
///
/// It is the right to run the task once: it cannot be copied, and there is one for each runnable task.
/// Dropping it is a fault of the strategy, which ends the runtime.
///
/// Each task has a [tag](Self::tag), a number that means what the strategy wants: a class, a deadline, a
/// worker. It is given when the task is [spawned](crate::scheduler::spawn_tagged), 0 by default.
#[must_use = "a task that is dropped by its scheduler is a fault"]
pub struct Runnable(ManuallyDrop<task::Runnable>);

impl Runnable {
    /// Of a task of a `Crew<Custom>` (C1).
    #[inline]
    pub(super) fn new(right: task::Runnable) -> Self {
        Self(ManuallyDrop::new(right))
    }

    #[inline]
    pub(super) fn into_right(self) -> task::Runnable {
        let mut token = ManuallyDrop::new(self);
        // SAFETY: the token is not used again, nor dropped.
        unsafe { ManuallyDrop::take(&mut token.0) }
    }

    /// Says that this task will be run soon, as the next but one: the processor fetches what its poll begins with,
    /// while the one before it runs. Nothing follows from it but speed. It pays where many tasks are queued, so that
    /// what was done last with this one is not in the nearest cache any more. It does nothing on processors other
    /// than x86-64.
    #[inline]
    pub fn prefetch(&self) {
        self.0.prefetch();
    }

    /// True if it is a task of `crew`.
    #[inline]
    pub(super) fn is_of(&self, crew: &Crew<Custom>) -> bool {
        std::ptr::eq(self.0.scheduler(), std::ptr::from_ref(crew).cast())
    }

    /// The task's id.
    pub fn id(&self) -> Id {
        self.0.id()
    }

    /// Where the task was spawned.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.origin().spawned_at()
    }

    /// The task's tag.
    #[inline]
    pub fn tag(&self) -> u16 {
        self.0.tag()
    }

    /// Changes the task's tag.
    #[inline]
    pub fn set_tag(&mut self, tag: u16) {
        self.0.set_tag(tag);
    }
}

impl Drop for Runnable {
    fn drop(&mut self) {
        // SAFETY: a token is dropped once.
        let right = unsafe { ManuallyDrop::take(&mut self.0) };
        let crew = right.scheduler().cast::<Crew<Custom>>();
        // SAFETY: C1 — the task is one of a `Crew<Custom>`, which lives as long as it is incomplete
        // (T11), and for ever if a token is missing when it ends (C2).
        unsafe { &*crew }.orphaned(right);
    }
}

impl fmt::Debug for Runnable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runnable")
            .field("id", &self.id())
            .field("tag", &self.tag())
            .finish()
    }
}
