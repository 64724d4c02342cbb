//! broadcast.

use std::task::Poll;

use heist::sync::broadcast::error::{RecvError, TryRecvError};
use heist::sync::broadcast::{self, Receiver, Sender, WeakSender};

use crate::harness::{Polled, Rng, pick, poll_and_drop, sequences};

type Received = Result<u32, RecvError>;

/// One in `recv`, which gives the receiver back.
type Waiting<'a> = Polled<'a, (Receiver<u32>, Received)>;

struct Model<'a> {
    capacity: usize,
    senders: Vec<Sender<u32>>,
    weak: WeakSender<u32>,
    /// All that was ever sent.
    sent: Vec<u32>,
    /// Receivers, and what each receives next.
    receivers: Vec<(Receiver<u32>, usize)>,
    /// Those in `recv`, the same.
    waiting: Vec<(Waiting<'a>, usize)>,
}

#[test]
fn broadcast() {
    sequences(|rng| {
        let capacity = 1 << rng.below(3);
        let (tx, rx) = broadcast::channel(capacity);
        let mut model = Model {
            capacity,
            weak: tx.downgrade(),
            senders: vec![tx],
            sent: Vec::new(),
            receivers: vec![(rx, 0)],
            waiting: Vec::new(),
        };
        for i in 0..60 {
            if rng.below(5) < 2 {
                model.send(rng, i);
            } else {
                model.receive(rng);
            }
            model.check();
        }
    });
}

impl Model<'_> {
    /// What a receiver that is at `next` gets, and where it is then.
    fn expected(&self, next: usize) -> (Result<u32, TryRecvError>, usize) {
        let oldest = self.sent.len().saturating_sub(self.capacity);
        if next < oldest {
            return (Err(TryRecvError::Lagged((oldest - next) as u64)), oldest);
        }
        match self.sent.get(next) {
            Some(value) => (Ok(*value), next + 1),
            None if self.senders.is_empty() => (Err(TryRecvError::Closed), next),
            None => (Err(TryRecvError::Empty), next),
        }
    }

    fn count(&self) -> usize {
        self.receivers.len() + self.waiting.len()
    }

    fn send(&mut self, rng: &mut Rng, i: u32) {
        let Some(at) = pick(rng, &self.senders) else {
            assert!(self.weak.upgrade().is_none());
            return;
        };
        let count = self.count();
        match rng.below(12) {
            0..8 => {
                let result = self.senders[at].send(i);
                assert_eq!(result.ok(), (count > 0).then_some(count));
                if count > 0 {
                    self.sent.push(i);
                }
            }
            8 | 9 => {
                let rx = self.senders[at].subscribe();
                self.receivers.push((rx, self.sent.len()));
            }
            10 => self.senders.extend(self.weak.upgrade()),
            _ => {
                if rng.below(2) == 0 {
                    drop(self.senders.swap_remove(at));
                }
            }
        }
    }

    fn receive(&mut self, rng: &mut Rng) {
        if rng.below(3) == 0 {
            let Some(at) = pick(rng, &self.waiting) else {
                return;
            };
            if rng.below(4) == 0 {
                drop(self.waiting.swap_remove(at));
            } else {
                self.poll_waiting(rng, at);
            }
            return;
        }
        let Some(at) = pick(rng, &self.receivers) else {
            return;
        };
        let (expected, then) = self.expected(self.receivers[at].1);
        let (rx, next) = &mut self.receivers[at];
        match rng.below(10) {
            0..3 => {
                assert_eq!(rx.try_recv(), expected);
                *next = then;
            }
            3..6 => {
                // A wait that is given up at once has taken what it returned, and nothing else.
                let result = poll_and_drop(rx.recv());
                assert_eq!(result, polled(expected));
                *next = then;
            }
            6 => {
                let new = rx.resubscribe();
                self.receivers.push((new, self.sent.len()));
            }
            7 => drop(self.receivers.swap_remove(at)),
            _ => {
                let (mut rx, next) = self.receivers.swap_remove(at);
                let future = Polled::new(async move {
                    let result = rx.recv().await;
                    (rx, result)
                });
                self.waiting.push((future, next));
                self.poll_waiting(rng, self.waiting.len() - 1);
            }
        }
    }

    fn poll_waiting(&mut self, rng: &mut Rng, at: usize) {
        let (expected, then) = self.expected(self.waiting[at].1);
        match (self.waiting[at].0.poll_somehow(rng), polled(expected)) {
            (Poll::Pending, Poll::Pending) => {}
            (Poll::Ready((rx, result)), Poll::Ready(expected)) => {
                assert_eq!(result, expected);
                drop(self.waiting.swap_remove(at));
                self.receivers.push((rx, then));
            }
            (_, expected) => panic!("the model says {expected:?}"),
        }
    }

    fn check(&self) {
        let nexts = self.receivers.iter().map(|(_, next)| *next);
        let nexts = nexts.chain(self.waiting.iter().map(|(_, next)| *next));
        let unread = nexts.min().map_or(0, |next| self.sent.len() - next);
        for tx in &self.senders {
            assert_eq!(tx.receiver_count(), self.count());
            assert_eq!(tx.len(), unread.min(self.capacity));
            assert_eq!(tx.is_empty(), unread == 0);
            assert_eq!(tx.strong_count(), self.senders.len());
        }
        for (rx, next) in &self.receivers {
            assert_eq!(rx.len(), self.sent.len() - next);
            assert_eq!(rx.is_closed(), self.senders.is_empty());
        }
        for (future, next) in &self.waiting {
            let told = polled(self.expected(*next).0).is_ready();
            assert!(future.was_woken() || !told, "lost wake");
        }
    }
}

/// What `recv` makes of what `try_recv` says.
fn polled(result: Result<u32, TryRecvError>) -> Poll<Received> {
    Poll::Ready(match result {
        Ok(value) => Ok(value),
        Err(TryRecvError::Closed) => Err(RecvError::Closed),
        Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged(missed)),
        Err(TryRecvError::Empty) => return Poll::Pending,
    })
}
