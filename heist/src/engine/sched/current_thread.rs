//! The current-thread scheduler: all tasks run on the thread that calls `block_on`.
//!
//! One thread at a time has the core, and with it the queue: the first that calls `block_on`. Others
//! that call it meanwhile poll only their own future, and take over the core when it is free. What is
//! woken on the driving thread goes to its queue, in order; what comes from elsewhere to the
//! injector, and the thread is unparked, wherever it sleeps.
//!
//! With a paused clock, a thread that has nothing to do does not sleep until the next timer but moves
//! the clock there.

mod guest;

use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use self::guest::Guest;
use crate::engine::base::budget::{self, Budget, BudgetScope};
use crate::engine::base::counters::Counter;
use crate::engine::base::parker::{Parker, SharedParker};
use crate::engine::base::thread_mark::ThreadMark;
use crate::engine::base::unwind;
use crate::engine::driver::Driver;
use crate::engine::queue::injector::{Injector, Push};
use crate::engine::sched::counters::{Stretch, WorkerCounters};
use crate::engine::sched::foreign::ForeignCalls;
use crate::engine::sched::push::YIELDS_BEFORE_DRIVERS;
use crate::engine::sched::{Hooks, Services};
use crate::engine::task::{
    self, Closed, Facts, Id, JoinHandle, Listed, Origin, OwnedTasks, Polled, Runnable, Schedule,
    Task,
};
use crate::engine::timer::Armed;
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::AtomicBool;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::loom::thread;

/// How often a thread with a paused clock that must not be moved looks whether it is still paused, at most.
const PAUSED_LOOKS: Duration = Duration::from_millis(1);

crate::loom::thread_local! {
    static DRIVING: Cell<*const DrivingThread> = const { Cell::new(ptr::null()) };
}

/// A thread that has the core, and runs the tasks.
struct DrivingThread {
    scheduler: Arc<CurrentThread>,
    /// The core, while user code runs that might push; the loop has it otherwise.
    core: Cell<Option<Box<Core>>>,
}

/// The scheduler.
pub(crate) struct CurrentThread {
    injector: Injector<Runnable>,
    owned: OwnedTasks,
    driver: Driver,
    hooks: Hooks,
    services: Services,
    config: CurrentThreadConfig,
    /// Where the driving thread sleeps.
    parker: Parker,
    /// Present while nobody drives.
    core: Mutex<Option<Box<Core>>>,
    /// Threads in `block_on` that wait for the core as well.
    waiting: Mutex<Vec<SharedParker>>,
    counters: WorkerCounters,
    foreign_spawned: Counter,
    foreign_completed: Counter,
    foreign_calls: ForeignCalls,
    closed: AtomicBool,
    /// A task panicked, and that is to end all.
    panicked: AtomicBool,
}

/// How it works; the same as a crew's.
#[derive(Debug, Clone)]
pub(crate) struct CurrentThreadConfig {
    pub(crate) global_queue_interval: u32,
    pub(crate) event_interval: u32,
    /// The one thread that drives a local runtime, whose tasks need not be `Send`.
    pub(crate) owner: Option<ThreadMark>,
    /// Whether a panic of a task ends all tasks, and `block_on`.
    pub(crate) shutdown_on_panic: bool,
}

/// What the driving thread owns.
#[derive(Debug)]
struct Core {
    queue: VecDeque<Runnable>,
    /// Tasks until what others pushed comes first; never 0.
    until_injector: u32,
    /// Tasks until the next look at the drivers.
    until_maintain: u32,
    /// Tasks that gave up their turn since the last one.
    yields: u32,
    /// How often each queued task may yield before the drivers are looked at.
    patience: u32,
    /// The thread that had it last.
    driver: Option<ThreadMark>,
}

/// Wakes the future that `block_on` was given.
struct Root {
    woken: AtomicBool,
    scheduler: Arc<CurrentThread>,
}

impl Wake for Root {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Ordering: release gives the next poll of the root what was written before.
        self.woken.store(true, Release);
        // Who drives is awake, and looks before it sleeps: what the drivers bring, above all, is brought by it.
        if !self.scheduler.is_current() {
            self.scheduler.unpark();
        }
    }
}

impl CurrentThread {
    pub(crate) fn new(
        config: CurrentThreadConfig,
        driver: Driver,
        services: Services,
        hooks: Hooks,
    ) -> Arc<Self> {
        let hooks = hooks.complete();
        let core = Core {
            queue: VecDeque::new(),
            until_injector: config.global_queue_interval,
            until_maintain: config.event_interval,
            yields: 0,
            patience: YIELDS_BEFORE_DRIVERS,
            driver: None,
        };
        let counters = WorkerCounters::new(&hooks);
        // Until another one drives it.
        counters.set_thread();
        let scheduler = Arc::new(Self {
            injector: Injector::new(),
            owned: OwnedTasks::new(1),
            driver,
            counters,
            hooks,
            services,
            config,
            parker: Parker::new(),
            core: Mutex::new(Some(Box::new(core))),
            waiting: Mutex::new(Vec::new()),
            foreign_spawned: Counter::default(),
            foreign_completed: Counter::default(),
            foreign_calls: ForeignCalls::new(),
            closed: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
        });
        if let Some(timers) = scheduler.services.timers() {
            let weak = Arc::downgrade(&scheduler);
            timers.shards[0].set_wake_hook(Box::new(move || {
                if let Some(scheduler) = weak.upgrade() {
                    scheduler.unpark();
                }
            }));
        }
        scheduler
    }

    pub(crate) fn services(&self) -> &Services {
        &self.services
    }

    /// Whose it is, if it is a local runtime's.
    pub(crate) fn owner(&self) -> Option<ThreadMark> {
        self.config.owner
    }

    /// True if this thread drives this scheduler.
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        Self::driving(|thread| thread.is_some_and(|thread| ptr::eq(&*thread.scheduler, self)))
    }

    #[inline]
    fn driving<R>(f: impl FnOnce(Option<&DrivingThread>) -> R) -> R {
        let thread = DRIVING.with(Cell::get);
        // SAFETY: `DrivingThread::scope` keeps it borrowed for as long as the pointer is here, and
        // only this thread sees it.
        f(unsafe { thread.as_ref() })
    }

    /// Makes a task of `future`.
    ///
    /// # Safety
    ///
    /// If `F` or its output is not `Send`, the scheduler is driven and shut down, and the handle
    /// used, on this thread only.
    pub(crate) unsafe fn spawn_local<F>(
        self: &Arc<Self>,
        future: F,
        id: Id,
        origin: Origin,
    ) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let origin = self.hooks.on_spawn(id, origin);
        // SAFETY: T11 — shutdown brings every task to its end before it lets go of the scheduler;
        // the rest is the caller's promise.
        let (runnable, join) = unsafe { task::new(future, Arc::as_ptr(self), id, origin) };
        if self.is_current() {
            self.counters.spawned.add(1);
        } else {
            self.foreign_spawned.add_shared(1);
        }
        // SAFETY: the runnable is the run right, and the task is new.
        if self.hooks.list_at_spawn && unsafe { self.adopt(runnable.task()) }.is_err() {
            runnable.cancel();
        } else {
            self.schedule(runnable);
        }
        join
    }

    /// Spawns on a local runtime, of whose tasks nothing leaves the thread it belongs to.
    ///
    /// # Panics
    ///
    /// If it is none, or another thread's.
    #[track_caller]
    pub(crate) fn spawn_on_owner<F>(
        self: &Arc<Self>,
        future: F,
        id: Id,
        origin: Origin,
    ) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        assert!(self.config.owner.is_some_and(ThreadMark::is_here));
        // SAFETY: this is the owner's thread, on which alone a local runtime is driven and shut down
        // (`LocalRuntime` is not `Send`); the handle is `Send` only if the output is.
        unsafe { self.spawn_local(future, id, origin) }
    }

    pub(crate) fn unpark(&self) {
        self.driver.unpark(&self.parker);
    }

    /// Runs `future` to its end, and all tasks meanwhile.
    pub(crate) fn block_on<F: Future>(self: &Arc<Self>, mut future: Pin<&mut F>) -> F::Output {
        let mut guest = None;
        loop {
            let core = self.core.lock().take();
            if let Some(mut core) = core {
                drop(guest);
                if core.driver.is_none_or(|driver| !driver.is_here()) {
                    core.driver = Some(ThreadMark::here());
                    self.counters.set_thread();
                }
                let driving = DrivingThread {
                    scheduler: Arc::clone(self),
                    core: Cell::new(None),
                };
                return driving.scope(core, |core| driving.run(core, future));
            }
            // Somebody else drives. Poll ours, and be told when the core is free.
            let guest = guest.get_or_insert_with(|| Guest::new(self));
            guest.enlist();
            if self.core.lock().is_some() {
                // Freed in between.
                continue;
            }
            let polled = {
                let _budget = BudgetScope::enter(Budget::initial());
                let mut cx = Context::from_waker(&guest.waker);
                future.as_mut().poll(&mut cx)
            };
            if let Poll::Ready(output) = polled {
                return output;
            }
            self.services.count_forced_yields();
            guest.parker.park();
        }
    }

    fn put_back(&self, core: Box<Core>) {
        *self.core.lock() = Some(core);
        let waiting = std::mem::take(&mut *self.waiting.lock());
        for parker in waiting {
            parker.unpark();
        }
    }

    /// Cancels all tasks. Nobody drives any more.
    pub(crate) fn shutdown(self: &Arc<Self>) {
        let core = self.core.lock().take();
        let Some(core) = core else {
            // Only a thread that unwinds out of its own drive can see this; its core is lost, and
            // what was in it was cancelled with it.
            self.closed.store(true, Relaxed);
            return;
        };
        // Relaxed: the flag only saves work.
        if self.closed.swap(true, Relaxed) {
            return self.put_back(core);
        }
        let driving = DrivingThread {
            scheduler: Arc::clone(self),
            core: Cell::new(None),
        };
        driving.scope(core, |mut core| {
            self.end_tasks(&mut core);
            (core, ())
        });
        if let Some(timers) = self.services.timers() {
            timers.shards[0].shutdown(Armed::ShutDown);
        }
        if let Some(reactor) = self.driver.handle() {
            reactor.shutdown();
        }
    }

    /// Cancels all tasks, on this thread and no other, as they may not be `Send`: only when nobody can be about to
    /// push one is the injector closed, and what is pushed after that was spawned after it.
    fn end_tasks(&self, core: &mut Core) {
        self.owned.close(Runnable::cancel);
        loop {
            while let Some(runnable) = core.queue.pop_front() {
                // What it drops may wake and spawn: onto the injector, as the core is here.
                runnable.cancel();
            }
            if let Some(injected) = self.injector.try_take(|len| len) {
                injected.for_each(Runnable::cancel);
            }
            // What is missing is on its way here from a thread that just woke it.
            // F2: the tasks before the calls.
            if self.owned.is_empty() && self.foreign_calls.all_ended() {
                break;
            }
            thread::yield_now();
        }
        self.injector.close().for_each(Runnable::cancel);
    }

    pub(crate) fn num_alive_tasks(&self) -> usize {
        let ended = self.counters.completed.get() + self.foreign_completed.get();
        let spawned = self.counters.spawned.get() + self.foreign_spawned.get();
        spawned.saturating_sub(ended) as usize
    }

    pub(crate) fn spawned_tasks(&self) -> u64 {
        self.counters.spawned.get() + self.foreign_spawned.get()
    }

    pub(crate) fn injector_depth(&self) -> usize {
        self.injector.len()
    }

    pub(crate) fn tasks(&self) -> Vec<Listed> {
        self.owned.list()
    }

    pub(crate) fn counters(&self) -> &WorkerCounters {
        &self.counters
    }

    pub(crate) fn foreign_schedules(&self) -> u64 {
        self.foreign_calls.count()
    }
}

impl Schedule for CurrentThread {
    fn schedule(&self, runnable: Runnable) {
        self.hooks.on_runnable(&runnable);
        let elsewhere = Self::driving(|thread| {
            let Some(thread) = thread.filter(|thread| ptr::eq(&*thread.scheduler, self)) else {
                return Some(runnable);
            };
            match thread.core.take() {
                Some(mut core) => {
                    self.counters.local_schedules.add(1);
                    core.queue.push_back(runnable);
                    self.counters.queue_depth.set(core.queue.len() as u64);
                    thread.core.set(Some(core));
                    None
                }
                None => Some(runnable),
            }
        });
        let Some(runnable) = elsewhere else { return };
        let call = self.foreign_calls.begin();
        match self.injector.push(runnable) {
            Push::First | Push::Joined => self.unpark(),
            // As in `Crew::inject`.
            Push::Closed(runnable) => {
                drop(call);
                runnable.cancel();
            }
        }
    }

    unsafe fn adopt(&self, task: Task) -> Result<(), Closed> {
        // SAFETY: passed on.
        unsafe { self.owned.adopt(0, task) }
    }

    unsafe fn release(&self, task: Task) {
        // SAFETY: passed on.
        unsafe { self.owned.release(task) }
    }

    fn on_complete(&self, task: &Facts<'_>) {
        if self.is_current() {
            self.counters.completed.add(1);
        } else {
            self.foreign_completed.add_shared(1);
        }
        self.hooks.on_terminate(task);
    }

    fn on_panic(&self) {
        if self.config.shutdown_on_panic {
            // Relaxed: tasks are polled by the thread that reads it, or by one that had the core before.
            self.panicked.store(true, Relaxed);
        }
    }
}

impl DrivingThread {
    /// Makes this thread the driving one while `run` runs, and gives the core back after it.
    fn scope<R>(&self, core: Box<Core>, run: impl FnOnce(Box<Core>) -> (Box<Core>, R)) -> R {
        /// Leaves, also when `run` unwinds: the core is with `run` or in the cell.
        struct Leave<'a>(&'a DrivingThread, *const DrivingThread);

        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                DRIVING.with(|driving| driving.set(self.1));
                if let Some(core) = self.0.core.take() {
                    self.0.scheduler.put_back(core);
                }
            }
        }

        let leave = Leave(self, DRIVING.with(|driving| driving.replace(self)));
        let (core, result) = run(core);
        self.core.set(Some(core));
        drop(leave);
        result
    }

    fn run<F: Future>(
        &self,
        mut core: Box<Core>,
        mut future: Pin<&mut F>,
    ) -> (Box<Core>, F::Output) {
        let scheduler = &*self.scheduler;
        let root = Arc::new(Root {
            woken: AtomicBool::new(true),
            scheduler: Arc::clone(&self.scheduler),
        });
        let waker = Waker::from(Arc::clone(&root));
        let mut cx = Context::from_waker(&waker);
        let mut stretch = Stretch::new(self.now());
        loop {
            // Ordering: acquire pairs with the release in `wake_by_ref`. The load saves the write.
            if root.woken.load(Relaxed) && root.woken.swap(false, AcqRel) {
                let polled;
                (core, polled) = self.enter(core, || {
                    let _budget = BudgetScope::enter(Budget::initial());
                    future.as_mut().poll(&mut cx)
                });
                if let Poll::Ready(output) = polled {
                    scheduler.counters.count_busy(&mut stretch, self.now());
                    return (core, output);
                }
                scheduler.services.count_forced_yields();
                if !root.woken.load(Relaxed) {
                    // It began to wait, maybe for the drivers: they are looked at as soon as all
                    // others have nothing to do but yield.
                    core.patience = 1;
                }
            }
            if scheduler.panicked.load(Relaxed) {
                self.end_by_panic(core);
            }
            // A lap: each task that is queued now, here or by others, once. Then the root may have its
            // turn: a root that yields finds that what was spawned before has run.
            self.take_injected(&mut core);
            let lap = (core.queue.len() as u32).clamp(1, scheduler.config.event_interval);
            let mut idle = false;
            for _ in 0..lap {
                core.until_maintain = core.until_maintain.saturating_sub(1);
                match self.next_task(&mut core) {
                    Some(runnable) => core = self.run_task(core, runnable),
                    None => {
                        idle = true;
                        break;
                    }
                }
                if scheduler.panicked.load(Relaxed) {
                    self.end_by_panic(core);
                }
                // In the middle of a lap too, so that looking does not cut it short.
                if core.until_maintain == 0 {
                    core = self.maintain(core);
                }
            }
            if idle {
                core = self.sleep(core, &root, &mut stretch);
            }
        }
    }

    /// A task panicked, and that is to end all: cancels the tasks and panics.
    #[cold]
    fn end_by_panic(&self, mut core: Box<Core>) -> ! {
        // What is spawned from now on is cancelled at once: nobody would run it.
        self.scheduler.end_tasks(&mut core);
        // For `scope`, which gives it back.
        self.core.set(Some(core));
        panic!(
            "a spawned task panicked and the runtime is configured to shut down on unhandled panic"
        );
    }

    fn now(&self) -> Instant {
        self.scheduler.services.clock().now()
    }

    /// Runs user code, with the core where a push finds it.
    #[inline(always)]
    fn enter<R>(&self, core: Box<Core>, f: impl FnOnce() -> R) -> (Box<Core>, R) {
        // As in `WorkerContext::lend`: nothing to drop.
        std::mem::forget(self.core.replace(Some(core)));
        let result = f();
        (self.core.take().expect("a push puts the core back"), result)
    }

    #[inline(always)]
    fn next_task(&self, core: &mut Core) -> Option<Runnable> {
        core.until_injector -= 1;
        if core.until_injector > 0
            && let Some(runnable) = core.queue.pop_front()
        {
            return Some(runnable);
        }
        core.until_injector = self.scheduler.config.global_queue_interval;
        self.take_injected(core);
        core.queue.pop_front()
    }

    /// Queues what others pushed behind what is queued here, as if each had been woken here just now.
    #[inline]
    fn take_injected(&self, core: &mut Core) {
        if !self.scheduler.injector.is_empty()
            && let Some(injected) = self.scheduler.injector.try_take(|len| len)
        {
            core.queue.extend(injected);
        }
    }

    #[inline(always)]
    fn run_task(&self, core: Box<Core>, runnable: Runnable) -> Box<Core> {
        let scheduler = &*self.scheduler;
        scheduler.counters.polls.add(1);
        let outer = budget::replace(Budget::initial());
        let (mut core, polled) =
            self.enter(core, || scheduler.hooks.run(runnable, &scheduler.counters));
        budget::replace(outer);
        if let Polled::Again(runnable) = polled {
            if budget::take_forced_yield() {
                scheduler.counters.forced_yields.add(1);
            }
            core.queue.push_back(runnable);
            // As in `push_yielded` of a worker.
            core.yields += 1;
            if core.yields as usize >= core.patience as usize * core.queue.len() {
                core.until_maintain = 0;
            }
        }
        core
    }

    /// Looks at reactor and timers, without sleeping.
    fn maintain(&self, mut core: Box<Core>) -> Box<Core> {
        core.until_maintain = self.scheduler.config.event_interval;
        core.yields = 0;
        core.patience = YIELDS_BEFORE_DRIVERS;
        let core = self.enter(core, || {
            self.scheduler.driver.poll(0, None);
            let timers = self
                .scheduler
                .services
                .timers()
                .map(|timers| &timers.shards[0]);
            if let Some(timers) = timers.filter(|timers| timers.has_timers()) {
                let _ = unwind::guarded(|| timers.fire(self.now()));
            }
        });
        core.0
    }

    /// Sleeps until there is something to do.
    fn sleep(&self, mut core: Box<Core>, root: &Root, stretch: &mut Stretch) -> Box<Core> {
        let scheduler = &*self.scheduler;
        if let Some(hook) = &scheduler.hooks.before_park {
            (core, ()) = self.enter(core, || hook());
        }
        // Ordering: acquire only for symmetry; the swap in `run` is what the root's poll relies on.
        // A wake that comes after this look unparks us, and one by the drivers, on this thread, ends their turn.
        if core.queue.is_empty() && !root.woken.load(Acquire) && scheduler.injector.is_empty() {
            let counters = &scheduler.counters;
            counters.parks.add(1);
            counters.queue_depth.set(0);
            counters.count_busy(stretch, self.now());
            (core, ()) = self.enter(core, || self.park(root));
            *stretch = Stretch::new(self.now());
            counters.unparks.add(1);
            if core.queue.is_empty() {
                counters.noops.add(1);
            }
        } else {
            core = self.maintain(core);
        }
        if let Some(hook) = &scheduler.hooks.after_unpark {
            (core, ()) = self.enter(core, || hook());
        }
        core
    }

    fn park(&self, root: &Root) {
        let scheduler = &*self.scheduler;
        let clock = scheduler.services.clock();
        let Some(timers) = scheduler.services.timers() else {
            scheduler.driver.park(0, &scheduler.parker, None, |_| false);
            return;
        };
        let timers = &timers.shards[0];
        let now = clock.now();
        let deadline = timers.prepare_sleep(now);
        let jump = deadline.filter(|_| clock.is_paused() && clock.can_auto_advance());
        let timeout = match (deadline, jump) {
            (_, Some(_)) => Some(Duration::ZERO),
            // The clock is paused and must not be moved. It may be resumed meanwhile, by whoever is the reason; till then
            // its deadlines do not come nearer.
            (Some(deadline), None) if clock.is_paused() => {
                Some(deadline.saturating_duration_since(now).max(PAUSED_LOOKS))
            }
            (deadline, None) => deadline.map(|deadline| deadline.saturating_duration_since(now)),
        };
        let rest = scheduler
            .driver
            .park(0, &scheduler.parker, timeout, |_| false);
        timers.awake();
        if let Some(deadline) = jump
            && !rest.was_unparked
            && !root.woken.load(Acquire)
            && scheduler.injector.is_empty()
            && self.nothing_queued()
        {
            clock.advance_to(deadline);
        }
        // As in the driver: a waker that panicked has no claim on this thread.
        let _ = unwind::guarded(|| timers.fire(clock.now()));
    }

    fn nothing_queued(&self) -> bool {
        let core = self.core.take();
        let empty = core.as_ref().is_none_or(|core| core.queue.is_empty());
        self.core.set(core);
        empty
    }
}

impl fmt::Debug for CurrentThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CurrentThread")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
