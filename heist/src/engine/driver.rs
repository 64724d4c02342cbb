//! L4: what a worker can sleep in besides its parker.
//!
//! A runtime's reactor has as many shards as workers can run at a time, up to a number
//! ([`most_shards`]). Who looks after a shard is the worker of that number (and, where there are more workers, every so manieth
//! after it):
//!
//! * who is busy looks at its own shard every so often, and, by default, where that had something not long ago, before it goes
//!   looking for work elsewhere (I16);
//! * whoever goes to sleep first sleeps for all: in any shard that has something. So while there is one who does, what
//!   comes waits for nobody, however long a task of its shard's worker takes;
//! * who gets up so and finds several shards with something takes its own, and those whose worker sleeps. The others' come to theirs
//!   by themselves; but they may be in long polls, so by default somebody is woken to sleep in their place;
//! * where nobody sleeps for all, the others' shards are looked at by who is busy, if their worker sleeps or, by default, stands still
//!   (I10), and by the watch, if it is stuck and there is nobody to wake for it.
//!
//! While there is time to sleep, objects are gathered in the first shard, which all look after then, and in which who sleeps for
//! all does so (R9 of [`reactor`](super::reactor)): as if there were no others.
//!
//! Who goes to sleep while another gets up looks at its own shard once more (A1 and A2 of [`Attendance`]). Whether a shard's worker sleeps is asked
//! of that of its number alone: where it has several, one look too many or too few is made up for by the next one.
//!
//! Nobody holds a shard while running tasks. Where there is one shard, as in a current-thread runtime, who sleeps for
//! all sleeps in that. Timers need no thread of their own: each worker sleeps until its own earliest deadline.

use std::io;
use std::time::Duration;

use crate::engine::base::cache_padded::CachePadded;
use crate::engine::base::parker::Parker;
use crate::engine::base::unwind;
use crate::engine::queue::local::CAPACITY;
use crate::engine::reactor::{
    Attendance, Attendant, Bell, Reactor, ReactorHandle, ShardSet, most_shards,
};
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::AtomicUsize;
use crate::loom::sync::atomic::Ordering::Relaxed;

/// The reactor of a runtime, if it has one.
#[derive(Debug)]
pub(crate) struct Driver {
    io: Option<Io>,
    busy_events: usize,
}

#[derive(Debug)]
struct Io {
    shards: Box<[CachePadded<Mutex<Reactor>>]>,
    /// For who sleeps, if there are several shards.
    attendant: Option<(Mutex<Attendant>, Bell)>,
    /// Which of the others' shards is the next to be looked at: one for which there was no room.
    next: AtomicUsize,
    handle: ReactorHandle,
}

/// How many events a turn takes, by default: what a worker's queue holds. What was fetched beyond that would go to
/// the injector and lose its turn; with the system it keeps it.
pub(crate) const EVENTS: usize = CAPACITY as usize;
/// The same for a worker that has tasks.
pub(crate) const BUSY_EVENTS: usize = EVENTS / 4;

/// How many events a turn of the reactor takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IoLimits {
    pub(crate) events: usize,
    /// In a turn that does not wait; `None`: [`BUSY_EVENTS`], and no more than `events`.
    pub(crate) busy_events: Option<usize>,
}

/// How a sleep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rest {
    pub(crate) was_unparked: bool,
    /// There is something in shards of others who are awake.
    pub(crate) left_events: bool,
}

impl Driver {
    /// For so many workers that can run at a time.
    ///
    /// # Errors
    ///
    /// If the system gives no epoll or event descriptor.
    pub(crate) fn new(io: Option<IoLimits>, workers: usize) -> io::Result<Self> {
        let Some(limits) = io else {
            return Ok(Self {
                io: None,
                busy_events: 0,
            });
        };
        let busy_events = limits.busy_events;
        let busy_events = busy_events.unwrap_or(limits.events.min(BUSY_EVENTS));
        let shards = workers.clamp(1, most_shards());
        // One will do where there are few descriptors.
        let io = Io::new(shards, limits.events, busy_events)
            .or_else(|_| Io::new(1, limits.events, busy_events))?;
        Ok(Self {
            io: Some(io),
            busy_events,
        })
    }

    /// How many events [`poll`](Self::poll) brings at most.
    pub(crate) fn busy_events(&self) -> usize {
        self.busy_events
    }

    pub(crate) fn handle(&self) -> Option<&ReactorHandle> {
        self.io.as_ref().map(|io| &io.handle)
    }

    /// Sleeps on `parker` until it is unparked, the time is up, or, if nobody else sleeps for the reactor, until
    /// that has something. `sleeps` tells of other workers whether they do.
    pub(crate) fn park(
        &self,
        worker: usize,
        parker: &Parker,
        timeout: Option<Duration>,
        sleeps: impl Fn(usize) -> bool,
    ) -> Rest {
        match &self.io {
            Some(io) => io.park(worker, parker, timeout, sleeps),
            None => park(parker, timeout),
        }
    }

    /// Looks what the worker's shard of the reactor has, without sleeping; nothing if somebody else is at it.
    /// `processor` is where the worker is. How many events there were.
    pub(crate) fn poll(&self, worker: usize, processor: Option<usize>) -> usize {
        let Some(io) = &self.io else { return 0 };
        if io.attendant.is_some() {
            let shards = io.handle.shards();
            shards.see_processor(io.own_shard(worker), processor);
        }
        let mut brought = 0;
        for shard in io.shards_of(worker, io.is_first_shared()) {
            if brought < self.busy_events {
                brought += io.poll(shard).unwrap_or(0);
            }
        }
        brought
    }

    /// The same for the shards of others, where `cannot` says of a worker that it does not come to its own, and nobody
    /// sleeps for all. `brought` is what the worker's own shard had: both together are not much more than a look may
    /// bring.
    pub(crate) fn poll_for_others(
        &self,
        worker: usize,
        brought: usize,
        cannot: impl Fn(usize) -> bool,
    ) {
        let Some(io) = &self.io else { return };
        if io.attendant.is_none() || io.is_attended() {
            return;
        }
        let mut room = self.busy_events.saturating_sub(brought);
        room = room.max(self.busy_events / 4).max(1);
        for shard in io.others(worker, io.is_first_shared()) {
            if room == 0 {
                io.comes_next(shard);
                break;
            }
            if cannot(shard) {
                room = room.saturating_sub(io.poll(shard).unwrap_or(0));
            }
        }
    }

    /// Takes what is in the shard of a worker that does not come to it, where there are several, and no more than a queue holds.
    pub(crate) fn relieve(&self, worker: usize) {
        if let Some(io) = self.io.as_ref().filter(|io| io.attendant.is_some()) {
            let looks = EVENTS / self.busy_events.clamp(1, EVENTS);
            let found_all = |events: Option<usize>| events.is_none_or(|n| n < self.busy_events);
            for shard in io.shards_of(worker, io.is_first_shared()) {
                let _ = (0..looks).find(|_| found_all(io.poll(shard)));
            }
        }
    }

    /// Whether the reactor has several shards.
    pub(crate) fn has_shards(&self) -> bool {
        self.io.as_ref().is_some_and(|io| io.attendant.is_some())
    }

    /// Whether each worker looks after its own, now.
    pub(crate) fn is_shared_out(&self) -> bool {
        let io = self.io.as_ref().filter(|io| io.attendant.is_some());
        io.is_some_and(|io| !io.is_gathered())
    }

    /// Whether workers find the time to sleep (R9); told by one thread.
    pub(crate) fn set_gathered(&self, is_gathered: bool) {
        if let Some(io) = self.io.as_ref().filter(|io| io.attendant.is_some()) {
            match is_gathered {
                true => io.handle.shards().gather(),
                false => io.handle.shards().spread(),
            }
        }
    }

    /// True if somebody sleeps for the reactor, or there is none.
    pub(crate) fn is_attended(&self) -> bool {
        self.io.as_ref().is_none_or(Io::is_attended)
    }

    /// Wakes the owner of `parker`, wherever it sleeps.
    pub(crate) fn unpark(&self, parker: &Parker) {
        if parker.unpark_from()
            && let Some(io) = &self.io
        {
            let shards = io.handle.shards();
            match &io.attendant {
                Some((_, bell)) if !shards.attendance.is_in_first() => bell.ring(),
                _ => shards.wake_first(),
            }
        }
    }
}

impl Io {
    fn new(shards: usize, events: usize, busy_events: usize) -> io::Result<Self> {
        let (mut reactors, handle) = Reactor::new(shards, events)?;
        for reactor in &mut reactors {
            reactor.limit_busy_turns(busy_events);
        }
        let attendant = match shards {
            1 => None,
            _ => {
                let (attendant, bell) = Attendant::new(reactors.iter().map(Reactor::descriptor))?;
                Some((Mutex::new(attendant), bell))
            }
        };
        let padded = |reactor| CachePadded::new(Mutex::new(reactor));
        Ok(Self {
            shards: reactors.into_iter().map(padded).collect(),
            attendant,
            next: AtomicUsize::new(0),
            handle,
        })
    }

    fn own_shard(&self, worker: usize) -> usize {
        worker % self.shards.len()
    }

    fn is_gathered(&self) -> bool {
        self.handle.shards().gathering.is_on()
    }

    /// Whether all look after the first shard: while objects are gathered, and as long as many stay there that were.
    fn is_first_shared(&self) -> bool {
        self.is_gathered() || self.handle.shards().is_first_full()
    }

    /// Those that a worker looks after: its own, in which hardly anything is while all look after the first, and then that.
    fn shards_of(
        &self,
        worker: usize,
        is_first_shared: bool,
    ) -> impl Iterator<Item = usize> + use<> {
        let own = self.own_shard(worker);
        let first = (own != 0 && is_first_shared).then_some(0);
        std::iter::once(own).chain(first)
    }

    /// All but those, in the order in which it is their turn.
    fn others(&self, worker: usize, is_first_shared: bool) -> impl Iterator<Item = usize> + use<> {
        let count = self.shards.len();
        let own = self.own_shard(worker);
        // Relaxed: any order will do, as long as it is not always the same one.
        let next = self.next.load(Relaxed);
        let in_turn = (0..count).map(move |i| (next + i) % count);
        in_turn.filter(move |&shard| shard != own && !(is_first_shared && shard == 0))
    }

    /// There was no room for what is in `shard`.
    fn comes_next(&self, shard: usize) {
        // Relaxed: see `others`.
        self.next.store(shard, Relaxed);
    }

    fn attendance(&self) -> &Attendance {
        &self.handle.shards().attendance
    }

    fn is_attended(&self) -> bool {
        self.attendance().is_on()
    }

    /// How many events there were; `None` if somebody else is at it.
    fn poll(&self, shard: usize) -> Option<usize> {
        if !self.handle.shards().can_have_events(shard) {
            return Some(0);
        }
        self.take(shard)
    }

    /// As [`poll`](Self::poll), where the system says that there is something: whatever that is, it has to go.
    fn take(&self, shard: usize) -> Option<usize> {
        let mut reactor = self.shards[shard].try_lock()?;
        Some(turned(|| reactor.turn(Some(Duration::ZERO))))
    }

    fn park(
        &self,
        worker: usize,
        parker: &Parker,
        timeout: Option<Duration>,
        sleeps: impl Fn(usize) -> bool,
    ) -> Rest {
        let Some((attendant, _)) = &self.attendant else {
            let Some(mut reactor) = self.shards[0].try_lock() else {
                return park(parker, timeout);
            };
            self.attendance().begin();
            return self.park_in_first(parker, timeout, &mut reactor).0;
        };
        let Some(mut attendant) = attendant.try_lock() else {
            return match self.take_left(worker) {
                true => Rest::default(),
                false => park(parker, timeout),
            };
        };
        let shards = self.handle.shards();
        if self.is_gathered()
            && !attendant.is_in_vain()
            && let Some(mut reactor) = self.shards[0].try_lock()
            && shards.attendance.begin_in_first(&shards.gathering)
        {
            let (rest, events) = self.park_in_first(parker, timeout, &mut reactor);
            let others = reactor.take_others();
            drop(reactor);
            self.take_up(others, events, &mut attendant);
            return rest;
        }
        self.attendance().begin();
        let mut left_events = false;
        let was_unparked = parker
            .park_elsewhere(|| left_events = self.attend(worker, &mut attendant, timeout, sleeps));
        self.attendance().end();
        Rest {
            was_unparked,
            left_events,
        }
    }

    /// Sleeps in the first shard, in which all is that can happen. And how many events there were.
    fn park_in_first(
        &self,
        parker: &Parker,
        timeout: Option<Duration>,
        reactor: &mut Reactor,
    ) -> (Rest, usize) {
        let mut events = 0;
        let was_unparked = parker.park_elsewhere(|| events = turned(|| reactor.turn(timeout)));
        self.attendance().end();
        let rest = Rest {
            was_unparked,
            left_events: false,
        };
        (rest, events)
    }

    /// The first shard had so many `events`, and told of `others` that have something too: of sockets that were not read since all
    /// were gathered. What there is no room for is told of again.
    fn take_up(&self, others: ShardSet, events: usize, attendant: &mut Attendant) {
        let (mut is_held, mut events) = (false, events);
        for shard in others {
            if events >= EVENTS {
                return;
            }
            match self.take(shard) {
                Some(taken) => events += taken,
                None => is_held = true,
            }
        }
        if is_held && events == 0 {
            attendant.was_in_vain();
        }
    }

    /// The caller goes to sleep, and another has the attendant: takes what that one left in the caller's shard. True if there was
    /// something.
    fn take_left(&self, worker: usize) -> bool {
        let own = self.own_shard(worker);
        self.attendance().may_have_left() && self.poll(own).is_some_and(|events| events > 0)
    }

    /// Sleeps for all shards. What is in those that the worker looks after comes first, and then what is in those of sleepers, as
    /// long as its queue has room; if there is something, others who are awake come to theirs by themselves. True if something was left.
    fn attend(
        &self,
        worker: usize,
        attendant: &mut Attendant,
        timeout: Option<Duration>,
        sleeps: impl Fn(usize) -> bool,
    ) -> bool {
        turned(|| attendant.wait(timeout).map(|()| 0));
        self.attendance().get_up();
        let is_first_shared = self.is_first_shared();
        let mut room = EVENTS;
        let mut is_held = false;
        let mut left_events = false;
        let own = self.shards_of(worker, is_first_shared);
        for shard in own.filter(|&shard| attendant.found(shard)) {
            match self.shards[shard].try_lock() {
                Some(mut reactor) => room = room.saturating_sub(turned(|| reactor.take_up())),
                None => is_held = true,
            }
        }
        let others = self.others(worker, is_first_shared);
        for shard in others.filter(|&shard| attendant.found(shard)) {
            if room == 0 {
                self.comes_next(shard);
                left_events = true;
                break;
            }
            if room < EVENTS && !sleeps(shard) {
                left_events = true;
                continue;
            }
            match self.take(shard) {
                Some(events) => room = room.saturating_sub(events),
                None => is_held = true,
            }
        }
        match is_held && room == EVENTS {
            true => attendant.was_in_vain(),
            false => attendant.was_not_in_vain(),
        }
        left_events
    }
}

fn park(parker: &Parker, timeout: Option<Duration>) -> Rest {
    let was_unparked = match timeout {
        None => {
            parker.park();
            true
        }
        Some(timeout) => parker.park_timeout(timeout),
    };
    Rest {
        was_unparked,
        left_events: false,
    }
}

/// What `turn` gives, which is a number of events.
fn turned(turn: impl FnOnce() -> io::Result<usize>) -> usize {
    match unwind::guarded(turn) {
        Some(Ok(events)) => events,
        // A waker that panicked (not a task's: those do not) has no claim on this thread.
        None => 0,
        // EINTR is not reported; what is left is a bug of ours, or a descriptor that somebody
        // else closed. Sleeping on would hang, going on would spin.
        Some(Err(error)) => panic!("the reactor failed: {error}"),
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;
    use std::task::{Context, Waker};
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::engine::reactor::test_support::CountingWaker;
    use crate::engine::reactor::{Interest, Ready, Registration};

    const LIMITS: IoLimits = IoLimits {
        events: EVENTS,
        busy_events: None,
    };

    fn with_busy_events(events: usize) -> IoLimits {
        IoLimits {
            busy_events: Some(events),
            ..LIMITS
        }
    }

    /// Far longer than anything here takes.
    const HANG: Duration = Duration::from_secs(20);

    /// A socket in the shard of one worker, for which a task waits.
    struct Waiting {
        _near: UnixStream,
        far: UnixStream,
        _registration: Registration,
        woken: CountingWaker,
    }

    fn waiting(driver: &Driver, worker: usize) -> Waiting {
        let (near, far) = UnixStream::pair().unwrap();
        let reactor = driver.handle().unwrap();
        let (fd, interest) = (near.as_raw_fd(), Interest::READABLE);
        let registration = Registration::new(reactor, Some(worker), fd, interest, Ready::EMPTY);
        let registration = registration.unwrap();
        let woken = CountingWaker::new();
        let waker: Waker = woken.waker();
        let polled = registration.poll_read_ready(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        Waiting {
            _near: near,
            far,
            _registration: registration,
            woken,
        }
    }

    #[test]
    fn who_is_busy_looks_at_its_own_shard_and_at_those_of_who_cannot() {
        let driver = Driver::new(Some(LIMITS), 2).unwrap();
        let mut other = waiting(&driver, 1);
        other.far.write_all(b"x").unwrap();
        // Empty ones cost nothing, and the own one has no part in it.
        driver.poll(0, None);
        driver.poll_for_others(0, 0, |_| false);
        driver.poll_for_others(1, 0, |_| true);
        assert_eq!(other.woken.count(), 0);
        driver.poll_for_others(0, 0, |worker| worker == 1);
        assert_eq!(other.woken.count(), 1);

        let mut own = waiting(&driver, 0);
        own.far.write_all(b"x").unwrap();
        // A third worker looks after the first shard as well.
        driver.poll(2, None);
        assert_eq!(own.woken.count(), 1);
    }

    #[test]
    fn all_look_after_the_first_shard_while_most_are_in_it() {
        let driver = Driver::new(Some(LIMITS), 2).unwrap();
        driver.set_gathered(true);
        let mut gathered: Vec<_> = (0..10).map(|_| waiting(&driver, 1)).collect();
        let mut looks = |socket: usize, worker| {
            gathered[socket].far.write_all(b"x").unwrap();
            driver.poll(worker, None);
            gathered[socket].woken.count() == 1
        };
        assert!(looks(0, 0) && looks(1, 1));
        driver.set_gathered(false);
        assert!(looks(2, 0) && looks(3, 1));
        let _own: Vec<_> = (0..10).map(|_| waiting(&driver, 1)).collect();
        assert!(looks(4, 0) && !looks(5, 1));
    }

    #[test]
    fn who_sleeps_does_so_for_all_shards() {
        for (worker, is_gathered) in [0, 1, 2, 3]
            .into_iter()
            .flat_map(|i| [(i, false), (i, true)])
        {
            let driver = Driver::new(Some(LIMITS), 3).unwrap();
            if is_gathered {
                driver.set_gathered(true);
            }
            let mut sockets = [0, 1, 2].map(|worker| waiting(&driver, worker));
            for socket in &mut sockets {
                assert!(!driver.is_attended());
                thread::scope(|scope| {
                    let sleeper =
                        scope.spawn(|| driver.park(worker, &Parker::new(), None, |_| false));
                    while !driver.is_attended() {
                        thread::yield_now();
                    }
                    socket.far.write_all(b"x").unwrap();
                    assert!(!sleeper.join().unwrap().was_unparked);
                });
                assert_eq!(socket.woken.count(), 1);
            }
        }
    }

    #[test]
    fn who_goes_to_sleep_beside_one_who_sleeps_for_all_looks_at_its_shard() {
        let driver = Driver::new(Some(LIMITS), 2).unwrap();
        let mut socket = waiting(&driver, 1);
        let (attendant, _) = driver.io.as_ref().unwrap().attendant.as_ref().unwrap();
        let _other = attendant.lock();
        socket.far.write_all(b"x").unwrap();
        let rest = driver.park(1, &Parker::new(), Some(HANG), |_| true);
        assert_eq!(rest, Rest::default());
        assert_eq!(socket.woken.count(), 1);
    }

    #[test]
    fn shards_for_which_there_was_no_room_come_first_next_time() {
        let driver = Driver::new(Some(with_busy_events(4)), 3).unwrap();
        let mut flood: Vec<_> = (0..8).map(|_| waiting(&driver, 1)).collect();
        let mut lone = waiting(&driver, 2);
        lone.far.write_all(b"x").unwrap();
        for _ in 0..2 {
            for socket in &mut flood {
                socket.far.write_all(b"x").unwrap();
            }
            driver.poll_for_others(0, 0, |_| true);
        }
        assert_eq!(lone.woken.count(), 1);
    }

    #[test]
    fn a_stuck_worker_is_relieved_of_as_much_as_a_queue_holds() {
        let driver = Driver::new(Some(with_busy_events(2)), 2).unwrap();
        let mut sockets: Vec<_> = (0..8).map(|_| waiting(&driver, 1)).collect();
        for socket in &mut sockets {
            socket.far.write_all(b"x").unwrap();
        }
        driver.relieve(1);
        assert!(sockets.iter().all(|socket| socket.woken.count() == 1));
    }

    /// A waker that does not end, say.
    #[test]
    fn a_shard_that_somebody_is_at_for_long_does_not_make_the_sleeper_spin() {
        let driver = Driver::new(Some(LIMITS), 2).unwrap();
        let mut sockets = [0, 1].map(|worker| waiting(&driver, worker));
        let held = driver.io.as_ref().unwrap().shards[1].lock();
        sockets[1].far.write_all(b"x").unwrap();
        let start = Instant::now();
        let mut sleeps = 0;
        while start.elapsed() < Duration::from_millis(50) {
            driver.park(0, &Parker::new(), None, |_| true);
            sleeps += 1;
        }
        assert!(sleeps < 200, "{sleeps}");
        // All the others are looked at.
        sockets[0].far.write_all(b"x").unwrap();
        driver.park(0, &Parker::new(), None, |_| true);
        assert_eq!(
            sockets.each_ref().map(|socket| socket.woken.count()),
            [1, 0]
        );
        drop(held);
        while sockets[1].woken.count() == 0 {
            driver.park(0, &Parker::new(), None, |_| true);
        }
    }

    /// As much as was found is taken: its own, and what only the sleeper would come to.
    #[test]
    fn who_is_up_takes_what_is_of_sleepers_besides_its_own() {
        let driver = Driver::new(Some(LIMITS), 3).unwrap();
        let mut sockets = [0, 1, 2].map(|worker| waiting(&driver, worker));
        for socket in &mut sockets {
            socket.far.write_all(b"x").unwrap();
        }
        let counts = || sockets.each_ref().map(|socket| socket.woken.count());
        let rest = driver.park(0, &Parker::new(), None, |worker| worker == 2);
        assert!(!rest.was_unparked && rest.left_events);
        assert_eq!(counts(), [1, 0, 1]);
        let rest = driver.park(0, &Parker::new(), None, |_| false);
        assert_eq!(rest, Rest::default());
        assert_eq!(counts(), [1, 1, 1]);
    }

    #[test]
    fn whoever_sleeps_is_woken() {
        let driver = Driver::new(Some(LIMITS), 2).unwrap();
        let parkers = [Parker::new(), Parker::new()];
        for _ in 0..100 {
            thread::scope(|scope| {
                let sleepers = [0, 1].map(|worker| {
                    let (driver, parker) = (&driver, &parkers[worker]);
                    scope.spawn(move || driver.park(worker, parker, None, |_| false))
                });
                parkers.iter().for_each(|parker| driver.unpark(parker));
                for sleeper in sleepers {
                    assert!(sleeper.join().unwrap().was_unparked);
                }
            });
        }
        // The bell is not heard twice.
        let timeout = Some(Duration::from_millis(5));
        let park = || driver.park(0, &parkers[0], timeout, |_| false);
        while park().was_unparked {}
        assert!(!park().was_unparked);
    }
}
