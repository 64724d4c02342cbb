//! The watch: a thread that sleeps, and now and then looks whether a worker is stuck in a long poll.
//!
//! # What
//!
//! A poll that runs for long keeps three things waiting that only its worker would come to: the task in
//! its slot, the timers on its wheel, and, if its siblings sleep on their parkers, the reactor. The
//! watch gives the task to the injector, fires the timers, and wakes a sleeper, who has nothing to do
//! and so goes to sleep in the reactor. It starts no threads and judges nobody: if no worker is free,
//! all it does is make the work visible.
//!
//! # Rules
//!
//! * **W1** The ordinary path pays nothing: no clock is read and no flag written for the watch. It looks
//!   at the count of polls that each worker keeps anyway: unchanged from one look to the next, and the
//!   worker not asleep, means stuck.
//! * **W2** A look comes after [`SHORTEST`] when something was stuck a short while ago, and each look
//!   that finds nothing makes the wait four times as long, up to [`LONGEST`]: a program that never
//!   blocks is looked at once a second, one that does is looked after within milliseconds.
//! * **W3** When nothing was polled for two looks in a row, the watch dozes until a worker that gets up
//!   sees it and wakes it: an idle runtime has no wake-ups. It goes on with the wait it had.
//! * **W4** It takes from the slot as any thief does (S2), and locks a wheel as any thread may.
//!
//! # Rejected
//!
//! *Waking a sibling whenever the slot is filled, or the reactor left* (what others tried, and
//! reverted): a thread wake for each message and each event. *A timer armed when a worker gets up and
//! disarmed when it sleeps*: a timer's system call costs 2.5 µs here, as much as the rest of the
//! wake. *Siblings that sleep with a time-out*: the same, at every sleep. *More workers while some are
//! stuck*: how many is right cannot be known; see the article on cooperative yielding.
//!
//! # Tested by
//!
//! `tests/stall.rs`.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::engine::base::parker::Parker;
use crate::engine::base::unwind;
use crate::engine::sched::crew::Crew;
use crate::engine::sched::strategy::Strategy;
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use crate::loom::sync::atomic::fence;
use crate::loom::thread;

const SHORTEST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_secs(1);
/// Looks at the shortest interval after something was stuck, before it grows.
const ALERT_LOOKS: u32 = 100;

/// The watch, as the crew has it.
#[derive(Debug)]
pub(super) struct Watch {
    bed: Arc<Bed>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

/// Where the watch sleeps.
#[derive(Debug)]
struct Bed {
    parker: Parker,
    /// Set while it sleeps without an end (W3).
    dozing: AtomicBool,
    closing: AtomicBool,
}

/// What the watch remembers of a worker.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    polls: u64,
    stuck: bool,
}

impl Watch {
    pub(super) fn new() -> Self {
        let bed = Bed {
            parker: Parker::new(),
            dozing: AtomicBool::new(false),
            closing: AtomicBool::new(false),
        };
        Self {
            bed: Arc::new(bed),
            thread: Mutex::new(None),
        }
    }

    /// Starts the thread. A crew of one has nobody who could help, and needs no watch.
    pub(super) fn start<S: Strategy>(&self, crew: &Arc<Crew<S>>) -> io::Result<()> {
        if crew.num_workers() < 2 {
            return Ok(());
        }
        let (bed, crew) = (Arc::clone(&self.bed), Arc::downgrade(crew));
        let thread = thread::Builder::new()
            .name("heist-watch".to_owned())
            .spawn(move || keep(&bed, &crew))?;
        *self.thread.lock() = Some(thread);
        Ok(())
    }

    /// A worker got up: the watch is to be awake as well.
    #[inline]
    pub(super) fn worker_up(&self) {
        // Ordering: W3. Pairs with the fence in `doze`: either we see it dozing, or it sees a worker up
        // (whose bit was taken before).
        fence(SeqCst);
        if self.bed.dozing.load(Relaxed) {
            self.rouse();
        }
    }

    #[cold]
    fn rouse(&self) {
        if self.bed.dozing.swap(false, Relaxed) {
            self.bed.parker.unpark();
        }
    }

    /// Ends the thread, and waits for it unless it is the caller.
    pub(super) fn stop(&self, wait: bool) {
        // Ordering: release pairs with the acquire in `keep`.
        self.bed.closing.store(true, Release);
        self.bed.parker.unpark();
        if !wait {
            return;
        }
        let thread = self.thread.lock().take();
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id())
        {
            // A panic of a waker that was called there was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// The thread.
fn keep<S: Strategy>(bed: &Bed, crew: &Weak<Crew<S>>) {
    let mut seen = Vec::new();
    let mut interval = 2 * SHORTEST;
    let mut alert = 0;
    let mut idle_looks = 0;
    // Ordering: acquire pairs with the release in `stop`.
    while !bed.closing.load(Acquire) {
        bed.parker.park_timeout(interval);
        let Some(crew) = crew.upgrade() else { return };
        let look = crew.look(&mut seen);
        match look {
            Look::Stuck => (interval, alert) = (SHORTEST, ALERT_LOOKS),
            Look::Moving | Look::Asleep if alert > 0 => alert -= 1,
            Look::Moving | Look::Asleep => interval = (4 * interval).min(LONGEST),
        }
        idle_looks = if matches!(look, Look::Asleep) {
            idle_looks + 1
        } else {
            0
        };
        if idle_looks >= 2 && bed.doze(&crew) {
            drop(crew);
            bed.parker.park();
            idle_looks = 0;
        }
    }
}

impl Bed {
    /// Announces that it will sleep without an end; false if a worker is up (W3).
    fn doze<S: Strategy>(&self, crew: &Crew<S>) -> bool {
        self.dozing.store(true, Relaxed);
        // Ordering: pairs with the fence in `worker_up`.
        fence(SeqCst);
        if crew.idle.num_asleep() == crew.num_workers() {
            return true;
        }
        self.dozing.store(false, Relaxed);
        false
    }
}

/// What a look found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// All asleep, and nothing polled since the last look.
    Asleep,
    Moving,
    /// A worker is in the same poll as at the last look.
    Stuck,
}

impl<S: Strategy> Crew<S> {
    fn look(&self, seen: &mut Vec<Seen>) -> Look {
        seen.resize(self.num_workers(), Seen::default());
        let mut found = Look::Asleep;
        for (index, (post, seen)) in self.posts.iter().zip(seen).enumerate() {
            let polls = post.counters.polls.get();
            let asleep = self.idle.is_asleep(index);
            let moved = polls != seen.polls;
            *seen = Seen {
                polls,
                stuck: !asleep && !moved,
            };
            if seen.stuck {
                found = Look::Stuck;
                self.relieve(index);
            } else if (moved || !asleep) && found == Look::Asleep {
                found = Look::Moving;
            }
        }
        found
    }

    /// Makes what waits for a stuck worker visible to the others.
    fn relieve(&self, index: usize) {
        let post = &self.posts[index];
        S::relieve(self, index);
        if let Some(timers) = &post.timers {
            let now = self.services().clock().now();
            let _ = unwind::guarded(|| timers.fire(now));
        }
        // Somebody has to turn the reactor: a sleeper that is woken and finds nothing will.
        if !self.driver.is_attended()
            && let Some(sleeper) = self.idle.any_sleeper()
        {
            self.unpark(sleeper);
        }
    }
}
