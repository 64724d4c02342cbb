//! Lines in, sums out: tokio-util's codecs, token and tracker, tokio-stream, and back-pressure.
