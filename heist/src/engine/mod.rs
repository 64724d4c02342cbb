//! The engine: everything below the public surface.
//!
//! Layers, lowest first. A module names only lower layers; what it needs from above is passed in.
//!
//! | layer | module | what it is |
//! |---|---|---|
//! | L1 | [`base`] | budget, parker, random numbers, counters: no knowledge of tasks |
//! | L1 | [`queue`] | intrusive list, run queues, waker cells |
//! | L2 | [`task`] | the task cell: state word, poll, waker, join |
//! | L3 | [`reactor`], [`timer`], [`blocking`] | sources of wakes, and threads; siblings that do not know each other |
//! | L4 | [`driver`] | reactor and timers as one thing to park on |
//! | L5 | [`sched`] | the two schedulers |
//! | L6 | [`context`] | which runtime and which worker this thread is in |
//!
//! `unsafe` is denied crate-wide and re-allowed here, module by module: this list is the map.

pub(crate) mod base;
pub(crate) mod blocking;
pub(crate) mod context;
pub(crate) mod driver;
#[allow(unsafe_code, reason = "run queues, intrusive links and waker cells")]
pub(crate) mod queue;
#[allow(unsafe_code, reason = "waker cells and the nodes of waiters")]
pub(crate) mod reactor;
#[allow(
    unsafe_code,
    reason = "tasks outlive no scheduler (T11), and the worker's thread-local"
)]
pub(crate) mod sched;
#[allow(unsafe_code, reason = "the task cell")]
pub(crate) mod task;
#[allow(
    unsafe_code,
    reason = "intrusive timer entries that any thread may drop, and the machine's clocks"
)]
pub(crate) mod timer;
