//! Setting up a runtime.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::engine::base::counters::Counter;
use crate::engine::base::histogram::Buckets;
use crate::engine::base::rng::FastRand;
use crate::engine::base::runtime_id::RuntimeId;
use crate::engine::base::thread_mark::ThreadMark;
use crate::engine::base::words;
use crate::engine::blocking::{self, ThreadPool};
use crate::engine::context;
use crate::engine::driver::{Driver, EVENTS, IoLimits};
use crate::engine::sched::crew::{Crew, CrewConfig};
use crate::engine::sched::current_thread::{CurrentThread, CurrentThreadConfig};
use crate::engine::sched::strategy::{Stealing, Strategy};
use crate::engine::sched::{Hooks, SchedHandle, Services, TaskHook, WeakSchedHandle};
use crate::engine::timer::{Armed, Clock, TimerHandle};
use crate::loom::sync::Mutex;
use crate::runtime::histogram::{HistogramConfiguration, HistogramScale, Scaled};
use crate::runtime::{Handle, LocalOptions, LocalRuntime, Runtime, TaskMeta};
use crate::scheduler::Choice;

type Hook = Arc<dyn Fn() + Send + Sync>;

/// Sets up a [`Runtime`].
///
/// ```
/// use heist::runtime::Builder;
///
/// let runtime = Builder::new_multi_thread()
///     .worker_threads(2)
///     .thread_name("my-worker")
///     .enable_all()
///     .build()
///     .unwrap();
/// # drop(runtime);
/// ```
pub struct Builder {
    flavor: Flavor,
    name: Option<String>,
    enable_io: bool,
    enable_time: bool,
    alt_timer: bool,
    start_paused: bool,
    workers: Option<usize>,
    max_blocking_threads: usize,
    keep_alive: Duration,
    thread_name: Arc<dyn Fn() -> String + Send + Sync>,
    stack_size: Option<usize>,
    on_thread_start: Option<Hook>,
    on_thread_stop: Option<Hook>,
    hooks: Hooks,
    global_queue_interval: Option<u32>,
    event_interval: u32,
    io_limits: IoLimits,
    use_slot: bool,
    eager_handoff: bool,
    seed: Option<u64>,
    shutdown_on_panic: bool,
    scheduler: Choice,
    poll_times: Measure,
    latencies: Measure,
}

/// What a histogram is to be like, and whether it is to be.
#[derive(Default)]
struct Measure {
    enabled: bool,
    buckets: HistogramConfiguration,
    /// Wins over `buckets`.
    scaled: Option<Scaled>,
}

impl Measure {
    fn scaled(&mut self) -> &mut Scaled {
        self.scaled.get_or_insert_default()
    }

    fn wanted(&self) -> Option<Buckets> {
        let buckets = self.scaled.map_or(self.buckets.0, Scaled::buckets);
        if self.enabled {
            assert!(buckets.count() > 0, "a histogram needs a bucket");
            assert!(
                !matches!(buckets, Buckets::Linear { width: 0, .. }),
                "a histogram's buckets need a width"
            );
        }
        self.enabled.then_some(buckets)
    }
}

/// What a runtime does when a task panics.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum UnhandledPanic {
    /// The panic goes to the task's [`JoinHandle`](crate::task::JoinHandle), and nothing else happens.
    Ignore,
    /// All other tasks are cancelled, and `block_on` panics.
    ShutdownRuntime,
}

/// A seed for the random choices of a runtime; see [`Builder::rng_seed`].
#[derive(Debug, Clone)]
pub struct RngSeed(u64);

impl RngSeed {
    /// The seed that stands for `bytes`. It is the same in all programs built alike, but may be
    /// another in another version of heist.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        // FNV-1a: any spread will do, the generator mixes it further.
        let hash = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        Self(hash)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flavor {
    CurrentThread,
    MultiThread,
}

/// Ticks between looks at the drivers, and at the injector, by default. Odd primes, so that they do
/// not fall in step with what programs do in powers of two.
const EVENT_INTERVAL: u32 = 61;
const GLOBAL_QUEUE_INTERVAL: u32 = 61;
const GLOBAL_QUEUE_INTERVAL_CURRENT_THREAD: u32 = 31;

impl Builder {
    /// A runtime that runs everything on the thread that calls `block_on`.
    pub fn new_current_thread() -> Builder {
        Self::new(Flavor::CurrentThread)
    }

    /// A runtime with work-stealing workers.
    pub fn new_multi_thread() -> Builder {
        Self::new(Flavor::MultiThread)
    }

    fn new(flavor: Flavor) -> Self {
        Self {
            flavor,
            name: None,
            enable_io: false,
            enable_time: false,
            alt_timer: false,
            start_paused: false,
            workers: None,
            max_blocking_threads: 512,
            keep_alive: Duration::from_secs(10),
            thread_name: Arc::new(|| "heist-rt-worker".to_owned()),
            stack_size: None,
            on_thread_start: None,
            on_thread_stop: None,
            hooks: Hooks::default(),
            global_queue_interval: None,
            event_interval: EVENT_INTERVAL,
            io_limits: IoLimits {
                events: EVENTS,
                busy_events: None,
            },
            use_slot: true,
            eager_handoff: false,
            seed: None,
            shutdown_on_panic: false,
            scheduler: Choice::unless_chosen(),
            poll_times: Measure::default(),
            latencies: Measure::default(),
        }
    }

    /// The runtime's name, for [`Handle::name`] to tell. It has none by default.
    ///
    /// # Panics
    ///
    /// If there is nothing but spaces in it.
    ///
    /// ```
    /// let runtime = heist::runtime::Builder::new_current_thread().name("front").build().unwrap();
    /// assert_eq!(runtime.handle().name(), Some("front"));
    /// ```
    #[track_caller]
    pub fn name(&mut self, val: impl Into<String>) -> &mut Self {
        let name = val.into();
        assert!(!name.trim().is_empty(), "a runtime's name cannot be empty");
        self.name = Some(name);
        self
    }

    /// Enables I/O and time.
    pub fn enable_all(&mut self) -> &mut Self {
        self.enable_io().enable_time()
    }

    /// Enables sockets, pipes, child processes and signals.
    pub fn enable_io(&mut self) -> &mut Self {
        self.enable_io = true;
        self
    }

    /// Enables timers.
    pub fn enable_time(&mut self) -> &mut Self {
        self.enable_time = true;
        self
    }

    /// How many events are taken from the system at a time; 256 by default, as many as a worker's queue has room
    /// for.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn max_io_events_per_tick(&mut self, capacity: usize) -> &mut Self {
        assert!(capacity > 0, "max_io_events_per_tick must be non-zero");
        self.io_limits.events = capacity;
        self
    }

    /// How many events are taken at a time by a worker that has tasks to run; 64 by default, or as many as by one
    /// that has none if those are fewer.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn max_io_events_per_busy_tick(&mut self, capacity: usize) -> &mut Self {
        assert!(capacity > 0, "max_io_events_per_busy_tick must be non-zero");
        self.io_limits.busy_events = Some(capacity);
        self
    }

    /// How many workers a multi-thread runtime has. By default the environment variable
    /// `HEIST_WORKER_THREADS` says so (`TOKIO_WORKER_THREADS` where heist stands in for Tokio), else there is one for
    /// each core available to the process.
    ///
    /// # Panics
    ///
    /// If it is 0. [`build`](Builder::build) panics if the variable is there and no number above 0.
    #[track_caller]
    pub fn worker_threads(&mut self, val: usize) -> &mut Self {
        assert!(val > 0, "Worker threads cannot be set to 0");
        self.workers = Some(val);
        self
    }

    /// How many threads the pool for blocking functions may have; 512 by default.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn max_blocking_threads(&mut self, val: usize) -> &mut Self {
        assert!(val > 0, "Max blocking threads cannot be set to 0");
        self.max_blocking_threads = val;
        self
    }

    /// The name of the threads that run tasks and blocking functions. (The one that watches over a multi-thread runtime's
    /// workers has its own, no hooks, and the usual stack.)
    pub fn thread_name(&mut self, val: impl Into<String>) -> &mut Self {
        let name = val.into();
        self.thread_name_fn(move || name.clone())
    }

    /// Gives each thread its name.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let runtime = heist::runtime::Builder::new_multi_thread()
    ///     .thread_name_fn(|| {
    ///         static NEXT: AtomicUsize = AtomicUsize::new(0);
    ///         format!("my-pool-{}", NEXT.fetch_add(1, Ordering::SeqCst))
    ///     })
    ///     .build();
    /// # drop(runtime);
    /// ```
    pub fn thread_name_fn<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() -> String + Send + Sync + 'static,
    {
        self.thread_name = Arc::new(f);
        self
    }

    /// The stack size of the threads that run tasks and blocking functions, in bytes.
    pub fn thread_stack_size(&mut self, val: usize) -> &mut Self {
        self.stack_size = Some(val);
        self
    }

    /// Called on each thread that is to run tasks or blocking functions when it starts.
    pub fn on_thread_start<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.on_thread_start = Some(Arc::new(f));
        self
    }

    /// Called on each of these threads before it ends.
    pub fn on_thread_stop<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.on_thread_stop = Some(Arc::new(f));
        self
    }

    /// Called on a worker before it goes to sleep. It may spawn and wake tasks; they run before the
    /// worker sleeps.
    pub fn on_thread_park<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.hooks.before_park = Some(Arc::new(f));
        self
    }

    /// Called on a worker after it slept.
    pub fn on_thread_unpark<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.hooks.after_unpark = Some(Arc::new(f));
        self
    }

    /// How long an idle thread of the blocking pool stays; 10 seconds by default.
    pub fn thread_keep_alive(&mut self, duration: Duration) -> &mut Self {
        self.keep_alive = duration;
        self
    }

    /// After how many turns a worker looks at the injector, the global queue, before its own; 61 by default on a
    /// multi-thread runtime. A turn is a task, with what it woke to run next. Of the [strategies](Self::scheduler) it is the
    /// default's; a current-thread runtime looks at each lap besides.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn global_queue_interval(&mut self, val: u32) -> &mut Self {
        assert!(val > 0, "global_queue_interval must be greater than 0");
        self.global_queue_interval = Some(val);
        self
    }

    /// After how many turns a worker looks at reactor and timers; 61 by default. On a multi-thread runtime it looks sooner
    /// where polls are long or all tasks have yielded, and leaves the reactor alone for some turns more while its queue
    /// is nearly full.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn event_interval(&mut self, val: u32) -> &mut Self {
        assert!(val > 0, "event_interval must be greater than 0");
        self.event_interval = val;
        self
    }

    /// Has woken tasks always queue at the end, instead of running next on the worker that woke them. Of the
    /// [strategies](Self::scheduler) only the default has them run next.
    pub fn disable_lifo_slot(&mut self) -> &mut Self {
        self.use_slot = false;
        self
    }

    /// Chooses the strategy of a multi-thread runtime: [`WorkStealing`](crate::scheduler::WorkStealing), which is the
    /// default, or a function from the number of workers to a [`Scheduler`](crate::scheduler::Scheduler), such as
    /// `Sharded::new`. The [`scheduler`](crate::scheduler) module says which one to take.
    ///
    /// ```
    /// use heist::runtime::Builder;
    /// use heist::scheduler::Sharded;
    ///
    /// let runtime = Builder::new_multi_thread().scheduler(Sharded::new).build().unwrap();
    /// # drop(runtime);
    /// ```
    ///
    /// # Panics
    ///
    /// On a builder of a current-thread runtime, which has one queue and nothing to choose.
    #[track_caller]
    pub fn scheduler(&mut self, choice: impl Into<Choice>) -> &mut Self {
        assert!(
            self.flavor == Flavor::MultiThread,
            "a scheduler can be chosen for a multi-thread runtime only"
        );
        self.scheduler = choice.into();
        self
    }

    /// Called when a task is spawned, on the thread that spawns it.
    ///
    /// ```
    /// let runtime = heist::runtime::Builder::new_current_thread()
    ///     .on_task_spawn(|task| println!("{} from {}", task.id(), task.spawned_at()))
    ///     .build()
    ///     .unwrap();
    /// runtime.block_on(async { heist::spawn(async {}).await.unwrap() });
    /// ```
    pub fn on_task_spawn<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.hooks.task_spawn = Some(task_hook(f));
        self
    }

    /// Called before each poll of a task.
    pub fn on_before_task_poll<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.hooks.before_poll = Some(task_hook(f));
        self
    }

    /// Called after each poll of a task.
    pub fn on_after_task_poll<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.hooks.after_poll = Some(task_hook(f));
        self
    }

    /// Called when a task has ended, by whatever way, after its future was dropped.
    pub fn on_task_terminate<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.hooks.task_terminate = Some(task_hook(f));
        self
    }

    /// What happens when a task panics; [`UnhandledPanic::Ignore`] by default.
    ///
    /// # Panics
    ///
    /// If a multi-thread runtime is to shut down.
    ///
    /// ```should_panic
    /// use heist::runtime::{Builder, UnhandledPanic};
    ///
    /// let runtime = Builder::new_current_thread()
    ///     .unhandled_panic(UnhandledPanic::ShutdownRuntime)
    ///     .build()
    ///     .unwrap();
    /// runtime.block_on(async {
    ///     heist::spawn(async { panic!("nobody joins") });
    ///     std::future::pending::<()>().await
    /// });
    /// ```
    #[track_caller]
    pub fn unhandled_panic(&mut self, behavior: UnhandledPanic) -> &mut Self {
        self.shutdown_on_panic = matches!(behavior, UnhandledPanic::ShutdownRuntime);
        assert!(
            !self.shutdown_on_panic || self.flavor == Flavor::CurrentThread,
            "UnhandledPanic::ShutdownRuntime is only supported in current thread runtime"
        );
        self
    }

    /// Makes random choices repeatable: the branches of `select!`, on the thread that calls `block_on` and
    /// on each worker, and from whom a worker steals first.
    ///
    /// On a current-thread runtime with a paused clock and without I/O, that makes whole runs
    /// repeatable.
    pub fn rng_seed(&mut self, seed: RngSeed) -> &mut Self {
        self.seed = Some(seed.0);
        self
    }

    /// Has [`Handle::tasks`] list tasks from the moment they are spawned, and not only from when they first
    /// wait. heist's own.
    ///
    /// That finds a task that never comes back from its first poll. It costs each task a place in a list,
    /// which most short ones do without.
    ///
    /// ```
    /// let runtime = heist::runtime::Builder::new_current_thread().track_all_tasks().build().unwrap();
    /// runtime.spawn(async {});
    /// assert_eq!(runtime.handle().tasks().len(), 1);
    /// ```
    pub fn track_all_tasks(&mut self) -> &mut Self {
        self.hooks.list_at_spawn = true;
        self
    }

    /// Has each worker measure how long its polls take, for
    /// [`poll_time_histogram_bucket_count`](crate::runtime::RuntimeMetrics::poll_time_histogram_bucket_count).
    ///
    /// Off by default, as it reads the clock twice a poll; while it is off, no clock is read for a poll.
    ///
    /// ```
    /// let runtime = heist::runtime::Builder::new_current_thread()
    ///     .enable_metrics_poll_time_histogram()
    ///     .build()
    ///     .unwrap();
    /// runtime.block_on(async { heist::spawn(async {}).await.unwrap() });
    ///
    /// let metrics = runtime.metrics();
    /// let buckets = 0..metrics.poll_time_histogram_num_buckets();
    /// let polls: u64 = buckets.map(|bucket| metrics.poll_time_histogram_bucket_count(0, bucket)).sum();
    /// assert_eq!(polls, 1);
    /// ```
    pub fn enable_metrics_poll_time_histogram(&mut self) -> &mut Self {
        self.poll_times.enabled = true;
        self
    }

    /// The older name of [`enable_metrics_poll_time_histogram`](Self::enable_metrics_poll_time_histogram).
    #[doc(hidden)]
    #[deprecated(note = "use `enable_metrics_poll_time_histogram`")]
    pub fn enable_metrics_poll_count_histogram(&mut self) -> &mut Self {
        self.enable_metrics_poll_time_histogram()
    }

    /// The buckets for the time of polls: ten of 100 µs by default.
    pub fn metrics_poll_time_histogram_configuration(
        &mut self,
        configuration: HistogramConfiguration,
    ) -> &mut Self {
        self.poll_times.buckets = configuration;
        self
    }

    /// How the buckets grow.
    #[deprecated(note = "use `metrics_poll_time_histogram_configuration`")]
    pub fn metrics_poll_count_histogram_scale(
        &mut self,
        histogram_scale: HistogramScale,
    ) -> &mut Self {
        self.poll_times.scaled().scale = histogram_scale;
        self
    }

    /// How wide the first bucket is.
    ///
    /// # Panics
    ///
    /// If it is 0, or longer than 500 years.
    #[track_caller]
    #[deprecated(note = "use `metrics_poll_time_histogram_configuration`")]
    pub fn metrics_poll_count_histogram_resolution(&mut self, resolution: Duration) -> &mut Self {
        assert!(resolution > Duration::ZERO);
        assert!(u64::try_from(resolution.as_nanos()).is_ok());
        self.poll_times.scaled().resolution = resolution;
        self
    }

    /// How many buckets there are.
    #[deprecated(note = "use `metrics_poll_time_histogram_configuration`")]
    pub fn metrics_poll_count_histogram_buckets(&mut self, buckets: usize) -> &mut Self {
        self.poll_times.scaled().count = buckets;
        self
    }

    /// Measures how long each task waits for its turn, for
    /// [`TaskMeta::schedule_latency`](crate::runtime::TaskMeta::schedule_latency).
    ///
    /// Off by default, as it reads the clock at each wake and each poll.
    ///
    /// ```
    /// let runtime = heist::runtime::Builder::new_current_thread()
    ///     .track_task_schedule_latency()
    ///     .on_before_task_poll(|task| assert!(task.schedule_latency().is_some()))
    ///     .build()
    ///     .unwrap();
    /// runtime.block_on(async { heist::spawn(async {}).await.unwrap() });
    /// ```
    pub fn track_task_schedule_latency(&mut self) -> &mut Self {
        self.hooks.track_latency = true;
        self
    }

    /// [Measures](Self::track_task_schedule_latency) how long tasks wait for their turn, and has each worker
    /// keep a histogram of it.
    pub fn enable_metrics_schedule_latency_histogram(&mut self) -> &mut Self {
        self.latencies.enabled = true;
        self.track_task_schedule_latency()
    }

    /// The buckets for the time that tasks wait for their turn: ten of 100 µs by default.
    pub fn metrics_schedule_latency_histogram_configuration(
        &mut self,
        configuration: HistogramConfiguration,
    ) -> &mut Self {
        self.latencies.buckets = configuration;
        self
    }

    /// [`enable_time`](Self::enable_time), as each worker has timers of its own anyway, with one difference:
    /// timers that still wait outside of tasks when a multi-thread runtime ends are done then, as if their
    /// time had come. Without this, to poll one panics.
    ///
    /// ```
    /// use heist::runtime::Builder;
    /// use heist::time::{Duration, sleep};
    /// use std::pin::pin;
    ///
    /// let first = Builder::new_multi_thread().enable_alt_timer().build().unwrap();
    /// let second = Builder::new_current_thread().build().unwrap();
    /// let mut hour = pin!(first.block_on(async { sleep(Duration::from_secs(3600)) }));
    /// second.block_on(async {
    ///     heist::select! {
    ///         biased;
    ///         () = &mut hour => unreachable!("it waits with the first runtime's timers"),
    ///         () = std::future::ready(()) => {}
    ///     }
    /// });
    /// drop(first);
    /// second.block_on(hour);
    /// ```
    pub fn enable_alt_timer(&mut self) -> &mut Self {
        self.alt_timer = true;
        self.enable_time()
    }

    /// Has a sleeping sibling woken to look after I/O when a worker that did so gets up to run a task.
    ///
    /// By default a worker that waits for I/O and gets up for a single task has nobody woken: most tasks are done, and
    /// the worker waits again, before a sibling would be there. If the task takes long, or blocks, what becomes ready
    /// meanwhile waits until somebody finds that out: 12 to 20 milliseconds where there was something to do lately, and up
    /// to 170. Where polls are long, and for a second after a poll of more than 10 milliseconds was seen, it is done by
    /// default.
    ///
    /// It costs a wake of a thread for each event that comes alone. It has no effect on a current-thread runtime.
    pub fn enable_eager_driver_handoff(&mut self) -> &mut Self {
        self.eager_handoff = true;
        self
    }

    /// Accepted, without effect: the pool's queue is as it is.
    pub fn enable_sharded_blocking_queue(&mut self) -> &mut Self {
        self
    }

    /// As [`enable_io`](Self::enable_io): files are read and written on the blocking pool, as on a kernel that has no
    /// io_uring.
    pub fn enable_io_uring(&mut self) -> &mut Self {
        self.enable_io()
    }

    /// Starts with a paused clock: time moves only by [`advance`](crate::time::advance), or when all
    /// tasks wait. For tests, on a current-thread runtime.
    pub fn start_paused(&mut self, start_paused: bool) -> &mut Self {
        self.start_paused = start_paused;
        self
    }

    /// Makes the runtime.
    ///
    /// # Errors
    ///
    /// If the system gives no thread, or no descriptors for the reactor.
    ///
    /// # Panics
    ///
    /// If a multi-thread runtime is to start with a paused clock; or if the environment says
    /// [how many workers](Self::worker_threads) it is to have, and that is no number, or 0; or if a histogram was asked for that
    /// has no buckets, or buckets of no width.
    pub fn build(&mut self) -> io::Result<Runtime> {
        let scheduler = match self.flavor {
            Flavor::CurrentThread => self.build_current_thread(None)?,
            Flavor::MultiThread => self.build_multi_thread()?,
        };
        context::register(&scheduler);
        Ok(Runtime::from_handle(Handle { scheduler }))
    }

    /// Makes a runtime that belongs to this thread: its tasks need not be `Send`.
    ///
    /// # Errors
    ///
    /// If the system gives no descriptors for the reactor.
    ///
    /// # Panics
    ///
    /// If the builder is one for a multi-thread runtime.
    #[track_caller]
    pub fn build_local(&mut self, options: LocalOptions) -> io::Result<LocalRuntime> {
        let LocalOptions { .. } = options;
        assert!(
            self.flavor == Flavor::CurrentThread,
            "multi_thread is not supported for LocalRuntime"
        );
        let scheduler = self.build_current_thread(Some(ThreadMark::here()))?;
        context::register(&scheduler);
        let runtime = Runtime::from_handle(Handle { scheduler });
        Ok(LocalRuntime::new_on(runtime))
    }

    fn build_current_thread(&self, owner: Option<ThreadMark>) -> io::Result<SchedHandle> {
        let (driver, services, own) = self.build_services(1)?;
        let config = CurrentThreadConfig {
            global_queue_interval: self
                .global_queue_interval
                .unwrap_or(GLOBAL_QUEUE_INTERVAL_CURRENT_THREAD),
            event_interval: self.event_interval,
            owner,
            shutdown_on_panic: self.shutdown_on_panic,
        };
        let scheduler = CurrentThread::new(config, driver, services, self.hooks());
        let handle = SchedHandle::CurrentThread(scheduler);
        let _ = own.set(handle.downgrade());
        Ok(handle)
    }

    fn build_multi_thread(&self) -> io::Result<SchedHandle> {
        let workers = self.workers.unwrap_or_else(default_workers);
        let (driver, services, own) = self.build_services(workers)?;
        let config = CrewConfig {
            workers,
            global_queue_interval: self.global_queue_interval.unwrap_or(GLOBAL_QUEUE_INTERVAL),
            event_interval: self.event_interval,
            use_slot: self.use_slot,
            eager_handoff: self.eager_handoff,
            seed: self.seed.unwrap_or_else(FastRand::entropy),
            cores: available_cores(),
            last_timers: if self.alt_timer {
                Armed::Fired
            } else {
                Armed::ShutDown
            },
        };
        let hooks = self.hooks();
        match &self.scheduler.make {
            None => {
                let crew = Crew::new(Stealing::new(), config, driver, services, hooks);
                start(&crew, SchedHandle::Crew(Arc::clone(&crew)), &own)
            }
            Some(make) => {
                let crew = Crew::new(make(workers), config, driver, services, hooks);
                start(&crew, SchedHandle::Custom(Arc::clone(&crew)), &own)
            }
        }
    }

    fn hooks(&self) -> Hooks {
        let mut hooks = self.hooks.clone();
        hooks.poll_times = self.poll_times.wanted();
        hooks.latencies = self.latencies.wanted();
        hooks
    }

    /// The parts below a scheduler, and a place for the scheduler to be put into: pool threads enter
    /// it.
    #[expect(clippy::type_complexity, reason = "used twice, above")]
    fn build_services(
        &self,
        shards: usize,
    ) -> io::Result<(Driver, Services, Arc<OnceLock<WeakSchedHandle>>)> {
        let driver = Driver::new(
            self.enable_io.then_some(self.io_limits),
            shards.min(available_cores()),
        )?;
        let own = Arc::new(OnceLock::<WeakSchedHandle>::new());
        let mut config = blocking::Config::new(available_cores());
        config.max_threads = self.max_blocking_threads;
        config.keep_alive = self.keep_alive;
        config.stack_size = self.stack_size;
        config.name = Arc::clone(&self.thread_name);
        config.on_start = self.on_thread_start.clone();
        config.on_stop = self.on_thread_stop.clone();
        let enter = {
            let own = Arc::clone(&own);
            move |run: &mut dyn FnMut()| {
                let _entered = own
                    .get()
                    .and_then(WeakSchedHandle::upgrade)
                    .map(context::enter);
                run();
            }
        };
        let enter: Arc<dyn Fn(&mut dyn FnMut()) + Send + Sync> = Arc::new(enter);
        config.around = Some(enter);
        let clock = Clock::new(self.flavor == Flavor::CurrentThread, self.start_paused);
        let services = Services {
            id: RuntimeId::next(),
            name: self.name.clone(),
            reactor: driver.handle().cloned(),
            timers: TimerHandle::new(shards, clock),
            time_enabled: self.enable_time,
            pool: ThreadPool::new(config),
            forced_yields: Counter::default(),
            long_polls: Mutex::new(BTreeMap::new()),
            seeds: self.seed.map(|seed| Mutex::new(FastRand::new(seed))),
        };
        Ok((driver, services, own))
    }
}

/// Starts the workers of `crew`, whose handle is `handle`.
fn start<S: Strategy>(
    crew: &Arc<Crew<S>>,
    handle: SchedHandle,
    own: &OnceLock<WeakSchedHandle>,
) -> io::Result<SchedHandle> {
    let _ = own.set(handle.downgrade());
    if let Err(error) = crew.start() {
        let pool = &crew.services().pool;
        pool.shutdown();
        pool.wait(None);
        return Err(error);
    }
    Ok(handle)
}

fn task_hook<F>(f: F) -> TaskHook
where
    F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
{
    Arc::new(move |task| f(&TaskMeta::new(*task)))
}

/// Cores that this process may use.
fn available_cores() -> usize {
    static CORES: AtomicUsize = AtomicUsize::new(0);
    match CORES.load(Ordering::Relaxed) {
        0 => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            CORES.store(cores, Ordering::Relaxed);
            cores
        }
        cores => cores,
    }
}

fn default_workers() -> usize {
    let Some(text) = std::env::var_os(words::WORKERS) else {
        return available_cores();
    };
    match text.to_str().map(str::parse) {
        Some(Ok(workers)) if workers > 0 => workers,
        _ => panic!(
            "\"{}\" must be a number above 0, and is {text:?}",
            words::WORKERS
        ),
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("flavor", &self.flavor)
            .field("worker_threads", &self.workers)
            .field("max_blocking_threads", &self.max_blocking_threads)
            .field("enable_io", &self.enable_io)
            .field("enable_time", &self.enable_time)
            .field("scheduler", &self.scheduler)
            .finish_non_exhaustive()
    }
}
