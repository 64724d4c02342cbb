//! What a runtime tells about itself: histograms, names, lists of tasks, counters.
#![forbid(unsafe_code)]

mod support;

use std::future::{pending, poll_fn};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use heist::runtime::{
    Builder, Handle, HistogramConfiguration, HistogramScale, InvalidHistogramConfiguration,
    LogHistogram, Runtime, TaskInfo, TaskState,
};
use heist::sync::{mpsc, oneshot};
use heist::task::{self, JoinSet, yield_now};
use support::bounded;

fn builders() -> [Builder; 2] {
    let mut multi = Builder::new_multi_thread();
    multi.worker_threads(2);
    [Builder::new_current_thread(), multi]
}

fn poll_times(runtime: &Runtime) -> Vec<u64> {
    let metrics = runtime.metrics();
    (0..metrics.poll_time_histogram_num_buckets())
        .map(|bucket| {
            (0..metrics.num_workers())
                .map(|worker| metrics.poll_time_histogram_bucket_count(worker, bucket))
                .sum()
        })
        .collect()
}

#[test]
fn each_poll_is_in_the_histogram_once() {
    for mut builder in builders() {
        let runtime = builder
            .enable_metrics_poll_time_histogram()
            .metrics_poll_time_histogram_configuration(HistogramConfiguration::linear(
                Duration::from_millis(20),
                3,
            ))
            .build()
            .unwrap();
        runtime.block_on(async {
            heist::spawn(async {
                for _ in 0..9 {
                    yield_now().await;
                }
                thread::sleep(Duration::from_millis(45));
            })
            .await
            .unwrap();
        });
        // The last poll is counted when it has returned, which is after its joiner was woken.
        let counts = bounded(60, move || {
            loop {
                let counts = poll_times(&runtime);
                if counts.iter().sum::<u64>() == 10 {
                    break counts;
                }
                thread::yield_now();
            }
        });
        // The long one, and any that the system stopped for as long.
        assert!(counts[2] >= 1, "{counts:?}");
    }
}

#[test]
fn nothing_is_measured_unless_asked_for() {
    for mut builder in builders() {
        let metrics = builder.build().unwrap().metrics();
        assert!(!metrics.poll_time_histogram_enabled());
        assert!(!metrics.schedule_latency_histogram_enabled());
        assert_eq!(metrics.poll_time_histogram_num_buckets(), 0);
        assert_eq!(metrics.poll_time_histogram_bucket_count(0, 7), 0);
        assert_eq!(
            metrics.poll_time_histogram_bucket_range(7),
            Duration::ZERO..Duration::ZERO
        );
    }
}

#[test]
fn buckets_are_as_configured() {
    let ranges = |builder: &mut Builder| {
        let runtime = builder
            .enable_metrics_poll_time_histogram()
            .build()
            .unwrap();
        let metrics = runtime.metrics();
        let buckets = 0..metrics.poll_time_histogram_num_buckets();
        let ends = buckets.map(|bucket| metrics.poll_time_histogram_bucket_range(bucket).end);
        ends.map(|end| end.as_nanos()).collect::<Vec<_>>()
    };
    let mut builder = Builder::new_current_thread();
    let default = ranges(&mut builder);
    assert_eq!((default.len(), default[0]), (10, 100_000));

    builder.metrics_poll_time_histogram_configuration(HistogramConfiguration::linear(
        Duration::from_micros(1),
        3,
    ));
    assert_eq!(ranges(&mut builder), [1_000, 2_000, u64::MAX.into()]);

    builder.metrics_poll_time_histogram_configuration(HistogramConfiguration::log(
        LogHistogram::builder()
            .min_value(Duration::from_nanos(4))
            .max_value(Duration::from_nanos(16))
            .precision_exact(0),
    ));
    assert_eq!(ranges(&mut builder), [4, 8, 16, u64::MAX.into()]);

    #[expect(deprecated, reason = "they are there for old callers")]
    builder
        .metrics_poll_count_histogram_scale(HistogramScale::Log)
        .metrics_poll_count_histogram_resolution(Duration::from_nanos(100))
        .metrics_poll_count_histogram_buckets(3);
    assert_eq!(ranges(&mut builder), [128, 256, u64::MAX.into()]);
}

#[test]
fn too_many_buckets_are_refused_with_their_number() {
    let mut builder = LogHistogram::builder().max_error(0.001);
    let needed = match builder.max_buckets(1) {
        Err(InvalidHistogramConfiguration::TooManyBuckets {
            required_bucket_count,
        }) => required_bucket_count,
        other => panic!("{other:?}"),
    };
    assert!(builder.max_buckets(needed - 1).is_err());
    assert_eq!(builder.max_buckets(needed).unwrap(), builder.build());
    assert!(LogHistogram::default().max_value() >= 60_000_000_000);
}

#[test]
fn a_task_that_had_to_wait_has_a_latency() {
    for mut builder in builders() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = seen.clone();
        let runtime = builder
            .worker_threads(1)
            .enable_metrics_schedule_latency_histogram()
            .metrics_schedule_latency_histogram_configuration(HistogramConfiguration::linear(
                Duration::from_millis(10),
                2,
            ))
            .on_task_spawn(|task| assert_eq!(task.schedule_latency(), None))
            .on_before_task_poll(move |task| {
                let latency = task.schedule_latency().unwrap();
                note.lock().unwrap().push((task.id(), latency));
            })
            .on_task_terminate(|task| assert_eq!(task.schedule_latency(), None))
            .build()
            .unwrap();
        let waiting = runtime.block_on(async {
            let (ready, started) = oneshot::channel();
            let blocking = heist::spawn(async {
                ready.send(()).unwrap();
                // From here on the only worker is held up.
                thread::sleep(Duration::from_millis(30));
            });
            let waiting = heist::spawn(async {});
            let id = waiting.id();
            let _ = started.await;
            blocking.await.unwrap();
            waiting.await.unwrap();
            id
        });
        let latencies = seen.lock().unwrap();
        let &(_, latency) = latencies.iter().find(|(id, _)| *id == waiting).unwrap();
        assert!(latency < Duration::from_secs(60), "{latency:?}");
        let metrics = runtime.metrics();
        let counts =
            [0, 1].map(|bucket| metrics.schedule_latency_histogram_bucket_count(0, bucket));
        assert_eq!(counts[0] + counts[1], latencies.len() as u64);
        let long = latencies
            .iter()
            .filter(|(_, latency)| *latency >= Duration::from_millis(10));
        assert_eq!(counts[1], long.count() as u64);
    }
}

#[test]
fn names_reach_the_hooks_from_every_way_to_spawn() {
    let names = Arc::new(Mutex::new(Vec::new()));
    let note = names.clone();
    let runtime = Builder::new_current_thread()
        .on_task_spawn(move |task| {
            let name = task.name().unwrap_or("-").to_owned();
            note.lock().unwrap().push((name, task.spawned_at().line()));
        })
        .on_after_task_poll(|task| assert!(task.name().is_none_or(|name| name.len() == 1)))
        .build_local(Default::default())
        .unwrap();
    let line = line!();
    runtime.block_on(async {
        let named = |name| task::Builder::new().name(name);
        named("a").spawn(async {}).unwrap().await.unwrap();
        named("b")
            .spawn_on(async {}, &Handle::current())
            .unwrap()
            .await
            .unwrap();
        named("c").spawn_local(async {}).unwrap().await.unwrap();
        let mut set = JoinSet::new();
        set.build_task().name("d").spawn(async {}).unwrap();
        set.build_task().name("e").spawn_local(async {}).unwrap();
        set.build_task().spawn(async {}).unwrap();
        set.join_all().await;
    });
    let names = names.lock().unwrap();
    let only: Vec<_> = names.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(only, ["a", "b", "c", "d", "e", "-"]);
    assert!(
        names.iter().all(|(_, at)| (line..line + 16).contains(at)),
        "{names:?}"
    );
}

fn find(tasks: &[TaskInfo], name: &str) -> TaskInfo {
    let task = tasks.iter().find(|task| task.name() == Some(name));
    task.unwrap_or_else(|| panic!("no {name} in {tasks:?}"))
        .clone()
}

#[test]
fn the_list_shows_what_tasks_do() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .track_all_tasks()
        .build()
        .unwrap();
    let handle = runtime.handle().clone();
    let named = |name| task::Builder::new().name(name);
    let release = Arc::new(AtomicBool::new(false));
    let (started, is_started) = std::sync::mpsc::channel();

    let held = release.clone();
    let stuck = named("stuck")
        .spawn_on(
            async move {
                started.send(()).unwrap();
                while !held.load(SeqCst) {
                    thread::yield_now();
                }
            },
            &handle,
        )
        .unwrap();
    is_started.recv().unwrap();
    let (wake, mut woken) = mpsc::channel(1);
    let waiting = named("waiting")
        .spawn_on(
            async move {
                while woken.recv().await.is_some() {}
                pending::<()>().await
            },
            &handle,
        )
        .unwrap();

    let idle = |handle: &Handle, polls| {
        let handle = handle.clone();
        bounded(60, move || {
            loop {
                let task = find(&handle.tasks(), "waiting");
                if task.state() == TaskState::Idle && task.poll_count() == polls {
                    break task;
                }
                thread::yield_now();
            }
        })
    };
    assert_eq!(idle(&handle, 1).id(), waiting.id());
    wake.blocking_send(()).unwrap();
    let task = idle(&handle, 2);
    assert_eq!(task.running_for(), None);
    assert_eq!(task.spawned_at().file(), file!());

    let first = find(&handle.tasks(), "stuck");
    assert_eq!(
        (first.id(), first.state()),
        (stuck.id(), TaskState::Running)
    );
    assert_eq!(first.poll_count(), 1);
    thread::sleep(Duration::from_millis(5));
    let second = find(&handle.tasks(), "stuck");
    assert!(
        second.running_for() >= Some(Duration::from_millis(5)),
        "{second:?}"
    );
    assert!(second.to_string().contains("running for"), "{second}");

    release.store(true, SeqCst);
    waiting.abort();
    runtime.block_on(async {
        stuck.await.unwrap();
        assert!(waiting.await.unwrap_err().is_cancelled());
    });
    assert!(handle.tasks().is_empty(), "{:?}", handle.tasks());
}

#[test]
fn tasks_that_never_waited_are_listed_only_on_request() {
    let plain = Builder::new_current_thread().build().unwrap();
    plain.spawn(async {});
    assert!(plain.handle().tasks().is_empty());
    let waiting = plain.spawn(pending::<()>());
    plain.block_on(yield_now());
    assert_eq!(plain.handle().tasks()[0].id(), waiting.id());

    let tracked = Builder::new_current_thread()
        .track_all_tasks()
        .build()
        .unwrap();
    let task = tracked.spawn(async {});
    let tasks = tracked.handle().tasks();
    assert_eq!(
        (tasks[0].id(), tasks[0].state()),
        (task.id(), TaskState::Runnable)
    );
    assert_eq!(tasks[0].poll_count(), 0);
    tracked.block_on(task).unwrap();
    assert!(tracked.handle().tasks().is_empty());
}

/// Listing at the spawn must not change how a runtime ends.
#[test]
fn tracked_tasks_end_with_their_runtime() {
    struct Count(Arc<AtomicUsize>);

    impl Drop for Count {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    for mut builder in builders() {
        let dropped = Arc::new(AtomicUsize::new(0));
        let runtime = builder.track_all_tasks().build().unwrap();
        for round in 0..100 {
            let count = Count(dropped.clone());
            runtime.spawn(async move {
                let _count = count;
                if round % 2 == 0 {
                    yield_now().await;
                }
                // Spawned while the runtime may be closing.
                heist::spawn(async move {});
                pending::<()>().await
            });
        }
        let handle = runtime.handle().clone();
        drop(runtime);
        assert_eq!(dropped.load(SeqCst), 100);
        assert!(handle.spawn(async {}).id() != handle.spawn(async {}).id());
        assert!(handle.tasks().is_empty());
    }
}

#[test]
fn workers_say_which_thread_they_are() {
    for mut builder in builders() {
        let runtime = builder.build().unwrap();
        let metrics = runtime.metrics();
        let (worker, thread) = runtime.block_on(async {
            heist::spawn(async {
                let worker = heist::runtime::worker_index().unwrap();
                (worker, thread::current().id())
            })
            .await
            .unwrap()
        });
        assert_eq!(metrics.worker_thread_id(worker), Some(thread));
    }
}

#[test]
fn a_spent_budget_is_counted() {
    for mut builder in builders() {
        let runtime = builder.build().unwrap();
        let exhaust = || async {
            for _ in 0..200 {
                task::coop::consume_budget().await;
            }
        };
        runtime.block_on(async { heist::spawn(exhaust()).await.unwrap() });
        assert_eq!(runtime.metrics().budget_forced_yield_count(), 1);
        runtime.block_on(exhaust());
        assert_eq!(runtime.metrics().budget_forced_yield_count(), 2);
    }
}

/// A worker that never sleeps is busy, and its polls have a mean.
#[test]
fn a_busy_worker_is_seen_while_it_is_busy() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let metrics = runtime.metrics();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let task = runtime.spawn(poll_fn(move |cx| {
        cx.waker().wake_by_ref();
        match stopped.load(SeqCst) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }));
    bounded(60, move || {
        while metrics.worker_total_busy_duration(0) < Duration::from_millis(5) {
            thread::yield_now();
        }
        assert!(metrics.worker_mean_poll_time(0) < Duration::from_secs(1));
    });
    stop.store(true, SeqCst);
    runtime.block_on(task).unwrap();
}
