//! Scenario files, workloads and traces.
//!
//! Invariants:
//! - no clock and no thread: time is virtual and comes in as an argument;
//! - the same scenario, seed and profile give the same commands and the same trace, byte for byte.

pub mod workload;

pub use workload::Workload;
