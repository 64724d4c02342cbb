//! A key-value service over gRPC: tonic.
