//! Files and descriptors.

use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use super::File;

impl From<fs::File> for File {
    fn from(std: fs::File) -> Self {
        Self::from_std(std)
    }
}

impl From<OwnedFd> for File {
    fn from(fd: OwnedFd) -> Self {
        Self::from_std(fd.into())
    }
}

impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl AsRawFd for File {
    fn as_raw_fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

impl FromRawFd for File {
    unsafe fn from_raw_fd(fd: RawFd) -> Self {
        // SAFETY: the trait's rule, which the caller keeps: the descriptor is open and nobody else's.
        let std = unsafe { fs::File::from_raw_fd(fd) };
        Self::from_std(std)
    }
}
