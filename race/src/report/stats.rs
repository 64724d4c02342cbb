//! Medians, percentiles and how sure we may be of a ratio.

/// Resamples behind each interval.
const RESAMPLES: usize = 2_000;

/// The middle of `values`, and where a tenth and nine tenths of them lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) p10: f64,
    pub(crate) median: f64,
    pub(crate) p90: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            p10: quantile(&sorted, 0.1),
            median: quantile(&sorted, 0.5),
            p90: quantile(&sorted, 0.9),
        }
    }
}

pub(crate) fn median(values: &[f64]) -> f64 {
    Spread::of(values).median
}

/// Linear between the two nearest of the sorted values.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    if sorted[low] == sorted[high] {
        // Both may be infinite: a ratio to nothing.
        return sorted[low];
    }
    sorted[low] + (sorted[high] - sorted[low]) * place.fract()
}

/// `rival` over `base`: the ratio of medians, and the interval that holds 95 % of the ratios got by
/// drawing the rounds again with replacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) value: f64,
    /// The ratio of the tenth percentiles: what the rounds that were left alone say.
    pub(crate) quiet: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Ratio {
    /// The rounds come in heats of `per_heat`, each with runtimes of its own: heats are drawn first,
    /// then rounds within them, or the interval would not know that two runtimes differ. Rounds are
    /// drawn in pairs, because the two of a pair ran back to back and saw the same disturbance.
    pub(crate) fn of(base: &[f64], rival: &[f64], per_heat: usize) -> Self {
        assert_eq!(base.len(), rival.len(), "each round ran on both sides");
        assert_eq!(base.len() % per_heat, 0, "all heats are equally long");
        let heats = base.len() / per_heat;
        let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
        let mut base_again = Vec::with_capacity(base.len());
        let mut rival_again = Vec::with_capacity(rival.len());
        let mut ratios: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                base_again.clear();
                rival_again.clear();
                for _ in 0..heats {
                    let heat = draws.below(heats) * per_heat;
                    for _ in 0..per_heat {
                        let round = heat + draws.below(per_heat);
                        base_again.push(base[round]);
                        rival_again.push(rival[round]);
                    }
                }
                over(median(&rival_again), median(&base_again))
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        let (base, rival) = (Spread::of(base), Spread::of(rival));
        Self {
            value: over(rival.median, base.median),
            quiet: over(rival.p10, base.p10),
            low: quantile(&ratios, 0.025),
            high: quantile(&ratios, 0.975),
        }
    }
}

/// A quotient that is 1 when both are nothing.
pub(crate) fn over(rival: f64, base: f64) -> f64 {
    if rival == base { 1.0 } else { rival / base }
}

/// `None` of nothing.
pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.into_iter().map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// xorshift64*: the same draws in every run, so that the same samples give the same interval.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((bits * bound as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let spread = Spread::of(&[5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!((spread.median, spread.p10, spread.p90), (3.0, 1.4, 4.6));
        assert_eq!(median(&[2.0, 1.0]), 1.5);
        assert_eq!(median(&[7.0]), 7.0);
    }

    #[test]
    fn equal_sides_have_an_interval_around_one() {
        let base: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i * 7 % 11)).collect();
        let rival: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i * 5 % 11)).collect();
        let ratio = Ratio::of(&base, &rival, 10);
        assert!(ratio.low <= 1.0 && 1.0 <= ratio.high, "{ratio:?}");
    }

    #[test]
    fn an_interval_knows_that_heats_differ() {
        // The rival is a fifth slower in one heat of three, and equal in the others.
        let base = [100.0; 30];
        let mut rival = [100.0; 30];
        rival[20..].fill(120.0);
        let ratio = Ratio::of(&base, &rival, 10);
        assert_eq!((ratio.low, ratio.high), (1.0, 1.2));
    }

    #[test]
    fn half_the_time_is_a_ratio_of_a_half() {
        let base = [10.0, 12.0, 11.0, 13.0, 9.0];
        let rival = base.map(|time| time / 2.0);
        assert_eq!(Ratio::of(&base, &rival, 1).value, 0.5);
    }

    #[test]
    fn draws_cover_the_range() {
        let mut draws = Draws(1);
        let mut seen = [false; 10];
        for _ in 0..1_000 {
            seen[draws.below(10)] = true;
        }
        assert_eq!(seen, [true; 10]);
    }

    #[test]
    fn geometric_mean_balances_twice_and_half() {
        assert!((geometric_mean([2.0, 0.5]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }
}
