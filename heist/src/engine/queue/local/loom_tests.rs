//! Models of the ring: four slots, an owner and up to two thieves.
//!
//! # Weakened once
//!
//! Each was changed alone, and these models failed:
//!
//! | what | model |
//! |---|---|
//! | `push_back`: `head` acquire → relaxed | `overflow_vs_thief` |
//! | `push_back`: `tail` release → relaxed | `overflow_vs_thief` |
//! | `overflow`: `tail` release → relaxed | `overflow_publishes_the_older_half` |
//! | `room`: acquire → relaxed | `chained_steal` |
//! | `steal_into`: `tail` release → relaxed | `loot_is_stolen_again` |
//! | `claim`: `tail` acquire → relaxed | `loot_is_stolen_again` |
//! | `finish`: release → relaxed | `overflow_vs_thief` |
//! | Q1: a second thief let in | `overflow_vs_two_thieves` |
//! | Q2: room counted from `real`, not from `steal` | `overflow_publishes_the_older_half` |
//! | `claim`: no check for more than a ring | `loot_is_stolen_again` |

use super::*;
use crate::engine::queue::testing::{Item, Items, model, values};
use crate::loom::thread;

/// Where the indices start: the second wraps within every model.
const STARTS: [u32; 2] = [0, u32::MAX - 1];

fn ring(
    start: u32,
    items: &Items,
    values: std::ops::RangeInclusive<usize>,
) -> (LocalQueue<Item>, Stealer<Item>) {
    let (queue, stealer) = starting_at(start);
    for value in values {
        queue.push_back(items.make(value)).expect("room");
    }
    (queue, stealer)
}

fn drain(queue: &LocalQueue<Item>) -> Vec<usize> {
    std::iter::from_fn(|| queue.pop_front())
        .map(Item::value)
        .collect()
}

/// Robs once, and gives what was robbed in the order of the victim's queue.
fn rob(stealer: &Stealer<Item>) -> Vec<usize> {
    let (own, _stealer) = new();
    let Some((last, n)) = stealer.steal_into(&own) else {
        return Vec::new();
    };
    let mut loot = drain(&own);
    loot.push(last.value());
    assert_eq!(loot.len(), n as usize);
    assert_in_order(&loot);
    loot
}

fn assert_in_order(got: &[usize]) {
    assert!(got.is_sorted(), "out of order: {got:?}");
}

/// Everybody's share together is `1..=n`, each once.
fn assert_all_once(n: usize, shares: &[&[usize]]) {
    let mut all = shares.concat();
    all.sort_unstable();
    assert_eq!(all, (1..=n).collect::<Vec<_>>(), "{shares:?}");
}

/// Push and pop against one thief.
fn push_pop_vs_thief_from(start: u32) {
    model(None, move || {
        let items = Items::default();
        let (queue, stealer) = ring(start, &items, 1..=1);
        let thief = thread::spawn(move || rob(&stealer));
        queue.push_back(items.make(2)).expect("room");
        let mut mine = Vec::new();
        mine.extend(queue.pop_front().map(Item::value));
        queue.push_back(items.make(3)).expect("room");
        mine.extend(drain(&queue));
        let loot = thief.join().unwrap();
        assert_in_order(&mine);
        assert_all_once(3, &[&mine, &loot]);
        assert_eq!(items.living(), 0);
    });
}

#[test]
fn push_pop_vs_thief() {
    STARTS.into_iter().for_each(push_pop_vs_thief_from);
}

/// Q1: `steal != real` keeps the second thief out, and claims are made once.
#[test]
fn push_pop_vs_two_thieves() {
    model(Some(3), || {
        let items = Items::default();
        let (queue, stealer) = ring(u32::MAX - 1, &items, 1..=3);
        let stealer = Arc::new(stealer);
        let thieves = [(); 2].map(|()| {
            let stealer = Arc::clone(&stealer);
            thread::spawn(move || rob(&stealer))
        });
        let mut mine = Vec::new();
        mine.extend(queue.pop_front().map(Item::value));
        queue.push_back(items.make(4)).expect("room");
        mine.extend(drain(&queue));
        let [a, b] = thieves.map(|thief| thief.join().unwrap());
        assert_in_order(&mine);
        assert_all_once(4, &[&mine, &a, &b]);
        assert_eq!(items.living(), 0);
    });
}

/// Q2 and Q4: a full ring overflows while a thief robs it. The claim is either side's; the slots
/// that the thief has emptied are filled again.
fn overflow_vs_thief_from(start: u32) {
    model(Some(4), move || {
        let items = Items::default();
        let (queue, stealer) = ring(start, &items, 1..=4);
        let thief = thread::spawn(move || rob(&stealer));
        let mut spilled = Vec::new();
        for value in 5..=6 {
            if let Err(chain) = queue.push_back(items.make(value)) {
                let spill = values(chain);
                // Either the younger half and the new one, or the new one alone.
                assert!(spill == [3, 4, value] || spill == [value], "{spill:?}");
                spilled.extend(spill);
            }
        }
        let mine = drain(&queue);
        let loot = thief.join().unwrap();
        assert_in_order(&mine);
        assert_all_once(6, &[&mine, &loot, &spilled]);
        assert_eq!(items.living(), 0);
    });
}

#[test]
fn overflow_vs_thief() {
    STARTS.into_iter().for_each(overflow_vs_thief_from);
}

/// Q4: the older half that an overflow puts back reaches a thief that has seen none of the pushes.
#[test]
fn overflow_publishes_the_older_half() {
    model(Some(2), || {
        let items = Items::default();
        let (queue, stealer) = ring(0, &items, 1..=0);
        let thief = thread::spawn(move || rob(&stealer));
        let mut spilled = Vec::new();
        for value in 1..=5 {
            if let Err(chain) = queue.push_back(items.make(value)) {
                spilled.extend(values(chain));
            }
        }
        let loot = thief.join().unwrap();
        let mine = drain(&queue);
        assert_in_order(&mine);
        assert_all_once(5, &[&mine, &loot, &spilled]);
        assert_eq!(items.living(), 0);
    });
}

/// As above with a second thief, who may come between the claim and the refilled half.
#[test]
fn overflow_vs_two_thieves() {
    model(Some(2), || {
        let items = Items::default();
        let (queue, stealer) = ring(u32::MAX - 1, &items, 1..=4);
        let stealer = Arc::new(stealer);
        let thieves = [(); 2].map(|()| {
            let stealer = Arc::clone(&stealer);
            thread::spawn(move || rob(&stealer))
        });
        let spilled = queue
            .push_back(items.make(5))
            .err()
            .map(values)
            .unwrap_or_default();
        let mine = drain(&queue);
        let [a, b] = thieves.map(|thief| thief.join().unwrap());
        assert_in_order(&mine);
        assert_all_once(5, &[&mine, &a, &b, &spilled]);
        assert_eq!(items.living(), 0);
    });
}

/// Q2: the owner's own pop lies between a thief's `finish` and the push into the slots it emptied.
/// The pop must hand the thief's release on.
#[test]
fn pop_then_refill_vs_thief() {
    model(Some(4), || {
        let items = Items::default();
        let (queue, stealer) = ring(0, &items, 1..=4);
        let thief = thread::spawn(move || rob(&stealer));
        let mut mine = Vec::new();
        mine.extend(queue.pop_front().map(Item::value));
        let mut spilled = Vec::new();
        for value in 5..=7 {
            if let Err(chain) = queue.push_back(items.make(value)) {
                spilled.extend(values(chain));
            }
        }
        mine.extend(drain(&queue));
        let loot = thief.join().unwrap();
        assert_in_order(&mine);
        assert_all_once(7, &[&mine, &loot, &spilled]);
        assert_eq!(items.living(), 0);
    });
}

/// The same with two thieves one after the other: what the second one's claim overwrites in `head`
/// is the first one's release.
#[test]
fn second_claim_hands_the_first_release_on() {
    model(Some(3), || {
        let items = Items::default();
        let (queue, stealer) = ring(0, &items, 1..=4);
        let thief = thread::spawn(move || {
            let first = rob(&stealer);
            (first, rob(&stealer))
        });
        let mut spilled = Vec::new();
        for value in 5..=6 {
            if let Err(chain) = queue.push_back(items.make(value)) {
                spilled.extend(values(chain));
            }
        }
        let mine = drain(&queue);
        let (a, b) = thief.join().unwrap();
        assert_in_order(&mine);
        assert_in_order(&[&a[..], &b[..]].concat());
        assert_all_once(6, &[&mine, &a, &b, &spilled]);
        assert_eq!(items.living(), 0);
    });
}

/// The chained steal: the middle one fills its ring from the victim's while it is itself robbed, and
/// the slots it fills are those its own thief has just emptied (`room`).
#[test]
fn chained_steal() {
    model(Some(3), || {
        let items = Items::default();
        let (victim, victims) = ring(0, &items, 1..=3);
        let (middle, middles) = ring(u32::MAX - 1, &items, 4..=7);
        let last = thread::spawn(move || rob(&middles));
        let mut got = Vec::new();
        for _ in 0..2 {
            if let Some((item, n)) = victims.steal_into(&middle) {
                assert_eq!(n, 2);
                got.push(item.value());
                break;
            }
            thread::yield_now();
        }
        got.extend(drain(&middle));
        let loot = last.join().unwrap();
        let rest = drain(&victim);
        assert_in_order(&rest);
        assert_all_once(7, &[&got, &loot, &rest]);
        assert_eq!(items.living(), 0);
    });
}

/// A thief robs the thief: what went through two rings arrives with its content.
#[test]
fn loot_is_stolen_again() {
    model(Some(3), || {
        let items = Items::default();
        let (victim, victims) = ring(0, &items, 1..=4);
        let (middle, middles) = new();
        let last = thread::spawn(move || rob(&middles));
        let other = thread::spawn(move || drain(&victim));
        let mut got = Vec::new();
        got.extend(victims.steal_into(&middle).map(|(item, _)| item.value()));
        got.extend(drain(&middle));
        let (loot, mine) = (last.join().unwrap(), other.join().unwrap());
        assert_in_order(&mine);
        assert_all_once(4, &[&got, &loot, &mine]);
        assert_eq!(items.living(), 0);
    });
}

/// What is in the ring when its last end goes is dropped once.
#[test]
fn dropped_with_items_inside() {
    model(None, || {
        let items = Items::default();
        let (queue, stealer) = ring(u32::MAX - 1, &items, 1..=3);
        let thief = thread::spawn(move || rob(&stealer).len());
        drop(queue);
        thief.join().unwrap();
        assert_eq!(items.living(), 0);
    });
}
