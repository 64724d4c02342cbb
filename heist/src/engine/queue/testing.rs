//! What the tests of the queues (and of the tasks) share: items that know when they are lost.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::engine::queue::injector::{Chain, Linked};
use crate::loom::cell::UnsafeCell;

/// Makes items and counts the living ones. The count is `std`'s also in models: it must not order
/// what the model is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Items(Arc<AtomicUsize>);

/// An item: a number behind a cell that loom watches.
#[derive(Debug)]
pub(crate) struct Item(Box<ItemNode>);

#[derive(Debug)]
pub(crate) struct ItemNode {
    next: UnsafeCell<Option<NonNull<ItemNode>>>,
    value: UnsafeCell<usize>,
    living: Arc<AtomicUsize>,
}

// SAFETY: the box owns the node, and whoever has the item has the box.
unsafe impl Send for Item {}

impl Items {
    pub(crate) fn make(&self, value: usize) -> Item {
        self.0.fetch_add(1, SeqCst);
        Item(Box::new(ItemNode {
            next: UnsafeCell::new(None),
            value: UnsafeCell::new(value),
            living: Arc::clone(&self.0),
        }))
    }

    pub(crate) fn chain(&self, values: impl IntoIterator<Item = usize>) -> Chain<Item> {
        let mut chain = Chain::new();
        values
            .into_iter()
            .for_each(|value| chain.push_back(self.make(value)));
        chain
    }

    pub(crate) fn living(&self) -> usize {
        self.0.load(SeqCst)
    }
}

impl Item {
    /// Uses the item up. In a model this is a write: loom reports a second owner, and an item that
    /// was handed over without an order.
    pub(crate) fn value(self) -> usize {
        // SAFETY: the item is ours.
        self.0.value.with_mut(|value| unsafe { *value })
    }
}

/// The numbers of what is left in `items`, in order.
pub(crate) fn values(items: impl IntoIterator<Item = Item>) -> Vec<usize> {
    items.into_iter().map(Item::value).collect()
}

impl Drop for ItemNode {
    fn drop(&mut self) {
        let before = self.living.fetch_sub(1, SeqCst);
        assert!(before > 0, "an item dropped twice");
    }
}

// SAFETY: the box is given up for its address and made again from it; `next` is used by queues only.
unsafe impl Linked for Item {
    type Node = ItemNode;

    fn into_node(self) -> NonNull<ItemNode> {
        NonNull::from(Box::leak(self.0))
    }

    unsafe fn from_node(node: NonNull<ItemNode>) -> Self {
        // SAFETY: leaked in `into_node`, and comes back once.
        Self(unsafe { Box::from_raw(node.as_ptr()) })
    }

    unsafe fn next(node: NonNull<ItemNode>) -> Option<NonNull<ItemNode>> {
        // SAFETY: the caller has the node.
        let node = unsafe { node.as_ref() };
        // SAFETY: as above.
        node.next.with(|next| unsafe { *next })
    }

    unsafe fn set_next(node: NonNull<ItemNode>, next: Option<NonNull<ItemNode>>) {
        // SAFETY: the caller has the node.
        let node = unsafe { node.as_ref() };
        // SAFETY: as above.
        node.next.with_mut(|link| unsafe { *link = next });
    }
}

/// Runs a model with at most `preemptions` forced switches in each run; `None` explores them all.
#[cfg(heist_loom)]
pub(crate) fn model(preemptions: Option<usize>, f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(f);
}
