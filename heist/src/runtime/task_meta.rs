//! What hooks are told about a task.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

use crate::engine::task::Facts;
use crate::task::Id;

/// A task, as the hooks of a [`Builder`](crate::runtime::Builder) see it.
pub struct TaskMeta<'a>(Facts<'a>);

impl<'a> TaskMeta<'a> {
    pub(super) fn new(facts: Facts<'a>) -> Self {
        Self(facts)
    }

    /// The task's id.
    pub fn id(&self) -> Id {
        self.0.id
    }

    /// Where in the source the task was spawned.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.origin.spawned_at()
    }

    /// The name that the task was [given](crate::task::Builder::name), if it was. heist's own.
    ///
    /// ```
    /// let runtime = heist::runtime::Builder::new_current_thread()
    ///     .on_task_spawn(|task| assert_eq!(task.name(), Some("reader")))
    ///     .build()
    ///     .unwrap();
    /// runtime.block_on(async {
    ///     let task = heist::task::Builder::new().name("reader").spawn(async {}).unwrap();
    ///     task.await.unwrap();
    /// });
    /// ```
    pub fn name(&self) -> Option<&str> {
        self.0.origin.name()
    }

    /// How long the task was runnable before the poll that the hook is about: from the wake that made it so
    /// to the moment before the hook. Told to the hooks around a poll, and only if it is
    /// [measured](crate::runtime::Builder::track_task_schedule_latency).
    pub fn schedule_latency(&self) -> Option<Duration> {
        self.0.latency
    }
}

impl fmt::Debug for TaskMeta<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskMeta")
            .field("id", &self.id())
            .field("name", &self.name())
            .field("spawned_at", &self.spawned_at())
            .finish()
    }
}
