// Which auto traits a type has, found out by the compiler. Shared with compat/parity, which asks the
// same of Tokio: that is where the expected answers come from.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::marker::{PhantomData, PhantomPinned};
use std::os::fd::{AsRawFd, RawFd};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::pin::Pin;
use std::sync::MutexGuard;
use std::task::{Context, Poll};

use rt::io::{AsyncBufRead, AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};

/// The inherent methods are chosen where their bound holds, those of [`Otherwise`] elsewhere.
struct Probe<T>(PhantomData<fn() -> T>);

fn probe<T>(_never_called: impl FnOnce() -> T) -> Probe<T> {
    Probe(PhantomData)
}

trait Otherwise {
    fn send(&self) -> char {
        '-'
    }
    fn sync(&self) -> char {
        '-'
    }
    fn unpin(&self) -> char {
        '-'
    }
    fn unwind_safe(&self) -> char {
        '-'
    }
    fn ref_unwind_safe(&self) -> char {
        '-'
    }
}

impl<T> Otherwise for Probe<T> {}

impl<T: Send> Probe<T> {
    fn send(&self) -> char {
        'S'
    }
}

impl<T: Sync> Probe<T> {
    fn sync(&self) -> char {
        'Y'
    }
}

impl<T: Unpin> Probe<T> {
    fn unpin(&self) -> char {
        'P'
    }
}

impl<T: UnwindSafe> Probe<T> {
    fn unwind_safe(&self) -> char {
        'U'
    }
}

impl<T: RefUnwindSafe> Probe<T> {
    fn ref_unwind_safe(&self) -> char {
        'R'
    }
}

/// `SYPUR`: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe; a dash for one that is not there.
macro_rules! auto_traits {
    ($probe:expr) => {{
        let probe = $probe;
        String::from_iter([
            probe.send(),
            probe.sync(),
            probe.unpin(),
            probe.unwind_safe(),
            probe.ref_unwind_safe(),
        ])
    }};
}

macro_rules! table {
    ($($expected:literal $kind:ident { $($what:tt)* })*) => {
        [$(($expected, stringify!($($what)*), auto_traits!(table!(@$kind $($what)*)))),*]
    };
    (@ty $ty:ty) => { Probe::<$ty>(PhantomData) };
    (@fut $future:expr) => { probe(|| $future) };
}

/// A value of any type, in code that is compiled and never run.
fn v<T>() -> T {
    unreachable!("a probe was run")
}

// Stand-ins for what a type or a future is made over. Each can be read, written and named.
macro_rules! stand_ins {
    ($($name:ident($field:ty)),*) => {$(
        struct $name($field);

        impl AsRawFd for $name {
            fn as_raw_fd(&self) -> RawFd {
                v()
            }
        }

        impl AsRef<Path> for $name {
            fn as_ref(&self) -> &Path {
                v()
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                v()
            }
        }

        impl Future for $name {
            type Output = ();

            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
                v()
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                v()
            }
        }

        impl AsyncRead for $name {
            fn poll_read(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
                _: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                v()
            }
        }

        impl AsyncWrite for $name {
            fn poll_write(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
                _: &[u8],
            ) -> Poll<io::Result<usize>> {
                v()
            }

            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                v()
            }

            fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                v()
            }
        }

        impl AsyncBufRead for $name {
            fn poll_fill_buf(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
                v()
            }

            fn consume(self: Pin<&mut Self>, _: usize) {}
        }

        impl AsyncSeek for $name {
            fn start_seek(self: Pin<&mut Self>, _: io::SeekFrom) -> io::Result<()> {
                v()
            }

            fn poll_complete(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<u64>> {
                v()
            }
        }
    )*};
}

stand_ins!(
    Plain(u8),
    NotSync(Cell<u8>),
    NotSend(MutexGuard<'static, u8>),
    NotUnpin(PhantomPinned)
);
