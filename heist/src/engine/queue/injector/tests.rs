use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::engine::base::rng::FastRand;
use crate::engine::queue::testing::{Item, Items, values};

#[test]
fn chain_is_a_queue() {
    let items = Items::default();
    let mut chain = items.chain(1..=2);
    assert_eq!(chain.pop_front().map(Item::value), Some(1));
    chain.push_back(items.make(3));
    assert_eq!(chain.len(), 2);
    assert_eq!(values(chain), [2, 3]);
    let mut chain = items.chain(4..=6);
    drop(chain.pop_front());
    drop(chain);
    assert_eq!(items.living(), 0);
    let mut empty = Chain::<Item>::new();
    assert!(empty.is_empty() && empty.pop_front().is_none());
}

#[test]
fn first_is_told_once_until_it_is_taken() {
    let items = Items::default();
    let injector = Injector::new();
    assert!(matches!(injector.push(items.make(1)), Push::First));
    assert!(matches!(injector.push(items.make(2)), Push::Joined));
    assert!(matches!(
        injector.push_chain(items.chain(3..=4)),
        Push::Joined
    ));
    assert!(matches!(injector.push_chain(Chain::new()), Push::Joined));
    assert_eq!(injector.len(), 4);
    assert_eq!(values(injector.try_take(|n| n / 2).unwrap()), [1, 2]);
    // The in-stack is empty again, though the out-list is not.
    assert!(!injector.is_empty());
    assert!(matches!(
        injector.push_chain(items.chain(5..=6)),
        Push::First
    ));
    assert_eq!(injector.len(), 4);
    // J2: the older batch first, and alone.
    assert_eq!(values(injector.try_take(|_| 9).unwrap()), [3, 4]);
    assert_eq!(values(injector.try_take(|_| 1).unwrap()), [5]);
    assert_eq!(values(injector.close()), [6]);
    assert!(injector.is_empty());
    let Push::Closed(back) = injector.push(items.make(7)) else {
        panic!("closed");
    };
    assert_eq!(back.value(), 7);
    let Push::Closed(back) = injector.push_chain(items.chain(8..=10)) else {
        panic!("closed");
    };
    assert_eq!(values(back), [8, 9, 10]);
    assert_eq!(injector.len(), 0);
    assert_eq!(items.living(), 0);
}

#[test]
fn behaves_as_a_deque() {
    let mut rng = FastRand::new(3);
    let items = Items::default();
    let injector = Injector::new();
    let mut model = VecDeque::new();
    let mut next = 0;
    for _ in 0..50_000 {
        let n = rng.below(5) as usize;
        if rng.below(2) == 0 {
            let batch = next..next + n;
            next += n;
            let pushed = if n == 1 {
                matches!(injector.push(items.make(batch.start)), Push::Closed(_))
            } else {
                matches!(
                    injector.push_chain(items.chain(batch.clone())),
                    Push::Closed(_)
                )
            };
            assert!(!pushed);
            model.extend(batch);
        } else {
            for value in values(injector.try_take(|_| n).expect("no other taker")) {
                assert_eq!(model.pop_front(), Some(value));
            }
        }
        assert_eq!(injector.is_empty(), model.is_empty());
        if rng.below(100) == 0 {
            assert_eq!(injector.len(), model.len());
        }
    }
    assert!(values(injector.close()).into_iter().eq(model));
    assert_eq!(items.living(), 0);
}

/// Four producers, three takers, a million items: each once, each producer's in order for each taker.
#[test]
fn each_item_once_under_stress() {
    const PRODUCERS: usize = 4;
    const EACH: usize = if cfg!(miri) { 200 } else { 250_000 };
    let items = Items::default();
    let injector = Injector::<Item>::new();
    let done = AtomicBool::new(false);
    let shares = std::thread::scope(|scope| {
        let producers = std::array::from_fn::<_, PRODUCERS, _>(|p| {
            let (injector, items) = (&injector, &items);
            scope.spawn(move || {
                let mut rng = FastRand::new(p as u64);
                let mut i = 0;
                while i < EACH {
                    let n = (1 + rng.below(4) as usize).min(EACH - i);
                    let batch = (i..i + n).map(|i| i * PRODUCERS + p);
                    assert!(!matches!(
                        injector.push_chain(items.chain(batch)),
                        Push::Closed(_)
                    ));
                    i += n;
                }
            })
        });
        let takers = [1, 7, usize::MAX].map(|n| {
            let (injector, done) = (&injector, &done);
            scope.spawn(move || {
                let mut got = Vec::new();
                loop {
                    let last = done.load(std::sync::atomic::Ordering::Acquire);
                    match injector.try_take(|_| n).map(values) {
                        Some(some) if !some.is_empty() => got.extend(some),
                        _ if last && injector.is_empty() => return got,
                        _ => std::thread::yield_now(),
                    }
                }
            })
        });
        for producer in producers {
            producer.join().unwrap();
        }
        done.store(true, std::sync::atomic::Ordering::Release);
        takers.map(|taker| taker.join().unwrap())
    });
    for share in &shares {
        for p in 0..PRODUCERS {
            assert!(share.iter().filter(|&v| v % PRODUCERS == p).is_sorted());
        }
    }
    let mut all = shares.concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..PRODUCERS * EACH));
    assert_eq!(items.living(), 0);
}
