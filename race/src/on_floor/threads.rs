//! Two threads that wake each other: what one question to another thread costs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};

use crate::counts::{ASKED_BY_BLOCK_ON, BLOCKING_CALLS};
use crate::workload::Round;

pub(super) fn round_trips_asked() -> Round {
    round_trips(ASKED_BY_BLOCK_ON)
}

pub(super) fn round_trips_called() -> Round {
    round_trips(BLOCKING_CALLS)
}

/// Even: mine; odd: the other's; [`END`]: the other may go.
struct Turn(AtomicU32);

const END: u32 = u32::MAX;

impl Turn {
    /// Sleeps until it is not `value` any more.
    #[allow(unsafe_code, reason = "futex has no safe wrapper in std")]
    fn wait_while(&self, value: u32) -> u32 {
        loop {
            let now = self.0.load(Ordering::Acquire);
            if now != value {
                return now;
            }
            // SAFETY: the address is of a live atomic; no timeout is passed.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.0.as_ptr(),
                    libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                    value,
                    std::ptr::null::<libc::timespec>(),
                );
            }
        }
    }

    #[allow(unsafe_code, reason = "futex has no safe wrapper in std")]
    fn set(&self, value: u32) {
        self.0.store(value, Ordering::Release);
        // SAFETY: the address is of a live atomic.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.0.as_ptr(),
                libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                1,
            );
        }
    }
}

struct Partner {
    turn: Arc<Turn>,
    thread: Option<JoinHandle<()>>,
}

impl Partner {
    fn start() -> Self {
        let turn = Arc::new(Turn(AtomicU32::new(0)));
        let of_partner = turn.clone();
        let thread = thread::spawn(move || {
            let mut even = 0;
            loop {
                let odd = of_partner.wait_while(even);
                if odd == END {
                    return;
                }
                even = odd + 1;
                of_partner.set(even);
            }
        });
        Self {
            turn,
            thread: Some(thread),
        }
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        self.turn.set(END);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the partner does not panic");
        }
    }
}

fn round_trips(count: usize) -> Round {
    let partner = Partner::start();
    let mut even = 0;
    Box::new(move || {
        for _ in 0..count {
            partner.turn.set(even + 1);
            even = partner.turn.wait_while(even + 1);
        }
    })
}
