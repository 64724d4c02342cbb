//! A file that can be read, written and sought in without blocking.

use std::fmt;
use std::fs::{self, Metadata, Permissions};
use std::future::poll_fn;
use std::io::{self, IoSlice, SeekFrom};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::SystemTime;

use self::work::Work;
use super::{FileTimes, OpenOptions, on_pool};
use crate::engine::base::words;
use crate::io::pool_buf::MAX_BUF_SIZE;
use crate::io::{AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};
use crate::loom::sync::Arc;
use crate::sync::Mutex;

#[allow(unsafe_code, reason = "`FromRawFd` has an unsafe method")]
mod fd;
mod work;

/// An open file.
///
/// It is read, written and sought in through [`AsyncReadExt`](crate::io::AsyncReadExt),
/// [`AsyncWriteExt`](crate::io::AsyncWriteExt) and [`AsyncSeekExt`](crate::io::AsyncSeekExt).
///
/// # Writing
///
/// A write copies the data (at most [`max_buf_size`](Self::max_buf_size) bytes a time), gives it to
/// the pool and is done. It is not on the disk then, and not even with the system. If it fails, the
/// error comes from the next write or flush. So **flush before you drop a file**: after
/// [`flush`](crate::io::AsyncWriteExt::flush) the system has everything, and all errors are known.
/// Without it the data is still written, by and by, and by the end of an orderly shutdown of the
/// runtime; only the error is lost. [`sync_all`](Self::sync_all) goes further: it waits for the disk.
///
/// # Examples
///
/// ```
/// use heist::fs::File;
/// use heist::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// # let path = std::env::temp_dir().join(format!("heist-doc-file-{}", std::process::id()));
/// let mut file = File::create_new(&path).await?;
/// file.write_all(b"one two three").await?;
/// file.flush().await?;
///
/// file.seek(std::io::SeekFrom::Start(4)).await?;
/// let mut rest = String::new();
/// file.read_to_string(&mut rest).await?;
/// assert_eq!(rest, "two three");
/// # heist::fs::remove_file(&path).await
/// # }
/// ```
///
/// # Cancel safety
///
/// A cancelled read loses nothing: what it has read is given to the next one, and counted back by
/// anything else that depends on the position. A cancelled write was either accepted or not, as
/// [`write`](crate::io::AsyncWriteExt::write) tells. A cancelled seek may have been done.
pub struct File {
    file: Arc<fs::File>,
    /// Behind a lock for the methods that take `&self`; all others reach it without.
    work: Mutex<Work>,
    max_buf_size: usize,
}

impl File {
    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// If it is not there or may not be read; see [`OpenOptions::open`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a file that was opened in vain is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use heist::io::AsyncReadExt;
    ///
    /// let mut magic = [0; 4];
    /// let mut file = heist::fs::File::open("/proc/self/exe").await?;
    /// file.read_exact(&mut magic).await?;
    /// assert_eq!(&magic, b"\x7fELF");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(path: impl AsRef<Path>) -> io::Result<File> {
        Self::options().read(true).open(path).await
    }

    /// Opens a file for writing; it is made if it is not there, and emptied if it is.
    ///
    /// # Errors
    ///
    /// If it cannot be made or may not be written; see [`OpenOptions::open`].
    ///
    /// # Cancel safety
    ///
    /// Dropped in between, the file may be made or emptied all the same. It is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-create-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::io::AsyncWriteExt;
    ///
    /// let mut file = heist::fs::File::create(dir.join("log")).await?;
    /// file.write_all(b"first line\n").await?;
    /// file.flush().await?;
    /// assert_eq!(heist::fs::read(dir.join("log")).await?, b"first line\n");
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create(path: impl AsRef<Path>) -> io::Result<File> {
        let mut options = Self::options();
        options.write(true).create(true).truncate(true);
        options.open(path).await
    }

    /// Makes a file that was not there, and opens it for reading and writing.
    ///
    /// # Errors
    ///
    /// Of the kind [`AlreadyExists`](io::ErrorKind::AlreadyExists) if it was; see
    /// [`OpenOptions::open`].
    ///
    /// # Cancel safety
    ///
    /// Dropped in between, the file may be made all the same. It is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-create-new-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::fs::File;
    ///
    /// let lock = dir.join("lock");
    /// let _file = File::create_new(&lock).await?;
    /// let error = File::create_new(&lock).await.unwrap_err();
    /// assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_new<P: AsRef<Path>>(path: P) -> io::Result<File> {
        let mut options = Self::options();
        options.read(true).write(true).create_new(true);
        options.open(path).await
    }

    /// The same as [`OpenOptions::new`].
    #[must_use]
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// Makes one of std's files. Needs no runtime yet.
    pub fn from_std(std: fs::File) -> File {
        File {
            file: Arc::new(std),
            work: Mutex::new(Work::new()),
            max_buf_size: MAX_BUF_SIZE,
        }
    }

    /// Waits until all data and metadata of the file are on the disk.
    ///
    /// Writes that were accepted are done first. If one of them failed, the next write or flush
    /// tells, not this.
    ///
    /// # Errors
    ///
    /// If the system could not write everything.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was accepted is written all the same; whether it is on the disk yet is not
    /// known.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-sync-all-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::io::AsyncWriteExt;
    ///
    /// let mut file = heist::fs::File::create(dir.join("ledger")).await?;
    /// file.write_all(b"+100").await?;
    /// file.sync_all().await?;
    /// // Whatever happens to the machine now, it is there.
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sync_all(&self) -> io::Result<()> {
        self.settled(|file| file.sync_all()).await
    }

    /// As [`sync_all`](Self::sync_all), without the metadata that is not needed to find the data.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Cancel safety
    ///
    /// As [`sync_all`](Self::sync_all).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-sync-data-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::io::AsyncWriteExt;
    ///
    /// let mut file = heist::fs::File::create(dir.join("journal")).await?;
    /// file.write_all(b"begin").await?;
    /// file.sync_data().await?;
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sync_data(&self) -> io::Result<()> {
        self.settled(|file| file.sync_data()).await
    }

    /// Makes the file `size` bytes long: cuts off the end, or adds zeros.
    ///
    /// The position stays where it is, even if the file ends before it now. What was accepted for
    /// writing is written first.
    ///
    /// # Errors
    ///
    /// If the file is not open for writing, or `size` is too much for the file system.
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-set-len-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// let file = heist::fs::File::create(dir.join("space")).await?;
    /// file.set_len(1 << 20).await?;
    /// assert_eq!(file.metadata().await?.len(), 1 << 20);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_len(&self, size: u64) -> io::Result<()> {
        let mut work = self.work.lock().await;
        poll_fn(|cx| work.poll_quiet(cx)).await;
        work.start_resize(&self.file, size);
        poll_fn(|cx| work.poll_resized(cx)).await
    }

    /// What the system knows about the file.
    ///
    /// A write that is under way is not waited for.
    ///
    /// # Errors
    ///
    /// Those of [`std::fs::File::metadata`].
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-file-metadata-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// heist::fs::write(dir.join("a"), "12345").await?;
    /// let file = heist::fs::File::open(dir.join("a")).await?;
    /// assert_eq!(file.metadata().await?.len(), 5);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn metadata(&self) -> io::Result<Metadata> {
        let file = Arc::clone(&self.file);
        on_pool(move || file.metadata()).await
    }

    /// A second `File` for the same open file: they share the position.
    ///
    /// What was accepted for writing is written first. From then on the two do not wait for each
    /// other, and where each of them reads or writes depends on what the other does.
    ///
    /// # Errors
    ///
    /// If the system has no more descriptors.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a descriptor that was made in vain is closed again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-try-clone-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::io::AsyncReadExt;
    ///
    /// heist::fs::write(dir.join("a"), "one two").await?;
    /// let mut file = heist::fs::File::open(dir.join("a")).await?;
    /// let mut same = file.try_clone().await?;
    ///
    /// // They share the position.
    /// let mut word = [0; 4];
    /// file.read_exact(&mut word).await?;
    /// let mut rest = String::new();
    /// same.read_to_string(&mut rest).await?;
    /// assert_eq!(rest, "two");
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn try_clone(&self) -> io::Result<File> {
        let file = self.settled(fs::File::try_clone).await?;
        Ok(File {
            max_buf_size: self.max_buf_size,
            ..File::from_std(file)
        })
    }

    /// Makes a file of std's, after everything under way is done.
    ///
    /// An error of a write that was accepted and never flushed is lost.
    ///
    /// # Panics
    ///
    /// If another operation was cancelled, still runs, and the system has no descriptor for the
    /// duplicate that is given then.
    ///
    /// # Cancel safety
    ///
    /// The file is closed if the future is dropped. What was accepted for writing is still written.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-into-std-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::io::AsyncWriteExt;
    ///
    /// let mut file = heist::fs::File::create(dir.join("data")).await?;
    /// file.write_all(b"12345").await?;
    /// let file: std::fs::File = file.into_std().await;
    /// assert_eq!(file.metadata()?.len(), 5);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn into_std(mut self) -> fs::File {
        let work = self.work.get_mut();
        poll_fn(|cx| work.poll_quiet(cx)).await;
        match Arc::try_unwrap(self.file) {
            Ok(file) => file,
            // A cancelled `metadata` or the like, which is no part of the work: it may take its time.
            Err(file) => file.try_clone().expect("a descriptor for the duplicate"),
        }
    }

    /// Makes a file of std's, unless something is under way.
    ///
    /// # Errors
    ///
    /// Gives the file back if something is.
    pub fn try_into_std(mut self) -> Result<fs::File, Self> {
        match Arc::try_unwrap(self.file) {
            Ok(file) => Ok(file),
            Err(file) => {
                self.file = file;
                Err(self)
            }
        }
    }

    /// Changes who may do what with the file.
    ///
    /// # Errors
    ///
    /// If it belongs to somebody else.
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-file-permissions-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// let file = heist::fs::File::create(dir.join("a")).await?;
    /// let mut permissions = file.metadata().await?.permissions();
    /// permissions.set_readonly(true);
    /// file.set_permissions(permissions).await?;
    /// assert!(file.metadata().await?.permissions().readonly());
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_permissions(&self, perm: Permissions) -> io::Result<()> {
        let file = Arc::clone(&self.file);
        on_pool(move || file.set_permissions(perm)).await
    }

    /// Changes the file's times.
    ///
    /// What was accepted for writing is written first, for it would change them again.
    ///
    /// # Errors
    ///
    /// If it belongs to somebody else, or a time is beyond what the file system knows.
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-set-times-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::fs::{File, FileTimes};
    /// use std::time::SystemTime;
    ///
    /// let file = File::create(dir.join("a")).await?;
    /// let times = FileTimes::new()
    ///     .set_accessed(SystemTime::UNIX_EPOCH)
    ///     .set_modified(SystemTime::UNIX_EPOCH);
    /// file.set_times(times).await?;
    /// assert_eq!(file.metadata().await?.modified()?, SystemTime::UNIX_EPOCH);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_times(&self, times: FileTimes) -> io::Result<()> {
        let times = times.into_std();
        self.settled(move |file| file.set_times(times)).await
    }

    /// Changes the time the file says it was last written; see [`set_times`](Self::set_times).
    ///
    /// # Errors
    ///
    /// As there.
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-set-modified-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use std::time::SystemTime;
    ///
    /// let file = heist::fs::File::create(dir.join("a")).await?;
    /// file.set_modified(SystemTime::UNIX_EPOCH).await?;
    /// assert_eq!(file.metadata().await?.modified()?, SystemTime::UNIX_EPOCH);
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.set_times(FileTimes::new().set_modified(time)).await
    }

    /// Sets how many bytes one read or write moves at most.
    ///
    /// Each takes a buffer of up to this size, and a trip to the pool.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn set_max_buf_size(&mut self, max_buf_size: usize) {
        assert!(max_buf_size > 0, "`max_buf_size` must be greater than 0");
        self.max_buf_size = max_buf_size;
    }

    /// How many bytes one read or write moves at most; 2 MiB if not set.
    pub fn max_buf_size(&self) -> usize {
        self.max_buf_size
    }

    /// Runs `operation` on the pool when nothing else is under way, and lets nothing else start
    /// before it is done or given up.
    async fn settled<F, T>(&self, operation: F) -> io::Result<T>
    where
        F: FnOnce(&fs::File) -> io::Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let mut work = self.work.lock().await;
        poll_fn(|cx| work.poll_quiet(cx)).await;
        let file = Arc::clone(&self.file);
        on_pool(move || operation(&file)).await
    }
}

impl AsyncRead for File {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let me = self.get_mut();
        let work = me.work.get_mut();
        work.poll_read(&me.file, me.max_buf_size, cx, buf)
    }
}

impl AsyncWrite for File {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(buf)])
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let me = self.get_mut();
        let work = me.work.get_mut();
        work.poll_write(&me.file, me.max_buf_size, cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().work.get_mut().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

impl AsyncSeek for File {
    #[inline]
    fn start_seek(self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        let me = self.get_mut();
        me.work.get_mut().start_seek(&me.file, position)
    }

    fn poll_complete(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        self.get_mut().work.get_mut().poll_seek_done(cx)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(words::FILE)
            .field("std", &self.file)
            .finish()
    }
}
