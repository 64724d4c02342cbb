//! Where a task comes from: the place that spawned it and, if it was given one, its name.
//!
//! One word, as every task has one and few have a name: the address of the place, or, with the lowest bit
//! set, of a box with the place, the name and the time since when the task is runnable, on runtimes that
//! measure that.

use std::fmt;
use std::panic::Location;
use std::ptr::NonNull;

use crate::engine::base::counters::SmallCounter;

/// Marks the address of a [`Record`].
const RECORD: usize = 1;

/// A task's birth certificate.
pub(crate) struct Origin(NonNull<()>);

/// Both have the alignment of a pointer at least, so that the lowest bit is free.
struct Record {
    spawned_at: &'static Location<'static>,
    name: Option<Box<str>>,
    /// Written by the run right.
    runnable_since: SmallCounter,
}

const _: () = assert!(align_of::<Record>() > RECORD && align_of::<Location<'static>>() > RECORD);

// SAFETY: a place in the source, which is static, or a record, which can be sent and shared.
unsafe impl Send for Origin {}
// SAFETY: as above; nothing is changed through a shared origin.
unsafe impl Sync for Origin {}

impl Origin {
    /// A task without a name, spawned by the caller.
    #[inline]
    #[track_caller]
    pub(crate) fn here() -> Self {
        Self::of(Location::caller(), None)
    }

    /// A task spawned by the caller, with a name if there is one.
    #[track_caller]
    pub(crate) fn named(name: Option<&str>) -> Self {
        Self::of(Location::caller(), name)
    }

    fn of(spawned_at: &'static Location<'static>, name: Option<&str>) -> Self {
        match name {
            None => Self(NonNull::from(spawned_at).cast()),
            Some(_) => Self::recorded(spawned_at, name),
        }
    }

    fn recorded(spawned_at: &'static Location<'static>, name: Option<&str>) -> Self {
        let record = Box::new(Record {
            spawned_at,
            name: name.map(Box::from),
            runnable_since: SmallCounter::default(),
        });
        let pointer = NonNull::from(Box::leak(record));
        Self(pointer.cast::<()>().map_addr(|address| address | RECORD))
    }

    /// The same, with room for the time since when the task is runnable.
    pub(crate) fn timed(self) -> Self {
        match self.record() {
            Some(_) => self,
            None => Self::recorded(self.spawned_at(), None),
        }
    }

    /// Notes since when the task is runnable, if there is room for it.
    pub(super) fn set_runnable_since(&self, now: u32) {
        if let Some(record) = self.record() {
            record.runnable_since.set(now);
        }
    }

    /// What was noted.
    pub(super) fn runnable_since(&self) -> u32 {
        self.record()
            .map_or(0, |record| record.runnable_since.get())
    }

    fn address(&self) -> Option<NonNull<Record>> {
        let address = self.0.addr().get();
        (address & RECORD != 0).then(|| {
            // SAFETY: the bit was added to the address of a box, which is not 0 without it.
            let pointer = unsafe { self.0.as_ptr().byte_sub(RECORD) };
            // SAFETY: as above.
            unsafe { NonNull::new_unchecked(pointer) }.cast()
        })
    }

    fn record(&self) -> Option<&Record> {
        // SAFETY: the box lives as long as the origin, and is only shared.
        self.address().map(|record| unsafe { record.as_ref() })
    }

    /// The place in the source that spawned it.
    pub(crate) fn spawned_at(&self) -> &'static Location<'static> {
        match self.record() {
            Some(record) => record.spawned_at,
            // SAFETY: without the bit it is the address of a static place.
            None => unsafe { self.0.cast().as_ref() },
        }
    }

    /// The name it was given.
    pub(crate) fn name(&self) -> Option<&str> {
        self.record()?.name.as_deref()
    }
}

impl Clone for Origin {
    fn clone(&self) -> Self {
        Self::of(self.spawned_at(), self.name())
    }
}

impl Drop for Origin {
    #[inline]
    fn drop(&mut self) {
        if let Some(record) = self.address() {
            // SAFETY: it came out of a box, and the origin, which owns it, is no longer used.
            drop(unsafe { Box::from_raw(record.as_ptr()) });
        }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin")
            .field("name", &self.name())
            .field("spawned_at", &format_args!("{}", self.spawned_at()))
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::Origin;

    #[test]
    fn keeps_place_and_name() {
        let (plain, line) = (Origin::here(), line!());
        assert_eq!(plain.spawned_at().line(), line);
        assert_eq!(plain.name(), None);
        assert_eq!(Origin::named(None).name(), None);

        let (named, line) = (Origin::named(Some("")), line!());
        assert_eq!(named.spawned_at().line(), line);
        assert_eq!(named.name(), Some(""));
        assert_eq!(named.clone().spawned_at().line(), line);
        assert_eq!(Origin::named(Some("reader")).clone().name(), Some("reader"));
        assert_eq!(plain.clone().timed().spawned_at(), plain.spawned_at());
        let timed = Origin::here().timed();
        timed.set_runnable_since(7);
        assert_eq!((timed.runnable_since(), timed.name()), (7, None));
        plain.set_runnable_since(7);
        assert_eq!(plain.runnable_since(), 0);
        assert_eq!(size_of::<Origin>(), size_of::<usize>());
    }
}
