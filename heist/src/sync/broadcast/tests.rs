use super::error::{RecvError, TryRecvError};
use super::*;
use crate::engine::base::parker::block_on;
use crate::engine::base::rng::FastRand;
use crate::sync::test_support::CountingWaker;
use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc as StdArc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

#[test]
fn every_receiver_gets_every_value() {
    let (tx, mut a) = channel(4);
    let mut b = a.resubscribe();
    assert_eq!(tx.receiver_count(), 2);
    assert_eq!(tx.send("x").unwrap(), 2);
    assert_eq!((tx.len(), a.len(), b.is_empty()), (1, 1, false));
    assert_eq!(a.try_recv(), Ok("x"));
    assert_eq!(a.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(tx.len(), 1);
    assert_eq!(b.blocking_recv(), Ok("x"));
    assert!(tx.is_empty());
    let weak = tx.downgrade();
    let tx2 = weak.upgrade().unwrap();
    assert!(tx2.same_channel(&tx) && a.same_channel(&b));
    assert_eq!((a.sender_strong_count(), a.sender_weak_count()), (2, 1));
    assert_eq!((weak.clone().strong_count(), weak.weak_count()), (2, 2));
    tx.send("y").unwrap();
    drop((tx, tx2));
    assert!(weak.upgrade().is_none() && a.is_closed());
    assert_eq!(
        (a.try_recv(), a.try_recv()),
        (Ok("y"), Err(TryRecvError::Closed))
    );
    assert_eq!(block_on(b.recv()), Ok("y"));
    assert_eq!(block_on(b.recv()), Err(RecvError::Closed));
}

#[test]
fn without_receivers() {
    let tx = Sender::new(1);
    assert_eq!(tx.send(1).unwrap_err().0, 1);
    block_on(tx.closed());
    let mut rx = tx.subscribe();
    tx.send(2).unwrap();
    assert_eq!(rx.try_recv(), Ok(2));
    let (count, waker) = CountingWaker::new();
    let mut cx = Context::from_waker(&waker);
    let mut closed = Box::pin(tx.closed());
    assert!(closed.as_mut().poll(&mut cx).is_pending());
    drop(rx);
    assert_eq!(count.count(), 1);
    assert!(closed.as_mut().poll(&mut cx).is_ready());
    assert!(catch_unwind(|| Sender::<u8>::new(0)).is_err());
}

#[test]
fn the_slow_are_told_what_they_missed() {
    let (tx, mut rx) = channel(3);
    for i in 0..10 {
        tx.send(i).unwrap();
    }
    // Rounded up to four.
    assert_eq!(rx.len(), 10);
    assert_eq!(rx.try_recv(), Err(TryRecvError::Lagged(6)));
    assert_eq!(rx.try_recv(), Ok(6));
    tx.send(10).unwrap();
    assert_eq!(block_on(rx.recv()), Ok(7));
}

#[test]
fn values_are_dropped_when_the_last_has_read_them() {
    let value = StdArc::new(());
    let (tx, mut a) = channel(4);
    let b = tx.subscribe();
    tx.send(StdArc::clone(&value)).unwrap();
    assert_eq!(StdArc::strong_count(&value), 2);
    drop(a.try_recv().unwrap());
    assert_eq!(StdArc::strong_count(&value), 2);
    drop(b);
    assert_eq!(StdArc::strong_count(&value), 1);
    for _ in 0..9 {
        tx.send(StdArc::clone(&value)).unwrap();
    }
    assert_eq!(StdArc::strong_count(&value), 5);
    drop(a);
    assert_eq!(StdArc::strong_count(&value), 1);
}

#[test]
fn a_panicking_clone_or_drop_loses_nothing_else() {
    struct Bad(StdArc<std::sync::atomic::AtomicUsize>, u8);
    impl Clone for Bad {
        fn clone(&self) -> Self {
            assert!(self.1 != 1, "clone");
            Self(self.0.clone(), self.1)
        }
    }
    impl Drop for Bad {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
            assert!(self.1 != 2, "drop");
        }
    }
    let drops = StdArc::new(std::sync::atomic::AtomicUsize::new(0));
    let (tx, mut a) = channel(8);
    let b = tx.subscribe();
    for kind in 0..4 {
        assert!(tx.send(Bad(drops.clone(), kind)).is_ok());
    }
    assert_eq!(a.try_recv().unwrap().1, 0);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(a.try_recv()))).is_err());
    drop(a);
    assert_eq!(drops.load(SeqCst), 1);
    // Nobody but `b` has them now; the drop of the third panics, the fourth goes too.
    assert!(catch_unwind(AssertUnwindSafe(|| drop(b))).is_err());
    assert_eq!(drops.load(SeqCst), 5);
    assert_eq!(tx.receiver_count(), 0);
}

#[test]
fn random_operations_agree_with_a_model() {
    let mut rng = FastRand::new(21);
    for _ in 0..300 {
        let capacity = 1_usize << rng.below(3);
        let tx = Sender::new(capacity);
        let mut sent: Vec<u32> = Vec::new();
        let mut receivers: VecDeque<(Receiver<u32>, usize)> = VecDeque::new();
        for i in 0..120 {
            match rng.below(6) {
                0 if receivers.len() < 4 => receivers.push_back((tx.subscribe(), sent.len())),
                1 => drop(receivers.pop_front()),
                2 | 3 => {
                    let result = tx.send(i);
                    assert_eq!(result.is_ok(), !receivers.is_empty());
                    if result.is_ok() {
                        sent.push(i);
                    }
                }
                _ if !receivers.is_empty() => {
                    let at = rng.below(receivers.len() as u32) as usize;
                    let (rx, next) = &mut receivers[at];
                    assert_eq!(rx.len(), sent.len() - *next);
                    let oldest = sent.len().saturating_sub(capacity);
                    let expect = if *next < oldest {
                        let missed = oldest - *next;
                        *next = oldest;
                        Err(TryRecvError::Lagged(missed as u64))
                    } else if *next == sent.len() {
                        Err(TryRecvError::Empty)
                    } else {
                        *next += 1;
                        Ok(sent[*next - 1])
                    };
                    assert_eq!(rx.try_recv(), expect);
                }
                _ => {}
            }
            let slowest = receivers.iter().map(|(_, next)| *next).min();
            let unread = slowest.map_or(0, |next| (sent.len() - next).min(capacity));
            assert_eq!(tx.len(), unread);
            assert_eq!(tx.is_empty(), unread == 0);
        }
    }
}

#[test]
fn threads_receive_all_in_order() {
    let (tx, rx) = channel(1024);
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let mut rx = rx.resubscribe();
            std::thread::spawn(move || {
                let mut next = 0;
                loop {
                    match rx.blocking_recv() {
                        Ok(i) => {
                            assert_eq!(i, next);
                            next += 1;
                        }
                        Err(RecvError::Lagged(missed)) => next += missed,
                        Err(RecvError::Closed) => return next,
                    }
                }
            })
        })
        .collect();
    drop(rx);
    for i in 0..10_000_u64 {
        tx.send(i).unwrap();
    }
    drop(tx);
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 10_000);
    }
}

#[test]
fn the_latest_waker_is_woken_and_the_dropped_is_not() {
    let (tx, mut a) = channel(4);
    let mut b = tx.subscribe();
    let (first, first_waker) = CountingWaker::new();
    let (second, second_waker) = CountingWaker::new();
    let mut waiting = Box::pin(a.recv());
    let mut cx = Context::from_waker(&first_waker);
    assert!(waiting.as_mut().poll(&mut cx).is_pending());
    assert!(waiting.as_mut().poll(&mut cx).is_pending());
    let mut given_up = Box::pin(b.recv());
    assert!(given_up.as_mut().poll(&mut cx).is_pending());
    drop(given_up);
    let mut cx = Context::from_waker(&second_waker);
    assert!(waiting.as_mut().poll(&mut cx).is_pending());
    tx.send(1).unwrap();
    assert_eq!((first.count(), second.count()), (0, 1));
    assert!(waiting.as_mut().poll(&mut cx).is_ready());
    drop(waiting);
    // Nothing was lost by giving up, and a wait that is told can be given up too.
    assert_eq!(b.try_recv(), Ok(1));
    let mut told = Box::pin(a.recv());
    assert!(told.as_mut().poll(&mut cx).is_pending());
    tx.send(2).unwrap();
    drop(told);
    assert_eq!(a.try_recv(), Ok(2));
}

#[test]
fn more_waiters_than_a_batch() {
    let tx = Sender::new(2);
    let (count, waker) = CountingWaker::new();
    let mut cx = Context::from_waker(&waker);
    let mut receivers: Vec<_> = (0..100).map(|_| tx.subscribe()).collect();
    let mut waiting: Vec<_> = receivers.iter_mut().map(|rx| Box::pin(rx.recv())).collect();
    for rx in &mut waiting {
        assert!(rx.as_mut().poll(&mut cx).is_pending());
    }
    tx.send(7).unwrap();
    assert_eq!(count.count(), 100);
    for rx in &mut waiting {
        assert!(rx.as_mut().poll(&mut cx).is_ready());
    }
}

/// E2: one who looks before its sender has got round to it finds that it is told.
#[test]
fn who_looks_between_two_batches_is_told() {
    type Waiting = Pin<Box<dyn Future<Output = Result<u32, RecvError>> + Send>>;

    /// Polls another's future when it is woken.
    struct Poller {
        other: Mutex<Option<Waiting>>,
        found: Mutex<Option<Poll<Result<u32, RecvError>>>>,
    }

    impl Wake for Poller {
        fn wake(self: StdArc<Self>) {
            let mut other = self.other.lock().unwrap().take().unwrap();
            let polled = other
                .as_mut()
                .poll(&mut Context::from_waker(&self.clone().into()));
            *self.found.lock().unwrap() = Some(polled);
        }
    }

    for ended in [false, true] {
        let (tx, rx) = channel::<u32>(2);
        let mut waiting: Vec<Waiting> = (0..40)
            .map(|_| {
                let mut rx = rx.resubscribe();
                Box::pin(async move { rx.recv().await }) as Waiting
            })
            .collect();
        let poller = StdArc::new(Poller {
            other: Mutex::new(None),
            found: Mutex::new(None),
        });
        let first = Waker::from(poller.clone());
        for (i, waiting) in waiting.iter_mut().enumerate() {
            let waker = if i == 0 { &first } else { Waker::noop() };
            let polled = waiting.as_mut().poll(&mut Context::from_waker(waker));
            assert!(polled.is_pending());
        }
        // It is in the second batch of 32, and looked at from within the first.
        *poller.other.lock().unwrap() = waiting.pop();
        let expected = if ended {
            drop(tx);
            Err(RecvError::Closed)
        } else {
            tx.send(7).unwrap();
            Ok(7)
        };
        let found = poller.found.lock().unwrap().take();
        assert_eq!(found, Some(Poll::Ready(expected)));
    }
}

#[test]
fn a_panicking_waker_keeps_nobody_from_being_told() {
    struct Bomb;
    impl std::task::Wake for Bomb {
        fn wake(self: StdArc<Self>) {
            panic!("waker");
        }
    }
    let tx = Sender::new(2);
    let (count, waker) = CountingWaker::new();
    let bomb = std::task::Waker::from(StdArc::new(Bomb));
    let mut receivers: Vec<_> = (0..80).map(|_| tx.subscribe()).collect();
    let mut waiting: Vec<_> = receivers.iter_mut().map(|rx| Box::pin(rx.recv())).collect();
    for (i, rx) in waiting.iter_mut().enumerate() {
        let waker = if i == 3 { &bomb } else { &waker };
        let mut cx = Context::from_waker(waker);
        assert!(rx.as_mut().poll(&mut cx).is_pending());
    }
    assert!(catch_unwind(AssertUnwindSafe(|| tx.send(7))).is_err());
    assert_eq!(count.count(), 79);
    let mut cx = Context::from_waker(&waker);
    for rx in &mut waiting {
        assert_eq!(rx.as_mut().poll(&mut cx), std::task::Poll::Ready(Ok(7)));
    }
}
