//! What to run, and how.

use std::ffi::OsStr;
use std::future::Future;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child as StdChild, Command as StdCommand, ExitStatus, Output, Stdio};

use super::child::Child;
use super::orphan;

/// What to run, with which arguments, environment, directory and pipes.
///
/// It is a [`std::process::Command`] inside, whose documentation has the details, and may be used for
/// several processes.
///
/// # Examples
///
/// ```
/// use heist::process::Command;
///
/// # #[heist::main]
/// # async fn main() -> std::io::Result<()> {
/// let output = Command::new("sh")
///     .args(["-c", "echo $GREETING from $PWD"])
///     .env("GREETING", "hello")
///     .current_dir("/")
///     .output()
///     .await?;
/// assert_eq!(output.stdout, b"hello from /\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Command {
    std: StdCommand,
    kill_on_drop: bool,
}

impl Command {
    /// Runs `program`, which is looked for in the `PATH` if it is not a path.
    ///
    /// Without arguments, in this process's environment and directory, and with its standard input
    /// and outputs (but pipes for [`output`](Self::output)).
    pub fn new<S: AsRef<OsStr>>(program: S) -> Self {
        Self::from(StdCommand::new(program))
    }

    /// The `std` command inside.
    pub fn as_std(&self) -> &StdCommand {
        &self.std
    }

    /// The `std` command inside, for settings that have no method here.
    pub fn as_std_mut(&mut self) -> &mut StdCommand {
        &mut self.std
    }

    /// The `std` command. Whether to [kill on drop](Self::kill_on_drop) is forgotten.
    pub fn into_std(self) -> StdCommand {
        self.std
    }

    /// Adds an argument. It is passed as it is: no shell splits or expands it.
    pub fn arg<S: AsRef<OsStr>>(&mut self, arg: S) -> &mut Self {
        self.std.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args<I, S>(&mut self, args: I) -> &mut Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.std.args(args);
        self
    }

    /// Sets a variable of the environment.
    pub fn env<K, V>(&mut self, key: K, val: V) -> &mut Self
    where
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.std.env(key, val);
        self
    }

    /// Sets variables of the environment.
    pub fn envs<I, K, V>(&mut self, vars: I) -> &mut Self
    where
        I: IntoIterator<Item = (K, V)>,
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.std.envs(vars);
        self
    }

    /// Takes a variable out of the environment.
    pub fn env_remove<K: AsRef<OsStr>>(&mut self, key: K) -> &mut Self {
        self.std.env_remove(key);
        self
    }

    /// Starts from an empty environment.
    pub fn env_clear(&mut self) -> &mut Self {
        self.std.env_clear();
        self
    }

    /// The directory to run in. It is better not to combine it with a relative path of the program:
    /// where that is looked for depends on the system.
    pub fn current_dir<P: AsRef<Path>>(&mut self, dir: P) -> &mut Self {
        self.std.current_dir(dir);
        self
    }

    /// Where the standard input comes from.
    pub fn stdin<T: Into<Stdio>>(&mut self, cfg: T) -> &mut Self {
        self.std.stdin(cfg);
        self
    }

    /// Where the standard output goes to.
    pub fn stdout<T: Into<Stdio>>(&mut self, cfg: T) -> &mut Self {
        self.std.stdout(cfg);
        self
    }

    /// Where the standard error goes to.
    pub fn stderr<T: Into<Stdio>>(&mut self, cfg: T) -> &mut Self {
        self.std.stderr(cfg);
        self
    }

    /// Whether a [`Child`] that is dropped is killed. It is not, unless this is set.
    ///
    /// Also the futures of [`status`](Self::status) and [`output`](Self::output) have a child inside:
    /// with this set, cancelling them ends it.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::process::Command;
    /// use heist::time::{Duration, timeout};
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let mut command = Command::new("sleep");
    /// let run = command.arg("60").kill_on_drop(true).status();
    /// // Too long: the process ends with the future.
    /// assert!(timeout(Duration::from_millis(20), run).await.is_err());
    /// # }
    /// ```
    pub fn kill_on_drop(&mut self, kill_on_drop: bool) -> &mut Self {
        self.kill_on_drop = kill_on_drop;
        self
    }

    /// Whether a [`Child`] that is dropped is killed.
    pub fn get_kill_on_drop(&self) -> bool {
        self.kill_on_drop
    }

    /// The user to run as. See [`CommandExt::uid`].
    pub fn uid(&mut self, id: u32) -> &mut Self {
        self.std.uid(id);
        self
    }

    /// The group to run as. See [`CommandExt::gid`].
    pub fn gid(&mut self, id: u32) -> &mut Self {
        self.std.gid(id);
        self
    }

    /// What the program is told that it is called: its argument 0.
    pub fn arg0<S>(&mut self, arg: S) -> &mut Self
    where
        S: AsRef<OsStr>,
    {
        self.std.arg0(arg);
        self
    }

    /// Has the child call `f` after the fork, before it becomes the program.
    ///
    /// Several are called in the order they were added. If one fails, the spawn does.
    ///
    /// # Safety
    ///
    /// Between the fork and the program the child has one thread only, and whatever another thread
    /// had locked stays locked for ever. So `f` may do next to nothing: no allocation, no locks, no
    /// access to the environment. [`CommandExt::pre_exec`] has the whole contract.
    pub unsafe fn pre_exec<F>(&mut self, f: F) -> &mut Self
    where
        F: FnMut() -> io::Result<()> + Send + Sync + 'static,
    {
        // SAFETY: the caller's, in the same words.
        unsafe { self.std.pre_exec(f) };
        self
    }

    /// The process group to run in; 0 is a new one, of the child's own id. Signals of the terminal
    /// (Ctrl-C) go to the group in front, so a child in another does not get them.
    pub fn process_group(&mut self, pgroup: i32) -> &mut Self {
        self.std.process_group(pgroup);
        self
    }

    /// Starts the process.
    ///
    /// # Errors
    ///
    /// The system's: the program is not there (`NotFound`), cannot be run (`PermissionDenied`), or
    /// there are no processes or descriptors left. Or the runtime has shut down; the process, which
    /// ran by then, is reaped when it ends.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::process::Command;
    ///
    /// # #[heist::main]
    /// # async fn main() {
    /// let error = Command::new("/no/such/program").spawn().unwrap_err();
    /// assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    /// # }
    /// ```
    #[track_caller]
    pub fn spawn(&mut self) -> io::Result<Child> {
        let child = self.std.spawn()?;
        self.adopt(child)
    }

    /// As [`spawn`](Self::spawn), but the caller starts the process: `with` gets the `std` command and
    /// gives the child it made of it, by which means ever.
    ///
    /// # Errors
    ///
    /// Those of `with`, or that the runtime has shut down.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    #[track_caller]
    pub fn spawn_with(
        &mut self,
        with: impl FnOnce(&mut StdCommand) -> io::Result<StdChild>,
    ) -> io::Result<Child> {
        let child = with(&mut self.std)?;
        self.adopt(child)
    }

    #[track_caller]
    fn adopt(&self, child: StdChild) -> io::Result<Child> {
        let child = Child::new(child, self.kill_on_drop)?;
        orphan::retry_strays();
        Ok(child)
    }

    /// Starts the process, and waits for its end.
    ///
    /// The process is started by the call, not when the future is first polled. Pipes that were asked
    /// for are closed.
    ///
    /// # Errors
    ///
    /// The future gives those of [`spawn`](Self::spawn) and of [`Child::wait`].
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the process runs on, unless it is to be
    /// [killed](Self::kill_on_drop); nobody learns how it ended.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::process::Command;
    ///
    /// # #[heist::main]
    /// # async fn main() -> std::io::Result<()> {
    /// assert!(Command::new("true").status().await?.success());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn status(&mut self) -> impl Future<Output = io::Result<ExitStatus>> + use<> {
        let child = self.spawn();
        async {
            let mut child = child?;
            drop((child.stdin.take(), child.stdout.take(), child.stderr.take()));
            child.wait().await
        }
    }

    /// Starts the process, reads all it prints, and waits for its end.
    ///
    /// The process is started by the call, not when the future is first polled. Its standard output
    /// and error are piped, whatever was set before; its input is what was set, closed if it is a pipe.
    ///
    /// # Errors
    ///
    /// The future gives those of [`spawn`](Self::spawn) and of [`Child::wait_with_output`]. A process
    /// that ends badly is no error: see the [`Output`]'s status.
    ///
    /// # Panics
    ///
    /// Outside a runtime with I/O.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the process runs on, unless it is to be
    /// [killed](Self::kill_on_drop), with its pipes broken; what it printed is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use heist::process::Command;
    ///
    /// # #[heist::main]
    /// # async fn main() -> std::io::Result<()> {
    /// let output = Command::new("uname").output().await?;
    /// println!("this is {}", String::from_utf8_lossy(&output.stdout));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn output(&mut self) -> impl Future<Output = io::Result<Output>> + use<> {
        self.std.stdout(Stdio::piped());
        self.std.stderr(Stdio::piped());
        let child = self.spawn();
        async { child?.wait_with_output().await }
    }
}

impl From<StdCommand> for Command {
    fn from(std: StdCommand) -> Self {
        Self {
            std,
            kill_on_drop: false,
        }
    }
}
