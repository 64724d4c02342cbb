//! What an I/O object is ready for ([`Ready`]), and what somebody wants it to be ready for
//! ([`Interest`]). Both are public, as `heist::io::{Ready, Interest}`.

use std::fmt;
use std::ops;

/// What an I/O object is ready for.
///
/// A set of flags, as returned by the `ready` methods of sockets. Readiness is a hint: the
/// operation may still find that it has to wait, for example because another task was faster.
///
/// # Examples
///
/// ```
/// use heist::io::Ready;
///
/// let ready = Ready::READABLE | Ready::WRITABLE;
/// assert!(ready.is_readable() && ready.is_writable());
/// assert!(!(ready - Ready::READABLE).is_readable());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ready(u8);

impl Ready {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// A read is likely to succeed at once.
    pub const READABLE: Self = Self(1);

    /// A write is likely to succeed at once.
    pub const WRITABLE: Self = Self(1 << 1);

    /// Nothing more will ever arrive. Once set, it stays.
    pub const READ_CLOSED: Self = Self(1 << 2);

    /// Nothing more can ever be sent. Once set, it stays.
    pub const WRITE_CLOSED: Self = Self(1 << 3);

    /// There is urgent data to read.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const PRIORITY: Self = Self(1 << 4);

    /// The object has an error to report.
    pub const ERROR: Self = Self(1 << 5);

    /// All flags there are.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const ALL: Self = Self(0b11_1111);

    /// All flags there are.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub const ALL: Self = Self(0b10_1111);

    /// The states an object never leaves.
    pub(crate) const CLOSED: Self = Self(Self::READ_CLOSED.0 | Self::WRITE_CLOSED.0);

    /// True if no flag is set.
    ///
    /// ```
    /// use heist::io::Ready;
    ///
    /// assert!(Ready::EMPTY.is_empty());
    /// assert!(!Ready::ERROR.is_empty());
    /// ```
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if a read would not wait: there is something to read, or the read side is closed.
    ///
    /// ```
    /// use heist::io::Ready;
    ///
    /// assert!(Ready::READ_CLOSED.is_readable());
    /// assert!(!Ready::WRITABLE.is_readable());
    /// ```
    pub fn is_readable(self) -> bool {
        self.intersects(Self(Self::READABLE.0 | Self::READ_CLOSED.0))
    }

    /// True if a write would not wait: there is room, or the write side is closed.
    ///
    /// ```
    /// use heist::io::Ready;
    ///
    /// assert!(Ready::WRITE_CLOSED.is_writable());
    /// assert!(!Ready::READABLE.is_writable());
    /// ```
    pub fn is_writable(self) -> bool {
        self.intersects(Self(Self::WRITABLE.0 | Self::WRITE_CLOSED.0))
    }

    /// True if the read side is closed.
    ///
    /// ```
    /// use heist::io::Ready;
    ///
    /// assert!(Ready::READ_CLOSED.is_read_closed());
    /// assert!(!Ready::READABLE.is_read_closed());
    /// ```
    pub fn is_read_closed(self) -> bool {
        self.intersects(Self::READ_CLOSED)
    }

    /// True if the write side is closed.
    ///
    /// ```
    /// use heist::io::Ready;
    ///
    /// assert!(Ready::WRITE_CLOSED.is_write_closed());
    /// assert!(!Ready::WRITABLE.is_write_closed());
    /// ```
    pub fn is_write_closed(self) -> bool {
        self.intersects(Self::WRITE_CLOSED)
    }

    /// True if there is urgent data.
    ///
    /// ```
    /// use heist::io::Ready;
    ///
    /// assert!(Ready::PRIORITY.is_priority());
    /// assert!(!Ready::READABLE.is_priority());
    /// ```
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn is_priority(self) -> bool {
        self.intersects(Self::PRIORITY)
    }

    /// True if there is an error to fetch.
    ///
    /// ```
    /// use heist::io::Ready;
    ///
    /// assert!(Ready::ERROR.is_error());
    /// assert!(!Ready::WRITABLE.is_error());
    /// ```
    pub fn is_error(self) -> bool {
        self.intersects(Self::ERROR)
    }

    fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Drops what is no flag of ours.
    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// The flags that serve `interest`.
    pub(crate) const fn serving(interest: Interest) -> Self {
        let mut bits = 0;
        if interest.is_readable() {
            bits |= Self::READABLE.0 | Self::READ_CLOSED.0;
        }
        if interest.is_writable() {
            bits |= Self::WRITABLE.0 | Self::WRITE_CLOSED.0;
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if interest.is_priority() {
            bits |= Self::PRIORITY.0 | Self::READ_CLOSED.0;
        }
        if interest.is_error() {
            bits |= Self::ERROR.0;
        }
        Self(bits)
    }

    /// True if one of the flags serves `interest`.
    pub(crate) fn serves(self, interest: Interest) -> bool {
        self.intersects(Self::serving(interest))
    }

    pub(crate) fn from_mio(event: &mio::event::Event) -> Self {
        let mut ready = Self::EMPTY;
        if event.is_readable() {
            ready |= Self::READABLE;
        }
        if event.is_writable() {
            ready |= Self::WRITABLE;
        }
        if event.is_read_closed() {
            ready |= Self::READ_CLOSED;
        }
        if event.is_write_closed() {
            ready |= Self::WRITE_CLOSED;
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if event.is_priority() {
            ready |= Self::PRIORITY;
        }
        if event.is_error() {
            // A pending error ends reads too, although the system reports no input with it: a
            // connected UDP socket whose peer is gone would otherwise wait for ever.
            ready |= Self::ERROR | Self::READABLE;
        }
        ready
    }
}

impl ops::BitOr for Ready {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl ops::BitOrAssign for Ready {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl ops::BitAnd for Ready {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl ops::Sub for Ready {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("Ready");
        f.field("is_readable", &self.is_readable())
            .field("is_writable", &self.is_writable())
            .field("is_read_closed", &self.is_read_closed())
            .field("is_write_closed", &self.is_write_closed())
            .field("is_error", &self.is_error());
        #[cfg(any(target_os = "linux", target_os = "android"))]
        f.field("is_priority", &self.is_priority());
        f.finish()
    }
}

/// What a task waits for an I/O object to be ready for.
///
/// Never empty. Given to the `ready`, `try_io` and `async_io` methods of sockets, and to
/// `AsyncFd::with_interest`.
///
/// # Examples
///
/// ```
/// use heist::io::Interest;
///
/// let both = Interest::READABLE | Interest::WRITABLE;
/// assert_eq!(both.remove(Interest::WRITABLE), Some(Interest::READABLE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Interest(u8);

impl Interest {
    /// To read; also woken when the read side closes.
    pub const READABLE: Self = Self(1);

    /// To write; also woken when the write side closes.
    pub const WRITABLE: Self = Self(1 << 1);

    /// Urgent data; also woken when the read side closes.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const PRIORITY: Self = Self(1 << 4);

    /// Errors. Systems report them whether asked or not; this lets a task wait for nothing else.
    pub const ERROR: Self = Self(1 << 5);

    /// True if it includes reading.
    ///
    /// ```
    /// use heist::io::Interest;
    ///
    /// assert!(Interest::READABLE.is_readable());
    /// assert!(!Interest::WRITABLE.is_readable());
    /// ```
    pub const fn is_readable(self) -> bool {
        self.0 & Self::READABLE.0 != 0
    }

    /// True if it includes writing.
    ///
    /// ```
    /// use heist::io::Interest;
    ///
    /// assert!(Interest::WRITABLE.is_writable());
    /// assert!(!Interest::READABLE.is_writable());
    /// ```
    pub const fn is_writable(self) -> bool {
        self.0 & Self::WRITABLE.0 != 0
    }

    /// True if it includes errors.
    ///
    /// ```
    /// use heist::io::Interest;
    ///
    /// assert!(Interest::ERROR.is_error());
    /// assert!(!Interest::WRITABLE.is_error());
    /// ```
    pub const fn is_error(self) -> bool {
        self.0 & Self::ERROR.0 != 0
    }

    /// True if it includes urgent data.
    ///
    /// ```
    /// use heist::io::Interest;
    ///
    /// assert!(Interest::PRIORITY.is_priority());
    /// assert!(!Interest::READABLE.is_priority());
    /// ```
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const fn is_priority(self) -> bool {
        self.0 & Self::PRIORITY.0 != 0
    }

    /// Both interests together; `|` in a `const`.
    ///
    /// ```
    /// use heist::io::Interest;
    ///
    /// const BOTH: Interest = Interest::READABLE.add(Interest::WRITABLE);
    /// assert!(BOTH.is_readable() && BOTH.is_writable());
    /// ```
    #[must_use = "this makes a new value and leaves the old as it is"]
    pub const fn add(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This interest without `other`; `None` if nothing is left, as there is no empty interest.
    ///
    /// ```
    /// use heist::io::Interest;
    ///
    /// let both = Interest::READABLE | Interest::WRITABLE;
    /// assert_eq!(both.remove(Interest::READABLE), Some(Interest::WRITABLE));
    /// assert_eq!(Interest::READABLE.remove(Interest::READABLE), None);
    /// ```
    #[must_use = "this makes a new value and leaves the old as it is"]
    pub fn remove(self, other: Self) -> Option<Self> {
        match self.0 & !other.0 {
            0 => None,
            bits => Some(Self(bits)),
        }
    }

    pub(crate) fn to_mio(self) -> mio::Interest {
        let mut all: Option<mio::Interest> = None;
        let mut want = |interest| all = Some(all.map_or(interest, |all| all.add(interest)));
        if self.is_readable() {
            want(mio::Interest::READABLE);
        }
        if self.is_writable() {
            want(mio::Interest::WRITABLE);
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self.is_priority() {
            want(mio::Interest::PRIORITY);
        }
        // Errors alone cannot be asked for, as they are always reported; something must be.
        all.unwrap_or(mio::Interest::READABLE)
    }
}

impl ops::BitOr for Interest {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.add(other)
    }
}

impl ops::BitOrAssign for Interest {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = self.add(other);
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (1, "READABLE"),
            (1 << 1, "WRITABLE"),
            (1 << 4, "PRIORITY"),
            (1 << 5, "ERROR"),
        ];
        let mut first = true;
        for (_, name) in names.into_iter().filter(|(bit, _)| self.0 & bit != 0) {
            if !std::mem::take(&mut first) {
                f.write_str(" | ")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn interests_are_served_by_their_flags_and_by_the_end() {
        assert!(Ready::READABLE.serves(Interest::READABLE));
        assert!(Ready::READ_CLOSED.serves(Interest::READABLE));
        assert!(!Ready::WRITE_CLOSED.serves(Interest::READABLE));
        assert!(Ready::WRITE_CLOSED.serves(Interest::READABLE | Interest::WRITABLE));
        assert!(!Ready::READABLE.serves(Interest::ERROR));
        #[cfg(target_os = "linux")]
        assert!(Ready::READ_CLOSED.serves(Interest::PRIORITY));
    }

    #[test]
    fn interests_print_their_names() {
        let all = Interest::READABLE | Interest::WRITABLE | Interest::ERROR;
        assert_eq!(format!("{all:?}"), "READABLE | WRITABLE | ERROR");
        assert_eq!(format!("{:?}", Interest::WRITABLE), "WRITABLE");
    }

    #[test]
    fn an_error_interest_asks_for_something() {
        assert_eq!(Interest::ERROR.to_mio(), mio::Interest::READABLE);
    }
}
