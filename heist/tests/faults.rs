//! What the system refuses, and what programs get wrong: errors and panics where they belong, and
//! nothing left behind. What concerns the whole process is done in a child.

#![allow(unsafe_code, reason = "limits and signals are set by the C library")]

mod support;

use std::cell::RefCell;
use std::future::{Future, pending};
use std::io;
use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use heist::fs::{self, File, OpenOptions};
use heist::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, BufWriter};
use heist::net::{TcpListener, TcpStream};
use heist::runtime::{Builder, Handle, Runtime};
use heist::sync::{Notify, oneshot};
use heist::task;
use heist::time;
use support::{bounded, eventually, in_child, multi, open_fds, scale, single, threads};

/// Far longer than anything here takes.
const HANG: Duration = Duration::from_secs(40);

fn limit(resource: libc::__rlimit_resource_t) -> libc::rlimit {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointer is good for the call.
    assert_eq!(unsafe { libc::getrlimit(resource, &mut limit) }, 0);
    limit
}

fn set_limit(resource: libc::__rlimit_resource_t, soft: u64) {
    let new = libc::rlimit {
        rlim_cur: soft,
        ..limit(resource)
    };
    // SAFETY: the pointer is good for the call.
    assert_eq!(unsafe { libc::setrlimit(resource, &new) }, 0);
}

/// Takes all descriptors there are.
fn hoard() -> Vec<std::fs::File> {
    let mut hoard = Vec::new();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        hoard.push(file);
    }
    hoard
}

/// CPU time of the process.
fn cpu_time() -> Duration {
    // SAFETY: all zeroes is a value of this plain struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is good for the call.
    assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) }, 0);
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// As a process does that confines itself. What it has goes on.
#[test]
fn whoever_lowers_its_limit_of_descriptors_keeps_what_it_has() {
    in_child(
        "whoever_lowers_its_limit_of_descriptors_keeps_what_it_has",
        || {
            let usual = limit(libc::RLIMIT_NOFILE).rlim_cur;
            for workers in [1, 2, 4] {
                let runtime = multi(workers);
                bounded(20, move || {
                    runtime.block_on(async {
                        let mut sockets = Vec::new();
                        for _ in 0..32 {
                            sockets.push(heist::net::UnixStream::pair().unwrap());
                        }
                        set_limit(libc::RLIMIT_NOFILE, 0);
                        let mut echoes = Vec::new();
                        for (mut one, mut other) in sockets {
                            heist::spawn(async move {
                                let mut word = [0; 4];
                                while other.read_exact(&mut word).await.is_ok() {
                                    other.write_all(&word).await.unwrap();
                                }
                            });
                            echoes.push(heist::spawn(async move {
                                let mut word = [0; 4];
                                for i in 0..40_u32 {
                                    time::sleep(Duration::from_millis(1)).await;
                                    one.write_all(&i.to_ne_bytes()).await.unwrap();
                                    one.read_exact(&mut word).await.unwrap();
                                    assert_eq!(word, i.to_ne_bytes());
                                }
                            }));
                        }
                        for echo in echoes {
                            echo.await.unwrap();
                        }
                        // And sleeps when there is nothing.
                        let before = cpu_time();
                        time::sleep(Duration::from_millis(300)).await;
                        let busy = cpu_time() - before;
                        assert!(busy < Duration::from_millis(100), "{busy:?}");
                    });
                });
                set_limit(libc::RLIMIT_NOFILE, usual);
            }
        },
    );
}

#[test]
fn build_without_descriptors_is_an_error() {
    in_child("build_without_descriptors_is_an_error", || {
        let usual = limit(libc::RLIMIT_NOFILE).rlim_cur;
        let (fds, before) = (open_fds(), threads());
        // All below 64 are taken.
        set_limit(libc::RLIMIT_NOFILE, 64);
        let hoard = hoard();
        let (mut failed, mut built) = (0, 0);
        // Each of the descriptors that a reactor needs is refused in turn.
        for spare in 0..6 {
            set_limit(libc::RLIMIT_NOFILE, 64 + spare);
            for multi_thread in [false, true] {
                let mut builder = if multi_thread {
                    Builder::new_multi_thread()
                } else {
                    Builder::new_current_thread()
                };
                match builder.worker_threads(2).enable_all().build() {
                    Ok(runtime) => {
                        built += 1;
                        runtime.block_on(async { heist::spawn(async {}).await.unwrap() });
                    }
                    Err(error) => {
                        failed += 1;
                        assert_eq!(error.raw_os_error(), Some(libc::EMFILE), "{error}");
                    }
                }
                // Without I/O none are needed.
                let plain = builder_without_io(multi_thread).build().unwrap();
                plain.block_on(async { heist::spawn(async {}).await.unwrap() });
            }
        }
        set_limit(libc::RLIMIT_NOFILE, usual);
        drop(hoard);
        assert!(failed >= 4 && built >= 2, "{failed} failed, {built} built");
        eventually(40, "no thread is left", || threads() <= before);
        assert_eq!(open_fds(), fds, "no descriptor is left");
    });
}

fn builder_without_io(multi_thread: bool) -> Builder {
    let mut builder = if multi_thread {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    builder.worker_threads(2).enable_time();
    builder
}

#[test]
fn build_without_threads_is_an_error() {
    in_child("build_without_threads_is_an_error", || {
        let (fds, before) = (open_fds(), threads());
        for _ in 0..20 {
            // No thread has that much.
            let built = Builder::new_multi_thread()
                .worker_threads(3)
                .thread_stack_size(1 << 46)
                .enable_all()
                .build();
            assert!(built.is_err());
        }
        // Some workers can be had, and then no more.
        let usual = limit(libc::RLIMIT_AS).rlim_cur;
        let stack = 256 << 20;
        let mut built = 0;
        for room in 0..5 {
            let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
            let pages: u64 = statm.split_whitespace().next().unwrap().parse().unwrap();
            let used = pages * 4096;
            // With slack for the allocator, whose arenas take 64 MiB and more.
            set_limit(libc::RLIMIT_AS, used + room * stack + (200 << 20));
            let runtime = Builder::new_multi_thread()
                .worker_threads(4)
                .thread_stack_size(stack as usize)
                .enable_all()
                .build();
            set_limit(libc::RLIMIT_AS, usual);
            built += usize::from(runtime.is_ok());
            drop(runtime);
            // Their stacks are room for the next ones.
            eventually(30, "no thread is left", || threads() <= before);
        }
        assert!(built < 4, "the limit did not bite");
        eventually(40, "no thread is left", || threads() <= before);
        assert_eq!(open_fds(), fds, "no descriptor is left");
        // And it works when it may.
        multi(2).block_on(async { heist::spawn(async {}).await.unwrap() });
    });
}

#[test]
fn spawn_blocking_without_new_threads_uses_those_there_are() {
    in_child(
        "spawn_blocking_without_new_threads_uses_those_there_are",
        || {
            for runtime in [single(), multi(2)] {
                // One thread is there, and stays for ten seconds.
                runtime.block_on(async { task::spawn_blocking(|| ()).await.unwrap() });
                let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
                let pages: u64 = statm.split_whitespace().next().unwrap().parse().unwrap();
                let usual = limit(libc::RLIMIT_AS).rlim_cur;
                // Less than a stack.
                set_limit(libc::RLIMIT_AS, pages * 4096 + (1 << 20));
                let sum = runtime.block_on(async {
                    let tasks: Vec<_> = (0..50)
                        .map(|i| {
                            task::spawn_blocking(move || {
                                std::thread::yield_now();
                                i
                            })
                        })
                        .collect();
                    let mut sum = 0;
                    for task in tasks {
                        sum += task.await.unwrap();
                    }
                    // Nor does blocking in place need one.
                    if runtime.metrics().num_workers() > 1 {
                        sum += heist::spawn(async { task::block_in_place(|| 1) })
                            .await
                            .unwrap();
                    }
                    sum
                });
                set_limit(libc::RLIMIT_AS, usual);
                assert!(sum == 1225 || sum == 1226);
            }
        },
    );
}

#[test]
fn spawn_blocking_without_any_thread_panics_and_recovers() {
    in_child(
        "spawn_blocking_without_any_thread_panics_and_recovers",
        || {
            let runtime = Builder::new_current_thread()
                .thread_stack_size(1 << 46)
                .build()
                .unwrap();
            for _ in 0..10 {
                let outcome = catch_unwind(AssertUnwindSafe(|| runtime.spawn_blocking(|| ())));
                assert!(outcome.is_err(), "there is no thread to run it");
            }
            assert_eq!(runtime.block_on(async { 1 }), 1);
        },
    );
}

#[test]
fn accept_goes_on_after_the_descriptors_ran_out() {
    in_child("accept_goes_on_after_the_descriptors_ran_out", || {
        for runtime in [single(), multi(2)] {
            let usual = limit(libc::RLIMIT_NOFILE).rlim_cur;
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                let clients: Vec<_> = (0..5)
                    .map(|_| std::net::TcpStream::connect(address).unwrap())
                    .collect();
                set_limit(libc::RLIMIT_NOFILE, open_fds() as u64 + 40);
                let hoard = hoard();
                // The error comes at once, each time, and accepting it is up to the program.
                for _ in 0..10 {
                    let accept = time::timeout(HANG, listener.accept());
                    let error = accept.await.expect("an error, not a wait").unwrap_err();
                    assert_eq!(error.raw_os_error(), Some(libc::EMFILE), "{error}");
                }
                // Meanwhile nothing spins.
                let before = cpu_time();
                time::sleep(Duration::from_millis(500)).await;
                let spent = cpu_time() - before;
                assert!(spent < Duration::from_millis(200), "{spent:?} of CPU");
                drop(hoard);
                set_limit(libc::RLIMIT_NOFILE, usual);
                for _ in &clients {
                    let accept = time::timeout(HANG, listener.accept());
                    accept.await.expect("they still wait").unwrap();
                }
                // And new ones.
                let late = TcpStream::connect(address);
                let (late, accepted) = futures::join!(late, listener.accept());
                late.unwrap();
                accepted.unwrap();
            });
        }
    });
}

#[test]
fn connect_and_bind_without_descriptors_are_errors() {
    in_child("connect_and_bind_without_descriptors_are_errors", || {
        for runtime in [single(), multi(2)] {
            let usual = limit(libc::RLIMIT_NOFILE).rlim_cur;
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                set_limit(libc::RLIMIT_NOFILE, open_fds() as u64 + 40);
                let hoard = hoard();
                let error = TcpStream::connect(address).await.unwrap_err();
                assert_eq!(error.raw_os_error(), Some(libc::EMFILE));
                let error = TcpListener::bind("127.0.0.1:0").await.unwrap_err();
                assert_eq!(error.raw_os_error(), Some(libc::EMFILE));
                drop(hoard);
                set_limit(libc::RLIMIT_NOFILE, usual);
                TcpStream::connect(address).await.unwrap();
            });
        }
    });
}

extern "C" fn ignore(_: libc::c_int) {
    INTERRUPTS.fetch_add(1, SeqCst);
}

static INTERRUPTS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn interrupted_system_calls_are_nobodys_business() {
    in_child("interrupted_system_calls_are_nobodys_business", || {
        // SAFETY: all zeroes is a value of this plain struct.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = ignore as *const () as usize;
        // SAFETY: a handler that adds to an atomic, without `SA_RESTART`.
        let set = unsafe { libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut()) };
        assert_eq!(set, 0);
        let every = libc::timeval {
            tv_sec: 0,
            tv_usec: 500,
        };
        let timer = libc::itimerval {
            it_interval: every,
            it_value: every,
        };
        // SAFETY: the pointers are good for the call.
        let set = unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()) };
        assert_eq!(set, 0);
        for runtime in [single(), multi(2)] {
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                heist::spawn(async move {
                    loop {
                        let (mut stream, _) = listener.accept().await.unwrap();
                        heist::spawn(async move {
                            let (mut read, mut write) = stream.split();
                            heist::io::copy(&mut read, &mut write).await.unwrap();
                        });
                    }
                });
                let tasks: Vec<_> = (0..10u8)
                    .map(|i| {
                        heist::spawn(async move {
                            for _ in 0..20 {
                                let start = Instant::now();
                                let mut stream = TcpStream::connect(address).await.unwrap();
                                stream.write_all(&[i; 1000]).await.unwrap();
                                let mut back = [0; 1000];
                                stream.read_exact(&mut back).await.unwrap();
                                assert_eq!(back, [i; 1000]);
                                time::sleep(Duration::from_millis(3)).await;
                                assert!(start.elapsed() >= Duration::from_millis(3));
                                task::spawn_blocking(|| {
                                    std::thread::sleep(Duration::from_millis(1));
                                })
                                .await
                                .unwrap();
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
            });
            drop(runtime);
        }
        let interrupts = INTERRUPTS.load(SeqCst);
        assert!(interrupts > 20, "only {interrupts} interrupts");
        // SAFETY: as above; zero stops it.
        let timer: libc::itimerval = unsafe { std::mem::zeroed() };
        // SAFETY: the pointers are good for the call.
        unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()) };
    });
}

#[test]
fn a_closed_peer_is_an_error_and_no_signal() {
    in_child("a_closed_peer_is_an_error_and_no_signal", || {
        // SAFETY: the default is no handler.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        for runtime in [single(), multi(2)] {
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                let (stream, accepted) =
                    futures::join!(TcpStream::connect(address), listener.accept());
                drop(accepted.unwrap());
                let mut stream = stream.unwrap();
                let error = loop {
                    if let Err(error) = stream.write_all(&[0; 4096]).await {
                        break error;
                    }
                };
                assert!(
                    matches!(
                        error.kind(),
                        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
                    ),
                    "{error}"
                );
                let error = stream.write_all(b"again").await.unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
            });
        }
    });
}

fn on_both<F: Future<Output = ()>>(body: impl Fn() -> F) {
    for runtime in [single(), multi(2)] {
        runtime.block_on(body());
    }
}

#[test]
fn a_full_disk_is_told() {
    /// Writes go nowhere there, as if the disk was full.
    const FULL: &str = "/dev/full";

    fn assert_full<T: std::fmt::Debug>(result: io::Result<T>) {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(error.raw_os_error(), Some(libc::ENOSPC));
    }

    async fn open() -> File {
        OpenOptions::new().write(true).open(FULL).await.unwrap()
    }

    in_child("a_full_disk_is_told", || {
        on_both(|| async {
            assert_full(fs::write(FULL, "text").await);
            assert_full(fs::copy("/proc/self/status", FULL).await);

            // More than a file takes at once: the first of it fails while the rest is handed in.
            assert_full(open().await.write_all(&vec![0; 10 << 20]).await);

            // Accepted, and then?
            for length in [1, 10_000, 1 << 20] {
                let mut file = open().await;
                file.write_all(&vec![0; length]).await.unwrap();
                assert_full(file.flush().await);

                let mut file = BufWriter::new(open().await);
                file.write_all(&vec![0; length]).await.unwrap();
                assert_full(file.shutdown().await);

                let mut file = open().await;
                let mut source = heist::io::repeat(1).take(length as u64);
                assert_full(heist::io::copy(&mut source, &mut file).await);
            }
        });

        // The process's output, too.
        let full = std::fs::OpenOptions::new().write(true).open(FULL).unwrap();
        // SAFETY: both are open.
        let usual = unsafe { libc::dup(1) };
        on_both(|| async {
            // SAFETY: both are open.
            assert_eq!(unsafe { libc::dup2(full.as_raw_fd(), 1) }, 1);
            let mut stdout = heist::io::stdout();
            let mut outcome = stdout.write_all(b"text").await;
            if outcome.is_ok() {
                outcome = stdout.flush().await;
            }
            // SAFETY: both are open.
            assert_eq!(unsafe { libc::dup2(usual, 1) }, 1);
            assert_full(outcome);
        });
    });
}

/// A limit on the size of files stands for a disk that gets full in the middle of a write.
#[test]
fn a_disk_that_fills_up_keeps_what_fitted() {
    const ROOM: usize = 100_000;

    in_child("a_disk_that_fills_up_keeps_what_fitted", || {
        // SAFETY: no handler is installed.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        let name = format!("heist-faults-{}", std::process::id());
        let path = &std::env::temp_dir().join(name);
        on_both(|| async move {
            let usual = limit(libc::RLIMIT_FSIZE).rlim_cur;
            set_limit(libc::RLIMIT_FSIZE, ROOM as u64);
            let data: Vec<u8> = (0..1_000_000).map(|i| (i % 251) as u8).collect();
            let error = fs::write(path, &data).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);

            let mut file = File::create(path).await.unwrap();
            file.write_all(&data).await.unwrap();
            let error = file.flush().await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
            assert_eq!(fs::read(path).await.unwrap(), data[..ROOM]);

            // Room was made: it goes on where it stopped.
            set_limit(libc::RLIMIT_FSIZE, usual);
            file.write_all(&data[ROOM..]).await.unwrap();
            file.flush().await.unwrap();
            assert_eq!(fs::read(path).await.unwrap(), data);
            fs::remove_file(path).await.unwrap();
        });
    });
}

#[test]
fn a_failed_disk_is_told() {
    /// There is nothing at its beginning: to read that is an error of the device.
    const BROKEN: &str = "/proc/self/mem";

    fn assert_failed<T: std::fmt::Debug>(result: io::Result<T>) {
        assert_eq!(result.unwrap_err().raw_os_error(), Some(libc::EIO));
    }

    bounded(60, || {
        on_both(|| async {
            assert_failed(fs::read(BROKEN).await);
            let mut file = File::open(BROKEN).await.unwrap();
            // Each time anew, and the buffer is as it was.
            for _ in 0..3 {
                let mut buffer = [7; 16];
                assert_failed(file.read(&mut buffer).await);
                assert_failed(file.read_exact(&mut buffer).await);
                assert_eq!(buffer, [7; 16]);
            }
            assert_failed(file.read_to_end(&mut Vec::new()).await);
            assert_failed(heist::io::copy(&mut file, &mut heist::io::sink()).await);
            let mut lines = BufReader::new(file).lines();
            assert_failed(lines.next_line().await);
        });
    });
}

#[test]
fn for_ever_is_a_duration() {
    bounded(60, || {
        for runtime in [single(), multi(2)] {
            runtime.block_on(async {
                let max = Duration::MAX;
                let soon = Duration::from_millis(20);
                // Each waits, and neither panics nor fires.
                assert!(time::timeout(soon, time::sleep(max)).await.is_err());
                assert!(
                    time::timeout(soon, time::timeout(max, pending::<()>()))
                        .await
                        .is_err()
                );
                assert_eq!(time::timeout(max, async { 1 }).await, Ok(1));
                let mut interval = time::interval(max);
                interval.tick().await;
                assert!(time::timeout(soon, interval.tick()).await.is_err());
                let mut interval = time::interval(Duration::from_millis(1));
                interval.tick().await;
                interval.reset_after(max);
                assert!(time::timeout(soon, interval.tick()).await.is_err());
                // In a task, and cancelled.
                let task = heist::spawn(time::sleep(max));
                task::yield_now().await;
                task.abort();
                assert!(task.await.unwrap_err().is_cancelled());
                // Reset from there to now, and back.
                let sleep = time::sleep(max);
                heist::pin!(sleep);
                assert!(time::timeout(soon, sleep.as_mut()).await.is_err());
                let far = sleep.deadline();
                sleep.as_mut().reset(time::Instant::now());
                sleep.as_mut().await;
                sleep.as_mut().reset(far);
                assert!(time::timeout(soon, sleep.as_mut()).await.is_err());
            });
            runtime.shutdown_timeout(Duration::MAX);
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .thread_keep_alive(Duration::MAX)
            .build()
            .unwrap();
        runtime.block_on(async {
            let short = time::timeout(Duration::from_secs(1 << 28), time::sleep(Duration::MAX));
            assert!(short.await.is_err());
            task::spawn_blocking(|| ()).await.unwrap();
        });
    });
}

thread_local! {
    static LOCATION: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// Runs `misuse`, which panics, and says where the panic points to.
#[track_caller]
fn location(what: &str, misuse: impl FnOnce()) -> (String, u32) {
    LOCATION.with(|l| l.borrow_mut().take());
    let outcome = catch_unwind(AssertUnwindSafe(misuse));
    assert!(outcome.is_err(), "{what} should panic");
    LOCATION
        .with(|l| l.borrow_mut().take())
        .expect("the hook saw it")
}

#[test]
fn misuse_panics_at_the_callers_line() {
    in_child("misuse_panics_at_the_callers_line", || {
        std::panic::set_hook(Box::new(|info| {
            let at = info.location().map(|l| (l.file().to_owned(), l.line()));
            LOCATION.with(|l| *l.borrow_mut() = at);
            // Shown only if the child fails.
            eprintln!("{info}");
        }));
        let mut wrong = Vec::new();
        macro_rules! misuse {
            ($($misuse:expr;)*) => {$(
                let at = location(stringify!($misuse), || {
                    let _misused = $misuse;
                });
                if !at.0.ends_with("faults.rs") {
                    wrong.push(format!("{} points to {}:{}", stringify!($misuse), at.0, at.1));
                }
            )*};
        }
        misuse! {
            Builder::new_multi_thread().worker_threads(0);
            Builder::new_multi_thread().max_blocking_threads(0);
            Builder::new_multi_thread().global_queue_interval(0);
            Builder::new_multi_thread().event_interval(0);
            Builder::new_multi_thread().max_io_events_per_tick(0);
            heist::spawn(async {});
            task::spawn_blocking(|| ());
            Handle::current();
            time::sleep(Duration::from_secs(1));
            time::sleep_until(time::Instant::now());
            time::timeout(Duration::from_secs(1), async {});
            TcpListener::from_std(std_listener());
        }
        let runtime = multi(2);
        let other = single();
        let bare = Builder::new_current_thread().build().unwrap();
        let semaphore = heist::sync::Semaphore::new(1);
        misuse! {
            runtime.block_on(async { runtime.block_on(async {}) });
            runtime.block_on(async { other.block_on(async {}) });
            other.block_on(async { runtime.handle().block_on(async {}) });
            other.block_on(async { Handle::current().block_on(async {}) });
            other.block_on(async { task::block_in_place(|| ()) });
            other.block_on(async { drop(time::interval(Duration::ZERO)) });
            runtime.block_on(async { oneshot::channel::<()>().1.blocking_recv() });
            runtime.block_on(async { time::pause() });
            bare.block_on(async { drop(time::sleep(Duration::from_secs(1))) });
            bare.block_on(async { drop(TcpListener::from_std(std_listener())) });
            semaphore.add_permits(usize::MAX);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        // Whatever panicked, they go on.
        for runtime in [runtime, other] {
            assert_eq!(
                runtime.block_on(async { heist::spawn(async { 1 }).await.unwrap() }),
                1
            );
        }
    });
}

fn std_listener() -> std::net::TcpListener {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

#[test]
fn a_paused_clock_is_for_a_single_thread() {
    in_child("a_paused_clock_is_for_a_single_thread", || {
        let outcome = catch_unwind(|| {
            let built = Builder::new_multi_thread()
                .enable_all()
                .start_paused(true)
                .build();
            drop(built);
        });
        assert!(outcome.is_err());
    });
}

#[test]
fn a_runtime_is_not_dropped_in_a_task() {
    in_child("a_runtime_is_not_dropped_in_a_task", || {
        for outer in [single(), multi(2)] {
            for inner in [single as fn() -> Runtime, || multi(2)] {
                let runtime = inner();
                let dropped =
                    outer.block_on(async { heist::spawn(async move { drop(runtime) }).await });
                let panic = dropped.unwrap_err().into_panic();
                let message = panic.downcast_ref::<String>().map(String::as_str);
                let message = message.or(panic.downcast_ref::<&str>().copied());
                assert!(
                    message.is_some_and(|m| m.contains("Cannot drop a runtime in a context")),
                    "{message:?}"
                );
                // These may be.
                let runtime = inner();
                let in_task = async move { runtime.shutdown_background() };
                outer.block_on(async { heist::spawn(in_task).await.unwrap() });
                let runtime = inner();
                outer.block_on(async {
                    task::spawn_blocking(move || drop(runtime)).await.unwrap();
                });
            }
        }
        eventually(40, "all threads leave", || threads() <= 3);
    });
}

#[test]
fn a_runtime_may_be_shut_down_by_its_own_task() {
    bounded(60, || {
        for _ in 0..scale(50, 200, 2_000) {
            let runtime = Arc::new(std::sync::Mutex::new(Some(multi(2))));
            let own = Arc::clone(&runtime);
            let (tx, rx) = mpsc::channel::<()>();
            runtime.lock().unwrap().as_ref().unwrap().spawn(async move {
                let _tx = tx;
                task::yield_now().await;
                let taken = own.lock().unwrap().take();
                taken.unwrap().shutdown_background();
                pending::<()>().await;
            });
            // The task ends at its next await.
            assert_eq!(
                rx.recv_timeout(HANG),
                Err(mpsc::RecvTimeoutError::Disconnected)
            );
        }
    });
}

#[test]
fn a_blocking_function_that_never_ends_holds_up_no_timed_shutdown() {
    bounded(60, || {
        for runtime in [single(), multi(2)] {
            let (release, held) = mpsc::channel::<()>();
            let (started_tx, started) = mpsc::channel();
            runtime.spawn_blocking(move || {
                started_tx.send(()).unwrap();
                held.recv()
            });
            started.recv().unwrap();
            let start = Instant::now();
            runtime.shutdown_timeout(Duration::from_millis(50));
            let took = start.elapsed();
            assert!(took >= Duration::from_millis(50), "{took:?}");
            assert!(took < HANG, "{took:?}");
            drop(release);
        }
    });
}

#[test]
fn resets_before_accept_do_not_harm_the_listener() {
    bounded(60, || {
        for runtime in [single(), multi(2)] {
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                for _ in 0..50 {
                    let client = TcpStream::connect(address).await.unwrap();
                    client.set_zero_linger().unwrap();
                    drop(client);
                }
                let last = TcpStream::connect(address).await.unwrap();
                let wanted = last.local_addr().unwrap();
                loop {
                    match listener.accept().await {
                        Ok((_, peer)) if peer == wanted => break,
                        Ok(_) => {}
                        Err(error) => {
                            assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted, "{error}")
                        }
                    }
                }
            });
        }
    });
}

#[test]
fn waiting_costs_no_cpu() {
    in_child("waiting_costs_no_cpu", || {
        for runtime in [single(), multi(2)] {
            let notify = Arc::new(Notify::new());
            {
                let notify = Arc::clone(&notify);
                runtime.spawn(async move { notify.notified().await });
            }
            runtime.spawn(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let _ = listener.accept().await;
            });
            runtime.spawn(async { time::sleep(Duration::from_secs(3600)).await });
            let before = cpu_time();
            runtime.block_on(async { time::sleep(Duration::from_millis(700)).await });
            let spent = cpu_time() - before;
            assert!(spent < Duration::from_millis(100), "{spent:?} of CPU");
        }
    });
}
