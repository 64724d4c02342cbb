//! The task as a [`Waker`]: the data pointer is the cell, one static vtable serves all.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;
use std::task::{RawWaker, RawWakerVTable, Waker};

use crate::engine::task::Runnable;
use crate::engine::task::header::Header;
use crate::engine::task::state::{Last, Wake};

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// A waker that holds no reference: it is lent to a poll, which keeps the cell alive.
pub(super) struct BorrowedWaker(ManuallyDrop<Waker>);

/// The waker that a poll is given.
///
/// # Safety
///
/// The result does not outlive the cell.
pub(super) unsafe fn borrowed_waker(header: NonNull<Header>) -> BorrowedWaker {
    // SAFETY: the vtable's functions keep the waker contract on a live cell; the reference they
    // would give back is never given back, as the waker is not dropped.
    let waker = unsafe { Waker::new(header.as_ptr().cast(), &VTABLE) };
    BorrowedWaker(ManuallyDrop::new(waker))
}

impl Deref for BorrowedWaker {
    type Target = Waker;

    fn deref(&self) -> &Waker {
        &self.0
    }
}

/// The cell a waker's data points to.
///
/// # Safety
///
/// `data` is the data pointer of a waker made here that still holds its reference (or is borrowed).
unsafe fn header(data: *const ()) -> NonNull<Header> {
    // SAFETY: made from a `NonNull` in `borrowed_waker`.
    unsafe { NonNull::new_unchecked(data.cast_mut().cast()) }
}

/// # Safety
///
/// See [`header`].
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: passed on.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the cell.
    unsafe { header.as_ref() }.state.ref_inc();
    RawWaker::new(data, &VTABLE)
}

/// # Safety
///
/// See [`header`]; gives the reference back.
unsafe fn wake(data: *const ()) {
    // SAFETY: passed on.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the cell until this operation.
    match unsafe { header.as_ref() }.state.wake_by_val() {
        Wake::Schedule => Runnable(header).schedule(),
        Wake::Done => {}
        // SAFETY: T10.
        Wake::Free => unsafe { super::free(header) },
    }
}

/// # Safety
///
/// See [`header`].
unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: passed on.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the cell.
    if unsafe { header.as_ref() }.state.wake_by_ref() == Wake::Schedule {
        Runnable(header).schedule();
    }
}

/// # Safety
///
/// See [`header`]; gives the reference back.
unsafe fn drop_waker(data: *const ()) {
    // SAFETY: passed on.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the cell until this operation.
    if unsafe { header.as_ref() }.state.ref_dec() == Last::Free {
        // SAFETY: T10.
        unsafe { super::free(header) };
    }
}
