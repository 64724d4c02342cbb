//! "Am I a worker?" — the thread-local that makes a push from a worker cheap.

use std::cell::Cell;
use std::ptr;

use crate::engine::sched::custom::Custom;
use crate::engine::sched::strategy::{Stealing, Strategy};
use crate::engine::sched::worker::WorkerContext;

crate::loom::thread_local! {
    static STEALING: Cell<*const WorkerContext<Stealing>> = const { Cell::new(ptr::null()) };
}
crate::loom::thread_local! {
    static CUSTOM: Cell<*const WorkerContext<Custom>> = const { Cell::new(ptr::null()) };
}

#[inline(always)]
pub(super) fn stealing() -> *const WorkerContext<Stealing> {
    STEALING.with(Cell::get)
}

pub(super) fn replace_stealing(
    worker: *const WorkerContext<Stealing>,
) -> *const WorkerContext<Stealing> {
    STEALING.with(|current| current.replace(worker))
}

#[inline(always)]
pub(super) fn custom() -> *const WorkerContext<Custom> {
    CUSTOM.with(Cell::get)
}

pub(super) fn replace_custom(worker: *const WorkerContext<Custom>) -> *const WorkerContext<Custom> {
    CUSTOM.with(|current| current.replace(worker))
}

/// Makes `context` this thread's worker while `run` runs.
pub(super) fn scope<S: Strategy, R>(context: &WorkerContext<S>, run: impl FnOnce() -> R) -> R {
    struct Restore<S: Strategy>(*const WorkerContext<S>);

    impl<S: Strategy> Drop for Restore<S> {
        fn drop(&mut self) {
            S::replace_current(self.0);
        }
    }

    let _restore = Restore(S::replace_current(context));
    run()
}

/// The worker this thread is, if it is one.
#[inline(always)]
pub(super) fn with<S: Strategy, R>(f: impl FnOnce(Option<&WorkerContext<S>>) -> R) -> R {
    let worker = S::current();
    // SAFETY: `scope` keeps the context borrowed for as long as the pointer is here, and only this
    // thread sees it.
    f(unsafe { worker.as_ref() })
}
