//! The macros that wait for several futures in one task.
#![forbid(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::future::{Future, IntoFuture, pending, poll_fn, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures::executor::block_on;
use heist::{join, pin, select, try_join};

/// Ready at the `n`th poll after the first, and asks for each of them.
fn after(n: u32) -> impl Future<Output = u32> {
    let mut left = n;
    poll_fn(move |cx| {
        if left == 0 {
            return Poll::Ready(n);
        }
        left -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
}

/// Writes its name into the log when it is dropped.
struct Logged<'a>(&'a RefCell<Vec<&'static str>>, &'static str);

impl Drop for Logged<'_> {
    fn drop(&mut self) {
        self.0.borrow_mut().push(self.1);
    }
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn assert_send<T: Send>(future: T) -> T {
    future
}

mod select_forms {
    use super::*;

    #[test]
    fn the_one_that_is_ready_wins() {
        block_on(async {
            let n = select! {
                n = after(3) => n + 100,
                n = after(1) => n + 200,
                _ = pending::<()>() => unreachable!(),
            };
            assert_eq!(n, 201);
        });
    }

    #[test]
    fn handlers_with_and_without_braces_and_commas() {
        block_on(async {
            for only in 0..5 {
                let n = select! {
                    _ = ready(()), if only == 0 => { 0 }
                    _ = ready(()), if only == 1 => { 1 },
                    _ = ready(()), if only == 2 => if only == 2 { 2 } else { 9 },
                    _ = ready(()), if only == 3 => match only { 3 => 3, _ => 9 },
                    _ = ready(()), if only == 4 => 4
                };
                assert_eq!(n, only);
            }
        });
    }

    #[test]
    fn a_pattern_that_does_not_match_disables_its_branch() {
        block_on(async {
            let n = select! {
                Some(n) = ready(None::<u32>) => n,
                Some(n) = async { after(2).await; Some(5) } => n,
            };
            assert_eq!(n, 5);
            let n = select! {
                Some(n) = ready(None::<u32>) => n,
                else => 7,
            };
            assert_eq!(n, 7);
        });
    }

    #[test]
    fn all_kinds_of_patterns() {
        struct Point {
            x: u32,
            y: u32,
        }
        const FIVE: u32 = 5;
        block_on(async {
            select! { mut n = ready(1) => { n += 1; assert_eq!(n, 2) } }
            select! { ref n = ready(String::from("a")) => assert_eq!(*n, "a") }
            select! { ref mut n = ready(1) => { *n += 1; assert_eq!(*n, 2) } }
            select! { (a, mut b) = ready((1, String::new())) => { b.push('b'); assert_eq!((a, &*b), (1, "b")) } }
            select! { Point { x, y: 2 | 3 } = ready(Point { x: 1, y: 3 }) => assert_eq!(x, 1), else => panic!() }
            select! { Point { y, .. } = ready(Point { x: 1, y: 3 }) => assert_eq!(y, 3) }
            select! { Ok(n) | Err(n) = ready(Err::<u32, u32>(3)) => assert_eq!(n, 3) }
            select! { whole @ Some(_) = ready(Some(4)) => assert_eq!(whole, Some(4)) }
            select! { FIVE = ready(5) => {} }
            select! { 1..=9 = ready(5) => {} }
            select! { [first, .., last] = ready([1, 2, 3]) => assert_eq!(first + last, 4) }
            select! { "a" = ready("a") => {} }
            // References too, which a pattern that is matched against `&output` could not have.
            select! { &n = ready(&3) => assert_eq!(n, 3) }
            let pair = (1, String::from("c"));
            select! { Some(&(a, ref b)) = ready(Some(&pair)) => assert_eq!((a, &**b), (1, "c")) }
            let mut number = 1;
            select! { &mut ref mut n = ready(&mut number) => *n += 1 }
            select! { Some(&mut n) = ready(Some(&mut number)) => assert_eq!(n, 2) }
            // What is not Copy is moved, once.
            let text = select! { Some(text) = ready(Some(String::from("d"))) => text };
            assert_eq!(text, "d");
            select! { FIVE = ready(6) => unreachable!(), else => {} }
        });
    }

    #[test]
    fn preconditions_first_then_all_futures() {
        let log = RefCell::new(Vec::new());
        let note = |name| log.borrow_mut().push(name);
        block_on(async {
            select! {
                biased;
                _ = { note("future a"); ready(()) }, if { note("if a"); false } => unreachable!(),
                _ = { note("future b"); ready(()) }, if { note("if b"); true } => note("b"),
            }
        });
        assert_eq!(*log.borrow(), ["if a", "if b", "future a", "future b", "b"]);
    }

    #[test]
    #[should_panic(expected = "all branches of a `select!` are disabled")]
    fn without_else_all_disabled_panics() {
        block_on(async {
            select! { _ = ready(()), if false => {} }
        });
    }

    #[test]
    fn else_alone() {
        block_on(async {
            assert_eq!(select! { else => 1 }, 1);
            assert_eq!(select! { biased; else => 2, }, 2);
        });
    }

    #[test]
    fn handlers_reach_what_the_futures_borrowed() {
        async fn push(numbers: &mut Vec<u32>, n: u32) {
            numbers.push(n);
        }
        block_on(async {
            let mut numbers = vec![];
            let other = Cell::new(0);
            select! {
                biased;
                _ = push(&mut numbers, 1) => numbers.push(2),
                _ = async { other.set(1); pending::<()>().await } => numbers.push(3),
            }
            assert_eq!(numbers, [1, 2]);
        });
    }

    #[test]
    fn the_losers_are_dropped_before_the_handler() {
        let log = RefCell::new(Vec::new());
        block_on(async {
            let [a, b, c] = ["a", "b", "c"].map(|name| Logged(&log, name));
            select! {
                biased;
                _ = async { let _a = a; pending::<()>().await } => {}
                _ = async { let _b = b; } => log.borrow_mut().push("handler"),
                _ = async { let _c = c; pending::<()>().await } => {}
            }
        });
        assert_eq!(*log.borrow(), ["b", "a", "c", "handler"]);
    }

    #[test]
    fn control_flow_leaves_the_handler() {
        async fn first_even(numbers: &[u32]) -> Result<u32, String> {
            for &n in numbers {
                select! {
                    biased;
                    n = ready(n), if n == 7 => Err(format!("{n} is not allowed"))?,
                    _ = ready(n), if n % 2 == 1 => continue,
                    n = ready(n), if n % 2 == 0 => return Ok(n),
                }
            }
            Err("none".into())
        }
        assert_eq!(block_on(first_even(&[1, 3, 4, 6])), Ok(4));
        assert_eq!(
            block_on(first_even(&[1, 7])),
            Err("7 is not allowed".into())
        );
        block_on(async {
            let mut rounds = 0;
            let n = 'outer: loop {
                loop {
                    rounds += 1;
                    select! {
                        biased;
                        n = ready(3), if rounds == 4 => break 'outer n,
                        _ = ready(()), if rounds == 2 => break,
                        else => {}
                    }
                }
            };
            assert_eq!(n, 3);
        });
    }

    #[test]
    fn handlers_may_await() {
        block_on(async {
            let n = select! { n = after(1) => after(n + 1).await };
            assert_eq!(n, 2);
        });
    }

    #[test]
    fn a_pinned_future_goes_on_through_a_loop() {
        block_on(async {
            let operation = after(5);
            pin!(operation);
            let mut rounds = 0;
            let n = loop {
                select! {
                    biased;
                    n = &mut operation => break n,
                    _ = after(1) => rounds += 1,
                }
            };
            assert_eq!(n, 5);
            assert!(rounds > 0);
        });
    }

    #[test]
    fn takes_what_becomes_a_future() {
        struct Later(u32);
        impl IntoFuture for Later {
            type Output = u32;
            type IntoFuture = std::future::Ready<u32>;
            fn into_future(self) -> Self::IntoFuture {
                ready(self.0)
            }
        }
        block_on(async {
            assert_eq!(select! { n = Later(2) => n }, 2);
            assert_eq!(join!(Later(3)), (3,));
        });
    }

    #[test]
    fn a_temporary_behind_a_reference_lives_on() {
        struct Source(Cell<u32>);
        impl<'a> IntoFuture for &'a Source {
            type Output = u32;
            type IntoFuture = Pin<Box<dyn Future<Output = u32> + 'a>>;
            fn into_future(self) -> Self::IntoFuture {
                Box::pin(async move {
                    after(1).await;
                    self.0.get()
                })
            }
        }
        block_on(async {
            select! { n = &Source(Cell::new(4)) => assert_eq!(n, 4) }
        });
    }

    #[test]
    fn biased_is_in_order_and_otherwise_everybody_has_a_chance() {
        block_on(async {
            let mut wins = [0; 3];
            for _ in 0..3000 {
                let n = select! {
                    _ = ready(()) => 0,
                    _ = ready(()) => 1,
                    _ = ready(()) => 2,
                };
                wins[n] += 1;
                let n = select! {
                    biased;
                    _ = ready(()) => 0,
                    _ = ready(()) => 1,
                };
                assert_eq!(n, 0);
            }
            assert!(wins.iter().all(|&n| n > 800), "{wins:?}");
        });
    }

    #[test]
    fn nested_and_named_like_the_inside() {
        #[derive(Debug, PartialEq)]
        struct B0(u32);
        block_on(async {
            let output = 1;
            let matched = 2;
            let select = 3;
            let n = select! {
                outcome = ready(output + matched) => select! {
                    future = async { select! { B0(n) = ready(B0(select)) => n } } => outcome + future,
                },
            };
            assert_eq!(n, 6);
        });
    }

    #[test]
    fn outputs_that_cannot_be() {
        async fn never() -> Infallible {
            pending().await
        }
        block_on(async {
            select! {
                _ = never() => unreachable!(),
                n = ready(1) => assert_eq!(n, 1),
            }
        });
    }

    #[test]
    fn sixty_four_branches() {
        block_on(async {
            for only in 0..64 {
                let n = select! {
                n = ready(0), if 0 == only => n,
                n = ready(1), if 1 == only => n,
                n = ready(2), if 2 == only => n,
                n = ready(3), if 3 == only => n,
                n = ready(4), if 4 == only => n,
                n = ready(5), if 5 == only => n,
                n = ready(6), if 6 == only => n,
                n = ready(7), if 7 == only => n,
                n = ready(8), if 8 == only => n,
                n = ready(9), if 9 == only => n,
                n = ready(10), if 10 == only => n,
                n = ready(11), if 11 == only => n,
                n = ready(12), if 12 == only => n,
                n = ready(13), if 13 == only => n,
                n = ready(14), if 14 == only => n,
                n = ready(15), if 15 == only => n,
                n = ready(16), if 16 == only => n,
                n = ready(17), if 17 == only => n,
                n = ready(18), if 18 == only => n,
                n = ready(19), if 19 == only => n,
                n = ready(20), if 20 == only => n,
                n = ready(21), if 21 == only => n,
                n = ready(22), if 22 == only => n,
                n = ready(23), if 23 == only => n,
                n = ready(24), if 24 == only => n,
                n = ready(25), if 25 == only => n,
                n = ready(26), if 26 == only => n,
                n = ready(27), if 27 == only => n,
                n = ready(28), if 28 == only => n,
                n = ready(29), if 29 == only => n,
                n = ready(30), if 30 == only => n,
                n = ready(31), if 31 == only => n,
                n = ready(32), if 32 == only => n,
                n = ready(33), if 33 == only => n,
                n = ready(34), if 34 == only => n,
                n = ready(35), if 35 == only => n,
                n = ready(36), if 36 == only => n,
                n = ready(37), if 37 == only => n,
                n = ready(38), if 38 == only => n,
                n = ready(39), if 39 == only => n,
                n = ready(40), if 40 == only => n,
                n = ready(41), if 41 == only => n,
                n = ready(42), if 42 == only => n,
                n = ready(43), if 43 == only => n,
                n = ready(44), if 44 == only => n,
                n = ready(45), if 45 == only => n,
                n = ready(46), if 46 == only => n,
                n = ready(47), if 47 == only => n,
                n = ready(48), if 48 == only => n,
                n = ready(49), if 49 == only => n,
                n = ready(50), if 50 == only => n,
                n = ready(51), if 51 == only => n,
                n = ready(52), if 52 == only => n,
                n = ready(53), if 53 == only => n,
                n = ready(54), if 54 == only => n,
                n = ready(55), if 55 == only => n,
                n = ready(56), if 56 == only => n,
                n = ready(57), if 57 == only => n,
                n = ready(58), if 58 == only => n,
                n = ready(59), if 59 == only => n,
                n = ready(60), if 60 == only => n,
                n = ready(61), if 61 == only => n,
                n = ready(62), if 62 == only => n,
                n = ready(63), if 63 == only => n,
                        };
                assert_eq!(n, only);
            }
        });
    }

    #[test]
    fn stays_send() {
        block_on(assert_send(async {
            select! {
                (a, _) = async { after(1).await; (1, String::new()) } => assert_eq!(a, 1),
                Some(&n) = ready(None::<&u32>) => assert_eq!(n, 2),
            }
        }));
    }

    #[test]
    fn a_panic_in_a_branch_drops_the_others() {
        let log = RefCell::new(Vec::new());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            block_on(async {
                let a = Logged(&log, "a");
                select! {
                    biased;
                    _ = async { let _a = a; pending::<()>().await } => {}
                    _ = async { panic!("branch") } => {}
                }
            });
        }));
        assert!(result.is_err());
        assert_eq!(*log.borrow(), ["a"]);
    }
}

mod joins {
    use super::*;

    #[test]
    fn all_outputs_in_order() {
        block_on(async {
            let (a, b, c) = join!(after(2), async { "b" }, after(1));
            assert_eq!((a, b, c), (2, "b", 1));
            assert_eq!(join!(after(1)), (1,));
            assert_eq!(join!(after(1), after(2),), (1, 2));
            assert_eq!(join!(biased; after(1), after(2)), (1, 2));
        });
    }

    #[test]
    fn of_none() {
        block_on(async {
            let () = join!();
            let () = join!(biased;);
            let nothing: Result<(), u8> = try_join!();
            assert_eq!(nothing, Ok(()));
            let nothing: Result<(), u8> = try_join!(biased;);
            assert_eq!(nothing, Ok(()));
        });
    }

    #[test]
    fn of_a_hundred() {
        block_on(assert_send(async {
            let outputs = join!(
                ready(0),
                ready(1),
                ready(2),
                ready(3),
                ready(4),
                ready(5),
                ready(6),
                ready(7),
                ready(8),
                ready(9),
                ready(10),
                ready(11),
                ready(12),
                ready(13),
                ready(14),
                ready(15),
                ready(16),
                ready(17),
                ready(18),
                ready(19),
                ready(20),
                ready(21),
                ready(22),
                ready(23),
                ready(24),
                ready(25),
                ready(26),
                ready(27),
                ready(28),
                ready(29),
                ready(30),
                ready(31),
                ready(32),
                ready(33),
                ready(34),
                ready(35),
                ready(36),
                ready(37),
                ready(38),
                ready(39),
                ready(40),
                ready(41),
                ready(42),
                ready(43),
                ready(44),
                ready(45),
                ready(46),
                ready(47),
                ready(48),
                ready(49),
                ready(50),
                ready(51),
                ready(52),
                ready(53),
                ready(54),
                ready(55),
                ready(56),
                ready(57),
                ready(58),
                ready(59),
                ready(60),
                ready(61),
                ready(62),
                ready(63),
                ready(64),
                ready(65),
                ready(66),
                ready(67),
                ready(68),
                ready(69),
                ready(70),
                ready(71),
                ready(72),
                ready(73),
                ready(74),
                ready(75),
                ready(76),
                ready(77),
                ready(78),
                ready(79),
                ready(80),
                ready(81),
                ready(82),
                ready(83),
                ready(84),
                ready(85),
                ready(86),
                ready(87),
                ready(88),
                ready(89),
                ready(90),
                ready(91),
                ready(92),
                ready(93),
                ready(94),
                ready(95),
                ready(96),
                ready(97),
                ready(98),
                ready(99)
            );
            assert_eq!((outputs.0, outputs.50, outputs.99), (0, 50, 99));
        }));
    }

    /// Logs each poll, and is done at the third.
    fn noisy(log: Rc<RefCell<String>>, name: char) -> impl Future<Output = ()> {
        let mut left = 2;
        poll_fn(move |cx| {
            log.borrow_mut().push(name);
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        })
    }

    #[test]
    fn another_begins_each_time_unless_biased() {
        let log = Rc::new(RefCell::new(String::new()));
        let noisy = |name| noisy(log.clone(), name);
        block_on(async { join!(noisy('a'), noisy('b'), noisy('c')) });
        assert_eq!(log.take(), "abcbcacab");
        block_on(async { join!(biased; noisy('a'), noisy('b'), noisy('c')) });
        assert_eq!(log.take(), "abcabcabc");
        let noisy = |name| {
            let noisy = noisy(name);
            async {
                noisy.await;
                Ok::<(), ()>(())
            }
        };
        block_on(async { try_join!(noisy('a'), noisy('b'), noisy('c')) }).unwrap();
        assert_eq!(log.take(), "abcbcacab");
        block_on(async { try_join!(biased; noisy('a'), noisy('b'), noisy('c')) }).unwrap();
        assert_eq!(log.take(), "abcabcabc");
    }

    #[test]
    fn a_future_is_dropped_when_it_is_done_and_not_polled_again() {
        let log = RefCell::new(Vec::new());
        block_on(async {
            let a = Logged(&log, "a");
            join!(
                async move {
                    let _a = a;
                },
                async {
                    after(2).await;
                    log.borrow_mut().push("b");
                },
            )
        });
        assert_eq!(*log.borrow(), ["a", "b"]);
    }

    #[test]
    fn dropped_half_way_it_drops_outputs_and_futures() {
        let log = RefCell::new(Vec::new());
        {
            let a = Logged(&log, "a");
            let b = Logged(&log, "b");
            let mut join = Box::pin(async {
                join!(async move { a }, async {
                    let _b = b;
                    pending::<()>().await
                })
            });
            assert!(poll_once(join.as_mut()).is_pending());
            assert!(log.borrow().is_empty());
        }
        assert_eq!(*log.borrow(), ["a", "b"]);
    }

    #[test]
    fn the_first_error_ends_it() {
        let log = RefCell::new(Vec::new());
        let result = block_on(async {
            let a = Logged(&log, "a");
            let b = Logged(&log, "b");
            try_join!(
                async move { Ok::<_, u32>(a) },
                async {
                    after(1).await;
                    Err::<(), _>(3)
                },
                async {
                    let _b = b;
                    pending::<Result<(), _>>().await
                }
            )
            .map(|_| ())
        });
        assert_eq!(result, Err(3));
        assert_eq!(*log.borrow(), ["a", "b"]);
    }

    #[test]
    fn success_and_the_question_mark() {
        async fn sum() -> Result<u32, String> {
            // The second has no error type of its own.
            let (a, b) = try_join!(async { Ok::<_, String>(1) }, async { Ok(2) })?;
            Ok(a + b)
        }
        assert_eq!(block_on(sum()), Ok(3));
    }

    #[test]
    fn values_and_errors_that_cannot_be() {
        block_on(async {
            let both: Result<(u8, u8), Infallible> = try_join!(async { Ok(1) }, async { Ok(2) });
            let Ok(both) = both;
            assert_eq!(both, (1, 2));
            let never: Result<(Infallible, u8), u8> = try_join!(async { Err(1) }, async { Ok(2) });
            assert_eq!(never.unwrap_err(), 1);
        });
    }

    #[test]
    fn borrows_and_is_send() {
        let text = String::from("abc");
        let (a, b) = block_on(assert_send(async {
            join!(async { text.len() }, async { &text[1..] })
        }));
        assert_eq!((a, b), (3, "bc"));
    }
}

mod pins {
    use super::*;

    #[test]
    fn a_variable_several_and_new_ones() {
        block_on(async {
            let a = after(1);
            pin!(a);
            assert!(poll_once(a.as_mut()).is_pending());
            assert_eq!(a.await, 1);
            let b = after(2);
            let c = after(3);
            pin!(b, c);
            assert_eq!((b.await, c.await), (2, 3));
            pin! {
                let d = after(4);
                let e = after(5);
            }
            assert_eq!((&mut d).await, 4);
            assert_eq!(e.await, 5);
        });
    }
}
