//! A small web service: axum and tower-http, plain and over TLS.
