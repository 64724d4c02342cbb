//! An HTTP server of hyper's, on heist alone: no shim, no `tokio` feature of anything.
//!
//! ```sh
//! cargo run --release --features hyper --example hyper
//! curl http://127.0.0.1:3000/
//! ```

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use heist::adapt::hyper::{Io, Timer};
use heist::net::TcpListener;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};

async fn hello(request: Request<Incoming>) -> Result<Response<String>, Infallible> {
    Ok(Response::new(format!("Hello, {}!\n", request.uri().path())))
}

#[heist::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args()
        .nth(1)
        .map_or(3000, |port| port.parse().expect("a port"));
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, peer) = listener.accept().await?;
        heist::spawn(async move {
            let connection = http1::Builder::new()
                .timer(Timer::new())
                .header_read_timeout(Duration::from_secs(10))
                .serve_connection(Io::new(stream), service_fn(hello));
            if let Err(error) = connection.await {
                eprintln!("{peer}: {error}");
            }
        });
    }
}
