//! Readers and writers that follow a script, for the tests of this module.

use std::collections::VecDeque;
use std::future::Future;
use std::io::{self, IoSlice, SeekFrom};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::engine::base::rng::FastRand;
use crate::io::{AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};

/// Polls once with a waker that does nothing, and drops the future: a cancelled call.
pub(crate) fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// A waker that counts how often it is woken.
#[derive(Debug, Default)]
pub(crate) struct Wakes(AtomicUsize);

impl Wakes {
    pub(crate) fn new() -> (Arc<Self>, Waker) {
        let wakes = Arc::new(Self::default());
        (wakes.clone(), wakes.into())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a scripted reader does next.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Has these bytes; what does not fit is left for the next poll.
    Data(Vec<u8>),
    /// Is not ready, and wakes at once.
    Pending,
    Error(io::ErrorKind),
    /// Is at its end, once.
    End,
}

impl Step {
    pub(crate) fn data(bytes: impl AsRef<[u8]>) -> Self {
        Self::Data(bytes.as_ref().to_vec())
    }
}

/// How a scripted reader fills the buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Manner {
    /// By `put_slice`.
    PutSlice,
    /// By initialising all of it first, also when it is not ready.
    Initialise,
}

/// A reader that follows a script, and panics when polled beyond it.
#[derive(Debug)]
pub(crate) struct ScriptReader {
    steps: VecDeque<Step>,
    manner: Manner,
    /// After the script: the end, again and again.
    ends: bool,
}

pub(crate) fn reader(steps: impl IntoIterator<Item = Step>) -> ScriptReader {
    ScriptReader {
        steps: steps.into_iter().collect(),
        manner: Manner::PutSlice,
        ends: false,
    }
}

/// A reader of `data` in random pieces, with interruptions.
pub(crate) fn chopped(data: &[u8], rng: &mut FastRand, manner: Manner) -> ScriptReader {
    let mut steps = VecDeque::new();
    let mut rest = data;
    while !rest.is_empty() {
        match rng.below(4) {
            0 => steps.push_back(Step::Pending),
            1 => steps.push_back(Step::Error(io::ErrorKind::Interrupted)),
            _ => {
                let n = rest.len().min(1 + rng.below(300) as usize);
                steps.push_back(Step::data(&rest[..n]));
                rest = &rest[n..];
            }
        }
    }
    ScriptReader {
        steps,
        manner,
        ends: true,
    }
}

impl AsyncRead for ScriptReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Manner::Initialise = self.manner {
            buf.initialize_unfilled();
        }
        match self.steps.pop_front() {
            Some(Step::Data(mut bytes)) => {
                let n = bytes.len().min(buf.remaining());
                match self.manner {
                    Manner::PutSlice => buf.put_slice(&bytes[..n]),
                    Manner::Initialise => {
                        buf.initialize_unfilled_to(n).copy_from_slice(&bytes[..n]);
                        buf.advance(n);
                    }
                }
                bytes.drain(..n);
                if !bytes.is_empty() {
                    self.steps.push_front(Step::Data(bytes));
                }
                Poll::Ready(Ok(()))
            }
            Some(Step::Pending) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Step::Error(kind)) => Poll::Ready(Err(kind.into())),
            Some(Step::End) => Poll::Ready(Ok(())),
            None if self.ends => Poll::Ready(Ok(())),
            None => panic!("read beyond the script"),
        }
    }
}

/// A reader that lies: it answers with a full buffer of its own in place of the one it was given.
#[derive(Debug)]
pub(crate) struct Swapper(&'static mut [u8]);

impl Swapper {
    pub(crate) fn new(len: usize) -> Self {
        Self(vec![1; len].leak())
    }
}

impl AsyncRead for Swapper {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let own = std::mem::take(&mut self.0);
        let len = own.len();
        *buf = ReadBuf::new(own);
        buf.set_filled(len);
        Poll::Ready(Ok(()))
    }
}

/// What a scripted writer does next.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Taking {
    /// Takes at most so many bytes.
    Bytes(usize),
    /// Is not ready, and wakes at once.
    Pending,
    Error(io::ErrorKind),
    /// Takes nothing and says it took so many.
    Claim(usize),
}

/// A writer that follows a script, and panics when written to beyond it.
#[derive(Debug)]
pub(crate) struct ScriptWriter {
    steps: VecDeque<Taking>,
    vectored: bool,
    written: Vec<u8>,
    flushed: usize,
    shut_down: bool,
}

pub(crate) fn writer(steps: impl IntoIterator<Item = Taking>) -> ScriptWriter {
    ScriptWriter {
        steps: steps.into_iter().collect(),
        vectored: false,
        written: vec![],
        flushed: 0,
        shut_down: false,
    }
}

/// A writer that takes `len` bytes in random pieces, with interruptions.
pub(crate) fn picky(len: usize, rng: &mut FastRand) -> ScriptWriter {
    // One byte a time at worst, and as many interruptions.
    let steps = (0..3 * len + 8).map(|_| match rng.below(4) {
        0 => Taking::Pending,
        1 => Taking::Error(io::ErrorKind::Interrupted),
        _ => Taking::Bytes(1 + rng.below(300) as usize),
    });
    writer(steps.collect::<Vec<_>>())
}

impl ScriptWriter {
    pub(crate) fn vectored(mut self) -> Self {
        self.vectored = true;
        self
    }

    /// All that was taken.
    pub(crate) fn written(&self) -> &[u8] {
        &self.written
    }

    /// What of it was flushed.
    pub(crate) fn flushed(&self) -> &[u8] {
        &self.written[..self.flushed]
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.shut_down
    }

    fn take(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.steps.pop_front().expect("written beyond the script") {
            Taking::Bytes(n) => {
                let n = n.min(bytes.len());
                self.written.extend_from_slice(&bytes[..n]);
                Poll::Ready(Ok(n))
            }
            Taking::Pending => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Taking::Error(kind) => Poll::Ready(Err(kind.into())),
            Taking::Claim(n) => Poll::Ready(Ok(n)),
        }
    }
}

impl AsyncWrite for ScriptWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.take(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flushed = self.written.len();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shut_down = true;
        self.poll_flush(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        assert!(self.vectored, "nobody asked `is_write_vectored`");
        let all: Vec<u8> = bufs.iter().flat_map(|buf| buf.to_vec()).collect();
        self.take(cx, &all)
    }

    fn is_write_vectored(&self) -> bool {
        self.vectored
    }
}

/// A stream that seeks slowly: each takes two polls. The byte at each position is the position
/// itself, and what is written is noted with where.
#[derive(Debug)]
pub(crate) struct Seeking {
    position: u64,
    len: u64,
    under_way: Option<SeekFrom>,
    polled: bool,
    seeks: Vec<SeekFrom>,
    writes: Vec<(u64, Vec<u8>)>,
}

impl Seeking {
    pub(crate) fn new(len: u64) -> Self {
        Self {
            position: 0,
            len,
            under_way: None,
            polled: false,
            seeks: vec![],
            writes: vec![],
        }
    }

    pub(crate) fn at(mut self, position: u64) -> Self {
        self.position = position;
        self
    }

    /// The seeks so far, in order.
    pub(crate) fn seeks(&self) -> &[SeekFrom] {
        &self.seeks
    }

    /// The writes so far, with where.
    pub(crate) fn writes(&self) -> &[(u64, Vec<u8>)] {
        &self.writes
    }
}

impl AsyncSeek for Seeking {
    fn start_seek(mut self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        if self.under_way.is_some() {
            return Err(io::Error::other("a seek is under way"));
        }
        self.under_way = Some(position);
        self.polled = false;
        self.seeks.push(position);
        Ok(())
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let Some(target) = self.under_way else {
            return Poll::Ready(Ok(self.position));
        };
        if !std::mem::replace(&mut self.polled, true) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.under_way = None;
        let position = match target {
            SeekFrom::Start(n) => Some(n),
            SeekFrom::Current(n) => self.position.checked_add_signed(n),
            SeekFrom::End(n) => self.len.checked_add_signed(n),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Poll::Ready(Ok(self.position))
    }
}

impl AsyncRead for Seeking {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while buf.remaining() > 0 && self.position < self.len {
            buf.put_slice(&[self.position as u8]);
            self.position += 1;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Seeking {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        assert!(self.under_way.is_none(), "a write within a seek");
        let position = self.position;
        self.writes.push((position, buf.to_vec()));
        self.position += buf.len() as u64;
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
