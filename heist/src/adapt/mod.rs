//! heist beside libraries that know neither it nor Tokio.
//!
//! Each adapter is behind a feature of its own, because it brings a dependency:
//!
//! | feature | module | what it joins |
//! |---|---|---|
//! | `hyper` | `hyper` | hyper's `rt` traits: `Read`, `Write`, `Executor`, `Timer` |
//! | `futures-io` | `futures_io` | the `AsyncRead`, `AsyncWrite`, `AsyncBufRead`, `AsyncSeek` of `futures` |
//!
//! A program whose libraries ask for Tokio needs none of this: `docs/move-a-service.md` in the
//! repository tells how heist takes Tokio's place.

#[cfg(feature = "futures-io")]
pub mod futures_io;
#[cfg(feature = "hyper")]
#[allow(unsafe_code, reason = "passes on memory that need not be initialised")]
pub mod hyper;
