//! Cells that are too large for magazines: an arm of the [depot](super) of their own.
//!
//! # What
//!
//! When many tasks with large futures end at once, an allocator gives their memory back to the system, and the next
//! burst has to have every page of it anew: that takes longer than all that the tasks do. So some of it is kept,
//! by exact layout, for as long as there is something to do: a runtime that ends, or one with several workers that comes
//! to rest, has it released, whichever runtime it was used by. Making such a cell takes so long that one lock for all is no
//! matter, even though it is taken for each.
//!
//! # Rules
//!
//! C1, C2, C4 and C6 of [`cells`](super) hold here as well, and in place of C3 and C5:
//!
//! * **K1** At most [`BOUND`] bytes are kept, of at most [`KINDS`] layouts.
//! * **K2** What is kept and not asked for any more goes: with each cell that finds no room, one of another layout,
//!   each of these in its turn.
//!
//! # Orderings
//!
//! Those of the lock.
//!
//! # Rejected
//!
//! *Telling the allocator to give nothing back* (`mallopt`): it is not ours. *Magazines for larger cells*: two batches a
//! class and thread, of cells of which few make a batch. *A bound in time for each cell*: somebody would have to
//! look.
//!
//! # Tested by
//!
//! `tests` and `loom_tests` in this file, `tests/cells.rs`.

use std::alloc::Layout;
#[cfg(not(all(test, heist_loom)))]
use std::alloc::dealloc;
use std::ptr::NonNull;

use super::{ENABLED, Free, LARGEST, Link};
use crate::loom::sync::Mutex;

/// Larger ones are the allocator's alone.
const LARGEST_KEPT: usize = 256 * 1024;

/// The most that is kept, in bytes.
const BOUND: usize = 32 * 1024 * 1024;

/// How many layouts are kept at a time. A program has few types of large tasks that come in numbers.
const KINDS: usize = 16;

/// Whether cells of this layout are kept here. Known when the program is compiled.
pub(super) const fn is_kept(layout: Layout) -> bool {
    ENABLED && layout.size() > LARGEST && layout.size() <= LARGEST_KEPT
}

/// What all threads share.
#[derive(Debug)]
pub(super) struct LargeDepot(Mutex<Stock>);

#[derive(Debug)]
struct Stock {
    /// One for each layout, in no order. One without cells may become another layout's.
    piles: [Pile; KINDS],
    bytes: usize,
    /// The pile that is asked next to make room.
    hand: usize,
}

/// Free cells of one layout, linked through themselves.
#[derive(Debug, Clone, Copy)]
struct Pile {
    layout: Layout,
    top: Link,
}

/// A cell that is nobody's but the holder's, and its layout.
type Loose = (Layout, NonNull<u8>);

// SAFETY: C1 — free cells are memory and no more, and the stock is their one owner.
unsafe impl Send for Stock {}

impl Stock {
    const EMPTY: Self = Self {
        piles: [Pile::EMPTY; KINDS],
        bytes: 0,
        hand: 0,
    };

    fn pop(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let pile = self.piles.iter_mut().find(|pile| pile.layout == layout)?;
        let cell = pile.pop()?;
        self.bytes -= layout.size();
        Some(cell)
    }

    /// The pile of this layout, if there is one or one without cells.
    fn pile_for(&mut self, layout: Layout) -> Option<&mut Pile> {
        let of_layout = |pile: &Pile| pile.layout == layout;
        let index = (self.piles.iter().position(of_layout))
            .or_else(|| self.piles.iter().position(|pile| pile.top.is_none()))?;
        let pile = &mut self.piles[index];
        pile.layout = layout;
        Some(pile)
    }

    /// A cell of another layout (K2).
    #[cold]
    fn pop_other(&mut self, layout: Layout) -> Option<Loose> {
        for _ in 0..KINDS {
            self.hand = (self.hand + 1) % KINDS;
            let pile = &mut self.piles[self.hand];
            if pile.layout != layout
                && let Some(cell) = pile.pop()
            {
                self.bytes -= pile.layout.size();
                return Some((pile.layout, cell));
            }
        }
        None
    }
}

impl Pile {
    const EMPTY: Self = Self {
        layout: Layout::new::<()>(),
        top: None,
    };

    fn push(&mut self, cell: NonNull<u8>) {
        let cell = cell.cast::<Free>();
        // SAFETY: C1 — its giver's, and the depot's as soon as the lock is let go of; it is large enough, and a task's
        // cell is aligned as a pointer at least.
        unsafe { (&raw mut (*cell.as_ptr()).next).write(self.top) };
        self.top = Some(cell);
    }

    fn pop(&mut self) -> Option<NonNull<u8>> {
        let top = self.top?;
        // SAFETY: C1 — the depot's, whose lock we have.
        self.top = unsafe { (*top.as_ptr()).next };
        Some(top.cast())
    }
}

impl LargeDepot {
    #[cfg(not(all(test, heist_loom)))]
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Stock::EMPTY))
    }

    #[cfg(all(test, heist_loom))]
    fn new() -> Self {
        Self(Mutex::new(Stock::EMPTY))
    }

    /// Gives a cell out, if there is one and nobody else is here (C4).
    pub(super) fn take(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.0.try_lock()?.pop(layout)
    }

    /// Takes a cell in if there is room and nobody else is here (C4), and else gives it back to the allocator.
    ///
    /// # Safety
    ///
    /// The cell came from the allocator with this layout, for which [`is_kept`] holds, and is the caller's, who gives
    /// it up.
    #[cfg(not(all(test, heist_loom)))]
    pub(super) unsafe fn give(&self, layout: Layout, cell: NonNull<u8>) {
        // SAFETY: as the caller says.
        for (layout, cell) in unsafe { self.shelve(layout, cell) }.into_iter().flatten() {
            // SAFETY: the depot did not take it, or let go of it; C2: with the layout it came with.
            unsafe { dealloc(cell.as_ptr(), layout) };
        }
    }

    /// As `give`, but returns what is the allocator's, which is not called under the lock (C6).
    ///
    /// # Safety
    ///
    /// That of `give`.
    unsafe fn shelve(&self, layout: Layout, cell: NonNull<u8>) -> [Option<Loose>; 2] {
        let Some(mut stock) = self.0.try_lock() else {
            return [Some((layout, cell)), None];
        };
        if stock.bytes + layout.size() <= BOUND
            && let Some(pile) = stock.pile_for(layout)
        {
            pile.push(cell);
            stock.bytes += layout.size();
            return [None, None];
        }
        [Some((layout, cell)), stock.pop_other(layout)]
    }

    /// Whether anything is kept, as far as can be seen without waiting (C4).
    #[cfg(not(all(test, heist_loom)))]
    pub(super) fn keeps_any(&self) -> bool {
        self.0.try_lock().is_some_and(|stock| stock.bytes > 0)
    }

    /// Gives all that is kept back to the allocator, unless somebody else is here (C4).
    #[cfg(not(all(test, heist_loom)))]
    pub(super) fn release_all(&self) {
        let Some(stock) =
            (self.0.try_lock()).map(|mut stock| std::mem::replace(&mut *stock, Stock::EMPTY))
        else {
            return;
        };
        for mut pile in stock.piles {
            while let Some(cell) = pile.pop() {
                // SAFETY: the depot let go of it; C2: with the layout it came with.
                unsafe { dealloc(cell.as_ptr(), pile.layout) };
            }
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::alloc::alloc;

    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    fn fresh(layout: Layout) -> NonNull<u8> {
        // SAFETY: none has size 0.
        NonNull::new(unsafe { alloc(layout) }).expect("memory")
    }

    fn give(depot: &LargeDepot, layout: Layout, count: usize) {
        for _ in 0..count {
            // SAFETY: new, and given up here.
            unsafe { depot.give(layout, fresh(layout)) };
        }
    }

    fn kept(depot: &LargeDepot) -> usize {
        depot.0.lock().bytes
    }

    #[test]
    fn what_is_large_and_not_huge_is_kept() {
        assert!(!is_kept(layout(LARGEST)));
        assert_eq!(is_kept(layout(LARGEST + 8)), ENABLED);
        assert_eq!(is_kept(layout(LARGEST_KEPT)), ENABLED);
        assert!(!is_kept(layout(LARGEST_KEPT + 8)));
    }

    #[test]
    fn the_last_given_of_a_layout_is_the_next_taken() {
        let depot = LargeDepot::new();
        let (small, wide) = (layout(4096), Layout::from_size_align(4096, 64).unwrap());
        assert_eq!(depot.take(small), None);
        let cells = [small, small, wide].map(|layout| (layout, fresh(layout)));
        for (layout, cell) in cells {
            // SAFETY: new, and given up here.
            unsafe { depot.give(layout, cell) };
        }
        assert_eq!(kept(&depot), 3 * 4096);
        assert_eq!(depot.take(layout(4104)), None);
        assert_eq!(depot.take(small), Some(cells[1].1));
        assert_eq!(depot.take(small), Some(cells[0].1));
        assert_eq!(depot.take(small), None);
        assert_eq!(depot.take(wide), Some(cells[2].1));
        assert_eq!(kept(&depot), 0);
        for (layout, cell) in cells {
            // SAFETY: all are ours again.
            unsafe { dealloc(cell.as_ptr(), layout) };
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_stale_makes_room() {
        let depot = LargeDepot::new();
        let (stale, present) = (layout(LARGEST_KEPT), layout(LARGEST_KEPT / 2));
        let stale_ones = BOUND / stale.size();
        give(&depot, stale, stale_ones + 10);
        assert_eq!(kept(&depot), BOUND);
        // Each that finds no room has one of the others go: so every third goes itself.
        give(&depot, present, 3 * stale_ones);
        assert_eq!(kept(&depot), BOUND);
        assert_eq!(depot.take(stale), None);
        depot.release_all();
        assert_eq!(kept(&depot), 0);
    }

    #[test]
    fn layouts_that_are_not_used_any_more_make_room_for_others() {
        let depot = LargeDepot::new();
        for kind in 0..KINDS {
            give(&depot, layout(2048 + 8 * kind), 2);
        }
        let new = layout(8192);
        // With each goes one of the next pile, till there is one without cells.
        give(&depot, new, KINDS);
        let one_of_each = (0..KINDS).map(|kind| 2048 + 8 * kind).sum();
        assert_eq!(kept(&depot), one_of_each);
        give(&depot, new, 1);
        assert!(kept(&depot) < one_of_each);
        give(&depot, new, 1);
        let cell = depot.take(new).expect("there was a pile for it");
        // SAFETY: taken, so ours.
        unsafe { depot.give(new, cell) };
        depot.release_all();
        assert_eq!(kept(&depot), 0);
    }

    #[test]
    fn nobody_waits_for_a_busy_depot() {
        let (depot, layout) = (LargeDepot::new(), layout(4096));
        give(&depot, layout, 1);
        let busy = depot.0.lock();
        assert_eq!(depot.take(layout), None);
        give(&depot, layout, 1);
        depot.release_all();
        assert_eq!(busy.bytes, 4096);
        drop(busy);
        depot.release_all();
        assert_eq!(kept(&depot), 0);
    }
}

/// Seen to fail: `take` that leaves the cell on its pile, and one that lets go of the lock between look and change. (That
/// nothing is forgotten where the depot is busy is seen by the sanitizer, which looks for leaks.)
#[cfg(all(test, heist_loom))]
mod loom_tests {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    const LAYOUT: Layout = Layout::new::<Canary>();

    /// What has a cell writes to its canary, which loom watches.
    struct Canary {
        _free: Free,
        touched: UnsafeCell<u32>,
    }

    fn touch(cell: NonNull<u8>) {
        // SAFETY: a canary, whose pile's links lie beside what is touched.
        unsafe {
            (*cell.cast::<Canary>().as_ptr())
                .touched
                .with_mut(|n| *n += 1)
        };
    }

    fn new_cell() -> NonNull<u8> {
        let canary = Canary {
            _free: Free {
                next: None,
                next_batch: None,
            },
            touched: UnsafeCell::new(0),
        };
        NonNull::from(Box::leak(Box::new(canary))).cast()
    }

    /// Uses a cell and gives it up; takes one if there is one. What it has at the end.
    fn give_and_take(depot: &LargeDepot, cell: NonNull<u8>) -> Vec<usize> {
        touch(cell);
        // SAFETY: ours, and given up.
        let loose = unsafe { depot.shelve(LAYOUT, cell) };
        let left = loose.into_iter().flatten().map(|(_, cell)| cell);
        left.chain(depot.take(LAYOUT))
            .map(|cell| {
                touch(cell);
                cell.as_ptr().addr()
            })
            .collect()
    }

    #[test]
    fn two_give_and_take() {
        loom::model(|| {
            let depot = Arc::new(LargeDepot::new());
            let cells = [new_cell(), new_cell()];
            let all = cells.map(|cell| cell.as_ptr().addr());
            let other = {
                let (depot, cell) = (Arc::clone(&depot), all[1]);
                thread::spawn(move || {
                    let cell = NonNull::new(std::ptr::with_exposed_provenance_mut(cell)).unwrap();
                    give_and_take(&depot, cell)
                })
            };
            let mut found = give_and_take(&depot, cells[0]);
            found.extend(other.join().unwrap());
            while let Some(cell) = depot.take(LAYOUT) {
                touch(cell);
                found.push(cell.as_ptr().addr());
            }
            found.sort();
            let mut all = all.to_vec();
            all.sort();
            assert_eq!(found, all, "none is lost, and none found twice");
            for cell in cells {
                // SAFETY: all are ours again, and came from a box.
                drop(unsafe { Box::from_raw(cell.cast::<Canary>().as_ptr()) });
            }
        });
    }
}
