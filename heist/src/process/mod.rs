//! Child processes that are waited for without blocking a thread.
//!
//! [`Command`] says what to run, as [`std::process::Command`] does; [`spawn`](Command::spawn) gives a
//! [`Child`], whose end is awaited and whose pipes are read and written like sockets.
//! [`status`](Command::status) and [`output`](Command::output) do it all in one.
//!
//! # Examples
//!
//! What a command prints:
//!
//! ```
//! use heist::process::Command;
//!
//! # #[heist::main]
//! # async fn main() -> std::io::Result<()> {
//! let output = Command::new("echo").arg("hello").output().await?;
//! assert!(output.status.success());
//! assert_eq!(output.stdout, b"hello\n");
//! # Ok(())
//! # }
//! ```
//!
//! To write to a child and read what it answers:
//!
//! ```
//! use heist::io::{AsyncReadExt, AsyncWriteExt};
//! use heist::process::Command;
//! use std::process::Stdio;
//!
//! # #[heist::main]
//! # async fn main() -> std::io::Result<()> {
//! let mut child = Command::new("tr")
//!     .args(["a-z", "A-Z"])
//!     .stdin(Stdio::piped())
//!     .stdout(Stdio::piped())
//!     .spawn()?;
//! let mut stdin = child.stdin.take().expect("it is piped");
//! let mut stdout = child.stdout.take().expect("it is piped");
//! let write = async move {
//!     stdin.write_all(b"not so loud").await
//!     // Dropping `stdin` is what tells the child that there is no more.
//! };
//! let mut answer = String::new();
//! let (written, read) = heist::join!(write, stdout.read_to_string(&mut answer));
//! written?;
//! read?;
//! assert_eq!(answer, "NOT SO LOUD");
//! assert!(child.wait().await?.success());
//! # Ok(())
//! # }
//! ```
//!
//! # Dropping a child
//!
//! A [`Child`] that is dropped runs on, unless [`kill_on_drop`](Command::kill_on_drop) was set. Either
//! way no zombie is left: the runtime reaps it when it ends. If the runtime is gone by then, the next
//! runtime to spawn a process does. A program that must know that a child is gone waits for it.
//!
//! # How it works
//!
//! * **End.** On Linux each child has a pidfd in its runtime's reactor, which is ready when the child
//!   has ended. Where there is none (another system, a kernel before 5.3, a sandbox), the wait is for
//!   `SIGCHLD`.
//! * **Identity.** A process id stays taken until the process is reaped, and only the [`Child`] reaps
//!   it; it does not signal it afterwards. So it never kills a stranger that got the same id, unless
//!   some other part of the program waits for children that are not its own.
//! * **Dropped children** belong to themselves: see the `orphan` module's source.

mod child;
#[allow(unsafe_code, reason = "`pre_exec` is the caller's unsafe")]
mod command;
mod orphan;
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "pidfds come from a system call")]
mod pidfd;
mod running;
mod stdio;
#[cfg(all(test, not(heist_loom)))]
mod tests;

pub use self::child::Child;
pub use self::command::Command;
pub use self::stdio::{ChildStderr, ChildStdin, ChildStdout};
