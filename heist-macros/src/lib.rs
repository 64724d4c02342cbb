//! Procedural macros of the [heist](https://docs.rs/heist) runtime.
#![forbid(unsafe_code)]
