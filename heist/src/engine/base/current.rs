//! What this thread is polling right now: one thread-local, without a destructor.
//!
//! The executor writes it around each poll; budgets, `yield_now` and `task::id` read it. It is the
//! only thread-local on the poll path, and as it needs no destructor an access is a plain load
//! relative to the thread pointer, also while the thread's other locals are being torn down.

use std::cell::Cell;
use std::ptr;
use std::task::Context;

use crate::engine::base::budget::Budget;

crate::loom::thread_local! {
    static CURRENT: Current = const { Current::new() };
}

/// The thread's own record of the poll it is in.
#[derive(Debug)]
pub(crate) struct Current {
    /// Address of the running task's cell; null outside a task. Never dereferenced through here:
    /// it only answers "is this waker the running task's own?". With [`YIELDED`] from the moment that the
    /// task gives up its turn without waiting for anything: so it is saved and restored with it.
    task: Cell<*const ()>,
    /// The running task's id, 0 outside a task.
    id: Cell<u64>,
    /// False while blocking this thread would hold up an executor: set by the runtime around its
    /// polls, asked by every `blocking_*` method.
    may_block: Cell<bool>,
    pub(super) budget: Cell<Budget>,
    /// A turn was given up for want of budget, until a scheduler counts it.
    pub(super) forced_yield: Cell<bool>,
}

/// The lowest bit of a cell's address, which is always 0.
const YIELDED: usize = 1;

/// What to put back when a poll ends.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(crate) struct Outer {
    task: *const (),
    id: u64,
}

impl Current {
    const fn new() -> Self {
        Self {
            task: Cell::new(ptr::null()),
            id: Cell::new(0),
            may_block: Cell::new(true),
            budget: Cell::new(Budget::unconstrained()),
            forced_yield: Cell::new(false),
        }
    }
}

/// Runs `f` on the thread's record.
#[inline(always)]
pub(crate) fn with<R>(f: impl FnOnce(&Current) -> R) -> R {
    CURRENT.with(f)
}

/// Says that this thread now runs the task whose cell is at `task`. The poll's end calls [`leave`].
#[inline(always)]
pub(crate) fn enter(task: *const (), id: u64) -> Outer {
    debug_assert!(task.addr() & YIELDED == 0, "cells are aligned");
    with(|c| Outer {
        task: c.task.replace(task),
        id: c.id.replace(id),
    })
}

/// Ends what [`enter`] began; true if the task gave up its turn by [`yield_turn`].
#[inline(always)]
pub(crate) fn leave(outer: Outer) -> bool {
    with(|c| {
        c.id.set(outer.id);
        c.task.replace(outer.task).addr() & YIELDED != 0
    })
}

/// Address of the running task's cell; null outside a task.
pub(crate) fn task() -> *const () {
    with(|c| c.task.get().map_addr(|task| task & !YIELDED))
}

/// The running task's id; `None` outside a task.
pub(crate) fn task_id() -> Option<std::num::NonZeroU64> {
    with(|c| std::num::NonZeroU64::new(c.id.get()))
}

/// Makes sure that whoever polls with `cx` polls again, after others had their turn.
///
/// For the running task itself this sets a flag that the executor reads when the poll returns: no
/// atomic operation and no reference count. Any other waker (a sub-scheduler's, a `block_on`
/// root's) is woken the ordinary way.
#[inline]
pub(crate) fn yield_turn(cx: &Context<'_>) {
    let own = with(|c| {
        let task = c.task.get().map_addr(|task| task & !YIELDED);
        let own = !task.is_null() && ptr::eq(task, cx.waker().data());
        if own {
            c.task.set(task.map_addr(|task| task | YIELDED));
        }
        own
    });
    if !own {
        cx.waker().wake_by_ref();
    }
}

/// Says whether this thread may block, and returns what was said before.
#[inline]
pub(crate) fn set_may_block(may_block: bool) -> bool {
    with(|c| c.may_block.replace(may_block))
}

/// Whether this thread may block.
#[inline]
pub(crate) fn may_block() -> bool {
    with(|c| c.may_block.get())
}

/// Panics if this thread must not block, because it is polling futures for a runtime.
#[inline]
#[track_caller]
pub(crate) fn assert_may_block() {
    assert!(
        with(|c| c.may_block.get()),
        "Cannot block the current thread from within a runtime: it is running asynchronous tasks, \
         which would all have to wait. Await the operation instead, or move the blocking call to `spawn_blocking`."
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocking_is_allowed_until_the_runtime_says_no() {
        let body = || {
            assert_may_block();
            assert!(set_may_block(false));
            let refused = std::panic::catch_unwind(assert_may_block).is_err();
            assert!(!set_may_block(true));
            assert!(refused);
            assert_may_block();
        };
        #[cfg(heist_loom)]
        loom::model(body);
        #[cfg(not(heist_loom))]
        body();
    }
}
