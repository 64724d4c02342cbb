//! L4: what a worker can sleep in besides its parker.
//!
//! One reactor serves a runtime, and one thread at a time turns it: whoever goes to sleep first
//! and finds it free. Nobody holds it while running tasks, so that no task, however long it runs,
//! keeps others from turning it. Timers need no thread of their own: each worker sleeps until its own
//! earliest deadline.

use std::io;
use std::time::Duration;

use crate::engine::base::parker::Parker;
use crate::engine::base::unwind;
use crate::engine::queue::local::CAPACITY;
use crate::engine::reactor::{Reactor, ReactorHandle};
use crate::loom::sync::Mutex;

/// The reactor of a runtime, if it has one.
#[derive(Debug)]
pub(crate) struct Driver {
    reactor: Option<(Mutex<Reactor>, ReactorHandle)>,
    busy_events: usize,
}

/// How many events a turn takes, by default: what a worker's queue holds. What was fetched beyond that would go to
/// the injector and lose its turn; with the system it keeps it.
pub(crate) const EVENTS: usize = CAPACITY as usize;
/// The same for a worker that has tasks.
pub(crate) const BUSY_EVENTS: usize = EVENTS / 4;

/// How many events a turn of the reactor takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IoLimits {
    pub(crate) events: usize,
    /// In a turn that does not wait; `None`: [`BUSY_EVENTS`], and no more than `events`.
    pub(crate) busy_events: Option<usize>,
}

impl Driver {
    /// # Errors
    ///
    /// If the system gives no epoll or event descriptor.
    pub(crate) fn new(io: Option<IoLimits>) -> io::Result<Self> {
        let Some(limits) = io else {
            return Ok(Self {
                reactor: None,
                busy_events: 0,
            });
        };
        let busy_events = limits.busy_events;
        let busy_events = busy_events.unwrap_or(limits.events.min(BUSY_EVENTS));
        let (mut reactor, handle) = Reactor::new(limits.events)?;
        reactor.limit_busy_turns(busy_events);
        Ok(Self {
            reactor: Some((Mutex::new(reactor), handle)),
            busy_events,
        })
    }

    /// How many events [`poll`](Self::poll) brings at most.
    pub(crate) fn busy_events(&self) -> usize {
        self.busy_events
    }

    pub(crate) fn handle(&self) -> Option<&ReactorHandle> {
        self.reactor.as_ref().map(|(_, handle)| handle)
    }

    /// Sleeps on `parker` until it is unparked, the time is up, or, if the reactor is free, until it
    /// has something. True if it was unparked.
    pub(crate) fn park(&self, parker: &Parker, timeout: Option<Duration>) -> bool {
        match self
            .reactor
            .as_ref()
            .and_then(|(reactor, _)| reactor.try_lock())
        {
            Some(mut reactor) => parker.park_elsewhere(|| Self::turn(&mut reactor, timeout)),
            None => match timeout {
                None => {
                    parker.park();
                    true
                }
                Some(timeout) => parker.park_timeout(timeout),
            },
        }
    }

    /// Looks what the reactor has, without sleeping; nothing if somebody else is at it.
    pub(crate) fn poll(&self) {
        if let Some(mut reactor) = self
            .reactor
            .as_ref()
            .and_then(|(reactor, _)| reactor.try_lock())
        {
            Self::turn(&mut reactor, Some(Duration::ZERO));
        }
    }

    /// True if somebody turns the reactor, or there is none to turn.
    pub(crate) fn is_attended(&self) -> bool {
        self.reactor
            .as_ref()
            .is_none_or(|(reactor, _)| reactor.try_lock().is_none())
    }

    /// Wakes the owner of `parker`, wherever it sleeps.
    pub(crate) fn unpark(&self, parker: &Parker) {
        if parker.unpark_from()
            && let Some((_, handle)) = &self.reactor
        {
            handle.wake();
        }
    }

    fn turn(reactor: &mut Reactor, timeout: Option<Duration>) {
        // A waker that panicked (not a task's: those do not) has no claim on this thread.
        if let Some(Err(error)) = unwind::guarded(|| reactor.turn(timeout)) {
            // EINTR is not reported; what is left is a bug of ours, or a descriptor that somebody
            // else closed. Sleeping on would hang, going on would spin.
            panic!("the reactor failed: {error}");
        }
    }
}
