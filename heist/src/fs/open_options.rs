//! How a file is opened.

use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{File, on_pool};

/// How a file is opened: for what, and what happens if it is (not) there.
///
/// The same as [`std::fs::OpenOptions`], from which it can be made. All options are off at first.
///
/// # Examples
///
/// Adding to a log, which is made if need be:
///
/// ```no_run
/// use heist::fs::OpenOptions;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let log = OpenOptions::new()
///     .append(true)
///     .create(true)
///     .open("heist.log")
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions(fs::OpenOptions);

impl OpenOptions {
    /// All options off. As they are, nothing can be opened with them.
    pub fn new() -> OpenOptions {
        OpenOptions(fs::OpenOptions::new())
    }

    /// Whether one can read from the file.
    pub fn read(&mut self, read: bool) -> &mut OpenOptions {
        self.0.read(read);
        self
    }

    /// Whether one can write to the file. What is there is overwritten from the start on.
    pub fn write(&mut self, write: bool) -> &mut OpenOptions {
        self.0.write(write);
        self
    }

    /// Whether each write goes to the end of the file, wherever that is by then. Implies
    /// [`write`](Self::write).
    pub fn append(&mut self, append: bool) -> &mut OpenOptions {
        self.0.append(append);
        self
    }

    /// Whether a file that is there is emptied. Needs [`write`](Self::write).
    pub fn truncate(&mut self, truncate: bool) -> &mut OpenOptions {
        self.0.truncate(truncate);
        self
    }

    /// Whether a file that is not there is made. Needs [`write`](Self::write) or
    /// [`append`](Self::append).
    pub fn create(&mut self, create: bool) -> &mut OpenOptions {
        self.0.create(create);
        self
    }

    /// Whether the file has to be a new one: that it was not there and is made is one step, so nobody
    /// comes in between. [`create`](Self::create) and [`truncate`](Self::truncate) do not matter then.
    pub fn create_new(&mut self, create_new: bool) -> &mut OpenOptions {
        self.0.create_new(create_new);
        self
    }

    /// The permissions of a file that is made, before the process's mask; at first `0o666`.
    pub fn mode(&mut self, mode: u32) -> &mut OpenOptions {
        self.0.mode(mode);
        self
    }

    /// Further flags for the system's `open`. Those of the access mode are ignored.
    pub fn custom_flags(&mut self, flags: i32) -> &mut OpenOptions {
        self.0.custom_flags(flags);
        self
    }

    /// Opens the file.
    ///
    /// # Errors
    ///
    /// Those of [`std::fs::OpenOptions::open`]: of the kind `NotFound` if the file or its directory
    /// is not there, `AlreadyExists` with [`create_new`](Self::create_new), `PermissionDenied`,
    /// `InvalidInput` if the options do not go together.
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
    /// # let dir = std::env::temp_dir().join(format!("heist-doc-open-{}", std::process::id()));
    /// # heist::fs::create_dir_all(&dir).await?;
    /// use heist::fs::OpenOptions;
    /// use heist::io::AsyncWriteExt;
    ///
    /// for line in ["one\n", "two\n"] {
    ///     let mut log = OpenOptions::new().append(true).create(true).open(dir.join("log")).await?;
    ///     log.write_all(line.as_bytes()).await?;
    ///     log.flush().await?;
    /// }
    /// assert_eq!(heist::fs::read_to_string(dir.join("log")).await?, "one\ntwo\n");
    /// # heist::fs::remove_dir_all(&dir).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let options = self.0.clone();
        let path = path.as_ref().to_owned();
        on_pool(move || options.open(path))
            .await
            .map(File::from_std)
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<fs::OpenOptions> for OpenOptions {
    fn from(options: fs::OpenOptions) -> Self {
        Self(options)
    }
}
