//! Histograms of durations, one writer each.

use std::ops::Range;

use crate::engine::base::counters::Counter;

/// How durations, in nanoseconds, are sorted into buckets. The last one has no upper end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Buckets {
    /// All as wide as the first.
    Linear { width: u64, count: usize },
    /// Each ends at twice the value where the one before ends; the first one ends at a power of two.
    Doubling { first: u64, count: usize },
    /// Each power of two in as many parts as the precision says.
    Log(LogBuckets),
}

/// Buckets whose width is a fixed fraction of the values in them.
///
/// All values can be numbered: those below 2ᵖ⁺¹ by themselves, and of those above, each power of two has 2ᵖ
/// numbers. The buckets are those numbers from `first` on; what is below counts to the first bucket, and
/// what is above to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogBuckets {
    pub(crate) precision: u32,
    pub(crate) first: u64,
    pub(crate) count: usize,
}

impl LogBuckets {
    /// Buckets that tell apart what lies between `min` and `max`.
    pub(crate) fn covering(min: u64, max: u64, precision: u32) -> Self {
        let first = number(min, precision).saturating_sub(1);
        // The last one begins where `max` is reached.
        let mut last = number(max, precision);
        if lowest(last, precision) < max {
            last += 1;
        }
        Self {
            precision,
            first,
            count: (last.saturating_sub(first) + 1) as usize,
        }
    }

    /// Where the last bucket begins.
    pub(crate) fn max(self) -> u64 {
        lowest(self.first + self.count as u64 - 1, self.precision)
    }
}

/// A value's number: the higher its leading bit, the more of its lower bits are left out.
fn number(value: u64, precision: u32) -> u64 {
    let shift = value.checked_ilog2().unwrap_or(0).saturating_sub(precision);
    (u64::from(shift) << precision) + (value >> shift)
}

/// The lowest value with this number.
fn lowest(number: u64, precision: u32) -> u64 {
    let shift = (number >> precision).saturating_sub(1);
    (number - (shift << precision)) << shift
}

impl Buckets {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        match *self {
            Self::Linear { count, .. } | Self::Doubling { count, .. } => count,
            Self::Log(log) => log.count,
        }
    }

    fn of(&self, value: u64) -> usize {
        let bucket = match *self {
            Self::Linear { width, .. } => value / width,
            Self::Doubling { first, .. } => match (value / first).checked_ilog2() {
                None => 0,
                Some(doublings) => u64::from(doublings) + 1,
            },
            Self::Log(log) => number(value, log.precision).saturating_sub(log.first),
        };
        bucket.min(self.count() as u64 - 1) as usize
    }

    fn start(&self, bucket: usize) -> u64 {
        match (*self, bucket as u64) {
            (_, 0) => 0,
            (Self::Linear { width, .. }, bucket) => width * bucket,
            (Self::Doubling { first, .. }, bucket) => first << (bucket - 1),
            (Self::Log(log), bucket) => lowest(log.first + bucket, log.precision),
        }
    }

    /// What falls into a bucket.
    pub(crate) fn range(&self, bucket: usize) -> Range<u64> {
        let end = match bucket + 1 == self.count() {
            true => u64::MAX,
            false => self.start(bucket + 1),
        };
        self.start(bucket)..end
    }
}

/// The counts. One thread at a time adds, any reads.
#[derive(Debug)]
pub(crate) struct Histogram {
    pub(crate) buckets: Buckets,
    counts: Box<[Counter]>,
}

impl Histogram {
    pub(crate) fn new(buckets: Buckets) -> Self {
        Self {
            counts: (0..buckets.count()).map(|_| Counter::default()).collect(),
            buckets,
        }
    }

    pub(crate) fn add(&self, nanos: u64) {
        self.counts[self.buckets.of(nanos)].add(1);
    }

    /// How many durations fell into a bucket.
    #[track_caller]
    pub(crate) fn count(&self, bucket: usize) -> u64 {
        self.counts[bucket].get()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::{Buckets, Histogram, LogBuckets, lowest, number};

    /// Buckets follow each other without a gap, and each value is where its range says.
    fn assert_whole(buckets: Buckets) {
        let mut end = 0;
        for bucket in 0..buckets.count() {
            let range = buckets.range(bucket);
            assert_eq!(range.start, end, "{buckets:?} {bucket}");
            assert!(range.end > range.start, "{buckets:?} {bucket}");
            assert_eq!(buckets.of(range.start), bucket, "{buckets:?}");
            assert_eq!(buckets.of(range.end - 1), bucket, "{buckets:?}");
            end = range.end;
        }
        assert_eq!(end, u64::MAX);
        assert_eq!(buckets.of(u64::MAX), buckets.count() - 1);
    }

    #[test]
    fn every_value_has_one_bucket() {
        for count in 1..20 {
            assert_whole(Buckets::Linear { width: 7, count });
            assert_whole(Buckets::Doubling { first: 8, count });
            assert_whole(Buckets::Doubling { first: 1, count });
        }
        for precision in 0..=10 {
            for min in [0, 1, 3, 100, 1_000] {
                for max in [1_024, 1_025, 3_000, 1_000_000, 60_000_000_000] {
                    let log = LogBuckets::covering(min, max, precision);
                    assert_whole(Buckets::Log(log));
                    assert!(log.max() >= max && log.count > 1, "{log:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_dense_and_in_order() {
        for precision in 0..=10 {
            // Up to values of 40 bits and more.
            for n in 0..40 << precision {
                let value = lowest(n, precision);
                assert_eq!(number(value, precision), n);
                assert!(value == 0 || number(value - 1, precision) == n - 1);
            }
        }
    }

    #[test]
    fn an_error_is_bounded_by_the_precision() {
        for precision in 2..=8 {
            let buckets = Buckets::Log(LogBuckets::covering(1_000, 1_000_000_000, precision));
            for bucket in 1..buckets.count() - 1 {
                let range = buckets.range(bucket);
                let width = (range.end - range.start) as f64;
                assert!(width / range.start as f64 <= 0.5f64.powi(precision as i32));
            }
        }
    }

    #[test]
    fn counts_what_it_is_given() {
        let histogram = Histogram::new(Buckets::Linear {
            width: 10,
            count: 3,
        });
        for value in [0, 9, 10, 19, 20, u64::MAX] {
            histogram.add(value);
        }
        assert_eq!([0, 1, 2].map(|bucket| histogram.count(bucket)), [2; 3]);
    }
}
