use super::*;
use crate::engine::base::parker::block_on;
use crate::loom::sync::atomic::AtomicBool;
use crate::loom::thread;
use futures::task::noop_waker;

type LoomArc<T> = crate::loom::sync::Arc<T>;

struct Guarded {
    notify: Arc<Notify>,
    cell: UnsafeCell<u32>,
}

// SAFETY: the test's protocol: written before the notification, read after it; loom watches.
unsafe impl Sync for Guarded {}
// SAFETY: as above.
unsafe impl Send for Guarded {}

impl Guarded {
    fn new() -> LoomArc<Self> {
        LoomArc::new(Self {
            notify: Arc::new(Notify::new()),
            cell: UnsafeCell::new(0),
        })
    }

    fn write(&self) {
        // SAFETY: before the notification.
        self.cell.with_mut(|p| unsafe { *p = 1 });
    }

    fn read(&self) {
        // SAFETY: after the notification.
        assert_eq!(self.cell.with(|p| unsafe { *p }), 1);
    }
}

fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(f);
}

#[test]
fn one_is_told_and_sees() {
    model(|| {
        let guarded = Guarded::new();
        let waiter = {
            let guarded = LoomArc::clone(&guarded);
            thread::spawn(move || {
                block_on(guarded.notify.notified());
                guarded.read();
            })
        };
        guarded.write();
        guarded.notify.notify_one();
        waiter.join().unwrap();
    });
}

#[test]
fn all_are_told_and_see() {
    model(|| {
        let guarded = Guarded::new();
        let first = Arc::clone(&guarded.notify).notified_owned();
        let second = Arc::clone(&guarded.notify).notified_owned();
        let waiter = {
            let guarded = LoomArc::clone(&guarded);
            thread::spawn(move || {
                block_on(first);
                guarded.read();
            })
        };
        let notifier = {
            let guarded = LoomArc::clone(&guarded);
            thread::spawn(move || {
                guarded.write();
                guarded.notify.notify_waiters();
            })
        };
        block_on(second);
        guarded.read();
        waiter.join().unwrap();
        notifier.join().unwrap();
    });
}

#[test]
fn waiters_pass_it_round() {
    model(|| {
        let guarded = Guarded::new();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let guarded = LoomArc::clone(&guarded);
                thread::spawn(move || {
                    block_on(guarded.notify.notified());
                    guarded.notify.notify_one();
                })
            })
            .collect();
        guarded.notify.notify_one();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_cancelled_waiter_passes_it_on() {
    model(|| {
        let guarded = Guarded::new();
        let canceller = {
            let guarded = LoomArc::clone(&guarded);
            thread::spawn(move || {
                let mut future = Box::pin(guarded.notify.notified());
                let waker = noop_waker();
                if future
                    .as_mut()
                    .poll(&mut Context::from_waker(&waker))
                    .is_ready()
                {
                    guarded.notify.notify_one();
                }
            })
        };
        let waiter = {
            let guarded = LoomArc::clone(&guarded);
            thread::spawn(move || {
                block_on(guarded.notify.notified());
                guarded.read();
            })
        };
        guarded.write();
        guarded.notify.notify_one();
        canceller.join().unwrap();
        waiter.join().unwrap();
    });
}

#[test]
fn one_and_all_at_once() {
    model(|| {
        let guarded = Guarded::new();
        let all = {
            let guarded = LoomArc::clone(&guarded);
            thread::spawn(move || guarded.notify.notify_waiters())
        };
        let one = {
            let guarded = LoomArc::clone(&guarded);
            thread::spawn(move || guarded.notify.notify_one())
        };
        // Whatever `notify_waiters` reached, the single one is there for somebody.
        block_on(guarded.notify.notified());
        all.join().unwrap();
        one.join().unwrap();
    });
}

/// Polls before it is woken: the state itself must carry what the notifier did.
#[test]
fn a_busy_poller_sees() {
    for all in [false, true] {
        model(move || {
            let guarded = Guarded::new();
            let mut future = Box::pin(guarded.notify.notified());
            let notifier = {
                let guarded = LoomArc::clone(&guarded);
                thread::spawn(move || {
                    guarded.write();
                    if all {
                        guarded.notify.notify_waiters();
                    } else {
                        guarded.notify.notify_one();
                    }
                })
            };
            let waker = noop_waker();
            while future
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
            {
                thread::yield_now();
            }
            guarded.read();
            drop(future);
            notifier.join().unwrap();
        });
    }
}

/// Register, look, wait: with relaxed flags, so that only `Notify` orders anything. Whoever was notified
/// too early to be told finds the flag.
#[test]
fn who_is_too_late_to_be_told_sees() {
    model(|| {
        let shared = LoomArc::new((Notify::new(), AtomicBool::new(false)));
        let teller = {
            let shared = LoomArc::clone(&shared);
            thread::spawn(move || {
                shared.1.store(true, Relaxed);
                shared.0.notify_waiters();
            })
        };
        let notified = shared.0.notified();
        if !shared.1.load(Relaxed) {
            block_on(notified);
            assert!(shared.1.load(Relaxed));
        }
        teller.join().unwrap();
    });
}

/// Two notifications that become one bring what both notifiers did.
#[test]
fn two_that_become_one_bring_both() {
    for second_tells_all in [false, true] {
        model(move || {
            let flags = [AtomicBool::new(false), AtomicBool::new(false)];
            let shared = LoomArc::new((Notify::new(), flags));
            let tellers: Vec<_> = (0..2)
                .map(|i| {
                    let shared = LoomArc::clone(&shared);
                    thread::spawn(move || {
                        shared.1[i].store(true, Relaxed);
                        if second_tells_all && i == 1 {
                            shared.0.notify_waiters();
                        } else {
                            shared.0.notify_one();
                        }
                    })
                })
                .collect();
            loop {
                let notified = shared.0.notified();
                let seen = shared.1.iter().all(|flag| flag.load(Relaxed));
                if seen {
                    break;
                }
                block_on(notified);
            }
            for teller in tellers {
                teller.join().unwrap();
            }
        });
    }
}
