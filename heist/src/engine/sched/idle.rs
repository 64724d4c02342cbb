//! Who sleeps and who searches. The protocol is in the [module docs](super).

use crate::engine::base::cache_padded::CachePadded;
use crate::loom::sync::atomic::Ordering::{AcqRel, Relaxed, SeqCst};
use crate::loom::sync::atomic::{AtomicU64, AtomicUsize, fence};

/// The idle state of a crew of workers.
#[derive(Debug)]
pub(crate) struct Idle {
    /// How many workers look for work, those included that were claimed and are being woken.
    searching: CachePadded<AtomicUsize>,
    /// One bit a worker, set while it sleeps and nobody has claimed it (I2).
    sleepers: Box<[CachePadded<AtomicU64>]>,
    workers: usize,
}

/// How a worker that got up by itself finds itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Rise {
    /// Awake, and not searching.
    Alone,
    /// Somebody had claimed it: awake and searching, and an unpark is on its way.
    Claimed,
}

impl Idle {
    /// All workers asleep.
    pub(crate) fn new(workers: usize) -> Self {
        let set = |first: usize| u64::MAX >> (64 - (workers - first).min(64));
        Self {
            searching: CachePadded::new(AtomicUsize::new(0)),
            sleepers: (0..workers)
                .step_by(64)
                .map(|first| CachePadded::new(AtomicU64::new(set(first))))
                .collect(),
            workers,
        }
    }

    /// After work was published: the worker to wake for it, if one is needed. It counts as searching
    /// from now on, and the caller has to unpark it.
    #[inline]
    pub(crate) fn worker_to_notify(&self) -> Option<usize> {
        // Ordering: I1. Pairs with the fence in `start_sleep`: either we see the sleeper, or it sees
        // the work.
        fence(SeqCst);
        self.worker_to_help()
    }

    /// As [`worker_to_notify`](Self::worker_to_notify), for work that its owner will come to anyway:
    /// without the fence it may miss a worker that is just going to sleep.
    #[inline]
    pub(crate) fn worker_to_help(&self) -> Option<usize> {
        if self.searching.load(Relaxed) > 0 || !self.some_asleep() {
            return None;
        }
        self.claim()
    }

    #[cold]
    fn claim(&self) -> Option<usize> {
        loop {
            // I3: one at a time. Ordering: the count before the bits, as those who see it rely on us.
            if self
                .searching
                .compare_exchange(0, 1, AcqRel, Relaxed)
                .is_err()
            {
                return None;
            }
            let claimed = self.take_bit();
            if claimed.is_some() {
                return claimed;
            }
            // All have risen meanwhile. For a moment we passed for a searcher, and somebody may have
            // relied on it (I4): so look again after the count is down.
            self.searching.fetch_sub(1, AcqRel);
            // Ordering: I4. Pairs with the fence in `start_sleep`: either it sees the count at 0, or
            // we see its bit.
            fence(SeqCst);
            if !self.some_asleep() {
                return None;
            }
        }
    }

    /// Takes the lowest sleeper's bit, so that the higher ones stay asleep.
    fn take_bit(&self) -> Option<usize> {
        for (i, set) in self.sleepers.iter().enumerate() {
            let mut bits = set.load(Relaxed);
            while bits != 0 {
                let bit = bits & bits.wrapping_neg();
                // Ordering: what the sleeper did before it set the bit comes before its waking.
                let before = set.fetch_and(!bit, AcqRel);
                if before & bit != 0 {
                    return Some(i * 64 + bit.trailing_zeros() as usize);
                }
                bits = before & !bit;
            }
        }
        None
    }

    /// Any sleeper, whoever else is searching: for a rescue, and for shutdown. It counts as
    /// searching, and the caller has to unpark it.
    pub(crate) fn any_sleeper(&self) -> Option<usize> {
        // Relaxed: more searchers than needed harm nobody.
        self.searching.fetch_add(1, Relaxed);
        let claimed = self.take_bit();
        claimed.or_else(|| self.unclaim())
    }

    /// As [`worker_to_notify`](Self::worker_to_notify), for work that only `worker` can do (I8): whom to unpark,
    /// mostly the worker, if it sleeps.
    pub(crate) fn claim_worker(&self, worker: usize) -> Option<usize> {
        // Ordering: I8. Pairs with the fence in `start_sleep`: either we see its bit, or it sees the work.
        fence(SeqCst);
        if !self.is_asleep(worker) {
            return None;
        }
        // Ordering: the count before the bit, as those who see it rely on the worker.
        self.searching.fetch_add(1, AcqRel);
        let bit = Self::bit(worker);
        // Ordering: as in `take_bit`.
        if self.sleepers[worker / 64].fetch_and(!bit, AcqRel) & bit != 0 {
            return Some(worker);
        }
        // It has risen, or somebody else has claimed it.
        self.unclaim()
    }

    /// The caller passed for a searcher and has nobody to search: takes the count back, and looks for
    /// those who relied on it (I4).
    fn unclaim(&self) -> Option<usize> {
        // Ordering and fence: I4, as in `claim`; a sleeper that relied on us has set its bit by now, or
        // sees 0.
        self.searching.fetch_sub(1, AcqRel);
        fence(SeqCst);
        if self.some_asleep() {
            self.worker_to_help()
        } else {
            None
        }
    }

    /// Begins to search, however many do.
    pub(crate) fn start_searching(&self) {
        // Ordering: as in `try_start_searching`.
        self.searching.fetch_add(1, AcqRel);
    }

    /// Asks to search. At most half of the workers search at a time: the rest would only contend.
    pub(crate) fn try_start_searching(&self) -> bool {
        if 2 * self.searching.load(Relaxed) >= self.workers {
            return false;
        }
        // A few too many do no harm. Ordering: the count before the search.
        self.searching.fetch_add(1, AcqRel);
        true
    }

    /// The worker found work. True if it was the last searcher: there may be more work, and nobody
    /// looks for it any more (I3).
    #[must_use]
    pub(crate) fn stop_searching(&self) -> bool {
        // Ordering: the search comes before whatever is concluded from the count.
        let last = self.searching.fetch_sub(1, AcqRel) == 1;
        if last {
            // Ordering: I3. Pairs with the fence in `worker_to_notify`: a pusher that relied on us
            // has its work seen in the look that follows.
            fence(SeqCst);
        }
        last
    }

    /// The worker goes to sleep. True if it has to look once more at everything, as nobody searches:
    /// nobody may have been told of what was published a moment ago (I1).
    #[must_use]
    pub(crate) fn start_sleep(&self, worker: usize, was_searching: bool) -> bool {
        // Ordering: pairs with `take_bit`.
        self.sleepers[worker / 64].fetch_or(Self::bit(worker), AcqRel);
        if was_searching {
            // Ordering: the bit before the count: who finds no searcher finds a sleeper.
            self.searching.fetch_sub(1, AcqRel);
        }
        // Ordering: I1, I4. Pairs with the fences in `worker_to_notify` and `claim`.
        fence(SeqCst);
        self.searching.load(Relaxed) == 0
    }

    /// The worker gets up by itself: it found work in its last look, or its time ran out, or the
    /// reactor had something.
    pub(crate) fn rise(&self, worker: usize) -> Rise {
        let bit = Self::bit(worker);
        // Ordering: as in `take_bit`.
        if self.sleepers[worker / 64].fetch_and(!bit, AcqRel) & bit == 0 {
            Rise::Claimed
        } else {
            Rise::Alone
        }
    }

    pub(crate) fn is_asleep(&self, worker: usize) -> bool {
        self.sleepers[worker / 64].load(Relaxed) & Self::bit(worker) != 0
    }

    #[inline]
    pub(crate) fn some_asleep(&self) -> bool {
        self.sleepers.iter().any(|set| set.load(Relaxed) != 0)
    }

    pub(crate) fn num_asleep(&self) -> usize {
        self.sleepers
            .iter()
            .map(|set| set.load(Relaxed).count_ones() as usize)
            .sum()
    }

    /// The worker that is awake when all others sleep.
    pub(crate) fn only_awake(&self) -> Option<usize> {
        if self.num_asleep() + 1 != self.workers {
            return None;
        }
        (0..self.workers).find(|&worker| !self.is_asleep(worker))
    }

    fn bit(worker: usize) -> u64 {
        1 << (worker % 64)
    }
}
