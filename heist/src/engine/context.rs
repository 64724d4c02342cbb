//! L6: which runtime this thread is in. For now only its reactor.

use std::cell::RefCell;

use crate::engine::reactor::ReactorHandle;

std::thread_local! {
    static REACTOR: RefCell<Option<ReactorHandle>> = const { RefCell::new(None) };
}

/// The reactor of the runtime this thread is in.
pub(crate) fn reactor() -> Option<ReactorHandle> {
    REACTOR.try_with(|r| r.borrow().clone()).ok().flatten()
}

/// Enters (or, with `None`, leaves) a runtime that is nothing but a reactor.
pub(crate) fn set_reactor(reactor: Option<ReactorHandle>) {
    REACTOR.with(|r| *r.borrow_mut() = reactor);
}
