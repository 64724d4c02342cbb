//! What `Builder::scheduler` takes.

use std::fmt;
use std::sync::Arc;

use crate::engine::sched::custom::{Custom, Scheduler};

/// The default: each worker has a queue of its own, and takes from others when it is empty.
///
/// Nothing has to be known about the tasks; whatever falls on one worker is soon shared by all.
/// It is what a runtime has without [`Builder::scheduler`](crate::runtime::Builder::scheduler).
///
/// ```
/// use heist::runtime::Builder;
/// use heist::scheduler::WorkStealing;
///
/// let runtime = Builder::new_multi_thread().scheduler(WorkStealing).build().unwrap();
/// # drop(runtime);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkStealing;

/// A choice of strategy, for [`Builder::scheduler`](crate::runtime::Builder::scheduler).
///
/// [`WorkStealing`] is one, and so is every function from the number of workers to a [`Scheduler`].
#[derive(Clone, Default)]
pub struct Choice {
    pub(crate) make: Option<Make>,
}

type Make = Arc<dyn Fn(usize) -> Custom + Send + Sync>;

impl Choice {
    /// What a runtime gets that chooses none: the default.
    #[cfg(not(heist_scheduler_from_env))]
    pub(crate) fn unless_chosen() -> Self {
        Self::default()
    }

    /// Only where other people's tests are run with each strategy (`compat/conformance`): what the environment
    /// says.
    #[cfg(heist_scheduler_from_env)]
    pub(crate) fn unless_chosen() -> Self {
        use crate::scheduler::{Classes, GlobalQueue, RoundRobin, Sharded};
        match std::env::var("HEIST_SCHEDULER").as_deref() {
            Err(_) | Ok("work_stealing") => Self::default(),
            Ok("round_robin") => RoundRobin::new.into(),
            Ok("sharded") => Sharded::new.into(),
            Ok("global_queue") => GlobalQueue::new.into(),
            Ok("classes") => Classes::new.into(),
            Ok(other) => panic!("HEIST_SCHEDULER: no strategy is called {other}"),
        }
    }
}

impl From<WorkStealing> for Choice {
    fn from(_: WorkStealing) -> Self {
        Self { make: None }
    }
}

impl<F, S> From<F> for Choice
where
    F: Fn(usize) -> S + Send + Sync + 'static,
    S: Scheduler,
{
    fn from(make: F) -> Self {
        Self {
            make: Some(Arc::new(move |workers| Custom::new(make(workers)))),
        }
    }
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.make {
            None => "WorkStealing",
            Some(_) => "Scheduler",
        })
    }
}
