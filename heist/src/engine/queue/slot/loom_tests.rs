//! Models of the slot: its owner and up to two thieves.
//!
//! # Weakened once
//!
//! Each was changed alone, and these models failed:
//!
//! | what | model |
//! |---|---|
//! | `replace`: store release → relaxed | `address_reused` |
//! | `replace`: swap release → relaxed | `owner_vs_thief` |
//! | `take`: acquire → relaxed | `address_reused` |
//! | S1: store over a full slot | `owner_vs_thief` |

use super::*;
use crate::engine::queue::testing::{Item, Items, model};
use crate::loom::sync::Arc;
use crate::loom::thread;

fn assert_all_once(n: usize, shares: &[&[usize]]) {
    let mut all = shares.concat();
    all.sort_unstable();
    assert_eq!(all, (1..=n).collect::<Vec<_>>(), "{shares:?}");
}

fn take(slot: &Slot<Item>) -> Vec<usize> {
    slot.take().map(Item::value).into_iter().collect()
}

/// S1 and S2: replacing a full slot, a robbed one, and taking, against one thief.
#[test]
fn owner_vs_thief() {
    model(None, || {
        let items = Items::default();
        let slot = Arc::new(Slot::new());
        let thief = {
            let slot = Arc::clone(&slot);
            thread::spawn(move || take(&slot))
        };
        let mut mine = Vec::new();
        for value in 1..=3 {
            mine.extend(slot.replace(items.make(value)).map(Item::value));
        }
        mine.extend(take(&slot));
        let loot = thief.join().unwrap();
        assert!(mine.is_sorted());
        assert_all_once(3, &[&mine, &loot]);
        drop(slot);
        assert_eq!(items.living(), 0);
    });
}

#[test]
fn owner_vs_two_thieves() {
    model(Some(3), || {
        let items = Items::default();
        let slot = Arc::new(Slot::new());
        let thieves = [(); 2].map(|()| {
            let slot = Arc::clone(&slot);
            thread::spawn(move || take(&slot))
        });
        let mut mine = Vec::new();
        for value in 1..=3 {
            mine.extend(slot.replace(items.make(value)).map(Item::value));
        }
        mine.extend(take(&slot));
        let [a, b] = thieves.map(|thief| thief.join().unwrap());
        assert_all_once(3, &[&mine, &a, &b]);
        assert_eq!(items.living(), 0);
    });
}

/// S2: the owner takes and frees the item that the thief has seen, and puts another one in, which
/// the allocator likes to place at the same address. The thief gets that one, whole.
#[test]
fn address_reused() {
    model(None, || {
        let items = Items::default();
        let slot = Arc::new(Slot::new());
        assert!(slot.replace(items.make(1)).is_none());
        let thief = {
            let slot = Arc::clone(&slot);
            thread::spawn(move || {
                let seen = slot.peek();
                let same = seen == slot.peek();
                (!seen.is_null() && same)
                    .then(|| take(&slot))
                    .unwrap_or_default()
            })
        };
        let mut mine = take(&slot);
        mine.extend(slot.replace(items.make(2)).map(Item::value));
        mine.extend(take(&slot));
        let loot = thief.join().unwrap();
        assert_all_once(2, &[&mine, &loot]);
        assert_eq!(items.living(), 0);
    });
}

/// An item left in the slot goes with it.
#[test]
fn dropped_full() {
    model(None, || {
        let items = Items::default();
        let slot = Arc::new(Slot::new());
        let thief = {
            let slot = Arc::clone(&slot);
            thread::spawn(move || take(&slot).len())
        };
        assert!(slot.replace(items.make(1)).is_none());
        drop(slot);
        thief.join().unwrap();
        assert_eq!(items.living(), 0);
    });
}
