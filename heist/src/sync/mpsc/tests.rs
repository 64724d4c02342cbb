use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll};

use super::error::{SendError, TryRecvError, TrySendError};
use super::*;
use crate::engine::base::parker::block_on;
use crate::engine::base::rng::FastRand;
use crate::sync::test_support::{CountingWaker, noop};

fn poll_now<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(&noop()))
}

#[test]
fn a_full_channel_makes_the_sender_wait() {
    let (tx, mut rx) = channel(2);
    tx.try_send(1).unwrap();
    assert_eq!((tx.capacity(), tx.max_capacity(), rx.len()), (1, 2, 1));
    tx.try_send(2).unwrap();
    assert_eq!(tx.try_send(3), Err(TrySendError::Full(3)));
    let (count, waker) = CountingWaker::new();
    let mut send = Box::pin(tx.send(3));
    assert!(
        send.as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
    );
    assert_eq!(rx.try_recv(), Ok(1));
    assert_eq!(count.count(), 1);
    // The room is for the one that waits.
    assert_eq!(tx.try_send(4), Err(TrySendError::Full(4)));
    assert_eq!(
        send.as_mut().poll(&mut Context::from_waker(&waker)),
        Poll::Ready(Ok(()))
    );
    drop(send);
    assert_eq!((rx.try_recv(), rx.try_recv()), (Ok(2), Ok(3)));
    assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    drop(tx);
    assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
}

#[test]
fn the_receiver_is_woken_once() {
    let (tx, mut rx) = unbounded_channel();
    let (count, waker) = CountingWaker::new();
    let mut cx = Context::from_waker(&waker);
    for round in 1..=100 {
        assert!(rx.poll_recv(&mut cx).is_pending());
        assert!(rx.poll_recv(&mut cx).is_pending());
        tx.send(1).unwrap();
        tx.send(2).unwrap();
        assert_eq!(count.count(), round);
        assert_eq!(rx.poll_recv(&mut cx), Poll::Ready(Some(1)));
        tx.send(3).unwrap();
        assert_eq!(rx.poll_recv(&mut cx), Poll::Ready(Some(2)));
        assert_eq!(rx.poll_recv(&mut cx), Poll::Ready(Some(3)));
        assert_eq!(count.count(), round);
    }
    assert!(rx.poll_recv(&mut cx).is_pending());
    drop(tx);
    assert_eq!(count.count(), 101);
    assert_eq!(rx.poll_recv(&mut cx), Poll::Ready(None));
}

#[test]
fn close_lets_permits_and_messages_through() {
    let (tx, mut rx) = channel(3);
    let (count, waker) = CountingWaker::new();
    let permit = tx.try_reserve().unwrap();
    let unused = tx.try_reserve().unwrap();
    tx.try_send(1).unwrap();
    rx.close();
    assert!(tx.is_closed() && rx.is_closed());
    assert_eq!(tx.try_send(2), Err(TrySendError::Closed(2)));
    assert_eq!(poll_now(tx.send(2)), Poll::Ready(Err(SendError(2))));
    assert_eq!(rx.try_recv(), Ok(1));
    assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    let mut cx = Context::from_waker(&waker);
    assert!(rx.poll_recv(&mut cx).is_pending());
    permit.send(9);
    assert_eq!(rx.poll_recv(&mut cx), Poll::Ready(Some(9)));
    assert!(rx.poll_recv(&mut cx).is_pending());
    let before = count.count();
    drop(unused);
    assert_eq!(count.count(), before + 1);
    assert_eq!(rx.poll_recv(&mut cx), Poll::Ready(None));
    assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
    assert_eq!(poll_now(tx.closed()), Poll::Ready(()));
}

#[test]
fn close_of_an_unbounded_channel() {
    let (tx, mut rx) = unbounded_channel();
    let (count, waker) = CountingWaker::new();
    tx.send(1).unwrap();
    let mut closed = Box::pin(tx.closed());
    assert!(
        closed
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
    );
    rx.close();
    rx.close();
    assert_eq!(count.count(), 1);
    assert!(
        closed
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_ready()
    );
    for i in 0..100 {
        assert_eq!(tx.send(i), Err(SendError(i)));
    }
    assert_eq!(rx.len(), 1);
    assert_eq!(block_on(rx.recv()), Some(1));
    assert_eq!(block_on(rx.recv()), None);
    assert!(rx.is_empty());
    assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
}

#[test]
fn a_cancelled_sender_after_close_wakes_the_receiver() {
    let (tx, mut rx) = channel(1);
    tx.try_send(1).unwrap();
    let mut waiting = Box::pin(tx.reserve());
    assert!(
        waiting
            .as_mut()
            .poll(&mut Context::from_waker(&noop()))
            .is_pending()
    );
    // The room goes to the one that waits, which is not polled again.
    assert_eq!(rx.try_recv(), Ok(1));
    rx.close();
    let (count, waker) = CountingWaker::new();
    let mut cx = Context::from_waker(&waker);
    assert!(rx.poll_recv(&mut cx).is_pending());
    drop(waiting);
    assert_eq!(count.count(), 1);
    assert_eq!(rx.poll_recv(&mut cx), Poll::Ready(None));
}

#[test]
fn permits_of_all_kinds() {
    let (tx, mut rx) = channel(4);
    assert!(matches!(
        tx.try_reserve_many(5),
        Err(TrySendError::Full(()))
    ));
    assert!(matches!(poll_now(tx.reserve_many(5)), Poll::Ready(Err(_))));
    let mut many = block_on(tx.reserve_many(3)).unwrap();
    assert_eq!((many.len(), tx.capacity()), (3, 1));
    many.next().unwrap().send(1);
    drop(many);
    assert_eq!(tx.capacity(), 3);
    let owned = block_on(tx.clone().reserve_owned()).unwrap();
    assert!(owned.same_channel_as_sender(&tx));
    let other = tx.clone().try_reserve_owned().unwrap();
    assert!(owned.same_channel(&other));
    let sender = owned.send(2);
    assert!(sender.same_channel(&tx));
    drop(other.release());
    drop(sender.try_reserve_owned().unwrap());
    assert_eq!(tx.capacity(), 2);
    assert_eq!((rx.try_recv(), rx.try_recv()), (Ok(1), Ok(2)));
    assert_eq!(tx.strong_count(), 1);
    drop(tx.try_reserve_many(0).unwrap());
}

#[test]
fn weak_senders_do_not_keep_the_channel() {
    let (tx, mut rx) = channel::<u8>(1);
    let weak = tx.downgrade();
    let clone = weak.clone();
    assert_eq!((tx.weak_count(), rx.sender_weak_count()), (2, 2));
    let strong = weak.upgrade().unwrap();
    assert_eq!((weak.strong_count(), rx.sender_strong_count()), (2, 2));
    drop((tx, strong, clone));
    assert!(weak.upgrade().is_none());
    assert_eq!(weak.weak_count(), 1);
    assert!(rx.is_closed());
    assert_eq!(block_on(rx.recv()), None);

    let (tx, rx) = unbounded_channel::<u8>();
    let weak = tx.downgrade();
    assert!(weak.clone().upgrade().unwrap().same_channel(&tx));
    drop(tx);
    assert!(weak.upgrade().is_none() && rx.is_closed());
}

#[test]
fn recv_many_takes_what_is_there() {
    let (tx, mut rx) = channel(100);
    for i in 0..70 {
        tx.try_send(i).unwrap();
    }
    let mut buffer = vec![-1];
    assert_eq!(rx.blocking_recv_many(&mut buffer, 0), 0);
    assert_eq!(rx.blocking_recv_many(&mut buffer, 65), 65);
    assert_eq!(rx.capacity(), 95);
    assert_eq!(rx.blocking_recv_many(&mut buffer, 65), 5);
    assert_eq!(buffer, (-1..70).collect::<Vec<_>>());
    assert!(poll_now(rx.recv_many(&mut buffer, 1)).is_pending());
    drop(tx);
    assert_eq!(rx.blocking_recv_many(&mut buffer, 1), 0);
}

#[test]
fn empty_at_the_edge_of_a_block() {
    let (tx, mut rx) = unbounded_channel();
    for i in 0..64 {
        tx.send(i).unwrap();
    }
    for i in 0..64 {
        assert!(!rx.is_empty());
        assert_eq!(rx.try_recv(), Ok(i));
    }
    assert!(rx.is_empty());
}

#[test]
fn a_message_whose_drop_panics_does_not_keep_the_others() {
    struct Bomb(Arc<AtomicUsize>, bool);
    impl Drop for Bomb {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
            assert!(!self.1, "bomb");
        }
    }
    // The receiver goes first, or last.
    for receiver_first in [true, false] {
        let drops = Arc::new(AtomicUsize::new(0));
        let (tx, rx) = channel(100);
        let mut permit = tx.clone().try_reserve_owned().ok();
        for i in 0..80 {
            assert!(tx.try_send(Bomb(Arc::clone(&drops), i == 40)).is_ok());
        }
        if !receiver_first {
            permit = None;
        }
        assert!(catch_unwind(AssertUnwindSafe(|| drop(rx))).is_err());
        assert_eq!(drops.load(SeqCst), 80);
        if let Some(permit) = permit.take() {
            // Into the void, and dropped with the channel.
            drop(permit.send(Bomb(Arc::clone(&drops), true)));
            assert!(catch_unwind(AssertUnwindSafe(|| drop(tx))).is_err());
            assert_eq!(drops.load(SeqCst), 81);
        }
    }
}

#[test]
#[should_panic(expected = "room for one message")]
fn no_room_at_all_is_refused() {
    let _ = channel::<()>(0);
}

#[test]
fn blocking_is_refused_on_a_runtime_thread() {
    use crate::engine::base::current;
    let (tx, mut rx) = channel(1);
    current::set_may_block(false);
    let send = catch_unwind(AssertUnwindSafe(|| tx.blocking_send(1)));
    let recv = catch_unwind(AssertUnwindSafe(|| rx.blocking_recv()));
    current::set_may_block(true);
    assert!(send.is_err() && recv.is_err());
}

#[test]
fn dropping_the_receiver_drops_its_waker_and_wakes_the_senders() {
    let (count, waker) = CountingWaker::new();
    let (tx, mut rx) = channel(1);
    assert!(rx.poll_recv(&mut Context::from_waker(&waker)).is_pending());
    assert_eq!(Arc::strong_count(&count), 3);
    tx.try_send(1).unwrap();
    let (sender, sender_waker) = CountingWaker::new();
    let mut send = Box::pin(tx.send(2));
    let mut cx = Context::from_waker(&sender_waker);
    assert!(send.as_mut().poll(&mut cx).is_pending());
    drop(rx);
    assert_eq!((Arc::strong_count(&count), sender.count()), (2, 1));
    assert_eq!(send.as_mut().poll(&mut cx), Poll::Ready(Err(SendError(2))));
}

#[test]
fn random_operations_agree_with_a_model() {
    let mut rng = FastRand::new(3);
    for _ in 0..300 {
        let capacity = 1 + rng.below(5) as usize;
        let (tx, mut rx) = channel(capacity);
        let mut model = VecDeque::new();
        let mut permits = Vec::new();
        let mut closed = false;
        for i in 0..200 {
            match rng.below(30) {
                0..8 => {
                    let full = model.len() + permits.len() == capacity;
                    let expect = if closed {
                        Err(TrySendError::Closed(i))
                    } else if full {
                        Err(TrySendError::Full(i))
                    } else {
                        model.push_back(i);
                        Ok(())
                    };
                    assert_eq!(tx.try_send(i), expect);
                }
                8..12 => permits.extend(tx.try_reserve().ok()),
                12..15 => drop(permits.pop()),
                15..18 => {
                    if let Some(permit) = permits.pop() {
                        permit.send(i);
                        model.push_back(i);
                    }
                }
                18..29 => {
                    let expect = match model.pop_front() {
                        Some(i) => Ok(i),
                        None if closed && permits.is_empty() => Err(TryRecvError::Disconnected),
                        None => Err(TryRecvError::Empty),
                    };
                    if rng.below(2) == 0 {
                        assert_eq!(rx.try_recv(), expect);
                    } else {
                        let expect = match expect {
                            Ok(i) => Poll::Ready(Some(i)),
                            Err(TryRecvError::Disconnected) => Poll::Ready(None),
                            Err(TryRecvError::Empty) => Poll::Pending,
                        };
                        assert_eq!(poll_now(rx.recv()), expect);
                    }
                }
                _ => {
                    rx.close();
                    closed = true;
                }
            }
            assert_eq!(rx.len(), model.len());
            assert_eq!(tx.capacity(), capacity - model.len() - permits.len());
        }
    }
}

/// Many senders, everything arrives once and each sender's in order.
fn stress(bounded: bool) {
    const SENDERS: usize = 4;
    const EACH: usize = 5_000;
    let seen = {
        let (btx, mut brx) = channel(7);
        let (utx, mut urx) = unbounded_channel();
        let threads: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let (btx, utx) = (btx.clone(), utx.clone());
                std::thread::spawn(move || {
                    for i in 0..EACH {
                        if bounded {
                            btx.blocking_send((sender, i)).unwrap();
                        } else {
                            utx.send((sender, i)).unwrap();
                        }
                    }
                })
            })
            .collect();
        drop((btx, utx));
        let mut seen = [0; SENDERS];
        let mut rng = FastRand::new(1);
        let mut buffer = Vec::new();
        loop {
            let many = rng.below(3) == 0;
            match (bounded, many) {
                (true, true) => drop(brx.blocking_recv_many(&mut buffer, 5)),
                (false, true) => drop(urx.blocking_recv_many(&mut buffer, 50)),
                (true, false) => buffer.extend(brx.blocking_recv()),
                (false, false) => buffer.extend(urx.blocking_recv()),
            }
            if buffer.is_empty() {
                break;
            }
            for (sender, i) in buffer.drain(..) {
                assert_eq!(seen[sender], i);
                seen[sender] += 1;
            }
        }
        for thread in threads {
            thread.join().unwrap();
        }
        seen
    };
    assert_eq!(seen, [EACH; SENDERS]);
}

#[test]
fn stress_bounded() {
    stress(true);
}

#[test]
fn stress_unbounded() {
    stress(false);
}

#[test]
fn halves_go_where_they_should() {
    fn all<T: Send + Sync + Unpin>() {}
    all::<Sender<u8>>();
    all::<Receiver<u8>>();
    all::<UnboundedSender<u8>>();
    all::<UnboundedReceiver<u8>>();
    all::<WeakSender<u8>>();
    all::<OwnedPermit<u8>>();
}
