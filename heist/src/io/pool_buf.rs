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

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    /// Gives one byte less each time, after an interruption.
    struct Ragged(u8, bool);

    impl Read for Ragged {
        fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let len = dst.len().min(usize::from(self.0));
            dst[..len].fill(self.0);
            self.0 = self.0.saturating_sub(1);
            Ok(len)
        }
    }

    fn take(buf: &mut PoolBuf, len: usize) -> Vec<u8> {
        let mut dst = vec![0; len];
        let mut dst = ReadBuf::new(&mut dst);
        buf.copy_to(&mut dst);
        dst.filled().to_vec()
    }

    #[test]
    fn what_is_read_comes_out_once() {
        let mut source = Ragged(3, false);
        let mut buf = PoolBuf::default();
        buf.read_from(&mut source, 8).unwrap();
        assert_eq!(take(&mut buf, 2), [3, 3]);
        assert!(!buf.is_empty());
        assert_eq!(take(&mut buf, 2), [3]);
        assert!(buf.is_empty());
        // Not one of the bytes of before, though they are still in memory.
        buf.read_from(&mut source, 8).unwrap();
        assert_eq!(buf.discard(), 2);
        assert_eq!(take(&mut buf, 8), []);
        buf.read_from(&mut source, 16).unwrap();
        assert_eq!(take(&mut buf, 8), [1]);
        buf.read_from(&mut source, 16).unwrap();
        assert!(buf.is_empty(), "the end");
    }

    #[test]
    fn what_is_taken_is_written_once() {
        let mut buf = PoolBuf::default();
        buf.read_from(&mut Ragged(9, false), 64).unwrap();
        buf.discard();
        let parts = [b"ab" as &[u8], b"", b"cd", b"ef"].map(IoSlice::new);
        let mut sink = Vec::new();
        for (max, expected) in [
            (1, "a"),
            (2, "ab"),
            (3, "abc"),
            (6, "abcdef"),
            (9, "abcdef"),
        ] {
            assert_eq!(buf.copy_from(&parts, max), expected.len());
            buf.write_to(&mut sink).unwrap();
            assert_eq!(std::mem::take(&mut sink), expected.as_bytes());
            assert!(buf.is_empty());
        }
        // A write that fails leaves nothing that a read could take for its own.
        buf.copy_from(&parts, 9);
        let error = buf.write_to(&mut [0; 3].as_mut_slice()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        assert!(buf.is_empty());
    }
}
