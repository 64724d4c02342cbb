//! oneshot.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use heist::sync::oneshot::{self, error::TryRecvError};

use crate::harness::{Polled, sequences};

/// Both ends are polled through a fresh future each time, with a waker that stays: what counts is the
/// last waker, not the future.
#[test]
fn oneshot() {
    sequences(|rng| {
        let (tx, rx) = oneshot::channel::<u32>();
        let (mut tx, mut rx) = (Some(tx), Some(rx));
        // What the model knows: a value that was sent and not received, and who has ended what.
        let mut value = None;
        let mut closed = false;
        let mut finished = false;
        for i in 0..12 {
            match rng.below(8) {
                0 => {
                    if let Some(tx) = tx.take() {
                        let expected = if closed { Err(i) } else { Ok(()) };
                        assert_eq!(tx.send(i), expected);
                        if !closed {
                            value = Some(i);
                        }
                    }
                }
                1 if rng.below(3) == 0 => drop(tx.take()),
                2 if rng.below(3) == 0 => {
                    if let Some(rx) = &mut rx {
                        rx.close();
                        closed = true;
                    }
                }
                3 if rng.below(4) == 0 => {
                    if rx.take().is_some() {
                        closed = true;
                        value = None;
                    }
                }
                4 => {
                    let Some(rx) = &mut rx else { continue };
                    let expected = match value.take() {
                        Some(value) => Ok(value),
                        None if finished || closed || tx.is_none() => Err(TryRecvError::Closed),
                        None => Err(TryRecvError::Empty),
                    };
                    assert_eq!(rx.try_recv(), expected);
                    finished |= expected != Err(TryRecvError::Empty);
                }
                5 | 6 => {
                    let Some(rx) = rx.as_mut().filter(|_| !finished) else {
                        continue;
                    };
                    let mut polled = Polled::new(poll_fn(|cx| Pin::new(&mut *rx).poll(cx)));
                    let expected = match value.take() {
                        Some(value) => Poll::Ready(Ok(value)),
                        None if closed || tx.is_none() => Poll::Ready(Err(())),
                        None => Poll::Pending,
                    };
                    assert_eq!(polled.poll().map_err(drop), expected);
                    finished |= expected.is_ready();
                    if expected.is_pending() && rng.below(3) == 0 {
                        // Woken when the sender acts, in either way.
                        match tx.take() {
                            Some(tx) if rng.below(2) == 0 => {
                                assert_eq!(tx.send(i), Ok(()));
                                value = Some(i);
                            }
                            sender => drop(sender),
                        }
                        assert!(polled.was_woken(), "lost wake");
                    }
                }
                _ => {
                    let Some(tx) = &mut tx else { continue };
                    let ended = closed || finished;
                    assert_eq!(tx.is_closed(), ended);
                    let mut polled = Polled::new(tx.closed());
                    assert_eq!(polled.poll().is_ready(), ended);
                    if !ended && rng.below(4) == 0 {
                        match &mut rx {
                            Some(rx) if rng.below(2) == 0 => rx.close(),
                            _ => drop(rx.take()),
                        }
                        closed = true;
                        assert!(polled.was_woken(), "lost wake");
                    }
                }
            }
            if let Some(rx) = &rx {
                assert_eq!(rx.is_empty(), value.is_none());
                assert_eq!(rx.is_terminated(), finished);
            }
        }
    });
}
