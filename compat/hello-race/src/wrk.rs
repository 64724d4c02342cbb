//! `wrk`, as the closed-loop load: as many requests as the server answers.

use std::io::Write;
use std::net::SocketAddr;
use std::process::Command;

use crate::Error;

/// What `wrk` saw. Times are in microseconds.
pub(crate) struct Figures {
    pub(crate) requests: f64,
    pub(crate) per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
}

/// One thread, 50 connections.
pub(crate) fn run(address: SocketAddr, seconds: u64) -> Result<Figures, Error> {
    let script = std::env::temp_dir().join(format!("hello-race-{}.lua", std::process::id()));
    std::fs::File::create(&script)?.write_all(include_bytes!("wrk.lua"))?;
    let output = Command::new("wrk")
        .args(["-t1", "-c50", &format!("-d{seconds}s"), "-s"])
        .arg(&script)
        .arg(format!("http://{address}/"))
        .output()
        .map_err(|error| format!("wrk does not start ({error}); apt-get install wrk"))?;
    std::fs::remove_file(&script)?;
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().find_map(|line| line.strip_prefix("race "));
    let line = line.ok_or_else(|| format!("wrk says nothing: {text}"))?;
    let numbers: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let &[requests, duration, p50, p99, p999, errors] = &*numbers else {
        return Err(format!("wrk says something else: {line}").into());
    };
    if errors > 0.0 || requests == 0.0 {
        return Err(format!("wrk: {errors} errors, {requests} requests").into());
    }
    Ok(Figures {
        requests,
        per_second: requests * 1e6 / duration,
        p50,
        p99,
        p999,
    })
}
