//! Files and directories, without blocking the tasks beside.
//!
//! The functions and types are those of [`std::fs`], made to be awaited. Systems have no good way to
//! wait for a disk, so each operation runs on a thread of the runtime's pool, as if given to
//! [`spawn_blocking`]. What follows from that:
//!
//! * Going to the pool and back costs some microseconds. Few large operations are much better than
//!   many small ones: [`read()`] and [`write()`] take whole files, and a [`BufReader`] or a
//!   [`BufWriter`] around a [`File`] makes few operations of many. For long sequences of operations,
//!   one `spawn_blocking` around plain `std::fs` is faster still.
//! * An operation that has begun cannot be stopped. A future that is dropped leaves its operation to
//!   run to its end in the background, and one that has not been started yet may still be.
//! * Whoever wants to read special files (pipes, devices) this way should know that a read that
//!   waits for data holds a thread of the pool until it comes.
//!   [`AsyncFd`](crate::io::unix::AsyncFd) is for these.
//!
//! ```
//! use heist::fs;
//!
//! # #[heist::main]
//! # async fn main() -> std::io::Result<()> {
//! let path = std::env::temp_dir().join(format!("heist-doc-{}", std::process::id()));
//! fs::write(&path, "remember me").await?;
//! assert_eq!(fs::read_to_string(&path).await?, "remember me");
//! fs::remove_file(&path).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Writes and `flush`
//!
//! A write to a [`File`] is done when the data has been accepted, not when it has been written: so
//! an error may only come out with the next operation, and a program that ends without
//! [`flush`](crate::io::AsyncWriteExt::flush) may never see it. An accepted write is never given up,
//! though: a runtime that shuts down in an orderly way runs it first.
//!
//! # Panics
//!
//! Everything here panics when polled outside a runtime.
//!
//! # Errors
//!
//! Those of the operation itself, as `std::fs` gives them. In addition each operation fails if the
//! runtime is being shut down and does not take it any more.
//!
//! [`BufReader`]: crate::io::BufReader
//! [`BufWriter`]: crate::io::BufWriter

use std::io;

use crate::task::spawn_blocking;

mod dir;
mod file;
mod file_times;
mod open_options;
mod paths;

pub use self::dir::{DirBuilder, DirEntry, ReadDir, read_dir};
pub use self::file::File;
pub use self::file_times::FileTimes;
pub use self::open_options::OpenOptions;
pub use self::paths::{
    canonicalize, copy, create_dir, create_dir_all, hard_link, metadata, read, read_link,
    read_to_string, remove_dir, remove_dir_all, remove_file, rename, set_permissions, symlink,
    symlink_metadata, try_exists, write,
};

/// Runs `operation` on the pool.
async fn on_pool<F, T>(operation: F) -> io::Result<T>
where
    F: FnOnce() -> io::Result<T> + Send + 'static,
    T: Send + 'static,
{
    match spawn_blocking(operation).await {
        Ok(result) => result,
        Err(_) => Err(not_run()),
    }
}

/// The error of an operation that the pool did not run, or did not run to its end.
fn not_run() -> io::Error {
    io::Error::other("background task failed")
}
