//! The pool: what is done outside the lock. The protocol is in the [module docs](super).

use std::cell::Cell;
use std::fmt;
use std::io;
use std::mem;
use std::time::{Duration, Instant};

use super::job::{Job, Mandatory, SubmitError};
use super::roster::{Next, Roster, Step};
use crate::engine::base::parker::Parker;
use crate::engine::base::spin::{SPARED, Spin};
use crate::engine::base::unwind;
use crate::loom::sync::{Arc, Condvar, Mutex, MutexGuard};
use crate::loom::thread;

/// Work that must have a thread of its own at once.
pub(crate) type Duty = Box<dyn FnOnce() + Send>;

// Closures of the user and of the layer above. `std`'s `Arc` also in models: loom's cannot hold a
// `dyn`, and nothing is synchronised through these.
type SharedFn<F> = std::sync::Arc<F>;

/// Called at a thread's start or end.
pub(crate) type Hook = SharedFn<dyn Fn() + Send + Sync>;
/// Calls its argument exactly once, inside the runtime's context.
pub(crate) type Around = SharedFn<dyn Fn(&mut dyn FnMut()) + Send + Sync>;
/// Gives each thread its name.
pub(crate) type Name = SharedFn<dyn Fn() -> String + Send + Sync>;

/// How the pool's threads are.
#[derive(Clone)]
pub(crate) struct Config {
    /// The most threads there are at a time, besides those on duty. At least one.
    pub(crate) max_threads: usize,
    /// How long an idle thread stays.
    pub(crate) keep_alive: Duration,
    pub(crate) name: Name,
    pub(crate) stack_size: Option<usize>,
    pub(crate) on_start: Option<Hook>,
    pub(crate) on_stop: Option<Hook>,
    /// Runs a thread's whole life, hooks included, inside the runtime's context. The pool keeps it
    /// as long as it lives: to be held by the very runtime that holds the pool, it has to hold that
    /// runtime weakly.
    pub(crate) around: Option<Around>,
    /// How many threads can run at a time.
    pub(crate) cores: usize,
}

impl Config {
    /// The defaults, for a machine with `cores`.
    pub(crate) fn new(cores: usize) -> Self {
        Self {
            max_threads: 512,
            keep_alive: Duration::from_secs(10),
            name: SharedFn::new(|| String::from("heist-rt-worker")),
            stack_size: None,
            on_start: None,
            on_stop: None,
            around: None,
            cores,
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("max_threads", &self.max_threads)
            .field("keep_alive", &self.keep_alive)
            .field("stack_size", &self.stack_size)
            .field("cores", &self.cores)
            .finish_non_exhaustive()
    }
}

/// The threads of a runtime. A handle: clones are the same pool, which outlives them as long as it
/// has threads.
pub(crate) struct ThreadPool<J: Job>(Arc<Core<J>>);

struct Core<J: Job> {
    roster: Mutex<Roster<J>>,
    /// Rung when the last member leaves; goes with `roster`.
    all_left: Condvar,
    spin: Spin,
    config: Config,
}

/// Which pool this thread is a member of.
#[derive(Clone, Copy)]
enum Membership {
    None,
    /// By the core's address.
    In(usize),
    /// It has left for good, and only its thread-local destructors run.
    Left(usize),
}

crate::loom::thread_local! {
    static MEMBERSHIP: Cell<Membership> = const { Cell::new(Membership::None) };
}

impl<J: Job> Clone for ThreadPool<J> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<J: Job> fmt::Debug for ThreadPool<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("config", &self.0.config)
            .finish_non_exhaustive()
    }
}

impl<J: Job> ThreadPool<J> {
    /// A pool without threads: they come with the work.
    pub(crate) fn new(config: Config) -> Self {
        assert!(config.max_threads > 0, "a pool needs at least one thread");
        Self(Arc::new(Core {
            roster: Mutex::new(Roster::new(config.max_threads)),
            all_left: Condvar::new(),
            spin: Spin::new(config.cores, SPARED),
            config,
        }))
    }

    /// Queues `job`, to be run by a pool thread.
    pub(crate) fn submit(&self, job: J, mandatory: Mandatory) -> Result<(), SubmitError<J>> {
        let (ticket, step) = {
            let mut roster = self.0.lock();
            if roster.is_closed() {
                drop(roster);
                return Err(SubmitError::ShutDown(job));
            }
            roster.push(job, mandatory)
        };
        let Err((error, stranded)) = self.take(step) else {
            return Ok(());
        };
        let mut own = None;
        for queued in stranded {
            if queued.ticket() == ticket {
                own = Some(queued.job);
            } else {
                // B7: accepted on the strength of the creation that has just failed.
                guarded(|| queued.job.cancel());
            }
        }
        match own {
            Some(job) => Err(SubmitError::NoThread(error, job)),
            // Somebody has it, or has had it.
            None => Ok(()),
        }
    }

    /// Starts `duty` on a thread of its own, or gives it back.
    pub(crate) fn start_duty(&self, duty: Duty) -> Result<(), (io::Error, Duty)> {
        let step = {
            let mut roster = self.0.lock();
            if roster.is_closed() {
                drop(roster);
                return Err((io::Error::other("the thread pool is shut down"), duty));
            }
            roster.assign(duty)
        };
        match step {
            Step::Create(id, bell) => self.create(id, bell).map_err(|error| {
                let mut roster = self.0.lock();
                let (duty, stranded) = roster.not_created(id);
                self.0.tell_waiters(&mut roster);
                debug_assert!(stranded.is_empty(), "a duty's thread was for no job");
                match duty {
                    Some(duty) => (error, duty),
                    None => unreachable!("a thread that does not exist cannot take its duty"),
                }
            }),
            Step::Ring(bell) | Step::RingOn(bell) => {
                bell.unpark();
                Ok(())
            }
            Step::Done => Ok(()),
        }
    }

    /// Lets nobody in any more: queued jobs are cancelled, here, unless they are mandatory; idle
    /// threads leave, the others leave when they have done what they do. Does not wait. May be
    /// called again.
    pub(crate) fn shutdown(&self) {
        let (bells, cancelled) = self.0.lock().close();
        for bell in bells {
            bell.unpark();
        }
        for queued in cancelled {
            guarded(|| queued.job.cancel());
        }
    }

    /// Waits until every thread has left, at most `timeout`; true if they have. A thread of this
    /// pool does not wait for itself (B10).
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> bool {
        // A time too far away to be named never comes.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let address = self.0.address();
        let membership = MEMBERSHIP.with(Cell::get);
        let is_member = matches!(membership, Membership::In(pool) if pool == address);
        let has_left = matches!(membership, Membership::Left(pool) if pool == address);

        let mut roster = self.0.lock();
        if is_member && roster.member_waits() {
            self.0.all_left.notify_all();
        }
        let mut over = roster.is_over(is_member);
        while !over {
            match deadline {
                None => roster = self.0.all_left.wait(roster),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    (roster, _) = self.0.all_left.wait_timeout(roster, left);
                }
            }
            over = roster.is_over(is_member);
        }
        if is_member {
            roster.member_waits_no_more();
        }
        if over && !has_left && timeout != Some(Duration::ZERO) {
            // B9: those are past everything but their thread-locals, and do not wait for us.
            let left = roster.take_left();
            drop(roster);
            join(left);
        }
        over
    }

    /// Threads that are there for jobs, whether idle or not.
    pub(crate) fn num_threads(&self) -> usize {
        self.0.lock().pool_threads()
    }

    /// Those of [`num_threads`](Self::num_threads) that have nothing to do.
    pub(crate) fn num_idle_threads(&self) -> usize {
        self.0.lock().idle_threads()
    }

    /// Jobs that no thread has taken yet.
    pub(crate) fn queue_depth(&self) -> usize {
        self.0.lock().queue_depth()
    }

    #[cfg(test)]
    pub(super) fn set_faults(&self, faults: super::roster::Faults) {
        self.0.lock().faults = faults;
    }

    /// Does what the roster asked for. On failure, the error and the jobs that nobody would come
    /// for.
    fn take(&self, mut step: Step) -> Result<(), (io::Error, Stranded<J>)> {
        loop {
            let (id, bell) = match step {
                Step::Done => return Ok(()),
                Step::Ring(bell) => {
                    bell.unpark();
                    return Ok(());
                }
                Step::RingOn(bell) => {
                    bell.unpark();
                    step = self.0.lock().muster();
                    continue;
                }
                Step::Create(id, bell) => (id, bell),
            };
            let Err(error) = self.create(id, bell) else {
                return Ok(());
            };
            let mut roster = self.0.lock();
            let (_, stranded) = roster.not_created(id);
            step = roster.muster_again();
            if let Step::Done = step {
                self.0.tell_waiters(&mut roster);
                return Err((error, stranded));
            }
        }
    }

    fn create(&self, id: usize, bell: Arc<Parker>) -> io::Result<()> {
        #[cfg(test)]
        {
            let mut roster = self.0.lock();
            if roster.faults.creations > 0 {
                roster.faults.creations -= 1;
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
        let core = Arc::clone(&self.0);
        let config = &self.0.config;
        let created = guarded(|| {
            let mut builder = thread::Builder::new().name((config.name)());
            if let Some(size) = config.stack_size {
                builder = builder.stack_size(size);
            }
            let life: Box<dyn FnOnce() + Send> = Box::new(move || Self(core).live(id, &bell));
            builder.spawn(life)
        });
        let handle = match created {
            Some(result) => result?,
            None => return Err(io::Error::other("the thread's name panicked")),
        };
        if self.0.lock().created(id, handle) {
            self.0.all_left.notify_all();
        }
        Ok(())
    }

    // From here on: on a pool thread.

    /// A member's life.
    fn live(self, id: usize, bell: &Parker) {
        let address = self.0.address();
        MEMBERSHIP.with(|membership| membership.set(Membership::In(address)));

        let mut served = false;
        let mut serve = || {
            if !mem::replace(&mut served, true) {
                self.serve(id, bell);
            }
        };
        match &self.0.config.around {
            Some(around) => {
                guarded(|| around(&mut serve));
                // Only if `around` panicked before it came to the point: the member is expected.
                serve();
            }
            None => serve(),
        }

        let (before, last) = self.0.lock().leave(id);
        MEMBERSHIP.with(|membership| membership.set(Membership::Left(address)));
        if last {
            self.0.all_left.notify_all();
        }
        drop(self);
        join(before);
    }

    fn serve(&self, id: usize, bell: &Parker) {
        if let Some(hook) = &self.0.config.on_start {
            guarded(|| hook());
        }
        let mut next = self.0.lock().next(id);
        loop {
            next = match next {
                Next::Run(job, step) => {
                    // B2: the chain first. If no thread is to be had, this one comes back (B1).
                    if let Err((_, stranded)) = self.take(step) {
                        debug_assert!(stranded.is_empty(), "B7: this thread lives");
                    }
                    guarded(|| job.run());
                    self.0.lock().next(id)
                }
                Next::Duty(duty) => {
                    guarded(duty);
                    self.0.lock().duty_done(id)
                }
                Next::Nap { awake } => {
                    if self.nap(bell, awake) {
                        self.0.lock().next(id)
                    } else {
                        self.0.lock().nap_over(id)
                    }
                }
                Next::Leave => break,
            };
        }
        if let Some(hook) = &self.0.config.on_stop {
            guarded(|| hook());
        }
    }

    /// Waits for the bell, at most the keep-alive time; false if that is over.
    #[cfg(not(all(test, heist_loom)))]
    fn nap(&self, bell: &Parker, awake: usize) -> bool {
        if self.0.spin.wait(awake, || bell.try_consume()) {
            return true;
        }
        let Some(deadline) = Instant::now().checked_add(self.0.config.keep_alive) else {
            bell.park();
            return true;
        };
        let mut left = self.0.config.keep_alive;
        loop {
            if bell.park_timeout(left) {
                return true;
            }
            left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
        }
    }

    /// As above: the model says whose time is over. It is over at once, and loom puts everything
    /// that can happen before it.
    #[cfg(all(test, heist_loom))]
    fn nap(&self, bell: &Parker, _awake: usize) -> bool {
        {
            let mut roster = self.0.lock();
            if roster.faults.naps > 0 {
                roster.faults.naps -= 1;
                return false;
            }
        }
        bell.park();
        true
    }
}

type Stranded<J> = std::collections::VecDeque<super::job::Queued<J>>;

impl<J: Job> Core<J> {
    fn lock(&self) -> MutexGuard<'_, Roster<J>> {
        self.roster.lock()
    }

    /// A member is no more, whose thread was refused: it may have been the last that somebody waits for.
    fn tell_waiters(&self, roster: &mut Roster<J>) {
        if roster.has_emptied() {
            self.all_left.notify_all();
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

fn join(threads: Vec<thread::JoinHandle<()>>) {
    for thread in threads {
        if let Err(payload) = thread.join() {
            unwind::discard(payload);
        }
    }
}

/// B11: calls the user's code; `None` if it panicked.
#[cfg(not(all(test, heist_loom)))]
fn guarded<R>(f: impl FnOnce() -> R) -> Option<R> {
    unwind::guarded(f)
}

/// A panic in a model is a failed assertion: it goes through.
#[cfg(all(test, heist_loom))]
fn guarded<R>(f: impl FnOnce() -> R) -> Option<R> {
    Some(f())
}
