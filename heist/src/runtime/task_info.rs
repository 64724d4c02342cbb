//! A look at the tasks of a runtime.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

use crate::engine::task::{Activity, Listed};
use crate::task::Id;

/// A task as it was a moment ago. heist's own; see [`Handle::tasks`](crate::runtime::Handle::tasks).
#[derive(Clone)]
pub struct TaskInfo {
    pub(super) task: Listed,
    pub(super) running_for: Option<Duration>,
}

/// What a task is doing. heist's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskState {
    /// It waits for something.
    Idle,
    /// It was woken, or has just been spawned, and waits for its turn.
    Runnable,
    /// It is being polled.
    Running,
}

impl TaskInfo {
    /// The task's id.
    pub fn id(&self) -> Id {
        self.task.id
    }

    /// The name it was [given](crate::task::Builder::name), if it was.
    pub fn name(&self) -> Option<&str> {
        self.task.origin.name()
    }

    /// Where in the source it was spawned.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.task.origin.spawned_at()
    }

    /// What it is doing.
    pub fn state(&self) -> TaskState {
        match self.task.activity {
            Activity::Idle => TaskState::Idle,
            Activity::Runnable => TaskState::Runnable,
            Activity::Running => TaskState::Running,
        }
    }

    /// How often it has been polled, the poll it may be in counted too.
    pub fn poll_count(&self) -> u64 {
        self.task.polls.into()
    }

    /// Of a task that is being polled: for how long it has been in that poll, at least.
    ///
    /// No clock is read when a poll begins. The time is counted from the first
    /// [`Handle::tasks`](crate::runtime::Handle::tasks) that saw the task in this poll: 0 there, and more in
    /// the next one. Who calls it once a second sees a poll that holds a worker up.
    pub fn running_for(&self) -> Option<Duration> {
        self.running_for
    }
}

impl fmt::Debug for TaskInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskInfo")
            .field("id", &self.id())
            .field("name", &self.name())
            .field("spawned_at", &format_args!("{}", self.spawned_at()))
            .field("state", &self.state())
            .field("poll_count", &self.poll_count())
            .field("running_for", &self.running_for)
            .finish()
    }
}

/// `3 "reader" at src/main.rs:7:5: idle, polled 2 times`
impl fmt::Display for TaskInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id())?;
        if let Some(name) = self.name() {
            write!(f, " {name:?}")?;
        }
        let state = match self.state() {
            TaskState::Idle => "idle",
            TaskState::Runnable => "runnable",
            TaskState::Running => "running",
        };
        write!(f, " at {}: {state}", self.spawned_at())?;
        if let Some(time) = self.running_for.filter(|time| !time.is_zero()) {
            write!(f, " for {time:?} or more")?;
        }
        write!(f, ", polled {} times", self.poll_count())
    }
}
