//! [`ReadBuf`]: bytes of which some are filled, some only initialised, and some neither.
//!
//! ```text
//! |  filled  |  initialised, unfilled  |  uninitialised  |
//! 0       filled                  initialized        capacity
//! ```
//!
//! **Rules.**
//! * B1. `filled <= initialized <= buf.len()`.
//! * B2. The first `initialized` bytes of `buf` hold values. Nothing ever takes a value back: whoever
//!   gets at the raw memory promises (by `unsafe`) to write only values over them.
//! * B3. What a reader reports is believed only if the buffer it hands back is the one it was given
//!   ([`ReadBuf::poll_fill_from`], [`poll_read_into`]). A `ReadBuf` is a value: safe code can put
//!   another one in its place, and the other one's counters say nothing about our bytes.

use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::io::AsyncRead;

/// A borrowed byte buffer that is filled from the front and knows how much of it is initialised.
///
/// A reader appends what it has; it need not care whether the rest of the memory holds values yet.
/// That saves whoever owns the memory from zeroing it before every read. The buffer is three
/// stretches, in this order: the *filled* part, with data in it; the part that is *initialised*, yet
/// unfilled; the part about which nothing is known.
///
/// # Examples
///
/// ```
/// use heist::io::ReadBuf;
/// use std::mem::MaybeUninit;
///
/// let mut memory = [MaybeUninit::uninit(); 8];
/// let mut buf = ReadBuf::uninit(&mut memory);
/// buf.put_slice(b"abc");
/// assert_eq!(buf.filled(), b"abc");
/// assert_eq!(buf.remaining(), 5);
/// ```
pub struct ReadBuf<'a> {
    buf: &'a mut [MaybeUninit<u8>],
    filled: usize,
    initialized: usize,
}

impl<'a> ReadBuf<'a> {
    /// An empty `ReadBuf` over memory that is initialised throughout.
    #[inline]
    pub fn new(buf: &'a mut [u8]) -> ReadBuf<'a> {
        let initialized = buf.len();
        let memory: *mut [u8] = buf;
        ReadBuf {
            // SAFETY: B2 — the same memory under a type of the same layout, and no value in it is
            // ever taken back, so that the lender finds bytes there again.
            buf: unsafe { &mut *(memory as *mut [MaybeUninit<u8>]) },
            filled: 0,
            initialized,
        }
    }

    /// An empty `ReadBuf` over memory that may hold no values yet.
    ///
    /// Should part of it be known to be initialised, [`assume_init`](Self::assume_init) says so.
    #[inline]
    pub fn uninit(buf: &'a mut [MaybeUninit<u8>]) -> ReadBuf<'a> {
        ReadBuf {
            buf,
            filled: 0,
            initialized: 0,
        }
    }

    /// How many bytes the buffer holds when full.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.buf.len()
    }

    /// The filled part.
    #[inline]
    pub fn filled(&self) -> &[u8] {
        // SAFETY: B1 and B2 — what is filled is initialised.
        unsafe { as_bytes(&self.buf[..self.filled]) }
    }

    /// The filled part, to change in place.
    #[inline]
    pub fn filled_mut(&mut self) -> &mut [u8] {
        // SAFETY: B1 and B2 — what is filled is initialised.
        unsafe { as_bytes_mut(&mut self.buf[..self.filled]) }
    }

    /// A buffer of its own over the first `n` unfilled bytes, or over all of them if there are fewer.
    ///
    /// What is put into it does not count here by itself: afterwards
    /// [`assume_init`](Self::assume_init) and [`advance`](Self::advance) say how much it was.
    #[inline]
    pub fn take(&mut self, n: usize) -> ReadBuf<'_> {
        let len = n.min(self.remaining());
        let initialized = len.min(self.initialized - self.filled);
        ReadBuf {
            buf: &mut self.buf[self.filled..][..len],
            filled: 0,
            initialized,
        }
    }

    /// The initialised part, which begins with the filled one.
    #[inline]
    pub fn initialized(&self) -> &[u8] {
        // SAFETY: B2.
        unsafe { as_bytes(&self.buf[..self.initialized]) }
    }

    /// The initialised part, to change in place.
    #[inline]
    pub fn initialized_mut(&mut self) -> &mut [u8] {
        // SAFETY: B2.
        unsafe { as_bytes_mut(&mut self.buf[..self.initialized]) }
    }

    /// All of the memory, whatever is in it.
    ///
    /// # Safety
    ///
    /// The caller must not make bytes uninitialised that were initialised before.
    #[inline]
    pub unsafe fn inner_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        self.buf
    }

    /// The unfilled memory, whatever is in it.
    ///
    /// # Safety
    ///
    /// The caller must not make bytes uninitialised that were initialised before.
    #[inline]
    pub unsafe fn unfilled_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        &mut self.buf[self.filled..]
    }

    /// The unfilled part as bytes; what of it is not initialised yet is zeroed first.
    #[inline]
    pub fn initialize_unfilled(&mut self) -> &mut [u8] {
        self.initialize_unfilled_to(self.remaining())
    }

    /// The first `n` bytes of the unfilled part; what of them is not initialised yet is zeroed first.
    ///
    /// # Panics
    ///
    /// If fewer than `n` bytes remain.
    #[inline]
    #[track_caller]
    pub fn initialize_unfilled_to(&mut self, n: usize) -> &mut [u8] {
        if n > self.remaining() {
            too_many_to_initialise(n, self.remaining());
        }
        let end = self.filled + n;
        if self.initialized < end {
            self.buf[self.initialized..end].fill(MaybeUninit::new(0));
            self.initialized = end;
        }
        // SAFETY: B2 — `end` is not beyond `initialized` now.
        unsafe { as_bytes_mut(&mut self.buf[self.filled..end]) }
    }

    /// How many bytes are unfilled.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.buf.len() - self.filled
    }

    /// Empties the filled part. What is initialised stays so.
    #[inline]
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Adds the next `n` bytes to the filled part.
    ///
    /// # Panics
    ///
    /// If they are not all initialised.
    #[inline]
    #[track_caller]
    pub fn advance(&mut self, n: usize) {
        let filled = self
            .filled
            .checked_add(n)
            .expect("the filled length does not fit into a usize");
        self.set_filled(filled);
    }

    /// Makes the first `n` bytes the filled part; it may shrink as well as grow.
    ///
    /// # Panics
    ///
    /// If they are not all initialised.
    #[inline]
    #[track_caller]
    pub fn set_filled(&mut self, n: usize) {
        if n > self.initialized {
            too_many_to_fill(n, self.initialized);
        }
        self.filled = n;
    }

    /// Says that the first `n` unfilled bytes are initialised. What is known to be initialised never
    /// becomes less.
    ///
    /// # Safety
    ///
    /// The first `n` bytes after the filled part exist and hold values.
    #[inline]
    pub unsafe fn assume_init(&mut self, n: usize) {
        self.initialized = self.initialized.max(self.filled + n);
    }

    /// Appends `buf` to the filled part.
    ///
    /// # Panics
    ///
    /// If it does not fit into what remains.
    #[inline]
    #[track_caller]
    pub fn put_slice(&mut self, buf: &[u8]) {
        if buf.len() > self.remaining() {
            too_many_to_put(buf.len(), self.remaining());
        }
        let end = self.filled + buf.len();
        let source: *const [u8] = buf;
        // SAFETY: bytes that hold values are also bytes that may hold none.
        let source = unsafe { &*(source as *const [MaybeUninit<u8>]) };
        self.buf[self.filled..end].copy_from_slice(source);
        self.initialized = self.initialized.max(end);
        self.filled = end;
    }

    /// Lets `reader` fill at most `limit` of the unfilled bytes, and says how many it did.
    ///
    /// What it initialised counts even when it is not ready: whoever calls again with the same
    /// memory does not pay for zeroing it twice.
    ///
    /// # Panics
    ///
    /// If the reader puts another buffer in place of the one it is given (B3).
    #[inline]
    pub(crate) fn poll_fill_from<R>(
        &mut self,
        reader: Pin<&mut R>,
        cx: &mut Context<'_>,
        limit: usize,
    ) -> Poll<io::Result<usize>>
    where
        R: AsyncRead + ?Sized,
    {
        let mut part = self.take(limit);
        let given: *const [MaybeUninit<u8>] = part.buf;
        let result = reader.poll_read(cx, &mut part);
        part.assert_is(given);
        let (filled, initialized) = (part.filled, part.initialized);
        // B2 — these are our own bytes, and B1 and B2 hold for the part.
        self.initialized = self.initialized.max(self.filled + initialized);
        result.map_ok(|()| {
            self.filled += filled;
            filled
        })
    }

    /// B3: panics if this is not the buffer over `given`.
    #[inline]
    fn assert_is(&self, given: *const [MaybeUninit<u8>]) {
        // Address and length both: an empty buffer may begin where a stranger's memory does.
        assert!(
            std::ptr::eq(given, self.buf),
            "the reader put another buffer in place of the one it was given"
        );
    }
}

/// Lets `reader` fill the front of `bytes`, and says how many it did.
///
/// As [`ReadBuf::poll_fill_from`], for memory that is initialised: the short way.
#[inline]
pub(crate) fn poll_read_into<R>(
    reader: Pin<&mut R>,
    cx: &mut Context<'_>,
    bytes: &mut [u8],
) -> Poll<io::Result<usize>>
where
    R: AsyncRead + ?Sized,
{
    let mut buf = ReadBuf::new(bytes);
    let given: *const [MaybeUninit<u8>] = buf.buf;
    ready!(reader.poll_read(cx, &mut buf))?;
    buf.assert_is(given);
    Poll::Ready(Ok(buf.filled))
}

// The panics, out of the way of code that is inlined everywhere.

#[cold]
#[inline(never)]
#[track_caller]
fn too_many_to_initialise(n: usize, unfilled: usize) -> ! {
    panic!("{n} bytes to initialise, only {unfilled} are unfilled");
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_many_to_fill(n: usize, initialised: usize) -> ! {
    panic!("{n} bytes cannot be filled, only {initialised} are initialised");
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_many_to_put(n: usize, room: usize) -> ! {
    panic!("{n} bytes do not fit into the {room} that remain");
}

/// Views initialised memory as bytes.
///
/// # Safety
///
/// All of it holds values.
#[inline]
unsafe fn as_bytes(memory: &[MaybeUninit<u8>]) -> &[u8] {
    let memory: *const [MaybeUninit<u8>] = memory;
    // SAFETY: the same layout, and the caller vouches for the values.
    unsafe { &*(memory as *const [u8]) }
}

/// As [`as_bytes`], to change in place.
///
/// # Safety
///
/// All of it holds values.
#[inline]
unsafe fn as_bytes_mut(memory: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    let memory: *mut [MaybeUninit<u8>] = memory;
    // SAFETY: the same layout, and the caller vouches for the values.
    unsafe { &mut *(memory as *mut [u8]) }
}

// SAFETY: `chunk_mut` is exactly the `remaining_mut` bytes that are unfilled, and `advance_mut`
// moves its start by what it is told.
unsafe impl bytes::BufMut for ReadBuf<'_> {
    #[inline]
    fn remaining_mut(&self) -> usize {
        self.remaining()
    }

    #[inline]
    unsafe fn advance_mut(&mut self, n: usize) {
        // SAFETY: the caller has written the first `n` unfilled bytes.
        unsafe { self.assume_init(n) };
        self.advance(n);
    }

    #[inline]
    fn chunk_mut(&mut self) -> &mut bytes::buf::UninitSlice {
        bytes::buf::UninitSlice::uninit(&mut self.buf[self.filled..])
    }
}

impl fmt::Debug for ReadBuf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadBuf")
            .field("filled", &self.filled)
            .field("initialized", &self.initialized)
            .field("capacity", &self.capacity())
            .finish()
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::rng::FastRand;
    use crate::io::test_support::Swapper;
    use bytes::BufMut;
    use futures::task::noop_waker_ref;

    const UNINIT: MaybeUninit<u8> = MaybeUninit::uninit();

    /// The counters, for comparing.
    fn counts(buf: &ReadBuf<'_>) -> (usize, usize, usize) {
        (buf.filled().len(), buf.initialized().len(), buf.capacity())
    }

    #[test]
    fn new_knows_its_memory_is_initialised() {
        let mut memory = *b"abcd";
        let mut buf = ReadBuf::new(&mut memory);
        assert_eq!(counts(&buf), (0, 4, 4));
        assert_eq!(buf.initialized(), b"abcd");
        buf.advance(2);
        assert_eq!(buf.filled(), b"ab");
        buf.filled_mut()[0] = b'x';
        buf.initialized_mut()[3] = b'y';
        assert_eq!(memory, *b"xbcy");
    }

    #[test]
    fn initialising_zeroes_only_what_was_not() {
        let mut memory = [UNINIT; 6];
        let mut buf = ReadBuf::uninit(&mut memory);
        buf.put_slice(b"abc");
        buf.clear();
        buf.advance(1);
        assert_eq!(buf.initialize_unfilled_to(4), b"bc\0\0");
        assert_eq!(counts(&buf), (1, 5, 6));
        assert_eq!(buf.initialize_unfilled(), b"bc\0\0\0");
        assert_eq!(counts(&buf), (1, 6, 6));
    }

    #[test]
    fn a_part_keeps_what_is_initialised() {
        let mut memory = *b"abcdef";
        let mut buf = ReadBuf::new(&mut memory);
        buf.set_filled(2);
        assert_eq!(counts(&buf.take(3)), (0, 3, 3));
        assert_eq!(buf.take(3).initialized(), b"cde");
        assert_eq!(counts(&buf.take(usize::MAX)), (0, 4, 4));
    }

    #[test]
    #[should_panic(expected = "cannot be filled")]
    fn filling_beyond_the_initialised_part_panics() {
        ReadBuf::uninit(&mut [UNINIT; 4]).set_filled(1);
    }

    #[test]
    #[should_panic(expected = "does not fit into a usize")]
    fn advancing_beyond_all_numbers_panics() {
        let mut memory = [0; 4];
        let mut buf = ReadBuf::new(&mut memory);
        buf.advance(1);
        buf.advance(usize::MAX);
    }

    #[test]
    #[should_panic(expected = "do not fit into the 2 that remain")]
    fn putting_too_much_panics() {
        ReadBuf::new(&mut [0; 2]).put_slice(b"abc");
    }

    #[test]
    #[should_panic(expected = "only 2 are unfilled")]
    fn initialising_too_much_panics() {
        ReadBuf::new(&mut [0; 2]).initialize_unfilled_to(3);
    }

    #[test]
    fn is_a_buf_mut() {
        let mut memory = [UNINIT; 8];
        let mut buf = ReadBuf::uninit(&mut memory);
        buf.put_u16(0x6162);
        buf.put_bytes(b'c', 3);
        assert_eq!(buf.filled(), b"abccc");
        assert_eq!(buf.remaining_mut(), 3);
    }

    #[test]
    #[should_panic(expected = "another buffer")]
    fn a_reader_that_swaps_the_buffer_is_caught() {
        let mut memory = [UNINIT; 4];
        let mut buf = ReadBuf::uninit(&mut memory);
        let mut cx = Context::from_waker(noop_waker_ref());
        let mut reader = Swapper::new(64);
        let _ = buf.poll_fill_from(Pin::new(&mut reader), &mut cx, 4);
    }

    #[test]
    #[should_panic(expected = "another buffer")]
    fn a_swap_for_an_empty_buffer_is_caught() {
        let mut memory = [UNINIT; 4];
        let mut buf = ReadBuf::uninit(&mut memory);
        let mut cx = Context::from_waker(noop_waker_ref());
        let mut reader = Swapper::new(0);
        let _ = buf.poll_fill_from(Pin::new(&mut reader), &mut cx, 4);
    }

    /// A reader that initialises everything and is not ready.
    struct Zeroer;

    impl AsyncRead for Zeroer {
        fn poll_read(
            self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            buf.initialize_unfilled();
            buf.advance(1);
            Poll::Pending
        }
    }

    #[test]
    fn pending_keeps_what_was_initialised_and_fills_nothing() {
        let mut memory = [UNINIT; 8];
        let mut buf = ReadBuf::uninit(&mut memory);
        buf.put_slice(b"ab");
        let mut cx = Context::from_waker(noop_waker_ref());
        assert!(
            buf.poll_fill_from(Pin::new(&mut Zeroer), &mut cx, 4)
                .is_pending()
        );
        assert_eq!(counts(&buf), (2, 6, 8));
    }

    #[test]
    fn behaves_as_a_vec_with_counters() {
        let mut rng = FastRand::new(3);
        for _ in 0..200 {
            let capacity = rng.below(40) as usize;
            let mut memory = vec![UNINIT; capacity];
            let mut buf = ReadBuf::uninit(&mut memory);
            let (mut bytes, mut filled): (Vec<u8>, usize) = (vec![], 0);
            for _ in 0..40 {
                let n = rng.below(8) as usize;
                match rng.below(6) {
                    0 if n <= capacity - filled => {
                        let data: Vec<u8> = (0..n).map(|_| rng.next_u64() as u8).collect();
                        buf.put_slice(&data);
                        bytes.resize(bytes.len().max(filled + n), 0);
                        bytes[filled..filled + n].copy_from_slice(&data);
                        filled += n;
                    }
                    1 if filled + n <= bytes.len() => {
                        buf.advance(n);
                        filled += n;
                    }
                    2 if n <= capacity - filled => {
                        buf.initialize_unfilled_to(n);
                        bytes.resize(bytes.len().max(filled + n), 0);
                    }
                    3 if n <= bytes.len() => {
                        buf.set_filled(n);
                        filled = n;
                    }
                    4 => {
                        let mut data = &[7; 8][..n];
                        let mut cx = Context::from_waker(noop_waker_ref());
                        let limit = rng.below(8) as usize;
                        let taken = n.min(limit).min(capacity - filled);
                        let Poll::Ready(Ok(got)) =
                            buf.poll_fill_from(Pin::new(&mut data), &mut cx, limit)
                        else {
                            panic!("a slice is always ready");
                        };
                        assert_eq!(got, taken);
                        bytes.resize(bytes.len().max(filled + taken), 0);
                        bytes[filled..filled + taken].fill(7);
                        filled += taken;
                    }
                    5 if n == 0 => {
                        buf.clear();
                        filled = 0;
                    }
                    _ => {}
                }
                assert_eq!(buf.filled(), &bytes[..filled]);
                assert_eq!(buf.initialized(), &bytes[..]);
                assert_eq!(buf.remaining(), capacity - filled);
            }
        }
    }
}
