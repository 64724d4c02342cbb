//! Buffers around readers and writers, for many small operations.

mod buf_reader;
mod buf_stream;
mod buf_writer;

pub use self::buf_reader::BufReader;
pub use self::buf_stream::BufStream;
pub use self::buf_writer::BufWriter;
