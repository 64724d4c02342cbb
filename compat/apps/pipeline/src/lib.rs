//! Lines in, sums out: tokio-util's codecs, token and tracker, tokio-stream, and back-pressure.
//!
//! Each connection sends numbers, a line each, and gets back the sum of every [`GROUP`] of them. The
//! numbers are read, summed and written by three tasks with short queues between them: whoever
//! does not read what is sent to them is soon no longer read from.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Buf, BufMut, BytesMut};
use futures_util::{SinkExt, StreamExt, TryStreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tokio_util::codec::{Decoder, Encoder, FramedRead, FramedWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How many numbers make a sum.
pub const GROUP: usize = 10;
/// How many items each queue between two tasks holds.
pub const QUEUE: usize = 4;

/// A number a line.
#[derive(Debug, Default)]
pub struct Numbers {
    /// How far the last look for the end of a line came.
    seen: usize,
}

impl Decoder for Numbers {
    type Item = u64;
    type Error = io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> io::Result<Option<u64>> {
        let Some(end) = source[self.seen..].iter().position(|&byte| byte == b'\n') else {
            self.seen = source.len();
            return Ok(None);
        };
        let line = source.split_to(self.seen + end);
        source.advance(1);
        self.seen = 0;
        let number = std::str::from_utf8(&line)
            .ok()
            .and_then(|line| line.trim().parse().ok());
        number.map(Some).ok_or(io::ErrorKind::InvalidData.into())
    }
}

impl Encoder<u64> for Numbers {
    type Error = io::Error;

    fn encode(&mut self, number: u64, target: &mut BytesMut) -> io::Result<()> {
        target.put_slice(number.to_string().as_bytes());
        target.put_u8(b'\n');
        Ok(())
    }
}

/// The service. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Service {
    /// Cancelled, it takes no more connections and no more numbers.
    pub stop: CancellationToken,
    /// Every task of it.
    pub tasks: TaskTracker,
    /// Numbers that were read.
    pub read: Arc<AtomicUsize>,
    /// Sums that were taken for writing.
    pub written: Arc<AtomicUsize>,
}

impl Service {
    /// Serves every connection until it is stopped, and waits for what is still under way.
    pub async fn run(self, listener: TcpListener) -> io::Result<()> {
        let mut connections = TcpListenerStream::new(listener);
        while let Some(Some(stream)) = self.stop.run_until_cancelled(connections.next()).await {
            let (reader, writer) = stream?.into_split();
            self.serve(reader, writer);
        }
        self.tasks.close();
        self.tasks.wait().await;
        Ok(())
    }

    /// Serves one connection, whatever it is made of.
    pub fn serve(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) {
        let (numbers_in, numbers_out) = mpsc::channel(QUEUE);
        let (sums_in, sums_out) = mpsc::channel(QUEUE);
        let this = self.clone();
        self.tasks.spawn(async move {
            let mut numbers = FramedRead::new(reader, Numbers::default());
            while let Some(Ok(Some(number))) =
                this.stop.run_until_cancelled(numbers.try_next()).await
            {
                this.read.fetch_add(1, Ordering::Relaxed);
                if numbers_in.send(number).await.is_err() {
                    return;
                }
            }
        });
        self.tasks.spawn(async move {
            let mut groups = ReceiverStream::new(numbers_out).chunks(GROUP);
            while let Some(group) = groups.next().await {
                if sums_in.send(group.iter().sum::<u64>()).await.is_err() {
                    return;
                }
            }
        });
        let written = Arc::clone(&self.written);
        self.tasks.spawn(async move {
            let sums = ReceiverStream::new(sums_out).map(Ok).inspect(move |_| {
                written.fetch_add(1, Ordering::Relaxed);
            });
            let mut sink = FramedWrite::new(writer, Numbers::default());
            // A client that is gone ends the task; what it would have got is dropped.
            if sink.send_all(&mut { sums }).await.is_ok() {
                drop(sink.close().await);
            }
        });
    }
}
