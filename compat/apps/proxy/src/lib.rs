//! A TCP proxy: copy_bidirectional.
