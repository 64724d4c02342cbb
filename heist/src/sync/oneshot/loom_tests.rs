use super::*;
use crate::engine::base::parker::block_on;
use crate::loom::sync::Arc;
use crate::loom::thread;
use futures::task::noop_waker;

/// loom reports a value that was neither received nor dropped as a leaked `Arc`.
fn value() -> Arc<u32> {
    Arc::new(7)
}

#[test]
fn send_and_receive() {
    loom::model(|| {
        let (tx, rx) = channel();
        let sender = thread::spawn(move || tx.send(value()).unwrap());
        assert_eq!(*block_on(rx).unwrap(), 7);
        sender.join().unwrap();
    });
}

#[test]
fn a_dropped_sender_ends_the_wait() {
    loom::model(|| {
        let (tx, rx) = channel::<Arc<u32>>();
        let sender = thread::spawn(move || drop(tx));
        assert!(block_on(rx).is_err());
        sender.join().unwrap();
    });
}

#[test]
fn send_against_close_and_drop() {
    loom::model(|| {
        let (tx, mut rx) = channel();
        let sender = thread::spawn(move || tx.send(value()).is_ok());
        rx.close();
        let received = rx.try_recv().is_ok();
        drop(rx);
        assert_eq!(sender.join().unwrap(), received);
    });
}

#[test]
fn a_receiver_that_is_dropped_while_waiting() {
    loom::model(|| {
        let (tx, mut rx) = channel();
        let sender = thread::spawn(move || drop(tx.send(value())));
        let waker = noop_waker();
        let _ = Pin::new(&mut rx).poll(&mut Context::from_waker(&waker));
        drop(rx);
        sender.join().unwrap();
    });
}

#[test]
fn a_waker_is_changed_while_the_value_comes() {
    loom::model(|| {
        let (tx, mut rx) = channel();
        let sender = thread::spawn(move || tx.send(value()).unwrap());
        let other = noop_waker();
        let first = Pin::new(&mut rx).poll(&mut Context::from_waker(&other));
        if first.is_pending() {
            assert_eq!(*block_on(&mut rx).unwrap(), 7);
        }
        sender.join().unwrap();
    });
}

#[test]
fn the_sender_waits_for_the_close() {
    loom::model(|| {
        let (mut tx, rx) = channel::<Arc<u32>>();
        let receiver = thread::spawn(move || drop(rx));
        let other = noop_waker();
        if tx
            .poll_closed(&mut Context::from_waker(&other))
            .is_pending()
        {
            block_on(tx.closed());
        }
        assert!(tx.send(value()).is_err());
        receiver.join().unwrap();
    });
}

#[test]
fn the_sender_waits_then_sends_against_a_close() {
    loom::model(|| {
        let (mut tx, mut rx) = channel();
        let receiver = thread::spawn(move || {
            rx.close();
            rx.try_recv().is_ok()
        });
        let other = noop_waker();
        let _ = tx.poll_closed(&mut Context::from_waker(&other));
        let sent = tx.send(value()).is_ok();
        assert_eq!(receiver.join().unwrap(), sent);
    });
}
