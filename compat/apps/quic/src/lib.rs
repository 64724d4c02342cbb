//! Files over QUIC: quinn.
