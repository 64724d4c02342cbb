//! With which branch a round of polls begins. The others follow in turn.

use std::ops::Range;

use crate::engine::base::rng::thread_below;

/// Chooses the first branch of each round.
pub trait Order {
    /// The index to begin with, below `length`, which is not 0.
    fn first(&mut self, length: u32) -> u32;

    /// The round as two runs of ascending indices.
    #[inline]
    fn round(&mut self, length: u32) -> [Range<u32>; 2] {
        // One branch leaves nothing to choose.
        let first = if length > 1 { self.first(length) } else { 0 };
        [first..length, 0..first]
    }
}

/// As written: what `biased;` asks for.
#[derive(Debug)]
pub struct Biased;

impl Order for Biased {
    #[inline]
    fn first(&mut self, _length: u32) -> u32 {
        0
    }
}

/// Any, with the same chance. For `select!`, where who comes first may win for good.
#[derive(Debug)]
pub struct Random;

impl Order for Random {
    #[inline]
    fn first(&mut self, length: u32) -> u32 {
        thread_below(length)
    }
}

/// The next one each time. For `join!`, where everybody is polled anyway and it is enough that a
/// branch that eats the whole budget does not always eat first.
#[derive(Debug, Default)]
pub struct Rotating(u32);

impl Order for Rotating {
    #[inline]
    fn first(&mut self, length: u32) -> u32 {
        let first = self.0;
        self.0 = if first + 1 == length { 0 } else { first + 1 };
        first
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::rng::{FastRand, ThreadRngScope};

    fn sequence() -> Vec<u32> {
        (0..50).map(|_| Random.first(64)).collect()
    }

    #[test]
    fn a_seed_fixes_the_choices_and_the_old_generator_comes_back() {
        let seeded = || {
            let _scope = ThreadRngScope::enter(FastRand::new(1));
            sequence()
        };
        let first = seeded();
        assert_eq!(first, seeded());
        assert_ne!(first, sequence());
    }

    #[test]
    fn random_reaches_every_branch() {
        let mut seen = [0; 3];
        for _ in 0..3000 {
            seen[Random.first(3) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n > 800), "{seen:?}");
    }

    #[test]
    fn a_round_visits_everybody_once() {
        let mut rotating = Rotating::default();
        let rounds: Vec<Vec<u32>> = (0..4)
            .map(|_| rotating.round(3).into_iter().flatten().collect())
            .collect();
        assert_eq!(
            rounds,
            [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]].map(Vec::from)
        );
        assert_eq!(Rotating::default().round(0), [0..0, 0..0]);
        assert_eq!(Random.round(1), [0..1, 0..0]);
    }
}
