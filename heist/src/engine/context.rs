//! A stand-in for the real context: what the timers need of it, on one thread-local.

use std::num::NonZeroU64;

use crate::engine::timer::{Clock, TimerHandle};

/// Which runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuntimeId(NonZeroU64);

#[cfg(all(test, not(heist_loom)))]
pub(crate) mod stub {
    use super::RuntimeId;
    use crate::engine::timer::{Clock, TimerHandle};
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::num::NonZeroU64;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex, Weak};

    pub(crate) struct StubRuntime {
        pub(super) id: RuntimeId,
        pub(crate) timers: Option<TimerHandle>,
        pub(super) bare_clock: Clock,
    }

    std::thread_local! {
        pub(super) static CURRENT: RefCell<Option<Arc<StubRuntime>>> = const { RefCell::new(None) };
    }
    pub(super) static REGISTRY: Mutex<Option<HashMap<u64, Weak<StubRuntime>>>> = Mutex::new(None);

    /// Leaves the runtime when dropped.
    pub(crate) struct Entered;

    impl Drop for Entered {
        fn drop(&mut self) {
            CURRENT.with(|c| c.borrow_mut().take());
        }
    }

    impl StubRuntime {
        pub(crate) fn new(timers: Option<TimerHandle>) -> Arc<Self> {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            let id = NEXT.fetch_add(1, Ordering::Relaxed);
            let runtime = Arc::new(Self {
                id: RuntimeId(NonZeroU64::new(id).unwrap()),
                timers,
                bare_clock: Clock::new(true, false),
            });
            REGISTRY
                .lock()
                .unwrap()
                .get_or_insert_default()
                .insert(id, Arc::downgrade(&runtime));
            runtime
        }

        pub(crate) fn enter(self: &Arc<Self>) -> Entered {
            CURRENT.with(|c| *c.borrow_mut() = Some(self.clone()));
            Entered
        }
    }

    pub(super) fn with_current<R>(f: impl FnOnce(&StubRuntime) -> R) -> Option<R> {
        CURRENT.with(|c| c.borrow().as_deref().map(f))
    }

    pub(super) fn find(id: RuntimeId) -> Option<Arc<StubRuntime>> {
        REGISTRY
            .lock()
            .unwrap()
            .as_ref()
            .and_then(|all| all.get(&id.0.get())?.upgrade())
    }
}

#[cfg(all(test, not(heist_loom)))]
mod find {
    pub(super) use super::stub::{find, with_current};
}

#[cfg(not(all(test, not(heist_loom))))]
mod find {
    use super::{Clock, RuntimeId, TimerHandle};

    pub(super) struct Nothing {
        pub(super) id: RuntimeId,
        pub(super) timers: Option<TimerHandle>,
        pub(super) bare_clock: Clock,
    }

    pub(super) fn with_current<R>(_f: impl FnOnce(&Nothing) -> R) -> Option<R> {
        None
    }

    pub(super) fn find(_id: RuntimeId) -> Option<Nothing> {
        None
    }
}

/// The runtime this thread is in.
pub(crate) fn current_runtime_id() -> Option<RuntimeId> {
    find::with_current(|runtime| runtime.id)
}

/// Runs `f` on the timers of runtime `id`, with the worker that this thread is of it; `None` if it is gone or
/// has no timers.
pub(crate) fn with_timers<R>(
    id: RuntimeId,
    f: impl FnOnce(&TimerHandle, Option<usize>) -> R,
) -> Option<R> {
    if current_runtime_id() == Some(id) {
        with_current_timers(f)
    } else {
        find::find(id)?
            .timers
            .as_ref()
            .map(|timers| f(timers, None))
    }
}

/// Runs `f` on the current runtime's clock.
pub(crate) fn with_current_clock<R>(f: impl FnOnce(&Clock) -> R) -> Option<R> {
    find::with_current(|runtime| match &runtime.timers {
        Some(timers) => f(&timers.clock),
        None => f(&runtime.bare_clock),
    })
}

/// Runs `f` on the current runtime's timers.
pub(crate) fn with_current_timers<R>(
    f: impl FnOnce(&TimerHandle, Option<usize>) -> R,
) -> Option<R> {
    find::with_current(|runtime| runtime.timers.as_ref().map(|timers| f(timers, None)))?
}
