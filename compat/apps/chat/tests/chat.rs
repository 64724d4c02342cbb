//! A thousand members, and each hears everything.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn no_real_tokio() {
    guard::assert_no_other_tokio();
}

async fn room() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(chat::serve(listener));
    address
}

async fn enter(room: SocketAddr) -> Socket {
    let (mut socket, _) = connect_async(format!("ws://{room}/")).await.unwrap();
    assert_eq!(hear(&mut socket).await, "welcome");
    socket
}

async fn hear(socket: &mut Socket) -> String {
    let message = socket.next().await.expect("the room is open").unwrap();
    message.into_text().unwrap().as_str().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_message_reaches_each_of_a_thousand_members_in_order() {
    const MEMBERS: usize = 1_000;
    const TALKERS: usize = 20;
    const WORDS: usize = 5;
    let room = room().await;
    let entering = Arc::new(Semaphore::new(100));
    let all_there = Arc::new(Barrier::new(MEMBERS));
    let mut members = JoinSet::new();
    for member in 0..MEMBERS {
        let (entering, all_there) = (Arc::clone(&entering), Arc::clone(&all_there));
        members.spawn(async move {
            let turn = entering.acquire().await.unwrap();
            let mut socket = enter(room).await;
            drop(turn);
            all_there.wait().await;
            if member < TALKERS {
                for word in 0..WORDS {
                    socket
                        .send(format!("{member} {word}").into())
                        .await
                        .unwrap();
                }
            }
            let mut heard = Vec::with_capacity(TALKERS * WORDS);
            for _ in 0..TALKERS * WORDS {
                heard.push(hear(&mut socket).await);
            }
            socket.close(None).await.unwrap();
            heard
        });
    }
    let heard = timeout(LIMIT, members.join_all())
        .await
        .expect("everyone hears everything");

    // The numbers have no gap, and each talker's words come in the order in which they were said.
    let mut said = [0; TALKERS];
    for (place, text) in heard[0].iter().enumerate() {
        let numbers: Vec<usize> = text.split(' ').map(|word| word.parse().unwrap()).collect();
        let [number, talker, word] = numbers[..] else {
            panic!("{text}")
        };
        assert_eq!((number, word), (place, said[talker]));
        said[talker] += 1;
    }
    assert_eq!(said, [WORDS; TALKERS]);
    assert!(
        heard.iter().all(|other| *other == heard[0]),
        "all heard the same"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_leaves_or_breaks_off_disturbs_nobody() {
    let room = room().await;
    let mut stays = enter(room).await;
    for round in 0..50 {
        let mut leaves = enter(room).await;
        let breaks = enter(room).await;
        leaves.send(format!("bye {round}").into()).await.unwrap();
        let expected = format!("{round} bye {round}");
        assert_eq!(timeout(LIMIT, hear(&mut stays)).await.unwrap(), expected);
        leaves.close(None).await.unwrap();
        // No closing handshake, and unread messages: the connection is reset.
        drop(breaks);
    }
}

#[tokio::test]
async fn pings_are_answered_and_a_close_too() {
    let mut socket = enter(room().await).await;
    socket
        .send(Message::Ping("are you there".into()))
        .await
        .unwrap();
    // The answer goes out with the server's next read or write.
    socket.send("hello".into()).await.unwrap();
    let mut pong = false;
    let mut text = false;
    while !(pong && text) {
        match timeout(LIMIT, socket.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap()
        {
            Message::Pong(payload) => {
                assert_eq!(payload, "are you there");
                pong = true;
            }
            message => {
                assert_eq!(message.into_text().unwrap(), "0 hello");
                text = true;
            }
        }
    }
    socket.close(None).await.unwrap();
    let last = timeout(LIMIT, socket.next()).await.unwrap();
    assert!(last.is_none() || last.unwrap().unwrap().is_close());
}
