//! The state word and its transitions. The rules they keep are in the [module docs](super).

use std::fmt;

use crate::loom::sync::atomic::AtomicU64;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The future is gone; its output, an error or nothing is in the cell.
const COMPLETE: u64 = 1 << 0;
/// The future is to be dropped instead of polled.
const CANCELLED: u64 = 1 << 1;
/// A `JoinHandle` exists.
const JOIN_INTEREST: u64 = 1 << 2;
/// The join waker is set; see rules T6 to T8.
const JOIN_WAKER: u64 = 1 << 3;

/// One wake. 24 bits of count.
const WAKE: u64 = 1 << 8;
const WAKES_MASK: u64 = (REF - 1) & !(WAKE - 1);
/// One reference of a waker or an `AbortHandle`. 32 bits of count.
const REF: u64 = 1 << 32;

/// From this many unconsumed wakes on, wakers stop counting (rule T4).
#[cfg(not(all(test, heist_loom)))]
const WAKE_LIMIT: u64 = 1 << 20;
#[cfg(all(test, heist_loom))]
const WAKE_LIMIT: u64 = 2;

const REF_LIMIT: u64 = 1 << 31;

/// State, flags, wake count and reference count of one task.
pub(super) struct State(AtomicU64);

/// What a poll starts from.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(super) struct StartPoll {
    /// The wakes this poll answers.
    pub(super) wakes: u64,
    pub(super) cancelled: bool,
}

/// What is to be done after a poll that returned `Pending`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum FinishPoll {
    /// The run right is gone, and with it every right to touch the cell.
    Idle,
    /// Woken in the meantime: the run right is kept.
    Woken,
    /// Cancelled in the meantime: the run right is kept, the future is to be dropped.
    Cancelled,
}

/// What is to be done after a wake or a cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Wake {
    /// The caller has the run right now.
    Schedule,
    /// Somebody else has it, or it is no longer needed.
    Done,
    /// The caller's reference was the last thing that kept the cell.
    Free,
}

/// What is to be done after the future ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Complete {
    /// The `JoinHandle` has the output and the cell now.
    Done,
    /// The completer has the join waker, and a reference to give back after it used it.
    WakeJoiner,
    /// Nobody will join: drop the output, then call [`State::complete_detached`].
    Detached,
}

/// Whether the cell is to be freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Last {
    Free,
    Keep,
}

/// What a dropped `JoinHandle` finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum DropJoin {
    /// Nothing left to do.
    Done,
    /// The join waker belongs to the handle again: drop it, and ask again.
    DropWaker,
    /// The output belongs to the handle: drop it, then call [`State::release_join`].
    DropOutput,
}

fn wakes(word: u64) -> u64 {
    (word & WAKES_MASK) / WAKE
}

fn refs(word: u64) -> u64 {
    word / REF
}

/// Rule T10 on the word before an operation that takes away `REF` or `JOIN_INTEREST`.
fn last(remaining: u64) -> Last {
    if remaining & (COMPLETE | JOIN_INTEREST) == COMPLETE && refs(remaining) == 0 {
        Last::Free
    } else {
        Last::Keep
    }
}

impl State {
    /// A task that was just made: one wake, so its maker has the run right; one `JoinHandle`.
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(JOIN_INTEREST | WAKE))
    }

    /// The holder of the run right is about to poll.
    #[inline]
    pub(super) fn start_poll(&self) -> StartPoll {
        // Ordering: acquire pairs with the release of every wake counted in the value read, so
        // that the poll sees what those wakers wrote (T2).
        let word = self.0.load(Acquire);
        debug_assert!(
            word & COMPLETE == 0 && wakes(word) > 0,
            "polled without the run right"
        );
        StartPoll {
            wakes: wakes(word),
            cancelled: word & CANCELLED != 0,
        }
    }

    /// The poll that began with `observed` wakes returned `Pending`.
    #[inline]
    pub(super) fn finish_poll(&self, observed: u64) -> FinishPoll {
        if observed >= WAKE_LIMIT {
            return self.keep_one_wake(observed);
        }
        // Ordering: release hands the future, as this poll left it, to whoever gets the run right
        // next; it pairs with the acquire in `wake_by_ref`. Acquire: when a wake is left we go on
        // to use what its waker wrote.
        let before = self.0.fetch_sub(observed * WAKE, AcqRel);
        if wakes(before) == observed {
            FinishPoll::Idle
        } else if before & CANCELLED != 0 {
            FinishPoll::Cancelled
        } else {
            FinishPoll::Woken
        }
    }

    /// The poll that began with `observed` wakes gave up its turn: it stays runnable. Costs nothing
    /// but in rule T4's rare case, as the wakes it began with may as well stay counted.
    #[inline]
    pub(super) fn finish_poll_yielded(&self, observed: u64) -> FinishPoll {
        if observed >= WAKE_LIMIT {
            self.keep_one_wake(observed)
        } else {
            FinishPoll::Woken
        }
    }

    /// Rule T4, the poller's half: bring the count down, but never to zero, as wakers may have
    /// relied on it without adding to it.
    #[cold]
    fn keep_one_wake(&self, observed: u64) -> FinishPoll {
        // Ordering: acquire as in `finish_poll`. No release: the run right stays with us, and moves
        // on through a queue.
        let before = self.0.fetch_sub((observed - 1) * WAKE, Acquire);
        if before & CANCELLED != 0 {
            FinishPoll::Cancelled
        } else {
            FinishPoll::Woken
        }
    }

    /// Rule T4, the waker's half: true if the wake needs no count.
    #[inline]
    fn wake_is_covered(&self) -> bool {
        let word = self.0.load(Relaxed);
        if word & COMPLETE != 0 {
            return true;
        }
        if wakes(word) < WAKE_LIMIT {
            return false;
        }
        // Ordering: a read-modify-write that changes nothing puts this wake in the word's order:
        // the poll that brings the count down comes after it and keeps one wake for it. Release
        // pairs with that poll's next `start_poll`.
        let word = self.0.fetch_add(0, Release);
        word & COMPLETE != 0 || wakes(word) >= WAKE_LIMIT
    }

    /// Wakes the task; keeps the caller's reference.
    #[inline]
    pub(super) fn wake_by_ref(&self) -> Wake {
        if self.wake_is_covered() {
            return Wake::Done;
        }
        // Ordering: release gives the poll what was written before the wake (T2). Acquire pairs
        // with `finish_poll`: with the run right come the queue link and the future.
        let before = self.0.fetch_add(WAKE, AcqRel);
        if wakes(before) == 0 {
            Wake::Schedule
        } else {
            Wake::Done
        }
    }

    /// Wakes the task and gives the caller's reference back, in one step.
    #[inline]
    pub(super) fn wake_by_val(&self) -> Wake {
        if self.wake_is_covered() {
            return match self.ref_dec() {
                Last::Free => Wake::Free,
                Last::Keep => Wake::Done,
            };
        }
        // Ordering: as in `wake_by_ref`; acquire also for the case that the task completed
        // meanwhile and the cell is ours to free.
        let before = self.0.fetch_add(WAKE.wrapping_sub(REF), AcqRel);
        debug_assert!(refs(before) > 0);
        if wakes(before) == 0 {
            Wake::Schedule
        } else if last(before - REF) == Last::Free {
            Wake::Free
        } else {
            Wake::Done
        }
    }

    /// Marks the task as cancelled and wakes it. `Schedule` gives the caller the run right.
    pub(super) fn cancel(&self) -> Wake {
        let mut word = self.0.load(Relaxed);
        loop {
            if word & (COMPLETE | CANCELLED) != 0 {
                return Wake::Done;
            }
            // At the limit a poll keeps one wake whatever comes (T4), and so sees the flag.
            let wake = if wakes(word) >= WAKE_LIMIT { 0 } else { WAKE };
            // Ordering: as in `wake_by_ref`.
            match self
                .0
                .compare_exchange_weak(word, (word | CANCELLED) + wake, AcqRel, Relaxed)
            {
                Ok(_) if wakes(word) == 0 => return Wake::Schedule,
                Ok(_) => return Wake::Done,
                Err(now) => word = now,
            }
        }
    }

    /// The future ended, and the output is in the cell. The caller has the run right, and must not
    /// touch the cell after `Done`.
    #[inline]
    pub(super) fn complete(&self) -> Complete {
        let mut word = self.0.load(Relaxed);
        loop {
            if word & JOIN_INTEREST == 0 {
                return Complete::Detached;
            }
            let waiting = word & JOIN_WAKER != 0;
            // T7: with the waker comes a reference, as the handle may be gone before we used it.
            let next = (word | COMPLETE) + if waiting { REF } else { 0 };
            // Ordering: release gives the output to the handle's acquire (`is_complete`,
            // `set_join_waker`, `drop_join`). Acquire pairs with the release that set the join waker.
            match self.0.compare_exchange_weak(word, next, AcqRel, Relaxed) {
                Ok(_) if waiting => return Complete::WakeJoiner,
                Ok(_) => return Complete::Done,
                Err(now) => word = now,
            }
        }
    }

    /// As [`complete`](Self::complete) once no handle exists and the output was dropped.
    #[inline]
    pub(super) fn complete_detached(&self) -> Last {
        // Ordering: release pairs with the acquire of a later last reference that frees the cell;
        // acquire for the case that it is us who free it, after references others gave back.
        let before = self.0.fetch_or(COMPLETE, AcqRel);
        last(before | COMPLETE)
    }

    /// True if nobody has the run right: a hint, for lists of tasks.
    pub(super) fn is_idle(&self) -> bool {
        // Relaxed: nothing is done with it but tell.
        wakes(self.0.load(Relaxed)) == 0
    }

    pub(super) fn is_complete(&self) -> bool {
        // Ordering: acquire pairs with the release in `complete`.
        self.0.load(Acquire) & COMPLETE != 0
    }

    /// True if the join waker is set, which only the handle changes while the task runs (T6).
    pub(super) fn has_join_waker(&self) -> bool {
        self.0.load(Relaxed) & JOIN_WAKER != 0
    }

    /// The handle has written the join waker. False if the task completed before: the waker field
    /// is still the handle's then.
    #[must_use]
    pub(super) fn set_join_waker(&self) -> bool {
        // Ordering: release gives the waker to the completer; acquire is for the output.
        self.0.fetch_or(JOIN_WAKER, AcqRel) & COMPLETE == 0
    }

    /// The handle wants the join waker back. False if the task completed before: the waker is the
    /// completer's then.
    #[must_use]
    pub(super) fn unset_join_waker(&self) -> bool {
        // Ordering: acquire is for the output. No release: the completer does not touch the field
        // until it is set again.
        self.0.fetch_and(!JOIN_WAKER, Acquire) & COMPLETE == 0
    }

    /// One step of dropping the `JoinHandle`.
    pub(super) fn drop_join(&self) -> DropJoin {
        // Ordering: acquire pairs with the release in `complete`: the output is ours to drop.
        let mut word = self.0.load(Acquire);
        loop {
            if word & COMPLETE != 0 {
                return DropJoin::DropOutput;
            }
            if word & JOIN_WAKER != 0 {
                if self.unset_join_waker() {
                    return DropJoin::DropWaker;
                }
                return DropJoin::DropOutput;
            }
            // Ordering: release, so that a completer that finds no handle comes after all we did.
            match self
                .0
                .compare_exchange_weak(word, word & !JOIN_INTEREST, Release, Acquire)
            {
                Ok(_) => return DropJoin::Done,
                Err(now) => word = now,
            }
        }
    }

    /// The handle is done with a completed task.
    pub(super) fn release_join(&self) -> Last {
        // Ordering: release orders our use of the cell before its freeing by somebody else;
        // acquire orders theirs before ours.
        let before = self.0.fetch_and(!JOIN_INTEREST, AcqRel);
        last(before & !JOIN_INTEREST)
    }

    #[inline]
    pub(super) fn ref_inc(&self) {
        // Relaxed: whoever copies a reference has one, so the cell is there.
        let before = self.0.fetch_add(REF, Relaxed);
        if refs(before) >= REF_LIMIT {
            // Only leaked wakers get here, and going on would free a cell in use.
            std::process::abort();
        }
    }

    #[inline]
    pub(super) fn ref_dec(&self) -> Last {
        // Ordering: as in `release_join`.
        let before = self.0.fetch_sub(REF, AcqRel);
        debug_assert!(refs(before) > 0, "a reference given back twice");
        last(before - REF)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.0.load(Relaxed);
        f.debug_struct("State")
            .field("complete", &(word & COMPLETE != 0))
            .field("cancelled", &(word & CANCELLED != 0))
            .field("join_interest", &(word & JOIN_INTEREST != 0))
            .field("join_waker", &(word & JOIN_WAKER != 0))
            .field("wakes", &wakes(word))
            .field("refs", &refs(word))
            .finish()
    }
}
