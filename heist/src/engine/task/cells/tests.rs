use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use super::{
    ALIGN, BATCH_BYTES, Class, DEPOT_BATCHES, Depot, LARGEST, Magazine, Magazines, Shelves,
};
use crate::loom::sync::Mutex;

const SIZE: usize = 128;

fn class(size: usize) -> Class {
    // Not `Class::of`: it says no where the pool is off.
    Class(size / ALIGN - 1)
}

fn empty_depot() -> Depot {
    Depot(Mutex::new(Shelves::EMPTY))
}

fn batches(depot: &Depot) -> usize {
    depot.0.lock().len
}

fn fresh(class: Class) -> NonNull<u8> {
    // SAFETY: no class has size 0.
    NonNull::new(unsafe { alloc(class.layout()) }).expect("memory")
}

/// Frees `count` new cells into the magazine.
fn push(magazine: &Magazine, class: Class, depot: &Depot, count: usize) {
    for _ in 0..count {
        // SAFETY: new, and given up here.
        unsafe { magazine.push(class, fresh(class), depot) };
    }
}

/// Takes all the depot has.
fn clear(depot: &Depot, class: Class) -> usize {
    let magazines = Magazines::new();
    let mut batches = 0;
    while let Some(batch) = depot.take(class) {
        let magazine = magazines.of(class);
        assert_eq!(magazine.len.get(), 0);
        magazine.top.set(Some(batch));
        let mut cells = 0;
        while let Some(cell) = magazine.top.get() {
            // SAFETY: it is in this magazine.
            magazine.top.set(unsafe { (*cell.as_ptr()).next });
            // SAFETY: it came from `fresh`, and is ours.
            unsafe { dealloc(cell.as_ptr().cast(), class.layout()) };
            cells += 1;
        }
        assert_eq!(cells, class.batch(), "every batch is whole");
        batches += 1;
    }
    batches
}

#[test]
fn a_class_is_an_exact_size() {
    if !super::ENABLED {
        assert_eq!(Class::of(Layout::new::<[u64; 16]>()), None);
        return;
    }
    for words in 2..=LARGEST / ALIGN {
        let layout = Layout::array::<u64>(words).unwrap();
        let class = Class::of(layout).unwrap();
        assert_eq!(class.layout(), layout);
        assert!(class.batch() >= 4 && class.batch() * class.size() <= BATCH_BYTES);
    }
    assert_eq!(Class::of(Layout::new::<u64>()), None);
    assert_eq!(Class::of(Layout::new::<[u64; LARGEST / 8 + 1]>()), None);
    assert_eq!(Class::of(Layout::new::<[u128; 4]>()), None);
    assert_eq!(Class::of(Layout::new::<[u32; 16]>()), None);
}

#[test]
fn the_last_freed_is_the_next_allocated() {
    let (depot, magazines, class) = (empty_depot(), Magazines::new(), class(SIZE));
    let magazine = magazines.of(class);
    assert_eq!(magazine.pop(class, &depot), None);
    let (first, second) = (fresh(class), fresh(class));
    // SAFETY: new, and given up here.
    unsafe { magazine.push(class, first, &depot) };
    // SAFETY: as above.
    unsafe { magazine.push(class, second, &depot) };
    assert_eq!(magazine.pop(class, &depot), Some(second));
    assert_eq!(magazine.pop(class, &depot), Some(first));
    assert_eq!(magazine.pop(class, &depot), None);
    for cell in [first, second] {
        // SAFETY: both are ours again.
        unsafe { dealloc(cell.as_ptr(), class.layout()) };
    }
}

#[test]
fn a_full_magazine_parts_with_its_older_half() {
    let (depot, magazines, class) = (empty_depot(), Magazines::new(), class(SIZE));
    let magazine = magazines.of(class);
    let cells: Vec<_> = (0..=2 * class.batch()).map(|_| fresh(class)).collect();
    for &cell in &cells {
        // SAFETY: new, and given up here.
        unsafe { magazine.push(class, cell, &depot) };
    }
    assert_eq!(magazine.len.get(), class.batch() + 1);
    assert_eq!(batches(&depot), 1);
    // The younger half comes back first, then the batch from the depot.
    for &cell in cells.iter().skip(class.batch()).rev() {
        assert_eq!(magazine.pop(class, &depot), Some(cell));
    }
    for &cell in cells.iter().take(class.batch()).rev() {
        assert_eq!(magazine.pop(class, &depot), Some(cell));
    }
    assert_eq!(magazine.pop(class, &depot), None);
    assert_eq!(batches(&depot), 0);
    for cell in cells {
        // SAFETY: all are ours again.
        unsafe { dealloc(cell.as_ptr(), class.layout()) };
    }
}

#[test]
fn ups_and_downs_around_the_seam_lose_nothing() {
    for size in [64, 72, 136, 512, LARGEST] {
        let (depot, magazines, class) = (empty_depot(), Magazines::new(), class(size));
        let (magazine, batch) = (magazines.of(class), class.batch());
        let mut free = 0;
        for (up, down) in [
            (batch, 1),
            (1, 1),
            (2, 1),
            (batch, batch),
            (2 * batch, batch + 1),
            (3 * batch, 3),
            (1, batch),
        ] {
            push(magazine, class, &depot, up);
            for _ in 0..down {
                let cell = magazine.pop(class, &depot).expect("there are some left");
                // SAFETY: popped, so ours.
                unsafe { dealloc(cell.as_ptr(), class.layout()) };
            }
            free = free + up - down;
            assert!(magazine.len.get() <= 2 * batch);
            assert_eq!(magazine.len.get() + batches(&depot) * batch, free);
        }
        clear(&depot, class);
    }
}

#[test]
fn what_is_kept_is_bounded() {
    let (depot, magazines, class) = (empty_depot(), Magazines::new(), class(SIZE));
    push(
        magazines.of(class),
        class,
        &depot,
        3 * DEPOT_BATCHES * class.batch(),
    );
    assert!(magazines.of(class).len.get() <= 2 * class.batch());
    assert_eq!(batches(&depot), DEPOT_BATCHES);
    // The bound is one for all classes, and the last to come is served.
    let other = super::Class(class.0 + 1);
    push(magazines.of(other), other, &depot, 5 * other.batch());
    assert_eq!(batches(&depot), DEPOT_BATCHES);
    assert_eq!(clear(&depot, other), 3);
    assert_eq!(clear(&depot, class), DEPOT_BATCHES - 3);
    assert_eq!(batches(&depot), 0);
}

#[test]
fn nobody_waits_for_a_busy_depot() {
    let (depot, magazines, class) = (empty_depot(), Magazines::new(), class(SIZE));
    let busy = depot.0.lock();
    assert_eq!(magazines.of(class).pop(class, &depot), None);
    push(magazines.of(class), class, &depot, 5 * class.batch());
    assert!(magazines.of(class).len.get() <= 2 * class.batch());
    drop(busy);
    assert_eq!(batches(&depot), 0);
}
