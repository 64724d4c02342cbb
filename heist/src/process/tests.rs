//! What cannot be seen from outside: the way by `SIGCHLD`, and false alarms.

use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child as StdChild, Command, ExitStatus, Stdio};
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use super::running::Running;
use crate::engine::reactor::test_support::{run, start};

fn sh(script: &str) -> StdChild {
    start(
        Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped()),
    )
}

async fn end(running: &mut Running) -> io::Result<ExitStatus> {
    poll_fn(|cx| running.poll_wait(cx)).await
}

fn exists(id: u32) -> bool {
    std::path::Path::new(&format!("/proc/{id}")).exists()
}

/// Lets the reactor turn until the system has forgotten `id`.
async fn gone(id: u32) {
    let start = Instant::now();
    poll_fn(|cx| {
        if exists(id) {
            assert!(start.elapsed() < Duration::from_secs(50), "{id} is left");
            cx.waker().wake_by_ref();
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(())
        }
    })
    .await;
}

#[test]
fn without_pidfds_signals_tell() {
    run(async {
        let mut children: Vec<_> = (0..20)
            .map(|code| {
                let mut running = Running::new(sh(&format!("exit {code}")), false);
                running.watch_signals().unwrap();
                running
            })
            .collect();
        for (code, running) in children.iter_mut().enumerate() {
            assert_eq!(end(running).await.unwrap().code(), Some(code as i32));
        }
        // It may have ended before anybody listens.
        let mut early = Running::new(sh("exit 3"), false);
        thread::sleep(Duration::from_millis(50));
        early.watch_signals().unwrap();
        assert_eq!(end(&mut early).await.unwrap().code(), Some(3));
    });
}

#[test]
fn without_pidfds_orphans_are_reaped() {
    run(async {
        let mut child = sh("read line");
        let stdin = child.stdin.take();
        let mut running = Running::new(child, false);
        running.watch_signals().unwrap();
        let id = running.id();
        drop(running);
        assert!(exists(id));
        drop(stdin);
        gone(id).await;

        let mut running = Running::new(sh("exec sleep 100"), true);
        running.watch_signals().unwrap();
        let id = running.id();
        drop(running);
        gone(id).await;
    });
}

#[test]
fn an_orphan_that_nothing_watched() {
    run(async {
        let mut child = sh("read line");
        let stdin = child.stdin.take();
        let id = child.id();
        drop(Running::new(child, false));
        assert!(exists(id));
        drop(stdin);
        gone(id).await;
    });
}

/// A task without budget drops a child: the orphan's own wait must not be stopped by that.
#[test]
fn an_orphan_does_not_care_for_the_budget() {
    use crate::engine::base::budget::{self, Budget, BudgetScope};

    run(async {
        let mut child = sh("read line");
        let stdin = child.stdin.take();
        let mut running = Running::new(child, false);
        running.watch().unwrap();
        let id = running.id();
        {
            let _scope = BudgetScope::enter(Budget::initial());
            let mut cx = Context::from_waker(Waker::noop());
            while let std::task::Poll::Ready(coop) = budget::poll_proceed(&mut cx) {
                coop.made_progress();
            }
            drop(running);
        }
        drop(stdin);
        gone(id).await;
    });
}

/// Rule C2. A child that is traced ends for its tracer first: the pidfd is ready, but there is
/// nothing to reap until the tracer has done so.
#[test]
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "a tracer, in a process of its own")]
fn a_traced_child_ends_twice() {
    let mut traced = sh("read line; exit 6");
    let id = traced.id() as libc::pid_t;
    let mut stdin = traced.stdin.take().unwrap();
    let (theirs, mut ours) = UnixStream::pair().unwrap();

    // The tracer never becomes the program: what it does, it does before, and then it ends.
    let mut tracer = Command::new("true");
    let raw = theirs.as_raw_fd();
    let trace = move || {
        // SAFETY: system calls without memory of ours, in a process with one thread.
        unsafe {
            // Whatever goes wrong, it does not stay.
            libc::alarm(60);
            let mut byte = u8::from(libc::ptrace(libc::PTRACE_SEIZE, id, 0, 0) == 0);
            libc::write(raw, (&raw const byte).cast(), 1);
            // Let the child be dead, and its parent not know, until it has been asked.
            let mut info = std::mem::zeroed();
            libc::waitid(
                libc::P_PID,
                id as libc::id_t,
                &mut info,
                libc::WEXITED | libc::WNOWAIT,
            );
            libc::read(raw, (&raw mut byte).cast(), 1);
            libc::waitpid(id, std::ptr::null_mut(), 0);
            libc::_exit(0)
        }
    };
    // SAFETY: it allocates nothing and takes no locks.
    unsafe { tracer.pre_exec(trace) };
    // To start it is to wait for the program, or the end.
    let tracing = thread::spawn(move || start(&mut tracer).wait().unwrap());
    let mut byte = [0];
    ours.read_exact(&mut byte).unwrap();
    if byte[0] == 0 {
        eprintln!("tracing is not allowed here: not tested");
        stdin.write_all(b"\n").unwrap();
        ours.write_all(b"\n").unwrap();
        traced.wait().unwrap();
        tracing.join().unwrap();
        return;
    }
    run(async {
        let mut running = Running::new(traced, false);
        running.watch().unwrap();
        let mut polls = 0;
        let status = poll_fn(|cx| {
            polls += 1;
            let polled = running.poll_wait(cx);
            match polls {
                // Closing it is not enough: the tracer has a duplicate.
                1 => stdin.write_all(b"\n").unwrap(),
                // The false alarm.
                2 => {
                    assert!(polled.is_pending());
                    ours.write_all(b"\n").unwrap();
                }
                _ => {}
            }
            polled
        });
        assert_eq!(status.await.unwrap().code(), Some(6));
        // The first, the false alarm, the end: there is no poll without a wake.
        assert_eq!(polls, 3);
    });
    tracing.join().unwrap();
}
