//! L1: what every layer above may use and what knows none of them.

pub(crate) mod budget;
pub(crate) mod cache_padded;
pub(crate) mod counters;
pub(crate) mod current;
pub(crate) mod histogram;
pub(crate) mod parker;
pub(crate) mod rng;
pub(crate) mod runtime_id;
pub(crate) mod spin;
pub(crate) mod thread_mark;
pub(crate) mod unwind;
pub(crate) mod words;
