//! The injector: the global queue, into which any thread may push.
//!
//! # What
//!
//! An **in-stack** that producers push on with one compare-and-swap (a batch of any length too), and
//! an **out-list** in first-in-first-out order under a lock that only takers take. A taker that finds
//! the out-list empty swaps the whole in-stack out, reverses it, and has a new out-list.
//!
//! # Rules
//!
//! * **J1** A producer never meets the lock. A node is its producer's until the compare-and-swap that
//!   publishes it, then the stack's, then, after the swap, the lock holder's.
//! * **J2** Per producer first in, first out; older batches before younger ones: the in-stack is only
//!   taken when the out-list is empty, and what a taker leaves stays in the out-list. (Pushing
//!   leftovers back on the stack would put them behind younger ones, without end.)
//! * **J3** Taking is swap-all: no node is ever popped off the stack singly, so there is no ABA.
//! * **J4** [`Push::First`] is returned by exactly the push that found nothing in the in-stack: it is
//!   the one that has to make sure somebody comes. Later pushes ride on it: the taker that swaps the
//!   stack gets them too, and one that leaves work behind passes the word on.
//! * **J5** `close` swaps in a mark that no push can displace: a push that races it is either in what
//!   `close` returns, or gets its node back.
//! * **J6** A failed [`try_take`](Injector::try_take) lock means *busy*, not *empty*: nobody goes to
//!   sleep on it; see `is_empty`. But a worker that has nothing else and comes back for it yields its processor
//!   (`stay`): if the system took that from the one who has the lock, it would spin in its place for a whole
//!   slice of time.
//!
//! # Orderings
//!
//! A push publishes with release; the swap acquires. `is_empty` is relaxed: the sleep protocol of the
//! scheduler puts a `SeqCst` fence between its announcement and this look, and a producer one between
//! its push and its look at the sleepers.
//!
//! # Rejected
//!
//! *A mutex around a list* (Tokio): producers and takers all meet on it. *A lock-free queue of many
//! consumers*: a reclamation scheme, for a path that takes batches anyway. *Sharding by producer*: pays
//! with many cores; the type allows it (an array of injectors), the policy does not need it yet.
//!
//! # Tested by
//!
//! The models in `loom_tests`, which also list what was weakened once and seen to fail; `tests` has the
//! randomised ones and a stress with threads.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use crate::engine::base::cache_padded::CachePadded;
use crate::loom::sync::Mutex;
use crate::loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::loom::sync::atomic::{AtomicPtr, AtomicUsize};

#[cfg(all(test, heist_loom))]
mod loom_tests;
#[cfg(all(test, not(heist_loom)))]
mod tests;

/// An owned handle that can give up its ownership to an intrusive link.
///
/// # Safety
///
/// A node is the handle's alone between `from_node` and `into_node`, and its link nobody else's in
/// between.
pub(crate) unsafe trait Linked: Sized {
    type Node;

    fn into_node(self) -> NonNull<Self::Node>;

    /// # Safety
    ///
    /// `node` came out of `into_node`, and comes back once.
    unsafe fn from_node(node: NonNull<Self::Node>) -> Self;

    /// # Safety
    ///
    /// The caller has the node.
    unsafe fn next(node: NonNull<Self::Node>) -> Option<NonNull<Self::Node>>;

    /// # Safety
    ///
    /// The caller has the node.
    unsafe fn set_next(node: NonNull<Self::Node>, next: Option<NonNull<Self::Node>>);
}

/// Nodes linked in order, owned by the chain.
pub(crate) struct Chain<T: Linked> {
    head: Option<NonNull<T::Node>>,
    tail: Option<NonNull<T::Node>>,
    len: usize,
    _owns: PhantomData<T>,
}

// SAFETY: a chain is so many `T`s.
unsafe impl<T: Linked + Send> Send for Chain<T> {}

impl<T: Linked> Chain<T> {
    pub(crate) const fn new() -> Self {
        Self {
            head: None,
            tail: None,
            len: 0,
            _owns: PhantomData,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn push_back(&mut self, item: T) {
        let node = item.into_node();
        // SAFETY: the node is ours now.
        unsafe { T::set_next(node, None) };
        match self.tail.replace(node) {
            // SAFETY: the chain owns its nodes.
            Some(tail) => unsafe { T::set_next(tail, Some(node)) },
            None => self.head = Some(node),
        }
        self.len += 1;
    }

    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let node = self.head?;
        // SAFETY: the chain owns its nodes.
        self.head = unsafe { T::next(node) };
        if self.head.is_none() {
            self.tail = None;
        }
        self.len -= 1;
        // SAFETY: it came out of `into_node` when it was pushed, and has left the chain.
        Some(unsafe { T::from_node(node) })
    }

    /// Takes over a stack: a null-terminated list, youngest first.
    ///
    /// # Safety
    ///
    /// The caller owns all nodes from `top` on.
    unsafe fn from_stack(top: *mut T::Node) -> Self {
        let tail = NonNull::new(top);
        let (mut head, mut len, mut next) = (None, 0, tail);
        while let Some(node) = next {
            // SAFETY: ours, says the caller.
            next = unsafe { T::next(node) };
            // SAFETY: as above.
            unsafe { T::set_next(node, head) };
            head = Some(node);
            len += 1;
        }
        Self {
            head,
            tail,
            len,
            _owns: PhantomData,
        }
    }
}

impl<T: Linked> Iterator for Chain<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.pop_front()
    }
}

impl<T: Linked> Drop for Chain<T> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

impl<T: Linked> fmt::Debug for Chain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("len", &self.len).finish()
    }
}

/// What a push found.
#[derive(Debug)]
#[must_use]
pub(crate) enum Push<R> {
    /// Nothing was waiting to be taken: make sure that somebody comes (J4).
    First,
    /// Somebody was told already.
    Joined,
    /// The injector is closed: here it is back (J5).
    Closed(R),
}

/// The global queue.
pub(crate) struct Injector<T: Linked> {
    /// Top of the in-stack; null, or the mark of a closed injector.
    incoming: CachePadded<AtomicPtr<T::Node>>,
    /// Length of the out-list, written under its lock; a hint for those without it.
    outgoing_len: CachePadded<AtomicUsize>,
    outgoing: Mutex<Chain<T>>,
}

// SAFETY: J1 — nodes have one owner at a time, and cross threads only as `T`s would.
unsafe impl<T: Linked + Send> Send for Injector<T> {}
// SAFETY: as above.
unsafe impl<T: Linked + Send> Sync for Injector<T> {}

impl<T: Linked> Injector<T> {
    pub(crate) fn new() -> Self {
        Self {
            incoming: CachePadded::new(AtomicPtr::new(ptr::null_mut())),
            outgoing_len: CachePadded::new(AtomicUsize::new(0)),
            outgoing: Mutex::new(Chain::new()),
        }
    }

    /// The mark of J5: an address no node can have.
    fn closed() -> *mut T::Node {
        ptr::without_provenance_mut(1)
    }

    /// Adds one item at the back.
    pub(crate) fn push(&self, item: T) -> Push<T> {
        let node = item.into_node();
        match self.publish(node, node) {
            Ok(true) => Push::First,
            Ok(false) => Push::Joined,
            // SAFETY: it came out of `into_node` above and was not published.
            Err(()) => Push::Closed(unsafe { T::from_node(node) }),
        }
    }

    /// Adds a batch at the back, in its order, in one step.
    pub(crate) fn push_chain(&self, mut chain: Chain<T>) -> Push<Chain<T>> {
        let (Some(head), Some(tail)) = (chain.head, chain.tail) else {
            return Push::Joined;
        };
        // A stack has the youngest on top: link the batch backwards, `tail` to `head`.
        // SAFETY: the chain owns its nodes, and is made anew below or forgotten.
        let reversed = unsafe { Chain::<T>::from_stack(head.as_ptr()) };
        std::mem::forget(std::mem::replace(&mut chain, Chain::new()));
        debug_assert_eq!(reversed.head, Some(tail));
        match self.publish(tail, head) {
            Ok(first) => {
                std::mem::forget(reversed);
                if first { Push::First } else { Push::Joined }
            }
            Err(()) => {
                // SAFETY: not published, so still ours; the end's link is mended first.
                unsafe { T::set_next(head, None) };
                // SAFETY: as above.
                let chain = unsafe { Chain::from_stack(tail.as_ptr()) };
                std::mem::forget(reversed);
                Push::Closed(chain)
            }
        }
    }

    /// Publishes the nodes from `top` to `bottom`; true if the in-stack was empty.
    fn publish(&self, top: NonNull<T::Node>, bottom: NonNull<T::Node>) -> Result<bool, ()> {
        let mut found = self.incoming.load(Relaxed);
        loop {
            if found == Self::closed() {
                return Err(());
            }
            // SAFETY: J1 — ours until published.
            unsafe { T::set_next(bottom, NonNull::new(found)) };
            // Ordering: release gives the nodes and their content to the swap in `refill`.
            match self
                .incoming
                .compare_exchange_weak(found, top.as_ptr(), Release, Relaxed)
            {
                Ok(_) => return Ok(found.is_null()),
                Err(now) => found = now,
            }
        }
    }

    /// True if there seems to be nothing. Whoever goes to sleep on it has put a `SeqCst` fence before.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        let incoming = self.incoming.load(Relaxed);
        (incoming.is_null() || incoming == Self::closed()) && self.outgoing_len.load(Relaxed) == 0
    }

    /// Takes up to `limit(len)` items, in order, `len` being how many are waiting; `None` if another
    /// taker is at it (J6).
    pub(crate) fn try_take(&self, limit: impl FnOnce(usize) -> usize) -> Option<Chain<T>> {
        let mut outgoing = self.outgoing.try_lock()?;
        self.refill(&mut outgoing);
        let n = limit(outgoing.len()).min(outgoing.len());
        let mut taken = Chain::new();
        if n == outgoing.len() {
            std::mem::swap(&mut taken, &mut outgoing);
        } else {
            (0..n)
                .filter_map(|_| outgoing.pop_front())
                .for_each(|item| taken.push_back(item));
        }
        self.outgoing_len.store(outgoing.len(), Relaxed);
        Some(taken)
    }

    fn refill(&self, outgoing: &mut Chain<T>) {
        if !outgoing.is_empty() {
            return;
        }
        let mut found = self.incoming.load(Relaxed);
        loop {
            if found.is_null() || found == Self::closed() {
                return;
            }
            // Ordering: acquire pairs with the release in `publish`: the nodes are ours (J3).
            match self
                .incoming
                .compare_exchange_weak(found, ptr::null_mut(), Acquire, Relaxed)
            {
                Ok(_) => break,
                Err(now) => found = now,
            }
        }
        // SAFETY: J1 — swapped out whole, so ours.
        *outgoing = unsafe { Chain::from_stack(found) };
    }

    /// Refuses further pushes and takes all there is.
    pub(crate) fn close(&self) -> Chain<T> {
        let mut outgoing = self.outgoing.lock();
        let mut all = std::mem::replace(&mut *outgoing, Chain::new());
        self.outgoing_len.store(0, Relaxed);
        // Ordering: acquire as in `refill`. A pusher that finds the mark reads nothing else.
        let found = self.incoming.swap(Self::closed(), Acquire);
        if found != Self::closed() {
            // SAFETY: J1 — swapped out whole, so ours.
            let young = unsafe { Chain::from_stack(found) };
            young.for_each(|item| all.push_back(item));
        }
        all
    }

    /// How many items wait. Takes the lock, and walks the in-stack: for metrics.
    pub(crate) fn len(&self) -> usize {
        let outgoing = self.outgoing.lock();
        let mut len = outgoing.len();
        // Ordering: acquire pairs with the release in `publish`, for the links. J3: nodes leave the
        // stack only under the lock we hold.
        let top = self.incoming.load(Acquire);
        let mut next = if top == Self::closed() {
            None
        } else {
            NonNull::new(top)
        };
        while let Some(node) = next {
            len += 1;
            // SAFETY: published and not taken, so nobody writes its link.
            next = unsafe { T::next(node) };
        }
        len
    }
}

impl<T: Linked> Drop for Injector<T> {
    fn drop(&mut self) {
        drop(self.close());
    }
}

impl<T: Linked> fmt::Debug for Injector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Injector")
            .field("is_empty", &self.is_empty())
            .finish_non_exhaustive()
    }
}
