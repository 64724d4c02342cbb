use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::engine::base::rng::FastRand;
use crate::engine::queue::testing::{Item, Items, values};

const CAP: usize = CAPACITY as usize;

/// A ring, its thief and a second ring against deques, with overflow and wrapping indices (Q3, Q4).
#[test]
fn behaves_as_a_deque_that_spills() {
    for (seed, start) in [(1, 0), (2, u32::MAX - 1000), (3, u32::MAX - 7)] {
        let mut rng = FastRand::new(seed);
        let items = Items::default();
        let (queue, stealer) = starting_at::<Item>(start);
        let (thief, _) = starting_at(start.wrapping_sub(99));
        let (mut model, mut loot) = (VecDeque::new(), VecDeque::new());
        // Phases of growth and of shrinking, so that both ends are met.
        for step in 0..100_000_usize {
            let growing = (step / 700) % 2 == 0;
            match rng.below(20) {
                0 => {
                    let stolen = stealer
                        .steal_into(&thief)
                        .map(|(item, n)| (item.value(), n));
                    let n = model.len() - model.len() / 2;
                    if n == 0 || CAP - loot.len() < CAP / 2 {
                        assert_eq!(stolen, None);
                    } else {
                        loot.extend(model.drain(..n));
                        assert_eq!(stolen, Some((loot.pop_back().unwrap(), n as u32)));
                    }
                }
                1..=6 => assert_eq!(thief.pop_front().map(Item::value), loot.pop_front()),
                k if (k < 17) == growing => match queue.push_back(items.make(step)) {
                    Ok(_) => model.push_back(step),
                    Err(chain) => {
                        assert_eq!(model.len(), CAP);
                        let spilled = model.split_off(CAP / 2);
                        assert!(
                            values(chain)
                                .into_iter()
                                .eq(spilled.into_iter().chain([step]))
                        );
                    }
                },
                _ => assert_eq!(queue.pop_front().map(Item::value), model.pop_front()),
            }
            assert_eq!(queue.len() as usize, model.len());
            assert_eq!(stealer.is_empty(), queue.is_empty());
            assert_eq!(queue.room() as usize, CAP - model.len());
            assert_eq!(items.living(), model.len() + loot.len());
        }
        drop((queue, stealer, thief));
        assert_eq!(items.living(), 0);
    }
}

/// An owner that pushes, pops and spills, two thieves that rob it and each other: a million items,
/// each once, and the owner's own in order.
#[test]
fn each_item_once_under_stress() {
    const N: usize = if cfg!(miri) { 2_000 } else { 1_000_000 };
    let items = Items::default();
    let (queue, stealer) = starting_at(u32::MAX - N as u32 / 2);
    let ((first, firsts), (second, seconds)) = (new::<Item>(), new::<Item>());
    let done = AtomicBool::new(false);
    let rob = |own: LocalQueue<Item>, victims: [&Stealer<Item>; 2]| {
        let mut loot = Vec::new();
        loop {
            let last = done.load(std::sync::atomic::Ordering::Acquire);
            let mut found = false;
            for victim in victims {
                if let Some((item, _)) = victim.steal_into(&own) {
                    found = true;
                    loot.push(item.value());
                }
            }
            // Not all at once, so that there is something for the other.
            for _ in 0..8 {
                loot.extend(own.pop_front().map(Item::value));
            }
            if last && !found && own.is_empty() && victims.iter().all(|v| v.is_empty()) {
                return loot;
            }
            std::thread::yield_now();
        }
    };
    let shares = std::thread::scope(|scope| {
        let thieves = [
            scope.spawn(|| rob(first, [&stealer, &seconds])),
            scope.spawn(|| rob(second, [&stealer, &firsts])),
        ];
        let mut rng = FastRand::new(5);
        let (mut mine, mut spilled) = (Vec::new(), Vec::new());
        for value in 0..N {
            if let Err(chain) = queue.push_back(items.make(value)) {
                spilled.extend(values(chain));
            }
            if rng.below(3) == 0 {
                mine.extend(queue.pop_front().map(Item::value));
            }
        }
        mine.extend(std::iter::from_fn(|| queue.pop_front()).map(Item::value));
        done.store(true, std::sync::atomic::Ordering::Release);
        assert!(mine.is_sorted() && spilled.is_sorted());
        let mut shares = vec![mine, spilled];
        shares.extend(thieves.map(|thief| thief.join().unwrap()));
        shares
    });
    let mut all = shares.concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..N), "lost or doubled");
    assert_eq!(items.living(), 0);
}
