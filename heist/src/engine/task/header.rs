//! The cell's layout: hot header, future or output, cold trailer.

use std::fmt;
use std::future::Future;
use std::ptr::NonNull;
use std::task::Waker;

use crate::engine::base::counters::SmallCounter;
use crate::engine::queue::list::{Links, Node};
use crate::engine::task::state::State;
use crate::engine::task::{Id, JoinError, Origin, Polled, Runnable, Schedule, cells};
use crate::loom::cell::UnsafeCell;

/// What is read and written at every wake and poll: the first cache line.
#[repr(C)]
pub(crate) struct Header {
    pub(super) state: State,
    pub(super) vtable: &'static Vtable,
    /// The `S` of the cell: alive as long as the task is incomplete (T11).
    pub(super) scheduler: *const (),
    pub(super) id: Id,
    /// The next runnable in whatever queue this one is in. Belongs to the run right.
    pub(super) queue_next: UnsafeCell<Option<NonNull<Header>>>,
    /// 0, or 1 + the number of the owned shard that lists the task. Belongs to the run right.
    pub(super) home: UnsafeCell<u16>,
    /// What the scheduler makes of it. Belongs to the run right.
    pub(super) tag: UnsafeCell<u16>,
    /// How often its polls have begun and ended: odd during one. Written by the run right, read by who
    /// lists tasks.
    pub(super) polls: SmallCounter,
    /// Belongs to the home shard's lock.
    pub(super) owned: Links<Header>,
}

/// What a type-erased task can do. One static instance for each future and scheduler.
pub(super) struct Vtable {
    pub(super) poll: unsafe fn(NonNull<Header>) -> Polled,
    pub(super) cancel: unsafe fn(NonNull<Header>),
    pub(super) schedule: unsafe fn(Runnable),
    pub(super) take_output: unsafe fn(NonNull<Header>, *mut ()),
    pub(super) drop_output: unsafe fn(NonNull<Header>),
    pub(super) dealloc: unsafe fn(NonNull<Header>),
    pub(super) trailer_offset: usize,
}

/// One allocation: everything a task is.
#[repr(C)]
pub(super) struct Cell<F: Future, S> {
    pub(super) header: Header,
    /// Belongs to the run right; after completion to the `JoinHandle`, if there is one (T5).
    pub(super) stage: UnsafeCell<Stage<F>>,
    pub(super) trailer: Trailer,
    _scheduler: std::marker::PhantomData<fn(S)>,
}

/// The future, then its output, in the same place.
pub(super) enum Stage<F: Future> {
    Future(F),
    Output(Result<F::Output, JoinError>),
    Consumed,
}

/// What is touched once or twice in a task's life.
pub(super) struct Trailer {
    /// Rules T6 to T8.
    pub(super) join_waker: UnsafeCell<Option<Waker>>,
    pub(super) origin: Origin,
    /// Tells loom when a model leaks the cell.
    #[cfg(all(test, heist_loom))]
    pub(super) _leak_check: loom::alloc::Track<()>,
}

impl<F: Future, S: Schedule> Cell<F, S> {
    pub(super) const VTABLE: Vtable = Vtable {
        poll: super::run::poll::<F, S>,
        cancel: super::run::cancel::<F, S>,
        schedule: super::run::schedule::<S>,
        take_output: super::run::take_output::<F, S>,
        drop_output: super::run::drop_output::<F, S>,
        dealloc: super::run::dealloc::<F, S>,
        trailer_offset: std::mem::offset_of!(Cell<F, S>, trailer),
    };

    pub(super) fn allocate(
        future: F,
        scheduler: *const S,
        id: Id,
        origin: Origin,
    ) -> NonNull<Header> {
        // Allocated first, so that the future is moved to its place once.
        let place = cells::allocate::<Self>();
        let cell = Self {
            header: Header {
                state: State::new(),
                vtable: const { &Self::VTABLE },
                scheduler: scheduler.cast(),
                id,
                queue_next: UnsafeCell::new(None),
                home: UnsafeCell::new(0),
                tag: UnsafeCell::new(0),
                polls: SmallCounter::default(),
                owned: Links::new(),
            },
            stage: UnsafeCell::new(Stage::Future(future)),
            trailer: Trailer {
                join_waker: UnsafeCell::new(None),
                origin,
                #[cfg(all(test, heist_loom))]
                _leak_check: loom::alloc::Track::new(()),
            },
            _scheduler: std::marker::PhantomData,
        };
        // SAFETY: memory for a cell, and nobody else's.
        unsafe { place.write(cell) };
        place.cast()
    }
}

impl Header {
    /// The cold end of the cell.
    ///
    /// # Safety
    ///
    /// `header` is a live cell's, and made from a pointer to the whole cell.
    pub(super) unsafe fn trailer<'a>(header: NonNull<Header>) -> &'a Trailer {
        // SAFETY: live, says the caller.
        let offset = unsafe { header.as_ref() }.vtable.trailer_offset;
        // SAFETY: the vtable is the cell's own, so the offset stays within it.
        let trailer = unsafe { header.byte_add(offset) }.cast::<Trailer>();
        // SAFETY: the trailer lives as long as the cell and is only shared.
        unsafe { trailer.as_ref() }
    }
}

// SAFETY: the links are a field of the header, used by owned lists only.
unsafe impl Node for Header {
    unsafe fn links(node: NonNull<Self>) -> NonNull<Links<Self>> {
        // SAFETY: the caller gives a live node.
        NonNull::from(unsafe { &(*node.as_ptr()).owned })
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("id", &self.id)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
