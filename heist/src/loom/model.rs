//! The model: loom's types under the names of [`std`](super), with the few it lacks.
#![allow(
    dead_code,
    unused_imports,
    reason = "each model uses a part of the seam"
)]

pub(crate) mod sync {
    pub(crate) use loom::sync::Arc;
    // loom has no `Weak` that models anything; what needs one is not in a model.
    pub(crate) use std::sync::Weak;

    pub(crate) mod atomic {
        pub(crate) use loom::sync::atomic::{
            AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
            Ordering, fence,
        };
    }

    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    pub(crate) type MutexGuard<'a, T> = loom::sync::MutexGuard<'a, T>;

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn into_inner(self) -> T {
            self.0.into_inner().expect("no poisoning in models")
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("no poisoning in models")
        }

        pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
            self.0.try_lock().ok()
        }

        pub(crate) fn get_mut(&mut self) -> &mut T {
            self.0.get_mut().expect("no poisoning in models")
        }
    }

    #[derive(Debug)]
    pub(crate) struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub(crate) fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub(crate) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }

        pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
            self.0.wait(guard).expect("no poisoning in models")
        }

        /// loom has no clock: the wait ends by a notification, and never says it timed out. A model
        /// that needs the time-out branch drives it by a flag of its own.
        pub(crate) fn wait_timeout<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            _timeout: std::time::Duration,
        ) -> (MutexGuard<'a, T>, bool) {
            (self.wait(guard), false)
        }
    }
}

pub(crate) mod cell {
    /// loom's tracked cell.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(loom::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::cell::UnsafeCell::new(value))
        }

        pub(crate) fn into_inner(self) -> T {
            self.0.into_inner()
        }

        #[track_caller]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            self.0.with(f)
        }

        #[track_caller]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            self.0.with_mut(f)
        }
    }
}

pub(crate) mod hint {
    pub(crate) use loom::hint::spin_loop;
}

pub(crate) mod thread {
    pub(crate) use loom::thread::{Builder, JoinHandle, current, spawn, yield_now};

    /// The thread's name in the system's eyes, also in models.
    pub(crate) fn current_id() -> std::thread::ThreadId {
        std::thread::current().id()
    }

    /// A number for the thread that asks, the same whenever this course of the model is run: loom's own,
    /// which it shows only in print.
    pub(crate) fn next_number() -> usize {
        let print = format!("{:?}", loom::thread::current().id());
        let digits: String = print.chars().filter(char::is_ascii_digit).collect();
        1 + digits.parse::<usize>().expect("loom numbers its threads")
    }
}

/// loom's macro, which does not know `const` initialisers.
macro_rules! model_thread_local {
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block;) => {
        loom::thread_local! { $(#[$attr])* $vis static $name: $t = $init; }
    };
}
pub(crate) use model_thread_local as thread_local;
