//! The shards of a reactor: which objects are in which (rules R7 to R9 of [`reactor`](super)).
//!
//! Each has a selector and a table of its own, so that workers who serve sockets at the same time take nothing
//! from each other: neither the system's list of what is ready, nor our table's mutex. Which worker looks after which
//! is the [driver](crate::engine::driver)'s to say.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use mio::event::Source as _;
use mio::unix::SourceFd;

use super::attendance::Attendance;
use super::error::rt_shutdown_err;
use super::gathering::Gathering;
use super::moving::Moving;
use super::nesting;
use super::ready::{Interest, Ready};
use super::slots::{NoSlot, Place, Slots, Table, Token};
use super::source::Source;
use crate::engine::base::cache_padded::CachePadded;
use crate::engine::base::counters::Counter;
use crate::engine::base::rng::FastRand;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::Relaxed;
use crate::loom::sync::{Arc, MutexGuard};

/// A shard may have so many objects more than the emptiest one before it gets no more, and an eighth of those.
const SLACK: u64 = 8;

/// How many objects that are made one after the other, by nobody, have one home.
const TOGETHER: usize = 8;

/// All shards of a reactor.
#[derive(Debug)]
pub(crate) struct Shards {
    shards: Box<[CachePadded<Shard>]>,
    pub(crate) gathering: Gathering,
    pub(crate) attendance: CachePadded<Attendance>,
    /// Ends the turn of the first shard.
    waker: mio::Waker,
    /// Where what no worker registered went last, so that what is made together stays together.
    last: AtomicUsize,
    /// How many no worker registered while they were gathered.
    made: AtomicUsize,
}

/// One shard, as registrations see it.
#[derive(Debug)]
pub(super) struct Shard {
    registry: mio::Registry,
    pub(super) table: Table,
    registered: Counter,
    deregistered: Counter,
    /// Events fetched; changed by the turning side.
    ready: Counter,
    /// The processor on which it was last looked at by who looks after it, plus one; 0 if that is not known.
    processor: Counter,
}

impl Shard {
    pub(super) fn registry(&self) -> &mio::Registry {
        &self.registry
    }

    pub(super) fn slots(&self) -> MutexGuard<'_, Slots> {
        self.table.lock()
    }

    pub(super) fn count_ready(&self, events: usize) {
        self.ready.add(events as u64);
    }
}

impl Shards {
    /// One for each of `polls`.
    pub(super) fn new(polls: &[mio::Poll]) -> io::Result<Self> {
        let shard = |poll: &mio::Poll| {
            Ok(CachePadded::new(Shard {
                registry: poll.registry().try_clone()?,
                table: Table::default(),
                registered: Counter::default(),
                deregistered: Counter::default(),
                ready: Counter::default(),
                processor: Counter::default(),
            }))
        };
        Ok(Self {
            shards: polls.iter().map(shard).collect::<io::Result<_>>()?,
            gathering: Gathering::new(),
            attendance: CachePadded::new(Attendance::new()),
            waker: mio::Waker::new(polls[0].registry(), Token::WAKE.into())?,
            last: AtomicUsize::new(0),
            made: AtomicUsize::new(0),
        })
    }

    /// Ends the turn of the first shard that is on, or makes the next one not wait.
    pub(crate) fn wake_first(&self) {
        (self.waker.wake()).expect("the reactor's own event can be signalled");
    }

    pub(super) fn get(&self, shard: usize) -> &Shard {
        &self.shards[shard]
    }

    pub(super) fn are_several(&self) -> bool {
        self.shards.len() > 1
    }

    /// Whether something can happen in it: there are objects, or it is the first, which has the signals.
    pub(crate) fn can_have_events(&self, shard: usize) -> bool {
        shard == 0 || self.shards[shard].table.held() > 0
    }

    /// Whether the first has more objects than its share.
    pub(crate) fn is_first_full(&self) -> bool {
        let held = |shard: &CachePadded<Shard>| shard.table.held();
        let others = self.shards[1..].iter().map(held);
        others
            .min()
            .is_some_and(|least| !has_room(held(&self.shards[0]), least))
    }

    /// Who looks after `shard` is on this processor.
    pub(crate) fn see_processor(&self, shard: usize, processor: Option<usize>) {
        let plus_one = processor.map_or(0, |processor| processor as u64 + 1);
        self.shards[shard].processor.set(plus_one);
    }

    /// How many objects were registered in all.
    pub(crate) fn fds_registered(&self) -> u64 {
        self.shards.iter().map(|shard| shard.registered.get()).sum()
    }

    /// How many registrations have ended.
    pub(crate) fn fds_deregistered(&self) -> u64 {
        let ended = self.shards.iter().map(|shard| shard.deregistered.get());
        ended.sum()
    }

    /// How many events were fetched.
    pub(crate) fn ready_count(&self) -> u64 {
        self.shards.iter().map(|shard| shard.ready.get()).sum()
    }

    /// A source, whose home is the shard of `worker` if that has no more than its share.
    pub(super) fn insert(&self, worker: Option<usize>, ready: Ready) -> io::Result<Arc<Source>> {
        let home = self.choose(worker);
        let index = match self.gathering.is_on() {
            true => 0,
            false => home,
        };
        let shard = self.get(index);
        let make = |token| Arc::new(Source::new(Place::new(index, token), home, ready));
        let source = shard.table.insert(make).map_err(|reason| match reason {
            NoSlot::Shutdown => rt_shutdown_err(),
            NoSlot::Full => io::Error::other("the reactor is at its limit of I/O objects"),
        })?;
        shard.registered.add_shared(1);
        Ok(source)
    }

    /// Ends a registration.
    pub(super) fn remove(&self, source: &Arc<Source>) {
        let place = source.place();
        let shard = self.get(place.shard());
        shard.table.remove(place.token());
        shard.deregistered.add_shared(1);
    }

    /// Has the system tell of what happens to `fd`, to the shard and with the token of `place`.
    pub(super) fn watch(&self, fd: RawFd, place: Place, interest: Interest) -> io::Result<()> {
        let registry = self.get(place.shard()).registry();
        SourceFd(&fd).register(registry, place.token().into(), interest.to_mio())
    }

    pub(super) fn unwatch(&self, fd: RawFd, place: Place) -> io::Result<()> {
        SourceFd(&fd).deregister(self.get(place.shard()).registry())
    }

    /// Lets no one in any more, and hands out all that are.
    pub(super) fn shut_down(&self) -> Vec<Arc<Source>> {
        let all = self.shards.iter();
        all.flat_map(|shard| shard.slots().shut_down()).collect()
    }

    /// Its home. By how many are where, unless they are gathered: then as if they came and went evenly.
    fn choose(&self, worker: Option<usize>) -> usize {
        let count = self.shards.len();
        if count == 1 {
            return 0;
        }
        if self.gathering.is_on() {
            let in_turn = || self.made.fetch_add(1, Relaxed) / TOGETHER;
            return worker.unwrap_or_else(in_turn) % count;
        }
        let wanted = worker.unwrap_or_else(|| self.last.load(Relaxed)) % count;
        let held = |shard: usize| self.shards[shard].table.held();
        if has_room(held(wanted), 0) {
            return wanted;
        }
        let emptiest = (0..count).min_by_key(|&shard| held(shard)).unwrap_or(0);
        if has_room(held(wanted), held(emptiest)) {
            return wanted;
        }
        if worker.is_none() {
            self.last.store(emptiest, Relaxed);
        }
        emptiest
    }

    /// Something was read from `source`: it goes where it is to be (R9), or it may be time to see whether that should be
    /// elsewhere (R8). `arrives` tells on which processor its packets do.
    #[inline]
    pub(super) fn follow(
        &self,
        source: &Arc<Source>,
        fd: RawFd,
        arrives: impl FnOnce() -> Option<usize>,
    ) {
        let is_gathered = self.gathering.is_on();
        let wanted = if is_gathered { 0 } else { source.home() };
        if source.place().shard() != wanted {
            if source.is_busy() {
                self.move_to(wanted, source, fd);
            }
        } else if !is_gathered
            && let Some(look) = source.begin_look()
            && let Some(processor) = arrives()
        {
            self.look(source, fd, processor, look);
        }
    }

    /// R8: what arrives for `source` does so on `processor`: moves it to the shard that is looked at there, or leaves
    /// that to the next of its looks, of which this is one.
    #[cold]
    fn look(&self, source: &Arc<Source>, fd: RawFd, processor: usize, look: u64) {
        let place = source.place();
        let is_there = |shard: &Shard| shard.processor.get() == processor as u64 + 1;
        let is_elsewhere = !is_there(self.get(place.shard()));
        let target = self.shards.iter().position(|shard| is_there(shard));
        if !source.is_often(is_elsewhere) {
            return;
        }
        let held = |shard: usize| self.shards[shard].table.held();
        // Where both ends of a connection are looked at here, each sees the other elsewhere, and they must not change
        // places for ever. Not by the thread's generator, which is the tasks'.
        let goes = FastRand::new(place.word() ^ look).below(2) == 0;
        if let Some(target) = target.filter(|_| goes)
            && has_room(held(target), held(place.shard()))
        {
            self.move_to(target, source, fd);
            if source.place().shard() == target {
                source.set_home(target);
            }
        }
    }

    /// R9: from now on objects are in the first shard; nothing if they are already, or the system refuses. One thread at a time
    /// calls this and [`spread`](Self::spread).
    pub(crate) fn gather(&self) {
        if self.gathering.is_on() {
            return;
        }
        for shard in 1..self.shards.len() {
            if self.nest(shard).is_err() {
                (1..shard).for_each(|shard| self.take_out(shard));
                return;
            }
        }
        self.gathering.begin();
    }

    /// R9: from now on each is in its home.
    pub(crate) fn spread(&self) {
        if !self.gathering.is_on() {
            return;
        }
        self.gathering.end();
        (1..self.shards.len()).for_each(|shard| self.take_out(shard));
        if self.attendance.is_in_first() {
            self.wake_first();
        }
    }

    fn nest(&self, shard: usize) -> io::Result<()> {
        let (outer, inner) = (self.get(0).registry(), self.get(shard).registry());
        let token = mio::Token::from(Token::of_shard(shard));
        nesting::put(outer.as_raw_fd(), inner.as_raw_fd(), token.0)
    }

    fn take_out(&self, shard: usize) {
        let (outer, inner) = (self.get(0).registry(), self.get(shard).registry());
        let taken_out = nesting::take_out(outer.as_raw_fd(), inner.as_raw_fd());
        taken_out.expect("what was put into a selector can be taken out");
    }

    /// R7.
    #[cold]
    pub(super) fn move_to(&self, target: usize, source: &Arc<Source>, fd: RawFd) {
        if source.is_fixed() {
            return;
        }
        let Some(moving) = Moving::begin(source) else {
            return;
        };
        // Readable, writable: it is a stream, or a datagram socket.
        let both = Interest::READABLE | Interest::WRITABLE;
        let watch = |place| self.watch(fd, place, both);
        // The system refuses that only if the descriptor is not what it was; and then there is nothing to undo.
        let unwatch = |place| drop(self.unwatch(fd, place));
        let is_moved = moving.to(target, |shard| &self.get(shard).table, watch, unwatch);
        if !is_moved {
            source.fix();
        }
    }
}

fn has_room(held: u64, emptiest: u64) -> bool {
    held <= emptiest + SLACK + emptiest / 8
}
