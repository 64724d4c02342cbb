//! What people do with Redis: pipelines, pub/sub, reconnects.
