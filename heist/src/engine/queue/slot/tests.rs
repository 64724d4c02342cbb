use super::*;
use crate::engine::queue::testing::{Item, Items};

#[test]
fn replace_take_and_drop() {
    let items = Items::default();
    let slot = Slot::new();
    assert!(slot.is_empty() && slot.take().is_none());
    assert!(slot.replace(items.make(1)).is_none());
    assert!(!slot.is_empty());
    assert_eq!(slot.replace(items.make(2)).map(Item::value), Some(1));
    assert_eq!(slot.take().map(Item::value), Some(2));
    assert!(slot.is_empty());
    assert!(slot.replace(items.make(3)).is_none());
    assert_eq!(items.living(), 1);
    drop(slot);
    assert_eq!(items.living(), 0);
}

/// One owner fills and takes, two thieves take: each item once.
#[test]
fn each_item_once_under_stress() {
    const N: usize = 200_000;
    let items = Items::default();
    let slot = Slot::<Item>::new();
    let done = std::sync::atomic::AtomicBool::new(false);
    let shares = std::thread::scope(|scope| {
        let thief = || {
            let mut loot = Vec::new();
            while !done.load(std::sync::atomic::Ordering::Acquire) {
                match slot.take() {
                    Some(item) => loot.push(item.value()),
                    None => std::thread::yield_now(),
                }
            }
            loot
        };
        let thieves = [scope.spawn(thief), scope.spawn(thief)];
        let mut mine = Vec::new();
        for value in 0..N {
            mine.extend(slot.replace(items.make(value)).map(Item::value));
            if value % 3 == 0 {
                mine.extend(slot.take().map(Item::value));
            }
        }
        mine.extend(slot.take().map(Item::value));
        done.store(true, std::sync::atomic::Ordering::Release);
        let mut shares = vec![mine];
        shares.extend(thieves.map(|thief| thief.join().unwrap()));
        shares
    });
    let mut all = shares.concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..N));
    assert_eq!(items.living(), 0);
}
