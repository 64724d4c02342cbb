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
//! * **W2** Where somebody is awake, the next look comes [`SOON`]: it may be the beginning of a stall.
//!   Each look that finds all asleep makes the wait four times as long, up to [`LATE`]. So a busy
//!   runtime is looked at a hundred times a second, which is nothing to what it does itself, and one
//!   that sleeps most of the time about once a second. After a stall the looks stay close for a while.
//! * **W3** When all are asleep and nothing was polled for a while ([`SETTLED`]), the watch dozes until a
//!   worker that gets up sees it and wakes it: an idle runtime has no wake-ups. It begins like that.
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
//! `tests/stall.rs`; W3 by the loom model below, which ends in a deadlock without either fence.

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

/// The wait for the next look while somebody is awake.
const SOON: Duration = Duration::from_millis(10);
/// After waits shorter than this, the watch does not doze: what comes several times a second would
/// wake it as often.
const SETTLED: Duration = Duration::from_millis(160);
/// The longest wait.
const LATE: Duration = Duration::from_secs(1);
/// Looks after a stall that come soon in any case.
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

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            bed: Arc::new(Bed::new()),
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
        self.bed.worker_up();
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
    let mut interval = SOON;
    let mut alert = 0_u32;
    bed.parker.park();
    // Ordering: acquire pairs with the release in `stop`.
    while !bed.closing.load(Acquire) {
        bed.parker.park_timeout(interval);
        let Some(crew) = crew.upgrade() else { return };
        let look = crew.look(&mut seen);
        let idle = look == Look::Idle && interval >= SETTLED;
        alert = match look {
            Look::Stuck => ALERT_LOOKS,
            _ => alert.saturating_sub(1),
        };
        let all_asleep = matches!(look, Look::Idle | Look::Resting);
        interval = match all_asleep && alert == 0 {
            true => (4 * interval).min(LATE),
            false => SOON,
        };
        if idle && bed.doze(|| crew.idle.num_asleep() == crew.num_workers()) {
            drop(crew);
            bed.parker.park();
            interval = SOON;
        }
    }
}

impl Bed {
    /// Nobody has got up yet.
    fn new() -> Self {
        Self {
            parker: Parker::new(),
            dozing: AtomicBool::new(true),
            closing: AtomicBool::new(false),
        }
    }

    /// Announces that it will sleep without an end; false if a worker is up (W3).
    fn doze(&self, all_asleep: impl FnOnce() -> bool) -> bool {
        self.dozing.store(true, Relaxed);
        // Ordering: pairs with the fence in `worker_up`.
        fence(SeqCst);
        if all_asleep() {
            return true;
        }
        self.dozing.store(false, Relaxed);
        false
    }

    #[inline]
    fn worker_up(&self) {
        // Ordering: W3. Pairs with the fence in `doze`: either we see it dozing, or it sees a worker up
        // (whose bit was taken before).
        fence(SeqCst);
        if self.dozing.load(Relaxed) {
            self.rouse();
        }
    }

    #[cold]
    fn rouse(&self) {
        if self.dozing.swap(false, Relaxed) {
            self.parker.unpark();
        }
    }
}

/// What a look found, in ascending order: of several workers, the last counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    /// All asleep, and nothing polled since the last look.
    Idle,
    /// All asleep now.
    Resting,
    /// Somebody is awake.
    Moving,
    /// A worker is in the same poll as at the last look.
    Stuck,
}

impl<S: Strategy> Crew<S> {
    /// Compares each worker's count of polls with what was seen of it last time.
    fn look(&self, seen: &mut Vec<u64>) -> Look {
        seen.resize(self.num_workers(), 0);
        let mut found = Look::Idle;
        for (index, (post, seen)) in self.posts.iter().zip(seen).enumerate() {
            let polls = post.counters.polls.get();
            let moved = std::mem::replace(seen, polls) != polls;
            found = found.max(match (self.idle.is_asleep(index), moved) {
                (true, false) => Look::Idle,
                (true, true) => Look::Resting,
                (false, true) => Look::Moving,
                (false, false) => {
                    self.relieve(index);
                    Look::Stuck
                }
            });
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

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::Bed;
    use crate::engine::sched::idle::Idle;
    use crate::loom::sync::Arc;
    use crate::loom::sync::atomic::Ordering::Relaxed;
    use crate::loom::thread;

    /// W3: a worker gets up and stays up while the watch wants to doze. Whichever comes first, the
    /// watch does not sleep on.
    #[test]
    fn who_gets_up_finds_the_watch_awake() {
        loom::model(|| {
            let bed = Bed::new();
            bed.dozing.store(false, Relaxed);
            let shared = Arc::new((bed, Idle::new(1)));
            let watch = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (bed, idle) = &*shared;
                    if bed.doze(|| idle.num_asleep() == 1) {
                        bed.parker.park();
                    }
                })
            };
            let (bed, idle) = &*shared;
            let _ = idle.rise(0);
            bed.worker_up();
            watch.join().unwrap();
        });
    }
}
