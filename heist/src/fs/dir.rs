//! Directories: making them and reading their entries.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, FileType, Metadata};
use std::future::poll_fn;
use std::io;
use std::os::unix::fs::{DirBuilderExt, DirEntryExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::{not_run, on_pool};
use crate::engine::base::budget;
use crate::loom::sync::Arc;
use crate::task::{JoinHandle, spawn_blocking};

/// How many entries one trip to the pool fetches.
const BATCH: usize = 32;

/// Opens a directory to read its entries.
///
/// See [`std::fs::read_dir`].
///
/// # Errors
///
/// If the path does not exist, is no directory, or may not be read.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed, and a directory that was opened is closed again.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let mut entries = heist::fs::read_dir(".").await?;
/// while let Some(entry) = entries.next_entry().await? {
///     println!("{}", entry.path().display());
/// }
/// # Ok(())
/// # }
/// ```
pub async fn read_dir(path: impl AsRef<Path>) -> io::Result<ReadDir> {
    let path = path.as_ref().to_owned();
    on_pool(move || {
        let mut listing = Listing {
            fetched: VecDeque::with_capacity(BATCH),
            rest: Some(fs::read_dir(path)?),
        };
        listing.fetch();
        Ok(ReadDir(State::Idle(listing)))
    })
    .await
}

/// The entries of a directory; made by [`read_dir`].
///
/// They come in no particular order, without `.` and `..`, and are fetched in batches. Whether
/// something that is added or removed meanwhile is among them is up to the system.
#[derive(Debug)]
#[must_use = "nothing is read before it is asked for"]
pub struct ReadDir(State);

#[derive(Debug)]
enum State {
    Idle(Listing),
    /// The pool is fetching a batch.
    Fetching(JoinHandle<Listing>),
}

#[derive(Debug)]
struct Listing {
    fetched: VecDeque<io::Result<DirEntry>>,
    /// `None` when the end was seen.
    rest: Option<fs::ReadDir>,
}

impl Listing {
    /// An empty one, at its end.
    fn ended() -> Self {
        Self {
            fetched: VecDeque::new(),
            rest: None,
        }
    }

    /// Gets the next batch. An error ends the batch: the next try may well block or fail again.
    fn fetch(&mut self) {
        while let Some(rest) = &mut self.rest {
            match rest.next() {
                Some(Ok(entry)) => self.fetched.push_back(Ok(DirEntry::new(entry))),
                Some(Err(error)) => {
                    self.fetched.push_back(Err(error));
                    break;
                }
                None => self.rest = None,
            }
            if self.fetched.len() == BATCH {
                break;
            }
        }
    }
}

impl ReadDir {
    /// The next entry, or `None` at the end.
    ///
    /// # Errors
    ///
    /// If the system does not give the entry. One can go on after it.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no entry is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-next-entry-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// heist::fs::write(dir.join("a"), "").await?;
    /// heist::fs::write(dir.join("b"), "").await?;
    ///
    /// let mut names = Vec::new();
    /// let mut entries = heist::fs::read_dir(&dir).await?;
    /// while let Some(entry) = entries.next_entry().await? {
    ///     names.push(entry.file_name());
    /// }
    /// names.sort();
    /// assert_eq!(names, ["a", "b"]);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next_entry(&mut self) -> io::Result<Option<DirEntry>> {
        poll_fn(|cx| self.poll_next_entry(cx)).await
    }

    /// As [`next_entry`](Self::next_entry), for hand-written futures.
    ///
    /// The task that polled last is woken.
    ///
    /// # Errors
    ///
    /// As there.
    #[inline]
    pub fn poll_next_entry(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<DirEntry>>> {
        let coop = ready!(budget::poll_proceed(cx));
        loop {
            match &mut self.0 {
                State::Idle(listing) => {
                    let next = listing.fetched.pop_front();
                    if next.is_some() || listing.rest.is_none() {
                        coop.made_progress();
                        return Poll::Ready(next.transpose());
                    }
                    let mut listing = std::mem::replace(listing, Listing::ended());
                    self.0 = State::Fetching(spawn_blocking(move || {
                        listing.fetch();
                        listing
                    }));
                }
                State::Fetching(join) => match ready!(Pin::new(join).poll(cx)) {
                    Ok(listing) => self.0 = State::Idle(listing),
                    Err(_) => {
                        // The directory went with the job.
                        self.0 = State::Idle(Listing::ended());
                        coop.made_progress();
                        return Poll::Ready(Err(not_run()));
                    }
                },
            }
        }
    }
}

/// Something in a directory; made by [`ReadDir`].
#[derive(Debug)]
pub struct DirEntry {
    /// Read along with the entry, where the system says it for free.
    file_type: Option<FileType>,
    entry: Arc<fs::DirEntry>,
}

impl DirEntry {
    /// Called on the pool: on some file systems the type is asked for.
    fn new(entry: fs::DirEntry) -> Self {
        Self {
            file_type: entry.file_type().ok(),
            entry: Arc::new(entry),
        }
    }

    /// The path: that of the directory, as it was given, and the name.
    pub fn path(&self) -> PathBuf {
        self.entry.path()
    }

    /// The name, without the directory.
    pub fn file_name(&self) -> OsString {
        self.entry.file_name()
    }

    /// What the system knows about it. A symbolic link is not followed.
    ///
    /// # Errors
    ///
    /// If it is gone meanwhile.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is changed. The question may still be asked on the pool, and nobody hears
    /// the answer.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-entry-metadata-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// heist::fs::write(dir.join("a"), "12345").await?;
    /// let mut entries = heist::fs::read_dir(&dir).await?;
    /// let entry = entries.next_entry().await?.unwrap();
    /// assert_eq!(entry.metadata().await?.len(), 5);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn metadata(&self) -> io::Result<Metadata> {
        let entry = Arc::clone(&self.entry);
        on_pool(move || entry.metadata()).await
    }

    /// Whether it is a file, a directory, a symbolic link or something else.
    ///
    /// Mostly known already, and then without a trip to the pool. A symbolic link is not followed.
    ///
    /// # Errors
    ///
    /// If it has to be asked for and the entry is gone meanwhile.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is changed. The question may still be asked on the pool, and nobody hears
    /// the answer.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-file-type-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// heist::fs::create_dir(dir.join("sub")).await?;
    /// let mut entries = heist::fs::read_dir(&dir).await?;
    /// let entry = entries.next_entry().await?.unwrap();
    /// assert!(entry.file_type().await?.is_dir());
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn file_type(&self) -> io::Result<FileType> {
        if let Some(file_type) = self.file_type {
            return Ok(file_type);
        }
        let entry = Arc::clone(&self.entry);
        on_pool(move || entry.file_type()).await
    }

    /// The number of the inode.
    pub fn ino(&self) -> u64 {
        self.entry.ino()
    }
}

/// Makes directories, with options.
///
/// # Examples
///
/// ```no_run
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// heist::fs::DirBuilder::new()
///     .recursive(true)
///     .mode(0o700)
///     .create("state/keys")
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct DirBuilder {
    recursive: bool,
    mode: Option<u32>,
}

impl DirBuilder {
    /// Options as [`create_dir`](super::create_dir) has them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether missing parents are made too, and an existing directory is fine. At first not.
    pub fn recursive(&mut self, recursive: bool) -> &mut Self {
        self.recursive = recursive;
        self
    }

    /// The permissions of what is made, before the process's mask; at first `0o777`.
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.mode = Some(mode);
        self
    }

    /// Makes the directory.
    ///
    /// # Errors
    ///
    /// As [`create_dir`](super::create_dir), or [`create_dir_all`](super::create_dir_all) if
    /// [`recursive`](Self::recursive).
    ///
    /// # Cancel safety
    ///
    /// Dropped in between, it may be done all the same: what has begun on the pool is not stopped.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-builder-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// let path = dir.join("a/b/c");
    /// heist::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).await?;
    /// assert!(heist::fs::metadata(&path).await?.is_dir());
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(self.recursive);
        if let Some(mode) = self.mode {
            builder.mode(mode);
        }
        let path = path.as_ref().to_owned();
        on_pool(move || builder.create(path)).await
    }
}
