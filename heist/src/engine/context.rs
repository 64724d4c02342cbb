//! L6: which runtime this thread is in.
//!
//! A thread is *in* a runtime from [`enter`] until the guard is dropped: workers and pool threads for
//! their whole life, others through `Runtime::enter` or `block_on`. The thread-local owns a handle
//! but has no destructor, so that a `Drop` that runs while the thread's locals are torn down still
//! finds its runtime; whoever enters leaves, by the guard.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use crate::engine::base::current as poll;
use crate::engine::base::rng::{FastRand, ThreadRngScope};
pub(crate) use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::reactor::ReactorHandle;
use crate::engine::sched::local_set;
use crate::engine::sched::{SchedHandle, Services, WeakSchedHandle};
use crate::engine::timer::{Clock, TimerHandle};

crate::loom::thread_local! {
    static CONTEXT: Context = const {
        Context { handle: Cell::new(ManuallyDrop::new(None)), id: Cell::new(None), depth: Cell::new(0), alone: Cell::new(false) }
    };
}

struct Context {
    handle: Cell<ManuallyDrop<Option<SchedHandle>>>,
    /// The id of `handle`'s runtime, to be read without taking the handle.
    id: Cell<Option<RuntimeId>>,
    /// How many guards there are, to see that they go in the right order.
    depth: Cell<usize>,
    /// It blocks on a runtime that has no other thread.
    alone: Cell<bool>,
}

/// All runtimes of the process, for those who name one by its id from outside of it.
static RUNTIMES: std::sync::Mutex<Vec<(RuntimeId, WeakSchedHandle)>> =
    std::sync::Mutex::new(Vec::new());

fn runtimes() -> std::sync::MutexGuard<'static, Vec<(RuntimeId, WeakSchedHandle)>> {
    RUNTIMES
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Makes a new runtime known to [`with_timers`].
pub(crate) fn register(handle: &SchedHandle) {
    let mut runtimes = runtimes();
    runtimes.retain(|(_, runtime)| runtime.is_alive());
    runtimes.push((handle.services().id, handle.downgrade()));
}

/// Leaves the runtime when dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Entered {
    outer: Option<SchedHandle>,
    depth: usize,
    /// Not `Send`, but `Sync`, as a guard of std's is.
    _thread_bound: PhantomData<std::sync::MutexGuard<'static, ()>>,
}

/// Enters `handle`'s runtime.
pub(crate) fn enter(handle: SchedHandle) -> Entered {
    CONTEXT.with(|context| {
        context.id.set(Some(handle.services().id));
        let outer =
            ManuallyDrop::into_inner(context.handle.replace(ManuallyDrop::new(Some(handle))));
        let depth = context.depth.get() + 1;
        context.depth.set(depth);
        Entered {
            outer,
            depth,
            _thread_bound: PhantomData,
        }
    })
}

impl Drop for Entered {
    #[track_caller]
    fn drop(&mut self) {
        let inner = CONTEXT.with(|context| {
            if context.depth.get() != self.depth {
                if !std::thread::panicking() {
                    panic!(
                        "`EnterGuard` values dropped out of order. Guards returned by `Handle::enter()` \
                         must be dropped in the reverse order as they were acquired."
                    );
                }
                return None;
            }
            context.depth.set(self.depth - 1);
            let outer = self.outer.take();
            context.id.set(outer.as_ref().map(|handle| handle.services().id));
            ManuallyDrop::into_inner(context.handle.replace(ManuallyDrop::new(outer)))
        });
        // Outside of the thread-local: it may be the last one.
        drop(inner);
    }
}

/// Runs `f` on the current runtime's handle. `f` runs no code of the user's: for that,
/// [`current`].
fn with_current<R>(f: impl FnOnce(&SchedHandle) -> R) -> Option<R> {
    CONTEXT.with(|context| {
        /// Puts the handle back, also when `f` unwinds.
        struct PutBack<'a>(&'a Context, ManuallyDrop<Option<SchedHandle>>);
        impl Drop for PutBack<'_> {
            fn drop(&mut self) {
                let handle = std::mem::replace(&mut self.1, ManuallyDrop::new(None));
                self.0.handle.set(handle);
            }
        }
        let taken = PutBack(context, context.handle.replace(ManuallyDrop::new(None)));
        taken.1.as_ref().map(f)
    })
}

/// The runtime this thread is in.
pub(crate) fn current() -> Option<SchedHandle> {
    with_current(Clone::clone)
}

/// Its id.
#[inline]
pub(crate) fn current_runtime_id() -> Option<RuntimeId> {
    CONTEXT.with(|context| context.id.get())
}

/// Its reactor, and which of its workers this thread is.
pub(crate) fn reactor() -> Option<(ReactorHandle, Option<usize>)> {
    with_current(|handle| {
        let reactor = handle.services().reactor.clone()?;
        Some((reactor, handle.current_worker()))
    })?
}

/// Which of its workers this thread is.
pub(crate) fn current_worker() -> Option<usize> {
    with_current(SchedHandle::current_worker)?
}

/// Runs `f` on the current runtime's clock.
pub(crate) fn with_current_clock<R>(f: impl FnOnce(&Clock) -> R) -> Option<R> {
    with_current(|handle| f(handle.services().clock()))
}

/// Runs `f` on the current runtime's timers, with the worker that this thread is of it; `None` if it
/// has no timers.
#[inline]
pub(crate) fn with_current_timers<R>(
    f: impl FnOnce(&TimerHandle, Option<usize>) -> R,
) -> Option<R> {
    with_current(|handle| {
        handle
            .services()
            .timers()
            .map(|timers| f(timers, handle.current_worker()))
    })?
}

/// Runs `f` on the timers of runtime `id`, which need not be the current one; `None` if it is gone or
/// has no timers.
pub(crate) fn with_timers<R>(
    id: RuntimeId,
    f: impl FnOnce(&TimerHandle, Option<usize>) -> R,
) -> Option<R> {
    if current_runtime_id() == Some(id) {
        return with_current_timers(f);
    }
    let found = runtimes()
        .iter()
        .find(|(other, _)| *other == id)
        .and_then(|(_, runtime)| runtime.upgrade());
    let handle = found?;
    let services: &Services = handle.services();
    services
        .timers()
        .map(|timers| f(timers, handle.current_worker()))
}

/// Panics unless this thread may start to run tasks: it does not run any, or blocks in place.
#[track_caller]
pub(crate) fn assert_may_run() {
    assert!(
        poll::may_block(),
        "Cannot start a runtime from within a runtime. This happens when a function like `block_on` is \
         called on a thread that is already running asynchronous tasks: await the future instead, or \
         block on it in `block_in_place` or `spawn_blocking`."
    );
}

/// Panics if this thread runs the tasks of a runtime or set that has no other thread for them.
#[track_caller]
pub(crate) fn assert_may_hand_on() {
    let is_alone = || CONTEXT.with(|context| context.alone.get());
    assert!(
        poll::may_block() || (!is_alone() && !local_set::is_polling()),
        "can call blocking only when running on the multi-threaded runtime"
    );
}

/// While it lives, this thread is, or is not, all that a runtime has. What it was before.
struct Alone(bool);

impl Alone {
    fn enter(alone: bool) -> Self {
        Self(CONTEXT.with(|context| context.alone.replace(alone)))
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        CONTEXT.with(|context| context.alone.set(self.0));
    }
}

/// Runs `f` as a part of `handle`'s runtime that drives tasks, `alone` if no other thread can: blocking calls panic in it.
#[track_caller]
pub(crate) fn run_in<R>(handle: &SchedHandle, alone: bool, f: impl FnOnce() -> R) -> R {
    assert_may_run();
    let _entered = enter(handle.clone());
    let _alone = Alone::enter(alone);
    let _no_blocking = NoBlocking::new();
    let seeds = handle.services().seeds.as_ref();
    let _seeded = seeds.map(|seeds| {
        let seed = seeds.lock().next_u64();
        ThreadRngScope::enter(FastRand::new(seed))
    });
    f()
}

/// Forbids blocking calls on this thread until dropped.
struct NoBlocking(bool);

impl NoBlocking {
    fn new() -> Self {
        Self(poll::set_may_block(false))
    }
}

impl Drop for NoBlocking {
    fn drop(&mut self) {
        poll::set_may_block(self.0);
    }
}

/// Runtimes that are nothing but a context, for the tests of lower layers.
#[cfg(all(test, not(heist_loom)))]
pub(crate) mod stub {
    use std::cell::RefCell;
    use std::sync::Arc;

    use super::{Entered, ReactorHandle, RuntimeId, SchedHandle, Services, TimerHandle};
    use crate::engine::blocking::{Config, ThreadPool};
    use crate::engine::driver::Driver;
    use crate::engine::sched::Hooks;
    use crate::engine::sched::current_thread::{CurrentThread, CurrentThreadConfig};
    use crate::engine::timer::Clock;

    /// A runtime that nobody drives.
    pub(crate) struct StubRuntime(SchedHandle);

    impl StubRuntime {
        pub(crate) fn new(timers: Option<TimerHandle>) -> Arc<Self> {
            Self::with(timers, None)
        }

        fn with(timers: Option<TimerHandle>, reactor: Option<ReactorHandle>) -> Arc<Self> {
            let time_enabled = timers.is_some();
            let services = Services {
                name: None,
                id: RuntimeId::next(),
                reactor,
                timers: timers.unwrap_or_else(|| TimerHandle::new(1, Clock::new(true, false))),
                time_enabled,
                pool: ThreadPool::new(Config::new(1)),
                forced_yields: Default::default(),
                long_polls: Default::default(),
                seeds: None,
            };
            let config = CurrentThreadConfig {
                global_queue_interval: 31,
                event_interval: 61,
                owner: None,
                shutdown_on_panic: false,
            };
            let driver = Driver::new(None, 1).expect("without a reactor nothing can fail");
            let scheduler = CurrentThread::new(config, driver, services, Hooks::default());
            let handle = SchedHandle::CurrentThread(scheduler);
            super::register(&handle);
            Arc::new(Self(handle))
        }

        pub(crate) fn timers(&self) -> &TimerHandle {
            &self.0.services().timers
        }

        pub(crate) fn enter(&self) -> Entered {
            super::enter(self.0.clone())
        }
    }

    std::thread_local! {
        static ENTERED: RefCell<Option<Entered>> = const { RefCell::new(None) };
    }

    /// Enters (or, with `None`, leaves) a runtime that is nothing but a reactor.
    pub(crate) fn set_reactor(reactor: Option<ReactorHandle>) {
        let entered = reactor.map(|reactor| StubRuntime::with(None, Some(reactor)).enter());
        ENTERED.with(|e| *e.borrow_mut() = entered);
    }
}
