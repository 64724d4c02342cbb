//! Nothing yet: streams are not part of this crate.
//!
//! `Stream`, the trait, is that of the `futures-core` crate until the standard library has one of its own.
//! Combinators for it, and wrappers that turn channels, intervals, listeners and line readers into streams,
//! are in `tokio-stream`, which runs on heist through the `tokio` shim. What a stream is most often wanted
//! for needs none: a `while let` over [`recv`](crate::sync::mpsc::Receiver::recv),
//! [`next_line`](crate::io::Lines::next_line) or [`tick`](crate::time::Interval::tick).
