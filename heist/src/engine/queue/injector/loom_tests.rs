//! Models of the injector: two producers, one or two takers.
//!
//! # Weakened once
//!
//! Each was changed alone, and these models failed:
//!
//! | what | model |
//! |---|---|
//! | `publish`: release → relaxed | `close_vs_push` |
//! | `refill`: acquire → relaxed | `close_vs_push_vs_take` |
//! | `close`: acquire → relaxed | `close_vs_push` |
//! | `len`: acquire → relaxed | `len_vs_push_and_take` |
//! | J4: no push says `First` | `who_leaves_work_passes_the_word_on` |

use super::*;
use crate::engine::queue::testing::{Item, Items, model, values};
use crate::loom::sync::atomic::{AtomicBool, Ordering, fence};
use crate::loom::sync::{Arc, Condvar, Mutex};
use crate::loom::thread;

fn assert_all_once(n: usize, shares: &[&[usize]]) {
    let mut all = shares.concat();
    all.sort_unstable();
    assert_eq!(all, (1..=n).collect::<Vec<_>>(), "{shares:?}");
}

fn push(injector: &Injector<Item>, item: Item) -> bool {
    match injector.push(item) {
        Push::First => true,
        Push::Joined => false,
        Push::Closed(_) => panic!("nobody closed it"),
    }
}

fn take(injector: &Injector<Item>, n: usize) -> Vec<usize> {
    injector.try_take(|_| n).map(values).unwrap_or_default()
}

/// J1 to J3: everything once, and the same producer's in order for each taker.
#[test]
fn two_producers_two_takers() {
    model(Some(2), || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        let producers = [1, 3].map(|first| {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            thread::spawn(move || {
                push(&injector, items.make(first));
                push(&injector, items.make(first + 1));
            })
        });
        let taker = {
            let injector = Arc::clone(&injector);
            thread::spawn(move || take(&injector, 2))
        };
        let mut mine = take(&injector, 1);
        for producer in producers {
            producer.join().unwrap();
        }
        let other = taker.join().unwrap();
        mine.extend(take(&injector, usize::MAX));
        mine.extend(take(&injector, usize::MAX));
        for got in [&mine, &other] {
            for pair in [[1, 2], [3, 4]] {
                let at = pair.map(|value| got.iter().position(|&v| v == value));
                assert!(
                    !(at[0].is_some() && at[1].is_some() && at[0] > at[1]),
                    "{got:?}"
                );
            }
        }
        assert_all_once(4, &[&mine, &other]);
        assert!(injector.is_empty());
        assert_eq!(items.living(), 0);
    });
}

/// J2: a batch stays together and in order, whatever is taken meanwhile.
#[test]
fn push_chain_vs_take() {
    model(None, || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        push(&injector, items.make(1));
        let producer = {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            thread::spawn(move || {
                let pushed = injector.push_chain(items.chain(2..=4));
                assert!(!matches!(pushed, Push::Closed(_)));
            })
        };
        let mut mine = take(&injector, 2);
        mine.extend(take(&injector, 1));
        producer.join().unwrap();
        mine.extend(take(&injector, usize::MAX));
        mine.extend(take(&injector, usize::MAX));
        assert_eq!(mine, [1, 2, 3, 4]);
        assert_eq!(items.living(), 0);
    });
}

/// J5: a push that races `close` is in what it returns, or comes back.
#[test]
fn close_vs_push() {
    model(None, || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        let one = {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            thread::spawn(move || match injector.push(items.make(1)) {
                Push::Closed(item) => vec![item.value()],
                _ => Vec::new(),
            })
        };
        let batch = {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            thread::spawn(move || match injector.push_chain(items.chain(2..=3)) {
                Push::Closed(chain) => values(chain),
                _ => Vec::new(),
            })
        };
        let all = values(injector.close());
        let (one, batch) = (one.join().unwrap(), batch.join().unwrap());
        assert!(batch.is_empty() || batch == [2, 3]);
        assert_all_once(3, &[&all, &one, &batch]);
        assert!(injector.is_empty() && injector.close().is_empty());
        assert_eq!(items.living(), 0);
    });
}

/// J5 with a taker at work: what it left, what it took and what came back is everything.
#[test]
fn close_vs_push_vs_take() {
    model(Some(3), || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        push(&injector, items.make(1));
        push(&injector, items.make(2));
        let taker = {
            let injector = Arc::clone(&injector);
            thread::spawn(move || take(&injector, 1))
        };
        let producer = {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            thread::spawn(move || match injector.push(items.make(3)) {
                Push::Closed(item) => vec![item.value()],
                _ => Vec::new(),
            })
        };
        let all = values(injector.close());
        let (taken, back) = (taker.join().unwrap(), producer.join().unwrap());
        assert!(all.is_sorted());
        assert_all_once(3, &[&all, &taken, &back]);
        assert_eq!(items.living(), 0);
    });
}

/// A count of "somebody, come": what a scheduler does with `Push::First`.
struct Bell {
    rung: Mutex<usize>,
    changed: Condvar,
}

impl Bell {
    fn new() -> Self {
        Self {
            rung: Mutex::new(0),
            changed: Condvar::new(),
        }
    }

    fn ring(&self) {
        *self.rung.lock() += 1;
        self.changed.notify_one();
    }

    fn wait(&self) {
        let mut rung = self.rung.lock();
        while *rung == 0 {
            rung = self.changed.wait(rung);
        }
        *rung -= 1;
    }
}

/// J4: only `First` rings, and a taker that comes for each ring, once, gets everything. A lost item
/// is a deadlock.
#[test]
fn first_rings_joined_rides() {
    model(Some(3), || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        let bell = Arc::new(Bell::new());
        let producers = [1..=1, 2..=3].map(|batch| {
            let (injector, items, bell) = (Arc::clone(&injector), items.clone(), Arc::clone(&bell));
            thread::spawn(move || {
                for value in batch {
                    if push(&injector, items.make(value)) {
                        bell.ring();
                    }
                }
            })
        });
        let mut mine = Vec::new();
        while mine.len() < 3 {
            bell.wait();
            // All there is: the out-list, and then the in-stack.
            mine.extend(take(&injector, usize::MAX));
        }
        for producer in producers {
            producer.join().unwrap();
        }
        assert_all_once(3, &[&mine]);
        assert_eq!(items.living(), 0);
    });
}

/// J4 and J6 with a second taker who leaves work behind and passes the word on: the first finds the
/// lock taken, which is no reason to go back to sleep.
#[test]
fn who_leaves_work_passes_the_word_on() {
    model(Some(2), || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        let bell = Arc::new(Bell::new());
        let left = Arc::new(Mutex::new(3_usize));
        let producer = {
            let (injector, items, bell) = (Arc::clone(&injector), items.clone(), Arc::clone(&bell));
            thread::spawn(move || {
                if matches!(injector.push_chain(items.chain(1..=2)), Push::First) {
                    bell.ring();
                }
                if push(&injector, items.make(3)) {
                    bell.ring();
                }
            })
        };
        let other = {
            let (injector, bell, left) =
                (Arc::clone(&injector), Arc::clone(&bell), Arc::clone(&left));
            thread::spawn(move || {
                let got = take(&injector, 1);
                let mut left = left.lock();
                *left -= got.len();
                if *left == 0 || (!got.is_empty() && !injector.is_empty()) {
                    bell.ring();
                }
                got
            })
        };
        let mut mine = Vec::new();
        while *left.lock() > 0 {
            bell.wait();
            loop {
                match injector.try_take(|n| n) {
                    Some(chain) => {
                        let got = values(chain);
                        *left.lock() -= got.len();
                        mine.extend(got);
                        break;
                    }
                    // J6: busy.
                    None => thread::yield_now(),
                }
            }
        }
        producer.join().unwrap();
        let got = other.join().unwrap();
        assert_all_once(3, &[&mine, &got]);
        assert_eq!(items.living(), 0);
    });
}

/// The sleep protocol on top of `is_empty`: announce, fence, look; against push, fence, look. Only
/// the `First` producer looks.
#[test]
fn nobody_sleeps_on_an_item() {
    model(Some(3), || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        let asleep = Arc::new(AtomicBool::new(false));
        let bell = Arc::new(Bell::new());
        let producers = [1, 2].map(|value| {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            let (asleep, bell) = (Arc::clone(&asleep), Arc::clone(&bell));
            thread::spawn(move || {
                if push(&injector, items.make(value)) {
                    fence(Ordering::SeqCst);
                    if asleep.load(Relaxed) && asleep.swap(false, Relaxed) {
                        bell.ring();
                    }
                }
            })
        });
        let mut mine = Vec::new();
        while mine.len() < 2 {
            // A swap, not a store: loom lets a plain store slip between the halves of a producer's
            // swap.
            asleep.swap(true, Relaxed);
            fence(Ordering::SeqCst);
            if injector.is_empty() || !asleep.swap(false, Relaxed) {
                bell.wait();
            }
            mine.extend(take(&injector, usize::MAX));
        }
        for producer in producers {
            producer.join().unwrap();
        }
        assert_all_once(2, &[&mine]);
        assert_eq!(items.living(), 0);
    });
}

/// `len` walks nodes it does not own, while others push and take.
#[test]
fn len_vs_push_and_take() {
    model(Some(3), || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        let producer = {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            thread::spawn(move || {
                push(&injector, items.make(1));
                push(&injector, items.make(2));
            })
        };
        let taker = {
            let injector = Arc::clone(&injector);
            thread::spawn(move || take(&injector, 1))
        };
        let len = injector.len();
        assert!(len <= 2);
        producer.join().unwrap();
        let mut taken = taker.join().unwrap();
        assert_eq!(injector.len(), 2 - taken.len());
        taken.extend(take(&injector, usize::MAX));
        taken.extend(take(&injector, usize::MAX));
        assert_eq!(taken, [1, 2]);
        assert_eq!(items.living(), 0);
    });
}

/// What is inside goes with it.
#[test]
fn dropped_with_items_inside() {
    model(None, || {
        let items = Items::default();
        let injector = Arc::new(Injector::new());
        let producer = {
            let (injector, items) = (Arc::clone(&injector), items.clone());
            thread::spawn(move || {
                push(&injector, items.make(1));
            })
        };
        take(&injector, 0);
        drop(injector);
        producer.join().unwrap();
        assert_eq!(items.living(), 0);
    });
}
