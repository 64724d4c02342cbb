//! Sums over gRPC: tonic, with all four kinds of methods.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

/// The code that `build.rs` describes.
#[allow(
    unreachable_pub,
    clippy::allow_attributes_without_reason,
    reason = "generated"
)]
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/sums.Sums.rs"));
}

pub use generated::sums_client::SumsClient;
pub use generated::sums_server::SumsServer;

/// Two numbers.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Pair {
    /// One.
    #[prost(int64, tag = "1")]
    pub left: i64,
    /// The other.
    #[prost(int64, tag = "2")]
    pub right: i64,
}

/// One number.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Number {
    /// It.
    #[prost(int64, tag = "1")]
    pub value: i64,
}

/// Shorthand.
pub fn number(value: i64) -> Number {
    Number { value }
}

/// The service. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// Calls of `count`, `running` and `wait` that are under way.
    pub under_way: Arc<AtomicUsize>,
}

/// Counts a call for as long as it lives.
struct Call(Arc<AtomicUsize>);

impl Call {
    fn begin(sums: &Sums) -> Self {
        sums.under_way.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(&sums.under_way))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

type Answers = Pin<Box<dyn Stream<Item = Result<Number, Status>> + Send>>;

#[tonic::async_trait]
impl generated::sums_server::Sums for Sums {
    async fn add(&self, request: Request<Pair>) -> Result<Response<Number>, Status> {
        let Pair { left, right } = request.into_inner();
        let sum = left
            .checked_add(right)
            .ok_or(Status::out_of_range("too large"))?;
        Ok(Response::new(number(sum)))
    }

    async fn total(&self, request: Request<Streaming<Number>>) -> Result<Response<Number>, Status> {
        let mut numbers = request.into_inner();
        let mut total = 0;
        while let Some(Number { value }) = numbers.message().await? {
            total += value;
        }
        Ok(Response::new(number(total)))
    }

    type CountStream = Answers;

    /// All numbers below; all there are, if it is negative.
    async fn count(&self, request: Request<Number>) -> Result<Response<Answers>, Status> {
        let end = request.into_inner().value;
        let call = Call::begin(self);
        let (sender, receiver) = mpsc::channel(4);
        tokio::spawn(async move {
            let _call = call;
            for value in (0..).take_while(|&value| end < 0 || value < end) {
                // The client is gone: so is the need to count.
                if sender.send(Ok(number(value))).await.is_err() {
                    return;
                }
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    type RunningStream = Answers;

    /// The sum so far, after each number.
    async fn running(
        &self,
        request: Request<Streaming<Number>>,
    ) -> Result<Response<Answers>, Status> {
        let call = Call::begin(self);
        let mut total = 0;
        let sums = request.into_inner().map(move |message| {
            let _ = &call;
            total += message?.value;
            Ok(number(total))
        });
        Ok(Response::new(Box::pin(sums)))
    }

    /// Answers after so many milliseconds.
    async fn wait(&self, request: Request<Number>) -> Result<Response<Number>, Status> {
        let _call = Call::begin(self);
        let waited = request.into_inner();
        let milliseconds = waited
            .value
            .try_into()
            .map_err(|_| Status::invalid_argument("past"))?;
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        Ok(Response::new(waited))
    }
}
