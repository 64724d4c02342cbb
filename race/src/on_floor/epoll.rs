//! Echo by hand: each thread has an epoll of its own and both ends of its share of the connections, and
//! does what the events say.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use crate::counts::{MESSAGE_BYTES, exchanges};
use crate::workload::Round;

/// A round is a message to each thread and one back from it.
pub(super) fn echo(threads: usize, connections: usize) -> Round {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let crew: Vec<Worker> = (0..threads)
        .map(|i| {
            let share = connections / threads + usize::from(i < connections % threads);
            Worker::start(Loop::new(&listener, share, exchanges(connections)))
        })
        .collect();
    Box::new(move || {
        for worker in &crew {
            let start = worker.start.as_ref().expect("taken in drop only");
            start.send(()).expect("the thread runs");
        }
        for worker in &crew {
            worker.done.recv().expect("the thread runs");
        }
    })
}

struct Worker {
    start: Option<Sender<()>>,
    done: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn start(mut work: Loop) -> Self {
        let (start, started) = channel();
        let (finish, done) = channel();
        let thread = thread::spawn(move || {
            while started.recv().is_ok() {
                work.run();
                finish.send(()).expect("the round waits");
            }
        });
        Self {
            start: Some(start),
            done,
            thread: Some(thread),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.start = None;
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the loop does not panic");
        }
    }
}

/// One thread's epoll and connections: the client's end of the n-th has the token 2n, the server's 2n + 1.
struct Loop {
    epoll: OwnedFd,
    ends: Vec<TcpStream>,
    times: usize,
}

impl Loop {
    fn new(listener: &TcpListener, connections: usize, times: usize) -> Self {
        let address = listener.local_addr().expect("a bound listener has one");
        let mut ends = Vec::with_capacity(2 * connections);
        for _ in 0..connections {
            ends.push(TcpStream::connect(address).expect("a server listens"));
            ends.push(listener.accept().expect("a client connects").0);
        }
        let epoll = new_epoll();
        for (token, end) in ends.iter().enumerate() {
            end.set_nodelay(true).expect("TCP has nodelay");
            end.set_nonblocking(true).expect("sockets can be made so");
            watch(&epoll, end, token);
        }
        Self { epoll, ends, times }
    }

    fn run(&mut self) {
        let connections = self.ends.len() / 2;
        let mut left = vec![self.times; connections];
        let mut busy = connections;
        let mut message = [7; MESSAGE_BYTES];
        for client in 0..connections {
            self.write(2 * client, &message);
        }
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 256];
        while busy > 0 {
            let count = wait(&self.epoll, &mut events);
            for event in &events[..count] {
                let token = event.u64 as usize;
                self.ends[token]
                    .read_exact(&mut message)
                    .expect("a message comes whole");
                if token.is_multiple_of(2) {
                    left[token / 2] -= 1;
                    if left[token / 2] == 0 {
                        busy -= 1;
                        continue;
                    }
                }
                self.write(token, &message);
            }
        }
    }

    fn write(&mut self, token: usize, message: &[u8]) {
        self.ends[token]
            .write_all(message)
            .expect("there is room for one message");
    }
}

#[allow(unsafe_code, reason = "epoll has no safe wrapper in std")]
fn new_epoll() -> OwnedFd {
    // SAFETY: takes flags only.
    let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
    assert!(fd >= 0, "descriptors suffice");
    // SAFETY: the descriptor is new and nobody else's.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

#[allow(unsafe_code, reason = "epoll has no safe wrapper in std")]
fn watch(epoll: &OwnedFd, end: &TcpStream, token: usize) {
    let mut event = libc::epoll_event {
        events: (libc::EPOLLIN | libc::EPOLLET) as u32,
        u64: token as u64,
    };
    // SAFETY: both descriptors are open, and the event is live.
    let code = unsafe {
        libc::epoll_ctl(
            epoll.as_raw_fd(),
            libc::EPOLL_CTL_ADD,
            end.as_raw_fd(),
            &mut event,
        )
    };
    assert_eq!(code, 0, "a socket can be watched");
}

#[allow(unsafe_code, reason = "epoll has no safe wrapper in std")]
fn wait(epoll: &OwnedFd, events: &mut [libc::epoll_event]) -> usize {
    // SAFETY: the buffer is live and as long as is said.
    let count = unsafe {
        libc::epoll_wait(
            epoll.as_raw_fd(),
            events.as_mut_ptr(),
            events.len() as i32,
            -1,
        )
    };
    // Interrupted: nothing happened.
    usize::try_from(count).unwrap_or(0)
}
