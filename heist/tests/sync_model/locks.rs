//! Mutex, RwLock and Barrier.

use std::collections::BTreeMap;
use std::task::Poll;

use heist::sync::{Barrier, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::harness::{Polled, Rng, pick, sequences};
use crate::permits::{FairPermits, Look};

#[test]
fn mutex() {
    sequences(|rng| {
        let mutex = Mutex::new(0);
        let mut model = FairPermits::new(1);
        let mut changes = 0;
        let mut guard: Option<MutexGuard<'_, i32>> = None;
        let mut waiting: Vec<(usize, Polled<'_, MutexGuard<'_, i32>>)> = Vec::new();
        for id in 0..60 {
            match rng.below(16) {
                0..5 => {
                    let mut future = Polled::new(mutex.lock());
                    match (future.poll(), model.acquire(id, 1)) {
                        (Poll::Pending, Look::Waits) => waiting.push((id, future)),
                        (Poll::Ready(locked), Look::Granted) => guard = Some(locked),
                        (_, look) => panic!("the model says {look:?}"),
                    }
                }
                5..9 => {
                    if let Some(at) = pick(rng, &waiting) {
                        let (id, future) = &mut waiting[at];
                        match (future.poll_somehow(rng), model.look(*id)) {
                            (Poll::Pending, Look::Waits) => {}
                            (Poll::Ready(locked), Look::Granted) => {
                                guard = Some(locked);
                                drop(waiting.swap_remove(at));
                            }
                            (_, look) => panic!("the model says {look:?}"),
                        }
                    }
                }
                9..11 => {
                    if let Some(at) = pick(rng, &waiting) {
                        model.give_up(waiting.swap_remove(at).0);
                    }
                }
                11..13 => match (mutex.try_lock(), model.try_acquire(1)) {
                    (Ok(locked), true) => guard = Some(locked),
                    (Err(_), false) => {}
                    (got, expected) => panic!("{got:?}, the model says {expected}"),
                },
                _ => {
                    if let Some(mut guard) = guard.take() {
                        assert_eq!(*guard, changes);
                        *guard += 1;
                        changes += 1;
                        drop(guard);
                        model.release(1);
                    }
                }
            }
            for (id, future) in &waiting {
                assert!(future.was_woken() || !model.is_told(*id), "lost wake");
            }
        }
        drop((guard, waiting));
        assert_eq!(mutex.into_inner(), changes);
    });
}

enum Guard<'a> {
    Read(RwLockReadGuard<'a, i32>),
    Write(RwLockWriteGuard<'a, i32>),
}

impl Guard<'_> {
    fn weight(&self, readers: usize) -> usize {
        match self {
            Self::Read(_) => 1,
            Self::Write(_) => readers,
        }
    }
}

#[test]
fn rwlock() {
    sequences(|rng| {
        let readers = 1 + rng.below(4);
        let lock = RwLock::with_max_readers(0, readers as u32);
        let mut rw = RwModel {
            lock: &lock,
            readers,
            model: FairPermits::new(readers),
            changes: 0,
            held: Vec::new(),
            waiting: Vec::new(),
        };
        for id in 0..60 {
            rw.step(rng, id);
            for (id, future) in &rw.waiting {
                assert!(future.was_woken() || !rw.model.is_told(*id), "lost wake");
            }
            let write = |guard: &Guard<'_>| matches!(guard, Guard::Write(_));
            assert!(rw.held.len() <= 1 || !rw.held.iter().any(write));
        }
        let changes = rw.changes;
        drop(rw);
        assert_eq!(lock.into_inner(), changes);
    });
}

/// The model: a reader takes one permit, a writer all.
struct RwModel<'a> {
    lock: &'a RwLock<i32>,
    readers: usize,
    model: FairPermits,
    changes: i32,
    held: Vec<Guard<'a>>,
    waiting: Vec<(usize, Polled<'a, Guard<'a>>)>,
}

impl RwModel<'_> {
    fn step(&mut self, rng: &mut Rng, id: usize) {
        let lock = self.lock;
        match rng.below(20) {
            0..7 => {
                let write = rng.below(3) == 0;
                let mut future = Polled::new(async move {
                    if write {
                        Guard::Write(lock.write().await)
                    } else {
                        Guard::Read(lock.read().await)
                    }
                });
                let n = if write { self.readers } else { 1 };
                match (future.poll(), self.model.acquire(id, n)) {
                    (Poll::Pending, Look::Waits) => self.waiting.push((id, future)),
                    (Poll::Ready(guard), Look::Granted) => self.held.push(guard),
                    (_, look) => panic!("the model says {look:?}"),
                }
            }
            7..11 => {
                let Some(at) = pick(rng, &self.waiting) else {
                    return;
                };
                let (id, future) = &mut self.waiting[at];
                match (future.poll_somehow(rng), self.model.look(*id)) {
                    (Poll::Pending, Look::Waits) => {}
                    (Poll::Ready(guard), Look::Granted) => {
                        self.held.push(guard);
                        drop(self.waiting.swap_remove(at));
                    }
                    (_, look) => panic!("the model says {look:?}"),
                }
            }
            11..13 => {
                if let Some(at) = pick(rng, &self.waiting) {
                    self.model.give_up(self.waiting.swap_remove(at).0);
                }
            }
            13 => match (lock.try_read(), self.model.try_acquire(1)) {
                (Ok(guard), true) => self.held.push(Guard::Read(guard)),
                (Err(_), false) => {}
                (got, expected) => panic!("{got:?}, the model says {expected}"),
            },
            14 => match (lock.try_write(), self.model.try_acquire(self.readers)) {
                (Ok(guard), true) => self.held.push(Guard::Write(guard)),
                (Err(_), false) => {}
                (got, expected) => panic!("{got:?}, the model says {expected}"),
            },
            15 => {
                let Some(at) = pick(rng, &self.held) else {
                    return;
                };
                let guard = match self.held.swap_remove(at) {
                    Guard::Write(guard) => {
                        self.model.release(self.readers - 1);
                        Guard::Read(guard.downgrade())
                    }
                    guard => guard,
                };
                self.held.push(guard);
            }
            _ => {
                let Some(at) = pick(rng, &self.held) else {
                    return;
                };
                let mut guard = self.held.swap_remove(at);
                match &mut guard {
                    Guard::Read(value) => assert_eq!(**value, self.changes),
                    Guard::Write(value) => {
                        assert_eq!(**value, self.changes);
                        **value += 1;
                        self.changes += 1;
                    }
                }
                let weight = guard.weight(self.readers);
                drop(guard);
                self.model.release(weight);
            }
        }
    }
}

#[test]
fn barrier() {
    sequences(|rng| {
        let size = 1 + rng.below(4);
        let barrier = Barrier::new(size);
        // Who waits, by the gathering it came to.
        let mut waiting: Vec<(usize, Polled<'_, bool>)> = Vec::new();
        let mut leaders = BTreeMap::new();
        let (mut arrived, mut gathering) = (0, 0);
        for _ in 0..40 {
            match rng.below(6) {
                0..3 => {
                    let mut future = Polled::new(async { barrier.wait().await.is_leader() });
                    arrived += 1;
                    let result = future.poll();
                    if arrived == size {
                        assert_eq!(result, Poll::Ready(true));
                        leaders.insert(gathering, ());
                        (arrived, gathering) = (0, gathering + 1);
                    } else {
                        assert_eq!(result, Poll::Pending);
                        waiting.push((gathering, future));
                    }
                }
                3..5 => {
                    if let Some(at) = pick(rng, &waiting) {
                        let (came, future) = &mut waiting[at];
                        let complete = *came < gathering;
                        let result = future.poll_somehow(rng);
                        assert_eq!(result.is_ready(), complete);
                        if complete {
                            assert_eq!(result, Poll::Ready(false));
                            drop(waiting.swap_remove(at));
                        }
                    }
                }
                // It has come all the same.
                _ => {
                    if let Some(at) = pick(rng, &waiting) {
                        drop(waiting.swap_remove(at));
                    }
                }
            }
            for (came, future) in &waiting {
                assert!(future.was_woken() || *came == gathering, "lost wake");
            }
        }
        assert_eq!(leaders.len(), gathering);
    });
}
