//! What is done with a path alone.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::on_pool;

/// The absolute form of a path, with all symbolic links resolved.
///
/// See [`std::fs::canonicalize`].
///
/// # Errors
///
/// If the path does not exist, or one of its parts but the last is no directory.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed. The question may still be asked on the pool, and nobody hears the
/// answer.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-canonicalize-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// let path = heist::fs::canonicalize(dir.join("../.")).await?;
/// assert!(path.is_absolute());
/// assert!(!path.ends_with(".."));
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::canonicalize(path)).await
}

/// Copies the content and the permissions of a file; gives the number of bytes.
///
/// `to` is overwritten if it exists. See [`std::fs::copy`].
///
/// # Errors
///
/// If `from` is no file or may not be read, or `to` may not be written.
///
/// # Cancel safety
///
/// Dropped in between, it copies on in the background.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-copy-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("notes.txt"), "buy milk").await?;
/// let len = heist::fs::copy(dir.join("notes.txt"), dir.join("notes.bak")).await?;
/// println!("{len} bytes are safe now");
/// assert_eq!(heist::fs::read(dir.join("notes.bak")).await?, b"buy milk");
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<u64, io::Error> {
    let from = from.as_ref().to_owned();
    let to = to.as_ref().to_owned();
    on_pool(move || fs::copy(from, to)).await
}

/// Makes a directory; its parent has to be there.
///
/// See [`std::fs::create_dir`]; [`DirBuilder`](super::DirBuilder) can do more.
///
/// # Errors
///
/// If the parent does not exist or may not be written, or the path exists.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-create-dir-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::create_dir(dir.join("new")).await?;
/// assert!(heist::fs::metadata(dir.join("new")).await?.is_dir());
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::create_dir(path)).await
}

/// Makes a directory and those above it that are missing.
///
/// A directory that is there already is fine. See [`std::fs::create_dir_all`].
///
/// # Errors
///
/// If one of them cannot be made. Those above it stay.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-create-dir-all-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::create_dir_all(dir.join("cache/images/small")).await?;
/// assert!(heist::fs::try_exists(dir.join("cache/images/small")).await?);
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::create_dir_all(path)).await
}

/// Gives the file `original` a second name, `link`.
///
/// See [`std::fs::hard_link`].
///
/// # Errors
///
/// If `original` is no file, `link` exists, or they are not on the same file system.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-hard-link-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("a"), "same").await?;
/// heist::fs::hard_link(dir.join("a"), dir.join("b")).await?;
/// assert_eq!(heist::fs::read(dir.join("b")).await?, b"same");
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn hard_link(original: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let original = original.as_ref().to_owned();
    let link = link.as_ref().to_owned();
    on_pool(move || fs::hard_link(original, link)).await
}

/// What the system knows about the file or directory; symbolic links are followed.
///
/// See [`std::fs::metadata`].
///
/// # Errors
///
/// If the path does not exist, or a directory on the way may not be searched.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed. The question may still be asked on the pool, and nobody hears the
/// answer.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-metadata-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("a"), "12345").await?;
/// assert_eq!(heist::fs::metadata(dir.join("a")).await?.len(), 5);
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::metadata(path)).await
}

/// Reads a whole file.
///
/// This is one trip to the pool, whatever the file's size: the fastest way to get it all. See
/// [`std::fs::read`].
///
/// # Errors
///
/// If the file cannot be opened or read.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed, and what was read is gone.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-read-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("logo.png"), [0x89, b'P', b'N', b'G']).await?;
/// let image = heist::fs::read(dir.join("logo.png")).await?;
/// assert_eq!(image.len(), 4);
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::read(path)).await
}

/// Where a symbolic link leads.
///
/// See [`std::fs::read_link`].
///
/// # Errors
///
/// If the path does not exist or is no symbolic link.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed. The question may still be asked on the pool, and nobody hears the
/// answer.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-read-link-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::symlink("target", dir.join("link")).await?;
/// assert_eq!(heist::fs::read_link(dir.join("link")).await?.as_os_str(), "target");
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn read_link(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::read_link(path)).await
}

/// Reads a whole file as text.
///
/// See [`std::fs::read_to_string`], and [`read`] for files that are not UTF-8.
///
/// # Errors
///
/// If the file cannot be opened or read; of the kind
/// [`InvalidData`](io::ErrorKind::InvalidData) if it is not UTF-8.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed, and what was read is gone.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-read-to-string-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("motd"), "be kind").await?;
/// assert_eq!(heist::fs::read_to_string(dir.join("motd")).await?, "be kind");
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::read_to_string(path)).await
}

/// Removes an empty directory.
///
/// See [`std::fs::remove_dir`].
///
/// # Errors
///
/// If it is not there, is no directory, is not empty, or may not be removed.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-remove-dir-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::create_dir(dir.join("empty")).await?;
/// heist::fs::remove_dir(dir.join("empty")).await?;
/// assert!(!heist::fs::try_exists(dir.join("empty")).await?);
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::remove_dir(path)).await
}

/// Removes a directory and everything in it. **Careful.**
///
/// Symbolic links are removed and not followed. See [`std::fs::remove_dir_all`].
///
/// # Errors
///
/// If something cannot be removed; what came before it is gone.
///
/// # Cancel safety
///
/// Dropped in between, it goes on removing in the background.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-remove-dir-all-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::create_dir_all(dir.join("a/b/c")).await?;
/// heist::fs::remove_dir_all(dir.join("a")).await?;
/// assert!(!heist::fs::try_exists(dir.join("a")).await?);
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::remove_dir_all(path)).await
}

/// Removes a file.
///
/// On Unix the file lives on without a name until the last who has it open closes it. See
/// [`std::fs::remove_file`].
///
/// # Errors
///
/// If it is not there, is a directory, or may not be removed.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-remove-file-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("old"), "").await?;
/// heist::fs::remove_file(dir.join("old")).await?;
/// assert!(!heist::fs::try_exists(dir.join("old")).await?);
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::remove_file(path)).await
}

/// Gives a file or directory another name; what had that name is replaced.
///
/// See [`std::fs::rename`].
///
/// # Errors
///
/// If `from` is not there, or `to` is on another file system.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-rename-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// // Written aside and renamed, the file is there whole or not at all.
/// heist::fs::write(dir.join("config.new"), "port = 80").await?;
/// heist::fs::rename(dir.join("config.new"), dir.join("config")).await?;
/// assert_eq!(heist::fs::read(dir.join("config")).await?, b"port = 80");
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let from = from.as_ref().to_owned();
    let to = to.as_ref().to_owned();
    on_pool(move || fs::rename(from, to)).await
}

/// Changes who may do what with a file or directory.
///
/// See [`std::fs::set_permissions`].
///
/// # Errors
///
/// If the path does not exist, or belongs to somebody else.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-permissions-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// let path = dir.join("a");
/// heist::fs::write(&path, "").await?;
/// let mut permissions = heist::fs::metadata(&path).await?.permissions();
/// permissions.set_readonly(true);
/// heist::fs::set_permissions(&path, permissions).await?;
/// assert!(heist::fs::metadata(&path).await?.permissions().readonly());
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn set_permissions(path: impl AsRef<Path>, perm: Permissions) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::set_permissions(path, perm)).await
}

/// Makes the symbolic link `link`, which leads to `original`.
///
/// Nothing has to be at `original`. See [`std::os::unix::fs::symlink`].
///
/// # Errors
///
/// If `link` exists, or its directory may not be written.
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
/// # let dir = std::env::temp_dir().join(format!("heist-doc-symlink-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("v2"), "new").await?;
/// heist::fs::symlink("v2", dir.join("current")).await?;
/// assert_eq!(heist::fs::read(dir.join("current")).await?, b"new");
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn symlink(original: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let original = original.as_ref().to_owned();
    let link = link.as_ref().to_owned();
    on_pool(move || std::os::unix::fs::symlink(original, link)).await
}

/// What the system knows about the file, directory or symbolic link itself.
///
/// See [`std::fs::symlink_metadata`], and [`metadata()`] for what a link leads to.
///
/// # Errors
///
/// If the path does not exist, or a directory on the way may not be searched.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed. The question may still be asked on the pool, and nobody hears the
/// answer.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-symlink-metadata-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::symlink("nowhere", dir.join("link")).await?;
/// assert!(heist::fs::symlink_metadata(dir.join("link")).await?.is_symlink());
/// assert!(heist::fs::metadata(dir.join("link")).await.is_err());
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let path = path.as_ref().to_owned();
    on_pool(move || fs::symlink_metadata(path)).await
}

/// Whether something is at the path; symbolic links are followed.
///
/// What is true now may be false when the answer is used. To open a file only if it is (not) there,
/// open it and look at the error. See [`Path::try_exists`].
///
/// # Errors
///
/// If it cannot be found out.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed. The question may still be asked on the pool, and nobody hears the
/// answer.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// if !heist::fs::try_exists("heist.toml").await? {
///     println!("no configuration: the defaults it is");
/// }
/// # Ok(())
/// # }
/// ```
pub async fn try_exists(path: impl AsRef<Path>) -> io::Result<bool> {
    let path = path.as_ref().to_owned();
    on_pool(move || path.try_exists()).await
}

/// Makes `contents` the whole content of a file.
///
/// The file is made if it is not there, and replaced if it is. When this is done the data has been
/// given to the system; there is nothing to flush. See [`std::fs::write`].
///
/// `contents` is copied once, as the pool cannot borrow it.
///
/// # Errors
///
/// If the file cannot be made or written; then a part may have been written.
///
/// # Cancel safety
///
/// Not cancel safe. Dropped in between, the file may be written or not, or be when one looks later.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("heist-doc-write-{}", std::process::id()));
/// # heist::fs::create_dir_all(&dir).await?;
/// heist::fs::write(dir.join("answer.txt"), "42\n").await?;
/// assert_eq!(heist::fs::read(dir.join("answer.txt")).await?, b"42\n");
/// # heist::fs::remove_dir_all(&dir).await?;
/// # Ok(())
/// # }
/// ```
pub async fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    let contents = contents.as_ref().to_owned();
    on_pool(move || fs::write(path, contents)).await
}
