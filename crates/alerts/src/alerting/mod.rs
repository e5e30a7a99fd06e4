//! Alerts of a running cluster: evaluated, stored, shown, and sent.
//!
//! ```text
//!  thread `alerts` ──Given──> Board::step ──> Picture (the console, REST, /metrics read it)
//!                                 │   └─────> file: what was reported, silences, what is still to be sent
//!                                 └─changes─> a queue for each receiver ──thread `alert-send`──> Alertmanager, webhook, command
//! ```
//!
//! Only the [`board`] changes alerts; [`store`] is the file; [`send`] has the sending threads, [`document`] their
//! documents.
//!
//! Invariants:
//! - nothing runs on the scheduler's thread, and readers of the snapshot never wait;
//! - a notice is in the file before it is sent, and removed after its delivery: a restart does not repeat deliveries,
//!   except for one directly before a crash, which has the same number;
//! - queues are bounded: if a receiver is unavailable for long, the oldest notices are dropped and counted;
//! - a full disk affects only the file, neither rules nor sending.

pub mod board;
pub mod document;
pub mod send;
pub mod store;

pub use board::{Board, BoardSnapshot, ReceiverStatus, Timing};
pub use store::Store;
