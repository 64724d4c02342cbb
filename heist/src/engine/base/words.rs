//! What is said where a test may look for the words, and what is read where an operator wrote it.
//!
//! heist speaks for itself. As Tokio's shim it says what Tokio says: programs have tests that expect a panic
//! with that very text, and are started with a variable of that very name, so there it is a part of the interface, as
//! a function's name is.

pub(crate) use self::text::*;

#[cfg(not(feature = "as-tokio"))]
mod text {
    /// There is no runtime where one is needed.
    pub(crate) const NO_RUNTIME: &str = "there is no reactor running, must be called from the context of a heist runtime: enter one by \
         `#[heist::main]`, `Runtime::block_on` or `Handle::enter`";

    /// The runtime has no reactor.
    pub(crate) const NO_IO: &str = "there is no reactor running: I/O objects are made within a heist runtime that has I/O enabled \
         (`Builder::enable_io` or `enable_all`)";

    /// The runtime has no timers.
    pub(crate) const NO_TIME: &str =
        "the timers of this runtime are off: call `enable_time` or `enable_all` on its builder";

    /// A timer outlived its runtime.
    pub(crate) const TIME_IS_OVER: &str =
        "the timer cannot fire: its runtime is shutting down or gone";

    /// An I/O object outlived its runtime.
    pub(crate) const IO_IS_OVER: &str = "the runtime that drives this I/O object has shut down";

    /// The type of a file, in its debug output.
    pub(crate) const FILE: &str = "heist::fs::File";

    /// A stream ended within what was to be read whole.
    pub(crate) const EARLY_END: &str = "the end came before all was read";

    /// A name stands for no address: to bind or connect to, and to send to.
    pub(crate) const NO_ADDRESS: &str = "the name stands for no address";
    pub(crate) const NO_TARGET: &str = NO_ADDRESS;

    /// A task-local value was asked for where there is none: as an error, and as a panic.
    pub(crate) const NO_VALUE: &str = "no task-local value is set";
    pub(crate) const OUT_OF_SCOPE: &str = "a task-local value was asked for outside of its scope";

    /// The halves of two streams are no stream.
    pub(crate) const OTHER_HALF: &str = "the two halves are not of the same stream";

    /// The environment variable that says how many workers there are.
    pub(crate) const WORKERS: &str = "HEIST_WORKER_THREADS";
}

#[cfg(feature = "as-tokio")]
mod text {
    pub(crate) const NO_RUNTIME: &str =
        "there is no reactor running, must be called from the context of a Tokio 1.x runtime";
    pub(crate) const NO_IO: &str = "A Tokio 1.x context was found, but IO is disabled. \
         Call `enable_io` on the runtime builder to enable IO.";
    pub(crate) const NO_TIME: &str = "A Tokio 1.x context was found, but timers are disabled. \
         Call `enable_time` on the runtime builder to enable timers.";
    pub(crate) const TIME_IS_OVER: &str =
        "A Tokio 1.x context was found, but it is being shutdown.";
    pub(crate) const IO_IS_OVER: &str = TIME_IS_OVER;
    pub(crate) const FILE: &str = "tokio::fs::File";
    pub(crate) const EARLY_END: &str = "early eof";
    pub(crate) const NO_ADDRESS: &str = "could not resolve to any address";
    pub(crate) const NO_TARGET: &str = "no addresses to send data to";
    pub(crate) const NO_VALUE: &str = "task-local value not set";
    pub(crate) const OUT_OF_SCOPE: &str =
        "cannot access a task-local storage value without setting it first";
    pub(crate) const OTHER_HALF: &str = "tried to reunite halves that are not from the same socket";
    pub(crate) const WORKERS: &str = "TOKIO_WORKER_THREADS";
}
