//! The lock of the value: many look at it from many threads, now and then one changes it.
//!
//! **What.** A blocking readers-writer lock without poisoning. Who reads writes to one of several words, by
//! thread, each on a cache line of its own: those who only look do not slow each other down. Who writes
//! goes through all of them.
//!
//! **Words.** One a shard: `readers << 1 | WRITER`.
//!
//! **Rules.**
//! * L1. A reader adds itself to its shard's word. If `WRITER` was not in it, it is in. Else it goes out
//!   again and queues for `turn`; holding that, it knows that no writer is inside, adds itself, and lets
//!   go of it.
//! * L2. A writer holds `turn` from beginning to end. It puts `WRITER` into each word, and then waits until
//!   there is no reader in any; it takes all of them out again in the end. So no reader that comes later
//!   passes it.
//! * L3. The last reader that goes out of a word with `WRITER` tells the writer, which looks at the word and
//!   sleeps under `gate`: it sees either the word or the telling.
//!
//! **Orderings.** Going in acquires and going out releases, on the word that both sides change; a reader
//! that went in under `turn` has acquired that.
//!
//! **Rejected.** `std`'s lock, and any with one word: two cores that only look pass its line back and
//! forth, 30 ns a look instead of 5. A word for each receiver: it would need an allocation of its own, and
//! the writer a list of them.
//!
//! **Tested by** `loom_tests` here and in the channel. Each of the five orderings weakened by itself is
//! a race; a reader that does not look for `WRITER`, or that stays in when it saw it, too; a writer that is
//! not told, or sleeps without a look under `gate`, a deadlock.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

use crate::engine::base::cache_padded::CachePadded;
use crate::engine::base::thread_mark;
use crate::loom::cell::UnsafeCell;
use crate::loom::hint;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::loom::sync::{Condvar, Mutex, MutexGuard};

/// Enough for a few cores that look at one value all the time, and still a small channel.
const SHARDS: usize = if cfg!(heist_loom) { 2 } else { 4 };

/// A look at a value is short, so the writer waits a moment before it sleeps: as long as `std`'s locks do.
const LOOKS_BEFORE_SLEEP: u32 = if cfg!(heist_loom) { 1 } else { 100 };

const WRITER: usize = 1;
const READER: usize = 2;
/// More readers than can be, unless very many guards were forgotten.
const TOO_MANY: usize = 1 << (usize::BITS - 1);

pub(super) struct ValueLock<T> {
    door: Door,
    value: UnsafeCell<T>,
}

// SAFETY: as with any readers-writer lock: the value goes along with it.
unsafe impl<T: Send> Send for ValueLock<T> {}
// SAFETY: L1, L2: shared by readers (`Sync`), or one writer's, whichever thread that is on (`Send`).
unsafe impl<T: Send + Sync> Sync for ValueLock<T> {}
// A panic of who changes the value leaves it as it is then, and the lock free.
impl<T> UnwindSafe for ValueLock<T> {}
impl<T> RefUnwindSafe for ValueLock<T> {}

/// The lock without what it locks.
struct Door {
    shards: [CachePadded<AtomicUsize>; SHARDS],
    turn: Mutex<()>,
    gate: Mutex<()>,
    all_out: Condvar,
}

/// A reader's place: which shard's word counts it.
struct Inside<'a> {
    door: &'a Door,
    shard: &'a AtomicUsize,
}

/// A look at the value. Its thread's, as those of `std` are.
pub(super) struct ReadGuard<'a, T> {
    value: NonNull<T>,
    _inside: Inside<'a>,
    _as_others: PhantomData<std::sync::RwLockReadGuard<'a, T>>,
}

// SAFETY: all that threads can do with a shared guard is to look at the value.
unsafe impl<T: Sync> Sync for ReadGuard<'_, T> {}

/// The value to oneself.
pub(super) struct WriteGuard<'a, T> {
    lock: &'a ValueLock<T>,
    _turn: MutexGuard<'a, ()>,
}

impl Door {
    #[inline]
    fn enter(&self) -> Inside<'_> {
        self.try_enter().unwrap_or_else(|shard| {
            let turn = self.turn.lock();
            // What a writer did is acquired with the lock.
            shard.fetch_add(READER, Relaxed);
            drop(turn);
            Inside { door: self, shard }
        })
    }

    /// The shard it would have been if a writer is inside, or waits.
    #[inline]
    fn try_enter(&self) -> Result<Inside<'_>, &AtomicUsize> {
        let shard = &*self.shards[thread_mark::number() % SHARDS];
        // Ordering: pairs with the release of the writer that took its mark out.
        let before = shard.fetch_add(READER, Acquire);
        if before & (WRITER | TOO_MANY) != 0 {
            self.turn_away(shard, before);
            return Err(shard);
        }
        Ok(Inside { door: self, shard })
    }

    #[cold]
    fn turn_away(&self, shard: &AtomicUsize, before: usize) {
        self.leave(shard);
        assert!(before & TOO_MANY == 0, "too many looks at the value");
    }

    #[inline]
    fn leave(&self, shard: &AtomicUsize) {
        // Ordering: pairs with the acquire of the writer that finds no reader left.
        if shard.fetch_sub(READER, Release) == READER | WRITER {
            self.tell_writer();
        }
    }

    /// L3.
    #[cold]
    fn tell_writer(&self) {
        drop(self.gate.lock());
        self.all_out.notify_one();
    }

    /// L2: marks all words, then waits for the readers in them.
    fn clear(&self) {
        for shard in &self.shards {
            // Relaxed: what the readers did comes with the load below.
            shard.fetch_or(WRITER, Relaxed);
        }
        // Ordering: acquire pairs with the release of the readers that went out.
        let is_read = |shard: &AtomicUsize| shard.load(Acquire) >= READER;
        for shard in &self.shards {
            let looks_again = || {
                hint::spin_loop();
                is_read(shard)
            };
            if is_read(shard) && (0..LOOKS_BEFORE_SLEEP).all(|_| looks_again()) {
                let mut gate = self.gate.lock();
                while is_read(shard) {
                    gate = self.all_out.wait(gate);
                }
            }
        }
    }

    fn open(&self) {
        for shard in &self.shards {
            // Ordering: pairs with the acquire of who reads next.
            shard.fetch_and(!WRITER, Release);
        }
    }
}

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        self.door.leave(self.shard);
    }
}

impl<T> ValueLock<T> {
    pub(super) fn new(value: T) -> Self {
        Self {
            door: Door {
                shards: std::array::from_fn(|_| CachePadded::new(AtomicUsize::new(0))),
                turn: Mutex::new(()),
                gate: Mutex::new(()),
                all_out: Condvar::new(),
            },
            value: UnsafeCell::new(value),
        }
    }

    #[inline]
    pub(super) fn read(&self) -> ReadGuard<'_, T> {
        self.guard(self.door.enter())
    }

    /// `None` if a writer is inside, or waits.
    fn try_read(&self) -> Option<ReadGuard<'_, T>> {
        let inside = self.door.try_enter().ok()?;
        Some(self.guard(inside))
    }

    #[inline]
    fn guard<'a>(&'a self, inside: Inside<'a>) -> ReadGuard<'a, T> {
        // SAFETY: L2 — no writer while a reader is in, and the guard has the reader's place.
        let value = self.value.with(|value| NonNull::from(unsafe { &*value }));
        ReadGuard {
            value,
            _inside: inside,
            _as_others: PhantomData,
        }
    }

    pub(super) fn write(&self) -> WriteGuard<'_, T> {
        let turn = self.door.turn.lock();
        self.door.clear();
        WriteGuard {
            lock: self,
            _turn: turn,
        }
    }
}

impl<T> Deref for ReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: L2 — no writer while a reader is in.
        unsafe { self.value.as_ref() }
    }
}

impl<T> Deref for WriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: L1, L2 — nobody else is in.
        self.lock.value.with(|value| unsafe { &*value })
    }
}

impl<T> DerefMut for WriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: L1, L2 — nobody else is in.
        self.lock.value.with_mut(|value| unsafe { &mut *value })
    }
}

impl<T> Drop for WriteGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.door.open();
    }
}

/// Does not wait: who holds the lock may be who prints.
impl<T: fmt::Debug> fmt::Debug for ValueLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("ValueLock");
        match self.try_read() {
            Some(value) => tuple.field(&*value),
            None => tuple.field(&format_args!("<locked>")),
        };
        tuple.finish()
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::ValueLock;
    use crate::loom::sync::Arc;
    use crate::loom::thread;
    use crate::sync::testing::{Tracked, model};

    /// Readers see both halves of a change or neither, whatever their shards.
    #[test]
    fn readers_against_a_writer() {
        model(|| {
            let lock = Arc::new(ValueLock::new([Tracked::new(0), Tracked::new(0)]));
            let readers: Vec<_> = (0..2)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    thread::spawn(move || {
                        let value = lock.read();
                        assert_eq!(value[0].get(), value[1].get());
                    })
                })
                .collect();
            {
                let value = lock.write();
                value[0].set(1);
                value[1].set(1);
            }
            assert_eq!(lock.read()[0].get(), 1);
            for reader in readers {
                reader.join().unwrap();
            }
        });
    }

    #[test]
    fn two_writers_and_a_reader() {
        model(|| {
            let lock = Arc::new(ValueLock::new(Tracked::new(0)));
            let writer = {
                let lock = Arc::clone(&lock);
                thread::spawn(move || lock.write().add_one())
            };
            let reader = {
                let lock = Arc::clone(&lock);
                thread::spawn(move || lock.read().get())
            };
            lock.write().add_one();
            assert!(reader.join().unwrap() <= 2);
            writer.join().unwrap();
            assert_eq!(lock.read().get(), 2);
        });
    }
}
