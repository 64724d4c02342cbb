//! Spawning.

use std::future::Future;

use crate::engine::base::words;
use crate::engine::context;
use crate::engine::sched::crew;
use crate::engine::sched::custom::Custom;
use crate::engine::sched::strategy::Stealing;
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

/// As [`spawn`], with whatever name it has. Inlined, as a call would copy the future.
#[inline(always)]
#[track_caller]
pub(super) fn spawn_from<F>(future: F, origin: Origin) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let (runtime, id) = (context::current_runtime_id(), Id::next());
    let task = crew::with_own::<Stealing, _>(runtime, |crew| match crew {
        Some(crew) => Some(crew.spawn(future, id, origin)),
        None => spawn_elsewhere(future, id, 0, origin),
    });
    match task {
        Some(task) => task,
        // Not in the closure, which would be the panic's place.
        None => panic!("{}", words::NO_RUNTIME),
    }
}

/// Spawns on a runtime whose worker this thread is not, or which has a scheduler of its own.
fn spawn_elsewhere<F>(future: F, id: Id, tag: u16, origin: Origin) -> Option<JoinHandle<F::Output>>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let runtime = context::current_runtime_id();
    crew::with_own::<Custom, _>(runtime, |crew| match crew {
        Some(crew) => Some(crew.spawn_tagged(future, id, tag, origin)),
        None => context::current().map(|scheduler| scheduler.spawn_tagged(future, id, tag, origin)),
    })
}

/// As [`spawn`], with a tag for a scheduler that knows what to make of it; others ignore it.
///
/// # Panics
///
/// Outside of a runtime.
#[track_caller]
pub fn spawn_tagged<F>(tag: u16, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    match spawn_elsewhere(future, Id::next(), tag, Origin::here()) {
        Some(task) => task,
        None => panic!("{}", words::NO_RUNTIME),
    }
}
