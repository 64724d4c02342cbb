//! A TCP proxy: `copy_bidirectional`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// What a proxy has done so far.
#[derive(Debug, Default)]
pub struct Stats {
    /// Connections that are open.
    pub open: AtomicUsize,
    /// Connections whose two sides both ended in order.
    pub ended: AtomicUsize,
    /// Connections that broke, and those whose other side could not be reached.
    pub broken: AtomicUsize,
}

/// Passes every connection of `listener` on to `upstream`, until `stop` says `true`; then waits for
/// those that are open.
pub async fn serve(
    listener: TcpListener,
    upstream: SocketAddr,
    stats: Arc<Stats>,
    mut stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (client, _) = accepted?;
                let stats = Arc::clone(&stats);
                connections.spawn(async move {
                    stats.open.fetch_add(1, Ordering::Relaxed);
                    let outcome = pass(client, upstream).await;
                    let counter = if outcome.is_ok() { &stats.ended } else { &stats.broken };
                    counter.fetch_add(1, Ordering::Relaxed);
                    stats.open.fetch_sub(1, Ordering::Relaxed);
                });
            }
            Some(ended) = connections.join_next() => ended.map_err(io::Error::other)?,
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
    drop(listener);
    while let Some(ended) = connections.join_next().await {
        ended.map_err(io::Error::other)?;
    }
    Ok(())
}

async fn pass(mut client: TcpStream, upstream: SocketAddr) -> io::Result<()> {
    let mut server = TcpStream::connect(upstream).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
