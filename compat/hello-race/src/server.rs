//! One program under load, and what the kernel says about it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Error;

/// A running program; ended when dropped.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts it and waits until it says where it listens.
    pub(crate) fn start(program: &Path) -> Result<Self, Error> {
        let mut child = Command::new(program).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line)?;
        match line.trim().parse() {
            Ok(address) => Ok(Self { child, address }),
            Err(_) => {
                child.kill()?;
                child.wait()?;
                Err(format!("{} does not say where it listens", program.display()).into())
            }
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Resident memory.
    pub(crate) fn resident_kib(&self) -> Result<f64, Error> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        Ok(number
            .ok_or("/proc says nothing of resident memory")?
            .parse()?)
    }

    /// Runs `work` and says how many seconds of processor time the program took in the meantime.
    pub(crate) fn cpu_of<T>(
        &self,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(f64, T), Error> {
        let before = self.cpu_seconds()?;
        let result = work()?;
        Ok((self.cpu_seconds()? - before, result))
    }

    fn cpu_seconds(&self) -> Result<f64, Error> {
        let mut nanoseconds = 0.0;
        // Per thread and to the nanosecond; the totals in `stat` count hundredths of a second.
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let text = fs::read_to_string(thread?.path().join("schedstat"))?;
            let number = text.split_whitespace().next();
            nanoseconds += number
                .ok_or("/proc says nothing of processor time")?
                .parse::<f64>()?;
        }
        Ok(nanoseconds / 1e9)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing to do about it here.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
