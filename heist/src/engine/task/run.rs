//! One poll, and what follows from it: the typed half of the vtable.
//!
//! All functions here take a pointer to a live [`Cell<F, S>`]; those that need more say so.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};

use crate::engine::base::{current, unwind};
use crate::engine::task::header::{Cell, Header, Stage};
use crate::engine::task::state::{Complete, FinishPoll, Last};
use crate::engine::task::waker::borrowed_waker;
use crate::engine::task::{Facts, JoinError, Polled, Runnable, Schedule, Task, cells};

type Panic = Box<dyn Any + Send + 'static>;

/// The cell behind `header`.
///
/// # Safety
///
/// `header` is a live `Cell<F, S>`'s.
unsafe fn cell<'a, F: Future, S>(header: NonNull<Header>) -> &'a Cell<F, S> {
    // SAFETY: the caller vouches for type and life; the cell is only ever shared.
    unsafe { header.cast::<Cell<F, S>>().as_ref() }
}

/// The cell's scheduler.
///
/// # Safety
///
/// The task is incomplete, so its scheduler lives (T11), and is an `S`.
unsafe fn scheduler<'a, S>(header: NonNull<Header>) -> &'a S {
    // SAFETY: the caller vouches for it.
    let pointer = unsafe { header.as_ref() }.scheduler.cast::<S>();
    // SAFETY: T11.
    unsafe { &*pointer }
}

/// Polls once.
///
/// # Safety
///
/// The caller has the run right, and gives it up but for [`Polled::Again`].
pub(super) unsafe fn poll<F: Future, S: Schedule>(header: NonNull<Header>) -> Polled {
    // SAFETY: the run right keeps the cell alive (T1).
    let cell = unsafe { cell::<F, S>(header) };
    let start = cell.header.state.start_poll();
    if start.cancelled {
        // SAFETY: we have the run right.
        unsafe { cancel::<F, S>(header) };
        return Polled::Done;
    }

    let polls = cell.header.polls.get();
    cell.header.polls.set(polls.wrapping_add(1));
    let outer = current::enter(header.as_ptr().cast(), cell.header.id.as_u64());
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the waker does not outlive this poll, and so not the cell.
        let waker = unsafe { borrowed_waker(header) };
        let unwinding = DropOnUnwind(cell);
        let polled = poll_future(cell, &mut Context::from_waker(&waker));
        std::mem::forget(unwinding);
        polled
    }));
    let yielded = current::leave(outer);
    cell.header.polls.set(polls.wrapping_add(2));

    match result {
        Ok(Poll::Pending) => {}
        Ok(Poll::Ready(())) => {
            // SAFETY: we have the run right and the output is stored.
            unsafe { complete::<F, S>(header) };
            return Polled::Done;
        }
        Err(panic) => {
            // SAFETY: as above, and the task is incomplete.
            unsafe { scheduler::<S>(header) }.on_panic();
            store_panic(cell, panic);
            // SAFETY: we have the run right and the output is stored.
            unsafe { complete::<F, S>(header) };
            return Polled::Done;
        }
    }

    // T9: a task is listed before it may go idle for the first time.
    // SAFETY: `home` belongs to the run right.
    let listed = cell.header.home.with(|home| unsafe { *home }) != 0;
    if !listed {
        // SAFETY: the task is incomplete.
        let scheduler = unsafe { scheduler::<S>(header) };
        // SAFETY: we have the run right.
        if unsafe { scheduler.adopt(Task(header)) }.is_err() {
            // The runtime shuts down and no longer looks after new sleepers.
            // SAFETY: we have the run right.
            unsafe { cancel::<F, S>(header) };
            return Polled::Done;
        }
    }

    let finish = if yielded {
        cell.header.state.finish_poll_yielded(start.wakes)
    } else {
        cell.header.state.finish_poll(start.wakes)
    };
    match finish {
        FinishPoll::Idle => Polled::Idle,
        FinishPoll::Woken => Polled::Again(Runnable(header)),
        FinishPoll::Cancelled => {
            // SAFETY: we kept the run right.
            unsafe { cancel::<F, S>(header) };
            Polled::Done
        }
    }
}

/// Drops the future of a poll that panics while it unwinds, as any value on the stack would be: drops
/// ask `std::thread::panicking`.
struct DropOnUnwind<'a, F: Future, S>(&'a Cell<F, S>);

impl<F: Future, S> Drop for DropOnUnwind<'_, F, S> {
    fn drop(&mut self) {
        // A second panic, out of the future's drop, has no one left to go to.
        let _ = unwind::guarded(|| consume(self.0));
    }
}

/// Polls the future; when it is ready, drops it and puts the output in its place.
fn poll_future<F: Future, S>(cell: &Cell<F, S>, cx: &mut Context<'_>) -> Poll<()> {
    let output = cell.stage.with_mut(|stage| {
        // SAFETY: the stage belongs to the run right, which `poll` has.
        let Stage::Future(future) = (unsafe { &mut *stage }) else {
            unreachable!("a task is not polled after it ended");
        };
        // SAFETY: the cell is a heap allocation that never moves, and the future is dropped in place.
        unsafe { Pin::new_unchecked(future) }.poll(cx)
    });
    match output {
        Poll::Pending => Poll::Pending,
        Poll::Ready(output) => {
            consume(cell);
            store(cell, Ok(output));
            Poll::Ready(())
        }
    }
}

/// Drops what the stage holds: it is `Consumed` after that, also when the drop unwinds. The caller has
/// the stage: by the run right, or as T5 says.
#[inline]
fn consume<F: Future, S>(cell: &Cell<F, S>) {
    struct Consumed<F: Future>(*mut Stage<F>);

    impl<F: Future> Drop for Consumed<F> {
        fn drop(&mut self) {
            // SAFETY: the old content was dropped (or its drop unwound, which counts), and the
            // stage belongs to whoever called `consume`.
            unsafe { self.0.write(Stage::Consumed) };
        }
    }

    cell.stage.with_mut(|stage| {
        let _consumed = Consumed(stage);
        // SAFETY: as above.
        unsafe { std::ptr::drop_in_place(stage) };
    });
}

/// Puts the output into a consumed stage, which the caller has by the run right. Nothing else of the stage
/// is written: it may be large.
#[inline]
fn store<F: Future, S>(cell: &Cell<F, S>, output: Result<F::Output, JoinError>) {
    cell.stage.with_mut(|stage| {
        // SAFETY: `Consumed` needs no drop.
        unsafe { stage.write(Stage::Output(output)) };
    });
}

/// The poll panicked, and the future is gone: keep the panic for the `JoinHandle`.
#[cold]
fn store_panic<F: Future, S>(cell: &Cell<F, S>, panic: Panic) {
    let error = JoinError::panic(cell.header.id, panic);
    store(cell, Err(error));
}

/// Drops the future and completes the task as cancelled.
///
/// # Safety
///
/// The caller has the run right, and gives it up.
pub(super) unsafe fn cancel<F: Future, S: Schedule>(header: NonNull<Header>) {
    // SAFETY: the run right keeps the cell alive (T1).
    let cell = unsafe { cell::<F, S>(header) };
    let id = cell.header.id;
    let outer = current::enter(std::ptr::null(), id.as_u64());
    let error = match catch_unwind(AssertUnwindSafe(|| consume(cell))) {
        Ok(()) => JoinError::cancelled(id),
        Err(panic) => JoinError::panic(id, panic),
    };
    store(cell, Err(error));
    let _ = current::leave(outer);
    // SAFETY: we have the run right and the output is stored.
    unsafe { complete::<F, S>(header) };
}

/// Tells everybody that the task ended, and frees the cell if nobody is left.
///
/// # Safety
///
/// The caller has the run right, and gives it up; the stage holds the output.
unsafe fn complete<F: Future, S: Schedule>(header: NonNull<Header>) {
    // SAFETY: the run right keeps the cell alive (T1).
    let cell = unsafe { cell::<F, S>(header) };
    {
        // SAFETY: the task is incomplete.
        let scheduler = unsafe { scheduler::<S>(header) };
        scheduler.on_complete(&Facts {
            id: cell.header.id,
            origin: &cell.trailer.origin,
            latency: None,
        });
        // SAFETY: `home` belongs to the run right. T9: unlisted before it may be freed.
        if cell.header.home.with(|home| unsafe { *home }) != 0 {
            // The last use of the scheduler: once its lists are empty it may be let go of (T11).
            // SAFETY: we have the run right, and it is listed.
            unsafe { scheduler.release(Task(header)) };
        }
    }
    let last = match cell.header.state.complete() {
        Complete::Done => return,
        Complete::WakeJoiner => {
            // SAFETY: T7 — the completer has the join waker, and a reference that keeps the cell.
            let waker = cell
                .trailer
                .join_waker
                .with_mut(|waker| unsafe { (*waker).take() });
            let _ = unwind::guarded(|| waker.map(std::task::Waker::wake));
            cell.header.state.ref_dec()
        }
        Complete::Detached => {
            // SAFETY: T5 — no handle, so the output is still ours.
            unsafe { drop_output::<F, S>(header) };
            cell.header.state.complete_detached()
        }
    };
    if last == Last::Free {
        // SAFETY: T10.
        unsafe { dealloc::<F, S>(header) };
    }
}

/// Hands a woken task to its scheduler.
///
/// # Safety
///
/// The runnable's scheduler is an `S`.
pub(super) unsafe fn schedule<S: Schedule>(runnable: Runnable) {
    // SAFETY: a runnable is incomplete, so its scheduler lives (T11).
    let scheduler = unsafe { scheduler::<S>(runnable.0) };
    scheduler.schedule(runnable);
}

/// Moves the output to `out`, a `*mut Result<F::Output, JoinError>`.
///
/// # Safety
///
/// T5: the task is complete and the caller is its `JoinHandle`; `out` may be written.
pub(super) unsafe fn take_output<F: Future, S>(header: NonNull<Header>, out: *mut ()) {
    // SAFETY: the handle keeps the cell alive.
    let cell = unsafe { cell::<F, S>(header) };
    let output = cell.stage.with_mut(|stage| {
        // SAFETY: T5.
        let Stage::Output(output) = (unsafe { &mut *stage }) else {
            panic!("`JoinHandle` polled after completion");
        };
        // SAFETY: moved out here, and overwritten without a drop below.
        let output = unsafe { std::ptr::read(output) };
        // SAFETY: T5.
        unsafe { stage.write(Stage::Consumed) };
        output
    });
    // SAFETY: the caller gives a place of this type.
    unsafe { out.cast::<Result<F::Output, JoinError>>().write(output) };
}

/// Drops the output, if it was not taken; a panic of its drop ends here.
///
/// # Safety
///
/// The caller has the stage, as T5 says.
pub(super) unsafe fn drop_output<F: Future, S>(header: NonNull<Header>) {
    // SAFETY: the caller keeps the cell alive.
    let cell = unsafe { cell::<F, S>(header) };
    let outer = current::enter(std::ptr::null(), cell.header.id.as_u64());
    let _ = unwind::guarded(|| consume(cell));
    let _ = current::leave(outer);
}

/// Frees the cell.
///
/// # Safety
///
/// T10: nothing else refers to it.
pub(super) unsafe fn dealloc<F: Future, S>(header: NonNull<Header>) {
    // loom does not see that freeing is a write: tell it.
    #[cfg(all(test, heist_loom))]
    {
        // SAFETY: T10 — nobody else has it, but it is still there.
        let cell = unsafe { cell::<F, S>(header) };
        cell.header.queue_next.with_mut(|_| ());
        cell.header.home.with_mut(|_| ());
        cell.stage.with_mut(|_| ());
        cell.trailer.join_waker.with_mut(|_| ());
    }
    let memory = Memory(header.cast::<Cell<F, S>>());
    // SAFETY: T10 — nobody else has it, and it is not used after this.
    unsafe { std::ptr::drop_in_place(memory.0.as_ptr()) };
}

/// The memory of a cell that is dropped: freed also if that unwinds.
struct Memory<T>(NonNull<T>);

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: T10; and `allocate` got it from there.
        unsafe { cells::free(self.0) };
    }
}
