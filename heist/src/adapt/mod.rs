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

/// The ways to what an `Io` wraps.
macro_rules! inside {
    () => {
        /// What is inside.
        pub fn get_ref(&self) -> &T {
            &self.stream
        }

        /// What is inside.
        pub fn get_mut(&mut self) -> &mut T {
            &mut self.stream
        }

        /// What is inside, pinned as this is.
        pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut T> {
            self.project().stream
        }

        /// Unwraps it.
        pub fn into_inner(self) -> T {
            self.stream
        }
    };
}

/// A writer's methods, passed on to the stream inside. They are the same in all traits, but for the
/// name of the last.
macro_rules! pass_on_writes {
    ($end:ident to $its_end:ident) => {
        #[inline]
        fn poll_write(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.project().stream.poll_write(cx, bytes)
        }

        #[inline]
        fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.project().stream.poll_flush(cx)
        }

        #[inline]
        fn $end(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.project().stream.$its_end(cx)
        }
    };
}

/// Beside [`pass_on_writes`], where the stream inside has it.
macro_rules! pass_on_vectored_writes {
    () => {
        #[inline]
        fn poll_write_vectored(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            self.project().stream.poll_write_vectored(cx, slices)
        }
    };
}

#[cfg(feature = "futures-io")]
pub mod futures_io;
#[cfg(feature = "hyper")]
#[allow(unsafe_code, reason = "passes on memory that need not be initialised")]
pub mod hyper;
