//! Models. Each ends with shutdown and wait, so that a thread nobody calls is a deadlock, and most
//! wait for their jobs *before* the shutdown, so that B1 cannot lean on it.

use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed;

use super::roster::Faults;
use super::{Config, Job, Mandatory, SubmitError, ThreadPool};
use crate::engine::base::parker::Parker;
use crate::loom::sync::Arc;
use crate::loom::thread;

type Action = Box<dyn FnOnce() + Send>;

/// Does its action when run, and counts what became of it.
struct Toy {
    tallies: std::sync::Arc<Tallies>,
    action: Action,
}

#[derive(Default)]
struct Tallies {
    run: Tally,
    cancelled: Tally,
    given_back: Tally,
}

impl Job for Toy {
    fn run(self) {
        (self.action)();
        self.tallies.run.fetch_add(1, Relaxed);
    }

    fn cancel(self) {
        self.tallies.cancelled.fetch_add(1, Relaxed);
    }
}

#[derive(Clone)]
struct Bench {
    pool: ThreadPool<Toy>,
    tallies: std::sync::Arc<Tallies>,
}

impl Bench {
    fn new(cap: usize, faults: Faults) -> Self {
        let config = Config {
            max_threads: cap,
            ..Config::new(2)
        };
        let pool = ThreadPool::new(config);
        pool.set_faults(faults);
        Self {
            pool,
            tallies: std::sync::Arc::default(),
        }
    }

    fn submit(&self, action: impl FnOnce() + Send + 'static) -> bool {
        self.submit_as(Mandatory::No, action)
    }

    fn submit_as(&self, mandatory: Mandatory, action: impl FnOnce() + Send + 'static) -> bool {
        let toy = Toy {
            tallies: self.tallies.clone(),
            action: Box::new(action),
        };
        match self.pool.submit(toy, mandatory) {
            Ok(()) => true,
            Err(SubmitError::ShutDown(_) | SubmitError::NoThread(..)) => {
                self.tallies.given_back.fetch_add(1, Relaxed);
                false
            }
        }
    }

    /// Submits a job that rings the bell it gives.
    fn ringing(&self) -> Arc<Parker> {
        let bell = Arc::new(Parker::new());
        let ring = Arc::clone(&bell);
        assert!(self.submit(move || ring.unpark()));
        bell
    }

    fn run(&self) -> usize {
        self.tallies.run.load(Relaxed)
    }

    fn resolved(&self) -> usize {
        self.run() + self.tallies.cancelled.load(Relaxed) + self.tallies.given_back.load(Relaxed)
    }

    fn end(&self) {
        self.pool.shutdown();
        assert!(self.pool.wait(None));
        self.assert_empty();
    }

    fn assert_empty(&self) {
        assert_eq!(self.pool.num_threads(), 0);
        assert_eq!(self.pool.num_idle_threads(), 0);
        assert_eq!(self.pool.queue_depth(), 0);
    }
}

fn model(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(f);
}

/// A thread's time is over while the next job comes (#8056).
#[test]
fn a_submit_meets_a_thread_that_times_out() {
    model(3, || {
        let faults = Faults {
            naps: 1,
            ..Faults::default()
        };
        let bench = Bench::new(1, faults);
        bench.ringing().park();
        bench.ringing().park();
        bench.end();
        assert_eq!(bench.run(), 2);
    });
}

#[test]
fn two_submitters_meet_a_thread_that_times_out() {
    model(2, || {
        let faults = Faults {
            naps: 1,
            ..Faults::default()
        };
        let bench = Bench::new(2, faults);
        let other = {
            let bench = bench.clone();
            thread::spawn(move || bench.ringing().park())
        };
        bench.ringing().park();
        other.join().unwrap();
        bench.end();
        assert_eq!(bench.run(), 2);
    });
}

/// B12: one creation is refused, and whoever submits meanwhile has another one tried. The first job waits for the others.
#[test]
fn who_relied_on_a_refused_creation_has_it_tried_again() {
    model(2, || {
        let bench = Bench::new(2, Faults::default());
        let gate = Arc::new(Parker::new());
        let wait = Arc::clone(&gate);
        let bell = Arc::new(Parker::new());
        let ring = Arc::clone(&bell);
        bench.submit(move || {
            ring.unpark();
            wait.park();
            ring.unpark();
        });
        bell.park();
        bench.pool.set_faults(Faults {
            creations: 1,
            ..Faults::default()
        });
        let other = {
            let bench = bench.clone();
            thread::spawn(move || bench.submit(|| {}))
        };
        assert!(bench.submit(move || gate.unpark()));
        assert!(other.join().unwrap());
        // The first job ends.
        bell.park();
        bench.end();
    });
}

/// B1: the second job lets the first one end, so it must not wait for it; both come in a burst.
#[test]
fn a_job_does_not_wait_for_one_that_blocks() {
    model(2, || {
        let bench = Bench::new(2, Faults::default());
        let gate = Arc::new(Parker::new());
        let done = Arc::new(Parker::new());
        {
            let (gate, done) = (Arc::clone(&gate), Arc::clone(&done));
            bench.submit(move || {
                gate.park();
                done.unpark();
            });
        }
        bench.submit(move || gate.unpark());
        done.park();
        bench.end();
        assert_eq!(bench.run(), 2);
    });
}

/// As above, from two submitters and with a thread that was idle.
#[test]
fn a_woken_thread_calls_the_next() {
    model(2, || {
        let bench = Bench::new(2, Faults::default());
        bench.ringing().park();
        let gate = Arc::new(Parker::new());
        let other = {
            let (bench, gate) = (bench.clone(), Arc::clone(&gate));
            thread::spawn(move || assert!(bench.submit(move || gate.unpark())))
        };
        let done = Arc::new(Parker::new());
        let ring = Arc::clone(&done);
        bench.submit(move || {
            gate.park();
            ring.unpark();
        });
        done.park();
        other.join().unwrap();
        bench.end();
        assert_eq!(bench.run(), 3);
    });
}

#[test]
fn a_job_waits_for_a_job_it_submits() {
    model(2, || {
        let bench = Bench::new(2, Faults::default());
        let done = Arc::new(Parker::new());
        {
            let (nested, done) = (bench.clone(), Arc::clone(&done));
            bench.submit(move || {
                nested.ringing().park();
                done.unpark();
            });
        }
        done.park();
        bench.end();
        assert_eq!(bench.run(), 2);
    });
}

/// B7: with no thread at all, each job is given back, cancelled, or run, and once.
#[test]
fn the_first_thread_is_refused() {
    for cap in [1, 2] {
        model(2, move || {
            let faults = Faults {
                creations: 1,
                ..Faults::default()
            };
            let bench = Bench::new(cap, faults);
            let other = {
                let bench = bench.clone();
                thread::spawn(move || {
                    bench.submit(|| ());
                })
            };
            bench.submit(|| ());
            other.join().unwrap();
            // Someone's creation was refused, but the pool is not broken.
            bench.ringing().park();
            bench.end();
            assert_eq!(bench.resolved(), 3);
        });
    }
}

/// Someone lives: a refused creation is nobody's error, the job is run by who there is.
#[test]
fn the_second_thread_is_refused() {
    model(2, || {
        let bench = Bench::new(2, Faults::default());
        let gate = Arc::new(Parker::new());
        let entered = Arc::new(Parker::new());
        {
            let (gate, entered) = (Arc::clone(&gate), Arc::clone(&entered));
            bench.submit(move || {
                entered.unpark();
                gate.park();
            });
        }
        entered.park();
        bench.pool.set_faults(Faults {
            creations: 1,
            ..Faults::default()
        });
        let bell = bench.ringing();
        gate.unpark();
        bell.park();
        bench.end();
        assert_eq!(bench.run(), 2);
    });
}

/// A refused creation, a thread whose time is over, and a duty that would take the idle thread: the
/// accepted job is resolved.
#[test]
fn a_refused_creation_meets_a_duty() {
    model(2, || {
        let faults = Faults {
            creations: 1,
            naps: 1,
        };
        let bench = Bench::new(1, faults);
        let other = {
            let bench = bench.clone();
            thread::spawn(move || bench.pool.start_duty(Box::new(|| ())).is_ok())
        };
        bench.submit(|| ());
        other.join().unwrap();
        bench.end();
        assert_eq!(bench.resolved(), 1);
    });
}

/// B8.
#[test]
fn a_submit_meets_the_shutdown() {
    for mandatory in [Mandatory::No, Mandatory::Yes] {
        model(2, move || {
            let bench = Bench::new(1, Faults::default());
            bench.ringing().park();
            let other = {
                let bench = bench.clone();
                thread::spawn(move || bench.submit_as(mandatory, || ()))
            };
            bench.end();
            let accepted = other.join().unwrap();
            assert_eq!(bench.resolved(), 2);
            if mandatory == Mandatory::Yes {
                assert_eq!(bench.run(), 1 + usize::from(accepted));
            }
        });
    }
}

/// As above, with a first thread that comes, idles, or times out meanwhile.
#[test]
fn the_first_submit_meets_the_shutdown() {
    model(2, || {
        let faults = Faults {
            naps: 1,
            ..Faults::default()
        };
        let bench = Bench::new(1, faults);
        let other = {
            let bench = bench.clone();
            thread::spawn(move || bench.submit(|| ()))
        };
        bench.end();
        other.join().unwrap();
        bench.pool.wait(None);
        assert_eq!(bench.resolved(), 1);
        bench.assert_empty();
    });
}

/// The duty needs the job to end, so neither may take the other's thread away.
#[test]
fn a_duty_and_a_submit_want_the_idle_thread() {
    model(2, || {
        let bench = Bench::new(1, Faults::default());
        bench.ringing().park();
        let job_ran = Arc::new(Parker::new());
        let duty_done = Arc::new(Parker::new());
        let other = {
            let (bench, job_ran, duty_done) =
                (bench.clone(), Arc::clone(&job_ran), Arc::clone(&duty_done));
            thread::spawn(move || {
                let duty = move || {
                    job_ran.park();
                    duty_done.unpark();
                };
                assert!(bench.pool.start_duty(Box::new(duty)).is_ok());
            })
        };
        bench.submit(move || job_ran.unpark());
        duty_done.park();
        other.join().unwrap();
        bench.end();
        assert_eq!(bench.run(), 2);
    });
}

/// B6: a duty ends while the pool is at its cap; its thread may be used, or leaves.
#[test]
fn a_duty_ends_while_a_job_comes() {
    model(2, || {
        let bench = Bench::new(1, Faults::default());
        assert!(bench.pool.start_duty(Box::new(|| ())).is_ok());
        bench.ringing().park();
        assert!(bench.pool.num_threads() <= 1);
        bench.end();
        assert_eq!(bench.run(), 1);
    });
}

#[test]
fn a_refused_duty_is_given_back() {
    model(3, || {
        let faults = Faults {
            creations: 1,
            ..Faults::default()
        };
        let bench = Bench::new(1, faults);
        let bell = Arc::new(Parker::new());
        let ring = Arc::clone(&bell);
        let duty = Box::new(move || ring.unpark());
        let Err((_, duty)) = bench.pool.start_duty(duty) else {
            panic!("there is no thread to be had");
        };
        assert!(bench.pool.start_duty(duty).is_ok());
        bell.park();
        bench.end();
    });
}

/// B9, B10: a member and an outsider wait at once, while threads leave.
#[test]
fn a_member_waits() {
    model(2, || {
        let bench = Bench::new(2, Faults::default());
        let member = bench.clone();
        bench.submit(move || {
            member.pool.shutdown();
            assert!(member.pool.wait(None));
        });
        bench.submit(|| ());
        assert!(bench.pool.wait(None));
        assert_eq!(bench.resolved(), 2);
        bench.assert_empty();
    });
}

/// B10: two members wait for all but each other.
#[test]
fn two_members_wait() {
    model(2, || {
        let bench = Bench::new(2, Faults::default());
        let entered = Arc::new(Parker::new());
        for _ in 0..2 {
            let (member, enter) = (bench.clone(), Arc::clone(&entered));
            bench.submit(move || {
                enter.unpark();
                member.pool.shutdown();
                assert!(member.pool.wait(None));
            });
        }
        entered.park();
        assert!(bench.pool.wait(None));
        assert_eq!(bench.resolved(), 2);
        bench.assert_empty();
    });
}

/// B9: threads leave one after the other and join those before, while someone waits.
#[test]
fn leavers_join_each_other() {
    model(2, || {
        let faults = Faults {
            naps: 2,
            ..Faults::default()
        };
        let bench = Bench::new(2, faults);
        assert!(bench.pool.start_duty(Box::new(|| ())).is_ok());
        bench.submit(|| ());
        assert!(bench.pool.wait(None));
        assert_eq!(bench.run(), 1);
        bench.assert_empty();
    });
}
