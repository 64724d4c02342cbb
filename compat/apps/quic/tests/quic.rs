//! Files go over and come out whole.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use quic::{fetch, hash, serve};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::PrivateKeyDer;
use tokio::task::JoinSet;
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

/// A server of `directory`, and a client that trusts it.
fn endpoints(directory: &Path) -> (Endpoint, Endpoint, SocketAddr) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::with_single_cert(vec![certificate.clone()], key).unwrap();
    let server = Endpoint::server(config, "127.0.0.1:0".parse().unwrap()).unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(serve(server.clone(), directory.to_owned()));

    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let mut client = Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap();
    let config = ClientConfig::with_root_certificates(Arc::new(roots)).unwrap();
    client.set_default_client_config(config);
    (server, client, address)
}

async fn connect(client: &Endpoint, address: SocketAddr) -> Connection {
    client.connect(address, "localhost").unwrap().await.unwrap()
}

/// Bytes without a period that a packet could hide in.
fn bytes(length: usize, mut state: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    for _ in 0..length {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes.push((state >> 24) as u8);
    }
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_file_and_many_small_ones() {
    let there = tempfile::tempdir().unwrap();
    let here = tempfile::tempdir().unwrap();
    let large = 8 * 1024 * 1024 + 17;
    tokio::fs::write(there.path().join("large"), bytes(large, 1))
        .await
        .unwrap();
    for small in 0..40 {
        let path = there.path().join(format!("small-{small}"));
        tokio::fs::write(path, bytes(small * 1000, small as u32))
            .await
            .unwrap();
    }
    let (server, client, address) = endpoints(there.path());
    let connection = connect(&client, address).await;
    let mut fetching = JoinSet::new();
    let names = (0..40).map(|small| (format!("small-{small}"), small * 1000));
    for (name, length) in names.chain([("large".to_owned(), large)]) {
        let connection = connection.clone();
        let target = here.path().join(&name);
        let source = there.path().join(&name);
        fetching.spawn(async move {
            assert_eq!(
                fetch(&connection, &name, &target).await.unwrap(),
                length as u64
            );
            assert_eq!(hash(&target).await.unwrap(), hash(&source).await.unwrap());
        });
    }
    timeout(LIMIT, fetching.join_all())
        .await
        .expect("all files come");
    assert!(
        fetch(&connection, "nothing", &here.path().join("nothing"))
            .await
            .is_err(),
        "a file that is not there"
    );
    connection.close(0_u32.into(), b"done");
    timeout(LIMIT, client.wait_idle()).await.unwrap();
    server.close(0_u32.into(), b"done");
    timeout(LIMIT, server.wait_idle()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_connections_at_once() {
    let there = tempfile::tempdir().unwrap();
    let here = tempfile::tempdir().unwrap();
    tokio::fs::write(there.path().join("file"), bytes(100_000, 3))
        .await
        .unwrap();
    let (_server, client, address) = endpoints(there.path());
    let mut connections = JoinSet::new();
    for number in 0..20 {
        let client = client.clone();
        let target = here.path().join(number.to_string());
        connections.spawn(async move {
            let connection = connect(&client, address).await;
            assert_eq!(fetch(&connection, "file", &target).await.unwrap(), 100_000);
        });
    }
    timeout(LIMIT, connections.join_all())
        .await
        .expect("all of them come");
}

#[tokio::test]
async fn a_server_that_goes_away_is_noticed() {
    let there = tempfile::tempdir().unwrap();
    let (server, client, address) = endpoints(there.path());
    let connection = connect(&client, address).await;
    // An answer, so that the handshake is over on the server's side too.
    let target = there.path().join("target");
    assert!(fetch(&connection, "nothing", &target).await.is_err());
    server.close(7_u32.into(), b"gone");
    let reason = timeout(LIMIT, connection.closed())
        .await
        .expect("it is told");
    assert!(
        matches!(reason, quinn::ConnectionError::ApplicationClosed(_)),
        "{reason}"
    );
}
