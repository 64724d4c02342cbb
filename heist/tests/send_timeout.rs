//! `mpsc::Sender::send_timeout`.

use heist::sync::mpsc::{self, error::SendTimeoutError};
use heist::time::{Duration, Instant, advance, sleep};

const LIMIT: Duration = Duration::from_secs(10);

#[heist::test(start_paused = true)]
async fn room_at_once_needs_no_time() {
    let (tx, mut rx) = mpsc::channel(2);
    let start = Instant::now();
    tx.send_timeout(1, LIMIT).await.unwrap();
    tx.send_timeout(2, Duration::ZERO).await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!((rx.recv().await, rx.recv().await), (Some(1), Some(2)));
}

#[heist::test(start_paused = true)]
async fn full_all_the_time() {
    let (tx, mut rx) = mpsc::channel(1);
    tx.send(String::from("first")).await.unwrap();
    let start = Instant::now();
    let error = tx
        .send_timeout(String::from("second"), LIMIT)
        .await
        .unwrap_err();
    assert_eq!(start.elapsed(), LIMIT);
    assert!(matches!(error, SendTimeoutError::Timeout(_)));
    assert_eq!(error.into_inner(), "second");
    // Who gave up has left no trace: the room is there for the next.
    assert_eq!(rx.recv().await.unwrap(), "first");
    assert_eq!(tx.capacity(), 1);
    tx.try_send(String::from("third")).unwrap();
}

#[heist::test(start_paused = true)]
async fn room_in_time() {
    let (tx, mut rx) = mpsc::channel(1);
    tx.send(1).await.unwrap();
    let receive = heist::spawn(async move {
        sleep(LIMIT / 2).await;
        (rx.recv().await, rx.recv().await)
    });
    let start = Instant::now();
    tx.send_timeout(2, LIMIT).await.unwrap();
    assert_eq!(start.elapsed(), LIMIT / 2);
    assert_eq!(receive.await.unwrap(), (Some(1), Some(2)));
}

#[heist::test(start_paused = true)]
async fn closed_before_and_meanwhile() {
    let (tx, mut rx) = mpsc::channel(1);
    tx.send(1).await.unwrap();
    let waiting = heist::spawn({
        let tx = tx.clone();
        async move { tx.send_timeout(2, LIMIT).await }
    });
    advance(LIMIT / 2).await;
    rx.close();
    assert_eq!(waiting.await.unwrap(), Err(SendTimeoutError::Closed(2)));
    let error = tx.send_timeout(3, LIMIT).await.unwrap_err();
    assert_eq!(error, SendTimeoutError::Closed(3));
    assert_eq!(error.to_string(), "channel closed");
}
