//! Random numbers for choices that must be cheap, unpredictable and repeatable from a seed:
//! which sibling to rob first, which `select!` branch to poll first.

use std::cell::Cell;

crate::loom::thread_local! {
    /// Seeded at its first use, or by the runtime.
    static OF_THREAD: Cell<Option<FastRand>> = const { Cell::new(None) };
}

/// A number below `bound`, which is not 0, from the thread's own generator.
pub(crate) fn thread_below(bound: u32) -> u32 {
    OF_THREAD.with(|cell| {
        let mut rng = cell
            .take()
            .unwrap_or_else(|| FastRand::new(FastRand::entropy()));
        let n = rng.below(bound);
        cell.set(Some(rng));
        n
    })
}

/// While it lives, the thread's generator is another.
#[derive(Debug)]
#[must_use]
pub(crate) struct ThreadRngScope {
    outer: Option<FastRand>,
    _thread_bound: std::marker::PhantomData<*const ()>,
}

impl ThreadRngScope {
    /// Puts `rng` in the place of the thread's generator.
    pub(crate) fn enter(rng: FastRand) -> Self {
        Self {
            outer: OF_THREAD.with(|cell| cell.replace(Some(rng))),
            _thread_bound: std::marker::PhantomData,
        }
    }
}

impl Drop for ThreadRngScope {
    fn drop(&mut self) {
        let outer = self.outer.take();
        OF_THREAD.with(|cell| cell.set(outer));
    }
}

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
