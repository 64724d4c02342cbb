//! Threads: the one place of the engine that makes them.
//!
//! **What.** A [`ThreadPool`] runs two kinds of work. A *job* (`spawn_blocking`) may block for as
//! long as it likes; jobs wait in one FIFO queue and the pool grows up to a cap. A *duty* (a
//! scheduler's worker loop, or its replacement during `block_in_place`) never waits and does not
//! count against the cap: it gets a thread at once or is given back. A thread whose duty has ended
//! is an ordinary pool thread.
//!
//! All bookkeeping is one [`Roster`](roster::Roster) behind one lock. Nothing but the roster's own
//! arithmetic happens under it: threads are created, bells rung, jobs run and cancelled, hooks and
//! names called outside. Each roster method ends with the [`Step`](roster::Step) its caller has to
//! take after it has let go of the lock.
//!
//! **States** of a member (one thread), [`Phase`](roster::Phase):
//!
//! ```text
//!            confirmed                takes a job / queue is empty
//! Starting ────────────▶ Claimed ─────────────▶ Busy ───────────▶ Idle ──▶ Leaving ──▶ (gone)
//!    │                      ▲                   ▲ │ ▲               │  keep-alive is over,
//!    │                      └───────────────────┼─┼─┼───────────────┤  or shutdown
//!    │ for a duty            a submit wakes it  │ └─┘ next job      │
//!    └────────────▶ OnDuty ─────────────────────┘                   │
//!                     ▲                 duty ends                   │
//!                     └─────────────────────────────────────────────┘  a duty takes it
//! ```
//!
//! *Pool threads* are those in Claimed, Busy or Idle. Starting ones are *being created* until the
//! creator or the new thread itself, whichever comes first, confirms them.
//!
//! **Rules.**
//! * B1. While a job is queued, a pool thread is claimed, or one is being
//!   created, or none is idle and the pool is at its cap, or none is idle and the system has just
//!   refused a thread and a busy thread will come back to the queue. In particular a job never
//!   waits behind one that blocks while the pool may grow.
//! * B2 (the chain). At most one thread (but for B13) is on its way to the queue by a submit's doing; submits in
//!   between only push. Whoever takes a job and leaves others behind wakes or creates the next
//!   *before* it runs its own, so the chain never waits for a job. `Roster::muster` is the one
//!   place where this is decided; it is called after every push and every take.
//! * B3. A claimed thread is awake or will be rung: the claim is written under the lock, the bell
//!   rung after it. The bell only says "look": the truth is the member's phase, so a stale ring or
//!   a time-out that races with a claim changes nothing.
//! * B4. A pool thread becomes Idle or Leaving only while the queue is empty.
//! * B5. Idle threads are taken from the top of a stack, the warmest first, so that those not
//!   needed grow old at its bottom and leave.
//! * B6. `pool threads + being created ≤ cap`. A thread that comes back from a duty and does not
//!   fit leaves.
//! * B7. If the system refuses a thread for the queue and no pool thread lives and none is being
//!   created, whoever tried takes all queued jobs: its own goes back to its caller with the error,
//!   the others (accepted while the creation was under way) are cancelled. None is left to nobody.
//! * B8. After shutdown no job and no duty is accepted. Queued jobs are cancelled by the caller of
//!   `shutdown`, outside the lock. Mandatory ones stay queued and are run, and B1 holds for them; so
//!   do as many of the oldest as threads are on their way to the queue or could be made for them: they count as begun, as
//!   they would be but for the chain (B2).
//! * B9. A member leaves for good in one critical section, the last thing it does besides joining
//!   those that left before it. Joins only go from a later leaver to an earlier one, and a thread
//!   that has left joins nobody: no circle of joins.
//! * B10. A waiter that is itself a member does not wait for itself, nor for other members that
//!   wait.
//! * B11. User code (jobs, duties, hooks, the name) never unwinds into the bookkeeping.
//! * B12. A submit that relies on a creation which is then refused has it tried again, by whoever tried: the refusal is
//!   older than the submit, and all busy threads may wait for its job. So each submit has a try that ends after it came.
//! * B13. Where jobs last longer than it takes to wake a thread, the chain is as wide as it has come: a thread that finds on its
//!   arrival that others are busy and none has ended a job since it was claimed doubles the number of those that may be on
//!   their way, up to [`WIDEST`](roster); one that does not, and an empty queue, make it one again. Many jobs that
//!   block are thus begun within a few wakes one after the other instead of one for each job, and many short ones wake nobody in vain.
//!
//! **The spin.** A thread that becomes idle first looks at its bell for some microseconds: a claim
//! then costs neither side a system call. At most one thread spins at a time, none while more pool
//! threads are awake than there are cores (duties sleep in the driver and are not counted), and the
//! spin is given up for a while when it does not pay: see [`Spin`](crate::engine::base::spin).
//!
//! **Orderings.** Everything is under the lock, except the bell ([`Parker`](crate::engine::base::parker), P1 to P3) and the
//! words of the spin, which order nothing else.
//!
//! **Rejected.** *One wake a submit* (Tokio): a burst of n costs n system calls, or n threads
//! created by the submitter under its lock. *Creating under the lock*: 20 to 60 µs during which
//! nobody can submit, and the user's name function would run under it. *Handing the job over in the
//! claim*: it would wait for that thread to wake even if another comes back at once. *Waking the
//! next only when the backlog has outlived some microseconds*: needs somebody who
//! is not blocked to look again, and B1 has no such somebody. *A lock-free queue*: see the
//! measurements in the commit that added this module.
//!
//! **Tested by** `loom_tests` (claim, time-out, refused creation (B12's model ends in a deadlock without it), shutdown, nested submit, duties,
//! wait; the model drives time-outs and refusals through `roster::Faults`) and `tests`.

mod job;
mod pool;
mod roster;
#[allow(
    unsafe_code,
    reason = "a task is made with a scheduler that outlives it (T11)"
)]
mod task;

pub(crate) use job::{Job, Mandatory, SubmitError};
pub(crate) use pool::{Config, ThreadPool};
pub(crate) use task::blocking_task;

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;
