//! L3: timers and the clock they run on.
//!
//! **What.** Each worker has a [`TimerShard`]: a hierarchical [wheel] of 1 ms ticks behind a
//! lock of its own. A sleeping future carries its [`TimerEntry`] inside itself, so a timer costs no
//! allocation, and no lock is shared by the workers. [`TimerHandle`] is a runtime's shards together with
//! its [`Clock`].
//!
//! A timer lives in two stages. The first `Pending` poll only links its entry in the shard's unsorted
//! *fresh* list; the owner sorts what is still there into the wheel when it next has something to
//! fire, or goes to sleep. Most timeouts are dropped before that and never touch the wheel.
//!
//! **Called by.** The future that owns an entry: `arm`, `poll_armed`, `move_to`, `disarm`, drop, from any
//! thread. The scheduler: `fire` on every pass, `prepare_sleep` and `awake` around parking, `shutdown`
//! once, which says whether those that still wait are `SHUT_DOWN` or, with `enable_alt_timer`, `FIRED`. A sibling that
//! finds a worker stalled past its `next_deadline` may `fire` that shard, and so does the scheduler's watch, which plans
//! by `next_tick_if_awake`.
//!
//! **States** of an entry (its *phase*):
//!
//! | phase | linked | who leaves it |
//! |---|---|---|
//! | `IDLE` | no | the owner: `arm` |
//! | `MOVED` | no | the owner: `arm`. As `IDLE`, but `reset` gave it a new deadline |
//! | `WAITING` | fresh list or a slot | the owner: `disarm`, drop; whoever fires; `shutdown` |
//! | `FIRED` | no | the owner: `arm`, `disarm` |
//! | `SHUT_DOWN` | no | nobody |
//!
//! ```text
//!            arm                 fire (lock, wake after it)
//!   IDLE ----------> WAITING --------------------------------> FIRED
//!    ^                | |  \                                     |
//!    |    disarm      | |   `--- shutdown ---> SHUT_DOWN         |
//!    +----------------+ `- move_to: another deadline             |
//!    +-----------------------------------------------------------+
//! ```
//!
//! **Rules.**
//! * R1. `links` and `place` of an entry are touched only under its shard's lock.
//! * R2. An entry is `WAITING` exactly while it is linked, and both change only under the lock.
//! * R3. An entry stays at its address and alive while it is linked: it is only linked through a
//!   `Pin`, and its drop unlinks it under the lock. It keeps its shard alive by an `Arc`, so there is
//!   a lock to take even when the runtime is gone.
//! * R4. Firing is done with an entry when it stores the new phase: that store is the last access. So
//!   an owner that sees `FIRED` or `SHUT_DOWN` may free or reuse the entry without the lock.
//! * R5. Never early: `when` is the deadline rounded *up* to a tick, and what is fired is what is
//!   at or before the present rounded *down*.
//! * R6. The published `next` is at or before the `when` of every linked entry. It may be too early
//!   (its entry was dropped): that costs one needless look, never a late timer.
//! * R7. Sleep and insert. The owner publishes `asleep_until` under the lock, after it has counted
//!   in every linked entry. An insert links first and reads `asleep_until` after, in one critical
//!   section. So the lock orders the two: either the insert came first, and the owner's deadline covers
//!   it; or it came later, sees that the owner sleeps beyond it, and calls the wake hook. Whoever
//!   is the first to be earlier lowers the word, so a hundred inserts of one deadline wake once.
//! * R8. The waker's bytes are written only by the owner. Firing moves the waker out by reading them and
//!   leaves them as they are, so the owner may compare them with its own without the lock: that
//!   makes polling a waiting timer again one load and one comparison. `WAITING` means that they are a
//!   live waker.
//! * R9. Under the lock no waker is cloned, called or dropped, nor is the hook called.
//! * R10. A later deadline takes no lock. `when` of a waiting entry is changed by its owner, who *postpones* it, and by
//!   whoever fires it, who *takes* it under the lock once it is due: both by a compare-and-exchange. Who is second
//!   fails: the owner then comes to the lock, and finds the end (R2); the other files the entry anew. An earlier
//!   `when` is stored under the lock, with the entry in no list. The list it is in is that of some `when` before,
//!   and so never too late.
//!
//! **Orderings.** The phase is stored `Release` when firing and loaded `Acquire` by the owner (R4); the rest
//! is under the lock or is a hint. `when` is `Relaxed`: the changes of one word have an order, and it tells of nothing
//! else (R10). `next` is `Relaxed`: the owner reads what it (or an insert that went on
//! to wake it) wrote; a sibling that reads an old value takes the lock if it acts on it. `asleep_until` is
//! `Relaxed`: R7 orders it by the lock, except for `awake`, which stores 0 without it: an insert that
//! misses that store wakes a worker that is awake, which is harmless.
//!
//! **Rejected.**
//! * A global wheel, or shards picked at random: contention in both, measured by others in public.
//! * An `Arc` per timer: an allocation for what fits in the future.
//! * Lowering a waiting entry's `when` in place: the slot is too late then. It goes back to the fresh
//!   list. Raising it in place is right: when the slot comes up the entry is filed anew (R10).
//! * A shard kept alive by its count of linked entries instead of an `Arc` in each: an owner that is about to
//!   take the lock while its entry is fired would find the shard freed.
//!
//! **Costs**, measured on the 2-core machine this was written on, without contention: arm and drop 20 ns, of which
//! the two reference counts are 8; poll again 4 ns; `fire` with nothing due 6 ns, with
//! nothing linked a load; `prepare_sleep` 14 ns. An entry is 56 bytes.
//!
//! **Tested by.** `wheel::tests` (against a sorted list, over years and across the wheel's wrap),
//! `shard::tests`, and `loom_tests`: fire against drop, re-poll, change of waker, move and re-arm; insert against
//! `prepare_sleep`; two firing threads; shutdown against drop and arm. Broken on purpose:
//!
//! | change | models that fail |
//! |---|---|
//! | R4's store in `finish` `Relaxed` | `fire_against_drop`, `…_of_a_neighbour…`, `shutdown_against_drop` |
//! | its load in `phase` `Relaxed` | the same |
//! | the phase stored before the waker is read | those and `fire_against_move`, `…_disarm_and_arm_again` |
//! | R10's take, or its postponing, as a load and a store | `fire_against_move`, `postponed_twice_while_fired` |
//! | R7's `asleep_until` stored after the lock | `insert_against_prepare_sleep`, `an_earlier_move…` (deadlock) |

pub(crate) mod clock;
mod entry;
#[cfg(all(test, heist_loom))]
mod loom_tests;
mod shard;
pub(crate) mod stamp;
mod wheel;

pub(crate) use self::clock::Clock;
pub(crate) use self::entry::{Armed, TimerEntry};
pub(crate) use self::shard::{NEVER, TimerShard};

#[cfg(all(test, not(heist_loom)))]
use std::time::Instant;

use crate::engine::base::current;
use crate::loom::sync::Arc;

/// A runtime's timers: a shard for each worker, and the clock.
#[derive(Debug)]
pub(crate) struct TimerHandle {
    pub(crate) shards: Box<[Arc<TimerShard>]>,
    pub(crate) clock: Clock,
}

impl TimerHandle {
    /// `shards` (at least one) shards that count from the clock's present.
    pub(crate) fn new(shards: usize, clock: Clock) -> Self {
        assert!(shards > 0, "a runtime with timers has a shard");
        let origin = clock.now();
        Self {
            shards: (0..shards).map(|_| TimerShard::new(origin)).collect(),
            clock,
        }
    }

    /// The shard for a timer that is armed on this thread: the worker's own, and for a thread that is
    /// no worker always the same one.
    #[inline]
    pub(crate) fn pick(&self, worker: Option<usize>) -> &Arc<TimerShard> {
        match worker {
            Some(worker) => &self.shards[worker],
            None if self.shards.len() == 1 => &self.shards[0],
            None => {
                // The address of a thread-local tells threads apart. The multiplication spreads
                // its few changing bits, and the second one scales them to the number of shards.
                let thread = current::with(|c| std::ptr::from_ref(c).addr()) as u64;
                let hash = thread.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                &self.shards[((hash * self.shards.len() as u64) >> 32) as usize]
            }
        }
    }

    /// Fires what is due in every shard; how many that were.
    #[cfg(all(test, not(heist_loom)))]
    pub(crate) fn fire_all(&self, now: Instant) -> usize {
        self.shards.iter().map(|shard| shard.fire(now)).sum()
    }
}
