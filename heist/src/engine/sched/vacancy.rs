//! A post's core while no worker has it: before the start, and on its way from one thread to another.
//!
//! # Rules
//!
//! * **V1** The core is here, or one thread has it: who [leaves](Vacancy::leave) it has it no more, and one of
//!   [`take_back`](Vacancy::take_back) and [`fill`](Vacancy::fill) gets it.
//! * **V2** One thread at a time is on its way. Who leaves the core while one is leaves it to that one: it has yet to lock the
//!   vacancy, and will find the core, or that it was taken back again. Only then is another one sent. So many short
//!   closures in a row cost one wake, not one each, and threads do not heap up that all come to nothing.
//!
//! All is under one lock, so there are no orderings to tell of. Tested by the models in `loom_tests`, which fail if a thread
//! that has come still counts as on its way (seen), by `tests/runtime.rs` (few threads come) and by the storms of
//! `tests/stress.rs`.

use crate::loom::sync::Mutex;

#[derive(Debug)]
pub(super) struct Vacancy<C>(Mutex<State<C>>);

#[derive(Debug)]
struct State<C> {
    core: Option<C>,
    /// A thread is on its way here.
    is_awaited: bool,
}

impl<C> Vacancy<C> {
    /// With a thread on its way: the first one.
    pub(super) fn new(core: C) -> Self {
        Self(Mutex::new(State {
            core: Some(core),
            is_awaited: true,
        }))
    }

    /// Leaves the core here. True if a thread has to be sent for it.
    #[must_use]
    pub(super) fn leave(&self, core: C) -> bool {
        let mut state = self.0.lock();
        state.core = Some(core);
        !std::mem::replace(&mut state.is_awaited, true)
    }

    /// No thread could be sent.
    pub(super) fn nobody_comes(&self) {
        self.0.lock().is_awaited = false;
    }

    /// Gives the core to a thread that left one here, if it is still there.
    #[must_use]
    pub(super) fn take_back(&self) -> Option<C> {
        self.0.lock().core.take()
    }

    /// Gives it to the thread that was on its way.
    #[must_use]
    pub(super) fn fill(&self) -> Option<C> {
        let mut state = self.0.lock();
        state.is_awaited = false;
        state.core.take()
    }
}

#[cfg(all(test, heist_loom))]
mod loom_tests {
    use super::Vacancy;
    use crate::loom::sync::Arc;
    use crate::loom::thread;

    /// A thread that hands its core on some times, and the last time does not come back for it.
    fn hand_on(rounds: usize) {
        loom::model(move || {
            let vacancy = Arc::new(Vacancy::new("core"));
            let mut core = vacancy.fill().unwrap();
            let mut sent = Vec::new();
            let mut is_mine = true;
            for round in 0..rounds {
                if vacancy.leave(core) {
                    let vacancy = Arc::clone(&vacancy);
                    sent.push(thread::spawn(move || vacancy.fill().is_some()));
                }
                is_mine = false;
                if round + 1 == rounds {
                    break;
                }
                let Some(back) = vacancy.take_back() else {
                    break;
                };
                (core, is_mine) = (back, true);
            }
            let substitutes = sent.into_iter().map(|thread| thread.join().unwrap());
            let owners = substitutes.filter(|&has_it| has_it).count() + usize::from(is_mine);
            // V1: one has it. V2: nobody waits for a thread that will not come.
            assert_eq!(owners, 1);
        });
    }

    #[test]
    fn a_core_that_is_left_is_taken() {
        hand_on(1);
    }

    #[test]
    fn a_core_that_is_left_again_and_again_is_taken() {
        hand_on(3);
    }
}
