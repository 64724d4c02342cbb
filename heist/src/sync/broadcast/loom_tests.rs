use super::error::RecvError;
use super::*;
use crate::engine::base::parker::block_on;
use crate::loom::thread;
use crate::sync::testing::{Tracked, model, poll_once};
use std::pin::pin;
use std::task::Poll;

#[test]
fn both_receive_all() {
    model(|| {
        let (tx, mut rx) = channel::<Arc<u64>>(2);
        let mut other = tx.subscribe();
        let receiver = thread::spawn(move || {
            assert_eq!(*block_on(other.recv()).unwrap(), 1);
            assert!(block_on(other.recv()).is_err());
        });
        tx.send(Arc::new(1)).unwrap();
        drop(tx);
        assert_eq!(*block_on(rx.recv()).unwrap(), 1);
        assert!(block_on(rx.recv()).is_err());
        receiver.join().unwrap();
    });
}

#[test]
fn a_slow_receiver_lags() {
    model(|| {
        let (tx, mut rx) = channel::<Arc<u64>>(1);
        let sender = thread::spawn(move || {
            tx.send(Arc::new(0)).unwrap();
            tx.send(Arc::new(1)).unwrap();
        });
        let mut next = 0;
        loop {
            match block_on(rx.recv()) {
                Ok(value) => {
                    assert_eq!(*value, next);
                    next += 1;
                }
                Err(RecvError::Lagged(missed)) => next += missed,
                Err(RecvError::Closed) => break,
            }
        }
        assert_eq!(next, 2);
        sender.join().unwrap();
    });
}

#[test]
fn drop_against_send() {
    model(|| {
        let (tx, rx) = channel::<Arc<u64>>(1);
        let dropper = thread::spawn(move || drop(rx));
        let _ = tx.send(Arc::new(0));
        let _ = tx.send(Arc::new(1));
        block_on(tx.closed());
        dropper.join().unwrap();
        assert!(tx.is_empty());
    });
}

/// Polls a wait once, and gives it up while it is told; the value is still there afterwards.
#[test]
fn giving_up_against_send() {
    model(|| {
        let (tx, mut rx) = channel::<Arc<u64>>(2);
        let sender = thread::spawn(move || tx.send(Arc::new(1)).is_ok());
        {
            if let Poll::Ready(value) = poll_once(pin!(rx.recv())) {
                assert_eq!(*value.unwrap(), 1);
                sender.join().unwrap();
                return;
            }
        }
        assert_eq!(*block_on(rx.recv()).unwrap(), 1);
        assert!(block_on(rx.recv()).is_err());
        assert!(sender.join().unwrap());
    });
}

/// Two senders, one of them the last: the end comes after both values.
#[test]
fn the_end_comes_last() {
    model(|| {
        let (tx, mut rx) = channel::<Arc<u64>>(2);
        let other = tx.clone();
        let sender = thread::spawn(move || other.send(Arc::new(1)).is_ok());
        tx.send(Arc::new(1)).unwrap();
        drop(tx);
        assert!(block_on(rx.recv()).is_ok());
        assert!(block_on(rx.recv()).is_ok());
        assert!(matches!(block_on(rx.recv()), Err(RecvError::Closed)));
        assert!(sender.join().unwrap());
    });
}

/// A weak sender becomes one only while there is one, and the end is final.
#[test]
fn upgrade_against_the_last_drop() {
    model(|| {
        let (tx, mut rx) = channel::<Arc<u64>>(1);
        let weak = tx.downgrade();
        let other = thread::spawn(move || match weak.upgrade() {
            Some(tx) => tx.send(Arc::new(1)).is_ok(),
            None => false,
        });
        drop(tx);
        let received = block_on(rx.recv()).is_ok();
        if received {
            assert!(matches!(block_on(rx.recv()), Err(RecvError::Closed)));
        }
        assert_eq!(other.join().unwrap(), received);
    });
}

/// What is received was written before, and each receiver's copy is its own.
#[test]
fn a_value_brings_what_came_before_it() {
    model(|| {
        let (tx, mut rx) = channel(1);
        let mut other = tx.subscribe();
        let receiver = thread::spawn(move || {
            let value: Tracked = block_on(other.recv()).ok().unwrap();
            value.add_one();
            value.get()
        });
        assert!(tx.send(Tracked::new(1)).is_ok());
        let value = block_on(rx.recv()).ok().unwrap();
        value.add_one();
        assert_eq!((value.get(), receiver.join().unwrap()), (2, 2));
    });
}

/// The end brings what all senders did, however it is learnt.
#[test]
fn the_end_brings_what_came_before_it() {
    #[derive(Clone, Copy)]
    enum By {
        Waiting,
        TheReceiver,
        AWeakSender,
    }

    for by in [By::Waiting, By::TheReceiver, By::AWeakSender] {
        model(move || {
            let beside = Arc::new([Tracked::new(0), Tracked::new(0)]);
            let (tx, mut rx) = channel::<u32>(1);
            let weak = tx.downgrade();
            let senders: Vec<_> = [tx.clone(), tx]
                .into_iter()
                .enumerate()
                .map(|(i, tx)| {
                    let beside = Arc::clone(&beside);
                    thread::spawn(move || {
                        beside[i].set(1);
                        drop(tx);
                    })
                })
                .collect();
            let ended = match by {
                By::Waiting => block_on(rx.recv()).is_err(),
                By::TheReceiver => rx.is_closed(),
                By::AWeakSender => weak.strong_count() == 0,
            };
            if ended {
                assert_eq!((beside[0].get(), beside[1].get()), (1, 1));
            }
            for sender in senders {
                sender.join().unwrap();
            }
        });
    }
}

/// A future that is polled without having been woken may end as soon as it is out of the queue.
#[test]
fn a_busy_poller_ends_after_the_last_touch() {
    model(|| {
        let (tx, mut rx) = channel::<Arc<u64>>(2);
        let sender = thread::spawn(move || tx.send(Arc::new(1)).is_ok());
        let mut received = false;
        {
            let mut waiting = pin!(rx.recv());
            for _ in 0..2 {
                if !received {
                    received = poll_once(waiting.as_mut()).is_ready();
                }
            }
        }
        assert!(sender.join().unwrap());
        assert_eq!(block_on(rx.recv()).is_ok(), !received);
    });
}
