//! What the integration tests share: a bound on every test, sizes by build, counted drops, random
//! numbers, and children that run one test in a process of their own.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use heist::runtime::{Builder, Runtime};

/// Runs `body` on a thread of its own, and fails if it takes longer than `seconds`.
#[track_caller]
pub(crate) fn bounded<R: Send + 'static>(
    seconds: u64,
    body: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (tx, rx) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let output = body();
        let _ = tx.send(());
        output
    });
    // Either a message or, when the body panics, the sender's end.
    if let Err(mpsc::RecvTimeoutError::Timeout) = rx.recv_timeout(Duration::from_secs(seconds)) {
        panic!("the watchdog: not done after {seconds} s");
    }
    match thread.join() {
        Ok(output) => output,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Waits until `condition` holds; fails with `what` after `seconds`.
#[track_caller]
pub(crate) fn eventually(seconds: u64, what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    let mut round = 0u32;
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(seconds),
            "did not come true in {seconds} s: {what}"
        );
        round += 1;
        if round < 100 {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

/// True if `HEIST_STRESS=full`: the sizes for a night, not for a commit.
pub(crate) fn full() -> bool {
    std::env::var("HEIST_STRESS").is_ok_and(|stress| stress == "full")
}

/// A test's size in a debug build, an optimised one, and in full. `HEIST_STRESS=tiny` is for valgrind,
/// under which everything takes fifty times as long.
pub(crate) fn scale(debug: usize, release: usize, at_full: usize) -> usize {
    if full() {
        at_full
    } else if std::env::var_os("HEIST_STRESS").is_some_and(|size| size == "tiny") {
        (debug / 50).clamp(2, debug)
    } else if cfg!(debug_assertions) {
        debug
    } else {
        release
    }
}

pub(crate) fn multi(workers: usize) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .unwrap()
}

pub(crate) fn single() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Counts makings and drops.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally(Arc<(AtomicUsize, AtomicUsize)>);

/// One thing counted by a [`Tally`].
#[derive(Debug)]
pub(crate) struct Counted(Arc<(AtomicUsize, AtomicUsize)>, bool);

impl Tally {
    pub(crate) fn one(&self) -> Counted {
        self.0.0.fetch_add(1, SeqCst);
        Counted(Arc::clone(&self.0), false)
    }

    /// One whose drop panics, after it was counted.
    pub(crate) fn bomb(&self) -> Counted {
        let mut bomb = self.one();
        bomb.1 = true;
        bomb
    }

    pub(crate) fn made(&self) -> usize {
        self.0.0.load(SeqCst)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.0.1.load(SeqCst)
    }

    /// All that were made were dropped, each once.
    #[track_caller]
    pub(crate) fn assert_even(&self) {
        assert_eq!(self.made(), self.dropped(), "made and dropped");
    }

    /// As [`assert_even`](Self::assert_even), after a while at most.
    #[track_caller]
    pub(crate) fn becomes_even(&self) {
        eventually(20, "all that was made is dropped", || {
            self.made() == self.dropped()
        });
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.1.fetch_add(1, SeqCst);
        if self.1 {
            panic!("{BANG}");
        }
    }
}

/// What panics on purpose say.
pub(crate) const BANG: &str = "bang, on purpose";

/// Keeps panics on purpose from the log; all others are printed as ever.
pub(crate) fn hush() {
    use std::sync::Once;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let payload = info.payload();
            let on_purpose = payload.downcast_ref::<String>().is_some_and(|s| s == BANG)
                || payload.downcast_ref::<&str>().is_some_and(|s| *s == BANG);
            if !on_purpose {
                usual(info);
            }
        }));
    });
}

/// Xorshift: the same numbers each run.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

const CHILD: &str = "HEIST_TEST_CHILD";

/// Runs `body` in a process of its own, for what concerns the whole process: the test named `name`
/// is run again as a child, and there calls `body`.
#[track_caller]
pub(crate) fn in_child(name: &str, body: impl FnOnce() + Send + 'static) {
    if is_child(name) {
        return bounded(100, body);
    }
    let output = child(name).output().unwrap();
    assert_child(name, &output);
}

/// True in the process that runs the test `name` as a child.
pub(crate) fn is_child(name: &str) -> bool {
    std::env::var(CHILD).is_ok_and(|child| child == name)
}

/// The command that runs the test `name` as a child.
pub(crate) fn child(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(CHILD, name);
    command
}

#[track_caller]
pub(crate) fn assert_child(name: &str, output: &Output) {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "the child for {name}: {}\n{stdout}\n{stderr}",
        output.status
    );
}

pub(crate) fn open_fds() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

pub(crate) fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// Resident memory in KiB.
pub(crate) fn rss_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap()
}
