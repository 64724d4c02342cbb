//! A meeting point.

use std::fmt;

use crate::loom::sync::Mutex;
use crate::sync::Notify;

/// Lets tasks wait for each other: nobody goes on before all have come.
///
/// When as many tasks as it was made for wait, all go on, and the barrier can be used again. One of
/// them, the last to come, is told that it is the leader.
///
/// ```
/// use heist::sync::Barrier;
///
/// # futures::executor::block_on(async {
/// let barrier = Barrier::new(2);
/// let (a, b) = futures::join!(barrier.wait(), barrier.wait());
/// assert!(a.is_leader() != b.is_leader());
/// # });
/// ```
pub struct Barrier {
    state: Mutex<Gathering>,
    /// Told when a gathering is complete.
    complete: Notify,
    size: usize,
}

struct Gathering {
    arrived: usize,
    /// Which gathering this is; wraps.
    number: usize,
}

impl Barrier {
    /// A barrier for `n` tasks. For 0, as for 1, nobody waits.
    pub fn new(n: usize) -> Self {
        Self {
            state: Mutex::new(Gathering {
                arrived: 0,
                number: 0,
            }),
            complete: Notify::new(),
            size: n.max(1),
        }
    }

    /// Waits until all have come.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a task that has come counts, also if it then drops the future.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use heist::sync::Barrier;
    /// use std::sync::Arc;
    ///
    /// let barrier = Arc::new(Barrier::new(3));
    /// let tasks: Vec<_> = (0..3)
    ///     .map(|_| {
    ///         let barrier = barrier.clone();
    ///         heist::spawn(async move { barrier.wait().await.is_leader() })
    ///     })
    ///     .collect();
    /// let mut leaders = 0;
    /// for task in tasks {
    ///     leaders += usize::from(task.await.unwrap());
    /// }
    /// assert_eq!(leaders, 1);
    /// # }
    /// ```
    pub async fn wait(&self) -> BarrierWaitResult {
        let number = {
            let mut gathering = self.state.lock();
            let number = gathering.number;
            gathering.arrived += 1;
            if gathering.arrived == self.size {
                gathering.arrived = 0;
                gathering.number = number.wrapping_add(1);
                drop(gathering);
                self.complete.notify_waiters();
                return BarrierWaitResult(true);
            }
            number
        };
        loop {
            // Before the look, so that a completion in between is not missed. The look itself is for
            // the completion of the gathering before, which may be told late.
            let complete = self.complete.notified();
            if self.state.lock().number != number {
                return BarrierWaitResult(false);
            }
            complete.await;
        }
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier")
            .field("size", &self.size)
            .field("arrived", &self.state.lock().arrived)
            .finish()
    }
}

/// Whether a task is its barrier's leader. From [`Barrier::wait`].
#[derive(Debug, Clone)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for exactly one of the tasks that met.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;

    #[test]
    fn nobody_waits_alone() {
        assert!(block_on(Barrier::new(0).wait()).is_leader());
        assert!(block_on(Barrier::new(1).wait()).is_leader());
    }

    #[test]
    fn threads_meet_again_and_again() {
        let barrier = Arc::new(Barrier::new(3));
        let leaders = Arc::new(AtomicUsize::new(0));
        let rounds = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let (barrier, leaders, rounds) = (barrier.clone(), leaders.clone(), rounds.clone());
                std::thread::spawn(move || {
                    for round in 0..500 {
                        rounds.fetch_add(1, SeqCst);
                        if block_on(barrier.wait()).is_leader() {
                            leaders.fetch_add(1, SeqCst);
                        }
                        assert!(rounds.load(SeqCst) >= 3 * (round + 1));
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(leaders.load(SeqCst), 500);
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::loom::sync::Arc;
    use crate::loom::thread;
    use crate::sync::loom_support::{Tracked, model, poll_once};
    use std::pin::pin;

    #[test]
    fn two_meet_twice() {
        model(|| {
            let barrier = Arc::new(Barrier::new(2));
            let other = {
                let barrier = Arc::clone(&barrier);
                thread::spawn(move || {
                    let first = block_on(barrier.wait()).is_leader();
                    let second = block_on(barrier.wait()).is_leader();
                    [first, second]
                })
            };
            let ours = [
                block_on(barrier.wait()).is_leader(),
                block_on(barrier.wait()).is_leader(),
            ];
            let theirs = other.join().unwrap();
            assert!(ours[0] != theirs[0] && ours[1] != theirs[1]);
        });
    }

    /// What each did before the meeting, all see after it.
    #[test]
    fn all_see_what_all_did() {
        model(|| {
            let shared = Arc::new((Barrier::new(2), Tracked::new(0), Tracked::new(0)));
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.1.set(1);
                    block_on(shared.0.wait());
                    assert_eq!(shared.2.get(), 1);
                })
            };
            shared.2.set(1);
            block_on(shared.0.wait());
            assert_eq!(shared.1.get(), 1);
            other.join().unwrap();
        });
    }

    /// Who came counts, also if it gives up waiting.
    #[test]
    fn giving_up_against_the_last_to_come() {
        model(|| {
            let barrier = Arc::new(Barrier::new(2));
            let other = {
                let barrier = Arc::clone(&barrier);
                thread::spawn(move || drop(poll_once(pin!(barrier.wait()))))
            };
            block_on(barrier.wait());
            other.join().unwrap();
        });
    }
}
