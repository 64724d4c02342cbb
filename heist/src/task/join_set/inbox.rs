//! Where the tasks of a set report that they ended.
//!
//! **What.** Each task's join waker is a [`Report`]: it puts the task's place into the inbox, and
//! wakes whoever waits if the inbox was empty. The set takes all reports at a time, so it looks at
//! no task that has not ended, and takes the lock once for as many as ended meanwhile.
//!
//! **Rules.**
//! * **S1** A place is reported at least once after its task's `COMPLETE`. It may be reported when
//!   the place has a new task, or none (the old handle was dropped while its report was under way):
//!   the set asks the task it finds there whether it ended, and the new one reports for itself.
//! * **S2** Whoever finds the inbox empty under the lock leaves a waker there under the same lock;
//!   whoever makes it non-empty takes the waker under it. So no report is slept through.
//! * **S3** Wakers are cloned, woken and dropped outside of the lock: they are the user's.
//!
//! **Rejected.** *A list of idle and a list of notified entries under one lock* (Tokio): each wake and
//! each look moves an entry from list to list. *A lock-free stack of entries*: saves a
//! read-modify-write a report, and needs intrusive links.
//!
//! **Tested by** `tests/join_set.rs`.

use std::collections::VecDeque;
use std::task::{Context, Poll, Wake, Waker};

use crate::loom::sync::Mutex;
// `std`'s, as `Wake` asks for it.
use std::sync::Arc;

/// Reports of ended tasks.
#[derive(Debug)]
pub(super) struct Inbox(Mutex<Reports>);

#[derive(Debug)]
struct Reports {
    places: VecDeque<u32>,
    waker: Option<Waker>,
}

/// Reports that the task at `place` ended.
#[derive(Debug)]
struct Report {
    inbox: Arc<Inbox>,
    place: u32,
}

impl Wake for Report {
    fn wake(self: Arc<Self>) {
        self.inbox.report(self.place);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.inbox.report(self.place);
    }
}

impl Inbox {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Reports {
            places: VecDeque::new(),
            waker: None,
        })))
    }

    /// The waker that reports `place`.
    pub(super) fn reporter(self: &Arc<Self>, place: usize) -> Waker {
        let place = u32::try_from(place).expect("fewer than 2^32 tasks in a set");
        let inbox = Arc::clone(self);
        Waker::from(Arc::new(Report { inbox, place }))
    }

    pub(super) fn report(&self, place: u32) {
        let waker = {
            let mut reports = self.0.lock();
            reports.places.push_back(place);
            reports.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Moves all reports into `places`, which is empty. Without any, `Pending`, and the task of `cx`
    /// is woken when there are.
    pub(super) fn poll_take(&self, places: &mut VecDeque<u32>, cx: &mut Context<'_>) -> Poll<()> {
        {
            let reports = &mut *self.0.lock();
            if !reports.places.is_empty() {
                std::mem::swap(&mut reports.places, places);
                return Poll::Ready(());
            }
            if reports
                .waker
                .as_ref()
                .is_some_and(|waker| waker.will_wake(cx.waker()))
            {
                return Poll::Pending;
            }
        }
        // S3.
        let waker = cx.waker().clone();
        let (polled, _old) = {
            let reports = &mut *self.0.lock();
            if reports.places.is_empty() {
                (Poll::Pending, reports.waker.replace(waker))
            } else {
                std::mem::swap(&mut reports.places, places);
                (Poll::Ready(()), Some(waker))
            }
        };
        polled
    }

    /// Moves all reports into `places`, which is empty.
    pub(super) fn take(&self, places: &mut VecDeque<u32>) {
        std::mem::swap(&mut self.0.lock().places, places);
    }
}
