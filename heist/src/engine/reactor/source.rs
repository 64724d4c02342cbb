//! The readiness of one I/O object, and who waits for it.
//!
//! **What.** A [`Source`] is what the reactor knows of a socket: one atomic word, two cells for the
//! wakers of the `poll_*` functions (one a direction), and a list under a mutex for any number of
//! `ready().await`s. Reading readiness is one load; nothing takes a lock unless it must wait in the
//! list or wake what is in it.
//!
//! **States.** The word, from the top:
//!
//! | bits | name | meaning |
//! |---|---|---|
//! | 32–63 | tick | counts the events; wraps off the top, so all 32 bits always take part |
//! | 31 | `FIXED` | the system refused to move it (R7 of [`reactor`](super)) |
//! | 28–29 | `ELSEWHERE` | so many looks in a row found that another shard suits it better (R8) |
//! | 24–27 | `HOME` | the shard where it is unless all are gathered (R9) |
//! | 16–23 | `LOOKS` | how often its task made such a look |
//! | 12 | `LIST` | somebody is in the list |
//! | 10, 11 | `WRITE.wait`, `WRITE.busy` | the writer's cell |
//! | 8, 9 | `READ.wait`, `READ.busy` | the reader's cell |
//! | 6 | `SHUTDOWN` | the reactor is gone; never cleared |
//! | 0–5 | ready | a [`Ready`] |
//!
//! A cell is *empty* (neither bit), *waiting* (`wait`: it holds a waker), or *busy* (`busy`: one
//! thread is at it). All its transitions are read-modify-writes of the word:
//!
//! ```text
//!           wait()                     wait(): publish
//!   empty ---------> busy (a poller) ----------------> waiting
//!     ^                  | found ready                    |
//!     |<-----------------+                                | event(), shut_down(), release(), wait()
//!     |<--------------------------------- busy (taker) <--+
//! ```
//!
//! **Rules.**
//! * S1. Whoever set `busy` owns the cell until it clears `busy`; nobody else touches the cell. Nobody
//!   waits for a `busy` cell: an event skips it (S2 tells why it may), a second poller asks for
//!   another turn. No user code runs while a cell is busy: wakers are cloned before and dropped or
//!   woken after.
//! * S2. A poller publishes (`busy` → `waiting`) by a compare-and-swap that saw no wanted flag and no
//!   `SHUTDOWN`. An event is a compare-and-swap that adds flags and takes what waits. Both are on one
//!   word, so one comes first: either the event's flags are seen by the poller, or the poller's
//!   `wait` is seen by the event. No wake is lost, and no fence is needed.
//! * S3. A clear names the tick it saw before it tried its operation. If an event came since, the
//!   tick differs and nothing is cleared: the edge the operation did not see is kept.
//! * S4. `READ_CLOSED`, `WRITE_CLOSED` and `SHUTDOWN` are never cleared.
//! * S5. `LIST` changes only under the list's mutex. A waiter sets it by a compare-and-swap that saw
//!   no wanted flag and no `SHUTDOWN` (as in S2) *before* it gives the mutex back; an event that
//!   sees `LIST` takes the mutex and so finds the waiter.
//! * S6. A node in the list belongs to the list's mutex: all its fields are touched under it only.
//!   Its future takes it out before it goes away.
//!
//! **Orderings.** Publishing is a release and taking is an acquire: the taker sees the waker. Clearing
//! `busy` is a release and setting it an acquire: the next owner of the cell comes after the last.
//! All changes of the word are read-modify-writes, so a release is not hidden by what came after it.
//! Clears order nothing: they are relaxed.
//!
//! Weakened by hand, and what failed: publish to relaxed, `take`'s acquire left out
//! (`a_cell_carries_its_waker` and six more); `busy` cleared with relaxed in `take`
//! (`a_cell_passes_from_owner_to_owner`); S1's look at `busy` left out
//! (`two_pollers_and_an_event_keep_the_cell_whole`); S2's, S3's or S5's check left out (deadlocks).
//! Not reached by a model: the acquire of the exchange that sets `busy` (the load before it is one
//! too; it matters only if the word went away and came back in between) and the release of a
//! poller that found news (needs two pollers, an event and a clear).
//!
//! **Rejected.** *Wakers kept in the cell and woken by reference* (saves one reference count a
//! wait): an idle socket would keep the cell of the task that used it last, and user code would run
//! while a cell is busy. *The cells under the list's mutex*: two more read-modify-writes a wait, and
//! a lock in the reactor's loop. *A 16-bit tick*: 65,536 events during one stalled operation would
//! lose an edge.
//!
//! **Tested by** `loom_tests` below and in [`waiters`](super::waiters), and by `tests` in
//! [`reactor`](super).

use std::fmt;
use std::task::{Context, Poll, Waker};

use super::ready::{Interest, Ready};
use super::slots::Place;
use super::waiters::WaiterList;
use crate::engine::queue::wake_batch::WakeBatch;
use crate::loom::cell::UnsafeCell;
use crate::loom::hint;
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::AtomicU64;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

const SHUTDOWN: u64 = 1 << 6;
pub(super) const LIST: u64 = 1 << 12;
/// One look; R8.
const LOOK: u64 = 1 << 16;
const LOOKS: u64 = 0xff * LOOK;
/// R9.
const HOME: u64 = 1 << 24;
pub(super) const MOST_HOMES: usize = 16;
const HOMES: u64 = (MOST_HOMES as u64 - 1) * HOME;
/// One look that found it elsewhere; R8.
const ELSEWHERE: u64 = 1 << 28;
const ALL_ELSEWHERE: u64 = 3 * ELSEWHERE;
const FIXED: u64 = 1 << 31;
const TICK: u64 = 1 << 32;

/// The count of events at the first look. The next ones come at one and a half times that, twice, three times, four
/// times, six times, and so on. What has so few events that it has none would not win back what a move costs, wherever to.
const FIRST_LOOK: u64 = 16;
/// The last one comes while the tick can tell.
const MOST_LOOKS: u64 = 54;

/// One of the two directions, with the bits of its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Direction {
    wait: u64,
    busy: u64,
    interest: Interest,
}

impl Direction {
    pub(crate) const READ: Self = Self {
        wait: 1 << 8,
        busy: 1 << 9,
        interest: Interest::READABLE,
    };
    pub(crate) const WRITE: Self = Self {
        wait: 1 << 10,
        busy: 1 << 11,
        interest: Interest::WRITABLE,
    };
}

/// Both cells' `wait`; shifted by one it is both cells' `busy`.
const WAITS: u64 = Direction::READ.wait | Direction::WRITE.wait;

/// What was seen of a source at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadyEvent {
    tick: u32,
    /// The flags that serve what was asked for.
    pub(crate) ready: Ready,
    /// The reactor is gone.
    pub(crate) is_shutdown: bool,
}

impl ReadyEvent {
    fn new(word: u64, interest: Interest) -> Self {
        Self {
            tick: (word / TICK) as u32,
            ready: ready_bits(word) & Ready::serving(interest),
            is_shutdown: word & SHUTDOWN != 0,
        }
    }

    /// The same moment, with other flags: to clear a part.
    pub(crate) fn with_ready(self, ready: Ready) -> Self {
        Self { ready, ..self }
    }

    /// Nothing to wait for.
    fn is_news(self) -> bool {
        self.is_shutdown || !self.ready.is_empty()
    }
}

fn ready_bits(word: u64) -> Ready {
    Ready::from_bits(word as u8)
}

/// The place for the waker of one direction's `poll_*` functions.
struct WakerCell(UnsafeCell<Option<Waker>>);

impl WakerCell {
    fn new() -> Self {
        Self(UnsafeCell::new(None))
    }

    /// # Safety
    ///
    /// S1: the caller set the cell's `busy`, and has not cleared it.
    unsafe fn replace(&self, waker: Option<Waker>) -> Option<Waker> {
        // SAFETY: S1 — nobody else touches a busy cell.
        self.0
            .with_mut(|cell| unsafe { std::mem::replace(&mut *cell, waker) })
    }
}

// SAFETY: a `Waker` is `Send` and `Sync`, and S1 gives the cell one user at a time.
unsafe impl Sync for WakerCell {}

/// See the module's documentation.
pub(crate) struct Source {
    word: AtomicU64,
    reader: WakerCell,
    writer: WakerCell,
    /// S5, S6.
    pub(super) waiters: Mutex<WaiterList>,
    /// A [`Place`] ([`moving`](super::moving)).
    place: AtomicU64,
}

impl Source {
    /// A source that is taken to be `ready` until an operation says otherwise.
    pub(super) fn new(place: Place, home: usize, ready: Ready) -> Self {
        debug_assert!(home < MOST_HOMES);
        Self {
            word: AtomicU64::new(u64::from(ready.bits()) | (home as u64 * HOME)),
            reader: WakerCell::new(),
            writer: WakerCell::new(),
            waiters: Mutex::new(WaiterList::new()),
            place: AtomicU64::new(place.word()),
        }
    }

    /// Where the reactor finds it.
    pub(super) fn place(&self) -> Place {
        // Relaxed: who acts on it moves the source, or has it to itself (M1, M5).
        Place::from_word(self.place.load(Relaxed))
    }

    /// M1: from now on the caller alone says where it is, until [`settle`](Self::settle). `None` if another does.
    pub(super) fn begin_move(&self) -> Option<Place> {
        let place = self.place();
        // Ordering: acquire pairs with the release in `settle`: one move comes after the other.
        let begun = !place.is_moving()
            && (self.place)
                .compare_exchange(place.word(), place.moving().word(), Acquire, Relaxed)
                .is_ok();
        begun.then_some(place)
    }

    /// M1: it is at `place` now.
    pub(super) fn settle(&self, place: Place) {
        // Ordering: release pairs with the acquire in `begin_move`.
        self.place.store(place.word(), Release);
    }

    /// R9: where it is unless all are gathered.
    pub(super) fn home(&self) -> usize {
        ((self.word.load(Relaxed) & HOMES) / HOME) as usize
    }

    /// R8, R9: whether so much has happened to it that a move may pay.
    #[inline]
    pub(super) fn is_busy(&self) -> bool {
        self.word.load(Relaxed) / TICK >= FIRST_LOOK
    }

    /// R8: another shard suits it better.
    pub(super) fn set_home(&self, home: usize) {
        self.change(|word| (word & !HOMES) | (home as u64 * HOME));
    }

    /// R8: a look found whether it is `elsewhere` than its packets. True if that was so at some in a row, of which the next is
    /// the first.
    pub(super) fn is_often(&self, elsewhere: bool) -> bool {
        let before = self.change(|word| match word & ALL_ELSEWHERE {
            _ if !elsewhere => word & !ALL_ELSEWHERE,
            many if many == ALL_ELSEWHERE - ELSEWHERE => word & !ALL_ELSEWHERE,
            _ => word + ELSEWHERE,
        });
        elsewhere && before & ALL_ELSEWHERE == ALL_ELSEWHERE - ELSEWHERE
    }

    /// R7: the system refused to move it: it is not tried again.
    pub(super) fn fix(&self) {
        self.word.fetch_or(FIXED, Relaxed);
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.word.load(Relaxed) & FIXED != 0
    }

    /// Relaxed: for what orders nothing. Gives the word before.
    fn change(&self, change: impl Fn(u64) -> u64) -> u64 {
        let mut word = self.word.load(Relaxed);
        loop {
            match (self.word).compare_exchange_weak(word, change(word), Relaxed, Relaxed) {
                Ok(before) => return before,
                Err(now) => word = now,
            }
        }
    }

    /// R8: the number of the look that is due after so many events, which is counted as made.
    #[inline]
    pub(super) fn begin_look(&self) -> Option<u64> {
        let word = self.word.load(Relaxed);
        let looks = (word & LOOKS) / LOOK;
        let at = || (FIRST_LOOK + FIRST_LOOK / 2 * (looks % 2)) << (looks / 2);
        let is_due = looks < MOST_LOOKS && word / TICK >= at();
        if is_due {
            self.word.fetch_add(LOOK, Relaxed);
        }
        is_due.then_some(looks)
    }

    /// What the source is ready for now, as far as `interest` goes.
    #[inline]
    pub(crate) fn peek(&self, interest: Interest) -> ReadyEvent {
        // Ordering: acquire keeps the operation that follows behind the tick it will name (S3).
        ReadyEvent::new(self.word.load(Acquire), interest)
    }

    /// As [`peek`](Self::peek), `None` if there is something to wait for.
    #[inline]
    pub(super) fn news(&self, interest: Interest) -> Option<ReadyEvent> {
        Some(self.peek(interest)).filter(|event| event.is_news())
    }

    /// Forgets the flags of `event`, which an operation has found to be over, unless another event
    /// came since (S3). The closed flags stay (S4).
    #[inline]
    pub(crate) fn clear(&self, event: ReadyEvent) {
        let over = u64::from((event.ready - Ready::CLOSED).bits());
        let mut word = self.word.load(Relaxed);
        while word & over != 0 && (word / TICK) as u32 == event.tick {
            match self
                .word
                .compare_exchange_weak(word, word & !over, Relaxed, Relaxed)
            {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// The event itself: adds `ready`, and takes the wakers of those that wait for it in a cell.
    /// True if somebody may wait in the list: the caller goes on with
    /// [`wake_list`](Self::wake_list). `batch` has room for two.
    pub(super) fn event(&self, ready: Ready, batch: &mut WakeBatch) -> bool {
        let mut served = 0;
        for direction in [Direction::READ, Direction::WRITE] {
            if ready.serves(direction.interest) {
                served |= direction.wait;
            }
        }
        let flags = u64::from(ready.bits());
        self.set_and_take(|word| (word | flags).wrapping_add(TICK), served, batch)
    }

    /// The reactor goes: whoever waits is woken, and nobody waits again. As [`event`](Self::event).
    pub(super) fn shut_down(&self, batch: &mut WakeBatch) -> bool {
        self.set_and_take(|word| word | SHUTDOWN, WAITS, batch)
    }

    /// Drops the wakers in the cells. The registration calls it when it ends, so that a waker that
    /// owns the socket does not own itself.
    pub(super) fn release(&self) {
        let mut batch = ReleaseBatch::default();
        self.take(|word| word, WAITS, |waker| batch.push(waker));
    }

    fn set_and_take(&self, set: impl Fn(u64) -> u64, waits: u64, batch: &mut WakeBatch) -> bool {
        self.take(set, waits, |waker| batch.push(waker)) & LIST != 0
    }

    /// Changes the word by `set`, and in the same step takes the cells of `waits` that hold a waker.
    /// Gives the word before.
    fn take(&self, set: impl Fn(u64) -> u64, waits: u64, mut give: impl FnMut(Waker)) -> u64 {
        let mut word = self.word.load(Relaxed);
        let taken = loop {
            let taken = word & waits;
            // Waiting → busy, and only then ours (S1). A busy cell is left to its owner (S2).
            let next = (set(word) & !taken) | (taken << 1);
            // Ordering: acquire pairs with the release of the publisher, so that the waker is seen;
            // release makes what led to the event visible to whoever sees its flags.
            match self.word.compare_exchange_weak(word, next, AcqRel, Relaxed) {
                Ok(_) => break taken,
                Err(now) => word = now,
            }
        };
        if taken != 0 {
            let mut wakers = [None, None];
            if taken & Direction::READ.wait != 0 {
                // SAFETY: S1 — we set the reader's `busy` above.
                wakers[0] = unsafe { self.reader.replace(None) };
            }
            if taken & Direction::WRITE.wait != 0 {
                // SAFETY: S1 — we set the writer's `busy` above.
                wakers[1] = unsafe { self.writer.replace(None) };
            }
            // Ordering: release pairs with the acquire of whoever sets `busy` next.
            self.word.fetch_and(!(taken << 1), Release);
            wakers.into_iter().flatten().for_each(&mut give);
        }
        word
    }

    /// Ready in `direction`, or the task of `cx` will be woken when it is. Of several tasks that
    /// wait in one direction this way, only the last is woken.
    #[inline]
    pub(crate) fn poll_ready(
        &self,
        cx: &mut Context<'_>,
        direction: Direction,
    ) -> Poll<ReadyEvent> {
        match self.news(direction.interest) {
            Some(event) => Poll::Ready(event),
            None => self.wait(cx, direction),
        }
    }

    fn wait(&self, cx: &mut Context<'_>, direction: Direction) -> Poll<ReadyEvent> {
        let cell = if direction == Direction::READ {
            &self.reader
        } else {
            &self.writer
        };
        // Our waker, cloned while no cell is busy (S1).
        let mut ours: Option<Waker> = None;
        // Who waited here before; dropped when all is done.
        let mut _before = None;
        // Ordering: acquire, here and where an exchange fails, as in `peek`.
        let mut word = self.word.load(Acquire);
        loop {
            let event = ReadyEvent::new(word, direction.interest);
            if event.is_news() {
                return Poll::Ready(event);
            }
            if word & direction.busy != 0 {
                // S1: an event is about to wake who waited here, or another task waits in the same
                // direction at the same moment. Neither takes long, but we do not wait for it.
                hint::spin_loop();
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            let is_waiting = word & direction.wait != 0;
            if !is_waiting && ours.is_none() {
                ours = Some(cx.waker().clone());
            }
            let busy = (word & !direction.wait) | direction.busy;
            // Ordering: acquire pairs with the release of the cell's last owner.
            if let Err(now) = self
                .word
                .compare_exchange_weak(word, busy, Acquire, Acquire)
            {
                word = now;
                continue;
            }
            // SAFETY: S1 — we set `busy`.
            let stored = unsafe { cell.replace(None) };
            let waker = match stored {
                Some(waker) if waker.will_wake(cx.waker()) => waker,
                stored => {
                    _before = stored;
                    match ours.take() {
                        Some(waker) => waker,
                        None => {
                            // Ours is yet to be cloned, which is user code: begin again.
                            // Ordering: release pairs with the acquire of the cell's next owner;
                            // acquire as in `peek`.
                            word = self.word.fetch_and(!direction.busy, AcqRel) & !direction.busy;
                            ours = Some(cx.waker().clone());
                            continue;
                        }
                    }
                }
            };
            return self.publish(cell, direction, busy, waker);
        }
    }

    /// The second half of [`wait`](Self::wait): puts `waker` into the busy cell and says so, unless
    /// there is news (S2).
    fn publish(
        &self,
        cell: &WakerCell,
        direction: Direction,
        mut word: u64,
        waker: Waker,
    ) -> Poll<ReadyEvent> {
        // SAFETY: S1 — the caller set `busy`.
        unsafe { cell.replace(Some(waker)) };
        loop {
            let event = ReadyEvent::new(word, direction.interest);
            if event.is_news() {
                // SAFETY: S1 — still ours.
                let waker = unsafe { cell.replace(None) };
                // Ordering: release pairs with the acquire of the cell's next owner.
                self.word.fetch_and(!direction.busy, Release);
                drop(waker);
                return Poll::Ready(event);
            }
            let waiting = (word & !direction.busy) | direction.wait;
            // Ordering: release pairs with the acquire of whoever takes the waker; acquire on failure
            // as in `peek`.
            match self
                .word
                .compare_exchange_weak(word, waiting, Release, Acquire)
            {
                Ok(_) => return Poll::Pending,
                Err(now) => word = now,
            }
        }
    }

    /// S5: sets `LIST` if there is nothing new for `interest`; the caller has the list's mutex.
    pub(super) fn mark_list(&self, interest: Interest) -> Option<ReadyEvent> {
        // Ordering: acquire, here and on failure, as in `peek`.
        let mut word = self.word.load(Acquire);
        loop {
            let event = ReadyEvent::new(word, interest);
            if event.is_news() {
                return Some(event);
            }
            // The mutex orders what is in the list; the word only says that there is something. A
            // relaxed exchange, also when the bit is set: that one orders us with the next event.
            match self
                .word
                .compare_exchange_weak(word, word | LIST, Relaxed, Acquire)
            {
                Ok(_) => return None,
                Err(now) => word = now,
            }
        }
    }

    /// S5: clears `LIST`; the caller has the list's mutex, and the list is empty.
    pub(super) fn unmark_list(&self) {
        self.word.fetch_and(!LIST, Relaxed);
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word.load(Relaxed);
        f.debug_struct("Source")
            .field("ready", &ready_bits(word))
            .field("tick", &(word / TICK))
            .field("is_shutdown", &(word & SHUTDOWN != 0))
            .finish_non_exhaustive()
    }
}

/// Wakers to be dropped, not woken.
#[derive(Default)]
struct ReleaseBatch([Option<Waker>; 2]);

impl ReleaseBatch {
    fn push(&mut self, waker: Waker) {
        let free = usize::from(self.0[0].is_some());
        self.0[free] = Some(waker);
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;
