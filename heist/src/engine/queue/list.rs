//! An intrusive doubly linked list: nodes carry their own links and live where their owner put them.
//!
//! **Rules.**
//! * N1. A node is in at most one list at a time, and stays at its address while it is in one.
//! * N2. Links are read and written only by whoever has the list (its `&mut`, or the lock around it).
//! * N3. [`LinkedList::remove`] is only called on a node that is in this very list, or in none.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::loom::cell::UnsafeCell;

/// A node type: tells where its links are.
///
/// # Safety
///
/// `links` returns the same place for a node as long as it is in a list, and nothing else touches
/// that place.
pub(crate) unsafe trait Node {
    /// The links of the node at `node`.
    ///
    /// # Safety
    ///
    /// `node` points to a live node.
    unsafe fn links(node: NonNull<Self>) -> NonNull<Links<Self>>;
}

/// A node's place in a list.
pub(crate) struct Links<T: ?Sized>(UnsafeCell<LinkPointers<T>>);

struct LinkPointers<T: ?Sized> {
    prev: Option<NonNull<T>>,
    next: Option<NonNull<T>>,
}

impl<T: ?Sized> Links<T> {
    pub(crate) fn new() -> Self {
        Self(UnsafeCell::new(LinkPointers {
            prev: None,
            next: None,
        }))
    }
}

impl<T: ?Sized> fmt::Debug for Links<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Links").finish_non_exhaustive()
    }
}

// SAFETY: N2 — links are only touched by whoever has the list; they own nothing.
unsafe impl<T: ?Sized> Send for Links<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized> Sync for Links<T> {}

/// The list: pushes and pops at both ends, removes anywhere, all in constant time.
pub(crate) struct LinkedList<T: Node + ?Sized> {
    head: Option<NonNull<T>>,
    tail: Option<NonNull<T>>,
    _nodes: PhantomData<*const T>,
}

// SAFETY: the list is two addresses; who may touch the nodes behind them is N2's business.
unsafe impl<T: Node + ?Sized> Send for LinkedList<T> {}
// SAFETY: as above.
unsafe impl<T: Node + ?Sized> Sync for LinkedList<T> {}

impl<T: Node + ?Sized> LinkedList<T> {
    pub(crate) const fn new() -> Self {
        Self {
            head: None,
            tail: None,
            _nodes: PhantomData,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    /// The first node.
    pub(crate) fn front(&self) -> Option<NonNull<T>> {
        self.head
    }

    /// The last node.
    pub(crate) fn back(&self) -> Option<NonNull<T>> {
        self.tail
    }

    fn get<R>(node: NonNull<T>, f: impl FnOnce(&LinkPointers<T>) -> R) -> R {
        // SAFETY: N1 — a node we hold or were given is live.
        let links = unsafe { T::links(node) };
        // SAFETY: as above, and the links live in the node.
        let links = unsafe { links.as_ref() };
        // SAFETY: N2 — we have the list.
        links.0.with(|p| f(unsafe { &*p }))
    }

    fn edit(node: NonNull<T>, f: impl FnOnce(&mut LinkPointers<T>)) {
        // SAFETY: N1 — a node we hold or were given is live.
        let links = unsafe { T::links(node) };
        // SAFETY: as above, and the links live in the node.
        let links = unsafe { links.as_ref() };
        // SAFETY: N2 — we have the list, so nobody else reads or writes the links.
        links.0.with_mut(|p| f(unsafe { &mut *p }));
    }

    /// Adds `node` at the front.
    ///
    /// # Safety
    ///
    /// N1: `node` is live, pinned, and in no list.
    pub(crate) unsafe fn push_front(&mut self, node: NonNull<T>) {
        let old = self.head.replace(node);
        Self::edit(node, |l| (l.prev, l.next) = (None, old));
        match old {
            Some(old) => Self::edit(old, |l| l.prev = Some(node)),
            None => self.tail = Some(node),
        }
    }

    /// Adds `node` at the back.
    ///
    /// # Safety
    ///
    /// N1: `node` is live, pinned, and in no list.
    pub(crate) unsafe fn push_back(&mut self, node: NonNull<T>) {
        let old = self.tail.replace(node);
        Self::edit(node, |l| (l.prev, l.next) = (old, None));
        match old {
            Some(old) => Self::edit(old, |l| l.next = Some(node)),
            None => self.head = Some(node),
        }
    }

    pub(crate) fn pop_front(&mut self) -> Option<NonNull<T>> {
        let node = self.head?;
        // SAFETY: the head is in this list.
        unsafe { self.remove(node) };
        Some(node)
    }

    #[cfg(all(test, not(heist_loom)))]
    pub(crate) fn pop_back(&mut self) -> Option<NonNull<T>> {
        let node = self.tail?;
        // SAFETY: the tail is in this list.
        unsafe { self.remove(node) };
        Some(node)
    }

    /// The node after `node`, towards the back.
    ///
    /// # Safety
    ///
    /// `node` is in this list.
    pub(crate) unsafe fn next(&self, node: NonNull<T>) -> Option<NonNull<T>> {
        Self::get(node, |l| l.next)
    }

    /// Takes `node` out; false if it was in no list.
    ///
    /// # Safety
    ///
    /// N3: `node` is live, and in this list or in none.
    pub(crate) unsafe fn remove(&mut self, node: NonNull<T>) -> bool {
        let (prev, next) = Self::get(node, |l| (l.prev, l.next));
        match prev {
            Some(prev) => Self::edit(prev, |l| l.next = next),
            // No predecessor: it is the head, or in no list.
            None if self.head == Some(node) => self.head = next,
            None => return false,
        }
        match next {
            Some(next) => Self::edit(next, |l| l.prev = prev),
            None => self.tail = prev,
        }
        Self::edit(node, |l| (l.prev, l.next) = (None, None));
        true
    }

    /// Takes all nodes out, as a list.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::new())
    }
}

impl<T: Node + ?Sized> fmt::Debug for LinkedList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkedList")
            .field("is_empty", &self.is_empty())
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::rng::FastRand;
    use std::collections::VecDeque;

    struct Item {
        links: Links<Item>,
        value: usize,
    }

    // SAFETY: the links are a field of the node and used by nothing else.
    unsafe impl Node for Item {
        unsafe fn links(node: NonNull<Self>) -> NonNull<Links<Self>> {
            // SAFETY: the caller gives a live node.
            NonNull::from(unsafe { &(*node.as_ptr()).links })
        }
    }

    #[test]
    fn behaves_as_a_deque_with_removal() {
        let mut rng = FastRand::new(1);
        let items: Vec<Box<Item>> = (0..32)
            .map(|value| {
                Box::new(Item {
                    links: Links::new(),
                    value,
                })
            })
            .collect();
        let mut list = LinkedList::new();
        let mut model: VecDeque<usize> = VecDeque::new();
        for _ in 0..20_000 {
            let i = rng.below(32) as usize;
            let node = NonNull::from(&*items[i]);
            match rng.below(5) {
                0 if !model.contains(&i) => {
                    // SAFETY: live, boxed, and not in the list.
                    unsafe { list.push_front(node) };
                    model.push_front(i);
                }
                1 if !model.contains(&i) => {
                    // SAFETY: live, boxed, and not in the list.
                    unsafe { list.push_back(node) };
                    model.push_back(i);
                }
                2 => {
                    let popped = list.pop_front().map(|n| {
                        // SAFETY: the items outlive the list.
                        unsafe { n.as_ref() }.value
                    });
                    assert_eq!(popped, model.pop_front());
                }
                3 => {
                    let popped = list.pop_back().map(|n| {
                        // SAFETY: the items outlive the list.
                        unsafe { n.as_ref() }.value
                    });
                    assert_eq!(popped, model.pop_back());
                }
                _ => {
                    // SAFETY: in this list or in none.
                    let removed = unsafe { list.remove(node) };
                    let at = model.iter().position(|&v| v == i);
                    assert_eq!(removed, at.is_some());
                    at.map(|at| model.remove(at));
                }
            }
            assert_eq!(list.is_empty(), model.is_empty());
        }
    }
}
