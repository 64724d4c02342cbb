//! The adapters, with the libraries they are for at the other end.

use std::convert::Infallible;
use std::io::SeekFrom;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{AsyncBufReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _, StreamExt as _};
use heist::adapt::{futures_io, hyper as on_hyper};
use heist::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncSeekExt, AsyncWriteExt, BufReader, DuplexStream, duplex,
};
use heist::net::{TcpListener, TcpStream};
use heist::time::{Instant, sleep, timeout};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::rt::{Executor as _, Timer as _};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, header};

const LIMIT: Duration = Duration::from_secs(60);

/// The whole of a body.
async fn read(mut body: Incoming) -> Result<Vec<u8>, hyper::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        bytes.extend_from_slice(&frame?.into_data().unwrap_or_default());
    }
    Ok(bytes)
}

/// A body of many chunks.
struct Chunks(u32);

impl Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.checked_sub(1).map(|rest| {
            self.0 = rest;
            Ok(Frame::data(Bytes::from(vec![rest as u8; 10_000])))
        }))
    }
}

#[heist::test(flavor = "multi_thread", worker_threads = 2)]
async fn hyper_serves_and_calls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = heist::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let echo = service_fn(|request: Request<Incoming>| async {
            Ok::<_, hyper::Error>(Response::new(format!(
                "{} bytes",
                read(request.into_body()).await?.len()
            )))
        });
        let builder = hyper::server::conn::http1::Builder::new();
        builder
            .serve_connection(on_hyper::Io::new(stream), echo)
            .await
    });
    let stream = on_hyper::Io::new(TcpStream::connect(address).await.unwrap());
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await.unwrap();
    let connection = heist::spawn(connection);
    for chunks in [0, 1, 100] {
        sender.ready().await.unwrap();
        let request = Request::post("/")
            .header(header::HOST, "here")
            .body(Chunks(chunks))
            .unwrap();
        let answer = timeout(LIMIT, sender.send_request(request))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let text = read(answer.into_body()).await.unwrap();
        assert_eq!(text, format!("{} bytes", chunks * 10_000).into_bytes());
    }
    drop(sender);
    timeout(LIMIT, connection).await.unwrap().unwrap().unwrap();
    timeout(LIMIT, server).await.unwrap().unwrap().unwrap();
}

/// hyper's own timeouts, by heist's clock: it stands still, so a minute takes no time.
#[heist::test(start_paused = true)]
async fn hyper_times_out_by_the_runtime_s_clock() {
    let (client, server) = duplex(1024);
    let service = service_fn(|_| async { Ok::<_, Infallible>(Response::new(String::new())) });
    let serving = heist::spawn(
        hyper::server::conn::http1::Builder::new()
            .timer(on_hyper::Timer::new())
            .header_read_timeout(Duration::from_secs(60))
            .serve_connection(on_hyper::Io::new(server), service),
    );
    let began = Instant::now();
    let mut client: DuplexStream = client;
    client.write_all(b"GET / HTTP/1.1\r\nHo").await.unwrap();
    let error = serving.await.unwrap().unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(began.elapsed().as_secs(), 60);
}

#[heist::test(start_paused = true)]
async fn hyper_s_timer() {
    let timer = on_hyper::Timer::new();
    let began = Instant::now();
    timer.sleep(Duration::from_secs(1)).await;
    assert_eq!(began.elapsed().as_secs(), 1);
    timer
        .sleep_until(timer.now() + Duration::from_secs(2))
        .await;
    assert_eq!(began.elapsed().as_secs(), 3);
    let mut moved = timer.sleep(Duration::from_secs(1000));
    timer.reset(&mut moved, timer.now() + Duration::from_secs(4));
    moved.await;
    assert_eq!(began.elapsed().as_secs(), 7);
}

#[heist::test]
async fn hyper_s_executor() {
    let (sender, receiver) = heist::sync::oneshot::channel();
    on_hyper::Executor::new().execute(async move {
        sleep(Duration::from_millis(1)).await;
        sender.send(7)
    });
    assert_eq!(receiver.await, Ok(7));
}

/// A reader that puts a buffer of its own in the place of the one it was given, and says that it is full.
struct Swapper;

impl heist::io::AsyncRead for Swapper {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut heist::io::ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        *buf = heist::io::ReadBuf::new(vec![1; 32].leak());
        buf.set_filled(32);
        Poll::Ready(Ok(()))
    }
}

/// What was never written is not shown as read, to none of the libraries.
#[test]
fn a_reader_that_lies_is_caught() {
    fn is_caught(read: impl FnOnce(&mut Context<'_>) -> bool) -> bool {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let read = std::panic::AssertUnwindSafe(|| read(&mut cx));
        std::panic::catch_unwind(read).is_err()
    }

    let mut memory = [std::mem::MaybeUninit::uninit(); 64];
    let mut buf = hyper::rt::ReadBuf::uninit(&mut memory);
    assert!(is_caught(|cx| {
        let mut liar = on_hyper::Io::new(Swapper);
        hyper::rt::Read::poll_read(Pin::new(&mut liar), cx, buf.unfilled()).is_ready()
    }));
    assert_eq!(buf.filled(), b"");
    assert!(is_caught(|cx| {
        let mut liar = futures_io::Io::new(Swapper);
        futures::AsyncRead::poll_read(Pin::new(&mut liar), cx, &mut [0; 64]).is_ready()
    }));
}

/// Twice adapted, there and back.
#[heist::test]
async fn hyper_s_streams_as_heist_s() {
    let (left, right) = duplex(8);
    let mut left = on_hyper::Io::new(on_hyper::Io::new(left));
    let mut right = on_hyper::Io::new(on_hyper::Io::new(right));
    let sent: Vec<u8> = (0..10_000_u32).map(|number| number as u8).collect();
    let writing = heist::spawn({
        let sent = sent.clone();
        async move {
            AsyncWriteExt::write_all(&mut left, &sent).await.unwrap();
            AsyncWriteExt::shutdown(&mut left).await.unwrap();
        }
    });
    // What is read goes behind what the buffer holds already.
    let mut received = vec![1, 2, 3];
    AsyncReadExt::read_to_end(&mut right, &mut received)
        .await
        .unwrap();
    writing.await.unwrap();
    assert_eq!(received[..3], [1, 2, 3]);
    assert_eq!(received[3..], sent);
    assert_eq!(
        right
            .into_inner()
            .into_inner()
            .read(&mut [0])
            .await
            .unwrap(),
        0
    );
}

#[heist::test]
async fn heist_s_as_those_of_futures() {
    let (left, right) = duplex(16);
    let writing = heist::spawn(async move {
        let mut left = futures_io::Io::new(left);
        for number in 0..1_000 {
            left.write_all(format!("{number}\n").as_bytes())
                .await
                .unwrap();
        }
        left.flush().await.unwrap();
        left.close().await.unwrap();
    });
    let lines = futures_io::Io::new(BufReader::new(right)).lines();
    let numbers: Vec<u32> = lines
        .map(|line| line.unwrap().parse::<u32>().unwrap())
        .collect()
        .await;
    assert!(numbers.into_iter().eq(0..1_000));
    writing.await.unwrap();
}

#[heist::test]
async fn those_of_futures_as_heist_s() {
    let text = "one\ntwo\nthree\n".repeat(1_000);
    let reader = futures_io::Io::new(futures::io::Cursor::new(text.clone()));
    let mut read = String::new();
    AsyncReadExt::read_to_string(&mut { reader }, &mut read)
        .await
        .unwrap();
    assert_eq!(read, text);

    let reader = futures_io::Io::new(futures::io::Cursor::new(text.clone()));
    let mut lines = AsyncBufReadExt::lines(reader);
    let mut count = 0;
    while let Some(line) = lines.next_line().await.unwrap() {
        assert!(["one", "two", "three"].contains(&&*line));
        count += 1;
    }
    assert_eq!(count, 3_000);

    let mut writer = futures_io::Io::new(futures::io::Cursor::new(Vec::new()));
    AsyncWriteExt::write_all(&mut writer, b"written")
        .await
        .unwrap();
    AsyncWriteExt::shutdown(&mut writer).await.unwrap();
    assert_eq!(writer.into_inner().into_inner(), b"written");
}

#[heist::test]
async fn seeks_both_ways() {
    let mut ours = futures_io::Io::new(std::io::Cursor::new(b"0123456789".to_vec()));
    assert_eq!(
        futures::AsyncSeekExt::seek(&mut ours, SeekFrom::Start(4))
            .await
            .unwrap(),
        4
    );
    let mut two = [0; 2];
    futures::AsyncReadExt::read_exact(&mut ours, &mut two)
        .await
        .unwrap();
    assert_eq!(&two, b"45");
    assert_eq!(ours.stream_position().await.unwrap(), 6);

    let theirs = futures::io::Cursor::new(b"0123456789".to_vec());
    let mut theirs = futures_io::Io::new(theirs);
    assert_eq!(
        AsyncSeekExt::seek(&mut theirs, SeekFrom::End(-3))
            .await
            .unwrap(),
        7
    );
    let mut rest = String::new();
    AsyncReadExt::read_to_string(&mut theirs, &mut rest)
        .await
        .unwrap();
    assert_eq!(rest, "789");
    assert_eq!(
        AsyncSeekExt::stream_position(&mut theirs).await.unwrap(),
        10
    );
}
