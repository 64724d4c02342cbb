//! Small files: each read is a call on a blocking thread.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::rt;
use super::{multi_thread, on_worker};
use crate::workload::{Round, Workload};

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "fs_read_seq",
        what: "a task reads 1,000 files of 1 KiB, one after the other",
        ops: FILES,
        prepare: sequential,
    },
    Workload {
        name: "fs_read_burst",
        what: "1,000 tasks read a file of 1 KiB each",
        ops: FILES,
        prepare: burst,
    },
];

const FILES: usize = 1_000;
const SIZE: usize = 1 << 10;

/// A directory of small files, removed when this is dropped.
struct Files(PathBuf);

impl Files {
    fn create() -> Arc<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let runtime = rt_name();
        let name = format!("race-{}-{runtime}-{number}", std::process::id());
        let files = Self(std::env::temp_dir().join(name));
        std::fs::create_dir(&files.0).expect("the temporary directory can be written");
        for i in 0..FILES {
            std::fs::write(files.path(i), [i as u8; SIZE]).expect("a small file can be written");
        }
        Arc::new(files)
    }

    fn path(&self, i: usize) -> PathBuf {
        self.0.join(i.to_string())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Both sides are one process: their directories need different names.
fn rt_name() -> &'static str {
    super::runtime_type().split(':').next().unwrap_or_default()
}

async fn read(path: impl AsRef<Path>, i: usize) {
    let content = rt::fs::read(path).await.expect("the file is there");
    assert_eq!((content.len(), content[SIZE - 1]), (SIZE, i as u8));
}

fn sequential(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let files = Files::create();
    Box::new(move || {
        let files = Arc::clone(&files);
        on_worker(&runtime, async move {
            for i in 0..FILES {
                read(files.path(i), i).await;
            }
        });
    })
}

fn burst(workers: usize) -> Round {
    let runtime = multi_thread(workers);
    let files = Files::create();
    Box::new(move || {
        let files = Arc::clone(&files);
        on_worker(&runtime, async move {
            let reading: Vec<_> = (0..FILES)
                .map(|i| rt::spawn(read(files.path(i), i)))
                .collect();
            for task in reading {
                task.await.expect("no reader panics");
            }
        });
    })
}
