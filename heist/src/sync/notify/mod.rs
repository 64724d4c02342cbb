//! Wakes one task or all of them, without a value.
//!
//! **What.** A place to wait, with at most one stored notification.
//!
//! **States.** One word: `generation << 2 | WAITERS | STORED`, and a queue under a lock.
//! `generation` counts the calls of `notify_waiters`. Each waiter has the generation at which its
//! [`Notified`] was made, and a state: `QUEUED`, then one of `ONE`, `LAST`, `ALL`.
//!
//! **Rules.**
//! * Y1. `WAITERS` is set if and only if the queue is not empty; it changes only under the lock.
//!   While it is set, `STORED` is set under the lock only, when all in the queue are notified (Y2).
//! * Y2. A waiter whose generation is not the word's *is* notified, whether or not anybody got round
//!   to telling it. So `notify_waiters` takes effect in one step, for waiters in the queue and for
//!   futures not polled yet, although its wakes come in batches.
//! * Y3. Nobody gives a single notification to a waiter that Y2 says is notified. As the queue is in
//!   the order of joining, and joining requires the word's generation, those are at its front.
//! * Y4. A waiter is taken out of the queue, and *last* its state is set: from then on its node may be
//!   gone.
//! * Y5. A future that is dropped with a single notification it did not return passes it on.
//! * Y6. Wakers are cloned, woken and dropped outside the lock. If one panics, the rest of a
//!   `notify_waiters` still happens, while unwinding.
//!
//! **Orderings.** A notification releases and its receipt acquires: through `STORED` (both are
//! read-modify-writes of the word), through the generation (changed by a releasing `fetch_add`, read
//! by acquire), or through the waiter's state.
//!
//! **Rejected.** A second list for those that `notify_waiters` is telling: Y2 makes it needless.
//!
//! **Tested by** `loom_tests`. Each ordering was weakened by itself: those on the stored notification, the
//! state and the generation are reported as races on a guarded cell or as lost wakes (deadlocks);
//! that of a new future's look at the generation as the lost wake of a task that looks at relaxed
//! flags. Out of loom's reach are those of the exchange that uses up a stored notification: they
//! matter if another notifier comes between the look and the exchange, where loom does not switch.
//! `sync_model` of the integration tests compares random operations with a plain model.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::mem;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker, ready};

use crate::engine::base::budget;
use crate::engine::queue::list::{LinkedList, Links, Node};
use crate::engine::queue::wake_batch::WakeBatch;
use crate::loom::cell::UnsafeCell;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicU8, AtomicUsize};
use crate::loom::sync::{Mutex, MutexGuard};
use crate::sync::StdArc as Arc;

const STORED: usize = 1;
const WAITERS: usize = 2;
const GENERATION: usize = 4;

const QUEUED: u8 = 0;
const ONE: u8 = 1;
const LAST: u8 = 2;
const ALL: u8 = 3;

/// The word's generation, in its place: all that is ever done with one is to compare it.
fn generation(word: usize) -> usize {
    word & !(GENERATION - 1)
}

/// Tells a task that something happened, without saying what.
///
/// [`notify_one`](Self::notify_one) wakes one task that waits in
/// [`notified`](Self::notified)`().await`, or, if none does, lets the next one through at once. It
/// does not count: however often it is called with nobody waiting, one notification is stored. What
/// is to be done, the task finds out for itself, from state it shares with the notifier.
///
/// [`notify_waiters`](Self::notify_waiters) wakes all who wait now and stores nothing.
///
/// # Examples
///
/// A queue whose consumer sleeps when there is nothing to do:
///
/// ```
/// use heist::sync::Notify;
/// use std::collections::VecDeque;
/// use std::sync::Mutex;
///
/// #[derive(Default)]
/// struct Queue {
///     items: Mutex<VecDeque<u32>>,
///     pushed: Notify,
/// }
///
/// impl Queue {
///     fn push(&self, item: u32) {
///         self.items.lock().unwrap().push_back(item);
///         self.pushed.notify_one();
///     }
///
///     /// For a single consumer.
///     async fn pop(&self) -> u32 {
///         loop {
///             if let Some(item) = self.items.lock().unwrap().pop_front() {
///                 return item;
///             }
///             self.pushed.notified().await;
///         }
///     }
/// }
///
/// # futures::executor::block_on(async {
/// let queue = Queue::default();
/// queue.push(1);
/// assert_eq!(queue.pop().await, 1);
/// # });
/// ```
///
/// With several consumers, or with `notify_waiters`, register *before* looking, so that nothing can
/// fall in between: make the future, [`enable`] it, look, then await it.
///
/// ```
/// use heist::sync::Notify;
/// use std::pin::pin;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// async fn wait_until_set(flag: &AtomicBool, changed: &Notify) {
///     loop {
///         let mut notified = pin!(changed.notified());
///         notified.as_mut().enable();
///         if flag.load(Ordering::SeqCst) {
///             return;
///         }
///         notified.await;
///     }
/// }
/// # let changed = Notify::new();
/// # futures::executor::block_on(wait_until_set(&AtomicBool::new(true), &changed));
/// ```
///
/// [`enable`]: crate::sync::futures::Notified::enable
pub struct Notify {
    word: AtomicUsize,
    queue: Mutex<LinkedList<Waiter>>,
}

/// A place in the queue; lives inside its future.
struct Waiter {
    links: Links<Waiter>,
    /// Under the lock while `QUEUED`, then the future's.
    waker: UnsafeCell<Option<Waker>>,
    /// The word's generation when the future was made. Constant.
    generation: usize,
    state: AtomicU8,
    _pinned: PhantomPinned,
}

// SAFETY: the waker is only touched under the queue's lock, or by the future once its state says
// that it is out of the queue (Y4).
unsafe impl Send for Waiter {}
// SAFETY: as above.
unsafe impl Sync for Waiter {}

// SAFETY: the links are a field of the node, and only the list uses them.
unsafe impl Node for Waiter {
    unsafe fn links(node: NonNull<Self>) -> NonNull<Links<Self>> {
        // SAFETY: the caller gives a live node.
        NonNull::from(unsafe { &(*node.as_ptr()).links })
    }
}

/// In models a waiter's end is watched: a touch of its node that is not ordered before it is a race
/// (Y4).
#[cfg(all(test, heist_loom))]
impl Drop for Waiter {
    fn drop(&mut self) {
        self.waker.with_mut(|_| ());
    }
}

type Queue<'a> = MutexGuard<'a, LinkedList<Waiter>>;

impl Notify {
    /// A place to wait, with no notification stored.
    pub fn new() -> Self {
        Self {
            word: AtomicUsize::new(0),
            queue: Mutex::new(LinkedList::new()),
        }
    }

    /// As [`new`](Self::new), in constants and statics.
    ///
    /// ```
    /// use heist::sync::Notify;
    ///
    /// static CONFIG_CHANGED: Notify = Notify::const_new();
    /// CONFIG_CHANGED.notify_waiters();
    /// ```
    #[cfg(not(all(test, heist_loom)))]
    pub const fn const_new() -> Self {
        Self {
            word: AtomicUsize::new(0),
            queue: Mutex::new(LinkedList::new()),
        }
    }

    /// Waits for a notification.
    ///
    /// Ends at once if one is stored, which is thereby used up. A call of
    /// [`notify_waiters`](Self::notify_waiters) counts from the moment this method *returns*; one of
    /// [`notify_one`](Self::notify_one) from the first poll, or [`enable`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue. A notification by `notify_one` that it
    /// had got goes to the next who waits, or is stored.
    ///
    /// [`enable`]: crate::sync::futures::Notified::enable
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::Notify;
    /// use std::sync::Arc;
    ///
    /// let notify = Arc::new(Notify::new());
    /// let waiter = notify.clone();
    /// let task = heist::spawn(async move { waiter.notified().await });
    /// notify.notify_one();
    /// task.await.unwrap();
    /// # }
    /// ```
    pub fn notified(&self) -> Notified<'_> {
        Notified {
            notify: self,
            wait: Wait::new(self),
        }
    }

    /// As [`notified`](Self::notified), with a future that keeps the `Notify` alive.
    ///
    /// # Cancel safety
    ///
    /// As [`notified`](Self::notified): the place in the queue is lost, and a notification that was
    /// meant for this one goes to the next.
    ///
    /// ```
    /// use heist::sync::Notify;
    /// use std::sync::Arc;
    ///
    /// # futures::executor::block_on(async {
    /// let notify = Arc::new(Notify::new());
    /// let notified = notify.clone().notified_owned();
    /// notify.notify_one();
    /// notified.await;
    /// # });
    /// ```
    pub fn notified_owned(self: Arc<Self>) -> OwnedNotified {
        let wait = Wait::new(&self);
        OwnedNotified { notify: self, wait }
    }

    /// Wakes the task that has waited longest; if none waits, stores the notification for the next.
    #[inline]
    pub fn notify_one(&self) {
        self.notify_single(ONE);
    }

    /// Wakes the task that has waited least; if none waits, stores the notification for the next.
    ///
    /// The task that came last has probably the warmest caches. Under constant load the first ones
    /// may starve.
    #[inline]
    pub fn notify_last(&self) {
        self.notify_single(LAST);
    }

    #[inline]
    fn notify_single(&self, kind: u8) {
        let mut word = self.word.load(Relaxed);
        while word & WAITERS == 0 {
            // Also if STORED is set already: the write publishes what this notifier did.
            // Ordering: release pairs with the acquire of who uses the notification up.
            match self
                .word
                .compare_exchange(word, word | STORED, Release, Relaxed)
            {
                Ok(_) => return,
                Err(actual) => word = actual,
            }
        }
        self.notify_queue(self.queue.lock(), kind);
    }

    /// Gives one notification to the queue, or stores it.
    #[cold]
    fn notify_queue(&self, mut queue: Queue<'_>, kind: u8) {
        let generation = generation(self.word.load(Relaxed));
        let mut next = if kind == LAST {
            queue.back()
        } else {
            queue.front()
        };
        // Y3: those at the front may be notified already; whoever did so is about to tell them. If
        // the last one is, all are.
        while let Some(waiter) = next {
            // SAFETY: Y4 — a node in the queue is live.
            if unsafe { waiter.as_ref() }.generation == generation {
                let waker = self.take_out(&mut queue, waiter, kind);
                drop(queue);
                if let Some(waker) = waker {
                    waker.wake();
                }
                return;
            }
            // SAFETY: it is in this queue.
            next = unsafe { queue.next(waiter) };
        }
        // Ordering: release, as in `notify_single`.
        self.word.fetch_or(STORED, Release);
    }

    /// Takes `waiter` out of the queue and sets its state (Y4).
    fn take_out(&self, queue: &mut Queue<'_>, waiter: NonNull<Waiter>, state: u8) -> Option<Waker> {
        // SAFETY: the caller found it in this queue.
        unsafe { queue.remove(waiter) };
        // SAFETY: Y4 — it was in the queue, so it is live until its state is set.
        let waiter = unsafe { waiter.as_ref() };
        // SAFETY: under the lock.
        let waker = waiter.waker.with_mut(|waker| unsafe { (*waker).take() });
        // Ordering: release pairs with the future's acquire; the last touch of the node.
        waiter.state.store(state, Release);
        self.clear_if_empty(queue);
        waker
    }

    /// Keeps Y1 after a removal.
    fn clear_if_empty(&self, queue: &Queue<'_>) {
        if queue.is_empty() && self.word.load(Relaxed) & WAITERS != 0 {
            // Ordering: the flag orders nothing.
            self.word.fetch_and(!WAITERS, Relaxed);
        }
    }

    /// Wakes all who wait.
    ///
    /// That is every future of [`notified`](Self::notified) that exists at this moment, polled or
    /// not. Nothing is stored for later ones, and a notification that was stored stays.
    pub fn notify_waiters(&self) {
        let queue = self.queue.lock();
        // Ordering: release pairs with the acquire loads of the generation (Y2).
        let before = self.word.fetch_add(GENERATION, Release);
        if before & WAITERS == 0 {
            return;
        }
        let mut tell = Tell {
            notify: self,
            done: false,
        };
        drop(tell.next_batch(queue));
        tell.run();
    }
}

/// The telling of those that a new generation has notified. Dropped halfway, by a waker's panic, it
/// carries on (Y6).
struct Tell<'a> {
    notify: &'a Notify,
    done: bool,
}

impl<'a> Tell<'a> {
    /// Takes a batch out; dropping it, without the lock, wakes.
    fn next_batch(&mut self, mut queue: Queue<'a>) -> WakeBatch {
        let generation = generation(self.notify.word.load(Relaxed));
        let mut batch = WakeBatch::new();
        while batch.has_room() {
            // Y2, Y3.
            let notified = queue.front().filter(|waiter| {
                // SAFETY: Y4 — a node in the queue is live.
                unsafe { waiter.as_ref() }.generation != generation
            });
            let Some(waiter) = notified else {
                self.done = true;
                break;
            };
            if let Some(waker) = self.notify.take_out(&mut queue, waiter, ALL) {
                batch.push(waker);
            }
        }
        drop(queue);
        batch
    }

    fn run(&mut self) {
        while !self.done {
            drop(self.next_batch(self.notify.queue.lock()));
        }
    }
}

impl Drop for Tell<'_> {
    fn drop(&mut self) {
        self.run();
    }
}

impl Default for Notify {
    fn default() -> Self {
        Self::new()
    }
}

impl UnwindSafe for Notify {}
impl RefUnwindSafe for Notify {}

impl fmt::Debug for Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word.load(Relaxed);
        f.debug_struct("Notify")
            .field("has_waiters", &(word & WAITERS != 0))
            .field("is_stored", &(word & STORED != 0))
            .finish()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    /// In the queue, or taken out of it and not polled since.
    Queued,
    Done,
}

/// What the two futures have in common.
struct Wait {
    stage: Stage,
    /// It was awaited.
    polled: bool,
    waiter: Waiter,
}

impl Wait {
    fn new(notify: &Notify) -> Self {
        Self {
            stage: Stage::Start,
            polled: false,
            waiter: Waiter {
                links: Links::new(),
                waker: UnsafeCell::new(None),
                // Ordering: acquire, so that a call of `notify_waiters` that this future is too late
                // for happened before it.
                generation: generation(notify.word.load(Acquire)),
                state: AtomicU8::new(QUEUED),
                _pinned: PhantomPinned,
            },
        }
    }

    /// Whether it is sent away, as the budget is spent. Only at its first poll: beside something that spends all at
    /// every poll, who waits for a word to stop is to hear of it.
    fn is_refused(&mut self, cx: &mut Context<'_>) -> bool {
        let is_first = !mem::replace(&mut self.polled, true);
        let is_refused = is_first && !budget::has_budget_remaining();
        if is_refused {
            budget::give_up_turn(cx);
        }
        is_refused
    }

    /// Looks for a notification; if there is none, waits for it with `waker`, or, with `None`, only
    /// takes a place in the queue.
    ///
    /// # Safety
    ///
    /// `self` is pinned, and `notify` is always the same.
    unsafe fn poll(&mut self, notify: &Notify, waker: Option<&Waker>) -> Poll<()> {
        let notified = match self.stage {
            Stage::Start => {
                self.is_told(notify) || {
                    let waker = waker.cloned(); // Y6
                    // SAFETY: pinned, as the caller says.
                    unsafe { self.join_queue(notify, waker) }
                }
            }
            Stage::Queued => self.look(notify, waker),
            Stage::Done => true,
        };
        self.stage = if notified { Stage::Done } else { Stage::Queued };
        if notified {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    /// True if the generation says so (Y2) or a stored notification was there to be used up.
    fn is_told(&self, notify: &Notify) -> bool {
        // Ordering: acquire pairs with the release in `notify_waiters`.
        let mut word = notify.word.load(Acquire);
        loop {
            if generation(word) != self.waiter.generation {
                return true;
            }
            if word & STORED == 0 {
                return false;
            }
            // Ordering: acquire pairs with the release in `notify_single`, and on failure with that
            // in `notify_waiters`.
            match notify
                .word
                .compare_exchange(word, word & !STORED, Acquire, Acquire)
            {
                Ok(_) => return true,
                Err(actual) => word = actual,
            }
        }
    }

    /// Takes a place in the queue, unless a notification has come meanwhile: then true.
    ///
    /// # Safety
    ///
    /// `self` is pinned.
    unsafe fn join_queue(&self, notify: &Notify, waker: Option<Waker>) -> bool {
        let mut queue = notify.queue.lock();
        loop {
            if self.is_told(notify) {
                drop(queue);
                drop(waker); // Y6
                return true;
            }
            // The generation and WAITERS do not change while we have the lock, but STORED may be set
            // as long as WAITERS is not.
            let word = notify.word.load(Relaxed) & !STORED;
            if word & WAITERS != 0
                || notify
                    .word
                    // Ordering: the flag orders nothing.
                    .compare_exchange(word, word | WAITERS, Relaxed, Relaxed)
                    .is_ok()
            {
                break;
            }
        }
        // SAFETY: not in the queue yet, and under the lock.
        self.waiter.waker.with_mut(|slot| unsafe { *slot = waker });
        // SAFETY: pinned; the future's drop takes it out of the queue.
        unsafe { queue.push_back(NonNull::from(&self.waiter)) };
        false
    }

    /// A later poll: true if notified, else the waker is up to date.
    fn look(&self, notify: &Notify, waker: Option<&Waker>) -> bool {
        let mut new: Option<Waker> = None;
        loop {
            // Ordering: acquire pairs with the release in `take_out`.
            if self.waiter.state.load(Acquire) != QUEUED {
                return true;
            }
            let mut queue = notify.queue.lock();
            if self.waiter.state.load(Relaxed) != QUEUED {
                continue;
            }
            // Y2. Ordering: the lock has it, as the generation changes only under it.
            if generation(notify.word.load(Relaxed)) != self.waiter.generation {
                let old = notify.take_out(&mut queue, NonNull::from(&self.waiter), ALL);
                drop(queue);
                drop(old); // Y6
                return true;
            }
            let Some(waker) = waker else { return false };
            // SAFETY: under the lock, in the queue.
            let same = self
                .waiter
                .waker
                .with(|slot| unsafe { (*slot).as_ref().is_some_and(|old| old.will_wake(waker)) });
            if same {
                return false;
            }
            if new.is_some() {
                let old = self
                    .waiter
                    .waker
                    // SAFETY: under the lock, in the queue.
                    .with_mut(|slot| unsafe { std::mem::replace(&mut *slot, new) });
                drop(queue);
                drop(old); // Y6
                return false;
            }
            drop(queue);
            new = Some(waker.clone()); // Y6
        }
    }

    /// The future's end.
    fn leave(&mut self, notify: &Notify) {
        if self.stage != Stage::Queued {
            return;
        }
        // Ordering: acquire pairs with the release in `take_out`.
        match self.waiter.state.load(Acquire) {
            ALL => return,
            QUEUED => {}
            kind => return notify.notify_single(kind), // Y5
        }
        let mut queue = notify.queue.lock();
        match self.waiter.state.load(Relaxed) {
            ALL => {}
            QUEUED => {
                let old = notify.take_out(&mut queue, NonNull::from(&self.waiter), ALL);
                drop(queue);
                drop(old); // Y6
            }
            kind => notify.notify_queue(queue, kind), // Y5
        }
    }
}

/// The future of [`Notify::notified`].
#[must_use = "futures do nothing unless awaited or polled"]
pub struct Notified<'a> {
    notify: &'a Notify,
    wait: Wait,
}

/// The future of [`Notify::notified_owned`].
#[must_use = "futures do nothing unless awaited or polled"]
pub struct OwnedNotified {
    notify: Arc<Notify>,
    wait: Wait,
}

impl Notified<'_> {
    /// Takes a place in the queue now, without waiting.
    ///
    /// From here on a [`notify_one`](Notify::notify_one) can reach this future although it was not
    /// polled. True if it is notified already; awaiting it then ends at once.
    pub fn enable(self: Pin<&mut Self>) -> bool {
        // SAFETY: the waiter, which must stay in place, is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: pinned, and always this `Notify`.
        unsafe { this.wait.poll(this.notify, None) }.is_ready()
    }
}

impl OwnedNotified {
    /// Takes a place in the queue now, without waiting.
    ///
    /// From here on a [`notify_one`](Notify::notify_one) can reach this future although it was not
    /// polled. True if it is notified already; awaiting it then ends at once.
    pub fn enable(self: Pin<&mut Self>) -> bool {
        // SAFETY: the waiter, which must stay in place, is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: pinned, and always this `Notify`.
        unsafe { this.wait.poll(&this.notify, None) }.is_ready()
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: the waiter, which must stay in place, is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        if this.wait.is_refused(cx) {
            return Poll::Pending;
        }
        // SAFETY: pinned, and always this `Notify`.
        ready!(unsafe { this.wait.poll(this.notify, Some(cx.waker())) });
        if budget::has_budget_remaining() {
            budget::spend();
        }
        Poll::Ready(())
    }
}

impl Future for OwnedNotified {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: the waiter, which must stay in place, is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        if this.wait.is_refused(cx) {
            return Poll::Pending;
        }
        // SAFETY: pinned, and always this `Notify`.
        ready!(unsafe { this.wait.poll(&this.notify, Some(cx.waker())) });
        if budget::has_budget_remaining() {
            budget::spend();
        }
        Poll::Ready(())
    }
}

impl Drop for Notified<'_> {
    fn drop(&mut self) {
        self.wait.leave(self.notify);
    }
}

impl Drop for OwnedNotified {
    fn drop(&mut self) {
        self.wait.leave(&self.notify);
    }
}

impl fmt::Debug for Notified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notified")
            .field("stage", &self.wait.stage)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for OwnedNotified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedNotified")
            .field("stage", &self.wait.stage)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;

#[cfg(all(test, heist_loom))]
mod loom_tests;
