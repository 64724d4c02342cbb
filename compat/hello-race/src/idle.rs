//! Many connections that ask once and then do nothing.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::Error;

/// Opens them, a request and its answer on each, and lets the server settle.
pub(crate) fn open(address: SocketAddr, count: usize) -> Result<Vec<TcpStream>, Error> {
    let mut connections = Vec::with_capacity(count);
    for _ in 0..count {
        let mut stream = TcpStream::connect(address)
            .map_err(|error| format!("connection {}: {error}", connections.len()))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: hello\r\n\r\n")?;
        let mut buffer = [0; 1024];
        if stream.read(&mut buffer)? == 0 {
            return Err("the server closed a connection".into());
        }
        connections.push(stream);
    }
    std::thread::sleep(Duration::from_millis(500));
    Ok(connections)
}

/// As many descriptors as the system allows, here and in the programs started from here.
pub(crate) fn raise_limit(needed: usize) -> Result<(), Error> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    match limit.maximum {
        Some(maximum) if maximum < needed as u64 + 100 => {
            Err(format!("{needed} connections do not fit into a limit of {maximum} files").into())
        }
        _ => Ok(()),
    }
}
