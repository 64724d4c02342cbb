//! The four traits, and what implements them without any adapter: pointers to implementors, byte
//! slices, vectors and cursors.

mod async_buf_read;
mod async_read;
mod async_seek;
mod async_write;

pub use self::async_buf_read::AsyncBufRead;
pub use self::async_read::AsyncRead;
pub use self::async_seek::AsyncSeek;
pub use self::async_write::AsyncWrite;
