//! The `kornsole` binary.
fn main() {}
