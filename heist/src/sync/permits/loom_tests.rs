use super::*;
use crate::engine::base::parker::block_on;
use crate::loom::sync::Arc;
use crate::loom::thread;
use crate::sync::testing::Tracked;
use futures::task::noop_waker;

struct Guarded {
    permits: Permits,
    cell: UnsafeCell<u32>,
}

// SAFETY: the test's protocol: the cell is touched with a permit only, and loom watches it.
unsafe impl Sync for Guarded {}
// SAFETY: as above.
unsafe impl Send for Guarded {}

impl Guarded {
    fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self {
            permits: Permits::new(permits),
            cell: UnsafeCell::new(0),
        })
    }

    /// To be called with the only permit.
    fn count(&self) -> u32 {
        // SAFETY: the caller has the only permit.
        self.cell.with_mut(|p| unsafe {
            *p += 1;
            *p
        })
    }
}

fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(f);
}

fn lock_count_unlock(guarded: &Guarded) {
    block_on(guarded.permits.acquire(1)).unwrap();
    guarded.count();
    guarded.permits.release(1);
}

#[test]
fn the_last_permit_excludes() {
    model(|| {
        let guarded = Guarded::new(1);
        let other = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || lock_count_unlock(&guarded))
        };
        lock_count_unlock(&guarded);
        other.join().unwrap();
        assert_eq!(guarded.permits.available(), 1);
        assert_eq!(guarded.count(), 3);
    });
}

#[test]
fn three_share_one_permit() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let guarded = Guarded::new(1);
        let others: Vec<_> = (0..2)
            .map(|_| {
                let guarded = Arc::clone(&guarded);
                thread::spawn(move || lock_count_unlock(&guarded))
            })
            .collect();
        lock_count_unlock(&guarded);
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(guarded.permits.available(), 1);
        assert_eq!(guarded.count(), 4);
    });
}

#[test]
fn a_cancelled_waiter_passes_its_permit_on() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let guarded = Guarded::new(0);
        let canceller = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || {
                let mut future = Box::pin(guarded.permits.acquire(1));
                let waker = noop_waker();
                if future
                    .as_mut()
                    .poll(&mut Context::from_waker(&waker))
                    .is_ready()
                {
                    guarded.permits.release(1);
                }
            })
        };
        let waiter = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || lock_count_unlock(&guarded))
        };
        guarded.count();
        guarded.permits.release(1);
        canceller.join().unwrap();
        waiter.join().unwrap();
        assert_eq!(guarded.permits.available(), 1);
    });
}

/// And who gets them sees what both did before.
#[test]
fn two_releases_make_up_one_big_acquire() {
    model(|| {
        let shared = Arc::new((Permits::new(0), [Tracked::new(0), Tracked::new(0)]));
        let give = |shared: &(Permits, [Tracked; 2]), i: usize| {
            shared.1[i].set(1);
            shared.0.release(1);
        };
        let giver = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || give(&shared, 0))
        };
        let taker = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                block_on(shared.0.acquire(2)).unwrap();
                assert_eq!((shared.1[0].get(), shared.1[1].get()), (1, 1));
            })
        };
        give(&shared, 1);
        giver.join().unwrap();
        taker.join().unwrap();
        assert_eq!(shared.0.available(), 0);
    });
}

/// Runs `change` beside a thread that runs `look`, with permits and something that was written before
/// the change. (The thread that looks is the one spawned: loom does not switch between a thread's own
/// look at a word and its change of it.)
fn look_beside(look: fn(&Permits) -> bool, change: fn(&Permits)) {
    model(move || {
        let shared = Arc::new((Permits::new(0), Tracked::new(0)));
        let looker = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                if look(&shared.0) {
                    assert_eq!(shared.1.get(), 1);
                }
            })
        };
        shared.1.set(1);
        change(&shared.0);
        looker.join().unwrap();
    });
}

/// A count, a removal and a close bring what came before them.
#[test]
fn looks_bring_what_came_before() {
    look_beside(
        |permits| permits.available() == 1,
        |permits| permits.release(1),
    );
    look_beside(
        |permits| permits.forget(1) == 1,
        |permits| permits.release(1),
    );
    look_beside(Permits::is_closed, Permits::close);
}

#[test]
fn close_refuses_whoever_comes_or_waits() {
    model(|| {
        let guarded = Guarded::new(1);
        let closer = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || guarded.permits.close())
        };
        let result = block_on(guarded.permits.acquire(2));
        assert_eq!(result, Err(Closed));
        closer.join().unwrap();
        assert_eq!(guarded.permits.available(), 1);
    });
}

#[test]
fn close_against_release_and_cancel() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let guarded = Guarded::new(0);
        let closer = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || guarded.permits.close())
        };
        let releaser = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || guarded.permits.release(1))
        };
        let mut future = Box::pin(guarded.permits.acquire(1));
        let waker = noop_waker();
        let got = future.as_mut().poll(&mut Context::from_waker(&waker));
        drop(future);
        if got == Poll::Ready(Ok(())) {
            guarded.permits.release(1);
        }
        closer.join().unwrap();
        releaser.join().unwrap();
        assert_eq!(guarded.permits.available(), 1);
        assert!(guarded.permits.is_closed());
    });
}

/// Polls before it is woken: the state itself must carry what the permit guards.
#[test]
fn a_busy_poller_sees_what_the_last_holder_did() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let guarded = Guarded::new(0);
        let releaser = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || {
                guarded.count();
                guarded.permits.release(1);
            })
        };
        let mut future = Box::pin(guarded.permits.acquire(1));
        let waker = noop_waker();
        while future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
        {
            thread::yield_now();
        }
        assert_eq!(guarded.count(), 2);
        releaser.join().unwrap();
    });
}
