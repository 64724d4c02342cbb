//! L3: the reactor. Turns what the system says of sockets into wakes.
//!
//! **What.** A reactor has one or more [`shards`]. A [`Reactor`] is the turning side of one: it owns the selector
//! (mio: epoll, kqueue, …) and its list of events. Whoever has it calls [`turn`](Reactor::turn), which waits for events
//! and wakes who waited for them; who sleeps for several does so as their [`Attendant`]. A [`ReactorHandle`] is the
//! registering side of all: cheap to clone, used from any thread. Each I/O object has a [`Registration`], which owns a
//! share of a [`Source`]: the word of readiness flags and the waiters.
//!
//! **Called by** `net`, `io::unix::AsyncFd`, `process` and `signal` (registrations), and by the driver
//! (turns).
//!
//! **Rules.**
//! * R1. Edges, once: a socket is added to its shard's selector one time, for all its interests, and is never
//!   re-armed there. Who got "would block" clears the flag; only an event sets it again (rules S1–S6 of
//!   [`source`]).
//! * R2. The system is given tokens, never addresses ([`slots`]). Events are looked up with the
//!   table's mutex held; a source that is not there any more is not found.
//! * R3. No waker runs under a lock. With the table's mutex held, wakers only move from cells to the
//!   batch, at most [`EVENTS_A_LOCK`] events a time.
//! * R4. An event once fetched is dispatched, also when a waker panics: edges do not come twice. The
//!   panic goes on when the turn is done.
//! * R5. After [`shutdown`](ReactorHandle::shutdown), nothing waits: waiters are woken and get an
//!   error, later ones get it at once, registering fails. Lock order: the table's mutex and a
//!   source's list are never held together.
//! * R6. Signals are the process's, and none of the reactor's business: who has the pipe gives it to
//!   [`watch_signals`](ReactorHandle::watch_signals), with what to call when there is something in it.
//! * R7. An object is in one shard: that of the worker that registered it, unless that has many more than another then (and but
//!   for R9). It can be [moved](moving) while it is used, and nothing that arrives meanwhile is lost.
//! * R8. It goes where its packets arrive. The system tells on which processor the last one did, and the reactor knows
//!   on which of them each shard was last looked at. Where both ends of a connection are in one shard, or a network card spreads
//!   its connections over processors, what is read is in that processor's cache. A task that has read looks
//!   after 16 events, and then ever more seldom ([`Source::begin_look`]), and moves it when three looks in a row found it elsewhere. So
//!   an object that belongs nowhere costs nothing in the long run. No shard gets many more objects than another by it.
//! * R9. While workers find the time to sleep, objects are *gathered* in the first shard: what is registered comes there, and what
//!   is read elsewhere goes there, once it has had 16 events. Otherwise they are *spread*: what is read then goes home, which is
//!   where R7 and R8 would have it; while the first has more than its share, all look after that. What does not move (it is
//!   not a stream, nor a datagram socket) stays where it was made ([`gathering`]).
//!
//! **Rejected.** *One selector for all workers*: they take turns at its lock and its list, and each message goes
//! from one processor's cache to another's every other time. A shard a worker alone does not help with the latter: half
//! of the connections have their ends in two shards, and those take longer than with one selector. *Addresses as tokens* (Tokio's way): no look-up, but a source may be freed only
//! between turns, which needs a list of the dead and a wake of the reactor. *Cloning each source's
//! `Arc` out of the table*: two more read-modify-writes an event than working under the mutex; only
//! sources with a list of waiters pay it. *Skipping `EPOLL_CTL_DEL` when a socket is closed anyway*:
//! a duplicate of the descriptor (a forked child's) would keep the entry alive.
//!
//! **Tested by** `tests` below with real sockets; the models are in [`source`], [`waiters`], [`moving`] and [`attendance`].

mod attendance;
mod attendant;
mod error;
mod gathering;
mod moving;
mod nesting;
mod ready;
mod registration;
mod shards;
mod slots;
mod source;
#[cfg(test)]
pub(crate) mod test_support;
#[cfg(all(test, not(heist_loom)))]
mod tests;
mod waiters;

use std::any::Any;
use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

pub(crate) use self::attendance::Attendance;
pub(crate) use self::attendant::{Attendant, Bell, most_shards};
pub use self::error::is_rt_shutdown_err;
pub(crate) use self::error::rt_shutdown_err;
pub use self::ready::{Interest, Ready};
pub(crate) use self::registration::Registration;
pub(crate) use self::shards::Shards;
use self::slots::Token;
pub(crate) use self::source::ReadyEvent;
use self::source::Source;
use crate::engine::base::unwind;
use crate::engine::queue::wake_batch::WakeBatch;
use crate::loom::sync::{Arc, Mutex};

/// R3: each event wakes at most a reader and a writer, and the batch holds 32.
const EVENTS_A_LOCK: usize = 16;

/// The turning side of one shard; see the module's documentation.
pub(crate) struct Reactor {
    poll: mio::Poll,
    events: mio::Events,
    /// For turns that do not wait, if they are to fetch fewer.
    busy_events: Option<mio::Events>,
    /// Sources of this turn with waiters in their lists; kept for its memory.
    crowded: Vec<(Arc<Source>, Ready)>,
    /// Other shards that the last turn has told of, while objects are gathered.
    others: ShardSet,
    handle: ReactorHandle,
    shard: usize,
}

/// The registering side of all shards; see the module's documentation.
#[derive(Debug, Clone)]
pub(crate) struct ReactorHandle(Arc<Registrar>);

#[derive(Debug)]
struct Registrar {
    shards: Shards,
    /// R6.
    signals: Mutex<Option<Arc<SignalPipe>>>,
}

/// Where signal handlers write to, as seen by one reactor, and what to do when they have.
struct SignalPipe {
    receiver: mio::net::UnixStream,
    deliver: fn(&mio::net::UnixStream),
}

impl Reactor {
    /// A reactor of so many shards, which fetch up to `event_capacity` events a turn.
    ///
    /// # Errors
    ///
    /// The system's: most likely that the process has no descriptors left.
    pub(crate) fn new(
        shards: usize,
        event_capacity: usize,
    ) -> io::Result<(Vec<Self>, ReactorHandle)> {
        let polls: Vec<mio::Poll> = (0..shards)
            .map(|_| mio::Poll::new())
            .collect::<io::Result<_>>()?;
        let handle = ReactorHandle(Arc::new(Registrar {
            shards: Shards::new(&polls)?,
            signals: Mutex::new(None),
        }));
        let turning_side = |(shard, poll)| Self {
            poll,
            events: mio::Events::with_capacity(event_capacity),
            busy_events: None,
            crowded: Vec::new(),
            others: ShardSet::default(),
            handle: handle.clone(),
            shard,
        };
        let reactors = polls.into_iter().enumerate().map(turning_side).collect();
        Ok((reactors, handle))
    }

    /// Lets turns that do not wait fetch at most `max_events`: what they leave stays with the system,
    /// and the worker gets back to its tasks sooner.
    pub(crate) fn limit_busy_turns(&mut self, max_events: usize) {
        self.busy_events = Some(mio::Events::with_capacity(max_events));
    }

    /// The selector's descriptor, which is ready to read when there are events.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.poll.as_raw_fd()
    }

    /// The other shards in which the last turn found that there is something; once.
    pub(crate) fn take_others(&mut self) -> ShardSet {
        std::mem::take(&mut self.others)
    }

    /// A turn that does not wait, and yet fetches as many events as one that does.
    ///
    /// # Errors
    ///
    /// As for [`turn`](Self::turn).
    ///
    /// # Panics
    ///
    /// As [`turn`](Self::turn).
    pub(crate) fn take_up(&mut self) -> io::Result<usize> {
        self.fetch(Some(Duration::ZERO), false)
    }

    /// Waits for events, for `timeout` at most, and wakes who waited for them. Gives the number of
    /// events, without those of [`Shards::wake_first`]; a turn that a signal handler interrupts is
    /// an empty one.
    ///
    /// # Errors
    ///
    /// The selector's, which nobody expects.
    ///
    /// # Panics
    ///
    /// If a waker does, after all events are dispatched (R4).
    pub(crate) fn turn(&mut self, timeout: Option<Duration>) -> io::Result<usize> {
        self.fetch(timeout, timeout == Some(Duration::ZERO))
    }

    fn fetch(&mut self, timeout: Option<Duration>, is_busy: bool) -> io::Result<usize> {
        self.others = ShardSet::default();
        let events = match &mut self.busy_events {
            Some(events) if is_busy => events,
            _ => &mut self.events,
        };
        match self.poll.poll(events, timeout) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => return Ok(0),
            Err(e) => return Err(e),
        }
        let shard = self.handle.0.shards.get(self.shard);
        let mut fetched = 0;
        let mut is_signal = false;
        let mut panics = FirstPanic(None);
        let mut batch = WakeBatch::new();
        let mut events = events.iter().peekable();
        while events.peek().is_some() {
            let slots = shard.slots();
            for event in events.by_ref().take(EVENTS_A_LOCK) {
                let token = Token::from(event.token());
                if token == Token::WAKE {
                    continue;
                }
                if token == Token::SIGNAL {
                    is_signal = true;
                    continue;
                }
                if let Some(other) = token.shard() {
                    self.others.0 |= 1 << other;
                    continue;
                }
                fetched += 1;
                // R2: not there, not ours to wake.
                let Some(source) = slots.get(token) else {
                    continue;
                };
                let ready = Ready::from_mio(event);
                if source.event(ready, &mut batch) {
                    self.crowded.push((Arc::clone(source), ready));
                }
            }
            drop(slots);
            panics.catch(|| batch.wake_all());
            for (source, ready) in self.crowded.drain(..) {
                panics.catch(|| source.wake_list(Some(ready), &mut batch));
            }
            panics.catch(|| batch.wake_all());
        }
        if is_signal {
            let pipe = self.handle.0.signals.lock().clone();
            if let Some(pipe) = pipe {
                panics.catch(|| (pipe.deliver)(&pipe.receiver));
            }
        }
        shard.count_ready(fetched);
        panics.resume();
        Ok(fetched)
    }
}

/// Some of the shards, a bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ShardSet(u32);

impl Iterator for ShardSet {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let first = (self.0 != 0).then_some(self.0.trailing_zeros() as usize);
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        // Nobody will turn it again, so nobody may wait for it.
        self.handle.shutdown();
    }
}

impl fmt::Debug for Reactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reactor")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}

impl ReactorHandle {
    /// R5. Does nothing the second time.
    pub(crate) fn shutdown(&self) {
        let sources = self.0.shards.shut_down();
        let pipe = self.0.signals.lock().take();
        drop(pipe);
        let mut panics = FirstPanic(None);
        let mut batch = WakeBatch::new();
        for source in sources {
            let has_list = source.shut_down(&mut batch);
            panics.catch(|| batch.wake_all());
            if has_list {
                panics.catch(|| source.wake_list(None, &mut batch));
                panics.catch(|| batch.wake_all());
            }
        }
        panics.resume();
    }

    /// R6: calls `deliver` whenever there is something in the pipe that `open` gives. Does nothing if
    /// the reactor has one already.
    ///
    /// # Errors
    ///
    /// `open`'s, the system's, or that the reactor has shut down.
    pub(crate) fn watch_signals(
        &self,
        open: impl FnOnce() -> io::Result<mio::net::UnixStream>,
        deliver: fn(&mio::net::UnixStream),
    ) -> io::Result<()> {
        let first = self.0.shards.get(0);
        if first.slots().is_shutdown() {
            return Err(rt_shutdown_err());
        }
        let mut signals = self.0.signals.lock();
        if signals.is_none() {
            let mut receiver = open()?;
            first.registry().register(
                &mut receiver,
                Token::SIGNAL.into(),
                mio::Interest::READABLE,
            )?;
            *signals = Some(Arc::new(SignalPipe { receiver, deliver }));
        }
        Ok(())
    }

    /// The shards, and who is where.
    pub(crate) fn shards(&self) -> &Shards {
        &self.0.shards
    }
}

impl fmt::Debug for SignalPipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignalPipe").finish_non_exhaustive()
    }
}

/// R4: the first of several panics, kept until all is done.
struct FirstPanic(Option<Box<dyn Any + Send>>);

impl FirstPanic {
    #[inline]
    fn catch(&mut self, f: impl FnOnce()) {
        if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(f)) {
            match &self.0 {
                None => self.0 = Some(payload),
                Some(_) => unwind::discard(payload),
            }
        }
    }

    fn resume(self) {
        if let Some(payload) = self.0 {
            panic::resume_unwind(payload);
        }
    }
}
