//! Random numbers for choices that must be cheap, unpredictable and repeatable from a seed:
//! which sibling to rob first, which `select!` branch to poll first.

/// xorshift64*, seeded; never yields a fixed point.
#[derive(Debug, Clone)]
pub(crate) struct FastRand(u64);

impl FastRand {
    pub(crate) fn new(seed: u64) -> Self {
        // SplitMix64's finaliser spreads seeds that differ in one bit, and 0 is the one state
        // xorshift cannot leave.
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((z ^ (z >> 31)) | 1)
    }

    /// A seed that differs from process to process and from call to call.
    pub(crate) fn entropy() -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(0x6865_6973_7421_u64)
    }

    #[inline]
    pub(crate) fn next_u64(&mut self) -> u64 {
        let mut x = self.0;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0 = x;
        x.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is not 0.
    #[inline]
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        // The multiply-shift reduction: no division, and a bias far below what matters here.
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::FastRand;

    #[test]
    fn one_seed_one_sequence() {
        let (mut a, mut b) = (FastRand::new(7), FastRand::new(7));
        assert!((0..100).all(|_| a.next_u64() == b.next_u64()));
    }

    #[test]
    fn below_stays_below_and_reaches_all() {
        let mut rng = FastRand::new(0);
        let mut seen = [false; 7];
        for _ in 0..1000 {
            seen[rng.below(7) as usize] = true;
        }
        assert_eq!(seen, [true; 7]);
    }
}
