//! Ways for tasks to talk to each other and to share what they have.
//!
//! # Passing messages
//!
//! | channel | senders, receivers | use |
//! |---|---|---|
//! | [`oneshot`] | one to one, one value | the answer to a request |
//!
//! Everything here works on any executor: it only needs wakers. The `blocking_*` methods do the same
//! from ordinary threads, so that asynchronous and blocking code can share a channel or a lock.
//!
//! All waiting is first come, first served unless a type says otherwise, and each method says what
//! happens when its future is dropped halfway (*Cancel safety*).

#[allow(unsafe_code, reason = "the cell that both halves share")]
pub mod oneshot;
