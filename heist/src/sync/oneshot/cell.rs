//! The cell that the two halves of a oneshot channel share.
//!
//! **What.** One allocation with a state word, the value and a waker for each side. There is no
//! reference count: two bits of the state word say which half has let go, and the second to do so
//! frees the cell.
//!
//! **States.** Bits only ever get set, except the two waker bits before the other side has ended.
//!
//! | bit | set by | meaning |
//! |---|---|---|
//! | `DONE` | sender | it will do nothing more: sent, or dropped |
//! | `VALUE` | sender, together with `DONE` | the value is in the cell |
//! | `CLOSED` | receiver | it accepts nothing more: closed, or dropped |
//! | `TX_GONE`, `RX_GONE` | either | this half will not touch the cell again |
//! | `RX_WAKER` | receiver | its waker is in the cell |
//! | `TX_WAKER` | sender | its waker (of `poll_closed`) is in the cell |
//!
//! **Rules.**
//! * O1. `VALUE` is only set while `CLOSED` is not. Once set, the value belongs to the receiver.
//! * O2. The half that sets its `GONE` bit second frees the cell. A half that finds the other's
//!   `GONE` bit already set is the only owner and frees without another read-modify-write.
//! * O3. The receiver's waker belongs to the receiver while neither `DONE` nor `CLOSED` is set, or
//!   if `CLOSED` was set first; to the sender if `DONE` was set first. So the receiver changes
//!   `RX_WAKER` only by a compare-exchange that sees neither bit, and whoever sets one of them
//!   first with `RX_WAKER` set takes the waker out.
//! * O4. The same for the sender's waker with the roles of `DONE` and `CLOSED` exchanged.
//! * O5. Who has a waker to take out sets `GONE` only after it did. So no freed cell holds one.
//! * O6. Wakers are woken and dropped, and values dropped, after the last touch of the cell: they may
//!   panic, and the state is right by then.
//!
//! **Cost.** A send to a receiver that does not wait yet is one compare-exchange, and the receive
//! after it none: it sees `TX_GONE` (O2). With a waiting receiver the send is two and the wake.
//!
//! **Orderings.** The word is changed with acquire-release throughout: whoever takes over a waker,
//! the value or the whole cell has seen all that the other half did to it.
//!
//! **Rejected.** An `Arc` (two read-modify-writes more); `DONE` and `TX_GONE` always in one step (the
//! sender would read the waker out of a cell that the receiver may have freed).
//!
//! **Tested by** `oneshot/loom_tests.rs`. With a relaxed success, or a success without acquire, in
//! `update`, with a relaxed `fetch_or` in `let_go` or a relaxed load in `word`, its models report
//! races on the value, the wakers or the cell's end.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::task::{Poll, Waker};

use crate::loom::cell::UnsafeCell;
use crate::loom::sync::atomic::AtomicU8;
use crate::loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

const DONE: u8 = 1;
const VALUE: u8 = 1 << 1;
const CLOSED: u8 = 1 << 2;
const TX_GONE: u8 = 1 << 3;
const RX_GONE: u8 = 1 << 4;
const RX_WAKER: u8 = 1 << 5;
const TX_WAKER: u8 = 1 << 6;

/// What the receiver finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The sender has not ended.
    Open,
    /// The value is in the cell.
    Sent,
    /// No value will come.
    Nothing,
}

impl Outcome {
    fn of(word: u8) -> Self {
        if word & VALUE != 0 {
            Self::Sent
        } else if word & (DONE | CLOSED) != 0 {
            Self::Nothing
        } else {
            Self::Open
        }
    }
}

struct Cell<T> {
    rx_waker: WakerSlot,
    tx_waker: WakerSlot,
    value: UnsafeCell<MaybeUninit<T>>,
    word: AtomicU8,
}

/// A waker that is there when the word says so.
struct WakerSlot(UnsafeCell<MaybeUninit<Waker>>);

impl WakerSlot {
    fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// # Safety
    ///
    /// The slot is the caller's (O3, O4).
    unsafe fn put(&self, waker: Waker) {
        // SAFETY: the caller owns the slot.
        self.0.with_mut(|p| unsafe { (*p).write(waker) });
    }

    /// # Safety
    ///
    /// The slot is the caller's (O3, O4), and full; it is empty afterwards.
    unsafe fn take(&self) -> Waker {
        // SAFETY: the caller owns the slot, and it is full.
        self.0.with(|p| unsafe { (*p).assume_init_read() })
    }

    /// # Safety
    ///
    /// The slot is full, and its waker was put in by the caller's half. That the other half may be
    /// taking it out at the same time is no harm: both only read.
    unsafe fn will_wake(&self, waker: &Waker) -> bool {
        // SAFETY: full; nobody writes, as only the caller's half ever does.
        self.0
            .with(|p| unsafe { (*p).assume_init_ref().will_wake(waker) })
    }
}

/// One half's claim on the cell. Its owner ends it by one of the methods that take `self`.
pub(super) struct Ref<T> {
    cell: NonNull<Cell<T>>,
    _owns: PhantomData<Box<Cell<T>>>,
}

// SAFETY: the halves pass the value from one thread to the other, and wakers are `Send + Sync`; O1
// to O5 say who touches what.
unsafe impl<T: Send> Send for Ref<T> {}
// SAFETY: by shared reference a half only looks at the word.
unsafe impl<T: Send> Sync for Ref<T> {}

impl<T> Ref<T> {
    /// A new cell's two halves, the sender's first.
    pub(super) fn pair() -> (Self, Self) {
        let cell = NonNull::from(Box::leak(Box::new(Cell {
            rx_waker: WakerSlot::new(),
            tx_waker: WakerSlot::new(),
            value: UnsafeCell::new(MaybeUninit::uninit()),
            word: AtomicU8::new(0),
        })));
        let half = || Self {
            cell,
            _owns: PhantomData,
        };
        (half(), half())
    }

    fn get(&self) -> &Cell<T> {
        // SAFETY: O2 — the cell lives until both halves have let go.
        unsafe { self.cell.as_ref() }
    }

    fn word(&self) -> u8 {
        // Ordering: acquire pairs with every change of the word by the other half.
        self.get().word.load(Acquire)
    }

    /// Changes the word by `change` until it returns `None`, which ends it with `Err`.
    fn update(&self, change: impl Fn(u8) -> Option<u8>) -> Result<u8, u8> {
        let mut before = self.word();
        while let Some(after) = change(before) {
            // Ordering: release hands over what this half wrote, acquire takes over what the other
            // did (O1 to O5).
            match self
                .get()
                .word
                .compare_exchange(before, after, AcqRel, Acquire)
            {
                Ok(_) => return Ok(before),
                Err(actual) => before = actual,
            }
        }
        Err(before)
    }

    /// Sets `gone`, this half's bit, and frees the cell if the other's was set.
    fn let_go(self, gone: u8) {
        // Ordering: as in `update`; the second to let go must have seen all of the first.
        let before = self.get().word.fetch_or(gone, AcqRel);
        if before & (TX_GONE | RX_GONE) != 0 {
            self.free();
        }
    }

    /// Frees the memory. The caller is the only owner (O2), and has taken out what is in the cell.
    fn free(self) {
        // So that a model sees the end of the cell as an access that excludes all others.
        self.get().value.with_mut(|_| ());
        // SAFETY: O2 — nobody else has the cell, and `pair` made it from a box.
        drop(unsafe { Box::from_raw(self.cell.as_ptr()) });
    }

    // The sender's side.

    pub(super) fn is_closed(&self) -> bool {
        self.word() & CLOSED != 0
    }

    pub(super) fn send(self, value: T) -> Result<(), T> {
        let slot = &self.get().value;
        // SAFETY: O1 — before VALUE, the slot is the sender's.
        slot.with_mut(|p| unsafe { (*p).write(value) });
        let done = self.update(|w| (w & CLOSED == 0).then_some(done_word(w, VALUE)));
        match done {
            Ok(before) => {
                self.finish_sender(before);
                Ok(())
            }
            Err(_) => {
                // SAFETY: O1 — the receiver closed first, so the value is still the sender's.
                let value = self
                    .get()
                    .value
                    .with(|p| unsafe { (*p).assume_init_read() });
                self.drop_sender();
                Err(value)
            }
        }
    }

    pub(super) fn drop_sender(self) {
        match self.update(|w| Some(done_word(w, 0))) {
            Ok(before) => self.finish_sender(before),
            Err(_) => unreachable!("the change is always wanted"),
        }
    }

    /// The sender's end, after it set `DONE` on the word `before`.
    fn finish_sender(self, before: u8) {
        if before & RX_GONE != 0 {
            // The receiver has gone and `done_word` has set TX_GONE. Its CLOSED came first, so it
            // has taken both wakers (O3, O4).
            return self.free();
        }
        if done_word(before, 0) & TX_GONE != 0 {
            return;
        }
        let cell = self.get();
        let receiver = (before & RX_WAKER != 0).then(|| {
            // SAFETY: O3 — DONE came first and RX_WAKER was set.
            unsafe { cell.rx_waker.take() }
        });
        let own = (before & TX_WAKER != 0).then(|| {
            // SAFETY: O4 — CLOSED did not come first and TX_WAKER was set.
            unsafe { cell.tx_waker.take() }
        });
        self.let_go(TX_GONE);
        if let Some(waker) = receiver {
            waker.wake();
        }
        drop(own);
    }

    pub(super) fn poll_closed(&self, waker: &Waker) -> Poll<()> {
        self.poll_waker(CLOSED, TX_WAKER, &self.get().tx_waker, waker)
            .map(drop)
    }

    // The receiver's side.

    pub(super) fn outcome(&self) -> Outcome {
        Outcome::of(self.word())
    }

    pub(super) fn has_value(&self) -> bool {
        self.word() & VALUE != 0
    }

    /// `Ready` when the channel has an outcome: true if that is a value.
    pub(super) fn poll_outcome(&self, waker: &Waker) -> Poll<bool> {
        self.poll_waker(DONE | CLOSED, RX_WAKER, &self.get().rx_waker, waker)
            .map(|word| word & VALUE != 0)
    }

    /// `Ready` with the word once it has a bit of `end`; else `waker` is in `slot`.
    ///
    /// `bit` says whether `slot` is full; both are this half's until a bit of `end` is set (O3, O4).
    fn poll_waker(&self, end: u8, bit: u8, slot: &WakerSlot, waker: &Waker) -> Poll<u8> {
        let word = self.word();
        if word & end != 0 {
            return Poll::Ready(word);
        }
        let mut old = None;
        if word & bit != 0 {
            // SAFETY: the bit says full, and this half put it in.
            if unsafe { slot.will_wake(waker) } {
                return Poll::Pending;
            }
            if let Err(word) = self.update(|w| (w & end == 0).then_some(w & !bit)) {
                return Poll::Ready(word);
            }
            // SAFETY: O3, O4 — the bit was cleared before the end: the slot is ours, and full.
            old = Some(unsafe { slot.take() });
        }
        // The clone and the drop are user code; the slot is empty and the word says so.
        drop(old);
        let waker = waker.clone();
        // SAFETY: O3, O4 — the bit is clear, so nobody else looks at the slot.
        unsafe { slot.put(waker) };
        match self.update(|w| (w & end == 0).then_some(w | bit)) {
            Ok(_) => Poll::Pending,
            Err(word) => {
                // SAFETY: the bit was never set, so the slot is still ours.
                drop(unsafe { slot.take() });
                Poll::Ready(word)
            }
        }
    }

    /// Gives the value out and lets go; the outcome is [`Outcome::Sent`].
    pub(super) fn into_value(self) -> T {
        // SAFETY: O1 — VALUE is set, so the value is the receiver's; and this half ends here.
        let value = self
            .get()
            .value
            .with(|p| unsafe { (*p).assume_init_read() });
        if self.word() & TX_GONE != 0 {
            self.free(); // O2
        } else {
            self.let_go(RX_GONE);
        }
        value
    }

    /// Sets `CLOSED`, wakes the sender and drops the receiver's own waker.
    pub(super) fn close(&self) {
        let Ok(before) = self.update(|w| (w & (CLOSED | DONE) == 0).then_some(w | CLOSED)) else {
            // Closed before, or the sender has ended and there is nothing to refuse. Only the
            // answer of `is_closed` could tell, and nobody is left to ask.
            return;
        };
        let cell = self.get();
        let sender = (before & TX_WAKER != 0).then(|| {
            // SAFETY: O4 — CLOSED came first and TX_WAKER was set.
            unsafe { cell.tx_waker.take() }
        });
        let own = (before & RX_WAKER != 0).then(|| {
            // SAFETY: O3 — CLOSED came first and RX_WAKER was set.
            unsafe { cell.rx_waker.take() }
        });
        if let Some(waker) = sender {
            waker.wake();
        }
        drop(own);
    }

    pub(super) fn drop_receiver(self) {
        /// Lets go also if a waker panics in `close`.
        struct LetGo<T>(Option<Ref<T>>);

        impl<T> Drop for LetGo<T> {
            fn drop(&mut self) {
                let Some(half) = self.0.take() else { return };
                let word = half.word();
                if word & VALUE != 0 {
                    drop(half.into_value());
                } else if word & TX_GONE != 0 {
                    half.free(); // O2
                } else {
                    half.let_go(RX_GONE);
                }
            }
        }

        let half = LetGo(Some(self));
        if let Some(half) = &half.0 {
            // A cell that the sender has left needs no closing.
            if half.get().word.load(Relaxed) & TX_GONE == 0 {
                half.close();
            }
        }
    }
}

/// The word after the sender's end: with `TX_GONE` at once, unless there is a waker for it to take
/// out (O5).
fn done_word(before: u8, value: u8) -> u8 {
    let gone = if before & CLOSED == 0 && before & (RX_WAKER | TX_WAKER) != 0 {
        0
    } else {
        TX_GONE
    };
    before | DONE | value | gone
}
