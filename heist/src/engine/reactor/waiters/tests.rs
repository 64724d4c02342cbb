//! One thread at a time.

use super::super::slots::Place;
use super::*;
use crate::engine::reactor::test_support::CountingWaker;
use std::pin::pin;

fn source() -> Source {
    Source::new(Place::for_tests(), 0, Ready::EMPTY)
}

fn event(source: &Source, ready: Ready) {
    let mut batch = WakeBatch::new();
    if source.event(ready, &mut batch) {
        source.wake_list(Some(ready), &mut batch);
    }
}

fn poll(future: Pin<&mut Readiness<'_>>, waker: &CountingWaker) -> Poll<ReadyEvent> {
    future.poll(&mut Context::from_waker(&waker.waker()))
}

#[test]
fn an_event_wakes_all_it_serves_and_no_others() {
    let source = source();
    let waker = CountingWaker::new();
    let mut readers: Vec<_> = (0..100)
        .map(|_| Box::pin(source.readiness(Interest::READABLE)))
        .collect();
    for reader in &mut readers {
        assert!(poll(reader.as_mut(), &waker).is_pending());
    }
    let other = CountingWaker::new();
    let mut writer = pin!(source.readiness(Interest::WRITABLE));
    assert!(poll(writer.as_mut(), &other).is_pending());

    event(&source, Ready::READABLE);
    assert_eq!((waker.count(), other.count()), (100, 0));
    for reader in &mut readers {
        assert!(poll(reader.as_mut(), &waker).is_ready());
    }
    event(&source, Ready::WRITABLE);
    assert_eq!(other.count(), 1);
    assert!(poll(writer.as_mut(), &other).is_ready());
    assert!(source.waiters.lock().is_empty());
}

#[test]
fn readiness_used_up_by_another_is_no_news() {
    let source = source();
    let waker = CountingWaker::new();
    let mut reader = pin!(source.readiness(Interest::READABLE));
    assert!(poll(reader.as_mut(), &waker).is_pending());
    event(&source, Ready::READABLE);
    source.clear(source.peek(Interest::READABLE));
    assert!(poll(reader.as_mut(), &waker).is_pending());
    event(&source, Ready::READABLE);
    assert_eq!(waker.count(), 2);
    assert!(poll(reader.as_mut(), &waker).is_ready());
}

#[test]
fn a_dropped_waiter_leaves_the_list_and_its_waker_behind() {
    let source = source();
    let waker = CountingWaker::new();
    {
        let mut first = pin!(source.readiness(Interest::READABLE));
        let mut second = pin!(source.readiness(Interest::READABLE));
        assert!(poll(first.as_mut(), &waker).is_pending());
        assert!(poll(second.as_mut(), &waker).is_pending());
    }
    assert!(source.waiters.lock().is_empty());
    assert_eq!(waker.references(), 1);
    event(&source, Ready::READABLE);
    assert_eq!(waker.count(), 0);
}

#[test]
fn a_waiter_that_moves_to_another_task_wakes_that_one() {
    let source = source();
    let (first, second) = (CountingWaker::new(), CountingWaker::new());
    let mut reader = pin!(source.readiness(Interest::READABLE));
    assert!(poll(reader.as_mut(), &first).is_pending());
    assert!(poll(reader.as_mut(), &second).is_pending());
    event(&source, Ready::READABLE);
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(first.references(), 1);
}
