//! Copying between two streams, both ways at once.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::io::copying::transfer::Transfer;
use crate::io::{AsyncRead, AsyncWrite, DEFAULT_BUFFER_SIZE};

/// Copies from `a` to `b` and from `b` to `a`, both at once, and returns how many bytes went from
/// `a` to `b` and how many from `b` to `a`.
///
/// When one of them ends, the other is shut down for writing; the other direction goes on. It is
/// done when both have ended. Each direction has a buffer of 8 KiB on the heap;
/// [`copy_bidirectional_with_sizes`] takes other sizes.
///
/// # Errors
///
/// Any error of reading, writing, flushing or shutting down, in either direction, ends both at once;
/// only [`Interrupted`](crate::io::ErrorKind::Interrupted) makes it try again. What the other
/// direction had read and not yet written is lost.
///
/// # Cancel safety
///
/// Not cancel safe: what a cancelled call had read and not yet written is lost.
///
/// # Examples
///
/// ```
/// use heist::io::{self, AsyncReadExt, AsyncWriteExt};
///
/// #[heist::main]
/// async fn main() -> io::Result<()> {
///     let (mut client, mut a) = io::duplex(64);
///     let (mut b, mut server) = io::duplex(64);
///     client.write_all(b"question").await?;
///     client.shutdown().await?;
///     server.write_all(b"answer").await?;
///     server.shutdown().await?;
///
///     assert_eq!(io::copy_bidirectional(&mut a, &mut b).await?, (8, 6));
///     let mut text = String::new();
///     client.read_to_string(&mut text).await?;
///     assert_eq!(text, "answer");
///     Ok(())
/// }
/// ```
pub async fn copy_bidirectional<A, B>(a: &mut A, b: &mut B) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    copy_both_ways(a, b, DEFAULT_BUFFER_SIZE, DEFAULT_BUFFER_SIZE).await
}

/// As [`copy_bidirectional`], with buffers of these sizes.
///
/// # Errors
///
/// As [`copy_bidirectional`].
///
/// # Cancel safety
///
/// As [`copy_bidirectional`]: not cancel safe.
///
/// # Panics
///
/// If one of the sizes is 0.
///
/// # Examples
///
/// ```
/// # #[heist::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// use heist::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional_with_sizes, duplex};
///
/// let (mut client, mut front) = duplex(64);
/// let (mut back, mut server) = duplex(64);
/// let proxy = heist::spawn(async move {
///     // Requests are small, answers are not.
///     copy_bidirectional_with_sizes(&mut front, &mut back, 1024, 64 * 1024).await
/// });
///
/// client.write_all(b"ping").await?;
/// client.shutdown().await?;
/// let mut request = String::new();
/// server.read_to_string(&mut request).await?;
/// server.write_all(b"pong pong").await?;
/// drop(server);
/// assert_eq!(proxy.await??, (4, 9));
/// # Ok(())
/// # }
/// ```
pub async fn copy_bidirectional_with_sizes<A, B>(
    a: &mut A,
    b: &mut B,
    a_to_b_buf_size: usize,
    b_to_a_buf_size: usize,
) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    assert!(
        a_to_b_buf_size > 0,
        "`a_to_b_buf_size` must be greater than 0"
    );
    assert!(
        b_to_a_buf_size > 0,
        "`b_to_a_buf_size` must be greater than 0"
    );
    copy_both_ways(a, b, a_to_b_buf_size, b_to_a_buf_size).await
}

async fn copy_both_ways<A, B>(
    a: &mut A,
    b: &mut B,
    a_to_b_size: usize,
    b_to_a_size: usize,
) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let mut a_to_b = Direction::Copying(Transfer::new(a_to_b_size));
    let mut b_to_a = Direction::Copying(Transfer::new(b_to_a_size));
    poll_fn(|cx| {
        // Both are polled, whatever the first says.
        let there = a_to_b.poll_through(cx, Pin::new(&mut *a), Pin::new(&mut *b))?;
        let back = b_to_a.poll_through(cx, Pin::new(&mut *b), Pin::new(&mut *a))?;
        Poll::Ready(Ok((ready!(there), ready!(back))))
    })
    .await
}

/// How far one direction is.
enum Direction {
    Copying(Transfer),
    /// The reader has ended after so many bytes; the writer is being told.
    ShuttingDown(u64),
    Done(u64),
}

impl Direction {
    /// Copies to the end and shuts the writer down. Ready again and again once it is done.
    fn poll_through<R, W>(
        &mut self,
        cx: &mut Context<'_>,
        mut reader: Pin<&mut R>,
        mut writer: Pin<&mut W>,
    ) -> Poll<io::Result<u64>>
    where
        R: AsyncRead + ?Sized,
        W: AsyncWrite + ?Sized,
    {
        loop {
            *self = match self {
                Self::Copying(transfer) => {
                    let copied = transfer.poll_copy(cx, reader.as_mut(), writer.as_mut());
                    Self::ShuttingDown(ready!(copied)?)
                }
                Self::ShuttingDown(copied) => {
                    ready!(writer.as_mut().poll_shutdown(cx))?;
                    Self::Done(*copied)
                }
                Self::Done(copied) => return Poll::Ready(Ok(*copied)),
            };
        }
    }
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use crate::engine::base::rng::FastRand;
    use crate::io::test_support::{
        Manner, Step, Taking, chopped, picky, poll_once, reader, writer,
    };
    use crate::io::{AsyncReadExt, AsyncWriteExt, duplex, join};
    use futures::executor::block_on;
    use std::pin::pin;

    #[test]
    fn random_pieces_arrive_in_order_both_ways() {
        let mut rng = FastRand::new(47);
        for _ in 0..50 {
            let mut side = || {
                let len = rng.below(5_000) as usize;
                let data: Vec<u8> = (0..len).map(|_| rng.next_u64() as u8).collect();
                (chopped(&data, &mut rng, Manner::PutSlice), data)
            };
            let ((a, a_data), (b, b_data)) = (side(), side());
            let mut a = join(a, picky(b_data.len(), &mut rng));
            let mut b = join(b, picky(a_data.len(), &mut rng));
            let sizes = (1 + rng.below(900) as usize, 1 + rng.below(900) as usize);
            let copied = copy_bidirectional_with_sizes(&mut a, &mut b, sizes.0, sizes.1);
            let lengths = (a_data.len() as u64, b_data.len() as u64);
            assert_eq!(block_on(copied).unwrap(), lengths);
            for (side, data) in [(a.writer(), &b_data), (b.writer(), &a_data)] {
                assert_eq!(side.flushed(), data);
                assert!(side.is_shut_down());
            }
        }
    }

    #[test]
    fn one_end_shuts_the_other_side_and_the_rest_goes_on() {
        let (mut client, mut a) = duplex(8);
        let (mut b, mut server) = duplex(8);
        let mut copied = pin!(copy_bidirectional(&mut a, &mut b));
        block_on(async {
            client.write_all(b"ask").await.unwrap();
            client.shutdown().await.unwrap();
            assert!(poll_once(copied.as_mut()).is_pending());
            let mut text = String::new();
            server.read_to_string(&mut text).await.unwrap();
            assert_eq!(text, "ask");

            server.write_all(b"answer").await.unwrap();
            assert!(poll_once(copied.as_mut()).is_pending());
            drop(server);
            assert_eq!(copied.await.unwrap(), (3, 6));
            text.clear();
            client.read_to_string(&mut text).await.unwrap();
            assert_eq!(text, "answer");
        });
    }

    #[test]
    fn an_error_of_either_side_ends_both() {
        let broken = io::ErrorKind::BrokenPipe;
        for swap in [false, true] {
            let bad = join(reader([Step::Error(broken)]), writer([]));
            let good = join(reader([Step::Pending]), writer([Taking::Pending]));
            let (mut a, mut b) = if swap { (good, bad) } else { (bad, good) };
            let error = block_on(copy_bidirectional(&mut a, &mut b)).unwrap_err();
            assert_eq!(error.kind(), broken);
        }
    }

    #[test]
    #[should_panic(expected = "`b_to_a_buf_size` must be greater than 0")]
    fn a_size_of_0_panics() {
        let (mut a, mut b) = duplex(8);
        let _ = block_on(copy_bidirectional_with_sizes(&mut a, &mut b, 1, 0));
    }
}
