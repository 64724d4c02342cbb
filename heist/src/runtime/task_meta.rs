//! What hooks are told about a task.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use crate::task::Id;

/// A task, as the hooks of a [`Builder`](crate::runtime::Builder) see it.
pub struct TaskMeta<'a> {
    id: Id,
    spawned_at: &'static Location<'static>,
    _task: PhantomData<&'a ()>,
}

impl TaskMeta<'_> {
    pub(super) fn new(id: Id, spawned_at: &'static Location<'static>) -> Self {
        Self {
            id,
            spawned_at,
            _task: PhantomData,
        }
    }

    /// The task's id.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Where in the source the task was spawned.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.spawned_at
    }
}

impl fmt::Debug for TaskMeta<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskMeta")
            .field("id", &self.id)
            .field("spawned_at", &self.spawned_at)
            .finish()
    }
}
