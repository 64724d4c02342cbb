//! The pool's bookkeeping: who is where, and who has to be called. Lives under the pool's lock.

use std::collections::VecDeque;
use std::mem;

use slab::Slab;

use super::job::{Mandatory, Queued};
use super::pool::Duty;
use crate::engine::base::parker::Parker;
use crate::loom::sync::Arc;
use crate::loom::thread::JoinHandle;

/// A queue that was long gives its memory back when it is empty.
const KEPT_QUEUE: usize = 1024;

/// The most threads that are on their way to the queue at a time (B13).
const WIDEST: usize = 8;

/// Where a member is. The diagram is in the [module docs](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Its thread is being created, to serve the queue.
    Starting,
    /// On its way to the queue.
    Claimed,
    /// Runs a job, or looks for one.
    Busy,
    /// Sleeps (or spins) on its bell; is on the idle stack.
    Idle,
    /// Has a duty, or its thread is being created for one.
    OnDuty,
    /// Will not look at the queue again; runs its last hooks.
    Leaving,
    /// Has left before its creator could store the handle, which then ends the membership.
    Gone,
}

/// One thread, from the decision to create it until it has left.
struct Member {
    phase: Phase,
    bell: Arc<Parker>,
    duty: Option<Duty>,
    handle: Option<JoinHandle<()>>,
    /// How many jobs had ended when it was claimed.
    ended_at_claim: u64,
}

/// What the caller of a roster method has to do once it has let go of the lock.
#[must_use]
pub(super) enum Step {
    /// Nothing.
    Done,
    /// Ring this bell.
    Ring(Arc<Parker>),
    /// Ring this bell, and ask [`Roster::muster`] for the next step.
    RingOn(Arc<Parker>),
    /// Create a thread for this member.
    Create(usize, Arc<Parker>),
}

/// What a member does next.
pub(super) enum Next<J> {
    /// Take the step, then run the job.
    Run(J, Step),
    /// Do the duty, then call [`Roster::duty_done`].
    Duty(Duty),
    /// Sleep until the bell rings or the keep-alive time is over.
    Nap {
        /// How many pool threads are awake.
        awake: usize,
    },
    /// Run the last hooks, then call [`Roster::leave`].
    Leave,
}

/// What a model or test makes go wrong.
#[cfg(test)]
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// So many creations of threads are refused.
    pub(super) creations: usize,
    /// So many naps time out at once.
    #[cfg(heist_loom)]
    pub(super) naps: usize,
}

pub(super) struct Roster<J> {
    queue: VecDeque<Queued<J>>,
    members: Slab<Member>,
    /// The members in `Idle`, the warmest last (B5).
    idle: Vec<usize>,
    cap: usize,
    /// How many members are in `Claimed`, `Busy` or `Idle`.
    pool_threads: usize,
    /// How many members are in `Claimed`.
    claimed: usize,
    /// How many members are in `Starting`.
    creating: usize,
    /// How many may be on their way to the queue at a time (B13).
    width: usize,
    /// How many jobs have ended.
    ended: u64,
    /// The last creation for the queue was refused (B1's last excuse).
    refused: bool,
    /// Somebody relies on the creation that is under way (B12).
    relied: bool,
    closed: bool,
    next_ticket: u64,
    /// Members that are inside `wait` (B10).
    waiting_members: usize,
    /// After shutdown, nobody but members that wait was left (B10). Stays true: as they return one
    /// by one, the others must not begin to wait for them.
    emptied: bool,
    /// Threads that have left and that nobody has joined.
    left: Vec<JoinHandle<()>>,
    #[cfg(test)]
    pub(super) faults: Faults,
}

impl<J> Roster<J> {
    pub(super) fn new(cap: usize) -> Self {
        Self {
            queue: VecDeque::new(),
            members: Slab::new(),
            idle: Vec::new(),
            cap,
            pool_threads: 0,
            claimed: 0,
            creating: 0,
            width: 1,
            ended: 0,
            refused: false,
            relied: false,
            closed: false,
            next_ticket: 0,
            waiting_members: 0,
            emptied: false,
            left: Vec::new(),
            #[cfg(test)]
            faults: Faults::default(),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn pool_threads(&self) -> usize {
        self.pool_threads
    }

    pub(super) fn idle_threads(&self) -> usize {
        self.idle.len()
    }

    pub(super) fn queue_depth(&self) -> usize {
        self.queue.len()
    }

    // Work comes in.

    /// Queues a job; gives its ticket and the step to take.
    pub(super) fn push(&mut self, job: J, mandatory: Mandatory) -> (u64, Step) {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.queue.push_back(Queued::new(job, ticket, mandatory));
        (ticket, self.muster())
    }

    /// B2: makes sure that someone is on the way if a job is queued, and B13: that enough are.
    pub(super) fn muster(&mut self) -> Step {
        let wanted = self.width.min(self.queue.len());
        let step = if self.claimed >= wanted {
            Step::Done
        } else if let Some(id) = self.idle.pop() {
            // An idle thread is taken even while another is being created: that takes longer, and
            // may fail.
            let member = &mut self.members[id];
            member.phase = Phase::Claimed;
            member.ended_at_claim = self.ended;
            self.claimed += 1;
            let bell = Arc::clone(&member.bell);
            match self.claimed < wanted && !self.idle.is_empty() {
                true => Step::RingOn(bell),
                false => Step::Ring(bell),
            }
        } else if self.creating > 0 {
            self.relied = true;
            Step::Done
        } else if self.pool_threads >= self.cap {
            Step::Done
        } else {
            self.relied = false;
            self.creating += 1;
            let (id, bell) = self.enlist(Phase::Starting, None);
            Step::Create(id, bell)
        };
        self.check();
        step
    }

    /// Finds a thread for `duty`: an idle one, or one to create.
    pub(super) fn assign(&mut self, duty: Duty) -> Step {
        let step = if let Some(id) = self.idle.pop() {
            self.pool_threads -= 1;
            let member = &mut self.members[id];
            member.phase = Phase::OnDuty;
            member.duty = Some(duty);
            Step::Ring(Arc::clone(&member.bell))
        } else {
            let (id, bell) = self.enlist(Phase::OnDuty, Some(duty));
            Step::Create(id, bell)
        };
        self.check();
        step
    }

    // Threads come.

    fn enlist(&mut self, phase: Phase, duty: Option<Duty>) -> (usize, Arc<Parker>) {
        let bell = Arc::new(Parker::new());
        let id = self.members.insert(Member {
            phase,
            bell: Arc::clone(&bell),
            duty,
            handle: None,
            ended_at_claim: 0,
        });
        (id, bell)
    }

    /// The member's thread exists. Called by its creator and by itself; the first call counts.
    fn confirm(&mut self, id: usize) {
        let member = &mut self.members[id];
        if member.phase == Phase::Starting {
            member.phase = Phase::Claimed;
            member.ended_at_claim = self.ended;
            self.creating -= 1;
            self.claimed += 1;
            self.pool_threads += 1;
            self.refused = false;
        }
    }

    /// The creator's word that the thread exists. True if it has already left, and the last waiters
    /// have to be told.
    pub(super) fn created(&mut self, id: usize, handle: JoinHandle<()>) -> bool {
        self.confirm(id);
        let member = &mut self.members[id];
        if member.phase == Phase::Gone {
            self.members.remove(id);
            self.left.push(handle);
            return self.has_emptied();
        }
        member.handle = Some(handle);
        self.check();
        false
    }

    /// The creator's word that the thread does not exist: gives back the member's duty, and the
    /// jobs that nobody would come for (B7).
    pub(super) fn not_created(&mut self, id: usize) -> (Option<Duty>, VecDeque<Queued<J>>) {
        let member = self.members.remove(id);
        let mut stranded = VecDeque::new();
        if member.phase == Phase::Starting {
            self.creating -= 1;
            self.refused = true;
            if self.pool_threads == 0 && self.creating == 0 {
                stranded = mem::take(&mut self.queue);
            }
        }
        self.check();
        (member.duty, stranded)
    }

    /// After a creation was refused: it is tried again for those who relied on it (B12).
    pub(super) fn muster_again(&mut self) -> Step {
        match mem::take(&mut self.relied) {
            true => self.muster(),
            false => Step::Done,
        }
    }

    // A member looks for work.

    /// What the member does now that it has nothing to do or was rung.
    pub(super) fn next(&mut self, id: usize) -> Next<J> {
        self.confirm(id);
        let member = &mut self.members[id];
        match member.phase {
            Phase::Claimed => {
                self.claimed -= 1;
                member.phase = Phase::Busy;
                // B13: others have worked on the same jobs all the way.
                let jobs_last = member.ended_at_claim == self.ended && self.busy() > 1;
                self.width = match jobs_last {
                    true => (2 * self.width).min(WIDEST),
                    false => 1,
                };
            }
            Phase::Busy => self.ended += 1,
            // B3: a stale ring.
            Phase::Idle => return self.nap(),
            Phase::OnDuty => match member.duty.take() {
                Some(duty) => return Next::Duty(duty),
                None => unreachable!("a duty is taken once, and ended by `duty_done`"),
            },
            Phase::Starting | Phase::Leaving | Phase::Gone => {
                unreachable!("{:?} looks for work", member.phase)
            }
        }
        self.take_job(id)
    }

    /// The keep-alive time of the member is over, or it was claimed at that very moment.
    pub(super) fn nap_over(&mut self, id: usize) -> Next<J> {
        if self.members[id].phase != Phase::Idle {
            return self.next(id);
        }
        // Old ones are at the bottom.
        if let Some(place) = self.idle.iter().position(|&other| other == id) {
            self.idle.remove(place);
        }
        self.members[id].phase = Phase::Busy;
        // B4: someone is claimed for what is queued, but this thread is here already.
        if self.queue.is_empty() {
            self.resign(id)
        } else {
            self.take_job(id)
        }
    }

    /// The member's duty has ended.
    pub(super) fn duty_done(&mut self, id: usize) -> Next<J> {
        self.members[id].phase = Phase::Busy;
        self.pool_threads += 1;
        if self.pool_threads + self.creating > self.cap {
            // B6.
            return self.resign(id);
        }
        self.take_job(id)
    }

    fn take_job(&mut self, id: usize) -> Next<J> {
        if let Some(Queued { job, .. }) = self.queue.pop_front() {
            let step = self.muster();
            return Next::Run(job, step);
        }
        self.width = 1;
        if self.closed {
            return self.resign(id);
        }
        if self.queue.capacity() > KEPT_QUEUE {
            self.queue.shrink_to(0);
        }
        self.members[id].phase = Phase::Idle;
        self.idle.push(id);
        self.check();
        self.nap()
    }

    /// How many members are in `Busy`.
    fn busy(&self) -> usize {
        self.pool_threads - self.claimed - self.idle.len()
    }

    fn nap(&self) -> Next<J> {
        Next::Nap {
            awake: self.pool_threads - self.idle.len(),
        }
    }

    fn resign(&mut self, id: usize) -> Next<J> {
        self.members[id].phase = Phase::Leaving;
        self.pool_threads -= 1;
        self.check();
        Next::Leave
    }

    /// B9: the member leaves. Gives it those to join, and whether waiters have to be told.
    pub(super) fn leave(&mut self, id: usize) -> (Vec<JoinHandle<()>>, bool) {
        let before = mem::take(&mut self.left);
        let member = &mut self.members[id];
        debug_assert_eq!(member.phase, Phase::Leaving);
        match member.handle.take() {
            Some(handle) => {
                self.members.remove(id);
                self.left.push(handle);
            }
            None => member.phase = Phase::Gone,
        }
        (before, self.has_emptied())
    }

    // The end.

    /// B8: no more work. Gives the bells to ring and the jobs to cancel.
    pub(super) fn close(&mut self) -> (Vec<Arc<Parker>>, Vec<Queued<J>>) {
        self.closed = true;
        let mut cancelled = Vec::new();
        let mut coming = self.claimed + self.creating + self.idle.len();
        if coming > 0 {
            // As many as could have a thread at once, were there no chain (B2). With nobody to begin it, the pool is at its cap,
            // or the system has refused one, and may go on to.
            coming += self.cap - self.pool_threads - self.creating;
        }
        for queued in mem::take(&mut self.queue) {
            if queued.is_mandatory() || coming > 0 {
                coming = coming.saturating_sub(1);
                self.queue.push_back(queued);
            } else {
                cancelled.push(queued);
            }
        }
        let mut bells = Vec::with_capacity(self.idle.len());
        for id in self.idle.drain(..) {
            let member = &mut self.members[id];
            member.phase = Phase::Claimed;
            self.claimed += 1;
            bells.push(Arc::clone(&member.bell));
        }
        self.check();
        (bells, cancelled)
    }

    /// Whether nobody is left for whom this waiter waits (B10).
    pub(super) fn is_over(&self, by_member: bool) -> bool {
        self.members.is_empty()
            || by_member && (self.emptied || self.members.len() <= self.waiting_members)
    }

    /// Whether waiters have to look again.
    pub(super) fn has_emptied(&mut self) -> bool {
        let emptied = self.members.len() <= self.waiting_members;
        self.emptied |= emptied && self.closed;
        emptied
    }

    /// True if waiters have to be told.
    pub(super) fn member_waits(&mut self) -> bool {
        self.waiting_members += 1;
        self.has_emptied()
    }

    pub(super) fn member_waits_no_more(&mut self) {
        self.waiting_members -= 1;
    }

    /// The threads that have left and that nobody has joined.
    pub(super) fn take_left(&mut self) -> Vec<JoinHandle<()>> {
        mem::take(&mut self.left)
    }

    /// B1 and B6, and that the counts fit.
    fn check(&self) {
        debug_assert!(self.idle.len() + self.claimed <= self.pool_threads);
        debug_assert!(self.pool_threads + self.creating <= self.cap, "B6");
        debug_assert!(
            self.queue.is_empty()
                || self.claimed > 0
                || self.creating > 0
                || self.idle.is_empty()
                    && (self.pool_threads == self.cap || self.refused && self.pool_threads > 0),
            "B1: a queued job has nobody"
        );
    }
}
