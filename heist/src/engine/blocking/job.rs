//! What the pool runs.

use std::fmt;
use std::io;

/// A piece of work for a pool thread. Exactly one of the two methods is called, once.
pub(crate) trait Job: Send + 'static {
    /// Does the work. Does not unwind (the pool goes on if it does, B11).
    fn run(self);

    /// Gives the work up: it was accepted, and will not be run.
    fn cancel(self);
}

/// What becomes of a job that is still queued at shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mandatory {
    /// It is cancelled.
    No,
    /// It is run: someone was told that it would be (a file write).
    Yes,
}

/// A job was not accepted, and is given back.
pub(crate) enum SubmitError<J> {
    /// The pool has been shut down.
    ShutDown(J),
    /// There is no pool thread, and the system does not give one.
    NoThread(io::Error, J),
}

#[cfg(test)]
impl<J> SubmitError<J> {
    /// The job that was not accepted.
    pub(crate) fn into_job(self) -> J {
        match self {
            Self::ShutDown(job) | Self::NoThread(_, job) => job,
        }
    }
}

impl<J> fmt::Debug for SubmitError<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShutDown(_) => f.write_str("ShutDown"),
            Self::NoThread(error, _) => f.debug_tuple("NoThread").field(error).finish(),
        }
    }
}

/// A job in the queue.
pub(super) struct Queued<J> {
    pub(super) job: J,
    /// The ticket in the upper bits, whether the job is mandatory in the lowest.
    tag: u64,
}

impl<J> Queued<J> {
    pub(super) fn new(job: J, ticket: u64, mandatory: Mandatory) -> Self {
        let tag = ticket << 1 | u64::from(mandatory == Mandatory::Yes);
        Self { job, tag }
    }

    /// Tells this job from the others in the queue.
    pub(super) fn ticket(&self) -> u64 {
        self.tag >> 1
    }

    pub(super) fn is_mandatory(&self) -> bool {
        self.tag & 1 == 1
    }
}
