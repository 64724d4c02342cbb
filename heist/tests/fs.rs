//! Files and directories, and the process's own streams: what reaches the disk, and when one knows.

#[path = "support/mod.rs"]
mod support;

use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind, IoSlice, SeekFrom};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use heist::fs::{self, DirBuilder, File, FileTimes, OpenOptions};
use heist::io::{AsyncReadExt, AsyncSeek, AsyncSeekExt, AsyncWrite, AsyncWriteExt};
use heist::runtime::{Builder, Runtime};
use support::bounded;

/// A directory of its own for one test, removed at its end.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "heist-fs-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, SeqCst)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file with that content.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A runtime whose pool has one thread, so that jobs go one after the other.
fn one_thread() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap()
}

/// Runs the body on both flavors.
fn on_both<F: Future<Output = ()>>(body: impl Fn(Dir) -> F + Send + 'static) {
    bounded(60, move || {
        for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
            builder
                .enable_all()
                .build()
                .unwrap()
                .block_on(body(Dir::new()));
        }
    });
}

/// Polls once, with a waker that does nothing.
fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Occupies the only pool thread until the sender is dropped.
fn block_pool(runtime: &heist::runtime::Handle) -> mpsc::Sender<()> {
    let (tx, rx) = mpsc::channel::<()>();
    let (started, has_started) = mpsc::channel();
    runtime.spawn_blocking(move || {
        started.send(()).unwrap();
        let _ = rx.recv();
    });
    has_started.recv().unwrap();
    tx
}

async fn open_rw(path: &Path) -> File {
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .await
        .unwrap()
}

#[test]
fn paths() {
    on_both(|dir| async move {
        let (a, b, c) = (dir.path("a"), dir.path("b"), dir.path("c"));
        fs::write(&a, "first").await.unwrap();
        assert_eq!(fs::read(&a).await.unwrap(), b"first");
        assert_eq!(fs::read_to_string(&a).await.unwrap(), "first");
        assert_eq!(fs::copy(&a, &b).await.unwrap(), 5);
        fs::rename(&b, &c).await.unwrap();
        assert!(!fs::try_exists(&b).await.unwrap());
        assert_eq!(fs::read(&c).await.unwrap(), b"first");

        fs::hard_link(&a, &b).await.unwrap();
        assert_eq!(fs::metadata(&a).await.unwrap().nlink(), 2);
        let link = dir.path("link");
        fs::symlink(&a, &link).await.unwrap();
        assert_eq!(fs::read_link(&link).await.unwrap(), a);
        assert!(fs::metadata(&link).await.unwrap().is_file());
        assert!(fs::symlink_metadata(&link).await.unwrap().is_symlink());
        assert_eq!(
            fs::canonicalize(&link).await.unwrap(),
            std::fs::canonicalize(&a).unwrap()
        );

        let mut permissions = fs::metadata(&a).await.unwrap().permissions();
        permissions.set_mode(0o600);
        fs::set_permissions(&a, permissions).await.unwrap();
        assert_eq!(fs::metadata(&a).await.unwrap().mode() & 0o777, 0o600);

        let deep = dir.path("x/y/z");
        let error = fs::create_dir(&deep).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        fs::create_dir_all(&deep).await.unwrap();
        fs::remove_dir(&deep).await.unwrap();
        fs::remove_dir_all(dir.path("x")).await.unwrap();
        fs::remove_file(&a).await.unwrap();
        let error = fs::read(&a).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);

        let latin = dir.file("latin", [0xe9]);
        let error = fs::read_to_string(latin).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    });
}

#[test]
fn directories_are_read_to_their_end() {
    on_both(|dir| async move {
        // Before, at and after the borders of a batch.
        for count in [0, 1, 31, 32, 33, 64, 100] {
            let place = dir.path(&format!("of-{count}"));
            DirBuilder::new().mode(0o700).create(&place).await.unwrap();
            assert_eq!(fs::metadata(&place).await.unwrap().mode() & 0o777, 0o700);
            for i in 0..count {
                std::fs::write(place.join(i.to_string()), "").unwrap();
            }
            let mut entries = fs::read_dir(&place).await.unwrap();
            let mut names = Vec::new();
            while let Some(entry) = entries.next_entry().await.unwrap() {
                assert!(entry.file_type().await.unwrap().is_file());
                assert_eq!(entry.metadata().await.unwrap().ino(), entry.ino());
                assert_eq!(entry.path(), place.join(entry.file_name()));
                let name = entry.file_name().into_string().unwrap();
                names.push(name.parse::<usize>().unwrap());
            }
            assert!(entries.next_entry().await.unwrap().is_none(), "stays there");
            names.sort_unstable();
            assert_eq!(names, Vec::from_iter(0..count));
        }
        let error = fs::read_dir(dir.path("nowhere")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let recursive = DirBuilder::new().recursive(true).create(&dir.0).await;
        recursive.unwrap();
    });
}

#[test]
fn a_batch_that_was_not_waited_for_is_not_lost() {
    bounded(60, || {
        let dir = Dir::new();
        for i in 0..40 {
            dir.file(&i.to_string(), "");
        }
        let runtime = one_thread();
        runtime.block_on(async {
            let mut entries = fs::read_dir(&dir.0).await.unwrap();
            for _ in 0..32 {
                entries.next_entry().await.unwrap().unwrap();
            }
            let pool = block_pool(runtime.handle());
            assert!(poll_once(pin!(entries.next_entry())).is_pending());
            drop(pool);
            let mut rest = 0;
            while entries.next_entry().await.unwrap().is_some() {
                rest += 1;
            }
            assert_eq!(rest, 8);
        });
    });
}

#[test]
fn what_is_written_is_read() {
    on_both(|dir| async move {
        let path = dir.path("round");
        let data: Vec<u8> = (0..5_000_000u32).map(|i| (i % 251) as u8).collect();
        let mut file = File::create(&path).await.unwrap();
        assert_eq!(file.max_buf_size(), 2 * 1024 * 1024);
        // More than a buffer takes.
        assert_eq!(file.write(&data).await.unwrap(), 2 * 1024 * 1024);
        file.write_all(&data[2 * 1024 * 1024..]).await.unwrap();
        file.flush().await.unwrap();
        assert!(std::fs::read(&path).unwrap() == data);
        drop(file);

        let mut file = File::open(&path).await.unwrap();
        let mut read = Vec::new();
        file.read_to_end(&mut read).await.unwrap();
        assert!(read == data);
        assert_eq!(file.read(&mut [0; 8]).await.unwrap(), 0, "the end");

        // Ragged buffers, each read at most 1000 bytes.
        file.rewind().await.unwrap();
        file.set_max_buf_size(1000);
        let mut at = 0;
        for size in (1..3000).step_by(97) {
            let mut part = vec![0; size];
            let len = file.read(&mut part).await.unwrap();
            assert_eq!(len, size.min(1000));
            assert_eq!(part[..len], data[at..at + len]);
            at += len;
        }
        assert_eq!(file.read(&mut []).await.unwrap(), 0);
        assert_eq!(file.stream_position().await.unwrap(), at as u64);
    });
}

#[test]
fn vectored_writes_take_what_fits() {
    on_both(|dir| async move {
        let path = dir.path("parts");
        let mut file = File::create(&path).await.unwrap();
        assert!(file.is_write_vectored());
        file.set_max_buf_size(8);
        let parts = [
            IoSlice::new(b"abc"),
            IoSlice::new(b""),
            IoSlice::new(b"defgh"),
            IoSlice::new(b"never"),
        ];
        assert_eq!(file.write_vectored(&parts).await.unwrap(), 8);
        assert_eq!(file.write_vectored(&parts[3..]).await.unwrap(), 5);
        assert_eq!(file.write(b"").await.unwrap(), 0);
        file.flush().await.unwrap();
        assert_eq!(std::fs::read(path).unwrap(), b"abcdefghnever");
    });
}

#[test]
fn seeks_start_where_the_user_is() {
    on_both(|dir| async move {
        let path = dir.file("seek", "0123456789");
        let mut file = open_rw(&path).await;
        assert_eq!(file.seek(SeekFrom::Start(3)).await.unwrap(), 3);
        let mut two = [0; 2];
        file.read_exact(&mut two).await.unwrap();
        assert_eq!(&two, b"34");
        assert_eq!(file.seek(SeekFrom::Current(-1)).await.unwrap(), 4);
        assert_eq!(file.seek(SeekFrom::End(-1)).await.unwrap(), 9);
        let error = file.seek(SeekFrom::End(-11)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(file.stream_position().await.unwrap(), 9);
        // Asking without a seek gives the last answer.
        let position = poll_fn(|cx| Pin::new(&mut file).poll_complete(cx)).await;
        assert_eq!(position.unwrap(), 9);
        // Past the end: a hole.
        file.seek(SeekFrom::Start(12)).await.unwrap();
        file.write_all(b"x").await.unwrap();
        file.flush().await.unwrap();
        assert_eq!(std::fs::read(path).unwrap(), b"0123456789\0\0x");
    });
}

/// Starts a read of 4 bytes that is dropped before its job has begun.
fn cancelled_read(runtime: &Runtime, file: &mut File) {
    let pool = block_pool(runtime.handle());
    assert!(poll_once(pin!(file.read(&mut [0; 4]))).is_pending());
    drop(pool);
}

#[test]
fn a_cancelled_read_is_given_to_the_next_one() {
    bounded(60, || {
        let dir = Dir::new();
        let path = dir.file("data", "0123456789");
        let runtime = one_thread();
        runtime.block_on(async {
            let mut file = open_rw(&path).await;
            cancelled_read(&runtime, &mut file);
            let mut three = [0; 3];
            file.read_exact(&mut three).await.unwrap();
            assert_eq!(&three, b"012");
            // One byte is left over; it is counted back.
            assert_eq!(file.stream_position().await.unwrap(), 3);
            let mut rest = String::new();
            file.read_to_string(&mut rest).await.unwrap();
            assert_eq!(rest, "3456789");
        });
    });
}

#[test]
fn after_a_cancelled_read_the_position_is_right() {
    bounded(60, || {
        let dir = Dir::new();
        let runtime = one_thread();
        runtime.block_on(async {
            // A write.
            let path = dir.file("write", "0123456789");
            let mut file = open_rw(&path).await;
            cancelled_read(&runtime, &mut file);
            file.write_all(b"ab").await.unwrap();
            file.flush().await.unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"ab23456789");

            // A change of the length, then a write.
            let path = dir.file("resize", "0123456789");
            let mut file = open_rw(&path).await;
            cancelled_read(&runtime, &mut file);
            file.set_len(3).await.unwrap();
            let mut rest = String::new();
            file.read_to_string(&mut rest).await.unwrap();
            assert_eq!(rest, "012");

            // A seek that fails leaves one where one was.
            let path = dir.file("seek", "0123456789");
            let mut file = open_rw(&path).await;
            cancelled_read(&runtime, &mut file);
            assert!(file.seek(SeekFrom::End(-11)).await.is_err());
            let mut rest = String::new();
            file.read_to_string(&mut rest).await.unwrap();
            assert_eq!(rest, "0123456789");
        });
    });
}

#[test]
fn a_cancelled_seek_is_waited_for() {
    bounded(60, || {
        let dir = Dir::new();
        let path = dir.file("data", "0123456789");
        let runtime = one_thread();
        runtime.block_on(async {
            let mut file = open_rw(&path).await;
            let pool = block_pool(runtime.handle());
            assert!(poll_once(pin!(file.seek(SeekFrom::Start(7)))).is_pending());
            // A second one has to wait for the first.
            let error = Pin::new(&mut file)
                .start_seek(SeekFrom::Start(1))
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Other);
            drop(pool);
            let mut rest = String::new();
            file.read_to_string(&mut rest).await.unwrap();
            assert_eq!(rest, "789");
        });
    });
}

#[test]
fn a_cancelled_write_was_accepted_or_not() {
    bounded(60, || {
        let dir = Dir::new();
        let path = dir.path("data");
        let runtime = one_thread();
        runtime.block_on(async {
            let mut file = File::create(&path).await.unwrap();
            let pool = block_pool(runtime.handle());
            assert_eq!(file.write(b"first ").await.unwrap(), 6, "accepted at once");
            // This one waits for the first; given up, it is nowhere.
            assert!(poll_once(pin!(file.write(b"never "))).is_pending());
            assert!(poll_once(pin!(file.flush())).is_pending());
            drop(pool);
            file.write_all(b"second").await.unwrap();
            file.flush().await.unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"first second");
        });
    });
}

#[test]
fn accepted_writes_survive_the_file_and_the_runtime() {
    for _ in 0..20 {
        bounded(60, || {
            let dir = Dir::new();
            let path = dir.path("data");
            let runtime = one_thread();
            let pool = runtime.block_on(async {
                let mut file = File::create(&path).await.unwrap();
                let pool = block_pool(runtime.handle());
                file.write_all(b"it is written").await.unwrap();
                pool
            });
            // Queued behind the other job, the file dropped; now the runtime is shut down.
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(2));
                drop(pool);
            });
            drop(runtime);
            assert_eq!(std::fs::read(&path).unwrap(), b"it is written");
        });
    }
}

/// Who does not wait for the runtime's end learns from the file what became of it.
#[test]
fn accepted_writes_survive_a_runtime_that_is_left_to_itself() {
    for patience in [None, Some(Duration::from_millis(1))] {
        bounded(60, move || {
            let dir = Dir::new();
            let path = dir.path("data");
            let runtime = one_thread();
            let (mut file, pool) = runtime.block_on(async {
                let mut file = File::create(&path).await.unwrap();
                let pool = block_pool(runtime.handle());
                file.write_all(b"it is written").await.unwrap();
                (file, pool)
            });
            match patience {
                None => runtime.shutdown_background(),
                Some(time) => runtime.shutdown_timeout(time),
            }
            assert_eq!(std::fs::read(&path).unwrap(), b"");

            let other = one_thread();
            other.block_on(async {
                let mut flush = pin!(file.flush());
                assert!(poll_once(flush.as_mut()).is_pending());
                drop(pool);
                flush.await.unwrap();
                assert_eq!(std::fs::read(&path).unwrap(), b"it is written");
            });
        });
    }
}

#[test]
fn errors_of_accepted_writes_come_out_once() {
    on_both(|_dir| async move {
        let full = || async {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .open("/dev/full")
                .await
                .unwrap();
            assert_eq!(file.write(b"x").await.unwrap(), 1);
            file
        };
        let is_full = |result: io::Result<()>| {
            let error = result.expect_err("the device is full");
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            assert_eq!(error.raw_os_error(), Some(28), "the system's own code");
        };

        let mut file = full().await;
        is_full(file.flush().await);
        file.flush().await.unwrap();

        let mut file = full().await;
        is_full(file.write(b"y").await.map(|_| ()));
        file.flush().await.unwrap();

        let mut file = full().await;
        is_full(file.shutdown().await);

        // A read does not report it, and does not lose it.
        let mut file = full().await;
        file.read_exact(&mut [1; 3]).await.unwrap();
        is_full(file.flush().await);

        // Nor do those that take the file by reference.
        let mut file = full().await;
        let _ = file.sync_all().await;
        let _ = file.set_len(0).await;
        let _ = file.metadata().await.unwrap();
        is_full(file.flush().await);

        // An error kept and a read under way: nobody panics.
        let mut file = full().await;
        file.read_exact(&mut [1; 3]).await.unwrap();
        let _ = poll_once(pin!(file.read(&mut [0; 3])));
        let _ = file.set_len(0).await;
        is_full(file.write(b"z").await.map(|_| ()));

        // To a file opened for reading.
        let mut file = File::open("/dev/null").await.unwrap();
        file.write_all(b"x").await.unwrap();
        let error = file.flush().await.unwrap_err();
        assert_eq!(error.raw_os_error(), Some(9));
    });
}

#[test]
fn open_options() {
    on_both(|dir| async move {
        let path = dir.path("log");
        let mut options = OpenOptions::from(std::fs::OpenOptions::new());
        options.append(true).create(true).mode(0o640);
        for line in ["one\n", "two\n"] {
            let mut file = options.clone().open(&path).await.unwrap();
            file.write_all(line.as_bytes()).await.unwrap();
            file.flush().await.unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o640);

        let error = File::create_new(&path).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let error = OpenOptions::default().open(&path).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        let mut flags = File::options();
        flags.read(true).custom_flags(0o200_000); // O_DIRECTORY
        assert!(flags.open(&path).await.is_err());
        File::create(&path).await.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    });
}

#[test]
fn what_a_file_carries() {
    on_both(|dir| async move {
        let path = dir.path("meta");
        let mut file = File::create(&path).await.unwrap();
        file.write_all(b"12345").await.unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        // The write before does not change the times afterwards.
        file.set_times(FileTimes::new().set_accessed(then).set_modified(then))
            .await
            .unwrap();
        let metadata = file.metadata().await.unwrap();
        assert_eq!(metadata.len(), 5);
        assert_eq!(metadata.modified().unwrap(), then);
        assert_eq!(metadata.accessed().unwrap(), then);
        let later = then + Duration::from_secs(1);
        file.set_modified(later).await.unwrap();
        let metadata = file.metadata().await.unwrap();
        assert_eq!(metadata.modified().unwrap(), later);
        assert_eq!(metadata.accessed().unwrap(), then, "left as it was");

        let mut permissions = metadata.permissions();
        permissions.set_mode(0o400);
        file.set_permissions(permissions).await.unwrap();
        assert_eq!(file.metadata().await.unwrap().mode() & 0o777, 0o400);
        file.set_len(7).await.unwrap();
        file.sync_data().await.unwrap();
        file.sync_all().await.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"12345\0\0");
    });
}

#[test]
fn clones_share_the_position_and_std_gets_it_back() {
    on_both(|dir| async move {
        let path = dir.path("clone");
        let mut file = File::create_new(&path).await.unwrap();
        file.set_max_buf_size(3);
        file.write_all(b"abc").await.unwrap();
        let mut twin = file.try_clone().await.unwrap();
        assert_eq!(twin.max_buf_size(), 3);
        twin.write_all(b"def").await.unwrap();
        twin.flush().await.unwrap();
        assert_eq!(file.stream_position().await.unwrap(), 6);

        file.write_all(b"ghi").await.unwrap();
        let std = file.into_std().await;
        assert_eq!(std.metadata().unwrap().len(), 9, "written first");
        let file = File::from_std(std).try_into_std().unwrap();
        drop(file);
    });
}

#[test]
fn into_std_while_something_is_under_way() {
    bounded(60, || {
        let dir = Dir::new();
        let path = dir.file("data", "0123456789");
        let runtime = one_thread();
        runtime.block_on(async {
            let mut file = open_rw(&path).await;
            let pool = block_pool(runtime.handle());
            file.write_all(b"ab").await.unwrap();
            let file = file.try_into_std().expect_err("it is being written");
            drop(pool);
            drop(file.into_std().await);
            assert_eq!(std::fs::read(&path).unwrap(), b"ab23456789");

            // A cancelled operation beside the line does not keep it.
            let file = open_rw(&path).await;
            let pool = block_pool(runtime.handle());
            assert!(poll_once(pin!(file.metadata())).is_pending());
            assert_eq!(file.into_std().await.metadata().unwrap().len(), 10);
            drop(pool);
        });
    });
}

#[test]
fn a_dead_runtime_fails_each_operation_for_itself() {
    bounded(60, || {
        let dir = Dir::new();
        let path = dir.file("data", "0123456789");
        let runtime = one_thread();
        let handle = runtime.handle().clone();
        let file = runtime.block_on(open_rw(&path));
        drop(runtime);
        let mut file = file;
        let _guard = handle.enter();
        for _ in 0..2 {
            assert!(poll_once(pin!(file.read(&mut [0; 4]))).is_ready_err());
            assert!(poll_once(pin!(file.write(b"x"))).is_ready_err());
            assert!(poll_once(pin!(file.seek(SeekFrom::Start(1)))).is_ready_err());
            assert!(poll_once(pin!(file.set_len(1))).is_ready_err());
            assert!(poll_once(pin!(file.sync_all())).is_ready_err());
            assert!(poll_once(pin!(fs::read(&path))).is_ready_err());
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"0123456789");
    });
}

trait IsReadyErr {
    fn is_ready_err(&self) -> bool;
}

impl<T> IsReadyErr for Poll<io::Result<T>> {
    fn is_ready_err(&self) -> bool {
        matches!(self, Poll::Ready(Err(_)))
    }
}

#[test]
fn a_thousand_small_files_at_once() {
    on_both(|dir| async move {
        let paths: Vec<PathBuf> = (0..1000)
            .map(|i| dir.file(&i.to_string(), format!("content of {i}")))
            .collect();
        let reads: Vec<_> = paths
            .into_iter()
            .map(|path| {
                heist::spawn(async move {
                    let mut text = String::new();
                    let mut file = File::open(path).await?;
                    file.read_to_string(&mut text).await?;
                    io::Result::Ok(text)
                })
            })
            .collect();
        for (i, read) in reads.into_iter().enumerate() {
            assert_eq!(read.await.unwrap().unwrap(), format!("content of {i}"));
        }
    });
}

/// Only does something when it is run by [`the_streams_of_the_process`].
#[test]
fn child_of_the_streams() {
    if std::env::var_os("HEIST_FS_CHILD").is_none() {
        return;
    }
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut stdout, mut stderr) = (heist::io::stdout(), heist::io::stderr());
        // Without the flush it stays in std's buffer, and no input comes.
        stdout.write_all(b"ready").await.unwrap();
        stdout.flush().await.unwrap();
        let mut input = Vec::new();
        heist::io::stdin().read_to_end(&mut input).await.unwrap();
        stdout.write_all(b"<<").await.unwrap();
        stdout.write_all(&input).await.unwrap();
        stdout.flush().await.unwrap();
        stdout.shutdown().await.unwrap();
        stderr.write_all(b"on the other side").await.unwrap();
        stderr.flush().await.unwrap();
        // Accepted, not flushed: the end of the runtime is early enough.
        stdout.write_all(b">>").await.unwrap();
    });
}

#[test]
fn the_streams_of_the_process() {
    use std::io::{Read, Write};
    bounded(60, || {
        let input: Vec<u8> = (0..3_000_000u32).map(|i| b'a' + (i % 23) as u8).collect();
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_of_the_streams", "--nocapture"])
            .env("HEIST_FS_CHILD", "1")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut output = Vec::new();
        while !output.ends_with(b"ready") {
            let mut byte = [0];
            stdout.read_exact(&mut byte).unwrap();
            output.extend(byte);
        }
        let sent = input.clone();
        let writer = std::thread::spawn(move || stdin.write_all(&sent).unwrap());
        stdout.read_to_end(&mut output).unwrap();
        writer.join().unwrap();
        let rest = child.wait_with_output().unwrap();
        assert!(rest.status.success());
        let mut expected = b"<<".to_vec();
        expected.extend(&input);
        expected.extend(b">>");
        let found = output.windows(expected.len()).any(|part| part == expected);
        assert!(found, "{} bytes came", output.len());
        let stderr = String::from_utf8_lossy(&rest.stderr);
        assert!(stderr.contains("on the other side"), "{stderr}");
    });
}
