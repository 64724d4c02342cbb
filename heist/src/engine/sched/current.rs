//! "Am I a worker?" — the thread-local that makes a push from a worker cheap.

use std::cell::Cell;
use std::ptr;

use crate::engine::sched::worker::WorkerContext;

crate::loom::thread_local! {
    static WORKER: Cell<*const WorkerContext> = const { Cell::new(ptr::null()) };
}

/// Makes `context` this thread's worker while `run` runs.
pub(super) fn scope<R>(context: &WorkerContext, run: impl FnOnce() -> R) -> R {
    struct Restore(*const WorkerContext);

    impl Drop for Restore {
        fn drop(&mut self) {
            WORKER.with(|worker| worker.set(self.0));
        }
    }

    let _restore = Restore(WORKER.with(|worker| worker.replace(context)));
    run()
}

/// The worker this thread is, if it is one.
#[inline(always)]
pub(super) fn with<R>(f: impl FnOnce(Option<&WorkerContext>) -> R) -> R {
    let worker = WORKER.with(Cell::get);
    // SAFETY: `scope` keeps the context borrowed for as long as the pointer is here, and only this
    // thread sees it.
    f(unsafe { worker.as_ref() })
}
