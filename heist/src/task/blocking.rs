//! Functions that block.

use crate::engine::context;
use crate::engine::sched::handoff;
use crate::runtime::Handle;
use crate::task::JoinHandle;

/// Runs a function that blocks on a thread made for that, so that it holds up no task.
///
/// The pool grows up to [`max_blocking_threads`](crate::runtime::Builder::max_blocking_threads);
/// what comes beyond waits in a queue. A function that has begun cannot be aborted; one that still
/// waits in a full pool when the runtime shuts down, or is aborted, does not run.
///
/// ```
/// # #[heist::main]
/// # async fn main() {
/// let digest = heist::task::spawn_blocking(|| {
///     // something slow
///     (0..1000u64).fold(7, |a, b| a ^ b.wrapping_mul(0x9e37_79b9))
/// });
/// assert!(digest.await.is_ok());
/// # }
/// ```
///
/// # Panics
///
/// Outside of a runtime, and if the system gives no thread and the pool has none.
#[track_caller]
pub fn spawn_blocking<F, R>(f: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    Handle::current().spawn_blocking(f)
}

/// Runs a function that blocks, here and now; the worker's other tasks are handed to another thread.
///
/// Unlike [`spawn_blocking`] the function may borrow. The other branches of a `join!` or `select!`
/// around this call wait for it: they are a part of the same task.
///
/// ```
/// # #[heist::main]
/// # async fn main() {
/// let name = String::from("borrowed");
/// let length = heist::task::block_in_place(|| name.len());
/// assert_eq!(length, 8);
/// # }
/// ```
///
/// # Panics
///
/// On a current-thread runtime, which has nobody to hand its tasks to.
#[track_caller]
pub fn block_in_place<F, R>(f: F) -> R
where
    F: FnOnce() -> R,
{
    context::assert_may_hand_on();
    handoff::block_in_place(f)
}
