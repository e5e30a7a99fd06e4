//! Alerts of a running cluster: evaluated, stored, shown, and sent.
//!
//! The thread `alerts` calls `Board::step`. The console, REST, and metrics read its snapshot. Each receiver has a queue
//! and a thread `alert-send`.
//!
//! Only the [`board`] changes alerts; [`store`] is the file; [`send`] has the threads, [`document`] their documents.
//!
//! Invariants:
//! - nothing runs on the scheduler's thread, and readers never wait;
//! - a notice is in the file until its delivery: a restart repeats none, except one directly before a crash, with the
//!   same number;
//! - queues are bounded: the oldest notices are dropped and counted;
//! - a full disk affects only the file.

pub mod board;
pub mod document;
pub mod send;
pub mod store;

pub use board::{Board, BoardSnapshot, ReceiverStatus, Timing};
pub use store::Store;
