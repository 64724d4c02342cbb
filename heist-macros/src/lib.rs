//! Procedural macros of the heist runtime: `#[heist::main]` and `#[heist::test]`.
//!
//! Use them through the `heist` crate, which re-exports them. The `tokio_*` twins are for the
//! compatibility shim, whose dependents know the runtime under the name `tokio` only.
#![forbid(unsafe_code)]

mod args;
mod entry;

use proc_macro::TokenStream;

use crate::entry::Entry;

/// Runs an `async fn` on a runtime of its own.
///
/// The function loses its `async`: whoever calls it starts a runtime, blocks until the body is
/// done and gets its result. Made for `main`, it works on any function; only `main` itself may
/// not take arguments. A program that wants more say over its runtime uses
/// `heist::runtime::Builder` instead.
///
/// The body runs on the calling thread, not on a worker. What it should share with the workers it
/// spawns.
///
/// # Arguments
///
/// | argument | value | meaning |
/// |---|---|---|
/// | `flavor` | `"multi_thread"` (default), `"current_thread"`, `"local"` | which scheduler |
/// | `worker_threads` | an integer above 0 | how many workers; only with `multi_thread` |
/// | `scheduler` | `"work_stealing"` (default), `"round_robin"`, `"sharded"`, `"global_queue"`, `"classes"`, or the path of a function, `"crate::Mine::new"` | what `Builder::scheduler` is given; only with `multi_thread` |
/// | `start_paused` | `true`, `false` | begin with the clock paused; not with `multi_thread` |
/// | `unhandled_panic` | `"ignore"`, `"shutdown_runtime"` | what a task's panic does to the runtime; not with `multi_thread` |
/// | `name` | a string | the runtime's name |
/// | `crate` | a path in a string | where to find heist if it was renamed |
///
/// # Examples
///
/// ```
/// #[heist::main]
/// async fn main() {
///     println!("hello");
/// }
/// ```
///
/// Two workers:
///
/// ```
/// #[heist::main(flavor = "multi_thread", worker_threads = 2)]
/// async fn main() -> std::io::Result<()> {
///     heist::spawn(async {}).await?;
///     Ok(())
/// }
/// ```
///
/// The first example, written by hand:
///
/// ```
/// heist::runtime::Builder::new_multi_thread()
///     .enable_all()
///     .build()
///     .unwrap()
///     .block_on(async {
///         println!("hello");
///     })
/// ```
///
/// # Panics
///
/// The function panics if the runtime cannot be built, or if it is called from within a runtime.
#[proc_macro_attribute]
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    entry::expand(&Entry::main("heist"), args.into(), item.into()).into()
}

/// Runs an `async fn` as a test, on a runtime of its own.
///
/// Without arguments the runtime is a `current_thread` one: the test and all its tasks share one
/// thread. The arguments are those of `#[heist::main]`. The function gets the standard `#[test]`
/// attribute and goes with the others, such as `#[should_panic]`; its result is handled as
/// `#[test]` does it.
///
/// # Examples
///
/// ```
/// # // The harness takes the function out of a doc test; what is left has to compile.
/// #[heist::test]
/// async fn sums() {
///     let six = heist::spawn(async { 1 + 2 + 3 }).await.unwrap();
///     assert_eq!(six, 6);
/// }
/// ```
///
/// With workers, and with a clock that moves only when everybody waits for it:
///
/// ```
/// #[heist::test(flavor = "multi_thread", worker_threads = 2)]
/// async fn in_parallel() {}
///
/// #[heist::test(start_paused = true)]
/// async fn a_day_in_no_time() {
///     heist::time::sleep(std::time::Duration::from_secs(86_400)).await;
/// }
/// ```
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    entry::expand(&Entry::test("heist"), args.into(), item.into()).into()
}

/// `#[heist::main]` for crates that know the runtime as `tokio`.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn tokio_main(args: TokenStream, item: TokenStream) -> TokenStream {
    entry::expand(&Entry::main("tokio"), args.into(), item.into()).into()
}

/// `#[heist::test]` for crates that know the runtime as `tokio`.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn tokio_test(args: TokenStream, item: TokenStream) -> TokenStream {
    entry::expand(&Entry::test("tokio"), args.into(), item.into()).into()
}
