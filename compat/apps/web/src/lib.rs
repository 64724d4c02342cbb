//! A small web service: axum and tower-http, plain and over TLS.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::path::Path as FilePath;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{Stream, StreamExt};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;
use tokio_stream::wrappers::ReceiverStream;
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;
use tower_http::timeout::TimeoutLayer;

/// How long a request may take.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// A thing to do.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What.
    pub text: String,
    /// Whether it is done.
    #[serde(default)]
    pub done: bool,
}

/// All of them, by number.
#[derive(Clone, Debug, Default)]
pub struct Items(Arc<Mutex<BTreeMap<u64, Item>>>);

impl Items {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Item>> {
        self.0.lock().expect("nobody panics with it locked")
    }
}

/// Where requests to `/hold` wait until it is opened.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// How many have come to it.
    pub came: watch::Sender<usize>,
    /// Whether it is open.
    pub open: watch::Sender<bool>,
}

/// The service.
pub fn app(files: &FilePath, gate: Gate) -> Router {
    Router::new()
        .route("/", get(|| async { "Hello, World!" }))
        .route("/items", get(list).post(create))
        .route("/items/{number}", get(read).put(replace).delete(remove))
        .route("/slow", get(slow))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            PATIENCE,
        ))
        // Not in a hurry:
        .route("/numbers", get(numbers))
        .route("/sum", post(sum).layer(DefaultBodyLimit::disable()))
        .route("/wait", get(wait))
        .route("/hold", get(|| hold(gate)))
        .nest_service("/files", ServeDir::new(files))
        .layer(CompressionLayer::new())
        .with_state(Items::default())
}

#[derive(Deserialize)]
struct Range {
    #[serde(default)]
    from: u64,
    count: Option<u64>,
}

async fn list(State(items): State<Items>, Query(range): Query<Range>) -> Json<Vec<(u64, Item)>> {
    let count = range.count.map_or(usize::MAX, |count| count as usize);
    let items = items.lock();
    let some = items.range(range.from..).take(count);
    Json(some.map(|(number, item)| (*number, item.clone())).collect())
}

async fn create(State(items): State<Items>, Json(item): Json<Item>) -> impl IntoResponse {
    let mut items = items.lock();
    let number = items.last_key_value().map_or(0, |(last, _)| last + 1);
    items.insert(number, item);
    (StatusCode::CREATED, Json(number))
}

async fn read(
    State(items): State<Items>,
    Path(number): Path<u64>,
) -> Result<Json<Item>, StatusCode> {
    items
        .lock()
        .get(&number)
        .cloned()
        .map(Json)
        .ok_or(StatusCode::NOT_FOUND)
}

async fn replace(
    State(items): State<Items>,
    Path(number): Path<u64>,
    Json(item): Json<Item>,
) -> StatusCode {
    match items.lock().get_mut(&number) {
        Some(old) => {
            *old = item;
            StatusCode::NO_CONTENT
        }
        None => StatusCode::NOT_FOUND,
    }
}

async fn remove(State(items): State<Items>, Path(number): Path<u64>) -> StatusCode {
    match items.lock().remove(&number) {
        Some(_) => StatusCode::NO_CONTENT,
        None => StatusCode::NOT_FOUND,
    }
}

/// Slower than anyone has patience for.
async fn slow() -> &'static str {
    tokio::time::sleep(Duration::from_secs(60)).await;
    "at last"
}

#[derive(Deserialize)]
struct Wait {
    milliseconds: u64,
}

async fn wait(Query(wait): Query<Wait>) -> String {
    tokio::time::sleep(Duration::from_millis(wait.milliseconds)).await;
    format!("waited for {}", wait.milliseconds)
}

async fn hold(gate: Gate) -> &'static str {
    gate.came.send_modify(|came| *came += 1);
    // It fails only if the sender is gone, and here it is.
    drop(gate.open.subscribe().wait_for(|open| *open).await);
    "let through"
}

/// A body that is made while it is sent: a number a line.
async fn numbers(Query(range): Query<Range>) -> Body {
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(4);
    let end = range.count.map_or(u64::MAX, |count| range.from + count);
    tokio::spawn(async move {
        for number in range.from..end {
            // Nobody reads on: nobody counts on.
            if sender.send(Ok(format!("{number}\n").into())).await.is_err() {
                return;
            }
        }
    });
    Body::from_stream(ReceiverStream::new(receiver))
}

/// A body that is read while it comes: its bytes, counted and summed.
async fn sum(body: Body) -> Result<String, StatusCode> {
    let (mut count, mut sum) = (0_u64, 0_u64);
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| StatusCode::BAD_REQUEST)?;
        count += chunk.len() as u64;
        sum += chunk.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    }
    Ok(format!("{count} {sum}"))
}

/// Serves over TLS, HTTP/1 or HTTP/2, until `stop` is ready; then lets the connections finish.
///
/// # Errors
///
/// When the listener fails.
pub async fn serve_tls(
    listener: TcpListener,
    tls: TlsAcceptor,
    app: Router,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut stop = pin!(stop);
    let connections = GracefulShutdown::new();
    loop {
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            () = &mut stop => break,
        };
        let (tls, service) = (tls.clone(), TowerToHyperService::new(app.clone()));
        let watcher = connections.watcher();
        tokio::spawn(async move {
            // Handshakes fail when a client does not trust the certificate: its own affair.
            let Ok(stream) = tls.accept(stream).await else {
                return;
            };
            let builder = auto::Builder::new(TokioExecutor::new());
            let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
            drop(watcher.watch(connection.into_owned()).await);
        });
    }
    drop(listener);
    connections.shutdown().await;
    Ok(())
}

/// Chunks of `length` bytes each, made as they are asked for.
pub fn chunks(
    count: usize,
    length: usize,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    futures_util::stream::iter(0..count)
        .map(move |number| Ok(Bytes::from(vec![(number % 256) as u8; length])))
}
