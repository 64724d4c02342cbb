//! Ways for tasks to talk to each other and to share what they have.
//!
//! # Passing messages
//!
//! | channel | senders, receivers | use |
//! |---|---|---|
//! | [`oneshot`] | one to one, one value | the answer to a request |
//! | [`mpsc`] | many to one, many values | work for a task that owns something |
//! | [`broadcast`] | many to many, each value to all | events |
//! | [`watch`] | many to many, only the latest value | configuration, state, a signal to stop |
//!
//! # Sharing and waiting
//!
//! | type | use |
//! |---|---|
//! | [`Mutex`] | one at a time, also across an `.await` |
//! | [`RwLock`] | one writer or many readers at a time |
//! | [`Semaphore`] | at most so many at a time |
//! | [`Barrier`] | nobody goes on before all have come |
//! | [`OnceCell`], [`SetOnce`] | a value that is computed, or set, once |
//! | [`Notify`] | "look again": a wake without a value |
//!
//! Everything here works on any executor: it only needs wakers. The `blocking_*` methods do the same
//! from ordinary threads, so that asynchronous and blocking code can share a channel or a lock.
//!
//! All waiting is first come, first served unless a type says otherwise, and each method says what
//! happens when its future is dropped halfway (*Cancel safety*).

/// The public API is about `std`'s `Arc`, also in models: loom's cannot be a method's receiver.
pub(crate) use std::sync::Arc as StdArc;

/// Where the locks keep the user's value. A guard lends it out for as long as the guard lives, which
/// a model's cell cannot watch: a model puts a watched cell *into* the lock.
use std::cell::UnsafeCell as UnsafeValueCell;

#[allow(
    unsafe_code,
    reason = "waiters live in their futures, in an intrusive queue"
)]
pub(crate) mod permits;

mod barrier;
pub use self::barrier::{Barrier, BarrierWaitResult};

pub mod broadcast;

pub mod futures;
#[allow(unsafe_code, reason = "guards lend the value in the lock")]
mod guard;

#[allow(unsafe_code, reason = "the block queue, and its receiver's end")]
pub mod mpsc;

#[allow(unsafe_code, reason = "guards lend the value in the lock")]
mod mutex;
pub use self::mutex::{
    MappedMutexGuard, Mutex, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard, TryLockError,
};

#[allow(
    unsafe_code,
    reason = "waiters live in their futures, in an intrusive queue"
)]
mod notify;
pub use self::notify::Notify;

#[allow(unsafe_code, reason = "the value is written by who has the right to")]
mod once_cell;
pub use self::once_cell::{OnceCell, SetError};

#[allow(unsafe_code, reason = "the value is there when a flag says so")]
mod once_value;

#[allow(unsafe_code, reason = "the cell that both halves share")]
pub mod oneshot;

#[allow(unsafe_code, reason = "guards lend the value in the lock")]
mod rwlock;
pub use self::rwlock::{
    OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock,
    RwLockMappedWriteGuard, RwLockReadGuard, RwLockWriteGuard,
};

mod semaphore;
pub use self::semaphore::{
    AcquireError, OwnedSemaphorePermit, Semaphore, SemaphorePermit, TryAcquireError,
};

#[allow(unsafe_code, reason = "the value is written by who has the right to")]
mod set_once;
pub use self::set_once::{SetOnce, SetOnceError};

pub mod watch;

#[cfg(all(test, not(heist_loom)))]
mod test_support;

#[cfg(all(test, heist_loom))]
#[allow(unsafe_code, reason = "a cell that loom watches")]
pub(crate) mod testing;
