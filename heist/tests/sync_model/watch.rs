//! watch.

use std::task::Poll;

use heist::sync::watch;

use crate::harness::{Polled, Rng, pick, poll_and_drop, sequences};

/// A receiver, and which version the model says it has seen.
struct Watcher {
    rx: watch::Receiver<u32>,
    seen: i64,
}

/// A receiver that is in `changed`, and gives itself back.
struct Waiting<'a> {
    future: Polled<'a, (watch::Receiver<u32>, bool)>,
    seen: i64,
}

struct Model<'a> {
    senders: Vec<watch::Sender<u32>>,
    watchers: Vec<Watcher>,
    waiting: Vec<Waiting<'a>>,
    value: u32,
    version: i64,
    /// All senders are gone.
    ended: bool,
}

#[test]
fn watch() {
    sequences(|rng| {
        let (tx, rx) = watch::channel(0);
        let mut model = Model {
            senders: vec![tx],
            watchers: vec![Watcher { rx, seen: 0 }],
            waiting: Vec::new(),
            value: 0,
            version: 0,
            ended: false,
        };
        for i in 1..60 {
            if rng.below(2) == 0 {
                model.receive(rng);
            } else {
                model.send(rng, i);
            }
            model.check();
        }
    });
}

impl Model<'_> {
    fn changed(&mut self, value: u32) {
        self.value = value;
        self.version += 1;
    }

    fn receivers(&self) -> usize {
        self.watchers.len() + self.waiting.len()
    }

    fn send(&mut self, rng: &mut Rng, i: u32) {
        let Some(at) = pick(rng, &self.senders) else {
            return;
        };
        let receivers = self.receivers();
        match rng.below(12) {
            0..4 => {
                let result = self.senders[at].send(i);
                assert_eq!(result.is_ok(), receivers > 0);
                if receivers > 0 {
                    self.changed(i);
                }
            }
            4 => {
                assert_eq!(self.senders[at].send_replace(i), self.value);
                self.changed(i);
            }
            5 => {
                self.senders[at].send_modify(|value| *value += 100);
                self.changed(self.value + 100);
            }
            6 => {
                // What it changed stays, but nobody is told.
                let tell = rng.below(2) == 0;
                let told = self.senders[at].send_if_modified(|value| {
                    *value += 1;
                    tell
                });
                assert_eq!(told, tell);
                self.value += 1;
                self.version += i64::from(tell);
            }
            7 => {
                let rx = self.senders[at].subscribe();
                let seen = self.version;
                self.watchers.push(Watcher { rx, seen });
            }
            8 => {
                let clone = self.senders[at].clone();
                self.senders.push(clone);
            }
            9 if rng.below(3) == 0 => {
                drop(self.senders.swap_remove(at));
                self.ended = self.senders.is_empty();
            }
            _ => {
                let tx = self.senders.swap_remove(at);
                {
                    let mut closed = Polled::new(tx.closed());
                    assert_eq!(closed.poll().is_ready(), receivers == 0);
                    if receivers == 1 && self.waiting.is_empty() {
                        drop(self.watchers.pop());
                        assert!(closed.was_woken(), "lost wake");
                    }
                }
                self.senders.push(tx);
            }
        }
    }

    fn receive(&mut self, rng: &mut Rng) {
        if rng.below(4) == 0 {
            return self.wait(rng);
        }
        let Some(at) = pick(rng, &self.watchers) else {
            return;
        };
        let (version, ended, value) = (self.version, self.ended, self.value);
        let Watcher { rx, seen } = &mut self.watchers[at];
        let unseen = *seen != version;
        match rng.below(12) {
            0 => assert_eq!((*rx.borrow(), rx.borrow().has_changed()), (value, unseen)),
            1 | 2 => {
                let look = rx.borrow_and_update();
                assert_eq!((*look, look.has_changed()), (value, unseen));
                drop(look);
                *seen = version;
            }
            3 => {
                rx.mark_changed();
                // One back: not the one there is, unless it lagged by just that.
                *seen -= 1;
            }
            4 => {
                rx.mark_unchanged();
                *seen = version;
            }
            5 | 6 => {
                let expected = match (unseen, ended) {
                    (true, _) => Poll::Ready(true),
                    (false, true) => Poll::Ready(false),
                    (false, false) => Poll::Pending,
                };
                let result = poll_and_drop(rx.changed()).map(|result| result.is_ok());
                assert_eq!(result, expected);
                if unseen {
                    *seen = version;
                }
            }
            7 => {
                let wanted = rng.below(3) as u32;
                let fits = |value: u32| value % 3 == wanted;
                let result = poll_and_drop(rx.wait_for(|value| fits(*value)))
                    .map(|result| result.map(|look| (*look, look.has_changed())).ok());
                let expected = match (fits(value), ended) {
                    (true, _) => Poll::Ready(Some((value, unseen))),
                    (false, true) => Poll::Ready(None),
                    (false, false) => Poll::Pending,
                };
                assert_eq!(result, expected);
                *seen = version;
            }
            8 => {
                let watcher = Watcher {
                    rx: rx.clone(),
                    seen: *seen,
                };
                self.watchers.push(watcher);
            }
            9 => drop(self.watchers.swap_remove(at)),
            _ => {
                let Watcher { mut rx, seen } = self.watchers.swap_remove(at);
                let future = Polled::new(async move {
                    let changed = rx.changed().await.is_ok();
                    (rx, changed)
                });
                self.waiting.push(Waiting { future, seen });
                self.poll_waiting(rng, self.waiting.len() - 1);
            }
        }
    }

    fn wait(&mut self, rng: &mut Rng) {
        let Some(at) = pick(rng, &self.waiting) else {
            return;
        };
        if rng.below(4) == 0 {
            drop(self.waiting.swap_remove(at));
        } else {
            self.poll_waiting(rng, at);
        }
    }

    fn poll_waiting(&mut self, rng: &mut Rng, at: usize) {
        let waiting = &mut self.waiting[at];
        let unseen = waiting.seen != self.version;
        match waiting.future.poll_somehow(rng) {
            Poll::Pending => assert!(!unseen && !self.ended),
            Poll::Ready((rx, changed)) => {
                assert_eq!(changed, unseen);
                assert!(unseen || self.ended);
                drop(self.waiting.swap_remove(at));
                let seen = self.version;
                self.watchers.push(Watcher { rx, seen });
            }
        }
    }

    fn check(&self) {
        for tx in &self.senders {
            assert_eq!(*tx.borrow(), self.value);
            assert_eq!(tx.receiver_count(), self.receivers());
            assert_eq!(tx.sender_count(), self.senders.len());
            assert_eq!(tx.is_closed(), self.receivers() == 0);
        }
        for Watcher { rx, seen } in &self.watchers {
            assert_eq!(rx.is_closed(), self.ended);
            let expected = (!self.ended).then_some(*seen != self.version);
            assert_eq!(rx.has_changed().ok(), expected);
        }
        for Waiting { future, seen } in &self.waiting {
            let told = *seen != self.version || self.ended;
            assert!(future.was_woken() || !told, "lost wake");
        }
    }
}

#[test]
fn what_ends_a_wait_is_no_news_any_more() {
    let (tx, mut rx) = watch::channel(0);
    {
        let mut wait = Polled::new(async {
            rx.wait_for(|value| *value == 1)
                .await
                .unwrap()
                .has_changed()
        });
        assert!(wait.poll().is_pending());
        tx.send(1).unwrap();
        assert_eq!(wait.poll(), Poll::Ready(false));
    }
    tx.send(1).unwrap();
    let seen_at_once =
        poll_and_drop(rx.wait_for(|value| *value == 1)).map(|look| look.unwrap().has_changed());
    assert_eq!(seen_at_once, Poll::Ready(true));
}
