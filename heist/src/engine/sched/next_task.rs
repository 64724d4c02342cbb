//! What a worker runs next: its slot, its queue, the injector, and then its siblings' queues.

use std::time::Instant;

use crate::engine::base::budget;
use crate::engine::queue::local::CAPACITY;
use crate::engine::sched::crew::Core;
use crate::engine::sched::strategy::{Stealing, Strategy, Visible};
use crate::engine::sched::worker::WorkerContext;
use crate::engine::task::Runnable;
use crate::loom::sync::atomic::Ordering::Relaxed;

/// How many tasks may follow each other through the slot before the queue gets its turn.
const SLOT_RUNS: u32 = 3;
/// How many a worker takes from the injector at once, besides the one it runs.
const INJECTED: u32 = CAPACITY / 2;
/// One turn in so many is for the injector while what was begun is finished first.
const NEW_SHARE: u32 = 4;

impl WorkerContext<Stealing> {
    /// Work that is this worker's own, or anybody's. Every so often the injector comes first, so that
    /// a local queue that never empties starves nobody.
    ///
    /// The slot is not looked at: it is filled by what a task does, and emptied before that task's turn ends
    /// (`take_follower`). Only a worker that took over in the middle of a turn can find it full, at its first
    /// look.
    #[inline(always)]
    pub(super) fn next_task(&self, core: &mut Core<Stealing>) -> Option<Runnable> {
        core.own.until_injector -= 1;
        if core.own.until_injector == 0
            && let Some(runnable) = self.look_elsewhere(core)
        {
            return Some(runnable);
        }
        match core.own.queue.pop_front() {
            None => self.take_injected(core, |_| INJECTED),
            found => found,
        }
    }

    /// What comes before the queue every so often.
    #[cold]
    fn look_elsewhere(&self, core: &mut Core<Stealing>) -> Option<Runnable> {
        core.own.until_injector = self.crew.config.global_queue_interval;
        let begun_waits = core.own.begun_waits(self.post().counters.polls.get());
        match self.take_injected(core, |waiting| self.turns_share(waiting, begun_waits)) {
            None => self.post().own.slot.take(),
            found => found,
        }
    }

    /// I12: how many to take at the injector's turn if so many are `waiting` there.
    fn turns_share(&self, waiting: usize, begun_waits: bool) -> u32 {
        let config = &self.crew.config;
        let queues = config.workers * CAPACITY as usize;
        match begun_waits && waiting > queues {
            true => (config.global_queue_interval / NEW_SHARE).clamp(1, INJECTED),
            false => INJECTED,
        }
    }

    /// What follows a task through the slot, while its turn lasts.
    #[inline(always)]
    pub(super) fn take_follower(
        &self,
        core: &mut Core<Stealing>,
        followers: &mut u32,
    ) -> Option<Runnable> {
        if let Some(next) = self.post().own.slot.take() {
            // The budget goes with the slot: tasks that wake each other share one turn.
            if budget::has_budget_remaining() {
                *followers += 1;
                if *followers >= SLOT_RUNS {
                    core.own.use_slot = false;
                }
                return Some(next);
            }
            self.push_back(core, next);
        }
        // Also for one who was handed the core by another in the middle of that one's followers.
        if !core.own.use_slot {
            core.own.use_slot = self.crew.config.use_slot;
        }
        None
    }

    /// The share of the injector of one of those workers that can run at a time: one to run now, the rest into its queue, where
    /// siblings can get at it; `most` says how many, of those that wait.
    fn take_injected(
        &self,
        core: &Core<Stealing>,
        most: impl FnOnce(usize) -> u32,
    ) -> Option<Runnable> {
        if self.crew.strategy.injector.is_empty() {
            return None;
        }
        let config = &self.crew.config;
        let sharers = config.workers.min(config.cores);
        let room = core.own.queue.room();
        let mut taken = self
            .crew
            .strategy
            .injector
            .try_take(|len| (len / sharers + 1).min(room.min(most(len)) as usize + 1))?;
        let first = taken.pop_front()?;
        let shared = !taken.is_empty();
        for runnable in taken {
            self.push_back(core, runnable);
        }
        // J4: what came after the first was not announced; pass the word on. A searcher does so
        // when it stops searching.
        if shared {
            self.keep_announced(core, true);
        }
        if !core.searching && (shared || !self.crew.strategy.injector.is_empty()) {
            self.crew.notify();
        }
        Some(first)
    }

    /// I14: the drivers were looked at because all that is queued had yielded: what they brought comes first.
    pub(super) fn give_way(&self, core: &Core<Stealing>) {
        let brought = core.own.unannounced;
        if brought == 0 {
            return;
        }
        let queue = &core.own.queue;
        let first_brought = queue.end().wrapping_sub(brought);
        let stealer = &self.post().own.stealer;
        // By place: thieves take from the front meanwhile. And while there is room, as one that is under way holds
        // some of it.
        while first_brought.wrapping_sub(stealer.first()).cast_signed() > 0
            && queue.room() > 0
            && let Some(runnable) = queue.pop_front()
        {
            self.push_back(core, runnable);
        }
    }

    /// Keeps up to which place the queue was announced, whatever it is worth (I7): to its end, or as far as it was.
    pub(super) fn keep_announced(&self, core: &Core<Stealing>, to_its_end: bool) {
        let post = self.post();
        let first = post.own.stealer.first();
        let announced = match to_its_end {
            true => core.own.queue.end(),
            // Every so often: left behind for good, it would seem to be ahead when the indices have wrapped.
            false if !post.is_announced(first) => first,
            false => return,
        };
        post.own.announced.store(announced, Relaxed);
    }

    /// I13: whether what the drivers bring is this worker's alone for a while.
    pub(super) fn is_crowded(&self, core: &Core<Stealing>, now: Instant) -> bool {
        !core.pace.is_slow() && self.crew.crowded.lasts(now)
    }

    /// Takes from a sibling that has queued tasks and did not begin one from one look of ours at the drivers to
    /// another: it is in a long poll, or the system has given its processor to somebody else. One sibling
    /// at a time, so that it costs the same however many there are.
    pub(super) fn relieve_sibling(&self, core: &mut Core<Stealing>) {
        let posts = &self.crew.posts;
        if let Some(sibling) = Stealing::stands_still(&self.crew, core)
            && let stealer = &posts[sibling].own.stealer
            && let Some((runnable, taken)) = stealer.steal_into(&core.own.queue)
        {
            self.push_back(core, runnable);
            let counters = &self.post().counters;
            counters.steals.add(1);
            counters.stolen.add(u64::from(taken));
        }
        let mut next = (core.own.looked_at.0 + 1) % posts.len();
        if next == core.index {
            next = (next + 1) % posts.len();
        }
        core.own.looked_at = (next, posts[next].counters.polls.get());
    }

    /// Looks at what others have. `None` also when enough others are looking already.
    pub(super) fn search(&self, core: &mut Core<Stealing>) -> Option<Runnable> {
        // Who was woken for it, or has looked around, takes what there is; who has just become idle, what
        // is worth it (`pace`).
        let takes_all = std::mem::take(&mut core.takes_all) || core.searching;
        if !core.searching {
            if !self.crew.idle.try_start_searching() {
                return None;
            }
            core.searching = true;
        }
        let posts = &self.crew.posts;
        let start = core.rng.below(posts.len() as u32) as usize;
        let own_nanos = self.post().counters.pace_nanos.get();
        for i in 0..posts.len() {
            let victim = (start + i) % posts.len();
            let post = &posts[victim];
            let is_worth_it = || takes_all || post.visible_to(victim, own_nanos) == Visible::Enough;
            if victim == core.index || !is_worth_it() {
                continue;
            }
            let was_announced = post.is_announced(post.own.stealer.first());
            if let Some((runnable, taken)) = post.own.stealer.steal_into(&core.own.queue) {
                let counters = &self.post().counters;
                counters.steals.add(1);
                counters.stolen.add(u64::from(taken));
                core.own.helped = (!was_announced).then_some(victim);
                return Some(runnable);
            }
        }
        self.take_injected(core, |_| INJECTED)
    }
}
