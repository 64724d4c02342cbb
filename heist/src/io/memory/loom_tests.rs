use crate::io::memory::duplex;
use crate::io::{AsyncReadExt, AsyncWriteExt};
use crate::loom::thread;
use std::io;

fn model(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(f);
}

/// Two bytes through room for one: each side waits for the other, and the reader for the end.
#[test]
fn neither_side_sleeps_for_ever() {
    model(|| {
        let (mut near, mut far) = duplex(1);
        let writer = thread::spawn(move || {
            loom::future::block_on(async move { near.write_all(&[1, 2]).await.unwrap() });
        });
        let mut all = vec![];
        let mut buf = [0; 4];
        loop {
            match loom::future::block_on(far.read(&mut buf)).unwrap() {
                0 => break,
                n => all.extend_from_slice(&buf[..n]),
            }
        }
        assert_eq!(all, [1, 2]);
        writer.join().unwrap();
    });
}

/// A writer that waits for room learns that the other end is gone.
#[test]
fn a_drop_ends_a_waiting_write() {
    model(|| {
        let (mut near, far) = duplex(1);
        let dropper = thread::spawn(move || drop(far));
        let error = loom::future::block_on(near.write_all(&[1, 2])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        dropper.join().unwrap();
    });
}
