//! Sees that a test binary has no Tokio in it but heist.
