//! The REST server.
//!
//! Invariants:
//! - nothing but an order changes the scheduler.

pub mod ours;
