//! All four kinds of calls, deadlines and cancellation.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rpc::{Pair, Sums, SumsClient, SumsServer, number};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tokio_stream::{StreamExt, iter};
use tonic::transport::{Channel, Endpoint, Error, Server};
use tonic::{Code, Request};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

struct Running {
    service: Sums,
    client: SumsClient<Channel>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), Error>>,
}

async fn start() -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = Sums::default();
    let (stop, stopped) = oneshot::channel();
    let server = tokio::spawn(
        Server::builder()
            .add_service(SumsServer::new(service.clone()))
            .serve_with_incoming_shutdown(TcpListenerStream::new(listener), async {
                drop(stopped.await);
            }),
    );
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let client = SumsClient::new(endpoint.connect().await.unwrap());
    Running {
        service,
        client,
        stop,
        server,
    }
}

impl Running {
    /// Waits until the server has no such call under way any more.
    async fn nothing_under_way(&self) {
        let idle = async {
            while self.service.under_way.load(Ordering::SeqCst) > 0 {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(LIMIT, idle)
            .await
            .expect("the server hears that nobody waits");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_calls_many_at_once() {
    let running = start().await;
    let mut calls = JoinSet::new();
    for left in 0..500 {
        let mut client = running.client.clone();
        calls.spawn(async move {
            let sum = client
                .add(Pair { left, right: 1 })
                .await
                .unwrap()
                .into_inner();
            assert_eq!(sum.value, left + 1);
        });
    }
    timeout(LIMIT, calls.join_all()).await.unwrap();
    let status = running
        .client
        .clone()
        .add(Pair {
            left: i64::MAX,
            right: 1,
        })
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::OutOfRange, "too large")
    );
    drop(running.client);
    running.stop.send(()).unwrap();
    timeout(LIMIT, running.server)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_in_both_directions() {
    let mut running = start().await;
    let total = running
        .client
        .total(iter((0..5_000).map(number)))
        .await
        .unwrap();
    assert_eq!(total.into_inner().value, 5_000 * 4_999 / 2);

    let numbers = running
        .client
        .count(number(5_000))
        .await
        .unwrap()
        .into_inner();
    let counted: Vec<i64> = numbers
        .map(|message| message.unwrap().value)
        .collect()
        .await;
    assert_eq!(counted, (0..5_000).collect::<Vec<_>>());

    // Each sum comes before the next number goes.
    let (sender, receiver) = mpsc::channel(1);
    sender.send(number(1)).await.unwrap();
    let call = running
        .client
        .running(ReceiverStream::new(receiver))
        .await
        .unwrap();
    let mut sums = call.into_inner();
    for right in 1..200 {
        let sum = timeout(LIMIT, sums.message())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(sum.value, right);
        sender.send(number(1)).await.unwrap();
    }
    drop(sender);
    assert_eq!(sums.message().await.unwrap().unwrap().value, 200);
    assert!(sums.message().await.unwrap().is_none());
    running.nothing_under_way().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deadlines() {
    let mut running = start().await;
    let began = Instant::now();
    let mut request = Request::new(number(60_000));
    request.set_timeout(Duration::from_millis(100));
    let status = timeout(LIMIT, running.client.wait(request))
        .await
        .unwrap()
        .unwrap_err();
    assert!(
        matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled),
        "{status}"
    );
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "the deadline cut it short"
    );
    running.nothing_under_way().await;

    let mut request = Request::new(number(1));
    request.set_timeout(LIMIT);
    assert_eq!(
        running
            .client
            .wait(request)
            .await
            .unwrap()
            .into_inner()
            .value,
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_cancels_is_heard() {
    let mut running = start().await;
    // A stream without end, given up by the client.
    let mut endless = running.client.count(number(-1)).await.unwrap().into_inner();
    for value in 0..1_000 {
        assert_eq!(endless.message().await.unwrap().unwrap().value, value);
    }
    assert_eq!(running.service.under_way.load(Ordering::SeqCst), 1);
    drop(endless);
    running.nothing_under_way().await;

    // A call that is dropped, and one whose task is aborted.
    let mut client = running.client.clone();
    let dropped = timeout(Duration::from_millis(100), client.wait(number(60_000))).await;
    assert!(dropped.is_err());
    running.nothing_under_way().await;
    let mut client = running.client.clone();
    let call = tokio::spawn(async move { client.wait(number(60_000)).await });
    let begun = async {
        while running.service.under_way.load(Ordering::SeqCst) == 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LIMIT, begun).await.unwrap();
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    running.nothing_under_way().await;

    // The connection is still good.
    let sum = running
        .client
        .add(Pair { left: 1, right: 2 })
        .await
        .unwrap();
    assert_eq!(sum.into_inner().value, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_finishes_what_it_began() {
    let running = start().await;
    let mut client = running.client.clone();
    let call = tokio::spawn(async move { client.wait(number(2_000)).await });
    let begun = async {
        while running.service.under_way.load(Ordering::SeqCst) == 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LIMIT, begun).await.unwrap();
    running.stop.send(()).unwrap();
    assert_eq!(call.await.unwrap().unwrap().into_inner().value, 2_000);
    drop(running.client);
    timeout(LIMIT, running.server)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}
