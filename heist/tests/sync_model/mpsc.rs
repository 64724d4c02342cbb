//! mpsc, bounded and unbounded.

use std::collections::VecDeque;
use std::task::Poll;

use heist::sync::mpsc::error::{TryRecvError, TrySendError};
use heist::sync::mpsc::{self, OwnedPermit, Receiver, Sender};

use crate::harness::{Polled, Rng, pick, poll_and_drop, sequences};
use crate::permits::{FairPermits, Look};

/// What one who waits for room gets.
enum Got {
    Sent,
    Reserved(OwnedPermit<u32>),
    Refused,
}

/// One who waits for room: a send of a message, or a reservation.
struct Sending<'a> {
    id: usize,
    message: Option<u32>,
    future: Polled<'a, Got>,
}

enum Receiving<'a> {
    Idle(Receiver<u32>),
    /// In `recv`, which gives it back.
    Waits(Polled<'a, (Receiver<u32>, Option<u32>)>),
    Gone,
}

struct Model<'a> {
    capacity: usize,
    room: FairPermits,
    queue: VecDeque<u32>,
    senders: Vec<Sender<u32>>,
    reserved: Vec<OwnedPermit<u32>>,
    sending: Vec<Sending<'a>>,
    receiving: Receiving<'a>,
}

#[test]
fn bounded() {
    sequences(|rng| {
        let capacity = 1 + rng.below(4);
        let (tx, rx) = mpsc::channel(capacity);
        let weak = tx.downgrade();
        let mut model = Model {
            capacity,
            room: FairPermits::new(capacity),
            queue: VecDeque::new(),
            senders: vec![tx],
            reserved: Vec::new(),
            sending: Vec::new(),
            receiving: Receiving::Idle(rx),
        };
        for i in 0..80 {
            match rng.below(10) {
                0..4 => model.send(rng, i),
                4..6 => model.go_on_sending(rng),
                6 => {
                    let upgraded = weak.upgrade();
                    assert_eq!(upgraded.is_some(), model.strong_count() > 0);
                    model.senders.extend(upgraded);
                }
                _ => model.receive(rng),
            }
            model.check();
        }
    });
}

impl Model<'_> {
    fn strong_count(&self) -> usize {
        self.senders.len() + self.reserved.len() + self.sending.len()
    }

    /// What the receiver finds; the model does not change.
    fn expected(&self) -> Result<u32, TryRecvError> {
        let drained = self.room.closed && self.room.available() == self.capacity;
        match self.queue.front() {
            Some(message) => Ok(*message),
            None if drained || self.strong_count() == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    fn received(&mut self, n: usize) {
        self.queue.drain(..n);
        self.room.release(n);
    }

    fn send(&mut self, rng: &mut Rng, i: u32) {
        let Some(at) = pick(rng, &self.senders) else {
            return;
        };
        let tx = self.senders[at].clone();
        match rng.below(12) {
            0..5 => {
                let reserve = rng.below(3) == 0;
                let mut future = Polled::new(async move {
                    if reserve {
                        tx.reserve_owned().await.map_or(Got::Refused, Got::Reserved)
                    } else {
                        tx.send(i).await.map_or(Got::Refused, |()| Got::Sent)
                    }
                });
                let message = (!reserve).then_some(i);
                let id = i as usize;
                match (future.poll(), self.room.acquire(id, 1)) {
                    (Poll::Pending, Look::Waits) => self.sending.push(Sending {
                        id,
                        message,
                        future,
                    }),
                    (Poll::Ready(got), look) => self.sent(got, look, message),
                    (_, look) => panic!("the model says {look:?}"),
                }
            }
            5..7 => {
                let expected = self.try_room(1).map_err(|error| match error {
                    TrySendError::Full(()) => TrySendError::Full(i),
                    TrySendError::Closed(()) => TrySendError::Closed(i),
                });
                assert_eq!(tx.try_send(i), expected);
                if expected.is_ok() {
                    self.queue.push_back(i);
                }
            }
            7 | 8 => {
                // Room for some, of which some is used.
                let n = rng.below(self.capacity + 2);
                let expected = if n > self.capacity {
                    Err(TrySendError::Full(()))
                } else {
                    self.try_room(n)
                };
                let permits = tx.try_reserve_many(n);
                assert_eq!(permits.as_ref().err(), expected.as_ref().err());
                if let Ok(permits) = permits {
                    let used = rng.below(n + 1);
                    for (j, permit) in permits.take(used).enumerate() {
                        permit.send(i + j as u32);
                        self.queue.push_back(i + j as u32);
                    }
                    self.room.release(n - used);
                }
            }
            9 => {
                let expected = self.try_room(1).is_ok();
                let permit = tx.try_reserve_owned();
                assert_eq!(permit.is_ok(), expected);
                self.reserved.extend(permit.ok());
            }
            10 => self.senders.push(tx),
            _ => {
                let closed = self.room.closed;
                assert_eq!(poll_and_drop(tx.closed()).is_ready(), closed);
                drop(self.senders.swap_remove(at));
            }
        }
    }

    fn try_room(&mut self, n: usize) -> Result<(), TrySendError<()>> {
        if self.room.closed {
            Err(TrySendError::Closed(()))
        } else if self.room.try_acquire(n) {
            Ok(())
        } else {
            Err(TrySendError::Full(()))
        }
    }

    fn sent(&mut self, got: Got, look: Look, message: Option<u32>) {
        match (got, look) {
            (Got::Sent, Look::Granted) => self.queue.push_back(message.unwrap()),
            (Got::Reserved(permit), Look::Granted) => self.reserved.push(permit),
            (Got::Refused, Look::Refused) => {}
            (_, look) => panic!("the model says {look:?}"),
        }
    }

    /// Those who wait for room, or have it.
    fn go_on_sending(&mut self, rng: &mut Rng) {
        if rng.below(2) == 0 {
            let Some(at) = pick(rng, &self.reserved) else {
                return;
            };
            let permit = self.reserved.swap_remove(at);
            match rng.below(3) {
                0 => {
                    // Also when it is closed: this was promised. Without a receiver it stays there.
                    drop(permit.send(7));
                    self.queue.push_back(7);
                }
                1 => {
                    self.senders.push(permit.release());
                    self.room.release(1);
                }
                _ => {
                    drop(permit);
                    self.room.release(1);
                }
            }
            return;
        }
        let Some(at) = pick(rng, &self.sending) else {
            return;
        };
        if rng.below(3) == 0 {
            let sending = self.sending.swap_remove(at);
            self.room.give_up(sending.id);
            return;
        }
        let Sending {
            id,
            message,
            future,
        } = &mut self.sending[at];
        let message = *message;
        match (future.poll_somehow(rng), self.room.look(*id)) {
            (Poll::Pending, Look::Waits) => {}
            (Poll::Ready(got), look) => {
                drop(self.sending.swap_remove(at));
                self.sent(got, look, message);
            }
            (_, look) => panic!("the model says {look:?}"),
        }
    }

    fn receive(&mut self, rng: &mut Rng) {
        let expected = self.expected();
        self.receiving = match std::mem::replace(&mut self.receiving, Receiving::Gone) {
            Receiving::Gone => Receiving::Gone,
            Receiving::Waits(mut future) => match (future.poll_somehow(rng), expected) {
                (Poll::Pending, Err(TryRecvError::Empty)) => Receiving::Waits(future),
                (Poll::Ready((rx, result)), expected) => {
                    assert_eq!(result, expected.ok());
                    self.received(usize::from(result.is_some()));
                    Receiving::Idle(rx)
                }
                (_, expected) => panic!("the model says {expected:?}"),
            },
            Receiving::Idle(mut rx) => match rng.below(20) {
                0..6 => {
                    assert_eq!(rx.try_recv(), expected);
                    self.received(usize::from(expected.is_ok()));
                    Receiving::Idle(rx)
                }
                6..10 => {
                    let expected = match expected {
                        Ok(message) => Poll::Ready(Some(message)),
                        Err(TryRecvError::Disconnected) => Poll::Ready(None),
                        Err(TryRecvError::Empty) => Poll::Pending,
                    };
                    assert_eq!(poll_and_drop(rx.recv()), expected);
                    self.received(usize::from(matches!(expected, Poll::Ready(Some(_)))));
                    Receiving::Idle(rx)
                }
                10..13 => {
                    let limit = rng.below(4);
                    let mut buffer = Vec::new();
                    let result = poll_and_drop(rx.recv_many(&mut buffer, limit));
                    let n = limit.min(self.queue.len());
                    let waits = limit != 0 && expected == Err(TryRecvError::Empty);
                    assert_eq!(result, if waits { Poll::Pending } else { Poll::Ready(n) });
                    assert!(buffer.iter().eq(self.queue.iter().take(n)));
                    self.received(n);
                    Receiving::Idle(rx)
                }
                13 => {
                    if rng.below(3) == 0 {
                        rx.close();
                        self.room.close();
                    }
                    Receiving::Idle(rx)
                }
                14 if rng.below(4) == 0 => {
                    drop(rx);
                    self.room.close();
                    self.received(self.queue.len());
                    Receiving::Gone
                }
                _ => {
                    let mut future = Polled::new(async move {
                        let message = rx.recv().await;
                        (rx, message)
                    });
                    match future.poll() {
                        Poll::Pending => {
                            assert_eq!(expected, Err(TryRecvError::Empty));
                            Receiving::Waits(future)
                        }
                        Poll::Ready((rx, result)) => {
                            assert_eq!(result, expected.ok());
                            assert_ne!(expected, Err(TryRecvError::Empty));
                            self.received(usize::from(result.is_some()));
                            Receiving::Idle(rx)
                        }
                    }
                }
            },
        };
    }

    fn check(&self) {
        for tx in &self.senders {
            assert_eq!(tx.capacity(), self.room.available());
            assert_eq!(tx.is_closed(), self.room.closed);
            assert_eq!(tx.strong_count(), self.strong_count());
        }
        for sending in &self.sending {
            let told = self.room.is_told(sending.id);
            assert!(sending.future.was_woken() || !told, "lost wake");
        }
        match &self.receiving {
            Receiving::Gone => {}
            Receiving::Idle(rx) => {
                assert_eq!(
                    (rx.len(), rx.is_empty()),
                    (self.queue.len(), self.queue.is_empty())
                );
                assert_eq!(rx.is_closed(), self.room.closed || self.strong_count() == 0);
                assert_eq!(rx.sender_strong_count(), self.strong_count());
            }
            Receiving::Waits(future) => {
                let told = self.expected() != Err(TryRecvError::Empty);
                assert!(future.was_woken() || !told, "lost wake");
            }
        }
    }
}

#[test]
fn unbounded() {
    sequences(|rng| {
        let (tx, rx) = mpsc::unbounded_channel();
        let mut senders = vec![tx];
        let mut idle = Some(rx);
        let mut waiting = None;
        let mut queue = VecDeque::new();
        let mut closed = false;
        for i in 0..100 {
            let found = |queue: &VecDeque<u32>, closed: bool, senders: usize| match queue.front() {
                Some(message) => Ok(*message),
                None if closed || senders == 0 => Err(TryRecvError::Disconnected),
                None => Err(TryRecvError::Empty),
            };
            let expected = found(&queue, closed, senders.len());
            match rng.below(16) {
                0..7 => {
                    if let Some(at) = pick(rng, &senders) {
                        assert_eq!(senders[at].is_closed(), closed);
                        let result = senders[at].send(i);
                        assert_eq!(result.is_err(), closed);
                        if !closed {
                            queue.push_back(i);
                        }
                    }
                }
                7 => {
                    if let Some(at) = pick(rng, &senders) {
                        if rng.below(2) == 0 {
                            senders.push(senders[at].clone());
                        } else {
                            drop(senders.swap_remove(at));
                        }
                    }
                }
                8 if rng.below(10) == 0 => {
                    if let Some(rx) = &mut idle {
                        rx.close();
                        closed = true;
                    }
                }
                _ => {
                    let mut future = match (waiting.take(), idle.take()) {
                        (Some(future), _) => future,
                        (None, Some(mut rx)) => {
                            if rng.below(2) == 0 {
                                assert_eq!(rx.try_recv(), expected);
                                queue.pop_front();
                                idle = Some(rx);
                                continue;
                            }
                            Polled::new(async move {
                                let message = rx.recv().await;
                                (rx, message)
                            })
                        }
                        (None, None) => unreachable!("it is in one of the two"),
                    };
                    match future.poll_somehow(rng) {
                        Poll::Pending => {
                            assert_eq!(expected, Err(TryRecvError::Empty));
                            waiting = Some(future);
                        }
                        Poll::Ready((rx, result)) => {
                            assert_eq!(result, expected.ok());
                            assert_ne!(expected, Err(TryRecvError::Empty));
                            queue.pop_front();
                            idle = Some(rx);
                        }
                    }
                }
            }
            if let Some(rx) = &idle {
                assert_eq!(
                    (rx.len(), rx.is_closed()),
                    (queue.len(), closed || senders.is_empty())
                );
            }
            if let Some(future) = &waiting {
                let told = found(&queue, closed, senders.len()) != Err(TryRecvError::Empty);
                assert!(future.was_woken() || !told, "lost wake");
            }
        }
    });
}
