//! Spawning.

use std::future::Future;

use crate::engine::base::words;
use crate::engine::context;
use crate::engine::sched::crew;
use crate::engine::task::Id;
use crate::engine::task::Origin;
use crate::task::JoinHandle;

/// Starts a task: a future that runs beside this one, at once, whether or not the handle is awaited.
///
/// The task runs on the runtime this is called in. On a multi-thread runtime it may move from worker
/// to worker between two `.await`s, so it has to be `Send`.
///
/// ```
/// # #[heist::main]
/// # async fn main() {
/// let task = heist::spawn(async {
///     // work on it…
///     "done"
/// });
/// assert_eq!(task.await.unwrap(), "done");
/// # }
/// ```
///
/// # Panics
///
/// Outside of a runtime. A panic *in* the task is the [`JoinHandle`]'s.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    spawn_from(future, Origin::here())
}

/// As [`spawn`], with whatever name it has.
#[track_caller]
pub(super) fn spawn_from<F>(future: F, origin: Origin) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let (runtime, id) = (context::current_runtime_id(), Id::next());
    let task = crew::with_own(runtime, |crew| match crew {
        Some(crew) => Some(crew.spawn(future, id, origin)),
        None => context::current().map(|scheduler| scheduler.spawn(future, id, origin)),
    });
    match task {
        Some(task) => task,
        // Not in the closure, which would be the panic's place.
        None => panic!("{}", words::NO_RUNTIME),
    }
}
