//! Semaphore; and the model of fair permits that the locks use too.

use std::collections::{BTreeMap, VecDeque};
use std::task::Poll;

use heist::sync::{Semaphore, SemaphorePermit, TryAcquireError};

use crate::harness::{Polled, Rng, pick, sequences};

/// First come, first served: a number of permits, and those who wait for some.
#[derive(Debug, Default)]
pub(crate) struct FairPermits {
    free: usize,
    pub(crate) closed: bool,
    /// Who waits, for how many more.
    queue: VecDeque<(usize, usize)>,
    /// What each has got so far who waits or was not told yet, and whether that is all it wants.
    held: BTreeMap<usize, (usize, bool)>,
}

/// What a waiter finds when it looks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Waits,
    Granted,
    Refused,
}

impl FairPermits {
    pub(crate) fn new(free: usize) -> Self {
        Self {
            free,
            ..Self::default()
        }
    }

    pub(crate) fn available(&self) -> usize {
        if self.queue.is_empty() { self.free } else { 0 }
    }

    pub(crate) fn try_acquire(&mut self, n: usize) -> bool {
        let had = self.free >= n && (self.queue.is_empty() || n == 0);
        if had {
            self.free -= n;
        }
        had
    }

    /// The first poll of waiter `id`.
    pub(crate) fn acquire(&mut self, id: usize, n: usize) -> Look {
        if self.closed {
            return Look::Refused;
        }
        if self.try_acquire(n) {
            return Look::Granted;
        }
        self.held.insert(id, (0, false));
        self.queue.push_back((id, n));
        self.hand_out();
        Look::Waits
    }

    /// What a later poll finds. Not told again.
    pub(crate) fn look(&mut self, id: usize) -> Look {
        let (got, all) = self.held[&id];
        if self.closed {
            self.held.remove(&id);
            self.release(got);
            Look::Refused
        } else if all {
            self.held.remove(&id);
            Look::Granted
        } else {
            Look::Waits
        }
    }

    /// Whether a poll would find something.
    pub(crate) fn is_told(&self, id: usize) -> bool {
        self.closed || self.held[&id].1
    }

    /// A waiter that gives up.
    pub(crate) fn give_up(&mut self, id: usize) {
        self.queue.retain(|(other, _)| *other != id);
        let (got, _) = self.held.remove(&id).unwrap();
        self.release(got);
    }

    pub(crate) fn release(&mut self, n: usize) {
        self.free += n;
        self.hand_out();
    }

    fn hand_out(&mut self) {
        while let Some((id, missing)) = self.queue.front_mut() {
            let given = self.free.min(*missing);
            self.free -= given;
            *missing -= given;
            let held = self.held.get_mut(id).unwrap();
            held.0 += given;
            if *missing != 0 {
                return;
            }
            held.1 = true;
            self.queue.pop_front();
        }
    }

    pub(crate) fn forget(&mut self, n: usize) -> usize {
        let gone = n.min(self.available());
        self.free -= gone;
        gone
    }

    pub(crate) fn close(&mut self) {
        self.closed = true;
        self.queue.clear();
    }
}

type Acquiring<'a> = Polled<'a, Option<SemaphorePermit<'a>>>;

#[test]
fn semaphore() {
    sequences(|rng| {
        let permits = rng.below(4);
        let semaphore = Semaphore::new(permits);
        let mut model = FairPermits::new(permits);
        let mut held: Vec<SemaphorePermit<'_>> = Vec::new();
        let mut waiting: Vec<(usize, usize, Acquiring<'_>)> = Vec::new();
        for id in 0..60 {
            step(rng, &semaphore, &mut model, id, &mut held, &mut waiting);
            assert_eq!(semaphore.available_permits(), model.available());
            assert_eq!(semaphore.is_closed(), model.closed);
            for (id, _, future) in &waiting {
                assert!(future.was_woken() || !model.is_told(*id), "lost wake");
            }
        }
    });
}

fn step<'a>(
    rng: &mut Rng,
    semaphore: &'a Semaphore,
    model: &mut FairPermits,
    id: usize,
    held: &mut Vec<SemaphorePermit<'a>>,
    waiting: &mut Vec<(usize, usize, Acquiring<'a>)>,
) {
    match rng.below(40) {
        0..10 => {
            let n = rng.below(4);
            let mut future =
                Polled::new(async move { semaphore.acquire_many(n as u32).await.ok() });
            match (future.poll(), model.acquire(id, n)) {
                (Poll::Pending, Look::Waits) => waiting.push((id, n, future)),
                (Poll::Ready(Some(permit)), Look::Granted) => held.push(permit),
                (Poll::Ready(None), Look::Refused) => {}
                (_, look) => panic!("the model says {look:?}"),
            }
        }
        10..17 => {
            let Some(at) = pick(rng, waiting) else { return };
            let (id, n, future) = &mut waiting[at];
            match (future.poll_somehow(rng), model.look(*id)) {
                (Poll::Pending, Look::Waits) => return,
                (Poll::Ready(Some(permit)), Look::Granted) => {
                    assert_eq!(permit.num_permits(), *n);
                    held.push(permit);
                }
                (Poll::Ready(None), Look::Refused) => {}
                (_, look) => panic!("the model says {look:?}"),
            }
            drop(waiting.swap_remove(at));
        }
        17..21 => {
            if let Some(at) = pick(rng, waiting) {
                let (id, ..) = waiting.swap_remove(at);
                model.give_up(id);
            }
        }
        21..30 => {
            if let Some(at) = pick(rng, held) {
                let mut permit = held.swap_remove(at);
                // In one piece or in two.
                if let Some(part) = permit.split(rng.below(3)) {
                    model.release(part.num_permits());
                    drop(part);
                }
                model.release(permit.num_permits());
            }
        }
        30..32 => {
            if let Some(at) = pick(rng, held) {
                held.swap_remove(at).forget();
            }
        }
        32..35 => {
            let n = rng.below(3);
            let expected = if model.closed {
                Err(TryAcquireError::Closed)
            } else if model.try_acquire(n) {
                Ok(())
            } else {
                Err(TryAcquireError::NoPermits)
            };
            let permit = semaphore.try_acquire_many(n as u32);
            assert_eq!(permit.as_ref().map(drop), expected.as_ref().map(drop));
            held.extend(permit.ok());
        }
        35..37 => {
            let n = rng.below(3);
            semaphore.add_permits(n);
            model.release(n);
        }
        37..39 => {
            let n = rng.below(3);
            assert_eq!(semaphore.forget_permits(n), model.forget(n));
        }
        _ => {
            if rng.below(4) == 0 {
                semaphore.close();
                model.close();
            }
        }
    }
}
