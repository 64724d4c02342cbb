//! Bytes that were read to become text: the last step of `read_line` and `read_to_string`.
//!
//! Both take the caller's string apart, so that its allocation is read into and its contents are
//! checked once, at the end. A string of the caller's never holds anything but text.

use std::io;

/// What becomes of what was read before an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnError {
    /// It stays, if it is text.
    KeepRead,
    /// It goes.
    DropRead,
}

/// Makes `output` of `bytes`, the last `read` of which were read, and passes `result` on.
///
/// If what was read is not text, `output` gets what it had before, and an error says so, unless
/// `result` already is one.
pub(super) fn finish(
    output: &mut String,
    bytes: Vec<u8>,
    read: usize,
    result: io::Result<usize>,
    on_error: OnError,
) -> io::Result<usize> {
    let before = bytes.len() - read;
    match String::from_utf8(bytes) {
        Ok(text) => {
            *output = text;
            if result.is_err() && on_error == OnError::DropRead {
                output.truncate(before);
            }
            result
        }
        Err(e) => {
            let not_text = e.utf8_error();
            let mut bytes = e.into_bytes();
            bytes.truncate(before);
            *output = String::from_utf8(bytes).expect("it was a string's");
            result.and_then(|_| Err(io::Error::new(io::ErrorKind::InvalidData, not_text)))
        }
    }
}
