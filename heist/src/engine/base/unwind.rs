//! Panics of the user's code that have nobody to go to.
//!
//! A panic that is the task's goes to its `JoinHandle`. Others come out of wakers, hooks, and drops
//! of what nobody waits for: the panic hook has reported them, and what is left of them is a payload.
//! They must not unwind through the engine, whose threads serve others too.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls the user's code; `None` if it panicked.
#[inline]
pub(crate) fn guarded<R>(f: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => Some(result),
        Err(payload) => {
            discard(payload);
            None
        }
    }
}

/// Drops a panic's payload, which may be anything and may panic in turn.
#[cold]
pub(crate) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Two are enough: whoever panics in the drop of a panic leaks.
        std::mem::forget(again);
    }
}

/// Ends the process when it is dropped by unwinding: for threads whose loss would leave others with
/// dangling pointers.
#[derive(Debug)]
pub(crate) struct AbortOnUnwind(pub(crate) &'static str);

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("heist: {} panicked; that cannot be survived", self.0);
            std::process::abort();
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    struct Chain(u32);

    impl Drop for Chain {
        fn drop(&mut self) {
            if self.0 > 0 {
                std::panic::resume_unwind(Box::new(Chain(self.0 - 1)));
            }
        }
    }

    #[test]
    fn payloads_that_panic_stay_here() {
        assert_eq!(guarded(|| 1), Some(1));
        for depth in 0..3 {
            let result = guarded(|| std::panic::resume_unwind(Box::new(Chain(depth))));
            assert_eq!(result, None::<()>);
        }
    }
}
