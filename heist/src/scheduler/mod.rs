//! Scheduling strategies: five to choose from, and the trait to write one's own.
//!
//! A multi-thread runtime runs its tasks by a strategy, which
//! [`Builder::scheduler`](crate::runtime::Builder::scheduler) chooses:
//!
//! | strategy | take it when |
//! |---|---|
//! | [`WorkStealing`] | always, unless you know better: the default |
//! | [`Sharded`] | work falls into parts that have little to do with each other, one or more a core |
//! | [`Classes`] | requests that must be answered soon share the process with work that takes long |
//! | [`RoundRobin`] | all tasks are alike and live long, and should be spread evenly |
//! | [`GlobalQueue`] | the order of tasks matters more than speed; or as the simplest one to compare with |
//! | a [`Scheduler`] of your own | your program knows something that none of these does |
//!
//! ```
//! use heist::runtime::Builder;
//! use heist::scheduler::GlobalQueue;
//!
//! let runtime = Builder::new_multi_thread().scheduler(GlobalQueue::new).build().unwrap();
//! assert_eq!(runtime.block_on(runtime.spawn(async { "in order" })).unwrap(), "in order");
//! ```
//!
//! `docs/schedulers.md` in the repository compares them by measurement, and tells how to write one.

mod check;
mod choice;
mod classes;
mod global_queue;
mod round_robin;
mod sharded;
mod shards;

pub use self::check::check;
pub use self::choice::{Choice, WorkStealing};
pub use self::classes::{Class, Classes};
pub use self::global_queue::GlobalQueue;
pub use self::round_robin::RoundRobin;
pub use self::sharded::Sharded;
pub use crate::engine::sched::custom::{Inbox, Runnable, Scheduler, Taken, Tell, Turn};
pub use crate::engine::sched::strategy::Cause;
pub use crate::task::spawning::spawn_tagged;

use std::future::Future;

use crate::engine::context;
use crate::engine::task::Task;
use crate::runtime::Handle;
use crate::task::JoinHandle;

/// Spawns a task on worker `worker`: [`Handle::spawn_on`] of the current runtime.
///
/// # Panics
///
/// Outside of a runtime, and if it has no such worker.
#[track_caller]
pub fn spawn_on<F>(worker: usize, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    Handle::current().spawn_on(worker, future)
}

/// The tag of the task in which this is called; `None` outside of a task. 0 if it was given none.
pub fn tag() -> Option<u16> {
    Task::running().map(Task::running_tag)
}

/// Gives the task in which this is called another tag. Its scheduler sees it the next time that the task becomes
/// runnable.
///
/// # Panics
///
/// Outside of a task.
#[track_caller]
pub fn set_tag(tag: u16) {
    let Some(task) = Task::running() else {
        panic!("only a task has a tag, and this is none");
    };
    task.set_running_tag(tag);
}

/// Which worker of its runtime this thread is; `None` on other threads, as the one that calls `block_on` of a
/// multi-thread runtime.
pub fn current_worker() -> Option<usize> {
    context::current_worker()
}
