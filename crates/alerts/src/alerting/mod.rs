//! Alerts of a running cluster: evaluated, kept, shown, sent.
//!
//! ```text
//!  thread `alerts` ──Given──> Board::step ──> Picture (the console, REST, /metrics read it)
//!                                 │   └─────> file: what was reported, silences, what is still to be sent
//!                                 └─changes─> a queue for each receiver ──thread `alert-send`──> Alertmanager, webhook, command
//! ```
//!
//! Where to read: [`board`] is the one place where alerts change; [`store`] the file; [`send`] the threads that send, [`document`] what.
//!
//! Invariants:
//! - nothing here runs on the scheduler's thread, and no one who reads the picture waits;
//! - what is to be sent is in the file before it is sent, and is taken out of it when it was taken: after a restart nothing is sent that was
//!   taken. Only what was taken in the moment before a crash is sent again, with the same number;
//! - queues are bounded: where a receiver no longer exists for long, the oldest go and are counted;
//! - a disk that is full stops the file, and neither the rules nor the sending.

pub mod board;
pub mod document;
pub mod send;
pub mod store;

pub use board::{Board, Picture, ReceiverStatus, Timing};
pub use store::Store;
