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
mod id;
mod local;
mod metrics;
#[expect(
    clippy::module_inception,
    reason = "the type the module is named after"
)]
mod runtime;

pub use self::builder::Builder;
pub use self::handle::{EnterGuard, Handle, RuntimeFlavor, TryCurrentError};
pub use self::id::Id;
pub use self::local::{LocalOptions, LocalRuntime};
pub use self::metrics::RuntimeMetrics;
pub use self::runtime::Runtime;

pub use crate::engine::reactor::is_rt_shutdown_err;
