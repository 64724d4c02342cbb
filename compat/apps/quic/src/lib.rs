//! Files over QUIC: quinn.
//!
//! A client opens a stream for each file and writes its name; the server answers with the SHA-256
//! of the file and its bytes.

use std::io;
use std::path::{Path, PathBuf};

use quinn::{Connection, Endpoint, Incoming, RecvStream, SendStream};
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Anything that may go wrong here.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Sent instead of a hash when there is no such file.
const NONE: [u8; 32] = [0; 32];

/// Serves the files of a directory until the endpoint is closed.
pub async fn serve(endpoint: Endpoint, directory: PathBuf) {
    while let Some(incoming) = endpoint.accept().await {
        let directory = directory.clone();
        tokio::spawn(async move {
            // A connection that fails is its client's affair.
            drop(converse(incoming, &directory).await);
        });
    }
}

async fn converse(incoming: Incoming, directory: &Path) -> Result<(), Error> {
    let connection = incoming.await?;
    loop {
        let (sink, source) = connection.accept_bi().await?;
        let directory = directory.to_owned();
        tokio::spawn(async move { drop(answer(sink, source, &directory).await) });
    }
}

async fn answer(
    mut sink: SendStream,
    mut source: RecvStream,
    directory: &Path,
) -> Result<(), Error> {
    let name = String::from_utf8(source.read_to_end(1024).await?)?;
    let path = directory.join(name);
    match hash(&path).await {
        Ok(hash) => {
            sink.write_all(&hash).await?;
            tokio::io::copy(&mut File::open(path).await?, &mut sink).await?;
        }
        Err(_) => sink.write_all(&NONE).await?,
    }
    sink.finish()?;
    Ok(())
}

/// Fetches one file, checks its hash, and says how long it is.
pub async fn fetch(connection: &Connection, name: &str, target: &Path) -> Result<u64, Error> {
    let (mut sink, mut source) = connection.open_bi().await?;
    sink.write_all(name.as_bytes()).await?;
    sink.finish()?;
    let mut expected = [0; 32];
    source.read_exact(&mut expected).await?;
    if expected == NONE {
        return Err(io::Error::from(io::ErrorKind::NotFound).into());
    }
    let mut file = File::create(target).await?;
    let length = tokio::io::copy(&mut source, &mut file).await?;
    file.flush().await?;
    if hash(target).await? != expected {
        return Err("what came is not what was sent".into());
    }
    Ok(length)
}

/// The SHA-256 of a file.
pub async fn hash(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = File::open(path).await?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer).await? {
            0 => return Ok(hash.finalize().into()),
            count => hash.update(&buffer[..count]),
        }
    }
}
