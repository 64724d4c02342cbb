//! The table of sources, and the tokens that lead the system's events to them.
//!
//! A token is a slot's index and a generation, never an address: an event that was on its way when
//! its socket went finds an empty slot or another generation, and is dropped. Generations come from
//! one counter, so a slot sees the same one again only after 2²⁴ that came into the table (2¹² on 32-bit
//! systems, where a token is small) between an event's being fetched and its being looked up.
//!
//! A [`Place`] is a token and the shard whose table it is of.

use slab::Slab;

use super::source::{MOST_HOMES, Source};
use crate::engine::base::counters::Counter;
use crate::loom::sync::{Arc, Mutex, MutexGuard};

const INDEX_BITS: u32 = if usize::BITS >= 64 { 32 } else { 20 };
const INDEX_MASK: usize = (1 << INDEX_BITS) - 1;
const GENERATION_BITS: u32 = if usize::BITS >= 64 { 24 } else { 12 };

/// A slot's index below, a generation above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token(usize);

impl Token {
    /// The reactor's own: [`Shards::wake_first`](super::Shards::wake_first). Its index is one that
    /// no slot has.
    pub(super) const WAKE: Self = Self(INDEX_MASK);
    /// The signal pipe's.
    pub(super) const SIGNAL: Self = Self(INDEX_MASK - 1);
    /// The first of those of the other shards.
    const SHARDS: usize = Self::SIGNAL.0 - MOST_HOMES;
    const SLOTS: usize = Self::SHARDS;

    /// That there is something in another shard, whose selector is in this one's.
    pub(super) fn of_shard(shard: usize) -> Self {
        debug_assert!(shard < MOST_HOMES);
        Self(Self::SHARDS + shard)
    }

    /// Which shard's it is.
    pub(super) fn shard(self) -> Option<usize> {
        let shard = self.0.checked_sub(Self::SHARDS);
        shard.filter(|&shard| shard < MOST_HOMES)
    }

    fn new(index: usize, generation: usize) -> Self {
        let generation = generation & ((1 << GENERATION_BITS) - 1);
        Self(index | (generation << INDEX_BITS))
    }

    fn index(self) -> usize {
        self.0 & INDEX_MASK
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

/// Where a source is: in which shard's table, and in which slot of it. One word, so that it changes in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u64);

impl Place {
    const SHARD: u32 = 56;
    /// Somebody moves the source to another shard.
    const MOVING: u64 = 1 << 63;
    /// How many shards there can be.
    pub(super) const SHARDS: usize = 1 << (63 - Self::SHARD);

    pub(super) fn new(shard: usize, token: Token) -> Self {
        debug_assert!(shard < Self::SHARDS);
        Self(token.0 as u64 | (shard as u64) << Self::SHARD)
    }

    pub(super) fn from_word(word: u64) -> Self {
        Self(word)
    }

    pub(super) fn word(self) -> u64 {
        self.0
    }

    pub(super) fn shard(self) -> usize {
        ((self.0 & !Self::MOVING) >> Self::SHARD) as usize
    }

    pub(super) fn token(self) -> Token {
        Token((self.0 & ((1 << Self::SHARD) - 1)) as usize)
    }

    pub(super) fn is_moving(self) -> bool {
        self.0 & Self::MOVING != 0
    }

    pub(super) fn moving(self) -> Self {
        Self(self.0 | Self::MOVING)
    }

    #[cfg(test)]
    pub(super) fn for_tests() -> Self {
        Self::new(0, Token::new(0, 0))
    }
}

/// What is in a [`Table`]. It owns a reference to each source, so that the thread that
/// turns the reactor can work on the source while it has the mutex.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// With the token that leads there: one that is moved has slots in two tables for a while.
    sources: Slab<(Token, Arc<Source>)>,
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
    /// A slot for the source that `make` gives, once it is told its token.
    fn insert(&mut self, make: impl FnOnce(Token) -> Arc<Source>) -> Result<Arc<Source>, NoSlot> {
        if self.is_shutdown {
            return Err(NoSlot::Shutdown);
        }
        let entry = self.sources.vacant_entry();
        if entry.key() >= Token::SLOTS {
            return Err(NoSlot::Full);
        }
        self.generation = self.generation.wrapping_add(1);
        let token = Token::new(entry.key(), self.generation);
        let source = make(token);
        entry.insert((token, Arc::clone(&source)));
        Ok(source)
    }

    /// The source of `token`, unless it is gone.
    pub(super) fn get(&self, token: Token) -> Option<&Arc<Source>> {
        let (own, source) = self.sources.get(token.index())?;
        (*own == token).then_some(source)
    }

    /// Takes the source out to which `token` leads, to be dropped after the mutex; `None` if there is none.
    fn remove(&mut self, token: Token) -> Option<Arc<Source>> {
        self.get(token)?;
        Some(self.sources.remove(token.index()).1)
    }

    pub(super) fn is_shutdown(&self) -> bool {
        self.is_shutdown
    }

    /// Lets no one in any more, and hands out all that are.
    pub(super) fn shut_down(&mut self) -> Vec<Arc<Source>> {
        self.is_shutdown = true;
        self.sources.drain().map(|(_, source)| source).collect()
    }
}

/// A shard's table, for all threads.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Mutex<Slots>,
    /// How many sources it has; changed under the mutex.
    held: Counter,
}

impl Table {
    pub(super) fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock()
    }

    /// How many sources it has, or had a moment ago.
    pub(super) fn held(&self) -> u64 {
        self.held.get()
    }

    /// As [`Slots::insert`].
    pub(super) fn insert(
        &self,
        make: impl FnOnce(Token) -> Arc<Source>,
    ) -> Result<Arc<Source>, NoSlot> {
        let mut slots = self.lock();
        let source = slots.insert(make)?;
        self.held.set(slots.sources.len() as u64);
        Ok(source)
    }

    /// Empties the slot of `token`.
    pub(super) fn remove(&self, token: Token) {
        let mut slots = self.lock();
        let removed = slots.remove(token);
        self.held.set(slots.sources.len() as u64);
        drop(slots);
        drop(removed);
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::super::ready::Ready;
    use super::*;

    fn source(token: Token) -> Arc<Source> {
        Arc::new(Source::new(Place::new(0, token), 0, Ready::EMPTY))
    }

    #[test]
    fn a_reused_slot_has_another_token() {
        let mut slots = Slots::default();
        let first = slots.insert(source).unwrap();
        let old = first.place().token();
        assert!(slots.remove(old).is_some());
        let second = slots.insert(source).unwrap();
        let new = second.place().token();
        assert_eq!(old.index(), new.index());
        assert!(slots.get(old).is_none());
        assert!(slots.remove(old).is_none());
        assert!(slots.get(new).is_some());
    }

    #[test]
    fn a_place_is_what_it_was_made_of() {
        for shard in [0, 1, Place::SHARDS - 1] {
            for generation in [0, 1, usize::MAX] {
                let token = Token::new(INDEX_MASK - 2, generation);
                let place = Place::new(shard, token);
                assert_eq!((place.shard(), place.token()), (shard, token));
                assert!(!place.is_moving() && place.moving().is_moving());
                let moving = place.moving();
                assert_eq!((moving.shard(), moving.token()), (shard, token));
            }
        }
    }

    #[test]
    fn own_tokens_lead_to_no_slot() {
        let mut slots = Slots::default();
        slots.insert(source).unwrap();
        assert!(slots.get(Token::WAKE).is_none());
        assert!(slots.get(Token::SIGNAL).is_none());
        for shard in 0..MOST_HOMES {
            let token = Token::of_shard(shard);
            assert!(slots.get(token).is_none() && token.shard() == Some(shard));
        }
        assert_eq!([Token::WAKE, Token::SIGNAL].map(Token::shard), [None; 2]);
    }

    #[test]
    fn nobody_enters_after_the_shutdown() {
        let mut slots = Slots::default();
        let one = slots.insert(source).unwrap();
        assert_eq!(slots.shut_down().len(), 1);
        assert!(slots.remove(one.place().token()).is_none());
        assert!(matches!(slots.insert(source), Err(NoSlot::Shutdown)));
    }
}
