//! The bytes that travel between a task and a job on the pool.

use std::io::{self, IoSlice, Read, Write};

use crate::io::ReadBuf;

/// How much one job reads or writes at most, if nobody chose.
pub(crate) const MAX_BUF_SIZE: usize = 2 * 1024 * 1024;

/// What was read and not yet asked for, or what is to be written.
///
/// All of `bytes` is initialised and stays so, and a read only grows it: the memory is zeroed once
/// (for large buffers by the system), not once a read, and without unsafe code.
#[derive(Debug, Default)]
pub(crate) struct PoolBuf {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl PoolBuf {
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Hands out as much as fits.
    pub(crate) fn copy_to(&mut self, dst: &mut ReadBuf<'_>) {
        let len = self.unread().len().min(dst.remaining());
        dst.put_slice(&self.unread()[..len]);
        self.start += len;
    }

    /// Forgets what was read and not asked for; gives how many bytes that was.
    pub(crate) fn discard(&mut self) -> usize {
        let len = self.unread().len();
        self.start = self.end;
        len
    }

    /// Takes what is to be written, up to `max` bytes; gives how many were taken.
    pub(crate) fn copy_from(&mut self, parts: &[IoSlice<'_>], max: usize) -> usize {
        debug_assert!(self.is_empty(), "a write would lose what was read");
        self.bytes.clear();
        for part in parts {
            let left = max - self.bytes.len();
            self.bytes.extend_from_slice(&part[..part.len().min(left)]);
            if part.len() >= left {
                break;
            }
        }
        self.start = 0;
        self.end = self.bytes.len();
        self.end
    }

    /// Reads once, up to `max` bytes.
    pub(crate) fn read_from(&mut self, source: &mut impl Read, max: usize) -> io::Result<()> {
        debug_assert!(self.is_empty(), "a read would lose what was read before");
        (self.start, self.end) = (0, 0);
        if self.bytes.len() < max {
            // Not `resize`: it would copy the old bytes, and zero by hand.
            self.bytes = vec![0; max];
        }
        loop {
            match source.read(&mut self.bytes[..max]) {
                Ok(len) => {
                    self.end = len;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes everything; it is gone then, whatever came out.
    pub(crate) fn write_to(&mut self, sink: &mut impl Write) -> io::Result<()> {
        let result = sink.write_all(self.unread());
        self.start = self.end;
        result
    }
}
