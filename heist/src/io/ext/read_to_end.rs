//! `read_to_end` and `read_to_string`.

use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::io::ext::text::{self, OnError};
use crate::io::{AsyncRead, ReadBuf};

/// Less room than this is not worth a read of its own.
const SMALL: usize = 32;

/// How far a vector has been read into, over the polls of one future.
#[derive(Debug)]
struct Progress {
    /// Bytes appended so far.
    read: usize,
    /// The vector's capacity when the future was made.
    first_capacity: usize,
    /// How many bytes of the spare capacity are initialised, as long as the vector stays where it
    /// is. A reader that needs initialised memory has them zeroed once, not once a poll.
    spare_initialized: usize,
}

impl Progress {
    fn new(vec: &Vec<u8>) -> Self {
        Self {
            read: 0,
            first_capacity: vec.capacity(),
            spare_initialized: 0,
        }
    }

    /// Reads until the end, appending to `vec`.
    ///
    /// # Safety
    ///
    /// `vec` is the one of the last call, and nobody changed it in between.
    unsafe fn poll_read_to_end<R: AsyncRead + ?Sized>(
        &mut self,
        vec: &mut Vec<u8>,
        mut reader: Pin<&mut R>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        loop {
            let n = if self.should_probe(vec) {
                self.poll_probe(vec, reader.as_mut(), cx)
            } else {
                // SAFETY: as the caller promised, `spare_initialized` is about this very vector.
                unsafe { self.poll_append(vec, reader.as_mut(), cx) }
            };
            match ready!(n) {
                Ok(0) => return Poll::Ready(Ok(std::mem::take(&mut self.read))),
                Ok(n) => self.read += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
    }

    /// Whether the caller's own allocation is (almost) full: it may have been made to measure, and
    /// then all that is left to read is the end. Growing it for that would double it for nothing.
    fn should_probe(&self, vec: &Vec<u8>) -> bool {
        vec.capacity() == self.first_capacity
            && vec.capacity() >= SMALL
            && vec.capacity() - vec.len() < SMALL
    }

    /// Reads a little into a buffer on the stack, and lets the vector grow only if something came.
    fn poll_probe<R: AsyncRead + ?Sized>(
        &mut self,
        vec: &mut Vec<u8>,
        reader: Pin<&mut R>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let mut memory = [MaybeUninit::uninit(); SMALL];
        let mut probe = ReadBuf::uninit(&mut memory);
        let n = ready!(probe.poll_fill_from(reader, cx, usize::MAX))?;
        // Wherever the vector is now, what was known about its spare capacity is out of date.
        self.spare_initialized = 0;
        vec.extend_from_slice(probe.filled());
        Poll::Ready(Ok(n))
    }

    /// Reads straight into the vector's spare capacity.
    ///
    /// # Safety
    ///
    /// The first `spare_initialized` bytes of it hold values.
    unsafe fn poll_append<R: AsyncRead + ?Sized>(
        &mut self,
        vec: &mut Vec<u8>,
        reader: Pin<&mut R>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if vec.capacity() - vec.len() < SMALL {
            self.spare_initialized = 0;
            // Grows by a factor: a long read is copied a logarithmic number of times.
            vec.reserve(SMALL);
        }
        let len = vec.len();
        let mut spare = ReadBuf::uninit(vec.spare_capacity_mut());
        // SAFETY: as the caller promised.
        unsafe { spare.assume_init(self.spare_initialized) };
        let result = spare.poll_fill_from(reader, cx, usize::MAX);
        let filled = spare.filled().len();
        self.spare_initialized = spare.initialized().len() - filled;
        // SAFETY: the first `filled` bytes of the spare capacity are filled: B3 — not another buffer's.
        unsafe { vec.set_len(len + filled) };
        result
    }
}

pin_project! {
    /// What [`AsyncReadExt::read_to_end`](crate::io::AsyncReadExt::read_to_end) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadToEnd<'a, R: ?Sized> {
        reader: &'a mut R,
        buf: &'a mut Vec<u8>,
        progress: Progress,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadToEnd<'a, R> {
    pub(super) fn new(reader: &'a mut R, buf: &'a mut Vec<u8>) -> Self {
        Self {
            progress: Progress::new(buf),
            reader,
            buf,
            _pin: PhantomPinned,
        }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> Future for ReadToEnd<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        let reader = Pin::new(&mut **me.reader);
        // SAFETY: the future has the vector borrowed, and its progress is of this vector only.
        unsafe { me.progress.poll_read_to_end(me.buf, reader, cx) }
    }
}

pin_project! {
    /// What [`AsyncReadExt::read_to_string`](crate::io::AsyncReadExt::read_to_string) returns.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadToString<'a, R: ?Sized> {
        reader: &'a mut R,
        output: &'a mut String,
        // The string's own allocation, while its contents are not known to be text.
        bytes: Vec<u8>,
        progress: Progress,
        #[pin]
        _pin: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadToString<'a, R> {
    pub(super) fn new(reader: &'a mut R, output: &'a mut String) -> Self {
        let bytes = std::mem::take(output).into_bytes();
        Self {
            progress: Progress::new(&bytes),
            reader,
            output,
            bytes,
            _pin: PhantomPinned,
        }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> Future for ReadToString<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();
        let reader = Pin::new(&mut **me.reader);
        // SAFETY: the vector is the future's own, and its progress is of this vector only.
        let result = unsafe { me.progress.poll_read_to_end(me.bytes, reader, cx) };
        let result = ready!(result);
        let read = *result.as_ref().unwrap_or(&me.progress.read);
        let bytes = std::mem::take(me.bytes);
        *me.progress = Progress::new(me.bytes);
        Poll::Ready(text::finish(
            me.output,
            bytes,
            read,
            result,
            OnError::DropRead,
        ))
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use crate::engine::base::rng::FastRand;
    use crate::io::AsyncReadExt;
    use crate::io::test_support::{Manner, Step, chopped, poll_once, reader};
    use futures::executor::block_on;
    use std::io;

    #[test]
    fn appends_all_there_is() {
        let mut reader = reader([
            Step::data("ab"),
            Step::Pending,
            Step::Error(io::ErrorKind::Interrupted),
            Step::data("cd"),
            Step::End,
        ]);
        let mut all = b"x".to_vec();
        assert_eq!(block_on(reader.read_to_end(&mut all)).unwrap(), 4);
        assert_eq!(all, b"xabcd");
    }

    #[test]
    fn random_pieces_into_random_capacities() {
        let mut rng = FastRand::new(11);
        for manner in [Manner::PutSlice, Manner::Initialise] {
            for _ in 0..300 {
                let data: Vec<u8> = (0..rng.below(5000)).map(|_| rng.next_u64() as u8).collect();
                let mut reader = chopped(&data, &mut rng, manner);
                let mut all = Vec::with_capacity(rng.below(6000) as usize);
                all.extend_from_slice(b"before");
                let n = block_on(reader.read_to_end(&mut all)).unwrap();
                assert_eq!(n, data.len());
                assert_eq!(all, [b"before", &data[..]].concat());
            }
        }
    }

    #[test]
    fn a_vector_made_to_measure_does_not_grow() {
        for len in [32, 100, 8192] {
            let data = vec![7; len];
            let mut all = Vec::with_capacity(len);
            let (capacity, at) = (all.capacity(), all.as_ptr());
            assert_eq!(block_on((&data[..]).read_to_end(&mut all)).unwrap(), len);
            assert_eq!((all.capacity(), all.as_ptr()), (capacity, at));
        }
    }

    #[test]
    fn growth_is_by_a_factor() {
        let data = vec![7; 1 << 20];
        let mut all = vec![];
        block_on((&data[..]).read_to_end(&mut all)).unwrap();
        assert!(all.capacity() <= 4 << 20);
        assert_eq!(all, data);
    }

    #[test]
    fn cancelled_or_failed_keeps_what_came() {
        let mut interrupted = reader([Step::data("ab"), Step::Pending, Step::data("c"), Step::End]);
        let mut all = vec![];
        assert!(poll_once(interrupted.read_to_end(&mut all)).is_pending());
        assert_eq!(all, b"ab");
        assert_eq!(block_on(interrupted.read_to_end(&mut all)).unwrap(), 1);
        assert_eq!(all, b"abc");

        let mut broken = reader([Step::data("d"), Step::Error(io::ErrorKind::BrokenPipe)]);
        let error = block_on(broken.read_to_end(&mut all)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(all, b"abcd");
    }

    #[test]
    fn text_is_appended_to_a_string() {
        // The two bytes of one letter come apart.
        let mut letters = reader([
            Step::data([0xc3]),
            Step::Pending,
            Step::data([0xa9]),
            Step::End,
        ]);
        let mut text = String::from("caf");
        assert_eq!(block_on(letters.read_to_string(&mut text)).unwrap(), 2);
        assert_eq!(text, "café");
    }

    #[test]
    fn what_is_not_text_leaves_the_string_as_it_was() {
        let mut letters = reader([Step::data("ab"), Step::data([0xff]), Step::End]);
        let mut text = String::from("before");
        let error = block_on(letters.read_to_string(&mut text)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert_eq!(text, "before");
    }

    #[test]
    fn an_error_leaves_the_string_as_it_was() {
        for so_far in [&b"ab"[..], b"\xff"] {
            let mut broken = reader([
                Step::data(so_far),
                Step::Pending,
                Step::Error(io::ErrorKind::BrokenPipe),
            ]);
            let mut text = String::from("before");
            let error = block_on(broken.read_to_string(&mut text)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
            assert_eq!(text, "before");
        }
    }
}
