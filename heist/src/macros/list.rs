//! A list of values of different types, which the macros can write down by repetition:
//! `Nil.and(a).and(b)`.
//!
//! A tuple would do if one could go over its fields, and project a pin to each, in safe and
//! generic code. [`And`] has its elder elements inside, so recursion visits them first: first
//! written, first polled, first dropped.

use std::pin::Pin;

/// The empty list.
#[derive(Debug)]
pub struct Nil;

/// A list with one more element.
///
/// Projected by hand: what `pin_project_lite` generates for `Unpin` takes the compiler two steps of
/// recursion an element, and a list of 64 must stay below its limit.
#[derive(Debug)]
pub struct And<L, T> {
    pub(super) elder: L,
    pub(super) last: T,
}

/// A pinned [`And`], taken apart.
pub(super) struct AndProjection<'a, L, T> {
    pub(super) elder: Pin<&'a mut L>,
    pub(super) last: Pin<&'a mut T>,
}

impl<L, T> And<L, T> {
    #[inline]
    pub(super) fn project(self: Pin<&mut Self>) -> AndProjection<'_, L, T> {
        // SAFETY: nothing is moved out of it below.
        let list = unsafe { self.get_unchecked_mut() };
        // SAFETY: both fields are pinned whenever the list is: it has no `Drop`, is `Unpin` only if
        // both are, and nothing else gives out unpinned access to a pinned list's fields.
        let elder = unsafe { Pin::new_unchecked(&mut list.elder) };
        // SAFETY: as above.
        let last = unsafe { Pin::new_unchecked(&mut list.last) };
        AndProjection { elder, last }
    }
}

/// How long a list is; the index of an element is the length of the list before it.
pub trait Length {
    const LENGTH: u32;
}

impl Length for Nil {
    const LENGTH: u32 = 0;
}

impl<L: Length, T> Length for And<L, T> {
    const LENGTH: u32 = L::LENGTH + 1;
}

impl Nil {
    #[inline]
    pub fn and<T>(self, last: T) -> And<Self, T> {
        And { elder: self, last }
    }
}

impl<L, T> And<L, T> {
    #[inline]
    pub fn and<U>(self, last: U) -> And<Self, U> {
        And { elder: self, last }
    }
}
