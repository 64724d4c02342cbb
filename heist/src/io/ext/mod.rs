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
