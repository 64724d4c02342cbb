//! The protocol in all its interleavings.

use super::super::slots::Place;
use super::*;
use crate::engine::base::parker::{self, Parker, block_on};
use crate::engine::reactor::test_support::model;
use crate::loom::sync::Arc;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::thread;
use std::future::poll_fn;

fn source() -> Arc<Source> {
    Arc::new(Source::new(Place::for_tests(), 0, Ready::EMPTY))
}

/// As the reactor does it.
fn event(source: &Source, ready: Ready) {
    let mut batch = WakeBatch::new();
    if source.event(ready, &mut batch) {
        source.wake_list(Some(ready), &mut batch);
    }
    batch.wake_all();
}

#[test]
fn an_event_wakes_the_poller() {
    model(|| {
        let source = source();
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        let seen = block_on(poll_fn(|cx| source.poll_ready(cx, Direction::READ)));
        assert!(seen.ready.is_readable());
        reactor.join().unwrap();
    });
}

/// Two directions, one event each from one reactor: neither disturbs the other.
#[test]
fn the_directions_are_apart() {
    model(|| {
        let source = source();
        let writer = {
            let source = Arc::clone(&source);
            thread::spawn(move || {
                block_on(poll_fn(|cx| source.poll_ready(cx, Direction::WRITE)));
            })
        };
        event(&source, Ready::READABLE);
        event(&source, Ready::WRITABLE);
        let seen = block_on(poll_fn(|cx| source.poll_ready(cx, Direction::READ)));
        assert!(seen.ready.is_readable());
        writer.join().unwrap();
    });
}

/// Bytes arrive and each arrival is an edge; the reader reads what is there and clears on
/// "would block". A lost edge is a deadlock here.
#[test]
fn no_edge_is_lost_to_a_clear() {
    model(|| {
        let shared = Arc::new((source(), AtomicUsize::new(0)));
        let peer = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for _ in 0..2 {
                    shared.1.fetch_add(1, AcqRel);
                    event(&shared.0, Ready::READABLE);
                }
            })
        };
        let mut read = 0;
        while read < 2 {
            let seen = block_on(poll_fn(|cx| shared.0.poll_ready(cx, Direction::READ)));
            // A short read: all that was there, and so nothing is left.
            read += shared.1.swap(0, AcqRel);
            shared.0.clear(seen);
        }
        peer.join().unwrap();
    });
}

#[test]
fn a_shutdown_wakes_the_poller() {
    model(|| {
        let source = source();
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || {
                let mut batch = WakeBatch::new();
                source.shut_down(&mut batch);
            })
        };
        let seen = block_on(poll_fn(|cx| source.poll_ready(cx, Direction::WRITE)));
        assert!(seen.is_shutdown);
        reactor.join().unwrap();
    });
}

/// The waker's own data is seen by who takes it, and the cell has one user at a time.
#[test]
fn a_cell_carries_its_waker() {
    model(|| {
        let source = source();
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        let parker = Arc::new(Parker::new());
        let waker = parker::waker(&parker);
        let _ = source.poll_ready(&mut Context::from_waker(&waker), Direction::READ);
        source.release();
        reactor.join().unwrap();
    });
}

/// Two tasks poll in one direction while an event comes: whoever was told to wait last is woken.
#[test]
fn two_pollers_and_an_event_keep_the_cell_whole() {
    model(|| {
        let source = source();
        let poll = |source: &Source| {
            let parker = Arc::new(Parker::new());
            let waker = parker::waker(&parker);
            let mut cx = Context::from_waker(&waker);
            let is_ready = source.poll_ready(&mut cx, Direction::READ).is_ready();
            (is_ready, parker)
        };
        let other = {
            let source = Arc::clone(&source);
            thread::spawn(move || poll(&source))
        };
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        let mine = poll(&source);
        let theirs = other.join().unwrap();
        reactor.join().unwrap();
        // Told to wait, both: then at least the later of them was told to come again.
        assert!(
            [mine, theirs]
                .iter()
                .any(|(ready, p)| *ready || p.try_consume())
        );
    });
}

/// A task that polls again although nobody woke it uses the cell right after the event that took
/// it; and two that do so use it right after each other.
#[test]
fn a_cell_passes_from_owner_to_owner() {
    model(|| {
        let source = source();
        let poll = |source: &Source| {
            let parker = Arc::new(Parker::new());
            let waker = parker::waker(&parker);
            for _ in 0..2 {
                let mut cx = Context::from_waker(&waker);
                if let Poll::Ready(seen) = source.poll_ready(&mut cx, Direction::READ) {
                    source.clear(seen);
                }
            }
        };
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        poll(&source);
        let seen = source.peek(Interest::READABLE);
        source.clear(seen);
        poll(&source);
        reactor.join().unwrap();
    });
}

/// The registration ends while an event is on its way.
#[test]
fn release_and_event_share_the_wakers() {
    model(|| {
        let source = source();
        let parker = Arc::new(Parker::new());
        let waker = parker::waker(&parker);
        let mut cx = Context::from_waker(&waker);
        assert!(source.poll_ready(&mut cx, Direction::READ).is_pending());
        assert!(source.poll_ready(&mut cx, Direction::WRITE).is_pending());
        let reactor = {
            let source = Arc::clone(&source);
            thread::spawn(move || event(&source, Ready::READABLE | Ready::WRITABLE))
        };
        source.release();
        reactor.join().unwrap();
        // loom reports a waker that nobody dropped: the parker's count would not reach zero.
    });
}
