//! How a plain thread learns that the last of many tasks is done, without either runtime's help.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// A count that a thread can wait for. It may be armed again after each wait.
pub(crate) struct Latch {
    left: AtomicUsize,
    open: Mutex<bool>,
    opened: Condvar,
}

impl Latch {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            left: AtomicUsize::new(0),
            open: Mutex::new(true),
            opened: Condvar::new(),
        })
    }

    /// Closes the latch until `count_down` has been called `count` times.
    pub(crate) fn arm(&self, count: usize) {
        *self.open.lock().unwrap() = count == 0;
        self.left.store(count, Ordering::Release);
    }

    pub(crate) fn count_down(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            *self.open.lock().unwrap() = true;
            self.opened.notify_all();
        }
    }

    /// Blocks the calling thread until the latch is open.
    pub(crate) fn wait(&self) {
        let open = self.open.lock().unwrap();
        drop(self.opened.wait_while(open, |open| !*open).unwrap());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_at_the_last_count_and_can_be_armed_again() {
        let latch = Latch::new();
        latch.wait();
        for _ in 0..2 {
            latch.arm(3);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| latch.count_down());
                }
                latch.wait();
            });
            assert_eq!(latch.left.load(Ordering::Relaxed), 0);
        }
    }
}
