//! A future that waits is part of the task that awaits it: what it holds, every connection holds.
//! How compilers lay a future out differs a little, so the bounds leave room for two words; who passes
//! one has made a future that holds something twice.

#![cfg(target_pointer_width = "64")]

use std::sync::Arc;
use std::time::Duration;

use heist::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use heist::time;

/// Name, size, and the size it has with Rust 1.95. Fails with all that are too large.
fn check(sizes: &[(&str, usize, usize)]) {
    let large: Vec<_> = sizes
        .iter()
        .filter(|(_, is, usual)| *is > usual + 16)
        .collect();
    assert!(large.is_empty(), "larger than they were: {large:?}");
}

#[test]
fn futures_of_locks() {
    let (mutex, rwlock) = (Arc::new(Mutex::new(())), Arc::new(RwLock::new(())));
    let (semaphore, notify, barrier) =
        (Arc::new(Semaphore::new(1)), Notify::new(), Barrier::new(2));
    check(&[
        ("lock", size_of_val(&mutex.lock()), 96),
        ("lock_owned", size_of_val(&mutex.clone().lock_owned()), 96),
        ("read", size_of_val(&rwlock.read()), 96),
        ("write", size_of_val(&rwlock.write()), 96),
        ("read_owned", size_of_val(&rwlock.clone().read_owned()), 96),
        (
            "write_owned",
            size_of_val(&rwlock.clone().write_owned()),
            96,
        ),
        ("acquire", size_of_val(&semaphore.acquire()), 96),
        ("acquire_many", size_of_val(&semaphore.acquire_many(2)), 104),
        (
            "acquire_owned",
            size_of_val(&semaphore.clone().acquire_owned()),
            96,
        ),
        ("notified", size_of_val(&notify.notified()), 64),
        ("wait", size_of_val(&barrier.wait()), 96),
    ]);
}

#[test]
fn futures_of_channels() {
    let (tx, mut rx) = mpsc::channel::<u64>(1);
    let (mut one_tx, _one_rx) = oneshot::channel::<u64>();
    let (watch_tx, mut watch_rx) = watch::channel(0u64);
    let mut also_rx = watch_rx.clone();
    let (all_tx, mut all_rx) = broadcast::channel::<u64>(1);
    check(&[
        ("mpsc send", size_of_val(&tx.send(1)), 144),
        ("mpsc reserve", size_of_val(&tx.reserve()), 128),
        ("mpsc closed", size_of_val(&tx.closed()), 96),
        ("mpsc recv", size_of_val(&rx.recv()), 24),
        ("oneshot closed", size_of_val(&one_tx.closed()), 24),
        ("watch changed", size_of_val(&watch_rx.changed()), 120),
        (
            "watch wait_for",
            size_of_val(&also_rx.wait_for(|_| true)),
            160,
        ),
        ("watch closed", size_of_val(&watch_tx.closed()), 96),
        ("broadcast recv", size_of_val(&all_rx.recv()), 80),
        ("broadcast closed", size_of_val(&all_tx.closed()), 96),
    ]);
}

#[heist::test]
async fn futures_of_timers_and_sockets() -> std::io::Result<()> {
    use heist::net::{TcpListener, TcpStream, UdpSocket};

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let stream = TcpStream::connect(listener.local_addr()?).await?;
    let addr = listener.local_addr()?;
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let second = Duration::from_secs(1);
    check(&[
        ("sleep", size_of_val(&time::sleep(second)), 80),
        ("timeout", size_of_val(&time::timeout(second, async {})), 88),
        ("tick", size_of_val(&time::interval(second).tick()), 24),
        ("TcpStream", size_of_val(&stream), 32),
        ("accept", size_of_val(&listener.accept()), 128),
        (
            "TcpListener::bind",
            size_of_val(&TcpListener::bind(addr)),
            72,
        ),
        (
            "TcpStream::connect",
            size_of_val(&TcpStream::connect(addr)),
            192,
        ),
        ("UdpSocket::connect", size_of_val(&socket.connect(addr)), 88),
        ("readable", size_of_val(&stream.readable()), 104),
    ]);
    Ok(())
}
