//! What only the sharded strategy promises.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use heist::runtime::{Builder, Runtime};
use heist::scheduler::{Cause, Runnable, Scheduler, Sharded, Tell, Turn, current_worker, spawn_on};
use heist::sync::{mpsc, oneshot};
use heist::task::{block_in_place, spawn_local, yield_now};

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(workers)
        .scheduler(Sharded::new)
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn a_task_stays_where_it_was_spawned() {
    let runtime = runtime(4);
    runtime.block_on(async {
        let tasks: Vec<_> = (0..40)
            .map(|i| {
                spawn_on(i % 4, async move {
                    let thread = std::thread::current().id();
                    for _ in 0..20 {
                        assert_eq!(current_worker(), Some(i % 4));
                        assert_eq!(std::thread::current().id(), thread);
                        yield_now().await;
                        let here = heist::spawn(async { current_worker() }).await.unwrap();
                        assert_eq!(here, Some(i % 4));
                        heist::time::sleep(std::time::Duration::from_micros(50)).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert_eq!(current_worker(), None);
}

#[test]
fn what_comes_from_outside_is_dealt() {
    let runtime = runtime(4);
    let mut counts = [0; 4];
    for _ in 0..40 {
        let worker = runtime.block_on(runtime.spawn(async { current_worker() }));
        counts[worker.unwrap().unwrap()] += 1;
    }
    assert_eq!(counts, [10; 4]);
}

#[test]
fn blocking_in_place_stays_on_the_thread() {
    let runtime = runtime(2);
    let task = runtime.handle().spawn_on(0, async {
        let before = std::thread::current().id();
        block_in_place(|| std::thread::sleep(std::time::Duration::from_millis(1)));
        yield_now().await;
        assert_eq!(std::thread::current().id(), before);
        assert_eq!(current_worker(), Some(0));
    });
    runtime.block_on(task).unwrap();
}

#[test]
#[should_panic(expected = "there is no worker 2, of 2")]
fn there_is_no_such_worker() {
    runtime(2).handle().spawn_on(2, async {});
}

#[test]
fn shards_talk_to_each_other() {
    let runtime = runtime(3);
    let sum = runtime.block_on(async {
        let (there, mut here) = mpsc::channel(4);
        for worker in 0..3 {
            let there = there.clone();
            spawn_on(worker, async move {
                for i in 0..300_usize {
                    there.send(i).await.unwrap();
                }
            });
        }
        drop(there);
        spawn_on(1, async move {
            let mut sum = 0;
            while let Some(i) = here.recv().await {
                sum += i;
            }
            sum
        })
        .await
        .unwrap()
    });
    assert_eq!(sum, 3 * (299 * 300 / 2));
}

#[test]
fn local_tasks_run_on_their_worker() {
    let runtime = runtime(3);
    runtime.block_on(async {
        let tasks: Vec<_> = (0..3)
            .map(|worker| {
                spawn_on(worker, async move {
                    spawn_local(async move {
                        let count = Rc::new(Cell::new(0));
                        let tasks: Vec<_> = (0..100)
                            .map(|i| {
                                let count = Rc::clone(&count);
                                spawn_local(async move {
                                    if i % 3 == 0 {
                                        yield_now().await;
                                    }
                                    assert_eq!(current_worker(), Some(worker));
                                    count.set(count.get() + 1);
                                })
                            })
                            .collect();
                        for task in tasks {
                            task.await.unwrap();
                        }
                        count.get()
                    })
                    .await
                    .unwrap()
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), 100);
        }
    });
}

#[test]
fn local_tasks_are_woken_from_elsewhere() {
    let runtime = runtime(2);
    for _ in 0..200 {
        let (sender, receiver) = oneshot::channel();
        let task = runtime.handle().spawn_on(1, async {
            spawn_local(async {
                let unsend = Rc::new(2);
                receiver.await.unwrap() + *unsend
            })
            .await
            .unwrap()
        });
        sender.send(40).unwrap();
        assert_eq!(runtime.block_on(task).unwrap(), 42);
    }
}

/// Remembers which thread dropped it; not `Send`, as that would be all that is wrong with it.
struct DropsAt(Arc<Mutex<Vec<(ThreadId, ThreadId)>>>, ThreadId, Rc<()>);

impl Drop for DropsAt {
    fn drop(&mut self) {
        let _ = &self.2;
        let here = std::thread::current().id();
        self.0.lock().unwrap().push((self.1, here));
        // Too late, and harmless.
        drop(spawn_local(async {}));
    }
}

#[test]
fn local_tasks_are_dropped_on_their_thread_at_shutdown() {
    for _ in 0..20 {
        let runtime = runtime(2);
        let drops = Arc::new(Mutex::new(Vec::new()));
        let begun = Arc::new(AtomicUsize::new(0));
        for worker in 0..2 {
            let (drops, begun) = (Arc::clone(&drops), Arc::clone(&begun));
            runtime.handle().spawn_on(worker, async move {
                for _ in 0..10 {
                    let guard =
                        DropsAt(Arc::clone(&drops), std::thread::current().id(), Rc::new(()));
                    spawn_local(async move {
                        let _guard = guard;
                        std::future::pending::<()>().await;
                    });
                }
                begun.fetch_add(1, SeqCst);
            });
        }
        while begun.load(SeqCst) < 2 {
            std::thread::yield_now();
        }
        drop(runtime);
        let drops = drops.lock().unwrap();
        assert_eq!(drops.len(), 20);
        assert!(drops.iter().all(|(made, dropped)| made == dropped));
    }
}

#[test]
#[should_panic(expected = "`spawn_local` called from outside")]
fn other_strategies_have_no_local_tasks() {
    let runtime = Builder::new_multi_thread()
        .scheduler(heist::scheduler::RoundRobin::new)
        .build()
        .unwrap();
    let task = runtime.spawn(async { drop(spawn_local(async {})) });
    let error = runtime.block_on(task).unwrap_err();
    std::panic::resume_unwind(error.into_panic());
}

/// Says that it keeps tasks, and gives them to whoever asks.
struct Liar(Mutex<std::collections::VecDeque<Runnable>>);

impl Scheduler for Liar {
    type Worker = ();

    fn worker(&self, _: usize) {}

    fn push(&self, task: Runnable, _: Cause, _: Option<&mut ()>) -> Tell {
        self.0.lock().unwrap().push_back(task);
        Tell::Anyone
    }

    fn next(&self, _: &mut (), _: &mut Turn<'_>) -> Option<Runnable> {
        self.0.lock().unwrap().pop_front()
    }

    fn has_work(&self, _: &()) -> bool {
        !self.0.lock().unwrap().is_empty()
    }

    fn has_shared_work(&self) -> bool {
        !self.0.lock().unwrap().is_empty()
    }

    fn keeps_tasks(&self) -> bool {
        true
    }
}

#[test]
fn a_strategy_that_moves_what_it_keeps_is_told() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .scheduler(|_| Liar(Mutex::default()))
        .build()
        .unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            loop {
                // Sooner or later it comes to the other worker.
                let _ = heist::spawn(async {
                    drop(spawn_local(yield_now()));
                    std::thread::yield_now();
                })
                .await;
            }
        });
    }));
    let panic = panic.unwrap_err();
    let told = panic.downcast_ref::<String>().unwrap();
    assert!(told.contains("moved one from worker"), "{told}");
    drop(runtime);
}

/// Sixteen answers come in one turn or two, not in sixteen.
#[test]
fn one_that_many_talk_to_gets_their_messages_together() {
    const MEMBERS: usize = 16;
    const ROUNDS: usize = 50;
    let runtime = runtime(1);
    let root = runtime.spawn(async {
        let (answer, mut answers) = mpsc::channel(MEMBERS);
        let members: Vec<_> = (0..MEMBERS)
            .map(|_| {
                let (request, mut requests) = mpsc::channel(1);
                let answer = answer.clone();
                heist::spawn(async move {
                    while let Some(number) = requests.recv().await {
                        answer.send(number).await.unwrap();
                    }
                });
                request
            })
            .collect();
        let polls = || {
            let metrics = heist::runtime::Handle::current().metrics();
            metrics.worker_poll_count(0) as usize
        };
        let before = polls();
        for round in 0..ROUNDS {
            for member in &members {
                member.send(round).await.unwrap();
            }
            for _ in 0..MEMBERS {
                assert_eq!(answers.recv().await, Some(round));
            }
        }
        polls() - before
    });
    let polls = runtime.block_on(root).unwrap();
    assert!(polls <= ROUNDS * (MEMBERS + 4), "{polls}");
}

/// Beside many others, an answer does not wait for all of them; and these have their turns.
#[test]
fn two_that_talk_are_not_parted() {
    const PAIRS: usize = 10;
    let runtime = runtime(1);
    let log = Arc::new(Mutex::new(Vec::new()));
    let root = {
        let log = Arc::clone(&log);
        runtime.spawn(async move {
            let mut tasks = Vec::new();
            for pair in 0..PAIRS {
                let (there, mut here) = mpsc::channel(1);
                let (back, mut again) = mpsc::channel(1);
                heist::spawn(async move {
                    while let Some(message) = here.recv().await {
                        back.send(message).await.unwrap();
                    }
                });
                let log = Arc::clone(&log);
                tasks.push(heist::spawn(async move {
                    for message in 0..40 {
                        there.send(message).await.unwrap();
                        assert_eq!(again.recv().await, Some(message));
                        log.lock().unwrap().push(pair);
                    }
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
        })
    };
    runtime.block_on(root).unwrap();
    let log = log.lock().unwrap();
    let together = log.windows(2).filter(|two| two[0] == two[1]).count();
    assert!(together >= log.len() / 3, "{log:?}");
    // Nobody is ahead by much while all still talk.
    let mut counts = [0_usize; PAIRS];
    for &pair in &log[..log.len() / 2] {
        counts[pair] += 1;
    }
    let (most, least) = (counts.iter().max().unwrap(), counts.iter().min().unwrap());
    assert!(most - least <= 4, "{counts:?}");
}

/// Who has asked many is run when the last of them has had its turn, and not behind all others that talk; they answer
/// again at once; and the others keep pace.
#[test]
fn who_asked_many_is_run_when_they_have_answered() {
    const GROUPS: usize = 6;
    const MEMBERS: usize = 8;
    const ROUNDS: usize = 30;

    /// Whose turn it was: of which group, and whether of the one that asks.
    type Log = Arc<Mutex<Vec<(usize, bool)>>>;

    async fn group(group: usize, log: Log) {
        let (answer, mut answers) = mpsc::channel(MEMBERS);
        let members: Vec<_> = (0..MEMBERS)
            .map(|_| {
                let (request, mut requests) = mpsc::channel(1);
                let (answer, log) = (answer.clone(), Arc::clone(&log));
                heist::spawn(async move {
                    while let Some(number) = requests.recv().await {
                        log.lock().unwrap().push((group, false));
                        answer.send(number).await.unwrap();
                    }
                });
                request
            })
            .collect();
        for round in 0..ROUNDS {
            for member in &members {
                member.send(round).await.unwrap();
            }
            for _ in 0..MEMBERS {
                assert_eq!(answers.recv().await, Some(round));
            }
            log.lock().unwrap().push((group, true));
        }
    }

    let runtime = runtime(1);
    let log = Log::default();
    let root = {
        let log = Arc::clone(&log);
        runtime.spawn(async move {
            let groups: Vec<_> = (0..GROUPS)
                .map(|number| heist::spawn(group(number, Arc::clone(&log))))
                .collect();
            for group in groups {
                group.await.unwrap();
            }
        })
    };
    runtime.block_on(root).unwrap();
    let log = log.lock().unwrap();
    let in_time = log
        .windows(2)
        .filter(|two| two[1].1 && two[0] == (two[1].0, false))
        .count();
    // But for a first round, before which they do not know each other.
    assert!(in_time >= GROUPS * (ROUNDS - 2), "{in_time}: {log:?}");
    let mut rounds = [0_usize; GROUPS];
    let at_once = log
        .windows(2)
        .filter(|two| two[0].1 && two[1] == (two[0].0, false))
        .count();
    // Three times of four.
    assert!(
        at_once >= GROUPS * (ROUNDS - 3) * 3 / 4,
        "{at_once}: {log:?}"
    );
    for &(group, _) in log.iter().filter(|turn| turn.1) {
        rounds[group] += 1;
        let (most, least) = (rounds.iter().max().unwrap(), rounds.iter().min().unwrap());
        // Nobody has more than one turn by the queue, and three after it, while others have none.
        assert!(most - least <= 5, "{rounds:?}");
    }
}

/// However long a group talks, and however large it is, others have their turns.
#[test]
fn a_group_that_talks_on_lets_others_have_their_turns() {
    for members in [2, 8, 40] {
        let runtime = runtime(1);
        let rounds = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&rounds);
        let root = runtime.spawn(async move {
            let asker = heist::spawn(async move {
                let (answer, mut answers) = mpsc::channel(members);
                let requests: Vec<_> = (0..members)
                    .map(|_| {
                        let (request, mut requests) = mpsc::channel(1);
                        let answer = answer.clone();
                        heist::spawn(async move {
                            while let Some(()) = requests.recv().await {
                                answer.send(()).await.unwrap();
                            }
                        });
                        request
                    })
                    .collect();
                loop {
                    for request in &requests {
                        request.send(()).await.unwrap();
                    }
                    for _ in 0..members {
                        answers.recv().await.unwrap();
                    }
                    counted.fetch_add(1, SeqCst);
                }
            });
            let mut most = 0;
            for _ in 0..100 {
                let before = rounds.load(SeqCst);
                yield_now().await;
                most = most.max(rounds.load(SeqCst) - before);
            }
            asker.abort();
            (most, rounds.load(SeqCst))
        });
        let (most, all) = runtime.block_on(root).unwrap();
        // One round by the queue, and three encores.
        assert!(most <= 5, "{members} members: {most}");
        assert!(all > 20, "{members} members: {all}");
    }
}
