//! Tokio's public API on heist: every path, and the auto traits of every type.
//!
//! The tables are Tokio's, written by `compat/parity`, which also compares signatures and trait impls
//! (for that it needs a nightly rustdoc). Here the compiler is the test: a path that is missing, or that
//! asks for more than Tokio's does, breaks the build.

#[allow(
    unused_imports,
    dead_code,
    deprecated,
    clippy::all,
    reason = "that it compiles is the test"
)]
mod names {
    use std::any::Any;
    use std::ffi::OsStr;
    use std::future::Future;
    use std::hash::Hash;
    use std::io;
    use std::ops::{Deref, DerefMut};
    use std::os::fd::{AsFd, AsRawFd, OwnedFd};
    use std::path::Path;
    use std::pin::Pin;
    use std::process::{Child, Command, Stdio};
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use bytes::{Buf, BufMut};
    use heist as rt;

    include!("parity/names.rs");
}

#[allow(dead_code, reason = "the probes are compiled and never called")]
mod auto_traits {
    use heist as rt;

    include!("parity/probe.rs");

    /// Guards that hold a handle and not the value: they can be moved where Tokio's cannot.
    const UNPIN_HERE: [&str; 3] = [
        "rt::sync::OwnedRwLockMappedWriteGuard<NotUnpin,Plain>",
        "rt::sync::OwnedRwLockReadGuard<NotUnpin,Plain>",
        "rt::sync::OwnedRwLockWriteGuard<NotUnpin>",
    ];

    /// Of every public type, over type parameters that lack a trait, and of the futures of note: `Send`,
    /// `Sync` and `Unpin` as Tokio's. A type may be unwind safe where Tokio's is not, and not the other way
    /// round; of futures that is not asked.
    #[test]
    fn every_type_and_future_has_the_auto_traits_of_tokios() {
        let mut problems = String::new();
        let mut otherwise = Vec::new();
        for (expected, what, got) in include!("parity/auto_traits.rs") {
            let what = what.replace([' ', '\n'], "");
            let is_future = what.ends_with(')');
            if got == expected.replacen("SY-", "SYP", 1) && UNPIN_HERE.contains(&what.as_str()) {
                otherwise.push(what);
                continue;
            }
            let moves = got[..3] == expected[..3];
            let unwinds = got[3..]
                .chars()
                .zip(expected[3..].chars())
                .all(|(got, expected)| expected == '-' || got == expected);
            if !moves || !(unwinds || is_future) {
                problems.push_str(&format!("{what}: {got}, Tokio's {expected}\n"));
            }
        }
        assert!(problems.is_empty(), "\n{problems}");
        assert_eq!(otherwise, UNPIN_HERE);
    }
}
