use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, Wake, Waker};
use std::{future::Future, pin::Pin};

use super::error::{RecvError, TryRecvError};
use super::*;
use crate::engine::base::rng::FastRand;

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn waker() -> (Arc<Count>, Waker) {
    let count = Arc::new(Count::default());
    (Arc::clone(&count), Waker::from(count))
}

fn poll<T>(rx: &mut Receiver<T>, waker: &Waker) -> Poll<Result<T, RecvError>> {
    Pin::new(rx).poll(&mut Context::from_waker(waker))
}

#[test]
fn the_cell_is_small() {
    assert_eq!(size_of::<Sender<u64>>(), size_of::<usize>());
    assert_eq!(size_of::<Receiver<u64>>(), size_of::<usize>());
}

#[test]
fn send_wakes_the_receiver_and_leaves_no_waker_behind() {
    let (count, waker) = waker();
    let (tx, mut rx) = channel();
    assert!(poll(&mut rx, &waker).is_pending());
    assert!(poll(&mut rx, &waker).is_pending());
    assert_eq!(Arc::strong_count(&count), 3);
    tx.send(Box::new(3)).unwrap();
    assert_eq!(count.0.load(SeqCst), 1);
    assert_eq!(Arc::strong_count(&count), 2);
    assert!(!rx.is_empty());
    assert_eq!(poll(&mut rx, &waker), Poll::Ready(Ok(Box::new(3))));
    assert!(rx.is_terminated() && rx.is_empty());
    assert_eq!(rx.try_recv(), Err(TryRecvError::Closed));
    rx.close();
}

#[test]
fn a_new_waker_replaces_the_old_one() {
    let (first, first_waker) = waker();
    let (second, second_waker) = waker();
    let (tx, mut rx) = channel::<()>();
    assert!(poll(&mut rx, &first_waker).is_pending());
    assert!(poll(&mut rx, &second_waker).is_pending());
    assert_eq!(Arc::strong_count(&first), 2);
    drop(tx);
    assert_eq!((first.0.load(SeqCst), second.0.load(SeqCst)), (0, 1));
    assert_eq!(poll(&mut rx, &first_waker), Poll::Ready(Err(RecvError(()))));
}

#[test]
fn a_dropped_receiver_drops_its_waker_at_once_and_wakes_the_sender() {
    let (count, rx_waker) = waker();
    let (tx_count, tx_waker) = waker();
    let (mut tx, mut rx) = channel::<String>();
    assert!(poll(&mut rx, &rx_waker).is_pending());
    assert!(
        tx.poll_closed(&mut Context::from_waker(&tx_waker))
            .is_pending()
    );
    drop(rx);
    assert_eq!(Arc::strong_count(&count), 2);
    assert_eq!(tx_count.0.load(SeqCst), 1);
    assert!(tx.is_closed());
    assert!(
        tx.poll_closed(&mut Context::from_waker(&tx_waker))
            .is_ready()
    );
    assert_eq!(tx.send("back".into()), Err("back".into()));
    assert_eq!(Arc::strong_count(&tx_count), 2);
}

#[test]
fn close_refuses_new_values_but_keeps_the_old() {
    let (tx, mut rx) = channel();
    tx.send(1).unwrap();
    rx.close();
    assert_eq!(rx.try_recv(), Ok(1));

    let (tx, mut rx) = channel();
    assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    rx.close();
    assert!(tx.is_closed());
    assert_eq!(tx.send(1), Err(1));
    assert_eq!(rx.try_recv(), Err(TryRecvError::Closed));

    let (tx, rx) = channel::<u8>();
    drop(tx);
    assert_eq!(rx.blocking_recv(), Err(RecvError(())));
}

#[test]
#[should_panic(expected = "polled after")]
fn polled_again_it_panics() {
    let (tx, mut rx) = channel();
    tx.send(1).unwrap();
    let (_, waker) = waker();
    assert!(poll(&mut rx, &waker).is_ready());
    let _ = poll(&mut rx, &waker);
}

#[test]
fn blocking_receive_is_refused_on_a_runtime_thread() {
    let (_tx, rx) = channel::<()>();
    current::set_may_block(false);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| rx.blocking_recv()));
    current::set_may_block(true);
    assert!(result.is_err());
}

/// A waker whose wake panics must not leak the cell or the value.
#[test]
fn a_panicking_waker_leaks_nothing() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            panic!("wake")
        }
    }
    let value = Arc::new(());
    for dropped in [false, true] {
        let (mut tx, mut rx) = channel();
        let bad = Waker::from(Arc::new(Bad));
        if dropped {
            assert!(tx.poll_closed(&mut Context::from_waker(&bad)).is_pending());
            let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(rx)));
            assert!(unwound.is_err());
            assert!(tx.send(Arc::clone(&value)).is_err());
        } else {
            assert!(poll(&mut rx, &bad).is_pending());
            let sent = Arc::clone(&value);
            let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tx.send(sent)));
            assert!(unwound.is_err());
            assert!(rx.try_recv().is_ok());
        }
    }
    assert_eq!(Arc::strong_count(&value), 1);
}

/// Any order of operations agrees with a plain model.
#[test]
fn random_operations_agree_with_a_model() {
    let mut rng = FastRand::new(11);
    let (_, waker) = waker();
    for _ in 0..20_000 {
        let value = Arc::new(());
        let (tx, rx) = channel();
        let (mut tx, mut rx) = (Some(tx), Some(rx));
        let (mut sent, mut closed, mut taken, mut ended) = (false, false, false, false);
        for _ in 0..8 {
            match rng.below(7) {
                0 => {
                    if let Some(tx) = tx.take() {
                        let ok = tx.send(Arc::clone(&value)).is_ok();
                        assert_eq!(ok, !closed);
                        sent = ok;
                    }
                }
                1 => tx = None,
                2 => {
                    if let Some(rx) = &mut rx {
                        rx.close();
                        closed = true;
                    }
                }
                3 => {
                    rx = None;
                    closed = true;
                }
                4 => {
                    if let Some(rx) = &mut rx {
                        let expect = if ended || taken {
                            Err(TryRecvError::Closed)
                        } else if sent {
                            taken = true;
                            Ok(value.clone())
                        } else if closed || tx.is_none() {
                            ended = true;
                            Err(TryRecvError::Closed)
                        } else {
                            Err(TryRecvError::Empty)
                        };
                        assert_eq!(rx.try_recv(), expect);
                    }
                }
                5 => {
                    if let Some(rx) = rx.as_mut().filter(|rx| !rx.is_terminated()) {
                        match poll(rx, &waker) {
                            Poll::Pending => assert!(!sent && !closed && tx.is_some()),
                            Poll::Ready(Ok(_)) => {
                                assert!(sent);
                                taken = true;
                            }
                            Poll::Ready(Err(_)) => {
                                assert!(!sent && (closed || tx.is_none()));
                                ended = true;
                            }
                        }
                    }
                }
                _ => {
                    if let Some(tx) = &mut tx {
                        let ready = tx.poll_closed(&mut Context::from_waker(&waker)).is_ready();
                        assert_eq!(ready, closed || ended);
                    }
                }
            }
        }
        drop((tx, rx));
        assert_eq!(Arc::strong_count(&value), 1);
    }
}

#[test]
fn across_threads() {
    for i in 0..2_000 {
        let (tx, rx) = channel();
        let sender = std::thread::spawn(move || tx.send(i));
        assert_eq!(rx.blocking_recv(), Ok(i));
        sender.join().unwrap().unwrap();
    }
}
