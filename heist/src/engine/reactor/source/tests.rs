//! One thread at a time.

use super::super::slots::Place;
use super::*;
use crate::engine::reactor::test_support::CountingWaker;

fn source(ready: Ready) -> Source {
    Source::new(Place::for_tests(), 0, ready)
}

fn event(source: &Source, ready: Ready) {
    let mut batch = WakeBatch::new();
    source.event(ready, &mut batch);
}

#[test]
fn a_stale_clear_does_nothing_whatever_the_number_of_events_between() {
    for between in [1, 255, 256, 65_535, 65_536, 70_000] {
        let source = source(Ready::EMPTY);
        event(&source, Ready::READABLE);
        let seen = source.peek(Interest::READABLE);
        for _ in 0..between {
            event(&source, Ready::READABLE);
        }
        source.clear(seen);
        assert!(source.peek(Interest::READABLE).ready.is_readable());
    }
}

#[test]
fn closed_and_shutdown_survive_a_clear() {
    let source = source(Ready::EMPTY);
    event(&source, Ready::READABLE | Ready::READ_CLOSED);
    source.shut_down(&mut WakeBatch::new());
    let seen = source.peek(Interest::READABLE);
    assert!(seen.is_shutdown);
    source.clear(seen);
    let now = source.peek(Interest::READABLE);
    assert_eq!(now.ready, Ready::READ_CLOSED);
    assert!(now.is_shutdown);
}

#[test]
fn the_tick_wraps_without_touching_the_flags() {
    let source = source(Ready::EMPTY);
    source.word.store(u64::MAX / TICK * TICK, Relaxed);
    event(&source, Ready::WRITABLE);
    assert_eq!(source.word.load(Relaxed), u64::from(Ready::WRITABLE.bits()));
}

#[test]
fn an_event_wakes_only_the_direction_it_serves() {
    let source = source(Ready::EMPTY);
    let (reader, writer) = (CountingWaker::new(), CountingWaker::new());
    let wait = |waker: &CountingWaker, direction| {
        source
            .poll_ready(&mut Context::from_waker(&waker.waker()), direction)
            .is_pending()
    };
    assert!(wait(&reader, Direction::READ));
    assert!(wait(&writer, Direction::WRITE));
    event(&source, Ready::READABLE);
    assert_eq!((reader.count(), writer.count()), (1, 0));
    event(&source, Ready::WRITE_CLOSED);
    assert_eq!((reader.count(), writer.count()), (1, 1));
    // Nobody waits any more.
    event(&source, Ready::ALL);
    assert_eq!((reader.count(), writer.count()), (1, 1));
}

#[test]
fn the_last_poller_is_woken_and_no_waker_is_leaked() {
    let source = source(Ready::EMPTY);
    let (first, second) = (CountingWaker::new(), CountingWaker::new());
    for waker in [&first, &first, &second, &second] {
        let waker = waker.waker();
        let mut cx = Context::from_waker(&waker);
        assert!(source.poll_ready(&mut cx, Direction::READ).is_pending());
    }
    assert_eq!(first.references(), 1);
    event(&source, Ready::READABLE);
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(second.references(), 1);
}

#[test]
fn release_drops_without_waking() {
    let source = source(Ready::EMPTY);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    assert!(source.poll_ready(&mut cx, Direction::READ).is_pending());
    assert!(source.poll_ready(&mut cx, Direction::WRITE).is_pending());
    drop(waker);
    assert_eq!(counting.references(), 3);
    source.release();
    assert_eq!((counting.references(), counting.count()), (1, 0));
}

#[test]
fn a_waker_whose_clone_panics_leaves_the_cell_usable() {
    use std::task::{RawWaker, RawWakerVTable};
    static PANICS: RawWakerVTable =
        RawWakerVTable::new(|_| panic!("clone"), |_| (), |_| (), |_| ());
    // SAFETY: the functions ignore the pointer.
    let bad = unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &PANICS)) };
    let source = source(Ready::EMPTY);
    let good = CountingWaker::new();
    for stored_before in [false, true] {
        if stored_before {
            let mut cx_waker = Context::from_waker(Waker::noop());
            assert!(
                source
                    .poll_ready(&mut cx_waker, Direction::READ)
                    .is_pending()
            );
        }
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = source.poll_ready(&mut Context::from_waker(&bad), Direction::READ);
        }));
        assert!(panicked.is_err());
    }
    let waker = good.waker();
    let mut cx = Context::from_waker(&waker);
    assert!(source.poll_ready(&mut cx, Direction::READ).is_pending());
    event(&source, Ready::READABLE);
    assert_eq!(good.count(), 1);
}
