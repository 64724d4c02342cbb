//! What a runtime counts about itself.

use std::ops::Range;
use std::thread::ThreadId;
use std::time::Duration;

use crate::engine::base::histogram::Histogram;
use crate::engine::sched::SchedHandle;
use crate::engine::sched::counters::WorkerCounters;
use crate::runtime::Handle;

/// A look at a runtime's counters, which are always on.
///
/// Each call reads the present value. Counters of different workers are not read at one moment.
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() {
/// let metrics = heist::runtime::Handle::current().metrics();
/// let task = heist::spawn(std::future::pending::<()>());
/// assert_eq!(metrics.num_alive_tasks(), 1);
/// # task.abort();
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RuntimeMetrics {
    handle: Handle,
}

impl RuntimeMetrics {
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle }
    }

    #[track_caller]
    fn worker(&self, worker: usize) -> &WorkerCounters {
        assert!(
            worker < self.num_workers(),
            "worker {worker} of {}",
            self.num_workers()
        );
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.worker_counters(worker),
            SchedHandle::Custom(crew) => crew.worker_counters(worker),
            SchedHandle::CurrentThread(scheduler) => scheduler.counters(),
        }
    }

    /// How many workers the runtime has.
    pub fn num_workers(&self) -> usize {
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.num_workers(),
            SchedHandle::Custom(crew) => crew.num_workers(),
            SchedHandle::CurrentThread(_) => 1,
        }
    }

    /// How many tasks have been spawned and have not ended.
    pub fn num_alive_tasks(&self) -> usize {
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.num_alive_tasks(),
            SchedHandle::Custom(crew) => crew.num_alive_tasks(),
            SchedHandle::CurrentThread(scheduler) => scheduler.num_alive_tasks(),
        }
    }

    /// How many tasks wait in the injector, the global queue. With a [scheduler](crate::scheduler) of one's own:
    /// how many wait in all.
    pub fn global_queue_depth(&self) -> usize {
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.injector_depth(),
            SchedHandle::Custom(crew) => crew.injector_depth(),
            SchedHandle::CurrentThread(scheduler) => scheduler.injector_depth(),
        }
    }

    /// How long the worker has run tasks, or looked for some, in all.
    #[track_caller]
    pub fn worker_total_busy_duration(&self, worker: usize) -> Duration {
        Duration::from_nanos(self.worker(worker).busy_nanos.get())
    }

    /// How often the worker went to sleep.
    #[track_caller]
    pub fn worker_park_count(&self, worker: usize) -> u64 {
        self.worker(worker).parks.get()
    }

    /// How often the worker went to sleep and got up: odd while it sleeps.
    #[track_caller]
    pub fn worker_park_unpark_count(&self, worker: usize) -> u64 {
        let worker = self.worker(worker);
        worker.parks.get() + worker.unparks.get()
    }

    /// How often the worker got up and found nothing to do.
    #[track_caller]
    pub fn worker_noop_count(&self, worker: usize) -> u64 {
        self.worker(worker).noops.get()
    }

    /// How many tasks the worker has taken from its siblings.
    #[track_caller]
    pub fn worker_steal_count(&self, worker: usize) -> u64 {
        self.worker(worker).stolen.get()
    }

    /// How often the worker has taken tasks from a sibling.
    #[track_caller]
    pub fn worker_steal_operations(&self, worker: usize) -> u64 {
        self.worker(worker).steals.get()
    }

    /// How many tasks the worker has polled.
    #[track_caller]
    pub fn worker_poll_count(&self, worker: usize) -> u64 {
        self.worker(worker).polls.get()
    }

    /// How many tasks were made runnable by what ran on the worker.
    #[track_caller]
    pub fn worker_local_schedule_count(&self, worker: usize) -> u64 {
        self.worker(worker).local_schedules.get()
    }

    /// How often the worker's queue was full and half of it went to the injector.
    #[track_caller]
    pub fn worker_overflow_count(&self, worker: usize) -> u64 {
        self.worker(worker).overflows.get()
    }

    /// How often the worker woke a sibling. heist's own.
    #[track_caller]
    pub fn worker_wake_count(&self, worker: usize) -> u64 {
        self.worker(worker).wakes.get()
    }

    /// How many tasks wait in the worker's queue. The one that it runs next, before its queue, is not counted.
    /// With a [scheduler](crate::scheduler) of one's own, what its
    /// [`queue_depth`](crate::scheduler::Scheduler::queue_depth) says.
    #[track_caller]
    pub fn worker_local_queue_depth(&self, worker: usize) -> usize {
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => {
                let _ = self.worker(worker);
                crew.queue_depth(worker)
            }
            SchedHandle::Custom(crew) => {
                let _ = self.worker(worker);
                crew.queue_depth(worker)
            }
            SchedHandle::CurrentThread(_) => self.worker(worker).queue_depth.get() as usize,
        }
    }

    /// How many tasks were made runnable from outside of the workers.
    pub fn remote_schedule_count(&self) -> u64 {
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.foreign_schedules(),
            SchedHandle::Custom(crew) => crew.foreign_schedules(),
            SchedHandle::CurrentThread(scheduler) => scheduler.foreign_schedules(),
        }
    }

    /// How many tasks have been spawned in all.
    pub fn spawned_tasks_count(&self) -> u64 {
        match &self.handle.scheduler {
            SchedHandle::Crew(crew) => crew.spawned_tasks(),
            SchedHandle::Custom(crew) => crew.spawned_tasks(),
            SchedHandle::CurrentThread(scheduler) => scheduler.spawned_tasks(),
        }
    }

    /// How many threads the blocking pool has, workers not counted.
    pub fn num_blocking_threads(&self) -> usize {
        self.handle.scheduler.services().pool.num_threads()
    }

    /// How many of them have nothing to do.
    pub fn num_idle_blocking_threads(&self) -> usize {
        self.handle.scheduler.services().pool.num_idle_threads()
    }

    /// How many sockets, pipes and the like were registered with the reactor, in all.
    pub fn io_driver_fd_registered_count(&self) -> u64 {
        self.handle
            .scheduler
            .services()
            .reactor
            .as_ref()
            .map_or(0, |reactor| reactor.shards().fds_registered())
    }

    /// How many of them are no longer.
    pub fn io_driver_fd_deregistered_count(&self) -> u64 {
        self.handle
            .scheduler
            .services()
            .reactor
            .as_ref()
            .map_or(0, |reactor| reactor.shards().fds_deregistered())
    }

    /// How many events the reactor has had.
    pub fn io_driver_ready_count(&self) -> u64 {
        self.handle
            .scheduler
            .services()
            .reactor
            .as_ref()
            .map_or(0, |reactor| reactor.shards().ready_count())
    }

    /// How many blocking functions wait for a thread.
    pub fn blocking_queue_depth(&self) -> usize {
        self.handle.scheduler.services().pool.queue_depth()
    }

    /// Another name for [`num_alive_tasks`](Self::num_alive_tasks).
    #[deprecated = "renamed to num_alive_tasks"]
    pub fn active_tasks_count(&self) -> usize {
        self.num_alive_tasks()
    }

    /// Another name for [`global_queue_depth`](Self::global_queue_depth).
    #[doc(hidden)]
    #[deprecated = "renamed to global_queue_depth"]
    pub fn injection_queue_depth(&self) -> usize {
        self.global_queue_depth()
    }

    /// How often a task had to give up its turn because its [budget](crate::task::coop) was spent.
    pub fn budget_forced_yield_count(&self) -> u64 {
        let workers = (0..self.num_workers()).map(|worker| self.worker(worker).forced_yields.get());
        workers.sum::<u64>() + self.handle.scheduler.services().forced_yields.get()
    }

    /// The thread that is the worker, or was it last; `None` if none has been yet.
    ///
    /// A worker moves to another thread when one of its tasks [blocks in place](crate::task::block_in_place),
    /// and a current-thread runtime to whichever thread calls `block_on`.
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let metrics = heist::runtime::Handle::current().metrics();
    /// assert_eq!(metrics.worker_thread_id(0), Some(std::thread::current().id()));
    /// # }
    /// ```
    #[track_caller]
    pub fn worker_thread_id(&self, worker: usize) -> Option<ThreadId> {
        self.worker(worker).thread()
    }

    /// How long the worker's polls have taken of late, on average.
    ///
    /// It is made of the worker's [busy](Self::worker_total_busy_duration) time and the number of its polls, so
    /// what it takes to find a task is in it. It is brought up to date when the worker sleeps and every few
    /// dozen tasks.
    #[track_caller]
    pub fn worker_mean_poll_time(&self, worker: usize) -> Duration {
        self.worker(worker).mean_poll_time()
    }

    /// Whether polls are [measured](crate::runtime::Builder::enable_metrics_poll_time_histogram).
    pub fn poll_time_histogram_enabled(&self) -> bool {
        self.worker(0).poll_times.is_some()
    }

    /// How many buckets the histogram of poll times has; 0 if there is none.
    pub fn poll_time_histogram_num_buckets(&self) -> usize {
        num_buckets(&self.worker(0).poll_times)
    }

    /// The poll times that fall into a bucket.
    #[track_caller]
    pub fn poll_time_histogram_bucket_range(&self, bucket: usize) -> Range<Duration> {
        bucket_range(&self.worker(0).poll_times, bucket)
    }

    /// How many polls of the worker fell into a bucket.
    ///
    /// # Panics
    ///
    /// If there is no such worker, or no such bucket.
    #[track_caller]
    pub fn poll_time_histogram_bucket_count(&self, worker: usize, bucket: usize) -> u64 {
        bucket_count(&self.worker(worker).poll_times, bucket)
    }

    /// Whether the time that tasks wait for their turn is
    /// [measured](crate::runtime::Builder::enable_metrics_schedule_latency_histogram).
    pub fn schedule_latency_histogram_enabled(&self) -> bool {
        self.worker(0).latencies.is_some()
    }

    /// How many buckets the histogram of those times has; 0 if there is none.
    pub fn schedule_latency_histogram_num_buckets(&self) -> usize {
        num_buckets(&self.worker(0).latencies)
    }

    /// The times that fall into a bucket.
    #[track_caller]
    pub fn schedule_latency_histogram_bucket_range(&self, bucket: usize) -> Range<Duration> {
        bucket_range(&self.worker(0).latencies, bucket)
    }

    /// How often a task that the worker polled had waited for a time that falls into a bucket.
    ///
    /// # Panics
    ///
    /// If there is no such worker, or no such bucket.
    #[track_caller]
    pub fn schedule_latency_histogram_bucket_count(&self, worker: usize, bucket: usize) -> u64 {
        bucket_count(&self.worker(worker).latencies, bucket)
    }
}

fn num_buckets(histogram: &Option<Histogram>) -> usize {
    histogram
        .as_ref()
        .map_or(0, |histogram| histogram.buckets.count())
}

#[track_caller]
fn bucket_range(histogram: &Option<Histogram>, bucket: usize) -> Range<Duration> {
    let Some(histogram) = histogram else {
        return Range::default();
    };
    assert!(bucket < histogram.buckets.count(), "no bucket {bucket}");
    let range = histogram.buckets.range(bucket);
    Duration::from_nanos(range.start)..Duration::from_nanos(range.end)
}

#[track_caller]
fn bucket_count(histogram: &Option<Histogram>, bucket: usize) -> u64 {
    histogram
        .as_ref()
        .map_or(0, |histogram| histogram.count(bucket))
}
