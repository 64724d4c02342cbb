//! The reactor with real sockets, turned by hand.

use std::future::Future;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener as StdListener, TcpStream as StdStream};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::RecvTimeoutError;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use super::moving::Moving;
use super::test_support::{CountingWaker, closed_is_closed, one_shard};
use super::*;
use crate::engine::base::budget::{Budget, BudgetScope};

/// Far longer than anything here takes: reaching it is a hang.
const HANG: Duration = Duration::from_secs(60);
const LONG: Option<Duration> = Some(HANG);
const NOW: Option<Duration> = Some(Duration::ZERO);
const BOTH: Interest = Interest::READABLE.add(Interest::WRITABLE);

/// A socket of ours, registered, and its peer, which is the system's.
struct Pair {
    near: mio::net::TcpStream,
    registration: Registration,
    far: StdStream,
}

fn pair(handle: &ReactorHandle, ready: Ready) -> Pair {
    pair_of(handle, None, ready)
}

/// Registered by `worker`.
fn pair_of(handle: &ReactorHandle, worker: Option<usize>, ready: Ready) -> Pair {
    let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let near = StdStream::connect(listener.local_addr().unwrap()).unwrap();
    let (far, _) = listener.accept().unwrap();
    near.set_nonblocking(true).unwrap();
    near.set_nodelay(true).unwrap();
    far.set_nodelay(true).unwrap();
    let near = mio::net::TcpStream::from_std(near);
    let registration = Registration::new(handle, worker, near.as_raw_fd(), BOTH, ready).unwrap();
    Pair {
        near,
        registration,
        far,
    }
}

impl Pair {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let len = buf.len();
        self.registration
            .poll_stream_read(cx, len, || (&self.near).read(buf))
    }
}

/// Turns until `done`, or fails.
fn turn_until(reactor: &mut Reactor, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < HANG, "nothing happened");
        reactor.turn(Some(Duration::from_millis(50))).unwrap();
    }
}

#[test]
fn a_read_waits_and_is_woken_once_an_edge() {
    let (mut reactor, handle) = one_shard(64);
    let mut pair = pair(&handle, Ready::EMPTY);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut buf = [0; 16];

    assert!(pair.poll_read(&mut cx, &mut buf).is_pending());
    pair.far.write_all(b"hello").unwrap();
    turn_until(&mut reactor, || counting.count() == 1);
    assert!(matches!(
        pair.poll_read(&mut cx, &mut buf),
        Poll::Ready(Ok(5))
    ));
    // A short read: the flag is cleared without asking the system again.
    assert!(
        pair.registration
            .try_io(Interest::READABLE, || Ok(()))
            .is_err()
    );
    assert!(pair.poll_read(&mut cx, &mut buf).is_pending());

    pair.far.write_all(&[7; 16]).unwrap();
    turn_until(&mut reactor, || counting.count() == 2);
    assert!(matches!(
        pair.poll_read(&mut cx, &mut buf),
        Poll::Ready(Ok(16))
    ));
    // A full read proves nothing: the flag stays until the system says otherwise.
    assert!(
        pair.registration
            .try_io(Interest::READABLE, || Ok(()))
            .is_ok()
    );
    assert!(pair.poll_read(&mut cx, &mut buf).is_pending());
    assert!(handle.shards().ready_count() >= 2);
}

#[test]
fn one_byte_reads_lose_nothing() {
    let (mut reactor, handle) = one_shard(64);
    let mut pair = pair(&handle, Ready::READABLE);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut expected = 0_u8;
    for round in 0..200_u8 {
        pair.far
            .write_all(&[expected, expected + 1, expected + 2])
            .unwrap();
        for _ in 0..3 {
            let mut byte = [0];
            let start = Instant::now();
            while pair.poll_read(&mut cx, &mut byte).is_pending() {
                assert!(start.elapsed() < HANG, "round {round}");
                reactor.turn(LONG).unwrap();
            }
            assert_eq!(byte[0], expected);
            expected += 1;
        }
        expected %= 200;
    }
}

#[test]
fn a_full_socket_waits_for_room() {
    let (mut reactor, handle) = one_shard(64);
    let mut pair = pair(&handle, Ready::WRITABLE);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let data = vec![1; 1 << 16];
    let write = |pair: &Pair, cx: &mut Context<'_>| {
        pair.registration
            .poll_stream_write(cx, data.len(), || (&pair.near).write(&data))
    };
    let mut sent = 0;
    // Let the registration's own first event pass.
    reactor.turn(NOW).unwrap();
    while let Poll::Ready(n) = write(&pair, &mut cx) {
        sent += n.unwrap();
    }
    // Also by what the system comes to only now: bytes that are on their way fill the socket as well.
    let before = counting.count();
    reactor.turn(NOW).unwrap();
    let mut received = vec![0; sent];
    pair.far.read_exact(&mut received).unwrap();
    turn_until(&mut reactor, || counting.count() > before);
    assert!(write(&pair, &mut cx).is_ready());
}

#[test]
fn the_end_of_the_stream_stays_readable() {
    let (mut reactor, handle) = one_shard(64);
    let Pair {
        near,
        registration,
        mut far,
    } = pair(&handle, Ready::EMPTY);
    far.write_all(b"x").unwrap();
    drop(far);
    let mut cx = Context::from_waker(Waker::noop());
    turn_until(&mut reactor, || {
        registration
            .source_for_tests()
            .peek(Interest::READABLE)
            .ready
            .is_read_closed()
    });
    let mut buf = [0; 8];
    for expected in [1, 0, 0] {
        let read = registration.poll_stream_read(&mut cx, 8, || (&near).read(&mut buf));
        assert!(matches!(read, Poll::Ready(Ok(n)) if n == expected));
    }
}

#[test]
fn a_reset_ends_both_directions() {
    let (mut reactor, handle) = one_shard(64);
    let pair = pair(&handle, Ready::EMPTY);
    reactor.turn(NOW).unwrap();
    let readers = CountingWaker::new();
    let waker = readers.waker();
    let mut cx = Context::from_waker(&waker);
    assert!(pair.registration.poll_read_ready(&mut cx).is_pending());
    socket2::SockRef::from(&pair.far)
        .set_linger(Some(Duration::ZERO))
        .unwrap();
    drop(pair.far);
    turn_until(&mut reactor, || readers.count() == 1);
    let Poll::Ready(Ok(event)) = pair.registration.poll_write_ready(&mut cx) else {
        panic!("a reset socket does not wait");
    };
    assert!(event.ready.is_write_closed());
}

#[test]
fn a_stale_event_does_not_reach_the_slots_next_owner() {
    let (mut reactor, handle) = one_shard(64);
    let old = pair(&handle, Ready::EMPTY);
    let old_token = old.registration.source_for_tests().place();
    // The old socket stays in the selector, as a duplicate of its descriptor would keep it.
    let Pair {
        near: old_near,
        registration,
        far: mut old_far,
    } = old;
    drop(registration);
    let new = pair(&handle, Ready::EMPTY);
    // The new socket's own first events.
    reactor.turn(NOW).unwrap();
    assert_ne!(new.registration.source_for_tests().place(), old_token);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    assert!(new.registration.poll_read_ready(&mut cx).is_pending());
    old_far.write_all(b"for the old one").unwrap();
    let start = Instant::now();
    while reactor.turn(Some(Duration::from_millis(10))).unwrap() == 0 {
        assert!(start.elapsed() < HANG);
    }
    assert_eq!(counting.count(), 0);
    drop(old_near);
}

#[test]
fn wake_ends_a_turn_from_another_thread() {
    let (mut reactor, handle) = one_shard(64);
    let waker = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        handle.shards().wake_first();
    });
    let start = Instant::now();
    assert_eq!(reactor.turn(LONG).unwrap(), 0);
    assert!(start.elapsed() < HANG);
    waker.join().unwrap();
    // Wakes before a turn make it not wait, and are one.
    reactor.handle.shards().wake_first();
    reactor.handle.shards().wake_first();
    assert_eq!(reactor.turn(LONG).unwrap(), 0);
    assert_eq!(reactor.turn(NOW).unwrap(), 0);
}

#[test]
fn shutdown_wakes_all_and_ends_everything() {
    let (mut reactor, handle) = one_shard(64);
    let pair = pair(&handle, Ready::EMPTY);
    reactor.turn(NOW).unwrap();
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut listed = pin!(pair.registration.readiness(Interest::READABLE));
    assert!(listed.as_mut().poll(&mut cx).is_pending());
    assert!(pair.registration.poll_read_ready(&mut cx).is_pending());

    handle.shutdown();
    handle.shutdown();
    assert_eq!(counting.count(), 2);
    let Poll::Ready(Err(e)) = listed.as_mut().poll(&mut cx) else {
        panic!("must end");
    };
    assert!(is_rt_shutdown_err(&e));
    // Also where the flag says ready.
    let Poll::Ready(Err(e)) = pair.registration.poll_write_ready(&mut cx) else {
        panic!("must end");
    };
    assert!(is_rt_shutdown_err(&e));
    // A clear does not bring the wait back.
    let event = pair
        .registration
        .source_for_tests()
        .peek(Interest::WRITABLE);
    pair.registration.clear_readiness(event);
    assert!(pair.registration.poll_write_ready(&mut cx).is_ready());

    let socket = mio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let e = Registration::new(&handle, None, socket.as_raw_fd(), BOTH, Ready::EMPTY).unwrap_err();
    assert!(is_rt_shutdown_err(&e));
    let registered = handle.shards().fds_registered();
    drop(reactor);
    assert_eq!(registered, 1);
}

#[test]
fn a_failed_registration_leaves_nothing_behind() {
    let (_reactor, handle) = one_shard(64);
    // A file is not something a selector watches.
    let file = std::fs::File::open("/proc/self/exe").unwrap();
    let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
    let result = Registration::new(&handle, None, fd, BOTH, Ready::EMPTY);
    assert!(result.is_err());
    assert!(handle.shards().shut_down().is_empty());
    assert_eq!(
        handle.shards().fds_registered(),
        handle.shards().fds_deregistered()
    );
}

#[test]
fn registrations_are_counted() {
    let (_reactor, handle) = one_shard(64);
    let pairs: Vec<_> = (0..5).map(|_| pair(&handle, Ready::EMPTY)).collect();
    assert_eq!(
        (
            handle.shards().fds_registered(),
            handle.shards().fds_deregistered()
        ),
        (5, 0)
    );
    drop(pairs);
    assert_eq!(
        (
            handle.shards().fds_registered(),
            handle.shards().fds_deregistered()
        ),
        (5, 5)
    );
}

#[test]
fn a_panicking_waker_costs_nobody_else_an_event() {
    struct Panics;
    impl std::task::Wake for Panics {
        fn wake(self: std::sync::Arc<Self>) {
            panic!("this waker is bad");
        }
    }
    let (mut reactor, handle) = one_shard(256);
    let mut pairs: Vec<_> = (0..40).map(|_| pair(&handle, Ready::EMPTY)).collect();
    reactor.turn(NOW).unwrap();
    let counting = CountingWaker::new();
    for (i, pair) in pairs.iter().enumerate() {
        let waker = if i == 3 {
            Waker::from(std::sync::Arc::new(Panics))
        } else {
            counting.waker()
        };
        let mut cx = Context::from_waker(&waker);
        assert!(pair.registration.poll_read_ready(&mut cx).is_pending());
    }
    for pair in &mut pairs {
        pair.far.write_all(b"!").unwrap();
    }
    let mut panics = 0;
    let start = Instant::now();
    while counting.count() < 39 {
        assert!(start.elapsed() < HANG);
        let turned = panic::catch_unwind(AssertUnwindSafe(|| {
            reactor.turn(Some(Duration::from_millis(50))).unwrap();
        }));
        panics += usize::from(turned.is_err());
    }
    assert_eq!(panics, 1);
}

#[test]
fn a_busy_turn_leaves_what_is_too_much() {
    let (mut reactor, handle) = one_shard(64);
    reactor.limit_busy_turns(4);
    // Each new socket has an event: it can be written.
    let _pairs: Vec<_> = (0..10).map(|_| pair(&handle, Ready::EMPTY)).collect();
    assert_eq!(reactor.turn(NOW).unwrap(), 4);
    assert_eq!(reactor.turn(NOW).unwrap(), 4);
    assert_eq!(reactor.turn(LONG).unwrap(), 2);
}

#[test]
fn a_source_is_small() {
    assert!(size_of::<Source>() <= 80, "{}", size_of::<Source>());
    assert!(size_of::<Registration>() <= 16);
}

#[test]
fn a_ready_socket_spends_the_budget() {
    let (mut reactor, handle) = one_shard(64);
    let pair = pair(&handle, Ready::WRITABLE);
    reactor.turn(NOW).unwrap();
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let _scope = BudgetScope::enter(Budget::initial());
    let mut writes = 0;
    while pair
        .registration
        .poll_write_io(&mut cx, || Ok(()))
        .is_ready()
    {
        writes += 1;
        assert!(writes < 1000, "never yields");
    }
    assert_eq!(writes, 128);
    assert_eq!(counting.count(), 1);
    // A wait costs nothing.
    drop(_scope);
    let _scope = BudgetScope::enter(Budget::initial());
    for _ in 0..1000 {
        assert!(pair.registration.poll_read_ready(&mut cx).is_pending());
    }
    assert!(
        pair.registration
            .poll_write_io(&mut cx, || Ok(()))
            .is_ready()
    );
}

#[test]
fn false_alarms_spend_the_budget_and_then_yield() {
    let (mut reactor, handle) = one_shard(64);
    let pair = pair(&handle, Ready::READABLE);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    reactor.turn(NOW).unwrap();
    let _scope = BudgetScope::enter(Budget::initial());
    let source = pair.registration.source_for_tests();
    let tries = AtomicUsize::new(0);
    let polled = pair.registration.poll_read_io(&mut cx, || {
        // Each try finds nothing, and each time an event comes meanwhile.
        assert!(tries.fetch_add(1, SeqCst) < 1000, "never yields");
        source.event(Ready::READABLE, &mut WakeBatch::new());
        Err::<(), _>(io::ErrorKind::WouldBlock.into())
    });
    assert!(polled.is_pending());
    assert_eq!(tries.load(SeqCst), 128);
    assert_eq!(counting.count(), 1);
}

#[test]
fn async_io_waits_for_its_operation() {
    let (mut reactor, handle) = one_shard(64);
    let mut pair = pair(&handle, Ready::READABLE);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let (near, registration) = (&pair.near, &pair.registration);
    let read = || {
        let mut buf = [0; 4];
        (&*near).read(&mut buf)
    };
    let mut first = pin!(registration.async_io(Interest::READABLE, read));
    let mut second = pin!(registration.async_io(Interest::READABLE, read));
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    pair.far.write_all(b"abcd").unwrap();
    turn_until(&mut reactor, || counting.count() >= 2);
    // Both are told; one gets it, the other waits on.
    assert!(matches!(first.as_mut().poll(&mut cx), Poll::Ready(Ok(4))));
    assert!(second.as_mut().poll(&mut cx).is_pending());
    pair.far.write_all(b"e").unwrap();
    turn_until(&mut reactor, || counting.count() >= 3);
    assert!(matches!(second.as_mut().poll(&mut cx), Poll::Ready(Ok(1))));
}

#[test]
fn an_interrupted_turn_is_an_empty_one() {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: a handler that does nothing, without SA_RESTART, for a signal nobody else uses here.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
        assert_eq!(
            libc::sigaction(libc::SIGURG, &action, std::ptr::null_mut()),
            0
        );
    }
    let (mut reactor, _handle) = one_shard(64);
    // SAFETY: no arguments.
    let target = unsafe { libc::pthread_self() };
    let target = target as usize;
    let (over, is_over) = std::sync::mpsc::channel::<()>();
    // Again and again, as nobody knows when the turn begins to wait.
    let sender = thread::spawn(move || {
        while let Err(RecvTimeoutError::Timeout) = is_over.recv_timeout(Duration::from_millis(10)) {
            // SAFETY: the thread waits for us.
            let sent = unsafe { libc::pthread_kill(target as libc::pthread_t, libc::SIGURG) };
            assert_eq!(sent, 0);
        }
    });
    let start = Instant::now();
    let turned = reactor.turn(LONG);
    drop(over);
    sender.join().unwrap();
    assert_eq!(turned.unwrap(), 0);
    assert!(start.elapsed() < HANG);
}

#[test]
fn operations_by_await_spend_the_budget_too() {
    let (mut reactor, handle) = one_shard(64);
    let pair = pair(&handle, Ready::WRITABLE);
    reactor.turn(NOW).unwrap();
    let _scope = BudgetScope::enter(Budget::initial());
    let operations = AtomicUsize::new(0);
    let mut endless = pin!(async {
        loop {
            // To ask costs nothing, as often as one likes.
            for _ in 0..1000 {
                let asked = pair.registration.readiness(Interest::WRITABLE);
                asked.await.unwrap();
            }
            let done = pair.registration.async_io(Interest::WRITABLE, || Ok(()));
            done.await.unwrap();
            operations.fetch_add(1, SeqCst);
        }
    });
    let counting = CountingWaker::new();
    let polled: Poll<()> = endless
        .as_mut()
        .poll(&mut Context::from_waker(&counting.waker()));
    assert!(polled.is_pending());
    assert_eq!(operations.load(SeqCst), 128);
    assert_eq!(counting.count(), 1);
}

#[test]
fn sockets_come_and_go_while_it_turns() {
    use crate::engine::base::parker::block_on;
    let (mut reactor, handle) = one_shard(8);
    let threads: Vec<_> = (0..3_u8)
        .map(|thread| {
            let handle = handle.clone();
            thread::spawn(move || {
                for round in 0..200_u8 {
                    let mut pair = pair(&handle, Ready::EMPTY);
                    pair.far.write_all(&[thread, round]).unwrap();
                    let mut got = [0; 2];
                    let n = block_on(std::future::poll_fn(|cx| pair.poll_read(cx, &mut got)));
                    assert_eq!((n.unwrap(), got), (2, [thread, round]));
                }
            })
        })
        .collect();
    let start = Instant::now();
    while threads.iter().any(|thread| !thread.is_finished()) {
        assert!(start.elapsed() < Duration::from_secs(60), "a wake was lost");
        reactor.turn(Some(Duration::from_millis(20))).unwrap();
    }
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(handle.shards().fds_registered(), 600);
    assert_eq!(handle.shards().fds_deregistered(), 600);
    assert!(handle.shards().shut_down().is_empty());
}

#[test]
fn threads_that_wait_and_one_that_turns() {
    use crate::engine::base::parker::block_on;
    let (mut reactor, handle) = one_shard(64);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let mut pair = pair(&handle, Ready::READABLE);
            thread::spawn(move || {
                for round in 0..500_u16 {
                    pair.far.write_all(&round.to_le_bytes()).unwrap();
                    let mut got = 0;
                    let mut bytes = [0; 2];
                    while got < 2 {
                        got += block_on(std::future::poll_fn(|cx| {
                            pair.poll_read(cx, &mut bytes[got..])
                        }))
                        .unwrap();
                    }
                    assert_eq!(u16::from_le_bytes(bytes), round);
                }
            })
        })
        .collect();
    let start = Instant::now();
    while threads.iter().any(|thread| !thread.is_finished()) {
        assert!(start.elapsed() < Duration::from_secs(60), "a wake was lost");
        reactor.turn(Some(Duration::from_millis(20))).unwrap();
    }
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Where a registration is.
fn shard_of(registration: &Registration) -> usize {
    registration.source_for_tests().place().shard()
}

/// So many pairs, registered by `worker`.
fn pairs(handle: &ReactorHandle, worker: Option<usize>, count: usize) -> Vec<Pair> {
    (0..count)
        .map(|_| pair_of(handle, worker, Ready::EMPTY))
        .collect()
}

#[test]
fn an_object_is_in_its_workers_shard_unless_that_has_its_share() {
    let (_reactors, handle) = Reactor::new(2, 64).unwrap();
    let by_worker = pairs(&handle, Some(1), 30);
    let in_own = by_worker
        .iter()
        .filter(|pair| shard_of(&pair.registration) == 1);
    let in_own = in_own.count();
    assert!((15..=20).contains(&in_own), "{in_own}");
    drop(by_worker);
    // What no worker makes: one after the other, so that a pair is in one place, and about as many here as there.
    let by_others = pairs(&handle, None, 30);
    let shards: Vec<usize> = by_others
        .iter()
        .map(|pair| shard_of(&pair.registration))
        .collect();
    let changes = shards.windows(2).filter(|two| two[0] != two[1]).count();
    assert!((1..=5).contains(&changes), "{shards:?}");
    let first = shards.iter().filter(|&&shard| shard == 0).count();
    assert!((10..=20).contains(&first), "{shards:?}");
    drop(by_others);
    let shards = handle.shards();
    assert_eq!(
        (shards.fds_registered(), shards.fds_deregistered()),
        (60, 60)
    );
    assert!(shards.can_have_events(0) && !shards.can_have_events(1));
}

/// Has so many events happen to it.
fn events(registration: &Registration, count: usize) {
    let mut batch = WakeBatch::new();
    for _ in 0..count {
        assert!(
            !registration
                .source_for_tests()
                .event(Ready::READABLE, &mut batch)
        );
        batch.wake_all();
    }
}

#[test]
fn an_object_goes_where_its_packets_arrive() {
    let (mut reactors, handle) = Reactor::new(2, 64).unwrap();
    handle.shards().see_processor(0, Some(5));
    handle.shards().see_processor(1, Some(7));
    let mut pairs = pairs(&handle, Some(0), 8);
    let follow = |pair: &Pair, processor| {
        let fd = pair.near.as_raw_fd();
        pair.registration.follow(fd, || processor);
        shard_of(&pair.registration)
    };
    for pair in &pairs {
        // There is no reason to look yet; then it belongs here, or nobody knows where.
        events(&pair.registration, 3);
        assert_eq!(follow(pair, Some(7)), 0);
        for processor in [Some(5), Some(6), None] {
            events(&pair.registration, 1_000);
            assert_eq!(follow(pair, processor), 0);
        }
    }
    for pair in &pairs {
        for _ in 0..20 {
            events(&pair.registration, 1_000);
            follow(pair, Some(7));
        }
    }
    // Not all: it goes with one half of its looks, and not if there are many more there than here.
    let (moved, stayed): (Vec<&mut Pair>, Vec<&mut Pair>) = pairs
        .iter_mut()
        .partition(|pair| shard_of(&pair.registration) == 1);
    assert!(moved.len() >= 4, "{}", moved.len());
    for (shard, pairs) in [stayed, moved].into_iter().enumerate() {
        for pair in pairs {
            hears_again(&mut reactors[shard], pair);
        }
    }
    // Dropped where they are.
    drop(pairs);
    assert!(!handle.shards().can_have_events(1));
}

/// What is written arrives, by this shard.
fn hears_again(reactor: &mut Reactor, pair: &mut Pair) {
    reactor.turn(NOW).unwrap();
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut buf = [0; 16];
    assert!(pair.poll_read(&mut cx, &mut buf).is_pending());
    pair.far.write_all(b"hello").unwrap();
    turn_until(reactor, || counting.count() == 1);
    assert!(matches!(
        pair.poll_read(&mut cx, &mut buf),
        Poll::Ready(Ok(5))
    ));
}

/// R9.
#[test]
fn gathered_objects_are_in_the_first_shard_and_go_home_when_they_are_spread() {
    let (mut reactors, handle) = Reactor::new(2, 64).unwrap();
    let shards = handle.shards();
    let made_by_all = || [Some(0), Some(1), None].map(|worker| pairs(&handle, worker, 20));
    let mut all: Vec<Pair> = made_by_all().into_iter().flatten().collect();
    let before: Vec<usize> = all
        .iter()
        .map(|pair| shard_of(&pair.registration))
        .collect();
    let read = |pairs: &[Pair]| {
        for pair in pairs {
            // A move pays now.
            events(&pair.registration, 16);
            pair.registration.follow(pair.near.as_raw_fd(), || None);
        }
    };
    let in_second = |pairs: &[Pair]| {
        let in_second = pairs
            .iter()
            .filter(|pair| shard_of(&pair.registration) == 1);
        in_second.count()
    };
    // New ones come to the first; those that are not read, or hardly ever, stay, and are heard there.
    shards.gather();
    shards.gather();
    all.iter()
        .for_each(|pair| pair.registration.follow(pair.near.as_raw_fd(), || None));
    assert_eq!(in_second(&all), before.iter().sum::<usize>());
    let new: Vec<Pair> = made_by_all().into_iter().flatten().collect();
    assert_eq!(in_second(&new), 0);
    let last = before.iter().rposition(|&shard| shard == 1).unwrap();
    read(&all[..last]);
    assert_eq!((in_second(&all[..last]), in_second(&all)), (0, 1));
    let left = &mut all[last];
    for reactor in &mut reactors {
        while reactor.turn(NOW).unwrap() > 0 {}
    }
    left.far.write_all(b"hello").unwrap();
    assert_eq!(reactors[0].turn(Some(HANG)).unwrap(), 0);
    assert!(reactors[0].take_others().eq([1]));
    assert_eq!(reactors[1].turn(NOW).unwrap(), 1);
    reactors[0].turn(NOW).unwrap();
    assert!(reactors[0].take_others().eq([]));
    // Home.
    shards.spread();
    shards.spread();
    read(&all);
    let after: Vec<usize> = all
        .iter()
        .map(|pair| shard_of(&pair.registration))
        .collect();
    assert_eq!(after, before);
    read(&new);
    assert_eq!(in_second(&new[20..40]), 20);
    assert!((8..=12).contains(&in_second(&new[40..])));
}

/// G2.
#[test]
fn who_sleeps_in_the_first_shard_is_woken_when_objects_are_spread() {
    let (mut reactors, handle) = Reactor::new(2, 64).unwrap();
    let shards = handle.shards();
    assert!(!shards.attendance.begin_in_first(&shards.gathering));
    shards.gather();
    assert!(shards.attendance.begin_in_first(&shards.gathering));
    shards.spread();
    assert_eq!(reactors[0].turn(Some(HANG)).unwrap(), 0);
    shards.attendance.end();
    assert_eq!(reactors[0].turn(Some(Duration::from_millis(1))).unwrap(), 0);
}

/// Three looks in a row, at least.
#[test]
fn an_object_stays_that_is_elsewhere_now_and_then() {
    let (_reactors, handle) = Reactor::new(2, 64).unwrap();
    handle.shards().see_processor(0, Some(5));
    handle.shards().see_processor(1, Some(7));
    let pairs = pairs(&handle, Some(0), 4);
    for look in 0..40 {
        for pair in &pairs {
            events(&pair.registration, 1_000);
            let processor = if look % 3 == 0 { 5 } else { 7 };
            let fd = pair.near.as_raw_fd();
            pair.registration.follow(fd, || Some(processor));
            assert_eq!(shard_of(&pair.registration), 0);
        }
    }
}

#[test]
fn an_object_does_not_go_where_there_are_many() {
    let (_reactors, handle) = Reactor::new(2, 64).unwrap();
    handle.shards().see_processor(1, Some(7));
    let one = pair_of(&handle, Some(0), Ready::EMPTY);
    let mut others = pairs(&handle, Some(1), 30);
    others.retain(|pair| shard_of(&pair.registration) == 1);
    assert!(others.len() >= 15);
    for _ in 0..20 {
        events(&one.registration, 1_000);
        one.registration.follow(one.near.as_raw_fd(), || Some(7));
    }
    assert_eq!(shard_of(&one.registration), 0);
}

#[test]
fn what_arrived_before_the_move_is_heard_after_it() {
    let (mut reactors, handle) = Reactor::new(2, 64).unwrap();
    let mut pair = pair_of(&handle, Some(0), Ready::EMPTY);
    reactors[0].turn(NOW).unwrap();
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut buf = [0; 16];
    assert!(pair.poll_read(&mut cx, &mut buf).is_pending());
    pair.far.write_all(b"hello").unwrap();
    handle.shards().move_to(
        1,
        pair.registration.source_for_tests(),
        pair.near.as_raw_fd(),
    );
    assert_eq!(shard_of(&pair.registration), 1);
    assert_eq!(reactors[0].turn(NOW).unwrap(), 0);
    turn_until(&mut reactors[1], || counting.count() == 1);
    assert!(matches!(
        pair.poll_read(&mut cx, &mut buf),
        Poll::Ready(Ok(5))
    ));
}

/// M4.
#[test]
fn an_object_that_the_system_will_not_watch_elsewhere_stays() {
    let (mut reactors, handle) = Reactor::new(2, 64).unwrap();
    let mut pair = pair_of(&handle, Some(0), Ready::EMPTY);
    reactors[0].turn(NOW).unwrap();
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut buf = [0; 16];
    assert!(pair.poll_read(&mut cx, &mut buf).is_pending());
    // No descriptor: refused.
    handle
        .shards()
        .move_to(1, pair.registration.source_for_tests(), -1);
    assert_eq!((shard_of(&pair.registration), counting.count()), (0, 0));
    assert!(!handle.shards().can_have_events(1));
    // Nor is it tried again.
    let source = pair.registration.source_for_tests();
    handle.shards().move_to(1, source, pair.near.as_raw_fd());
    assert_eq!(shard_of(&pair.registration), 0);
    hears_again(&mut reactors[0], &mut pair);
}

/// M2, M4.
#[test]
fn what_comes_during_a_move_that_is_refused_is_heard() {
    let _closed = closed_is_closed();
    let (mut reactors, handle) = Reactor::new(2, 64).unwrap();
    // The tables' next tokens are not the same.
    drop(pair_of(&handle, Some(1), Ready::EMPTY));
    let mut pair = pair_of(&handle, Some(0), Ready::EMPTY);
    reactors[0].turn(NOW).unwrap();
    let mut cx = Context::from_waker(Waker::noop());
    let mut buf = [0; 16];
    assert!(pair.poll_read(&mut cx, &mut buf).is_pending());
    pair.far.write_all(b"the end").unwrap();
    pair.far.shutdown(Shutdown::Write).unwrap();
    let source = pair.registration.source_for_tests();
    let refuse = |_| {
        turn_until(&mut reactors[0], || {
            source.peek(Interest::READABLE).ready.is_read_closed()
        });
        Err(io::ErrorKind::StorageFull.into())
    };
    let shards = handle.shards();
    let moving = Moving::begin(source).unwrap();
    moving.to(
        1,
        |shard| &shards.get(shard).table,
        refuse,
        |_| unreachable!(),
    );
    assert!(matches!(
        pair.poll_read(&mut cx, &mut buf),
        Poll::Ready(Ok(7))
    ));
    assert!(matches!(
        pair.poll_read(&mut cx, &mut buf),
        Poll::Ready(Ok(0))
    ));
}

#[test]
fn the_shutdown_reaches_all_shards() {
    let (reactors, handle) = Reactor::new(2, 64).unwrap();
    let pairs = [0, 1].map(|worker| pair_of(&handle, Some(worker), Ready::EMPTY));
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut buf = [0; 16];
    for pair in &pairs {
        assert!(pair.poll_read(&mut cx, &mut buf).is_pending());
    }
    drop(reactors);
    assert_eq!(counting.count(), 2);
    for pair in &pairs {
        let source = pair.registration.source_for_tests();
        handle.shards().move_to(0, source, pair.near.as_raw_fd());
        let Poll::Ready(Err(e)) = pair.poll_read(&mut cx, &mut buf) else {
            panic!("nothing waits any more");
        };
        assert!(is_rt_shutdown_err(&e));
    }
}
