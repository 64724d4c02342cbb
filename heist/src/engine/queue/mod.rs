//! L1: lists, run queues and waker cells.

pub(crate) mod atomic_waker;
pub(crate) mod injector;
pub(crate) mod list;
pub(crate) mod local;
pub(crate) mod slot;
pub(crate) mod wake_batch;

#[cfg(test)]
pub(crate) mod testing;
