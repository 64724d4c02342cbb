//! What is counted about a worker. Always on: each is a plain store on the worker's own line.

use std::thread::ThreadId;
use std::time::{Duration, Instant};

use crate::engine::base::counters::Counter;
use crate::engine::base::histogram::Histogram;
use crate::engine::sched::Hooks;
use crate::loom::sync::Mutex;
use crate::loom::thread;

/// Written by the worker alone.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounters {
    /// Tasks polled. Also how siblings see that a worker moves (`sched::watch`).
    pub(crate) polls: Counter,
    /// Tasks spawned by tasks of this worker, and ended on it.
    pub(crate) spawned: Counter,
    pub(crate) completed: Counter,
    /// Tasks that this worker pushed on its own queue or slot.
    pub(crate) local_schedules: Counter,
    /// Times that the local queue was full.
    pub(crate) overflows: Counter,
    /// Tasks taken from siblings, and how often.
    pub(crate) stolen: Counter,
    pub(crate) steals: Counter,
    /// Times that it went to sleep, got up, and got up for nothing.
    pub(crate) parks: Counter,
    pub(crate) unparks: Counter,
    pub(crate) noops: Counter,
    /// Siblings it woke.
    pub(crate) wakes: Counter,
    /// Turns that tasks had to give up because their budget was spent.
    pub(crate) forced_yields: Counter,
    /// Nanoseconds between getting up and going to sleep.
    pub(crate) busy_nanos: Counter,
    /// Nanoseconds that a poll took of late, and the polls that it was made of.
    pub(crate) mean_poll_nanos: Counter,
    polls_measured: Counter,
    /// The queue's length, as of a short while ago.
    pub(crate) queue_depth: Counter,
    /// How long polls took, if that is measured.
    pub(crate) poll_times: Option<Histogram>,
    /// How long tasks were runnable before they were polled, if that is measured.
    pub(crate) latencies: Option<Histogram>,
    /// The thread that is this worker now, or was it last.
    thread: Mutex<Option<ThreadId>>,
}

/// How many polls it takes for the mean to forget half of what was before.
const MEMORY: u64 = 8;

impl WorkerCounters {
    pub(crate) fn new(hooks: &Hooks) -> Self {
        Self {
            poll_times: hooks.poll_times.map(Histogram::new),
            latencies: hooks.latencies.map(Histogram::new),
            ..Self::default()
        }
    }

    /// Counts the time since `since`, when this was last called or the worker got up. How long a poll took of
    /// those since then, in nanoseconds, if there were any.
    pub(crate) fn count_busy(&self, since: Instant, now: Instant) -> Option<u64> {
        let nanos = now.duration_since(since).as_nanos() as u64;
        self.busy_nanos.add(nanos);
        let polls = self.polls.get().wrapping_sub(self.polls_measured.get());
        if polls == 0 {
            return None;
        }
        self.polls_measured.add(polls);
        let (sample, mean) = ((nanos / polls) as i64, self.mean_poll_nanos.get() as i64);
        // The first sample is all there is to know.
        let weight = if mean == 0 {
            1.0
        } else {
            polls as f64 / (polls + MEMORY) as f64
        };
        let mean = mean + ((sample - mean) as f64 * weight) as i64;
        self.mean_poll_nanos.set(mean as u64);
        Some(sample as u64)
    }

    /// Says that this thread is the worker now.
    pub(crate) fn set_thread(&self) {
        *self.thread.lock() = Some(thread::current_id());
    }

    /// The thread that is the worker, or was it last.
    pub(crate) fn thread(&self) -> Option<ThreadId> {
        *self.thread.lock()
    }

    /// The mean time of a poll.
    pub(crate) fn mean_poll_time(&self) -> Duration {
        Duration::from_nanos(self.mean_poll_nanos.get())
    }
}
