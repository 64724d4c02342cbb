//! How durations are sorted in a runtime's histograms.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::engine::base::histogram::{Buckets, LogBuckets};

const DEFAULT_MIN: Duration = Duration::from_nanos(100);
const DEFAULT_MAX: Duration = Duration::from_secs(60);
const DEFAULT_PRECISION: u32 = 2;
const MAX_PRECISION: u32 = 10;

/// The buckets of a histogram.
///
/// ```
/// use std::time::Duration;
/// use heist::runtime::{Builder, HistogramConfiguration, LogHistogram};
///
/// let runtime = Builder::new_current_thread()
///     .enable_metrics_poll_time_histogram()
///     .metrics_poll_time_histogram_configuration(HistogramConfiguration::log(
///         LogHistogram::builder().max_value(Duration::from_secs(1)).max_error(0.1),
///     ))
///     .build()
///     .unwrap();
/// # drop(runtime);
/// ```
#[derive(Debug, Clone)]
pub struct HistogramConfiguration(pub(super) Buckets);

impl HistogramConfiguration {
    /// `num_buckets` buckets of the same width; the last one has no upper end.
    ///
    /// A runtime cannot be built with none, or with buckets without width.
    pub fn linear(bucket_width: Duration, num_buckets: usize) -> Self {
        Self(Buckets::Linear {
            width: nanos(bucket_width),
            count: num_buckets,
        })
    }

    /// Buckets whose width grows with the value.
    pub fn log(configuration: impl Into<LogHistogram>) -> Self {
        Self(Buckets::Log(configuration.into().0))
    }
}

impl Default for HistogramConfiguration {
    /// Ten buckets of 100 µs.
    fn default() -> Self {
        Self::linear(Duration::from_micros(100), 10)
    }
}

/// How wide the buckets are, in the older way to say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistogramScale {
    /// All the same.
    Linear,
    /// Each ends at twice the value of the one before.
    Log,
}

/// Buckets whose width is a fixed fraction of the values in them.
///
/// Each power of two is divided into equal parts, the more the [smaller](LogHistogramBuilder::max_error)
/// the error is to be. By default an error of a quarter, from 100 ns to a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogHistogram(LogBuckets);

impl LogHistogram {
    /// Sets one up.
    pub fn builder() -> LogHistogramBuilder {
        LogHistogramBuilder::default()
    }

    /// Where the last bucket begins, in nanoseconds: all that is longer counts as the same.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let log = heist::runtime::LogHistogram::builder().max_value(Duration::from_millis(1)).build();
    /// assert!(log.max_value() >= 1_000_000);
    /// ```
    pub fn max_value(&self) -> u64 {
        self.0.max()
    }
}

impl Default for LogHistogram {
    fn default() -> Self {
        Self::builder().build()
    }
}

/// Sets up a [`LogHistogram`].
#[derive(Debug, Clone, Copy, Default)]
pub struct LogHistogramBuilder {
    min: Option<Duration>,
    max: Option<Duration>,
    precision: Option<u32>,
}

impl LogHistogramBuilder {
    /// The largest error, as a fraction of the value: a bucket is no wider than that. What would need more
    /// than 1024 buckets for each power of two gets 1024.
    ///
    /// # Panics
    ///
    /// If it is not between 0 and 1.
    #[track_caller]
    pub fn max_error(self, max_error: f64) -> Self {
        assert!(max_error > 0.0, "max_error must be greater than 0");
        assert!(max_error < 1.0, "max_error must be less than 1");
        let fits = |precision: &u32| 0.5f64.powi(*precision as i32) <= max_error;
        let precision = (DEFAULT_PRECISION..MAX_PRECISION).find(fits);
        self.precision_exact(precision.unwrap_or(MAX_PRECISION))
    }

    /// Divides each power of two into 2<sup>p</sup> buckets.
    ///
    /// # Panics
    ///
    /// If `p` is above 10.
    #[track_caller]
    pub fn precision_exact(mut self, p: u32) -> Self {
        assert!(p <= MAX_PRECISION, "precision must be <= {MAX_PRECISION}");
        self.precision = Some(p);
        self
    }

    /// The shortest duration of interest: what is below it counts to the first bucket.
    pub fn min_value(mut self, duration: Duration) -> Self {
        self.min = Some(duration);
        self
    }

    /// The longest duration of interest: what is above it counts to the last bucket.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn max_value(mut self, duration: Duration) -> Self {
        assert!(!duration.is_zero(), "max value must be greater than 0");
        self.max = Some(duration);
        self
    }

    /// As [`build`](Self::build), with at most `max_buckets` buckets.
    ///
    /// # Errors
    ///
    /// If it takes more; the error says how many.
    pub fn max_buckets(
        &mut self,
        max_buckets: usize,
    ) -> Result<LogHistogram, InvalidHistogramConfiguration> {
        let built = self.build();
        match built.0.count {
            count if count <= max_buckets => Ok(built),
            required_bucket_count => Err(InvalidHistogramConfiguration::TooManyBuckets {
                required_bucket_count,
            }),
        }
    }

    /// The buckets.
    pub fn build(&self) -> LogHistogram {
        LogHistogram(LogBuckets::covering(
            nanos(self.min.unwrap_or(DEFAULT_MIN)),
            nanos(self.max.unwrap_or(DEFAULT_MAX)),
            self.precision.unwrap_or(DEFAULT_PRECISION),
        ))
    }
}

impl From<LogHistogramBuilder> for LogHistogram {
    fn from(builder: LogHistogramBuilder) -> Self {
        builder.build()
    }
}

/// Why a histogram cannot be had.
#[derive(Debug)]
pub enum InvalidHistogramConfiguration {
    /// It takes more buckets than were allowed.
    TooManyBuckets {
        /// How many it takes.
        required_bucket_count: usize,
    },
}

impl fmt::Display for InvalidHistogramConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyBuckets {
                required_bucket_count,
            } => write!(f, "the histogram needs {required_bucket_count} buckets"),
        }
    }
}

impl Error for InvalidHistogramConfiguration {}

/// What the older methods of the builder say, one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaled {
    pub(super) scale: HistogramScale,
    pub(super) resolution: Duration,
    pub(super) count: usize,
}

impl Default for Scaled {
    fn default() -> Self {
        Self {
            scale: HistogramScale::Linear,
            resolution: Duration::from_micros(100),
            count: 10,
        }
    }
}

impl Scaled {
    pub(super) fn buckets(self) -> Buckets {
        let width = nanos(self.resolution);
        match self.scale {
            HistogramScale::Linear => Buckets::Linear {
                width,
                count: self.count,
            },
            HistogramScale::Log => Buckets::Doubling {
                first: width.next_power_of_two(),
                count: self.count,
            },
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
