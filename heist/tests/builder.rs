//! What a runtime can be told before it is built: hooks, seeds, and what a panic ends.
#![forbid(unsafe_code)]

mod support;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::future::pending;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use heist::runtime::{Builder, RngSeed, Runtime, TaskMeta, UnhandledPanic, worker_index};
use heist::task::{Id, yield_now};
use support::{bounded, multi, single};

/// How often each hook saw each task: spawned, before a poll, after it, ended.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<HashMap<Id, [usize; 4]>>>);

impl Seen {
    fn hook(&self, which: usize) -> impl Fn(&TaskMeta<'_>) + Send + Sync + 'static {
        let seen = self.clone();
        move |task| {
            assert_eq!(task.spawned_at().file(), file!());
            seen.0.lock().unwrap().entry(task.id()).or_default()[which] += 1;
        }
    }

    fn of(&self, id: Id) -> [usize; 4] {
        self.0.lock().unwrap()[&id]
    }

    fn build(&self, builder: &mut Builder) -> Runtime {
        builder
            .enable_all()
            .on_task_spawn(self.hook(0))
            .on_before_task_poll(self.hook(1))
            .on_after_task_poll(self.hook(2))
            .on_task_terminate(self.hook(3))
            .build()
            .unwrap()
    }
}

#[test]
fn hooks_see_each_task_from_spawn_to_end() {
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        let seen = Seen::default();
        let runtime = seen.build(&mut builder);
        runtime.block_on(async {
            let yielding = heist::spawn(async {
                for _ in 0..4 {
                    yield_now().await;
                }
            });
            let panicking = heist::spawn(async { panic!("boom") });
            let aborted = heist::spawn(pending::<()>());
            let ids = [yielding.id(), panicking.id(), aborted.id()];
            yielding.await.unwrap();
            assert!(panicking.await.is_err());
            aborted.abort();
            assert!(aborted.await.is_err());
            // After the handle: the last poll's hook may come later than the handle's wake.
            support::eventually(10, "all polls ended", || {
                ids.iter().all(|&id| seen.of(id)[1] == seen.of(id)[2])
            });
            assert_eq!(seen.of(ids[0]), [1, 5, 5, 1]);
            assert_eq!(seen.of(ids[1]), [1, 1, 1, 1]);
            assert_eq!([seen.of(ids[2])[0], seen.of(ids[2])[3]], [1, 1]);
        });
        assert_eq!(seen.0.lock().unwrap().len(), 3);
    }
}

#[test]
fn hooks_that_panic_harm_nobody() {
    bounded(60, || {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .on_before_task_poll(|_| panic!("before"))
            .on_after_task_poll(|_| panic!("after"))
            .on_task_terminate(|_| panic!("end"))
            .build()
            .unwrap();
        for i in 0..20 {
            assert_eq!(
                runtime.block_on(runtime.spawn(async move { i })).unwrap(),
                i
            );
        }
    });
}

#[test]
fn a_panic_shuts_down_if_told_so() {
    bounded(60, || {
        let runtime = Builder::new_current_thread()
            .unhandled_panic(UnhandledPanic::ShutdownRuntime)
            .build()
            .unwrap();
        let drops = Arc::new(AtomicUsize::new(0));
        struct OnDrop(Arc<AtomicUsize>);
        impl Drop for OnDrop {
            fn drop(&mut self) {
                self.0.fetch_add(1, SeqCst);
            }
        }
        let blocked = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(async {
                for _ in 0..3 {
                    let on_drop = OnDrop(Arc::clone(&drops));
                    heist::spawn(async move {
                        let _on_drop = on_drop;
                        pending::<()>().await;
                    });
                }
                yield_now().await;
                // Joined or not.
                let _ = heist::spawn(async { panic!("boom") }).await;
                pending::<()>().await;
            });
        }));
        let message = *blocked.unwrap_err().downcast::<&str>().unwrap();
        assert!(message.contains("shut down on unhandled panic"));
        assert_eq!(drops.load(SeqCst), 3);
        assert!(catch_unwind(AssertUnwindSafe(|| runtime.block_on(pending::<()>()))).is_err());
        // What is spawned later does not wait for a turn that never comes.
        let late = futures::executor::block_on(runtime.spawn(async {}));
        assert!(late.unwrap_err().is_cancelled());
    });
    let ignored = Builder::new_multi_thread()
        .unhandled_panic(UnhandledPanic::Ignore)
        .build();
    assert!(ignored.is_ok());
    let refused = catch_unwind(|| {
        Builder::new_multi_thread().unhandled_panic(UnhandledPanic::ShutdownRuntime);
    });
    assert!(refused.is_err());
}

#[test]
fn a_seed_repeats_the_choices_of_select() {
    async fn choices() -> Vec<u8> {
        let mut choices = Vec::new();
        for _ in 0..64 {
            choices.push(heist::select! {
                _ = async {} => 0,
                _ = async {} => 1,
                _ = async {} => 2,
            });
        }
        choices
    }
    let one_worker = || {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1);
        builder
    };
    for flavor in [Builder::new_current_thread, one_worker] {
        let run = |seed: Option<&[u8]>| {
            let mut builder = flavor();
            if let Some(seed) = seed {
                builder.rng_seed(RngSeed::from_bytes(seed));
            }
            let runtime = builder.build().unwrap();
            let in_a_task = runtime.block_on(async { heist::spawn(choices()).await.unwrap() });
            [in_a_task, runtime.block_on(choices())]
        };
        assert_eq!(run(Some(b"a")), run(Some(b"a")));
        assert_ne!(run(Some(b"a")), run(Some(b"b")));
        assert_ne!(run(None), run(None));
        let [first, second] = run(Some(b"a"));
        assert_ne!(first, second);
    }
}

#[test]
fn workers_know_their_index() {
    assert_eq!(worker_index(), None);
    let runtime = single();
    runtime.block_on(async {
        assert_eq!(worker_index(), Some(0));
        let blocking = heist::task::spawn_blocking(worker_index);
        assert_eq!(blocking.await.unwrap(), None);
        let task = heist::spawn(async { worker_index() });
        assert_eq!(task.await.unwrap(), Some(0));
    });
    let runtime = multi(2);
    runtime.block_on(async {
        assert_eq!(worker_index(), None);
        for _ in 0..10 {
            let task = heist::spawn(async { worker_index() });
            assert!(task.await.unwrap().unwrap() < 2);
        }
    });
}

#[test]
fn tasks_are_built_with_names() {
    let runtime = single();
    runtime.block_on(async {
        let build = || heist::task::Builder::new().name("named");
        assert_eq!(
            format!("{:?}", build()),
            "Builder { name: Some(\"named\") }"
        );
        assert_eq!(build().spawn(async { 1 }).unwrap().await.unwrap(), 1);
        assert_eq!(build().spawn_blocking(|| 2).unwrap().await.unwrap(), 2);
        let set = heist::task::LocalSet::new();
        let task = build().spawn_local_on(async { 3 }, &set).unwrap();
        assert_eq!(set.run_until(task).await.unwrap(), 3);
    });
}

#[test]
fn the_environment_says_how_many_workers() {
    const NAME: &str = "the_environment_says_how_many_workers";
    const VARIABLE: &str = if cfg!(feature = "as-tokio") {
        "TOKIO_WORKER_THREADS"
    } else {
        "HEIST_WORKER_THREADS"
    };
    let workers = || multi_thread_workers(&mut Builder::new_multi_thread());
    // Not what it would be without.
    let many = std::thread::available_parallelism().unwrap().get() + 1;
    if support::is_child(NAME) {
        let value = std::env::var_os(VARIABLE).unwrap();
        if value == *many.to_string() {
            assert_eq!(workers(), many);
            let mut told = Builder::new_multi_thread();
            assert_eq!(multi_thread_workers(told.worker_threads(2)), 2);
        } else {
            let panic = catch_unwind(workers).unwrap_err();
            let text = panic.downcast_ref::<String>().unwrap();
            let value = format!("{value:?}");
            assert!(text.contains(VARIABLE) && text.contains(&value), "{text}");
        }
        return;
    }
    let many = many.to_string();
    let no_unicode = OsStr::from_bytes(b"\xff");
    let values = [&*many, "0", "-1", "many"].map(OsStr::new);
    for value in values.into_iter().chain([no_unicode]) {
        let output = support::child(NAME).env(VARIABLE, value).output().unwrap();
        support::assert_child(NAME, &output);
    }
}

fn multi_thread_workers(builder: &mut Builder) -> usize {
    builder.build().unwrap().metrics().num_workers()
}
