//! Children that were dropped before they were reaped.
//!
//! **What.** An [`Orphan`] waits for itself: it is the waker of its own wait, so the reactor that
//! notices the end of the child also reaps it. No task, no thread, no handler of `SIGCHLD` where there
//! are pidfds, and one child's end costs nothing for the others.
//!
//! **States.** *Attended*: its waker is in a reactor (or in the bell of `SIGCHLD`), and is what
//! keeps it alive. *Stray*: no runtime watches it; it is in the list. *Reaped*.
//!
//! **Rules.**
//! * O1. An orphan whose runtime shuts down is woken by that, and asks once more: what has ended is
//!   reaped, what has not is a stray.
//! * O2. Whoever spawns or drops a child first gives each stray another try, in the runtime it is
//!   in. So strays are attended again as soon as a runtime has to do with processes.
//! * O3. One thread at a time waits: the one whose wake is the first. Who wakes meanwhile, which may be the wait itself,
//!   is counted, and then it is waited once more: no wake is lost, and nobody locks twice. It is without budget, as a wait
//!   that is out of budget wakes at once, again and again.
//! * O4. What is taken out is dropped after the lock is released: it gives back registrations and
//!   wakers, the orphan's own among them.
//!
//! **Rejected.** *A list that every `SIGCHLD` goes through* (Tokio's way): each end asks for all
//! orphans, and the process gets a handler it did not need. *A task for each*: seen in the
//! metrics, and gone with the runtime. *A thread that waits*: it cannot wait for several.
//!
//! **Tested by** the tests below and `tests/process.rs`.

use std::mem;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};

use super::running::Running;
use crate::engine::base::budget::{Budget, BudgetScope};
use crate::engine::base::unwind;
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::AcqRel;
use crate::loom::thread;

/// Children of ours that no runtime watches.
fn strays() -> &'static Mutex<Vec<Running>> {
    static STRAYS: OnceLock<Mutex<Vec<Running>>> = OnceLock::new();
    STRAYS.get_or_init(|| Mutex::new(Vec::new()))
}

/// Sees to it that `child`, which nobody else will wait for, is reaped.
pub(super) fn leave(child: Running) {
    retry_strays();
    attend(child);
}

/// O2.
pub(super) fn retry_strays() {
    let taken = mem::take(&mut *strays().lock());
    taken.into_iter().for_each(attend);
}

fn attend(child: Running) {
    let orphan = Orphan {
        wakes: AtomicUsize::new(0),
        child: Mutex::new(Some(child)),
    };
    Arc::new(orphan).wake();
}

struct Orphan {
    /// Wakes that were not answered yet (O3).
    wakes: AtomicUsize,
    /// `None` once it is reaped, or a stray.
    child: Mutex<Option<Running>>,
}

impl Wake for Orphan {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Ordering: O3. Release, for who answers this wake; acquire, of what was before those that are answered.
        if self.wakes.fetch_add(1, AcqRel) > 0 {
            return;
        }
        let mut seen = 1;
        loop {
            let _ = unwind::guarded(|| self.wait());
            let left = self.wakes.fetch_sub(seen, AcqRel) - seen;
            if left == 0 {
                return;
            }
            seen = left;
            // Who woke may be about to do something of which the next wait has to know.
            thread::yield_now();
        }
    }
}

impl Orphan {
    fn wait(self: &Arc<Self>) {
        let waker = Waker::from(Arc::clone(self));
        // O3.
        let _unlimited = BudgetScope::enter(Budget::unconstrained());
        let mut slot = self.child.lock();
        let Some(child) = &mut *slot else { return };
        let Poll::Ready(result) = child.poll_wait(&mut Context::from_waker(&waker)) else {
            return;
        };
        let mut child = slot.take();
        drop(slot);
        if result.is_ok() {
            return;
        }
        // O1. It may have been reaped by somebody else: then there is nothing to wait for.
        if let Some(mut stray) = child.take_if(|child| matches!(child.try_wait(), Ok(None))) {
            stray.unwatch();
            strays().lock().push(stray);
        }
    }
}
