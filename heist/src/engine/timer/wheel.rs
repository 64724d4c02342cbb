//! The hierarchical wheel: six levels of 64 slots.
//!
//! A slot of level 0 is one tick; a slot of level *n* is a whole turn of level *n − 1*. An entry is at
//! the lowest level at which its tick and the wheel's present differ, in the slot of its tick. When the present
//! reaches a slot of a higher level, its entries are filed anew and so move down.
//!
//! From that follows what makes looking up the next tick cheap: everything at a level is before
//! everything at the levels above it, so the next slot is the first one of the lowest level that is
//! not empty. What is further than the wheel spans (2.2 years) waits in the top level's last slot, and
//! is filed anew as often as it comes up.
//!
//! Nobody gets up to file anew what is not due: a slot knows the earliest tick in it, for as long as it is not empty,
//! and that is when there is something to do. It may be too early, as what was taken out is not forgotten; never too
//! late, nor before the slot comes up, so that who gets up for it empties the slot at least.

use std::ptr::NonNull;

use super::entry::{Place, TimerEntry};
use crate::engine::queue::list::LinkedList;

const LEVEL_BITS: u32 = 6;
const SLOTS: usize = 1 << LEVEL_BITS;
const LEVELS: usize = 6;
/// The ticks of one turn of the top level.
const SPAN: u64 = 1 << (LEVEL_BITS as usize * LEVELS);

/// How many places [`Place`] counts as the wheel's.
pub(super) const PLACES: usize = LEVELS * SLOTS;

/// A slot that is not empty, and the tick at which it comes up.
struct Due {
    tick: u64,
    level: usize,
    slot: usize,
}

impl Due {
    fn place(&self) -> usize {
        self.level * SLOTS + self.slot
    }
}

#[derive(Debug)]
pub(super) struct Wheel {
    /// The present: every entry before it has been handed out.
    present: u64,
    /// One bit a slot, set when the slot is not empty.
    occupied: [u64; LEVELS],
    slots: [Slot; PLACES],
}

#[derive(Debug)]
struct Slot {
    entries: LinkedList<TimerEntry>,
    /// No entry of it is before this tick. Of no meaning while it is empty.
    earliest: u64,
}

impl Slot {
    const fn new() -> Self {
        Self {
            entries: LinkedList::new(),
            earliest: 0,
        }
    }
}

impl Wheel {
    pub(super) const fn new() -> Self {
        Self {
            present: 0,
            occupied: [0; LEVELS],
            slots: [const { Slot::new() }; PLACES],
        }
    }

    /// Puts `entry` in the slot of its `when`; if that is past, in the present's.
    ///
    /// # Safety
    ///
    /// `entry` is live, pinned and in no list, and the caller has the lock of its shard (R1).
    pub(super) unsafe fn file(&mut self, entry: NonNull<TimerEntry>) {
        // SAFETY: R1, by the caller.
        let when = unsafe { TimerEntry::when(entry) };
        let tick = when.clamp(self.present, self.present + (SPAN - 1));
        // The highest bit in which the two differ says the level; the low bits are all level 0's.
        let differing = (self.present ^ tick) | (SLOTS as u64 - 1);
        let level = (differing.ilog2() / LEVEL_BITS).min(LEVELS as u32 - 1);
        let slot = (tick >> (level * LEVEL_BITS)) as usize % SLOTS;
        let level = level as usize;
        let place = level * SLOTS + slot;
        // SAFETY: R1, by the caller.
        unsafe { TimerEntry::set_place(entry, Place::slot(place)) };
        let is_first = self.occupied[level] & (1 << slot) == 0;
        self.occupied[level] |= 1 << slot;
        let slot = &mut self.slots[place];
        slot.earliest = if is_first {
            tick
        } else {
            slot.earliest.min(tick)
        };
        // SAFETY: the caller's promise is the list's.
        unsafe { slot.entries.push_back(entry) };
    }

    /// Takes `entry` out of the slot `place`.
    ///
    /// # Safety
    ///
    /// `entry` is in that slot of this wheel.
    pub(super) unsafe fn remove(&mut self, entry: NonNull<TimerEntry>, place: usize) {
        // SAFETY: the caller's promise is the list's.
        let removed = unsafe { self.slots[place].entries.remove(entry) };
        debug_assert!(removed, "an entry is where its place says");
        self.note_if_empty(place);
    }

    fn note_if_empty(&mut self, place: usize) {
        if self.slots[place].entries.is_empty() {
            self.occupied[place / SLOTS] &= !(1 << (place % SLOTS));
        }
    }

    fn next_slot(&self) -> Option<Due> {
        let level = self.occupied.iter().position(|&slots| slots != 0)?;
        let shift = level as u32 * LEVEL_BITS;
        let here = self.present >> shift;
        // At level 0 the present's own slot is due now. Above, it was emptied when the present came
        // there, so what is in it belongs to the next turn: the search begins one slot on.
        let first = here + u64::from(level != 0);
        let ahead = self.occupied[level]
            .rotate_right((first % SLOTS as u64) as u32)
            .trailing_zeros();
        let index = first + u64::from(ahead);
        Some(Due {
            tick: index << shift,
            level,
            slot: index as usize % SLOTS,
        })
    }

    /// The next tick at which there is something to do: to fire, most likely.
    pub(super) fn next_tick(&self) -> Option<u64> {
        let due = self.next_slot()?;
        Some(self.slots[due.place()].earliest)
    }

    /// Moves the present to `tick` if nothing comes up before or at it. New entries are then filed
    /// as near as they are, not as near as they were when something last fired.
    pub(super) fn catch_up(&mut self, tick: u64) {
        if tick > self.present && self.next_slot().is_none_or(|due| due.tick > tick) {
            self.present = tick;
        }
    }

    /// Takes out one entry that is due at `tick`.
    ///
    /// # Safety
    ///
    /// The caller has the shard's lock (R1); the entries are live (R3).
    pub(super) unsafe fn pop_due(&mut self, tick: u64) -> Option<NonNull<TimerEntry>> {
        while let Some(due) = self.next_slot().filter(|due| due.tick <= tick) {
            self.present = due.tick;
            let place = due.place();
            if due.level == 0 {
                let entry = self.slots[place]
                    .entries
                    .pop_front()
                    .expect("an occupied slot");
                self.note_if_empty(place);
                // SAFETY: R1, by the caller.
                if unsafe { TimerEntry::take_if_due(entry, self.present) } {
                    return Some(entry);
                }
                // It was postponed while it was here.
                // SAFETY: live and pinned by R3, and just taken out of its list.
                unsafe { self.file(entry) };
            } else {
                let mut entries = self.slots[place].entries.take();
                self.note_if_empty(place);
                while let Some(entry) = entries.pop_front() {
                    // SAFETY: live and pinned by R3, and just taken out of its list.
                    unsafe { self.file(entry) };
                }
            }
        }
        self.present = self.present.max(tick);
        None
    }

    /// Takes out any entry, due or not.
    pub(super) fn pop_any(&mut self) -> Option<NonNull<TimerEntry>> {
        let due = self.next_slot()?;
        let place = due.place();
        let entry = self.slots[place].entries.pop_front();
        self.note_if_empty(place);
        entry
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests;
