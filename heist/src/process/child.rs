//! A child process.

use std::future::poll_fn;
use std::io;
use std::process::{ExitStatus, Output};

use super::running::Running;
use super::stdio::{ChildStderr, ChildStdin, ChildStdout};
use crate::io::{AsyncRead, AsyncReadExt};

/// A child process that was [spawned](super::Command::spawn).
///
/// Dropping it does not end it, unless [`kill_on_drop`](super::Command::kill_on_drop) was set; see
/// [the module's documentation](super#dropping-a-child).
///
/// # Examples
///
/// ```
/// use heist::process::Command;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let mut child = Command::new("sleep").arg("60").spawn()?;
/// child.kill().await?;
/// assert!(!child.wait().await?.success());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Child {
    /// First, and so dropped first: what is to be killed must not see the end of its input before.
    state: State,
    /// Where its standard input comes from, if that was [piped](std::process::Stdio::piped).
    ///
    /// To let the child see the end, take it and drop it.
    pub stdin: Option<ChildStdin>,
    /// Where its standard output goes to, if that was [piped](std::process::Stdio::piped).
    pub stdout: Option<ChildStdout>,
    /// Where its standard error goes to, if that was [piped](std::process::Stdio::piped).
    pub stderr: Option<ChildStderr>,
}

#[derive(Debug)]
enum State {
    Running(Running),
    Reaped(ExitStatus),
}

impl Child {
    /// Takes over a process that was just spawned. If that fails it is reaped nevertheless, and killed
    /// before if it is to be killed when dropped.
    #[track_caller]
    pub(super) fn new(child: std::process::Child, kill_on_drop: bool) -> io::Result<Self> {
        let mut running = Running::new(child, kill_on_drop);
        let child = running.child();
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // Not `map`: the caller is to be blamed for being outside a runtime, not a closure.
        let stdin = match stdin {
            Some(pipe) => Some(ChildStdin::from_std(pipe)?),
            None => None,
        };
        let stdout = match stdout {
            Some(pipe) => Some(ChildStdout::from_std(pipe)?),
            None => None,
        };
        let stderr = match stderr {
            Some(pipe) => Some(ChildStderr::from_std(pipe)?),
            None => None,
        };
        running.watch()?;
        Ok(Self {
            stdin,
            stdout,
            stderr,
            state: State::Running(running),
        })
    }

    /// The id of the process, or `None` once its end has been waited for: from then on the system may
    /// give the id to another.
    pub fn id(&self) -> Option<u32> {
        match &self.state {
            State::Running(running) => Some(running.id()),
            State::Reaped(_) => None,
        }
    }

    /// Kills the process (`SIGKILL`), but does not wait for its end.
    ///
    /// `Ok` also if it has ended. To leave no zombie, [`wait`](Self::wait) afterwards, or use
    /// [`kill`](Self::kill).
    ///
    /// # Errors
    ///
    /// The system's, for example that the process runs as another user now.
    pub fn start_kill(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Running(running) => running.kill(),
            State::Reaped(_) => Ok(()),
        }
    }

    /// Kills the process (`SIGKILL`) and waits for its end.
    ///
    /// `Ok` also if it has ended. For another signal than this, send it to the [`id`](Self::id), then
    /// [`wait`](Self::wait).
    ///
    /// # Errors
    ///
    /// Those of [`start_kill`](Self::start_kill) and [`wait`](Self::wait).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the process is killed when the future is first polled, and can be waited for
    /// again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// let mut child = heist::process::Command::new("sleep").arg("60").spawn()?;
    /// child.kill().await?;
    /// assert!(!child.wait().await?.success());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn kill(&mut self) -> io::Result<()> {
        self.start_kill()?;
        self.wait().await?;
        Ok(())
    }

    /// Waits for the process to end, and says how it did. Any number of times: the answer stays.
    ///
    /// [`stdin`](#structfield.stdin) is closed first, if it was not taken, so that a child that reads
    /// to the end gets there. The other pipes are not read: a child that prints more than a pipe
    /// holds waits until somebody does, so take them and read them at the same time, or use
    /// [`wait_with_output`](Self::wait_with_output).
    ///
    /// # Errors
    ///
    /// The system's: most likely that another part of the program has reaped the process. That the
    /// runtime has shut down, unless the future is polled in another, which then serves it.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the end is told by the next call. `stdin` stays closed.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::process::Command;
    ///
    /// # #[heist::main]
    /// # async fn main() -> std::io::Result<()> {
    /// let mut child = Command::new("sh").args(["-c", "exit 3"]).spawn()?;
    /// let status = child.wait().await?;
    /// assert_eq!(status.code(), Some(3));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        drop(self.stdin.take());
        let status = match &mut self.state {
            State::Running(running) => poll_fn(|cx| running.poll_wait(cx)).await?,
            State::Reaped(status) => return Ok(*status),
        };
        self.state = State::Reaped(status);
        Ok(status)
    }

    /// How the process ended, or `None` if it still runs. It does not wait, and does not close
    /// `stdin`.
    ///
    /// # Errors
    ///
    /// The system's: most likely that another part of the program has reaped the process.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = match &mut self.state {
            State::Running(running) => running.try_wait()?,
            State::Reaped(status) => Some(*status),
        };
        if let Some(status) = status {
            self.state = State::Reaped(status);
        }
        Ok(status)
    }

    /// Waits for the process to end, and reads all that it prints meanwhile.
    ///
    /// `stdin` is closed first. Only what is piped and was not taken is read; the rest is empty.
    ///
    /// # Errors
    ///
    /// Those of [`wait`](Self::wait), and of reading the pipes.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the child is dropped with the future, and what was read is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[heist::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use std::process::Stdio;
    ///
    /// let child = heist::process::Command::new("echo")
    ///     .arg("hello")
    ///     .stdout(Stdio::piped())
    ///     .spawn()?;
    /// let output = child.wait_with_output().await?;
    /// assert!(output.status.success());
    /// assert_eq!(output.stdout, b"hello\n");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn wait_with_output(mut self) -> io::Result<Output> {
        let (mut stdout, mut stderr) = (self.stdout.take(), self.stderr.take());
        let (status, stdout, stderr) = crate::try_join!(
            self.wait(),
            read_all(stdout.as_mut()),
            read_all(stderr.as_mut())
        )?;
        Ok(Output {
            status,
            stdout,
            stderr,
        })
    }
}

async fn read_all(pipe: Option<&mut (impl AsyncRead + Unpin)>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}
