//! The open-loop load: requests at a fixed rate, whatever the server does.
//!
//! A closed loop waits for an answer before it asks again, so a server that stalls is asked less
//! while it stalls, and its stall counts as one slow request. Here each request has the time at
//! which it is due, and its latency counts from that time, even if it could not be sent then
//! because its connection was still waiting for an answer.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{Timespec, epoll};

use crate::Error;

const CONNECTIONS: usize = 50;
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: hello\r\n\r\n";
/// What it ends with; the whole answer is short and comes in one piece.
const ANSWER_END: &[u8] = b"\r\n\r\nHello, World!";
/// How long answers may stay out after the last request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The latencies of one run.
pub(crate) struct Latencies(Vec<u64>);

impl Latencies {
    /// In microseconds; `share` of 0.5 is the median, of 1.0 the largest.
    pub(crate) fn percentile(&self, share: f64) -> f64 {
        let rank = (self.0.len() as f64 * share).ceil() as usize;
        self.0[rank.clamp(1, self.0.len()) - 1] as f64 / 1e3
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

struct Connection {
    stream: TcpStream,
    /// When the request that is out was due.
    out: Option<Instant>,
    received: Vec<u8>,
}

/// Loads the server on 50 connections, for `seconds`, after a second that does not count.
pub(crate) fn run(address: SocketAddr, rate: u64, seconds: u64) -> Result<Latencies, Error> {
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut connections = Vec::with_capacity(CONNECTIONS);
    for index in 0..CONNECTIONS {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        epoll::add(
            &poll,
            &stream,
            epoll::EventData::new_u64(index as u64),
            epoll::EventFlags::IN,
        )?;
        connections.push(Connection {
            stream,
            out: None,
            received: Vec::new(),
        });
    }
    let warm_up = rate;
    let total = warm_up + rate * seconds;
    let began = Instant::now();
    let due = |number: u64| began + Duration::from_nanos(number * 1_000_000_000 / rate);
    let mut idle: Vec<usize> = (0..CONNECTIONS).collect();
    let mut latencies = Vec::with_capacity((rate * seconds) as usize);
    let (mut sent, mut answered) = (0, 0);
    let mut events = Vec::with_capacity(CONNECTIONS);
    let give_up = due(total) + PATIENCE;
    while answered < total {
        let mut now = Instant::now();
        while sent < total && due(sent) <= now {
            let Some(index) = idle.pop() else { break };
            let connection = &mut connections[index];
            if connection.stream.write(REQUEST)? != REQUEST.len() {
                return Err("a request of one packet was not taken whole".into());
            }
            connection.out = Some(due(sent));
            sent += 1;
            now = Instant::now();
        }
        if now > give_up {
            return Err(format!("{} of {total} requests got no answer", total - answered).into());
        }
        let next = if sent < total && !idle.is_empty() {
            due(sent)
        } else {
            give_up
        };
        let wait = Timespec::try_from(next.saturating_duration_since(now))?;
        events.clear();
        match epoll::wait(
            &poll,
            rustix::buffer::spare_capacity(&mut events),
            Some(&wait),
        ) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            let index = event.data.u64() as usize;
            let connection = &mut connections[index];
            let mut buffer = [0; 1024];
            match connection.stream.read(&mut buffer) {
                Ok(0) => return Err("the server closed a connection".into()),
                Ok(count) => connection.received.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error.into()),
            }
            if connection.received.ends_with(ANSWER_END) {
                let due = connection
                    .out
                    .take()
                    .ok_or("an answer that nobody asked for")?;
                connection.received.clear();
                // First in, first out: every connection is used.
                idle.insert(0, index);
                if answered >= warm_up {
                    latencies.push(due.elapsed().as_nanos() as u64);
                }
                answered += 1;
            }
        }
    }
    latencies.sort_unstable();
    Ok(Latencies(latencies))
}
