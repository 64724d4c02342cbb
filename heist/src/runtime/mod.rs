//! The runtime: what runs tasks, timers, sockets and blocking functions.
//!
//! Most programs need no more of it than [`#[heist::main]`](macro@crate::main). The rest is for those
//! that set a runtime up themselves:
//!
//! ```
//! use heist::runtime::Builder;
//!
//! let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
//! let sum = runtime.block_on(async {
//!     let tasks: Vec<_> = (0..10).map(|i| heist::spawn(async move { i * i })).collect();
//!     let mut sum = 0;
//!     for task in tasks {
//!         sum += task.await.unwrap();
//!     }
//!     sum
//! });
//! assert_eq!(sum, 285);
//! ```
//!
//! A runtime comes in two flavors. The **multi-thread** one has workers, each with a queue of its own,
//! that steal from each other when they run out. The **current-thread** one runs everything on the
//! thread that calls [`block_on`](Runtime::block_on).

mod builder;
mod handle;
mod histogram;
mod id;
mod local;
mod metrics;
#[expect(
    clippy::module_inception,
    reason = "the type the module is named after"
)]
mod runtime;
mod task_info;
mod task_meta;

pub use self::builder::{Builder, RngSeed, UnhandledPanic};
pub use self::handle::{EnterGuard, Handle, RuntimeFlavor, TryCurrentError};
pub use self::histogram::{
    HistogramConfiguration, HistogramScale, InvalidHistogramConfiguration, LogHistogram,
    LogHistogramBuilder,
};
pub use self::id::Id;
pub use self::local::{LocalOptions, LocalRuntime};
pub use self::metrics::RuntimeMetrics;
pub use self::runtime::Runtime;
pub use self::task_info::{TaskInfo, TaskState};
pub use self::task_meta::TaskMeta;

pub use crate::engine::reactor::is_rt_shutdown_err;

/// Which worker of its runtime this thread is, counted from 0 as in [`RuntimeMetrics`]; `None` on
/// threads that run no tasks, as the one that blocks on a multi-thread runtime.
///
/// On a current-thread runtime, the thread that runs the tasks is worker 0. A task on a multi-thread
/// runtime may be on another worker after each `.await`.
///
/// ```
/// # #[heist::main]
/// # async fn main() {
/// assert_eq!(heist::runtime::worker_index(), None);
/// assert!(heist::spawn(async { heist::runtime::worker_index() }).await.unwrap().is_some());
/// # }
/// ```
pub fn worker_index() -> Option<usize> {
    crate::engine::context::current_worker()
}
