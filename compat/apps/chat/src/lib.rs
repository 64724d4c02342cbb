//! A chat room over WebSocket: tokio-tungstenite.
//!
//! One task is the room. It gives every message its number, so all members see the same order, and
//! passes it to the queue of each member. Reading from a member and writing to it are two tasks:
//! the room may wait for a member's queue, and a member that waits for the room still empties it.

use std::collections::HashMap;
use std::io;

use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

/// How many messages wait for the room, and for each member.
const QUEUE: usize = 16;

enum Event {
    Joined(u64, mpsc::Sender<Utf8Bytes>),
    Said(Utf8Bytes),
    Left(u64),
}

/// Serves the room. Ends when the listener fails.
///
/// What a member says, all members get, as `<number> <text>`, the one who said it included. A
/// member is in the room once it got `welcome`.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    let (room, events) = mpsc::channel(QUEUE);
    tokio::spawn(keep(events));
    let mut member = 0;
    loop {
        let (stream, _) = listener.accept().await?;
        member += 1;
        let room = room.clone();
        tokio::spawn(async move {
            // A member that breaks off, or that speaks no WebSocket, leaves; nobody else minds.
            drop(attend(member, stream, &room).await);
            drop(room.send(Event::Left(member)).await);
        });
    }
}

/// The room.
async fn keep(mut events: mpsc::Receiver<Event>) {
    let mut members = HashMap::new();
    let mut number = 0_u64;
    while let Some(event) = events.recv().await {
        match event {
            Event::Joined(member, queue) => {
                drop(queue.send("welcome".into()).await);
                members.insert(member, queue);
            }
            Event::Said(text) => {
                let text = Utf8Bytes::from(format!("{number} {text}"));
                number += 1;
                for queue in members.values() {
                    // Who has left gets nothing; `Left` is on its way.
                    drop(queue.send(text.clone()).await);
                }
            }
            Event::Left(member) => drop(members.remove(&member)),
        }
    }
}

/// One member, from its handshake to its leaving.
async fn attend(
    member: u64,
    stream: TcpStream,
    room: &mpsc::Sender<Event>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    stream.set_nodelay(true)?;
    let (mut sink, mut source) = accept_async(stream).await?.split();
    let (queue, mut messages) = mpsc::channel::<Utf8Bytes>(QUEUE);
    room.send(Event::Joined(member, queue)).await?;
    let writing = tokio::spawn(async move {
        while let Some(text) = messages.recv().await {
            sink.feed(Message::Text(text)).await?;
            if messages.is_empty() {
                sink.flush().await?;
            }
        }
        sink.close().await
    });
    while let Some(Ok(message)) = source.next().await {
        if let Message::Text(text) = message {
            room.send(Event::Said(text)).await?;
        }
    }
    // Nothing more is read, so nothing more is written: a close was answered while reading.
    writing.abort();
    Ok(())
}
