//! What the tests of this module share.
#![allow(dead_code, reason = "models and tests use different parts")]

use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::task::{Wake, Waker};

/// Until it has become its program, a child holds all descriptors of this process, also those
/// that a test closes meanwhile: the peer of such a one sees no end. A test that relies on the end
/// keeps children from being started, by [`closed_is_closed`]; the others start theirs by
/// [`start`].
static STARTING: RwLock<()> = RwLock::new(());

/// While the guard lives, a descriptor that is dropped is closed at once, for its peer too.
pub(crate) fn closed_is_closed() -> RwLockReadGuard<'static, ()> {
    STARTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a child, when no test minds.
pub(crate) fn start(command: &mut Command) -> Child {
    let _starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap()
}

/// A waker that counts its wakes and its references.
pub(crate) struct CountingWaker(Arc<Count>);

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl CountingWaker {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Count(AtomicUsize::new(0))))
    }

    pub(crate) fn waker(&self) -> Waker {
        Waker::from(Arc::clone(&self.0))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.0.load(SeqCst)
    }

    /// This one included.
    pub(crate) fn references(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

/// Runs `f` in all interleavings with few preemptions: a lost wake needs one or two.
#[cfg(heist_loom)]
pub(crate) fn model(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(2));
    builder.check(f);
}

/// A reactor of one shard.
#[cfg(not(heist_loom))]
pub(crate) fn one_shard(event_capacity: usize) -> (super::Reactor, super::ReactorHandle) {
    let (mut reactors, handle) = super::Reactor::new(1, event_capacity).unwrap();
    (reactors.remove(0), handle)
}

/// Runs `future` in a runtime that is nothing but this thread and a reactor. Fails after a while.
#[cfg(not(heist_loom))]
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    use std::task::{Context, Poll};
    use std::time::{Duration, Instant};

    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            crate::engine::context::stub::set_reactor(None);
        }
    }

    let (mut reactor, handle) = one_shard(256);
    crate::engine::context::stub::set_reactor(Some(handle.clone()));
    let leave = Leave;
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut future = std::pin::pin!(future);
    let start = Instant::now();
    let mut seen = usize::MAX;
    loop {
        let wakes = counting.count();
        if wakes != seen {
            seen = wakes;
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                drop(leave);
                return output;
            }
        }
        assert!(start.elapsed() < Duration::from_secs(60), "it hangs");
        let wait = if counting.count() == seen { 50 } else { 0 };
        reactor.turn(Some(Duration::from_millis(wait))).unwrap();
    }
}
