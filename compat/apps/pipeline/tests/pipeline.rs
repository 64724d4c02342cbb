//! The whole pipeline, and what it does when an end of it is slow, wrong, or told to stop.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::SinkExt;
use pipeline::{GROUP, Numbers, QUEUE, Service};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::IntervalStream;
use tokio_util::codec::{Framed, FramedRead, FramedWrite, LengthDelimitedCodec, LinesCodec};
use tokio_util::io::{ReaderStream, StreamReader, SyncIoBridge};
use tokio_util::task::TaskTracker;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_number_is_counted_once_and_in_order() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = Service::default();
    let server = tokio::spawn(service.clone().run(listener));
    let clients = TaskTracker::new();
    let numbers = 2_003;
    let joined: Vec<_> = (0..50)
        .map(|client: u64| {
            clients.spawn(async move {
                let stream = TcpStream::connect(address).await.unwrap();
                let (reader, writer) = stream.into_split();
                let stream = FramedRead::new(reader, Numbers::default());
                let mut sink = FramedWrite::new(writer, Numbers::default());
                let sending = tokio::spawn(async move {
                    for number in 0..numbers {
                        sink.feed(number + client).await.unwrap();
                    }
                    sink.close().await.unwrap();
                });
                let sums: Vec<u64> = stream.map(Result::unwrap).collect().await;
                sending.await.unwrap();
                let all: Vec<u64> = (0..numbers).map(|number| number + client).collect();
                let right: Vec<u64> = all.chunks(GROUP).map(|group| group.iter().sum()).collect();
                assert_eq!(sums, right);
            })
        })
        .collect();
    clients.close();
    timeout(LIMIT, clients.wait()).await.unwrap();
    for client in joined {
        client.await.unwrap();
    }
    service.stop.cancel();
    timeout(LIMIT, server).await.unwrap().unwrap().unwrap();
    assert!(service.tasks.is_empty());
    assert_eq!(service.read.load(Ordering::Relaxed), 50 * numbers as usize);
}

/// Nobody reads the sums. Then the writer is stuck, the queues are full, and no more is read.
#[tokio::test(start_paused = true)]
async fn who_does_not_read_is_no_longer_read_from() {
    let service = Service::default();
    let (client, server) = duplex(16);
    let (reader, writer) = split(server);
    service.serve(reader, writer);
    let (client_reader, mut client_writer) = split(client);
    let feeding = tokio::spawn(async move {
        for number in 0..100_000 {
            client_writer
                .write_all(format!("{number}\n").as_bytes())
                .await
                .unwrap();
        }
        client_writer.shutdown().await.unwrap();
    });
    // The clock is paused: it moves on only when everyone is stuck.
    sleep(Duration::from_secs(1)).await;
    let stuck = service.read.load(Ordering::Relaxed);
    // Numbers: two queues, a group under way, and those in sums that lie in the writer's buffer
    // (8 KiB) and in the pipe.
    let sums_on_the_way = service.written.load(Ordering::Relaxed) + QUEUE + 1;
    assert!(
        stuck <= (sums_on_the_way + 1) * GROUP + QUEUE + 1,
        "{stuck} {sums_on_the_way}"
    );
    assert!(stuck < 50_000, "back-pressure at last: {stuck}");
    sleep(Duration::from_secs(60)).await;
    assert_eq!(service.read.load(Ordering::Relaxed), stuck, "nothing moves");

    // Somebody reads: everything moves, to the last number.
    let mut lines = BufReader::new(client_reader).lines();
    let mut total = 0;
    while let Some(line) = lines.next_line().await.unwrap() {
        total += line.parse::<u64>().unwrap();
    }
    assert_eq!(total, 100_000 * 99_999 / 2);
    feeding.await.unwrap();
    service.tasks.close();
    service.tasks.wait().await;
}

#[tokio::test]
async fn what_is_no_number_ends_that_connection_alone() {
    let service = Service::default();
    let (wrong, server) = duplex(1024);
    let (reader, writer) = split(server);
    service.serve(reader, writer);
    let (right, server) = duplex(1024);
    let (reader, writer) = split(server);
    service.serve(reader, writer);

    let mut wrong = BufReader::new(wrong);
    wrong
        .get_mut()
        .write_all(b"1\n2\nthree\n4\n")
        .await
        .unwrap();
    let mut text = String::new();
    wrong.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "3\n");

    let mut right = BufReader::new(right);
    right
        .get_mut()
        .write_all(&b"1\n".repeat(GROUP))
        .await
        .unwrap();
    text.clear();
    right.read_line(&mut text).await.unwrap();
    assert_eq!(text, format!("{GROUP}\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn told_to_stop_it_stops_with_connections_open() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = Service::default();
    let server = tokio::spawn(service.clone().run(listener));
    let mut clients = Vec::new();
    for _ in 0..100 {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(&b"1\n".repeat(GROUP)).await.unwrap();
        let mut line = [0; 3];
        client.read_exact(&mut line).await.unwrap();
        assert_eq!(&line, b"10\n");
        clients.push(client);
    }
    assert_eq!(service.tasks.len(), 300);
    service.stop.cancel();
    timeout(LIMIT, server).await.unwrap().unwrap().unwrap();
    assert_eq!(service.tasks.len(), 0);
    for mut client in clients {
        assert_eq!(
            client.read(&mut [0]).await.unwrap(),
            0,
            "told that this was all"
        );
    }
}

/// The rest of tokio-util and tokio-stream that such programs use.
#[tokio::test(start_paused = true)]
async fn streams_in_time() {
    let began = Instant::now();
    let ticks = IntervalStream::new(tokio::time::interval(Duration::from_secs(1)));
    let seen: Vec<u64> = ticks
        .take(5)
        .map(|tick| (tick - began).as_secs())
        .collect()
        .await;
    assert_eq!(seen, [0, 1, 2, 3, 4]);

    let slow = tokio_stream::iter(0..10).throttle(Duration::from_millis(10));
    let chunks: Vec<Vec<u32>> = slow
        .chunks_timeout(4, Duration::from_secs(1))
        .collect::<Vec<_>>()
        .await;
    assert_eq!(chunks, [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn codecs_and_bridges() {
    let (left, right) = duplex(64);
    let mut frames = Framed::new(left, LengthDelimitedCodec::new());
    let echo = tokio::spawn(async move {
        let mut frames = Framed::new(right, LengthDelimitedCodec::new());
        while let Some(frame) = frames.next().await {
            frames.send(frame.unwrap().freeze()).await.unwrap();
        }
    });
    for length in [0, 1, 63, 64, 65, 10_000] {
        let sent = vec![7; length];
        frames.send(&sent[..]).await.unwrap();
        assert_eq!(frames.next().await.unwrap().unwrap(), sent);
    }
    drop(frames);
    echo.await.unwrap();

    let text = "one\ntwo\nthree\n".repeat(1000);
    let stream = ReaderStream::with_capacity(std::io::Cursor::new(text.clone()), 5);
    let reader = StreamReader::new(stream);
    let lines: Vec<String> = FramedRead::new(reader, LinesCodec::new())
        .map(Result::unwrap)
        .collect()
        .await;
    assert_eq!(lines, text.lines().collect::<Vec<_>>());

    // A blocking reader on a thread of the pool, over what an asynchronous one gives.
    let (mut writer, reader) = duplex(16);
    let reading = tokio::task::spawn_blocking(move || {
        let mut read = String::new();
        std::io::Read::read_to_string(&mut SyncIoBridge::new(reader), &mut read).map(|_| read)
    });
    writer.write_all(text.as_bytes()).await.unwrap();
    drop(writer);
    assert_eq!(reading.await.unwrap().unwrap(), text);
}
