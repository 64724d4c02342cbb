//! The table of sources, and the tokens that lead the system's events to them.
//!
//! A token is a slot's index and a generation, never an address: an event that was on its way when
//! its socket went finds an empty slot or another generation, and is dropped. Generations come from
//! one counter, so a slot sees the same one again only after 2³² registrations (2¹² on 32-bit
//! systems, where a token is small) between an event's being fetched and its being looked up.

use slab::Slab;

use super::ready::Ready;
use super::source::Source;
use crate::loom::sync::Arc;

const INDEX_BITS: u32 = if usize::BITS >= 64 { 32 } else { 20 };
const INDEX_MASK: usize = (1 << INDEX_BITS) - 1;

/// A slot's index below, a generation above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token(usize);

impl Token {
    /// The reactor's own: [`ReactorHandle::wake`](super::ReactorHandle::wake). Its index is one that
    /// no slot has.
    pub(super) const WAKE: Self = Self(INDEX_MASK);
    /// The signal pipe's.
    pub(super) const SIGNAL: Self = Self(INDEX_MASK - 1);
    const SLOTS: usize = INDEX_MASK - 1;

    fn new(index: usize, generation: usize) -> Self {
        Self(index | (generation << INDEX_BITS))
    }

    fn index(self) -> usize {
        self.0 & INDEX_MASK
    }

    #[cfg(test)]
    pub(super) fn for_tests() -> Self {
        Self::new(0, 0)
    }
}

impl From<mio::Token> for Token {
    fn from(token: mio::Token) -> Self {
        Self(token.0)
    }
}

impl From<Token> for mio::Token {
    fn from(token: Token) -> Self {
        Self(token.0)
    }
}

/// The table; under the reactor's mutex. It owns a reference to each source, so that the thread that
/// turns the reactor can work on the source while it has the mutex.
#[derive(Debug, Default)]
pub(super) struct Slots {
    sources: Slab<Arc<Source>>,
    generation: usize,
    is_shutdown: bool,
}

/// Why there is no slot.
#[derive(Debug)]
pub(super) enum NoSlot {
    Shutdown,
    Full,
}

impl Slots {
    pub(super) fn insert(&mut self, ready: Ready) -> Result<Arc<Source>, NoSlot> {
        if self.is_shutdown {
            return Err(NoSlot::Shutdown);
        }
        let entry = self.sources.vacant_entry();
        if entry.key() >= Token::SLOTS {
            return Err(NoSlot::Full);
        }
        self.generation = self.generation.wrapping_add(1);
        let token = Token::new(entry.key(), self.generation);
        let source = Arc::new(Source::new(token, ready));
        entry.insert(Arc::clone(&source));
        Ok(source)
    }

    /// The source of `token`, unless it is gone.
    pub(super) fn get(&self, token: Token) -> Option<&Arc<Source>> {
        self.sources
            .get(token.index())
            .filter(|source| source.token == token)
    }

    /// Takes the source of `token` out; `None` if it is not there. To be dropped after the mutex.
    pub(super) fn remove(&mut self, token: Token) -> Option<Arc<Source>> {
        self.get(token)?;
        self.sources.try_remove(token.index())
    }

    pub(super) fn is_shutdown(&self) -> bool {
        self.is_shutdown
    }

    /// Lets no one in any more, and hands out all that are.
    pub(super) fn shut_down(&mut self) -> Vec<Arc<Source>> {
        self.is_shutdown = true;
        self.sources.drain().collect()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_reused_slot_has_another_token() {
        let mut slots = Slots::default();
        let old = slots.insert(Ready::EMPTY).unwrap().token;
        assert!(slots.remove(old).is_some());
        let new = slots.insert(Ready::EMPTY).unwrap().token;
        assert_eq!(old.index(), new.index());
        assert!(slots.get(old).is_none());
        assert!(slots.remove(old).is_none());
        assert!(slots.get(new).is_some());
    }

    #[test]
    fn own_tokens_lead_to_no_slot() {
        let mut slots = Slots::default();
        slots.insert(Ready::EMPTY).unwrap();
        assert!(slots.get(Token::WAKE).is_none());
        assert!(slots.get(Token::SIGNAL).is_none());
    }

    #[test]
    fn nobody_enters_after_the_shutdown() {
        let mut slots = Slots::default();
        let source = slots.insert(Ready::EMPTY).unwrap();
        assert_eq!(slots.shut_down().len(), 1);
        assert!(slots.remove(source.token).is_none());
        assert!(matches!(slots.insert(Ready::EMPTY), Err(NoSlot::Shutdown)));
    }
}
