//! The memory of cells: kept for the next task instead of going through the allocator each time.
//!
//! # What
//!
//! A task is often made on one thread and ends on another: whatever accepts, reads or is not a worker
//! spawns, and workers run. That is the slow way through an allocator: what a thread frees belongs to
//! another's arena, whose lock both then take. So a thread keeps cells that were freed on it, by size, in
//! **magazines**; a full one gives a **batch** to the process's one **depot**, and an empty one takes a
//! batch from there. One operation on what is shared for [`BATCH_BYTES`] of cells, and none as long as a
//! thread's own comings and goings balance.
//!
//! # States
//!
//! ```text
//!     allocator ──── nothing in magazine or depot ────► a task's
//!         ▲                                              │  ▲
//!         │ the depot is full or busy,              free │  │ allocate
//!         │ or the thread ends                           ▼  │
//!         ├───────────────────────────────────────── a magazine's
//!         │                                              │  ▲
//!         │                            give: the older   │  │ take: when it
//!         │                            half, when full   ▼  │ is empty
//!         └─ a batch of another class, to make room ─── the depot's
//! ```
//!
//! A magazine is a stack of free cells linked through themselves, at most two batches high. It knows the
//! lowest cell of what is above the first batch, the *seam*, so that it can part with the older batch
//! without a walk. A batch always has as many cells as its class says, and the depot is a stack of batches
//! a class, linked through their first cells: neither needs memory of its own.
//!
//! # Rules
//!
//! * **C1** A free cell has one owner: the thread whose magazine it is in, or the depot. Its memory is read
//!   and written by the owner alone. Batches change hands inside the depot's lock.
//! * **C2** A class is one exact size, so that no cell is larger than it would be without classes, and each
//!   goes back to the allocator with the layout it came with. Cells above [`LARGEST`] have a depot without magazines
//!   ([`large`]); small ones of more than [`ALIGN`] are the allocator's alone.
//! * **C3** The memory kept is bounded: by two batches a class and thread, and by [`DEPOT_BATCHES`] in the depot,
//!   whatever was running before. A batch that comes to a full depot takes the place of one of another class,
//!   which may be of tasks that nobody makes any more. What is beyond goes back to the allocator.
//! * **C4** Nobody waits for the depot: who finds it busy does without. So a holder that is not running, or
//!   that was left behind by a `fork`, stops no spawn.
//! * **C5** A magazine goes back to the allocator when its thread ends; a task that ends even later there, in
//!   another thread-local's destructor, goes to the allocator by itself. The depot is a static and never
//!   ends, so that no cell comes back too late.
//! * **C6** The allocator, which may be anybody's, is called with no lock held and no magazine halfway.
//!
//! # Orderings
//!
//! Those of the lock. Magazines are their thread's.
//!
//! # Rejected
//!
//! * *The allocator alone*: a quarter of the processor time of a spawn from outside, and an eighth of one in a chain
//!   (`docs/performance.md`).
//! * *A list of free cells a thread, without a depot*: all cells end where none are made.
//! * *A stack of batches without a lock*: its pop meets ABA, so it needs a counted pointer; the lock is taken
//!   once a batch and never waited for.
//! * *Magazines in the worker*: a guest, a thread outside and the pool's threads spawn and free as well.
//! * *Arrays of pointers for magazines*: memory a class and thread, used or not.
//! * *Classes 16 bytes apart*: half of the sizes would grow by 8 bytes, and with them what the allocator
//!   takes for them.
//! * *Prefetching the next free cell*: no difference to be seen.
//!
//! A pool hides from AddressSanitizer, valgrind and heap profilers who uses a cell after its end, and who made it:
//! `--cfg heist_no_cell_pool` turns it off, and so do Miri and loom's models of tasks.
//!
//! # Tested by
//!
//! `loom_tests` and `tests` in this module, and `tests/cells.rs`. Seen to fail: see the head of `loom_tests`; and
//! `what_was_running_leaves_little_behind`, when a thread ends and keeps its magazines.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::NonNull;

use crate::engine::base::cache_padded::CachePadded;
use crate::loom::sync::Mutex;

mod large;
#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;

/// The largest cell that magazines keep: glibc's own caches end at the same size.
const LARGEST: usize = 1024;

/// The alignment of what is kept, and the distance of sizes.
const ALIGN: usize = 8;

const CLASSES: usize = LARGEST / ALIGN;

/// What changes hands at once.
const BATCH_BYTES: usize = 4096;

/// The most batches that the depot keeps: half a mebibyte.
const DEPOT_BATCHES: usize = 128;

const ENABLED: bool = cfg!(not(any(heist_no_cell_pool, miri, all(test, heist_loom))));

/// What a cell is while it is nobody's. Not referred to as a whole: the second field may be unwritten.
struct Free {
    /// The one below it in its magazine or batch.
    next: Link,
    /// In a batch's first cell, while it is the depot's: the batch below it.
    next_batch: Link,
}

type Link = Option<NonNull<Free>>;

/// One exact size of cells (C2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Class(usize);

impl Class {
    /// The class of cells of this layout, if they are kept. Known when the program is compiled.
    #[inline(always)]
    const fn of(layout: Layout) -> Option<Self> {
        let size = layout.size();
        let fits = size >= size_of::<Free>() && size <= LARGEST;
        if ENABLED && fits && layout.align() == ALIGN {
            Some(Self(size / ALIGN - 1))
        } else {
            None
        }
    }

    const fn size(self) -> usize {
        (self.0 + 1) * ALIGN
    }

    /// How many cells a batch has.
    #[inline(always)]
    const fn batch(self) -> usize {
        BATCH_BYTES / self.size()
    }

    const fn layout(self) -> Layout {
        match Layout::from_size_align(self.size(), ALIGN) {
            Ok(layout) => layout,
            Err(_) => unreachable!(),
        }
    }
}

/// A thread's free cells of one class.
#[derive(Debug)]
struct Magazine {
    top: Cell<Link>,
    /// The lowest cell above the first batch, if there is one so high.
    seam: Cell<Link>,
    len: Cell<usize>,
}

impl Magazine {
    const fn new() -> Self {
        Self {
            top: Cell::new(None),
            seam: Cell::new(None),
            len: Cell::new(0),
        }
    }

    #[inline(always)]
    fn pop(&self, class: Class, depot: &Depot) -> Option<NonNull<u8>> {
        let top = match self.top.get() {
            Some(top) => top,
            None => self.refill(class, depot)?,
        };
        // SAFETY: C1 — it is in this magazine.
        self.top.set(unsafe { (*top.as_ptr()).next });
        self.len.set(self.len.get() - 1);
        Some(top.cast())
    }

    /// Takes a batch from the depot, and shows its top.
    #[cold]
    #[inline(never)]
    fn refill(&self, class: Class, depot: &Depot) -> Link {
        let top = depot.take(class)?;
        self.top.set(Some(top));
        self.len.set(class.batch());
        Some(top)
    }

    /// # Safety
    ///
    /// The cell is of this class, came from the allocator, and is the caller's, who gives it up.
    #[inline(always)]
    unsafe fn push(&self, class: Class, cell: NonNull<u8>, depot: &Depot) {
        let mut len = self.len.get();
        // Again if the allocator, of all things, freed cells meanwhile (C6).
        while len == 2 * class.batch() {
            len = self.part(class, depot);
        }
        let cell = cell.cast::<Free>();
        // SAFETY: the cell is ours, says the caller, and large and aligned enough, says `Class::of`.
        unsafe { (*cell.as_ptr()).next = self.top.get() };
        if len == class.batch() {
            self.seam.set(Some(cell));
        }
        self.top.set(Some(cell));
        self.len.set(len + 1);
    }

    /// Gives the older batch of a full magazine away, and shows how many are left.
    #[cold]
    #[inline(never)]
    fn part(&self, class: Class, depot: &Depot) -> usize {
        let seam = self.seam.take().expect("a full magazine has a seam");
        // SAFETY: C1 — it is in this magazine.
        let batch = unsafe { (*seam.as_ptr()).next.take() };
        self.len.set(class.batch());
        let batch = batch.expect("there is a batch below the seam");
        // SAFETY: the magazine let go of it, and it has as many cells as were below the seam.
        if let Some((class, beyond)) = unsafe { depot.give(class, batch) } {
            // SAFETY: the depot did not take it, or let go of it.
            unsafe { release(class, Some(beyond)) };
        }
        self.len.get()
    }
}

/// Gives cells back to the allocator.
///
/// # Safety
///
/// They are of this class, came from the allocator and are the caller's.
unsafe fn release(class: Class, mut cells: Link) {
    while let Some(cell) = cells {
        // SAFETY: C1 — the caller's.
        cells = unsafe { (*cell.as_ptr()).next };
        // SAFETY: as above; C2: with the layout it came with.
        unsafe { dealloc(cell.as_ptr().cast(), class.layout()) };
    }
}

/// A thread's free cells.
#[derive(Debug)]
struct Magazines([Magazine; CLASSES]);

impl Magazines {
    const fn new() -> Self {
        Self([const { Magazine::new() }; CLASSES])
    }

    #[inline(always)]
    fn of(&self, class: Class) -> &Magazine {
        &self.0[class.0]
    }
}

impl Drop for Magazines {
    fn drop(&mut self) {
        for (class, magazine) in self.0.iter().enumerate() {
            // SAFETY: C1 — they were this magazine's, which is no longer used (C5).
            unsafe { release(Class(class), magazine.top.take()) };
        }
    }
}

/// What all threads share.
#[derive(Debug)]
struct Depot(Mutex<Shelves>);

#[derive(Debug)]
struct Shelves {
    batches: [Link; CLASSES],
    /// How many batches there are.
    len: usize,
    /// The class that is asked next to make room.
    hand: usize,
}

// SAFETY: C1 — free cells are memory and no more, and the depot is their one owner.
unsafe impl Send for Shelves {}

impl Shelves {
    const EMPTY: Self = Self {
        batches: [None; CLASSES],
        len: 0,
        hand: 0,
    };

    fn push(&mut self, class: Class, batch: NonNull<Free>) {
        let below = self.batches[class.0].replace(batch);
        // SAFETY: C1 — its giver's, and the depot's as soon as the lock is let go of.
        unsafe { (*batch.as_ptr()).next_batch = below };
        self.len += 1;
    }

    fn pop(&mut self, class: Class) -> Link {
        let batch = self.batches[class.0]?;
        // SAFETY: C1 — the depot's, whose lock we have.
        self.batches[class.0] = unsafe { (*batch.as_ptr()).next_batch };
        self.len -= 1;
        Some(batch)
    }

    /// A batch of another class, each in its turn.
    #[cold]
    fn pop_other(&mut self, class: Class) -> Option<(Class, NonNull<Free>)> {
        let in_turn = (0..CLASSES).map(|i| Class((self.hand + i) % CLASSES));
        let other = in_turn
            .filter(|&other| other != class)
            .find(|other| self.batches[other.0].is_some())?;
        self.hand = other.0 + 1;
        Some((other, self.pop(other)?))
    }
}

impl Depot {
    /// Takes a batch in, unless somebody else is here (C4). Gives back what is beyond the bound (C3).
    ///
    /// # Safety
    ///
    /// The batch is a whole one of this class and the caller's, who gives it up.
    unsafe fn give(&self, class: Class, batch: NonNull<Free>) -> Option<(Class, NonNull<Free>)> {
        let Some(mut shelves) = self.0.try_lock() else {
            return Some((class, batch));
        };
        let mut beyond = None;
        if shelves.len == DEPOT_BATCHES {
            beyond = shelves.pop_other(class);
            if beyond.is_none() {
                return Some((class, batch));
            }
        }
        shelves.push(class, batch);
        beyond
    }

    /// Gives a batch out, if there is one and nobody else is here (C4).
    fn take(&self, class: Class) -> Link {
        self.0.try_lock()?.pop(class)
    }
}

#[cfg(not(all(test, heist_loom)))]
static DEPOT: CachePadded<Depot> = CachePadded::new(Depot(Mutex::new(Shelves::EMPTY)));

#[cfg(not(all(test, heist_loom)))]
static LARGE: large::LargeDepot = large::LargeDepot::new();

/// Whether any memory of large cells is kept.
pub(crate) fn keeps_large_cells() -> bool {
    #[cfg(not(all(test, heist_loom)))]
    return LARGE.keeps_any();
    #[cfg(all(test, heist_loom))]
    return false;
}

/// Gives the memory of large cells that is kept back to the allocator: there are no tasks that want it.
pub(crate) fn release_large_cells() {
    #[cfg(not(all(test, heist_loom)))]
    LARGE.release_all();
}

#[cfg(not(all(test, heist_loom)))]
crate::loom::thread_local! {
    static MAGAZINES: Magazines = const { Magazines::new() };
}

/// Memory for a cell.
#[inline(always)]
pub(super) fn allocate<T>() -> NonNull<T> {
    let layout = Layout::new::<T>();
    assert!(layout.size() > 0, "a cell has a header");
    #[cfg(not(all(test, heist_loom)))]
    if let Some(class) = Class::of(layout) {
        // Without magazines the thread is about to end (C5).
        let kept = MAGAZINES.try_with(|magazines| magazines.of(class).pop(class, &DEPOT));
        if let Ok(Some(kept)) = kept {
            return kept.cast();
        }
    } else if large::is_kept(layout)
        && let Some(kept) = LARGE.take(layout)
    {
        return kept.cast();
    }
    // SAFETY: the size is not 0.
    let fresh = unsafe { alloc(layout) };
    NonNull::new(fresh.cast()).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Takes the memory of a cell back.
///
/// # Safety
///
/// It came from [`allocate`] for the same type, its content is dropped, and it is nobody's any more.
#[inline(always)]
pub(super) unsafe fn free<T>(cell: NonNull<T>) {
    let layout = Layout::new::<T>();
    #[cfg(not(all(test, heist_loom)))]
    if let Some(class) = Class::of(layout) {
        // Without magazines the thread is about to end (C5).
        let kept = MAGAZINES.try_with(|magazines| {
            // SAFETY: of this class by its layout, and nobody's any more, says the caller.
            unsafe { magazines.of(class).push(class, cell.cast(), &DEPOT) };
        });
        if kept.is_ok() {
            return;
        }
    } else if large::is_kept(layout) {
        // SAFETY: it came from the allocator, maybe through this depot, and is nobody's any more, says the caller.
        return unsafe { LARGE.give(layout, cell.cast()) };
    }
    // SAFETY: it came from the allocator, maybe through a magazine of exactly this size (C2).
    unsafe { dealloc(cell.as_ptr().cast(), layout) };
}
