//! Child processes as a program sees them.

use std::future::Future;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::ExitStatusExt;
use std::pin::pin;
use std::process::Stdio;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use heist::io::{AsyncReadExt, AsyncWriteExt};
use heist::process::{Child, ChildStdin, ChildStdout, Command};
use heist::runtime::{Builder, Runtime, is_rt_shutdown_err};
use heist::time::{sleep, timeout};

fn runtimes() -> [Runtime; 2] {
    [
        Builder::new_current_thread().enable_all().build().unwrap(),
        Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap(),
    ]
}

/// Runs it on each kind of runtime; fails after a while.
fn on_each<F: Future<Output = ()>>(test: impl Fn() -> F) {
    for runtime in runtimes() {
        runtime.block_on(async {
            timeout(Duration::from_secs(60), test())
                .await
                .expect("it hangs");
        });
    }
}

fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// The state of our child `id` (`R`, `S`, `Z`, …), `None` if we have no such child.
fn state(id: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may have spaces in it.
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent: u32 = fields.next()?.parse().ok()?;
    (parent == std::process::id()).then_some(state)
}

/// Waits until the system has forgotten our children `ids`.
async fn gone(ids: &[u32]) {
    let start = Instant::now();
    while let Some(id) = ids.iter().find(|id| state(**id).is_some()) {
        assert!(
            start.elapsed() < Duration::from_secs(50),
            "{id} is {:?}",
            state(*id)
        );
        sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn exit_codes_and_signals() {
    on_each(|| async {
        for code in [0, 1, 2, 77, 255] {
            let status = sh(&format!("exit {code}")).status().await.unwrap();
            assert_eq!(status.code(), Some(code));
        }
        let status = sh("kill -TERM $$").status().await.unwrap();
        assert_eq!((status.code(), status.signal()), (None, Some(15)));
    });
}

#[test]
fn the_end_is_told_again() {
    on_each(|| async {
        let mut child = sh("exit 4").spawn().unwrap();
        let id = child.id().unwrap();
        assert!(id > 0);
        assert_eq!(child.wait().await.unwrap().code(), Some(4));
        assert_eq!(child.wait().await.unwrap().code(), Some(4));
        assert_eq!(child.try_wait().unwrap().unwrap().code(), Some(4));
        assert_eq!(child.id(), None);
        assert_eq!(state(id), None);
        // There is nobody to kill, which is what was asked for.
        child.start_kill().unwrap();
        child.kill().await.unwrap();
    });
}

#[test]
fn try_wait_does_not_wait() {
    on_each(|| async {
        let mut child = sh("read line; exit 5")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        assert!(child.try_wait().unwrap().is_none());
        assert!(child.id().is_some());
        // It does not close the input either.
        child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(b"go\n")
            .await
            .unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            sleep(Duration::from_millis(1)).await;
        };
        assert_eq!(status.code(), Some(5));
        assert_eq!(child.id(), None);
    });
}

#[test]
fn much_data_both_ways() {
    on_each(|| async {
        let data: Vec<u8> = (0..3_000_000u32).map(|i| (i * 7 % 251) as u8).collect();
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (mut back, sent) = (Vec::new(), data.clone());
        let write = heist::spawn(async move { stdin.write_all(&sent).await });
        stdout.read_to_end(&mut back).await.unwrap();
        write.await.unwrap().unwrap();
        assert!(back == data);
        assert!(child.wait().await.unwrap().success());
    });
}

#[test]
fn output_has_both_pipes_and_the_status() {
    on_each(|| async {
        let script = "head -c 200000 /dev/zero; head -c 300000 /dev/zero >&2; echo done; echo bad >&2; exit 6";
        let output = sh(script).output().await.unwrap();
        assert_eq!(output.status.code(), Some(6));
        assert_eq!(output.stdout.len(), 200_005);
        assert!(output.stdout.ends_with(b"done\n"));
        assert_eq!(output.stderr.len(), 300_004);
        assert!(output.stderr.ends_with(b"bad\n"));
    });
}

#[test]
fn waiting_closes_the_input() {
    on_each(|| async {
        let cat = || {
            Command::new("cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        };
        assert!(cat().wait().await.unwrap().success());
        let mut child = cat();
        child.stdin.as_mut().unwrap().write_all(b"x").await.unwrap();
        let output = child.wait_with_output().await.unwrap();
        assert!(output.status.success());
        assert_eq!(output.stdout, b"x");
        // And what is not piped is empty.
        let output = sh("exit 0")
            .spawn()
            .unwrap()
            .wait_with_output()
            .await
            .unwrap();
        assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
    });
}

#[test]
fn settings_get_there() {
    on_each(|| async {
        let mut command = sh(r#"echo "$0|$1|$2|$A|$B|${C-none}|$(pwd)""#);
        command
            .arg("zero")
            .args(["one two", "three"])
            .env("A", "1")
            .envs([("B", "2"), ("C", "3")])
            .env_remove("C")
            .current_dir("/");
        let output = command.output().await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text, "zero|one two|three|1|2|none|/\n");
        // It can be used again.
        assert!(command.output().await.unwrap().status.success());

        let output = Command::new("/usr/bin/env").env_clear().output();
        assert_eq!(output.await.unwrap().stdout, b"");

        let output = sh("echo $0").arg0("known-as").output().await.unwrap();
        assert_eq!(output.stdout, b"known-as\n");

        let mut child = sh("read line")
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let id = child.id().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let group = stat[stat.rfind(')').unwrap()..].split(' ').nth(3).unwrap();
        assert_eq!(group, id.to_string());
        child.wait().await.unwrap();
    });
}

#[test]
fn std_and_back() {
    let mut command = Command::from(std::process::Command::new("true"));
    assert!(!command.get_kill_on_drop());
    assert!(command.kill_on_drop(true).get_kill_on_drop());
    command.as_std_mut().arg("x");
    assert_eq!(command.as_std().get_args().count(), 1);
    assert!(command.into_std().status().unwrap().success());
    on_each(|| async {
        let mut child = Command::new("false")
            .spawn_with(|std| std.stdout(Stdio::piped()).spawn())
            .unwrap();
        assert!(child.stdout.is_some());
        assert_eq!(child.wait().await.unwrap().code(), Some(1));
        let refused = Command::new("false").spawn_with(|_| Err(io::Error::other("no")));
        assert_eq!(refused.unwrap_err().to_string(), "no");
    });
}

#[test]
fn the_future_is_not_tied_to_the_command() {
    fn run() -> impl Future<Output = io::Result<std::process::ExitStatus>> + Send + 'static {
        Command::new("true").status()
    }
    on_each(|| async {
        assert!(heist::spawn(run()).await.unwrap().unwrap().success());
    });
}

#[test]
fn what_cannot_be_started() {
    on_each(|| async {
        let missing = || Command::new("/no/such/program");
        let kinds = [
            missing().spawn().map(drop).unwrap_err().kind(),
            missing().status().await.unwrap_err().kind(),
            missing().output().await.unwrap_err().kind(),
        ];
        assert_eq!(kinds, [io::ErrorKind::NotFound; 3]);
    });
    // As for Tokio, this does not need a runtime.
    assert!(Command::new("/no/such/program").spawn().is_err());
}

#[test]
fn outside_a_runtime_it_panics_and_leaves_no_zombie() {
    let file = std::env::temp_dir().join(format!("heist-process-{}", std::process::id()));
    let script = format!("echo $$ > {}; read line", file.display());
    let panic = std::panic::catch_unwind(|| sh(&script).stdin(Stdio::piped()).spawn());
    assert!(panic.is_err());
    // The child was there, and nobody is. A runtime that spawns sees to it.
    let start = Instant::now();
    let id: u32 = loop {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if let Some(id) = text.strip_suffix('\n') {
            break id.parse().unwrap();
        }
        assert!(start.elapsed() < Duration::from_secs(50));
        std::thread::sleep(Duration::from_millis(5));
    };
    std::fs::remove_file(&file).unwrap();
    runtimes()[0].block_on(async {
        Command::new("true").status().await.unwrap();
        gone(&[id]).await;
    });
}

#[test]
fn kill() {
    on_each(|| async {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let id = child.id().unwrap();
        child.kill().await.unwrap();
        assert_eq!(child.wait().await.unwrap().signal(), Some(9));
        assert_eq!(state(id), None);

        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        child.start_kill().unwrap();
        child.start_kill().unwrap();
        assert_eq!(child.wait().await.unwrap().signal(), Some(9));
    });
}

#[test]
fn kill_on_drop_kills_and_reaps() {
    on_each(|| async {
        let mut ids = Vec::new();
        for _ in 0..10 {
            let mut command = Command::new("sleep");
            let child = command.arg("100").kill_on_drop(true).spawn().unwrap();
            ids.push(child.id().unwrap());
            drop(child);
            let run = command.status();
            assert!(timeout(Duration::from_millis(2), run).await.is_err());
        }
        gone(&ids).await;
    });
}

/// What is to be killed does not first see the end of what it reads, and take it for all.
#[test]
fn who_is_killed_by_the_drop_does_not_see_its_input_end() {
    on_each(|| async {
        let mark = std::env::temp_dir().join(format!("heist-{}-saw-the-end", std::process::id()));
        let mut children = Vec::new();
        for _ in 0..20 {
            let mut child = sh(&format!("cat > /dev/null; : > {}", mark.display()))
                .stdin(Stdio::piped())
                .kill_on_drop(true)
                .spawn()
                .unwrap();
            child
                .stdin
                .as_mut()
                .unwrap()
                .write_all(b"half")
                .await
                .unwrap();
            children.push(child);
        }
        let ids: Vec<u32> = children.iter().filter_map(Child::id).collect();
        // They read, so that the end would be seen at once.
        sleep(Duration::from_millis(50)).await;
        drop(children);
        gone(&ids).await;
        assert!(!mark.exists());
    });
}

#[test]
fn a_child_that_is_dropped_runs_on_and_is_reaped() {
    on_each(|| async {
        let mut child = sh("read line; echo still here")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let id = child.id().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        drop(child);
        sleep(Duration::from_millis(20)).await;
        assert!(state(id).is_some_and(|state| state != 'Z'));
        stdin.write_all(b"\n").await.unwrap();
        let mut text = String::new();
        stdout.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "still here\n");
        gone(&[id]).await;
    });
}

#[test]
fn orphans_of_a_runtime_that_is_gone() {
    let spawn = || {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        (child.id().unwrap(), child)
    };
    // Dropped before the runtime, and after.
    let [first, second] = runtimes();
    let (id, mut child) = first.block_on(async { spawn() });
    let stdin = child.stdin.take();
    drop(child);
    drop(first);
    let (later, late) = second.block_on(async { spawn() });
    drop(second);
    assert!(state(id).is_some() && state(later).is_some());
    drop(stdin);
    drop(late);
    runtimes()[1].block_on(async {
        // Only one that has to do with processes looks after them.
        Command::new("true").status().await.unwrap();
        gone(&[id, later]).await;
    });
}

#[test]
fn waiting_goes_on_in_another_runtime() {
    let [first, second] = runtimes();
    let mut child = first.block_on(async { sh("exit 7").stdin(Stdio::piped()).spawn().unwrap() });
    drop(first);
    assert_eq!(
        second.block_on(child.wait()).unwrap().code(),
        Some(7),
        "the child's own runtime is gone"
    );
    // While its own still runs, the one that polls does not matter.
    let [first, second] = runtimes();
    let mut child = second.block_on(async { sh("sleep 0.05; exit 8").spawn().unwrap() });
    assert_eq!(first.block_on(child.wait()).unwrap().code(), Some(8));
}

#[test]
fn waiting_without_any_runtime_is_an_error() {
    let [runtime, _] = runtimes();
    let mut child = runtime.block_on(async {
        Command::new("sleep")
            .arg("100")
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    });
    let mut cx = Context::from_waker(Waker::noop());
    assert!(pin!(child.wait()).poll(&mut cx).is_pending());
    drop(runtime);
    let std::task::Poll::Ready(Err(error)) = pin!(child.wait()).poll(&mut cx) else {
        panic!("nobody would ever tell");
    };
    assert!(is_rt_shutdown_err(&error));
    // It can still be asked, and killed.
    assert!(child.try_wait().unwrap().is_none());
    child.start_kill().unwrap();
    while child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_hundred_at_once_and_no_zombies() {
    on_each(|| async {
        let mut ids = Vec::new();
        let mut tasks = Vec::new();
        for i in 0..100 {
            let mut child = sh(&format!("exit {i}")).spawn().unwrap();
            ids.push(child.id().unwrap());
            match i % 4 {
                // A quarter is not waited for.
                0 => drop(child),
                _ => tasks.push(heist::spawn(async move {
                    assert_eq!(child.wait().await.unwrap().code(), Some(i));
                })),
            }
        }
        for task in tasks {
            task.await.unwrap();
        }
        gone(&ids).await;
    });
}

#[test]
fn a_wait_that_is_cancelled_loses_nothing() {
    on_each(|| async {
        let mut child = sh("read line; exit 9")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for _ in 0..20 {
            assert!(
                timeout(Duration::from_millis(1), child.wait())
                    .await
                    .is_err()
            );
        }
        stdin.write_all(b"\n").await.unwrap();
        // Polled and dropped while the child ends.
        let mut ended = None;
        while ended.is_none() {
            ended = timeout(Duration::from_micros(100), child.wait()).await.ok();
        }
        assert_eq!(ended.unwrap().unwrap().code(), Some(9));
        assert_eq!(child.wait().await.unwrap().code(), Some(9));
    });
}

#[test]
fn a_child_that_ends_while_much_is_written_breaks_the_pipe() {
    on_each(|| async {
        let mut child = Command::new("sleep")
            .arg("100")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let write = heist::spawn(async move {
            loop {
                if let Err(e) = stdin.write_all(&[0; 8192]).await {
                    return e.kind();
                }
            }
        });
        sleep(Duration::from_millis(20)).await;
        child.kill().await.unwrap();
        assert_eq!(write.await.unwrap(), io::ErrorKind::BrokenPipe);
    });
}

#[test]
fn one_childs_output_is_anothers_input() {
    on_each(|| async {
        let mut first: Child = sh("echo from one").stdout(Stdio::piped()).spawn().unwrap();
        let pipe: Stdio = first.stdout.take().unwrap().try_into().unwrap();
        let output = Command::new("cat").stdin(pipe).output().await.unwrap();
        assert_eq!(output.stdout, b"from one\n");
        first.wait().await.unwrap();
    });
}

#[test]
fn descriptors_of_pipes() {
    on_each(|| async {
        let mut std = std::process::Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = ChildStdin::from_std(std.stdin.take().unwrap()).unwrap();
        let stdout = ChildStdout::from_std(std.stdout.take().unwrap()).unwrap();
        assert_eq!(stdin.as_fd().as_raw_fd(), stdin.as_raw_fd());
        stdin.write_all(b"abc").await.unwrap();
        stdin.shutdown().await.unwrap();
        drop(stdin.into_owned_fd().unwrap());
        // Blocking again: this reads to the end.
        let mut file = std::fs::File::from(stdout.into_owned_fd().unwrap());
        let mut text = String::new();
        io::Read::read_to_string(&mut file, &mut text).unwrap();
        assert_eq!(text, "abc");
        std.wait().unwrap();
    });
}
