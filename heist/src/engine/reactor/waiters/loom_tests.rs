//! The protocol in all its interleavings.

use super::super::slots::Place;
use super::super::source::Direction;
use super::*;
use crate::engine::base::parker::{self, Parker, block_on};
use crate::engine::reactor::test_support::model;
use crate::loom::sync::Arc;
use crate::loom::thread;
use std::future::poll_fn;
use std::pin::pin;

fn source() -> Arc<Source> {
    Arc::new(Source::new(Place::for_tests(), 0, Ready::EMPTY))
}

fn event(source: &Source, ready: Ready) {
    let mut batch = WakeBatch::new();
    if source.event(ready, &mut batch) {
        source.wake_list(Some(ready), &mut batch);
    }
}

#[test]
fn an_event_wakes_two_waiters() {
    model(|| {
        let source = source();
        let other = {
            let source = Arc::clone(&source);
            thread::spawn(move || block_on(source.readiness(Interest::READABLE)))
        };
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        assert!(
            block_on(source.readiness(Interest::READABLE))
                .ready
                .is_readable()
        );
        assert!(other.join().unwrap().ready.is_readable());
        reactor.join().unwrap();
    });
}

#[test]
fn a_shutdown_wakes_a_waiter_and_a_poller() {
    model(|| {
        let source = source();
        let poller = {
            let source = Arc::clone(&source);
            thread::spawn(move || block_on(poll_fn(|cx| source.poll_ready(cx, Direction::READ))))
        };
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || {
                let mut batch = WakeBatch::new();
                if source.shut_down(&mut batch) {
                    source.wake_list(None, &mut batch);
                }
            })
        };
        assert!(block_on(source.readiness(Interest::WRITABLE)).is_shutdown);
        assert!(poller.join().unwrap().is_shutdown);
        reactor.join().unwrap();
    });
}

/// One waiter gives up while an event comes and another waits on.
#[test]
fn giving_up_does_not_take_anothers_wake() {
    model(|| {
        let source = source();
        let quitter = {
            let source = Arc::clone(&source);
            thread::spawn(move || {
                let parker = Arc::new(Parker::new());
                let waker = parker::waker(&parker);
                let mut readiness = pin!(source.readiness(Interest::READABLE));
                let _ = readiness.as_mut().poll(&mut Context::from_waker(&waker));
            })
        };
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        assert!(
            block_on(source.readiness(Interest::READABLE))
                .ready
                .is_readable()
        );
        quitter.join().unwrap();
        reactor.join().unwrap();
    });
}
