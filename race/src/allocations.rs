//! Counts what is allocated, in rounds that are not timed: a count costs a few nanoseconds, which
//! would be a good part of what is measured here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The system's allocator, and a count while [`counted`] runs something.
pub(crate) struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static COUNT: AtomicBool = AtomicBool::new(false);

/// Threads share these by number, so that counting does not make them wait for each other.
static COUNTERS: [Counter; 32] = [const { Counter(AtomicU64::new(0)) }; 32];

#[repr(align(64))]
struct Counter(AtomicU64);

static THREADS: AtomicUsize = AtomicUsize::new(0);

const UNNUMBERED: usize = usize::MAX;

thread_local! {
    /// No destructor: it is used when others' destructors run.
    static NUMBER: Cell<usize> = const { Cell::new(UNNUMBERED) };
}

/// How many allocations all threads made while `run` ran.
pub(crate) fn counted(run: impl FnOnce()) -> u64 {
    let before = total();
    COUNT.store(true, Ordering::Relaxed);
    run();
    COUNT.store(false, Ordering::Relaxed);
    total() - before
}

fn total() -> u64 {
    let each = COUNTERS.iter().map(|c| c.0.load(Ordering::Relaxed));
    each.sum()
}

#[cold]
fn count_one() {
    let number = NUMBER.get();
    let number = if number == UNNUMBERED {
        let fresh = THREADS.fetch_add(1, Ordering::Relaxed) % COUNTERS.len();
        NUMBER.set(fresh);
        fresh
    } else {
        number
    };
    COUNTERS[number].0.fetch_add(1, Ordering::Relaxed);
}

#[allow(unsafe_code, reason = "an allocator is an unsafe trait")]
// SAFETY: every call goes to `System` with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNT.load(Ordering::Relaxed) {
            count_one();
        }
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; `pointer` came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if COUNT.load(Ordering::Relaxed) {
            count_one();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if COUNT.load(Ordering::Relaxed) {
            count_one();
        }
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_counted_on_every_thread() {
        // Other tests allocate too: at least these are seen.
        let made = counted(|| {
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| (0..100).for_each(|i| drop(std::hint::black_box(Box::new(i)))));
                }
            });
        });
        assert!(made >= 200, "{made}");
    }
}
