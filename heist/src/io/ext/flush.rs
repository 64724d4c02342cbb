//! `flush` and `shutdown`.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::io::AsyncWrite;

pin_project! {
    /// What [`AsyncWriteExt::flush`](crate::io::AsyncWriteExt::flush) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Flush<'a, A: ?Sized> {
        writer: &'a mut A,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, A: ?Sized> Flush<'a, A> {
    pub(super) fn new(writer: &'a mut A) -> Self {
        Self {
            writer,
            _pin: PhantomPinned,
        }
    }
}

impl<A: AsyncWrite + Unpin + ?Sized> Future for Flush<'_, A> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut **self.project().writer).poll_flush(cx)
    }
}

pin_project! {
    /// What [`AsyncWriteExt::shutdown`](crate::io::AsyncWriteExt::shutdown) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Shutdown<'a, A: ?Sized> {
        writer: &'a mut A,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, A: ?Sized> Shutdown<'a, A> {
    pub(super) fn new(writer: &'a mut A) -> Self {
        Self {
            writer,
            _pin: PhantomPinned,
        }
    }
}

impl<A: AsyncWrite + Unpin + ?Sized> Future for Shutdown<'_, A> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut **self.project().writer).poll_shutdown(cx)
    }
}
