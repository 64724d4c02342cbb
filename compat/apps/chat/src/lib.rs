//! A chat room over WebSocket: tokio-tungstenite.
