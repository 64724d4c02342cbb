//! Seeds, and futures that are polled by hand.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};

pub(crate) use crate::support::Rng;
use crate::support::scale;

/// Runs `sequence` with one seed after the other.
pub(crate) fn sequences(sequence: impl Fn(&mut Rng)) {
    let only = std::env::var("HEIST_SEED").ok().map(|seed| {
        let seed = seed.parse();
        seed.expect("HEIST_SEED is a number")
    });
    let (first, count) = match only {
        Some(seed) => (seed, 1),
        None => (1, scale(4_000, 20_000, 100_000) as u64),
    };
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let outcome = catch_unwind(AssertUnwindSafe(|| sequence(&mut rng)));
        if let Err(panic) = outcome {
            eprintln!("HEIST_SEED={seed} repeats the sequence that failed");
            resume_unwind(panic);
        }
    }
}

/// Any element's index.
pub(crate) fn pick<T>(rng: &mut Rng, of: &[T]) -> Option<usize> {
    (!of.is_empty()).then(|| rng.below(of.len()))
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

/// A future, polled by hand with a waker of its own.
pub(crate) struct Polled<'a, T> {
    future: Pin<Box<dyn Future<Output = T> + 'a>>,
    flag: Arc<Flag>,
}

impl<'a, T> Polled<'a, T> {
    pub(crate) fn new(future: impl Future<Output = T> + 'a) -> Self {
        Self {
            future: Box::pin(future),
            flag: Arc::new(Flag(AtomicBool::new(false))),
        }
    }

    pub(crate) fn poll(&mut self) -> Poll<T> {
        self.flag.0.store(false, SeqCst);
        let waker = Waker::from(Arc::clone(&self.flag));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    /// Polls with a waker that the future has not seen before, as when it moves to another task: the
    /// old one counts no longer.
    pub(crate) fn poll_as_another(&mut self) -> Poll<T> {
        self.flag = Arc::new(Flag(AtomicBool::new(false)));
        self.poll()
    }

    /// Either of these.
    pub(crate) fn poll_somehow(&mut self, rng: &mut Rng) -> Poll<T> {
        if rng.below(4) == 0 {
            self.poll_as_another()
        } else {
            self.poll()
        }
    }

    /// Whether it was woken since the last poll.
    pub(crate) fn was_woken(&self) -> bool {
        self.flag.0.load(SeqCst)
    }
}

/// Polls a future once and drops it.
pub(crate) fn poll_and_drop<T>(future: impl Future<Output = T>) -> Poll<T> {
    Polled::new(future).poll()
}
