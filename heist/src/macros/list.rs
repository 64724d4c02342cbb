//! A list of values of different types, which the macros can write down by repetition:
//! `Nil.and(a).and(b)`.
//!
//! A tuple would do if one could go over its fields, and project a pin to each, in safe and
//! generic code. [`And`] has its elder elements inside, so recursion visits them first: first
//! written, first polled, first dropped.

use pin_project_lite::pin_project;

/// The empty list.
#[derive(Debug)]
pub struct Nil;

pin_project! {
    /// A list with one more element.
    #[derive(Debug)]
    pub struct And<L, T> {
        #[pin]
        pub(super) elder: L,
        #[pin]
        pub(super) last: T,
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
