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
/// ```no_run
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let len = heist::fs::copy("notes.txt", "notes.bak").await?;
/// println!("{len} bytes are safe now");
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
/// # Examples
///
/// ```no_run
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// heist::fs::create_dir_all("cache/images/small").await?;
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
/// # Examples
///
/// ```no_run
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let image = heist::fs::read("logo.png").await?;
/// println!("{} bytes", image.len());
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
/// # Examples
///
/// ```no_run
/// # #[heist::main]
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
/// ```no_run
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// heist::fs::write("answer.txt", "42\n").await?;
/// # Ok(())
/// # }
/// ```
pub async fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let path = path.as_ref().to_owned();
    let contents = contents.as_ref().to_owned();
    on_pool(move || fs::write(path, contents)).await
}
