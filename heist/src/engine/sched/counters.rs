//! What is counted about a worker. Always on: each is a plain store on the worker's own line.

use std::thread::ThreadId;
use std::time::{Duration, Instant};

use crate::engine::base::counters::Counter;
use crate::engine::base::histogram::Histogram;
use crate::engine::base::thread_mark;
use crate::engine::sched::{Hooks, affinity};
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
    /// What one would have taken without siblings, as far as is known (`pace`).
    pub(crate) pace_nanos: Counter,
    polls_measured: Counter,
    /// The queue's length, as of a short while ago.
    pub(crate) queue_depth: Counter,
    /// How long polls took, if that is measured.
    pub(crate) poll_times: Option<Histogram>,
    /// How long tasks were runnable before they were polled, if that is measured.
    pub(crate) latencies: Option<Histogram>,
    /// The thread that is this worker now, or was it last.
    thread: Mutex<Option<ThreadId>>,
    /// The system's number of it, 0 if that is not known.
    system_thread: Counter,
    /// The number of the processor that it was last seen on, plus one; 0 if that is not known.
    processor: Counter,
}

/// The time that a worker is up, between two sleeps, or the part of it that was not counted yet.
#[derive(Debug)]
pub(crate) struct Stretch {
    since: Instant,
    /// What it spent on looking for work: no part of its polls. A mean that had it in would tell that polls
    /// are long, and worth the help of siblings, whenever siblings that help each other have little to do.
    looking: Duration,
    out_of_work_since: Option<Instant>,
}

impl Stretch {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            since: now,
            looking: Duration::ZERO,
            out_of_work_since: None,
        }
    }

    pub(crate) fn out_of_work(&mut self, now: Instant) {
        self.out_of_work_since = Some(now);
    }

    pub(crate) fn at_work(&mut self, now: Instant) {
        if let Some(since) = self.out_of_work_since.take() {
            self.looking += now.duration_since(since);
        }
    }

    /// Begins again. How long it was up until now, and how long at work.
    fn cut(&mut self, now: Instant) -> (Duration, Duration) {
        self.at_work(now);
        let up = now.duration_since(self.since);
        let at_work = up.saturating_sub(self.looking);
        *self = Self::new(now);
        (up, at_work)
    }
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

    /// Counts a stretch that ends, or is cut, now. How long a poll took of those in it, in nanoseconds, and how many
    /// there were, if any.
    pub(crate) fn count_busy(&self, stretch: &mut Stretch, now: Instant) -> Option<(u64, u64)> {
        let (up, at_work) = stretch.cut(now);
        self.busy_nanos.add(up.as_nanos() as u64);
        let nanos = at_work.as_nanos() as u64;
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
        Some((sample as u64, polls))
    }

    /// Says that this thread is the worker now.
    pub(crate) fn set_thread(&self) {
        *self.thread.lock() = Some(thread::current_id());
        let number = thread_mark::system_number().unwrap_or(0);
        self.system_thread.set(u64::from(number));
    }

    /// The system's number of that thread, where it is known.
    pub(crate) fn system_thread(&self) -> Option<u32> {
        let number = self.system_thread.get() as u32;
        (number != 0).then_some(number)
    }

    /// Notes where this thread, which is the worker, is.
    pub(crate) fn see_processor(&self) {
        self.processor.set(processor_plus_one());
    }

    /// Whether the worker was last seen where this thread is.
    pub(crate) fn is_on_this_processor(&self) -> bool {
        let processor = processor_plus_one();
        processor != 0 && self.processor.get() == processor
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

fn processor_plus_one() -> u64 {
    affinity::processor().map_or(0, |processor| processor as u64 + 1)
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Stretch, WorkerCounters};

    #[test]
    fn looking_for_work_is_busy_time_and_no_part_of_a_poll() {
        let counters = WorkerCounters::default();
        let start = Instant::now();
        let at = |micros| start + Duration::from_micros(micros);
        let mut stretch = Stretch::new(at(0));
        counters.polls.add(10);
        stretch.out_of_work(at(10));
        stretch.at_work(at(90));
        assert_eq!(
            counters.count_busy(&mut stretch, at(100)),
            Some((2_000, 10))
        );
        assert_eq!(counters.mean_poll_time(), Duration::from_micros(2));
        // It begins again where it was cut, and ends while it looks.
        counters.polls.add(1);
        stretch.out_of_work(at(102));
        assert_eq!(counters.count_busy(&mut stretch, at(120)), Some((2_000, 1)));
        assert_eq!(counters.busy_nanos.get(), 120_000);
        assert_eq!(counters.count_busy(&mut stretch, at(130)), None);
    }
}
