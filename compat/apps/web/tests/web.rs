//! The service, called by reqwest: plain, over TLS, over HTTP/2.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_RANGE, RANGE};
use http::{StatusCode, Version};
use reqwest::{Body, Certificate, Client, ClientBuilder};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use web::{Gate, Item, PATIENCE, app, chunks, serve_tls};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

struct Running {
    address: SocketAddr,
    base: String,
    files: TempDir,
    gate: Gate,
    certificate: Option<Certificate>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Running {
    async fn plain() -> Self {
        let files = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let gate = Gate::default();
        let serve = axum::serve(listener, app(files.path(), gate.clone()));
        let serve = serve.with_graceful_shutdown(async { drop(stopped.await) });
        let server = tokio::spawn(serve.into_future());
        Self {
            address,
            base: format!("http://{address}"),
            files,
            gate,
            certificate: None,
            stop,
            server,
        }
    }

    async fn tls() -> Self {
        // One provider for the process; another test may have been first.
        drop(rustls::crypto::ring::default_provider().install_default());
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let tls = TlsAcceptor::from(Arc::new(config));
        let files = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let gate = Gate::default();
        let app = app(files.path(), gate.clone());
        let server = tokio::spawn(serve_tls(listener, tls, app, async { drop(stopped.await) }));
        Self {
            address,
            base: format!("https://localhost:{}", address.port()),
            files,
            gate,
            certificate: Some(Certificate::from_der(made.cert.der()).unwrap()),
            stop,
            server,
        }
    }

    fn client(&self, with: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Client {
        drop(rustls::crypto::ring::default_provider().install_default());
        let builder = Client::builder().timeout(LIMIT).no_proxy();
        let builder = builder.resolve("localhost", self.address);
        let builder = match &self.certificate {
            Some(certificate) => builder.tls_certs_only([certificate.clone()]),
            None => builder,
        };
        with(builder).build().unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        timeout(LIMIT, self.server)
            .await
            .expect("it stops")
            .unwrap()
            .unwrap();
    }
}

/// Everything a client does, whatever the connection is.
async fn use_it_all(running: &Running, client: &Client, version: Version) {
    let answer = client.get(running.url("/")).send().await.unwrap();
    assert_eq!(
        (answer.status(), answer.version()),
        (StatusCode::OK, version)
    );
    assert_eq!(answer.text().await.unwrap(), "Hello, World!");

    // JSON, state, routes, and what is wrong.
    let item = |text: &str| Item {
        text: text.to_owned(),
        done: false,
    };
    for (number, text) in ["bread", "milk", "cheese"].iter().enumerate() {
        let made = client
            .post(running.url("/items"))
            .json(&item(text))
            .send()
            .await
            .unwrap();
        assert_eq!(made.status(), StatusCode::CREATED);
        assert_eq!(made.json::<usize>().await.unwrap(), number);
    }
    let milk = running.url("/items/1");
    let done = Item {
        done: true,
        ..item("milk")
    };
    let put = client.put(&milk).json(&done).send().await.unwrap();
    assert_eq!(put.status(), StatusCode::NO_CONTENT);
    let read: Item = client
        .get(&milk)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(read, done);
    let list = client
        .get(running.url("/items?from=1&count=1"))
        .send()
        .await
        .unwrap();
    assert_eq!(list.json::<Vec<(u64, Item)>>().await.unwrap(), [(1, done)]);
    assert_eq!(
        client.delete(&milk).send().await.unwrap().status(),
        StatusCode::NO_CONTENT
    );
    assert_eq!(
        client.get(&milk).send().await.unwrap().status(),
        StatusCode::NOT_FOUND
    );
    let nonsense = client
        .post(running.url("/items"))
        .json(&7)
        .send()
        .await
        .unwrap();
    assert_eq!(nonsense.status(), StatusCode::UNPROCESSABLE_ENTITY);

    // Bodies that are made while they are sent, both ways, larger than any buffer.
    let numbers = client
        .get(running.url("/numbers?from=5&count=20000"))
        .send()
        .await
        .unwrap();
    let numbers = numbers.text().await.unwrap();
    assert!(
        numbers
            .lines()
            .map(|line| line.parse::<u64>().unwrap())
            .eq(5..20_005)
    );
    let body = Body::wrap_stream(chunks(500, 10_007));
    let sum = client
        .post(running.url("/sum"))
        .body(body)
        .send()
        .await
        .unwrap();
    let expected: u64 = (0..500).map(|chunk| chunk % 256 * 10_007).sum();
    assert_eq!(
        sum.text().await.unwrap(),
        format!("{} {expected}", 500 * 10_007)
    );
    // One without an end, given up after a while.
    let endless = client.get(running.url("/numbers")).send().await.unwrap();
    let mut endless = endless.bytes_stream();
    for _ in 0..50 {
        assert!(!endless.next().await.unwrap().unwrap().is_empty());
    }
    drop(endless);

    // Files, parts of them, and compressed.
    let text = "all work and no play\n".repeat(10_000);
    tokio::fs::write(running.files.path().join("play.txt"), &text)
        .await
        .unwrap();
    let file = running.url("/files/play.txt");
    assert!(
        client
            .get(&file)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
            == text
    );
    let part = client
        .get(&file)
        .header(RANGE, "bytes=4-7")
        .header(ACCEPT_ENCODING, "identity");
    let part = part.send().await.unwrap();
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(
        part.headers()[CONTENT_RANGE],
        format!("bytes 4-7/{}", text.len())
    );
    assert_eq!(part.text().await.unwrap(), "work");
    let raw = client
        .get(&file)
        .header(ACCEPT_ENCODING, "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(raw.headers()[CONTENT_ENCODING], "gzip");
    let compressed = raw.bytes().await.unwrap();
    assert!(
        compressed.len() < text.len() / 20,
        "{} bytes",
        compressed.len()
    );
    let missing = client
        .get(running.url("/files/../Cargo.toml"))
        .send()
        .await
        .unwrap();
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);

    // Patience has an end, the server's and the client's.
    let began = Instant::now();
    let slow = client.get(running.url("/slow")).send().await.unwrap();
    assert_eq!(slow.status(), StatusCode::REQUEST_TIMEOUT);
    assert!((PATIENCE..LIMIT).contains(&began.elapsed()));
    let wait = client.get(running.url("/wait?milliseconds=60000"));
    let error = wait
        .timeout(Duration::from_millis(50))
        .send()
        .await
        .unwrap_err();
    assert!(error.is_timeout(), "{error:?}");

    // Many at once.
    let mut requests = JoinSet::new();
    for number in 0..200 {
        let client = client.clone();
        let url = running.url(&format!("/wait?milliseconds={}", number % 10));
        requests.spawn(async move {
            let answer = client.get(url).send().await.unwrap();
            assert_eq!(
                answer.text().await.unwrap(),
                format!("waited for {}", number % 10)
            );
        });
    }
    requests.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain_http_1() {
    let running = Running::plain().await;
    // Files are asked for both ways, so the client must not undo the compression by itself.
    let client = running.client(|builder| builder.gzip(false));
    use_it_all(&running, &client, Version::HTTP_11).await;
    drop(client);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain_http_2() {
    let running = Running::plain().await;
    let client = running.client(|builder| builder.gzip(false).http2_prior_knowledge());
    use_it_all(&running, &client, Version::HTTP_2).await;
    drop(client);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_http_1() {
    let running = Running::tls().await;
    let client = running.client(|builder| builder.gzip(false).http1_only());
    use_it_all(&running, &client, Version::HTTP_11).await;
    drop(client);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_http_2() {
    let running = Running::tls().await;
    let client = running.client(|builder| builder.gzip(false));
    use_it_all(&running, &client, Version::HTTP_2).await;
    drop(client);
    running.stop().await;
}

#[tokio::test]
async fn on_one_thread() {
    let running = Running::tls().await;
    let client = running.client(|builder| builder.gzip(false));
    use_it_all(&running, &client, Version::HTTP_2).await;
    drop(client);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_undoes_the_compression() {
    let running = Running::plain().await;
    let client = running.client(|builder| builder);
    let numbers = client
        .get(running.url("/numbers?count=5000"))
        .send()
        .await
        .unwrap();
    let numbers = numbers.text().await.unwrap();
    assert!(
        numbers
            .lines()
            .map(|line| line.parse::<u64>().unwrap())
            .eq(0..5_000)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_kept_and_used_again() {
    let running = Running::plain().await;
    let client = running.client(|builder| builder.pool_max_idle_per_host(1));
    let mut ports = Vec::new();
    for _ in 0..50 {
        let answer = client.get(running.url("/")).send().await.unwrap();
        // Which connection it came over shows in the client's own port.
        let info = answer
            .extensions()
            .get::<hyper_util::client::legacy::connect::HttpInfo>();
        ports.push(info.expect("it came over TCP").local_addr().port());
        answer.text().await.unwrap();
    }
    ports.sort_unstable();
    ports.dedup();
    // A connection is free again a moment after the body was read, so there may be a few of them.
    assert!(
        ports.len() < 25,
        "{} connections for 50 requests",
        ports.len()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_trust_the_server_gets_nothing() {
    let running = Running::tls().await;
    let other = Running::tls().await;
    let client = other.client(|builder| builder.resolve("localhost", running.address));
    let error = client.get(running.url("/")).send().await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
}

/// Told to stop, a server finishes the requests it has, and takes no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_begun_is_finished() {
    for running in [Running::plain().await, Running::tls().await] {
        let client = running.client(|builder| builder);
        let (base, address, gate) = (running.url("/"), running.address, running.gate.clone());
        let mut requests = JoinSet::new();
        for _ in 0..20 {
            let request = client.get(running.url("/hold"));
            requests.spawn(async move { request.send().await.unwrap().text().await.unwrap() });
        }
        let mut came = gate.came.subscribe();
        timeout(LIMIT, came.wait_for(|came| *came == 20))
            .await
            .unwrap()
            .unwrap();
        let stopping = tokio::spawn(running.stop());
        // It has closed its door, and those inside are still there.
        let closed = async {
            while TcpStream::connect(address).await.is_ok() {
                tokio::task::yield_now().await;
            }
        };
        timeout(LIMIT, closed).await.unwrap();
        assert!(!stopping.is_finished());
        gate.open.send_replace(true);
        for text in timeout(LIMIT, requests.join_all()).await.unwrap() {
            assert_eq!(text, "let through");
        }
        timeout(LIMIT, stopping).await.unwrap().unwrap();
        assert!(client.get(base).send().await.is_err());
    }
}
