//! `block_on` of a work-stealing runtime: the calling thread is a guest, not a worker. It polls its
//! own future and nothing else.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::engine::base::budget::{Budget, BudgetScope};
use crate::engine::base::parker::{self, Parker, SharedParker};
use crate::engine::sched::crew::Crew;
use crate::engine::sched::strategy::Strategy;

impl<S: Strategy> Crew<S> {
    /// Polls `future` on this thread to its end.
    pub(crate) fn block_on<F: Future>(&self, mut future: Pin<&mut F>) -> F::Output {
        let parker = SharedParker::new(Parker::new());
        let waker = parker::waker(&parker);
        let _guest = S::guest(self, &parker);
        let mut cx = Context::from_waker(&waker);
        loop {
            self.strategy.check();
            let polled = {
                let _budget = BudgetScope::enter(Budget::initial());
                future.as_mut().poll(&mut cx)
            };
            if let Poll::Ready(output) = polled {
                return output;
            }
            self.services().count_forced_yields();
            // The workers that are awake may be about to wake us.
            let awake = self.num_workers() - self.idle.num_asleep();
            if !self.guest_spin.wait(awake, || parker.try_consume()) {
                parker.park();
            }
        }
    }
}
