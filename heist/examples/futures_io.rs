//! Code that is written for the I/O traits of `futures`, on a socket of heist's.
//!
//! ```sh
//! cargo run --features futures-io --example futures_io
//! ```

use futures::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, StreamExt};
use heist::adapt::futures_io::Io;
use heist::net::{TcpListener, TcpStream};

/// Knows nothing of heist: sends each line back in capitals.
async fn shout<S: AsyncRead + AsyncWrite>(stream: S) -> std::io::Result<()> {
    let (reader, mut writer) = stream.split();
    let mut lines = futures::io::BufReader::new(reader).lines();
    while let Some(line) = lines.next().await {
        writer
            .write_all(format!("{}\n", line?.to_uppercase()).as_bytes())
            .await?;
    }
    writer.close().await
}

#[heist::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = heist::spawn(async move {
        let (stream, _) = listener.accept().await?;
        shout(Io::new(stream)).await
    });

    let mut client = Io::new(TcpStream::connect(address).await?);
    client.write_all(b"steal this\nand that\n").await?;
    client.close().await?;
    let mut answer = String::new();
    client.read_to_string(&mut answer).await?;
    server.await??;
    print!("{answer}");
    assert_eq!(answer, "STEAL THIS\nAND THAT\n");
    Ok(())
}
