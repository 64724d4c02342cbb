//! The times a file carries.

use std::time::SystemTime;

/// Times for [`File::set_times`](super::File::set_times). Those not set here stay as they are.
///
/// # Examples
///
/// ```no_run
/// use heist::fs::{File, FileTimes};
/// use std::time::SystemTime;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let file = File::create("stamp").await?;
/// let epoch = SystemTime::UNIX_EPOCH;
/// file.set_times(FileTimes::new().set_accessed(epoch).set_modified(epoch))
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "the times are those of a file only after `File::set_times`"]
pub struct FileTimes {
    accessed: Option<SystemTime>,
    modified: Option<SystemTime>,
}

impl FileTimes {
    /// No time at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// When the file was last read.
    pub fn set_accessed(mut self, t: SystemTime) -> Self {
        self.accessed = Some(t);
        self
    }

    /// When the file was last written.
    pub fn set_modified(mut self, t: SystemTime) -> Self {
        self.modified = Some(t);
        self
    }

    pub(super) fn into_std(self) -> std::fs::FileTimes {
        let mut times = std::fs::FileTimes::new();
        if let Some(accessed) = self.accessed {
            times = times.set_accessed(accessed);
        }
        if let Some(modified) = self.modified {
            times = times.set_modified(modified);
        }
        times
    }
}
