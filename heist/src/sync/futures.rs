//! Futures that have names, for those who need to store them.

pub use crate::sync::notify::{Notified, OwnedNotified};
