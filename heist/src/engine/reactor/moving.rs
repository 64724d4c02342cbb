//! How an object gets from one shard of the reactor to another while it is used (rule R7 of [`reactor`](super)).
//!
//! **What.** A source stays what it is, with its flags and who waits; what changes is whose selector watches its
//! descriptor, in whose table it is, and with which token. Who moves it is a task that uses it, beside
//! others that do, and beside the threads that turn both shards.
//!
//! **States** of a source's [`Place`]: *settled* in a slot of a shard, or *moving*: one thread has it and is the only one
//! to change it.
//!
//! ```text
//!   settled at the old place ── begin ──► moving: a slot in the new table as well
//!        ▲                                   │
//!        ├── the system refused: not there ◄─┤
//!        │                                   ▼
//!        └───────────────────────────────  watched there, and then not here: settled at the new place
//! ```
//!
//! **Rules.**
//! * M1. One at a time: `begin` is a compare-and-swap to *moving*, and who loses goes on without.
//! * M2. A slot leads to the source for as long as its selector watches the descriptor: it is there before the selector is
//!   told, and it goes after the selector has forgotten. So no event of either finds nobody, but for one that was fetched
//!   before its selector had to forget.
//! * M3. That one is heard again: the new selector, when it was told of the descriptor, said at once what there was, and
//!   what came later it says as well.
//! * M4. The old selector is told to forget the descriptor only when the new one has it. If the new one refuses, all is as if
//!   nothing had been tried.
//! * M5. A registration ends when nobody else uses it, so nobody moves it then. The shutdown of a reactor takes
//!   the sources from all tables, one after the other; one that comes into a table that is shut down stays where it
//!   was, and one that comes into a table that is not will be found there.
//!
//! **Orderings.** A slot is found by who has its table's mutex. The place is read and written by who moves the source, or has it to
//! itself: one move comes after another by the release in `settle` and the acquire in `begin_move`.
//!
//! **Rejected.** *Forgetting the old selector first*: for a moment nobody watches, and if the new one refuses, nobody
//! does for good. *The token in the source instead of the slot*, which saves eight bytes a socket: then the source has one place
//! at a time, events of the other selector find nobody, and where the new one refuses they are lost. To take the source for
//! readable and writable then is not enough: who reads less than it had room for relies on an event for what comes
//! after, and the end of the stream had been one of those that were lost.
//!
//! **Tested by** `loom_tests` below, in which the system is two lists, and by `tests` in [`reactor`](super) with real sockets.
//! M1's exchange left out: `of_two_who_move_it_one_does_at_a_time` fails. The new slot after the watch (M2), or a new
//! selector that does not say at once what there is (M3): `what_arrives_meanwhile_is_heard` ends in a deadlock. The old slot emptied
//! first (M2), or the old selector told to forget first (M4): `what_arrives_while_the_system_refuses_is_heard` does.

use std::io;

use super::slots::{Place, Table};
use super::source::Source;
use crate::loom::sync::Arc;

/// The right to move a source (M1).
pub(super) struct Moving<'a> {
    source: &'a Arc<Source>,
    old: Place,
}

impl<'a> Moving<'a> {
    /// `None` if another moves it.
    pub(super) fn begin(source: &'a Arc<Source>) -> Option<Self> {
        let old = source.begin_move()?;
        Some(Self { source, old })
    }

    /// Moves it to shard `target`; `table` gives the shards' tables, and `watch` and `unwatch` tell their selectors. False if the
    /// system refuses.
    pub(super) fn to<'t>(
        self,
        target: usize,
        table: impl Fn(usize) -> &'t Table,
        watch: impl FnOnce(Place) -> io::Result<()>,
        unwatch: impl FnOnce(Place),
    ) -> bool {
        let Self { source, old } = self;
        if old.shard() == target {
            // Another was faster.
            source.settle(old);
            return true;
        }
        let mut new = old;
        let inserted = table(target).insert(|token| {
            new = Place::new(target, token);
            Arc::clone(source)
        });
        if inserted.is_err() {
            // M5.
            source.settle(old);
            return true;
        }
        if watch(new).is_err() {
            // M4.
            table(target).remove(new.token());
            source.settle(old);
            return false;
        }
        unwatch(old);
        table(old.shard()).remove(old.token());
        source.settle(new);
        true
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use std::future::poll_fn;

    use super::super::ready::Ready;
    use super::super::slots::Token;
    use super::super::source::Direction;
    use super::super::test_support::model;
    use super::*;
    use crate::engine::base::parker::block_on;
    use crate::engine::queue::wake_batch::WakeBatch;
    use crate::loom::sync::Mutex;
    use crate::loom::thread;

    /// Two shards, and a system with one descriptor.
    #[derive(Default)]
    struct World {
        tables: [Table; 2],
        system: Mutex<System>,
    }

    #[derive(Default)]
    struct System {
        has_data: bool,
        /// With which token each selector watches it, and which it has an event for.
        watches: [Option<Token>; 2],
        events: [Option<Token>; 2],
        refuses: bool,
    }

    impl World {
        fn with_source(refuses: bool) -> (Arc<Self>, Arc<Source>) {
            let world = Self::default();
            let make = |token| Arc::new(Source::new(Place::new(0, token), 0, Ready::EMPTY));
            let source = world.tables[0].insert(make).unwrap();
            // The other table's next token is not the same one.
            let other = world.tables[1].insert(make).unwrap();
            world.tables[1].remove(other.place().token());
            {
                let mut system = world.system.lock();
                system.watches[0] = Some(source.place().token());
                system.refuses = refuses;
            }
            (Arc::new(world), source)
        }

        fn watch(&self, place: Place) -> io::Result<()> {
            let mut system = self.system.lock();
            if system.refuses {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            system.watches[place.shard()] = Some(place.token());
            if system.has_data {
                system.events[place.shard()] = Some(place.token());
            }
            Ok(())
        }

        fn unwatch(&self, place: Place) {
            let mut system = self.system.lock();
            system.watches[place.shard()] = None;
            system.events[place.shard()] = None;
        }

        fn arrive(&self) {
            let mut system = self.system.lock();
            system.has_data = true;
            system.events = system.watches;
        }

        /// As a thread that turns the shard does it.
        fn turn(&self, shard: usize) {
            let event = self.system.lock().events[shard].take();
            let Some(token) = event else { return };
            let mut batch = WakeBatch::new();
            if let Some(source) = self.tables[shard].lock().get(token) {
                source.event(Ready::READABLE, &mut batch);
            }
            batch.wake_all();
        }

        fn move_to(&self, target: usize, source: &Arc<Source>) {
            if let Some(moving) = Moving::begin(source) {
                let table = |shard: usize| &self.tables[shard];
                moving.to(
                    target,
                    table,
                    |place| self.watch(place),
                    |place| self.unwatch(place),
                );
            }
        }
    }

    /// Whoever turns both shards comes to the one or to the other first.
    fn hear(refuses: bool) {
        hear_in_order(refuses, [0, 1]);
        hear_in_order(refuses, [1, 0]);
    }

    fn hear_in_order(refuses: bool, order: [usize; 2]) {
        model(move || {
            let (world, source) = World::with_source(refuses);
            let others = {
                let world = Arc::clone(&world);
                thread::spawn(move || {
                    world.arrive();
                    order.into_iter().for_each(|shard| world.turn(shard));
                })
            };
            world.move_to(1, &source);
            // Its worker looks at its shard before it sleeps.
            world.turn(1);
            // As who reads does: what says that there is nothing is cleared.
            loop {
                let seen = block_on(poll_fn(|cx| source.poll_ready(cx, Direction::READ)));
                if world.system.lock().has_data {
                    break;
                }
                source.clear(seen);
            }
            others.join().unwrap();
        });
    }

    #[test]
    fn what_arrives_meanwhile_is_heard() {
        hear(false);
    }

    #[test]
    fn what_arrives_while_the_system_refuses_is_heard() {
        hear(true);
    }

    #[test]
    fn of_two_who_move_it_one_does_at_a_time() {
        model(|| {
            let (world, source) = World::with_source(false);
            let other = {
                let (world, source) = (Arc::clone(&world), Arc::clone(&source));
                thread::spawn(move || world.move_to(1, &source))
            };
            world.move_to(1, &source);
            other.join().unwrap();
            let place = source.place();
            assert!(!place.is_moving());
            assert_eq!(place.shard(), 1);
            assert!(world.tables[1].lock().get(place.token()).is_some());
            let watches = world.system.lock().watches;
            assert_eq!(watches, [None, Some(place.token())]);
            assert_eq!(
                [0, 1].map(|shard: usize| world.tables[shard].held()),
                [0, 1]
            );
        });
    }

    #[test]
    fn whoever_waits_hears_of_the_shutdown() {
        model(|| {
            let (world, source) = World::with_source(false);
            let other = {
                let world = Arc::clone(&world);
                thread::spawn(move || {
                    for table in &world.tables {
                        let mut batch = WakeBatch::new();
                        let sources = table.lock().shut_down();
                        for source in sources {
                            source.shut_down(&mut batch);
                        }
                        batch.wake_all();
                    }
                })
            };
            world.move_to(1, &source);
            let seen = block_on(poll_fn(|cx| source.poll_ready(cx, Direction::READ)));
            assert!(seen.is_shutdown);
            other.join().unwrap();
        });
    }
}
