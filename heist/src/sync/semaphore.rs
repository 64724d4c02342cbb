//! A counting semaphore.

use std::fmt;

use crate::engine::base::{current, parker};
use crate::sync::StdArc as Arc;
use crate::sync::permits::{Closed, Permits, Refusal};

/// A number of permits that tasks take and give back.
///
/// It limits how many do something at the same time: so many open files, so many requests under
/// way. [`acquire`](Self::acquire) waits for a permit and returns a guard that gives it back when
/// dropped; [`acquire_many`](Self::acquire_many) takes several at once; the `_owned` methods return
/// guards that keep the semaphore alive and can go into a spawned task.
///
/// The semaphore is fair: permits go to those who wait in the order in which they came, also when
/// the first wants many and later ones few.
///
/// # Examples
///
/// At most two at a time:
///
/// ```
/// use heist::sync::Semaphore;
///
/// # futures::executor::block_on(async {
/// let semaphore = Semaphore::new(2);
/// let first = semaphore.acquire().await.unwrap();
/// let _second = semaphore.acquire().await.unwrap();
/// assert!(semaphore.try_acquire().is_err());
/// drop(first);
/// assert!(semaphore.try_acquire().is_ok());
/// # });
/// ```
///
/// A limit for spawned tasks, each of which takes its permit along:
///
/// ```no_run
/// use heist::sync::Semaphore;
/// use std::sync::Arc;
///
/// #[heist::main]
/// async fn main() {
///     let semaphore = Arc::new(Semaphore::new(10));
///     for job in 0..100 {
///         let permit = semaphore.clone().acquire_owned().await.unwrap();
///         heist::spawn(async move {
///             println!("job {job}");
///             drop(permit);
///         });
///     }
/// }
/// ```
///
/// A token bucket takes permits and [`forget`](SemaphorePermit::forget)s them, while a timer
/// [adds](Self::add_permits) new ones.
pub struct Semaphore {
    permits: Permits,
}

/// Permits of a [`Semaphore`], given back when this is dropped.
#[must_use = "dropped at once, the permit is given back at once"]
#[clippy::has_significant_drop]
#[derive(Debug)]
pub struct SemaphorePermit<'a> {
    semaphore: &'a Semaphore,
    count: usize,
}

/// Permits of a [`Semaphore`] in an [`Arc`], given back when this is dropped.
///
/// It has no lifetime, so it can go where the semaphore is not borrowed: into a task, a struct.
#[must_use = "dropped at once, the permit is given back at once"]
#[clippy::has_significant_drop]
#[derive(Debug)]
pub struct OwnedSemaphorePermit {
    semaphore: Arc<Semaphore>,
    count: usize,
}

/// The semaphore is closed. From [`Semaphore::acquire`] and its kin.
#[derive(Debug)]
pub struct AcquireError(());

/// Why [`Semaphore::try_acquire`] got no permit.
#[derive(Debug, PartialEq, Eq)]
pub enum TryAcquireError {
    /// The semaphore was closed: there will be no permits any more.
    Closed,
    /// Too few permits right now, or others wait for them already.
    NoPermits,
}

impl From<Closed> for AcquireError {
    fn from(_: Closed) -> Self {
        Self(())
    }
}

impl From<Refusal> for TryAcquireError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Closed => Self::Closed,
            Refusal::TooFew => Self::NoPermits,
        }
    }
}

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("semaphore closed")
    }
}

impl std::error::Error for AcquireError {}

impl fmt::Display for TryAcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "semaphore closed",
            Self::NoPermits => "no permits available",
        })
    }
}

impl std::error::Error for TryAcquireError {}

impl Semaphore {
    /// The most permits a semaphore can have: `usize::MAX >> 3`.
    pub const MAX_PERMITS: usize = Permits::MAX;

    /// A semaphore with `permits` permits.
    ///
    /// # Panics
    ///
    /// Panics if `permits` is more than [`MAX_PERMITS`](Self::MAX_PERMITS).
    #[track_caller]
    pub fn new(permits: usize) -> Self {
        Self {
            permits: Permits::new(permits),
        }
    }

    /// As [`new`](Self::new), in constants and statics.
    ///
    /// # Panics
    ///
    /// Panics if `permits` is more than [`MAX_PERMITS`](Self::MAX_PERMITS).
    ///
    /// ```
    /// use heist::sync::Semaphore;
    ///
    /// static CONNECTIONS: Semaphore = Semaphore::const_new(100);
    /// assert_eq!(CONNECTIONS.available_permits(), 100);
    /// ```
    #[cfg(not(all(test, heist_loom)))]
    #[track_caller]
    pub const fn const_new(permits: usize) -> Self {
        Self {
            permits: Permits::const_new(permits),
        }
    }

    /// How many permits can be had right now; 0 while anybody waits.
    pub fn available_permits(&self) -> usize {
        self.permits.available()
    }

    /// Adds `n` permits, for good.
    ///
    /// # Panics
    ///
    /// Panics if there would be more than [`MAX_PERMITS`](Self::MAX_PERMITS).
    #[track_caller]
    pub fn add_permits(&self, n: usize) {
        self.permits.release(n);
    }

    /// Removes up to `n` permits, for good, and returns how many were removed.
    ///
    /// Only permits that nobody holds can be removed.
    pub fn forget_permits(&self, n: usize) -> usize {
        self.permits.forget(n)
    }

    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue. A permit that was already on its way
    /// goes to the next who waits.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let semaphore = heist::sync::Semaphore::new(2);
    /// let permit = semaphore.acquire().await.unwrap();
    /// assert_eq!(semaphore.available_permits(), 1);
    /// drop(permit);
    /// assert_eq!(semaphore.available_permits(), 2);
    /// # }
    /// ```
    pub async fn acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.permits.acquire(1).await?;
        Ok(SemaphorePermit {
            semaphore: self,
            count: 1,
        })
    }

    /// Waits for `n` permits, and takes them all at once.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Cancel safety
    ///
    /// As [`acquire`](Self::acquire): permits gathered so far go to the next who waits.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let semaphore = heist::sync::Semaphore::new(10);
    /// // One permit for each megabyte.
    /// let permits = semaphore.acquire_many(6).await.unwrap();
    /// assert_eq!(semaphore.available_permits(), 4);
    /// # drop(permits);
    /// # }
    /// ```
    pub async fn acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        let count = n as usize;
        self.permits.acquire(count).await?;
        Ok(SemaphorePermit {
            semaphore: self,
            count,
        })
    }

    /// Takes a permit if there is one and nobody waits for it.
    ///
    /// # Errors
    ///
    /// [`TryAcquireError::Closed`] if the semaphore is closed, else
    /// [`TryAcquireError::NoPermits`].
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// Takes `n` permits if there are so many and nobody waits for them.
    ///
    /// # Errors
    ///
    /// [`TryAcquireError::Closed`] if the semaphore is closed, else
    /// [`TryAcquireError::NoPermits`].
    pub fn try_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        let count = n as usize;
        self.permits.try_acquire(count)?;
        Ok(SemaphorePermit {
            semaphore: self,
            count,
        })
    }

    /// Blocks this thread until there is a permit, for use outside asynchronous code.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        current::assert_may_block();
        parker::block_on(self.acquire())
    }

    /// Blocks this thread until there are `n` permits, for use outside asynchronous code.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        current::assert_may_block();
        parker::block_on(self.acquire_many(n))
    }

    /// Waits for a permit that keeps the semaphore alive.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Cancel safety
    ///
    /// As [`acquire`](Self::acquire).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::Semaphore;
    /// use std::sync::Arc;
    ///
    /// let semaphore = Arc::new(Semaphore::new(4));
    /// for _ in 0..16 {
    ///     let permit = semaphore.clone().acquire_owned().await.unwrap();
    ///     heist::spawn(async move {
    ///         // At most four of these at a time.
    ///         drop(permit);
    ///     });
    /// }
    /// # }
    /// ```
    pub async fn acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.permits.acquire(1).await?;
        Ok(OwnedSemaphorePermit {
            semaphore: self,
            count: 1,
        })
    }

    /// Waits for `n` permits that keep the semaphore alive.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Cancel safety
    ///
    /// As [`acquire_many`](Self::acquire_many).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::Semaphore;
    /// use std::sync::Arc;
    ///
    /// let semaphore = Arc::new(Semaphore::new(10));
    /// let permits = semaphore.clone().acquire_many_owned(6).await.unwrap();
    /// assert_eq!(permits.num_permits(), 6);
    /// # }
    /// ```
    pub async fn acquire_many_owned(
        self: Arc<Self>,
        n: u32,
    ) -> Result<OwnedSemaphorePermit, AcquireError> {
        let count = n as usize;
        self.permits.acquire(count).await?;
        Ok(OwnedSemaphorePermit {
            semaphore: self,
            count,
        })
    }

    /// As [`try_acquire`](Self::try_acquire), for a permit that keeps the semaphore alive.
    ///
    /// # Errors
    ///
    /// As [`try_acquire`](Self::try_acquire).
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// As [`try_acquire_many`](Self::try_acquire_many), for permits that keep the semaphore alive.
    ///
    /// # Errors
    ///
    /// As [`try_acquire_many`](Self::try_acquire_many).
    pub fn try_acquire_many_owned(
        self: Arc<Self>,
        n: u32,
    ) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        let count = n as usize;
        self.permits.try_acquire(count)?;
        Ok(OwnedSemaphorePermit {
            semaphore: self,
            count,
        })
    }

    /// As [`blocking_acquire`](Self::blocking_acquire), for a permit that keeps the semaphore alive.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, AcquireError> {
        current::assert_may_block();
        parker::block_on(self.acquire_owned())
    }

    /// As [`blocking_acquire_many`](Self::blocking_acquire_many), for permits that keep the
    /// semaphore alive.
    ///
    /// # Errors
    ///
    /// An error if the semaphore is or gets [closed](Self::close).
    ///
    /// # Panics
    ///
    /// Panics when called where asynchronous tasks are being polled.
    #[track_caller]
    pub fn blocking_acquire_many_owned(
        self: Arc<Self>,
        n: u32,
    ) -> Result<OwnedSemaphorePermit, AcquireError> {
        current::assert_may_block();
        parker::block_on(self.acquire_many_owned(n))
    }

    /// Closes the semaphore: all who wait, and all who ask from now on, get an error.
    ///
    /// Permits that are held stay valid.
    ///
    /// ```
    /// use heist::sync::{Semaphore, TryAcquireError};
    ///
    /// let semaphore = Semaphore::new(1);
    /// semaphore.close();
    /// assert_eq!(semaphore.try_acquire().unwrap_err(), TryAcquireError::Closed);
    /// ```
    pub fn close(&self) {
        self.permits.close();
    }

    /// True once [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        self.permits.is_closed()
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semaphore")
            .field("available_permits", &self.available_permits())
            .field("is_closed", &self.is_closed())
            .finish()
    }
}

impl<'a> SemaphorePermit<'a> {
    /// Keeps the permits from ever being given back.
    pub fn forget(mut self) {
        self.count = 0;
    }

    /// Adds the permits of `other` to these.
    ///
    /// # Panics
    ///
    /// Panics if the two are of different semaphores.
    #[track_caller]
    pub fn merge(&mut self, mut other: Self) {
        assert!(
            std::ptr::eq(self.semaphore, other.semaphore),
            "cannot merge the permits of two semaphores"
        );
        self.count = merged(self.count, other.count);
        other.count = 0;
    }

    /// Takes `n` permits out of these into a guard of their own; `None` if there are fewer.
    ///
    /// ```
    /// use heist::sync::Semaphore;
    ///
    /// let semaphore = Semaphore::new(3);
    /// let mut all = semaphore.try_acquire_many(3).unwrap();
    /// drop(all.split(1));
    /// assert_eq!((all.num_permits(), semaphore.available_permits()), (2, 1));
    /// ```
    pub fn split(&mut self, n: usize) -> Option<Self> {
        self.count = self.count.checked_sub(n)?;
        Some(Self {
            semaphore: self.semaphore,
            count: n,
        })
    }

    /// The semaphore that these are permits of.
    pub fn semaphore(&self) -> &Semaphore {
        self.semaphore
    }

    /// How many permits this holds.
    pub fn num_permits(&self) -> usize {
        self.count
    }
}

impl OwnedSemaphorePermit {
    /// Keeps the permits from ever being given back.
    pub fn forget(mut self) {
        self.count = 0;
    }

    /// Adds the permits of `other` to these.
    ///
    /// # Panics
    ///
    /// Panics if the two are of different semaphores.
    #[track_caller]
    pub fn merge(&mut self, mut other: Self) {
        assert!(
            Arc::ptr_eq(&self.semaphore, &other.semaphore),
            "cannot merge the permits of two semaphores"
        );
        self.count = merged(self.count, other.count);
        other.count = 0;
    }

    /// Takes `n` permits out of these into a guard of their own; `None` if there are fewer.
    pub fn split(&mut self, n: usize) -> Option<Self> {
        self.count = self.count.checked_sub(n)?;
        Some(Self {
            semaphore: Arc::clone(&self.semaphore),
            count: n,
        })
    }

    /// The semaphore that these are permits of.
    pub fn semaphore(&self) -> &Arc<Semaphore> {
        &self.semaphore
    }

    /// How many permits this holds.
    pub fn num_permits(&self) -> usize {
        self.count
    }
}

#[track_caller]
fn merged(a: usize, b: usize) -> usize {
    a.checked_add(b).expect("too many permits in one guard")
}

impl Drop for SemaphorePermit<'_> {
    fn drop(&mut self) {
        self.semaphore.add_permits(self.count);
    }
}

impl Drop for OwnedSemaphorePermit {
    fn drop(&mut self) {
        self.semaphore.add_permits(self.count);
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::parker::block_on;

    #[test]
    fn guards_give_back_split_merge_and_forget() {
        let semaphore = Arc::new(Semaphore::new(5));
        let mut a = semaphore.try_acquire_many(3).unwrap();
        let mut b = Arc::clone(&semaphore).try_acquire_many_owned(2).unwrap();
        assert_eq!(semaphore.available_permits(), 0);
        assert_eq!(
            semaphore.try_acquire().unwrap_err(),
            TryAcquireError::NoPermits
        );
        assert!(a.split(4).is_none());
        let c = a.split(1).unwrap();
        assert!(std::ptr::eq(c.semaphore(), &*semaphore));
        a.merge(c);
        assert_eq!(a.num_permits(), 3);
        let d = b.split(1).unwrap();
        assert!(Arc::ptr_eq(d.semaphore(), &semaphore));
        b.merge(d);
        drop(a);
        b.forget();
        assert_eq!(semaphore.available_permits(), 3);
        assert_eq!(semaphore.forget_permits(1), 1);
        assert_eq!(semaphore.forget_permits(9), 2);
    }

    #[test]
    #[should_panic(expected = "two semaphores")]
    fn merging_strangers_panics() {
        let (a, b) = (Semaphore::new(1), Semaphore::new(1));
        a.try_acquire().unwrap().merge(b.try_acquire().unwrap());
    }

    #[test]
    fn blocking_and_async_meet() {
        let semaphore = Arc::new(Semaphore::new(0));
        let waiting: Vec<_> = (0..4)
            .map(|i| {
                let semaphore = Arc::clone(&semaphore);
                std::thread::spawn(move || match i {
                    0 => semaphore.blocking_acquire().map(|p| p.num_permits()),
                    1 => semaphore.blocking_acquire_many(2).map(|p| p.num_permits()),
                    2 => semaphore.blocking_acquire_owned().map(|p| p.num_permits()),
                    _ => block_on(semaphore.acquire_many_owned(2)).map(|p| p.num_permits()),
                })
            })
            .collect();
        semaphore.add_permits(2);
        for (i, thread) in waiting.into_iter().enumerate() {
            assert_eq!(thread.join().unwrap().unwrap(), i % 2 + 1);
        }
        assert_eq!(semaphore.available_permits(), 2);
        semaphore.close();
        assert!(block_on(semaphore.acquire()).is_err());
        assert!(semaphore.blocking_acquire_many_owned(1).is_err());
    }
}
