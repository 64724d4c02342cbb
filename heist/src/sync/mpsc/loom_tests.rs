use super::error::TryRecvError;
use super::*;
use crate::engine::base::parker::block_on;
use crate::loom::sync::Arc;
use crate::loom::thread;
use crate::sync::testing::Tracked;
use std::future::{Future, poll_fn};
use std::task::{Context, Waker};

fn model(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(f);
}

/// A message that loom counts: one that is lost is a leaked `Arc`.
fn message(i: u32) -> Arc<u32> {
    Arc::new(i)
}

/// Three messages cross from one block to the next, while the receiver sleeps in between.
#[test]
fn across_blocks() {
    model(2, || {
        let (tx, mut rx) = unbounded_channel();
        let sender = thread::spawn(move || {
            for i in 0..3 {
                tx.send(message(i)).unwrap();
            }
        });
        for i in 0..3 {
            assert_eq!(*block_on(rx.recv()).unwrap(), i);
        }
        assert!(block_on(rx.recv()).is_none());
        sender.join().unwrap();
    });
}

#[test]
fn two_senders_and_the_end() {
    model(2, || {
        let (tx, mut rx) = unbounded_channel();
        let senders: Vec<_> = (0..2)
            .map(|i| {
                let tx = tx.clone();
                thread::spawn(move || {
                    tx.send(message(i)).unwrap();
                })
            })
            .collect();
        drop(tx);
        let mut sum = 0;
        while let Some(message) = block_on(rx.recv()) {
            sum += 1 + *message;
        }
        assert_eq!(sum, 3);
        for sender in senders {
            sender.join().unwrap();
        }
    });
}

/// Two senders go on to the next block, while the receiver frees what they left.
#[test]
fn blocks_are_not_freed_too_early() {
    model(2, || {
        let (tx, mut rx) = unbounded_channel();
        tx.send(0).unwrap();
        tx.send(1).unwrap();
        let other = {
            let tx = tx.clone();
            thread::spawn(move || tx.send(2).unwrap())
        };
        let third = {
            let tx = tx.clone();
            thread::spawn(move || tx.send(2).unwrap())
        };
        for i in 0..2 {
            assert_eq!(rx.try_recv(), Ok(i));
        }
        let mut rest = 2;
        while rest > 0 {
            match rx.try_recv() {
                Ok(value) => {
                    assert_eq!(value, 2);
                    rest -= 1;
                }
                Err(_) => thread::yield_now(),
            }
        }
        // One more block, so that the first one is given up.
        tx.send(3).unwrap();
        assert_eq!(rx.try_recv(), Ok(3));
        other.join().unwrap();
        third.join().unwrap();
    });
}

/// A sender that knows nothing of the others' doings claims its place after they have gone on to the
/// next block and the receiver is about to free the first.
#[test]
fn a_late_sender_does_not_walk_over_a_freed_block() {
    model(3, || {
        let (tx, mut rx) = unbounded_channel();
        let late = {
            let tx = tx.clone();
            thread::spawn(move || tx.send(9).unwrap())
        };
        for i in 0..4 {
            tx.send(i).unwrap();
        }
        let mut sum = 0;
        for _ in 0..5 {
            sum += block_on(rx.recv()).unwrap();
        }
        assert_eq!(sum, 15);
        late.join().unwrap();
    });
}

/// Nothing but the message itself can wake the receiver.
#[test]
fn a_message_wakes_while_its_sender_stays() {
    model(2, || {
        let (tx, mut rx) = unbounded_channel();
        let sender = thread::spawn(move || {
            for i in 0..3 {
                tx.send(i).unwrap();
            }
            tx
        });
        for i in 0..3 {
            assert_eq!(block_on(rx.recv()), Some(i));
        }
        drop(sender.join().unwrap());
    });
}

/// B2 of the queue where the flag is set already, and the waker that came with it is gone: the next one is seen as
/// the first would have been.
#[test]
fn a_message_wakes_who_armed_again() {
    model(3, || {
        let (tx, mut rx) = chan::channel(unbounded::Unbounded);
        let mut early = Context::from_waker(Waker::noop());
        assert!(rx.poll_recv(&mut early).is_pending());
        rx.chan.wake_receiver();
        let sender = thread::spawn(move || {
            let claim = tx.chan.tail.claim().ok().expect("an open channel");
            tx.chan.fill(claim, 7);
            tx
        });
        assert_eq!(block_on(poll_fn(|cx| rx.poll_recv(cx))), Some(7));
        drop(sender.join().unwrap());
    });
}

#[test]
fn close_against_send() {
    model(3, || {
        let (tx, mut rx) = unbounded_channel();
        let sender = thread::spawn(move || (0..2).filter(|i| tx.send(message(*i)).is_ok()).count());
        rx.close();
        let mut received = 0;
        while block_on(rx.recv()).is_some() {
            received += 1;
        }
        assert_eq!(sender.join().unwrap(), received);
    });
}

#[test]
fn drop_against_send() {
    model(3, || {
        let (tx, rx) = unbounded_channel();
        let sender = thread::spawn(move || {
            for i in 0..2 {
                let _ = tx.send(message(i));
            }
        });
        drop(rx);
        sender.join().unwrap();
    });
}

#[test]
fn try_recv_never_overlooks_what_was_sent() {
    model(2, || {
        let (tx, mut rx) = unbounded_channel();
        let other = {
            let tx = tx.clone();
            thread::spawn(move || tx.send(message(0)).unwrap())
        };
        tx.send(message(1)).unwrap();
        // Whatever the other does, ours is in there.
        assert!(rx.try_recv().is_ok());
        other.join().unwrap();
        assert!(rx.try_recv().is_ok());
        assert_eq!(rx.try_recv().err(), Some(TryRecvError::Empty));
    });
}

#[test]
fn the_last_permit() {
    model(2, || {
        let (tx, mut rx) = channel(1);
        let sender = thread::spawn(move || {
            block_on(async {
                tx.send(message(0)).await.unwrap();
                tx.send(message(1)).await.unwrap();
            });
        });
        for i in 0..2 {
            assert_eq!(*block_on(rx.recv()).unwrap(), i);
        }
        assert!(block_on(rx.recv()).is_none());
        sender.join().unwrap();
    });
}

#[test]
fn a_permit_dropped_after_the_close_ends_the_wait() {
    model(3, || {
        let (tx, mut rx) = channel::<u32>(1);
        let sender = thread::spawn(move || {
            drop(tx.try_reserve());
            tx
        });
        rx.close();
        assert!(block_on(rx.recv()).is_none());
        drop(sender.join().unwrap());
    });
}

#[test]
fn a_reservation_cancelled_after_the_close_ends_the_wait() {
    model(2, || {
        let (tx, mut rx) = channel::<u32>(1);
        tx.try_send(1).unwrap();
        let sender = thread::spawn(move || {
            let mut reserve = Box::pin(tx.reserve());
            let waker = futures::task::noop_waker();
            let _ = reserve.as_mut().poll(&mut Context::from_waker(&waker));
            drop(reserve);
            tx
        });
        assert_eq!(block_on(rx.recv()), Some(1));
        rx.close();
        assert!(block_on(rx.recv()).is_none());
        drop(sender.join().unwrap());
    });
}

#[test]
fn closed_is_seen_by_the_sender() {
    model(3, || {
        let (tx, rx) = unbounded_channel::<u32>();
        let receiver = thread::spawn(move || drop(rx));
        block_on(tx.closed());
        assert!(tx.is_closed());
        receiver.join().unwrap();
    });
}

#[test]
fn upgrade_against_the_last_drop() {
    model(3, || {
        let (tx, mut rx) = unbounded_channel();
        let weak = tx.downgrade();
        let upgrader = thread::spawn(move || match weak.upgrade() {
            Some(tx) => {
                tx.send(message(1)).unwrap();
                1
            }
            None => 0,
        });
        drop(tx);
        let mut received = 0;
        while block_on(rx.recv()).is_some() {
            received += 1;
        }
        assert_eq!(upgrader.join().unwrap(), received);
    });
}

/// The end brings all messages and what their senders did, however it is learnt.
#[test]
fn the_end_brings_what_came_before_it() {
    for by_waiting in [false, true] {
        model(2, move || {
            let beside = Arc::new([Tracked::new(0), Tracked::new(0)]);
            let (tx, mut rx) = unbounded_channel::<u32>();
            let other = {
                let beside = Arc::clone(&beside);
                let tx = tx.clone();
                thread::spawn(move || {
                    tx.send(1).unwrap();
                    beside[0].set(1);
                    drop(tx);
                })
            };
            let last = {
                let beside = Arc::clone(&beside);
                thread::spawn(move || {
                    beside[1].set(1);
                    drop(tx);
                })
            };
            if by_waiting {
                assert_eq!(block_on(rx.recv()), Some(1));
                assert_eq!(block_on(rx.recv()), None);
                assert_eq!((beside[0].get(), beside[1].get()), (1, 1));
            } else if rx.is_closed() {
                assert_eq!((beside[0].get(), beside[1].get()), (1, 1));
                assert_eq!(rx.try_recv(), Ok(1));
            }
            other.join().unwrap();
            last.join().unwrap();
        });
    }
}

/// A sender that sees the receiver's close sees what the receiver did.
#[test]
fn the_close_brings_what_came_before_it() {
    model(2, || {
        let beside = Arc::new(Tracked::new(0));
        let (bounded, mut bounded_rx) = channel::<u32>(1);
        let (unbounded, mut unbounded_rx) = unbounded_channel::<u32>();
        let closer = {
            let beside = Arc::clone(&beside);
            thread::spawn(move || {
                beside.set(1);
                bounded_rx.close();
                unbounded_rx.close();
            })
        };
        if bounded.is_closed() || unbounded.is_closed() {
            assert_eq!(beside.get(), 1);
        }
        closer.join().unwrap();
    });
}
