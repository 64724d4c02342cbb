//! heist and Tokio side by side.
fn main() {}
