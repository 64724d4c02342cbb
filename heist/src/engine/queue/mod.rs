//! L1: lists, run queues and waker cells.

pub(crate) mod atomic_waker;
pub(crate) mod list;
pub(crate) mod wake_batch;
