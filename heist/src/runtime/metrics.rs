//! What a runtime counts about itself.

use std::time::Duration;

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

    /// How many tasks wait in the worker's queue. With a [scheduler](crate::scheduler) of one's own, which alone
    /// knows: 0.
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
            .map_or(0, |reactor| reactor.fds_registered())
    }

    /// How many of them are no longer.
    pub fn io_driver_fd_deregistered_count(&self) -> u64 {
        self.handle
            .scheduler
            .services()
            .reactor
            .as_ref()
            .map_or(0, |reactor| reactor.fds_deregistered())
    }

    /// How many events the reactor has had.
    pub fn io_driver_ready_count(&self) -> u64 {
        self.handle
            .scheduler
            .services()
            .reactor
            .as_ref()
            .map_or(0, |reactor| reactor.ready_count())
    }

    /// How many blocking functions wait for a thread.
    pub fn blocking_queue_depth(&self) -> usize {
        self.handle.scheduler.services().pool.queue_depth()
    }
}
