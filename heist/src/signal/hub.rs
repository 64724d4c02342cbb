//! From the signal handler to the tasks that wait.
//!
//! **What.** One [`Hub`] a process. A handler may do next to nothing, so it sets its signal's bit and
//! writes a byte to a pipe (a pair of sockets). Each runtime that listens has a duplicate of the pipe's
//! other end in its reactor: whichever turns first empties the pipe and rings the bells of the
//! signals whose bits are set. A bell is the process's, so one reactor serves the listeners of all.
//!
//! **Rules.**
//! * H1. A handler calls nothing that is not safe in one: an atomic operation and a write.
//! * H2. First the bit, then the byte; first the pipe is emptied, then the bits are taken. So a signal is
//!   rung after its byte is seen, or, if the pipe was full, after that which filled it.
//! * H3. A bell's version counts its rings. A listener that has seen a version is owed nothing until the
//!   next: several signals may be one ring, but after a listener has looked, the next is told.
//! * H4. A reactor that a listener waits on has the pipe: `listen` and every wait see to it, so
//!   that a listener whose first runtime is gone is served by the one it is polled in.
//!
//! **Orderings.** The two orders of H2 cross (a store, then a look at the pipe; a change of the pipe,
//! then a look at the bits), so both have a sequentially consistent fence between.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence};
use std::task::{Context, Poll, Waker};

use slab::Slab;

use crate::engine::base::budget;
use crate::engine::context;
use crate::engine::queue::wake_batch::WakeBatch;
use crate::engine::reactor::ReactorHandle;
use crate::loom::sync::Mutex;

/// More than any system has.
const SIGNALS: usize = 128;

/// The process's signals.
pub(super) struct Hub {
    /// The handlers' end of the pipe.
    sender: UnixStream,
    /// The end that reactors have duplicates of.
    receiver: UnixStream,
    /// One bit a signal: it came, and has not been rung (H2).
    pending: [AtomicU64; SIGNALS / 64],
    /// Signals whose handler is installed.
    installed: Mutex<[bool; SIGNALS]>,
    bells: [Bell; SIGNALS],
}

impl Hub {
    /// The process's hub; made when first asked for.
    fn get() -> io::Result<&'static Self> {
        static HUB: OnceLock<Box<Hub>> = OnceLock::new();
        if let Some(hub) = HUB.get() {
            return Ok(hub);
        }
        // Two threads may both make one; one is kept.
        let (receiver, sender) = UnixStream::pair()?;
        receiver.set_nonblocking(true)?;
        sender.set_nonblocking(true)?;
        let hub = Box::new(Self {
            sender,
            receiver,
            pending: [const { AtomicU64::new(0) }; SIGNALS / 64],
            installed: Mutex::new([false; SIGNALS]),
            bells: std::array::from_fn(|_| Bell::new()),
        });
        Ok(HUB.get_or_init(|| hub))
    }

    /// Installs the handler of `signal`, once and for all.
    fn install(&'static self, signal: libc::c_int) -> io::Result<()> {
        let mut installed = self.installed.lock();
        if !installed[signal as usize] {
            // SAFETY: H1.
            unsafe { signal_hook_registry::register(signal, move || self.record(signal)) }?;
            installed[signal as usize] = true;
        }
        Ok(())
    }

    /// The handler (H1, H2).
    fn record(&self, signal: libc::c_int) {
        let (word, bit) = (signal as usize / 64, signal as usize % 64);
        self.pending[word].fetch_or(1 << bit, Relaxed);
        // Ordering: pairs with the fence in `broadcast`.
        fence(SeqCst);
        // Full is as good as written. The registry keeps `errno` as it was.
        let _ = (&self.sender).write(&[1]);
    }

    /// Rings the bells of the signals that came.
    fn broadcast(&self) {
        // Ordering: pairs with the fence in `record`.
        fence(SeqCst);
        for (word, pending) in self.pending.iter().enumerate() {
            let mut bits = pending.swap(0, Relaxed);
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.bells[word * 64 + bit].ring();
            }
        }
    }

    /// Gives `reactor` the pipe (H4).
    fn enrol(&'static self, reactor: &ReactorHandle) -> io::Result<()> {
        reactor.watch_signals(
            || {
                self.receiver
                    .try_clone()
                    .map(mio::net::UnixStream::from_std)
            },
            |receiver| {
                let mut bytes = [0; 128];
                loop {
                    match (&*receiver).read(&mut bytes) {
                        Ok(1..) => {}
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        // Empty. It does not end: the hub has both ends.
                        Ok(0) | Err(_) => break,
                    }
                }
                if let Ok(hub) = Self::get() {
                    hub.broadcast();
                }
            },
        )
    }
}

/// Who waits for one signal.
struct Bell(Mutex<BellState>);

struct BellState {
    /// H3.
    version: u64,
    /// A place for each listener that has ever waited.
    waiters: Slab<Option<Waker>>,
}

impl Bell {
    fn new() -> Self {
        Self(Mutex::new(BellState {
            version: 0,
            waiters: Slab::new(),
        }))
    }

    fn ring(&self) {
        let mut batches = vec![WakeBatch::new()];
        let mut state = self.0.lock();
        state.version += 1;
        for (_, waiter) in &mut state.waiters {
            let Some(waker) = waiter.take() else { continue };
            if !batches.last().is_some_and(WakeBatch::has_room) {
                batches.push(WakeBatch::new());
            }
            if let Some(batch) = batches.last_mut() {
                batch.push(waker);
            }
        }
        drop(state);
        // A batch wakes when it is dropped, and so does the next if this one panics.
        drop(batches);
    }
}

/// One that listens to one signal.
pub(super) struct Listener {
    hub: &'static Hub,
    signal: usize,
    /// The version it has been told (H3).
    seen: u64,
    /// Its place among the waiters.
    place: Option<usize>,
}

impl Listener {
    /// Listens to `signal` from now on, by `reactor`.
    pub(super) fn new(signal: libc::c_int, reactor: &ReactorHandle) -> io::Result<Self> {
        let is_known = usize::try_from(signal).is_ok_and(|signal| 0 < signal && signal < SIGNALS);
        if !is_known || signal_hook_registry::FORBIDDEN.contains(&signal) {
            return Err(io::Error::other(format!(
                "signal {signal} cannot be listened to"
            )));
        }
        let hub = Hub::get()?;
        hub.enrol(reactor)?;
        hub.install(signal)?;
        let signal = signal as usize;
        let seen = hub.bells[signal].0.lock().version;
        Ok(Self {
            hub,
            signal,
            seen,
            place: None,
        })
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let coop = std::task::ready!(budget::poll_proceed(cx));
        let bell = &self.hub.bells[self.signal];
        let mut ours: Option<Waker> = None;
        loop {
            let mut state = bell.0.lock();
            if state.version != self.seen {
                self.seen = state.version;
                // Nothing is stored: who rings takes the waker.
                drop(state);
                coop.made_progress();
                return Poll::Ready(());
            }
            let stored = self.place.and_then(|place| state.waiters[place].as_ref());
            if stored.is_some_and(|stored| stored.will_wake(cx.waker())) {
                return Poll::Pending;
            }
            // Cloned with the lock released.
            let Some(waker) = ours.take() else {
                drop(state);
                ours = Some(cx.waker().clone());
                continue;
            };
            let place = match self.place {
                Some(place) => place,
                None => state.waiters.insert(None),
            };
            self.place = Some(place);
            let before = state.waiters[place].replace(waker);
            drop(state);
            drop(before);
            break;
        }
        // H4. Should it fail, the runtime where the listener was made serves it, if it still runs.
        if let Some(reactor) = context::reactor() {
            let _ = self.hub.enrol(&reactor.0);
        }
        Poll::Pending
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            let mut state = self.hub.bells[self.signal].0.lock();
            let waker = state.waiters.try_remove(place);
            drop(state);
            drop(waker);
        }
    }
}
