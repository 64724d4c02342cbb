//! The methods to `.await` on readers and writers, and the futures and adapters they return.
//!
//! The futures can be used and not named, as `async` methods' would be; they are `!Unpin` for the
//! same reason. None of them has a `Drop`: what a future borrows is free for use as soon as the
//! future is no longer used, not only when it goes out of scope.

mod buf_read_ext;
mod read_ext;
mod seek_ext;
mod write_ext;

mod chain;
mod codec;
#[allow(unsafe_code, reason = "a returned borrow the compiler cannot follow")]
mod fill_buf;
#[allow(unsafe_code, reason = "calls the C library's search")]
mod find_byte;
mod flush;
mod lines;
mod read;
#[allow(unsafe_code, reason = "reads into a `BufMut`'s uninitialised memory")]
mod read_buf;
mod read_line;
mod read_number;
#[allow(unsafe_code, reason = "reads into a vector's uninitialised memory")]
mod read_to_end;
mod read_until;
mod seek;
mod split;
mod take;
mod text;
mod write;
mod write_buf;
mod write_number;

pub use self::buf_read_ext::AsyncBufReadExt;
pub use self::chain::Chain;
pub use self::lines::Lines;
pub use self::read_ext::AsyncReadExt;
pub use self::seek_ext::AsyncSeekExt;
pub use self::split::Split;
pub use self::take::Take;
pub(in crate::io) use self::write::poll_write_some;
pub use self::write_ext::AsyncWriteExt;

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::io::test_support::Swapper;
    use crate::io::{BufReader, copy, copy_bidirectional, empty, join, sink};
    use futures::executor::block_on;
    use std::future::Future;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Whether the reader's swap was noticed.
    fn is_caught<T>(future: impl Future<Output = T>) -> bool {
        let panic = catch_unwind(AssertUnwindSafe(|| block_on(future))).err();
        let message = panic.and_then(|p| p.downcast_ref::<&str>().map(ToString::to_string));
        message.is_some_and(|message| message.contains("another buffer"))
    }

    #[test]
    fn whoever_reads_a_liar_gets_no_memory_that_was_never_written() {
        for len in [0, 1, 32, 64, 100_000] {
            let mut vec = Vec::with_capacity(64);
            vec.extend_from_slice(b"before");
            assert!(is_caught(Swapper::new(len).read_buf(&mut vec)));
            assert!(is_caught(Swapper::new(len).read_to_end(&mut vec)));
            assert!(is_caught(Swapper::new(len).take(10).read_buf(&mut vec)));
            assert!(is_caught(
                Swapper::new(len).chain(&b""[..]).read_buf(&mut vec)
            ));
            assert!(is_caught(copy(&mut Swapper::new(len), &mut vec)));
            assert_eq!(vec, b"before");

            // Full but for less than a small read: by way of the stack.
            vec.resize(64, 0);
            assert!(is_caught(Swapper::new(len).read_to_end(&mut vec)));
            assert_eq!(vec.len(), 64);

            assert!(is_caught(Swapper::new(len).read(&mut [0; 4])));
            assert!(is_caught(Swapper::new(len).read_exact(&mut [0; 4])));
            assert!(is_caught(Swapper::new(len).read_u32()));
            assert!(is_caught(BufReader::new(Swapper::new(len)).fill_buf()));

            let mut text = String::new();
            assert!(is_caught(Swapper::new(len).read_to_string(&mut text)));
            let mut buffered = BufReader::new(Swapper::new(len));
            assert!(is_caught(buffered.read_line(&mut text)));
            let (mut liar, mut other) = (join(Swapper::new(len), sink()), join(empty(), &mut vec));
            assert!(is_caught(copy_bidirectional(&mut liar, &mut other)));
            assert_eq!((vec.len(), text.as_str()), (64, ""));
        }
    }

    /// The futures borrow their buffers no longer than they are used.
    #[test]
    fn what_is_borrowed_is_free_when_the_future_is_no_longer_used() {
        let (mut reader, mut vec, mut line) = (&b"abc\n"[..], vec![], String::new());
        let until = reader.read_until(b'b', &mut vec);
        assert_eq!(block_on(until).unwrap(), 2);
        let mut cancelled = std::pin::pin!(reader.read_line(&mut line));
        assert!(crate::io::test_support::poll_once(cancelled.as_mut()).is_ready());
        // `cancelled` is still in scope.
        assert_eq!((vec.as_slice(), line.as_str()), (&b"ab"[..], "c\n"));
    }
}
