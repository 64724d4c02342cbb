use crate::engine::base::budget::{Budget, BudgetScope};
use crate::engine::base::rng::FastRand;
use crate::io::memory::{SimplexStream, duplex, simplex};
use crate::io::test_support::{Wakes, poll_once};
use crate::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use futures::executor::block_on;
use futures::future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// Polls a read of up to 8 bytes with this waker.
fn poll_read(stream: &mut (impl AsyncRead + Unpin), waker: &Waker) -> Poll<Vec<u8>> {
    let mut memory = [0; 8];
    let mut buf = ReadBuf::new(&mut memory);
    Pin::new(stream)
        .poll_read(&mut Context::from_waker(waker), &mut buf)
        .map(|result| {
            result.unwrap();
            buf.filled().to_vec()
        })
}

/// Polls a write with this waker.
fn poll_write(
    stream: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    waker: &Waker,
) -> Poll<io::Result<usize>> {
    Pin::new(stream).poll_write(&mut Context::from_waker(waker), bytes)
}

/// Sends `data` through in random pieces and returns what arrives.
async fn send_through(
    mut writer: impl AsyncWrite + Unpin,
    mut reader: impl AsyncRead + Unpin,
    data: &[u8],
    seed: u64,
) -> Vec<u8> {
    let write = async {
        let mut rng = FastRand::new(seed);
        let mut rest = data;
        while !rest.is_empty() {
            let (a, after) = rest.split_at(rest.len().min(rng.below(50) as usize));
            let b = &after[..after.len().min(rng.below(50) as usize)];
            let n = if rng.below(2) == 0 {
                let parts = [a, b].map(IoSlice::new);
                writer.write_vectored(&parts).await.unwrap()
            } else {
                writer.write(a).await.unwrap()
            };
            rest = &rest[n..];
        }
        writer.shutdown().await.unwrap();
    };
    let read = async {
        let mut rng = FastRand::new(!seed);
        let mut all = vec![];
        loop {
            let mut buf = vec![0; 1 + rng.below(60) as usize];
            match reader.read(&mut buf).await.unwrap() {
                0 => return all,
                n => all.extend_from_slice(&buf[..n]),
            }
        }
    };
    future::join(write, read).await.1
}

#[test]
fn random_pieces_arrive_in_order() {
    let mut rng = FastRand::new(51);
    for seed in 0..100 {
        let data: Vec<u8> = (0..rng.below(2000)).map(|_| rng.next_u64() as u8).collect();
        let capacity = 1 + rng.below(100) as usize;
        let (mut near, mut far) = duplex(capacity);
        let there = send_through(&mut near, &mut far, &data, seed);
        assert_eq!(block_on(there), data);
        // The way back is another pipe.
        assert_eq!(block_on(send_through(far, near, &data, seed)), data);
        let (reader, writer) = simplex(capacity);
        assert_eq!(block_on(send_through(writer, reader, &data, seed)), data);
    }
}

#[test]
fn two_threads_arrive_in_order() {
    let data: Vec<u8> = (0..100_000_u32).map(|n| n as u8).collect();
    let (mut near, mut far) = duplex(100);
    let (mut reader, mut writer) = simplex(100);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            block_on(near.write_all(&data)).unwrap();
            drop(near);
        });
        scope.spawn(|| {
            let mut all = vec![];
            block_on(far.read_to_end(&mut all)).unwrap();
            assert!(all == data);
            block_on(writer.write_all(&all)).unwrap();
            block_on(writer.shutdown()).unwrap();
        });
        let mut all = vec![];
        block_on(reader.read_to_end(&mut all)).unwrap();
        assert!(all == data);
    });
}

#[test]
fn no_more_than_the_capacity_is_on_its_way() {
    let (mut near, mut far) = duplex(4);
    assert_eq!(block_on(near.write(b"abcdef")).unwrap(), 4);
    let (wakes, waker) = Wakes::new();
    assert!(poll_write(&mut near, b"ef", &waker).is_pending());
    assert_eq!(
        poll_read(&mut far, Waker::noop()),
        Poll::Ready(b"abcd".to_vec())
    );
    assert_eq!(wakes.count(), 1);
    assert_eq!(block_on(near.write(b"ef")).unwrap(), 2);
}

#[test]
fn a_waiting_reader_is_woken_once_by_the_last_waker() {
    let (mut near, mut far) = duplex(4);
    let ((old, old_waker), (new, new_waker)) = (Wakes::new(), Wakes::new());
    assert!(poll_read(&mut far, &old_waker).is_pending());
    assert!(poll_read(&mut far, &new_waker).is_pending());
    // The replaced one is not kept.
    assert_eq!(Arc::strong_count(&old), 2);
    assert!(poll_read(&mut far, &new_waker).is_pending());
    assert_eq!(Arc::strong_count(&new), 3);
    block_on(near.write_all(b"ab")).unwrap();
    assert_eq!((old.count(), new.count()), (0, 1));
}

#[test]
fn reads_and_writes_of_nothing_are_ready_and_wake_nobody() {
    let (mut near, mut far) = duplex(2);
    let (reader, reader_waker) = Wakes::new();
    let (writer, writer_waker) = Wakes::new();
    assert!(poll_read(&mut far, &reader_waker).is_pending());
    assert_eq!(block_on(near.write(b"")).unwrap(), 0);
    assert_eq!(reader.count(), 0);
    block_on(near.write_all(b"ab")).unwrap();
    assert!(poll_write(&mut near, b"c", &writer_waker).is_pending());
    assert_eq!(block_on(near.write(b"")).unwrap(), 0);
    assert_eq!(block_on(far.read(&mut [])).unwrap(), 0);
    assert_eq!(writer.count(), 0);
    assert_eq!(
        block_on(near.write_vectored(&[IoSlice::new(b"")])).unwrap(),
        0
    );
}

#[test]
fn dropping_an_end_wakes_both_waiting_sides_of_the_other() {
    let (near, mut far) = duplex(2);
    block_on(far.write_all(b"ab")).unwrap();
    let ((reader, reader_waker), (writer, writer_waker)) = (Wakes::new(), Wakes::new());
    assert!(poll_read(&mut far, &reader_waker).is_pending());
    assert!(poll_write(&mut far, b"c", &writer_waker).is_pending());
    drop(near);
    assert_eq!((reader.count(), writer.count()), (1, 1));
    assert_eq!(poll_read(&mut far, Waker::noop()), Poll::Ready(vec![]));
    let error = block_on(far.write(b"c")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn what_was_sent_before_the_drop_is_read() {
    let (mut near, mut far) = duplex(8);
    block_on(near.write_all(b"ab")).unwrap();
    drop(near);
    let mut all = vec![];
    block_on(far.read_to_end(&mut all)).unwrap();
    assert_eq!(all, b"ab");
}

#[test]
fn dropping_an_end_does_not_wake_itself() {
    let (mut near, _far) = duplex(2);
    let (wakes, waker) = Wakes::new();
    assert!(poll_read(&mut near, &waker).is_pending());
    drop(near);
    drop(waker);
    assert_eq!((wakes.count(), Arc::strong_count(&wakes)), (0, 1));
}

#[test]
fn shutdown_closes_one_way() {
    let (mut near, mut far) = duplex(2);
    let (wakes, waker) = Wakes::new();
    assert!(poll_read(&mut far, &waker).is_pending());
    block_on(near.shutdown()).unwrap();
    assert_eq!(wakes.count(), 1);
    assert_eq!(poll_read(&mut far, Waker::noop()), Poll::Ready(vec![]));
    let error = block_on(near.write(b"a")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    block_on(far.write_all(b"a")).unwrap();
    assert_eq!(
        poll_read(&mut near, Waker::noop()),
        Poll::Ready(b"a".to_vec())
    );
}

#[test]
fn closing_a_simplex_wakes_both_sides() {
    for unsplit in [false, true] {
        let (mut reader, mut writer) = simplex(2);
        let ((first, first_waker), (second, second_waker)) = (Wakes::new(), Wakes::new());
        assert!(poll_read(&mut reader, &first_waker).is_pending());
        if unsplit {
            let mut whole = reader.unsplit(writer);
            block_on(whole.shutdown()).unwrap();
            assert_eq!(poll_read(&mut whole, Waker::noop()), Poll::Ready(vec![]));
        } else {
            assert!(poll_write(&mut writer, b"ab", Waker::noop()).is_ready());
            assert_eq!(first.count(), 1);
            assert!(poll_write(&mut writer, b"c", &second_waker).is_pending());
            block_on(writer.shutdown()).unwrap();
            assert_eq!(second.count(), 1);
            assert_eq!(
                poll_read(&mut reader, Waker::noop()),
                Poll::Ready(b"ab".to_vec())
            );
        }
        assert_eq!(first.count(), 1);
    }
}

#[test]
fn dropping_half_a_simplex_closes_nothing() {
    let (mut reader, writer) = simplex(2);
    drop(writer);
    assert!(poll_read(&mut reader, Waker::noop()).is_pending());
}

#[test]
fn an_unsplit_simplex_wakes_by_itself() {
    let mut whole = SimplexStream::new_unsplit(2);
    let (wakes, waker) = Wakes::new();
    assert!(poll_read(&mut whole, &waker).is_pending());
    block_on(whole.write_all(b"ab")).unwrap();
    assert_eq!(wakes.count(), 1);
    // Split the ordinary way too.
    let (mut reader, mut writer) = crate::io::split(whole);
    assert!(poll_write(&mut writer, b"c", &waker).is_pending());
    assert!(poll_read(&mut reader, Waker::noop()).is_ready());
    assert_eq!(wakes.count(), 2);
}

/// A waker that uses the stream it is woken for, on the spot.
struct Meddler<S>(std::sync::Mutex<S>);

impl<S: AsyncRead + Unpin + Send + 'static> Wake for Meddler<S> {
    fn wake(self: Arc<Self>) {
        let mut stream = self.0.lock().unwrap();
        assert!(poll_read(&mut *stream, Waker::noop()).is_ready());
    }
}

#[test]
fn wakers_may_use_the_pipe() {
    fn wake_meddler(reader: impl AsyncRead + Unpin + Send + 'static, wake: impl FnOnce()) {
        let meddler = Arc::new(Meddler(std::sync::Mutex::new(reader)));
        let waker = Waker::from(meddler.clone());
        assert!(poll_read(&mut *meddler.0.lock().unwrap(), &waker).is_pending());
        wake();
    }
    let (mut near, far) = duplex(8);
    wake_meddler(far, || block_on(near.write_all(b"ab")).unwrap());
    let (mut near, far) = duplex(8);
    wake_meddler(far, || block_on(near.shutdown()).unwrap());
    let (near, far) = duplex(8);
    wake_meddler(far, || drop(near));
    let (reader, mut writer) = simplex(8);
    wake_meddler(reader, || block_on(writer.write_all(b"ab")).unwrap());
    let (reader, mut writer) = simplex(8);
    wake_meddler(reader, || block_on(writer.shutdown()).unwrap());
}

#[test]
fn operations_spend_budget_and_waiting_does_not() {
    let _scope = BudgetScope::enter(Budget::initial());
    let (mut near, mut far) = duplex(1024);
    let mut buf = [0; 1];
    for _ in 0..200 {
        assert!(poll_once(far.read(&mut buf)).is_pending());
    }
    let written = (0..1000).take_while(|_| poll_once(near.write(b"a")).is_ready());
    assert_eq!(written.count(), 128);
    assert!(poll_once(far.read(&mut buf)).is_pending());

    let _scope = BudgetScope::enter(Budget::initial());
    let read = (0..1000).take_while(|_| poll_once(far.read(&mut buf)).is_ready());
    assert_eq!(read.count(), 128);
}

#[test]
#[should_panic(expected = "`max_buf_size` must not be 0")]
fn no_capacity_panics() {
    duplex(0);
}

#[test]
fn any_capacity_is_cheap_until_used() {
    let (mut near, mut far) = duplex(usize::MAX);
    block_on(near.write_all(b"ab")).unwrap();
    assert_eq!(
        poll_read(&mut far, Waker::noop()),
        Poll::Ready(b"ab".to_vec())
    );
}

#[test]
fn debug_shows_no_data() {
    let (mut near, far) = duplex(8);
    block_on(near.write_all(&[222; 5])).unwrap();
    let shown = format!("{far:?}");
    assert!(
        shown.contains("buffered: 5") && !shown.contains("222"),
        "{shown}"
    );
}
