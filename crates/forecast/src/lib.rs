//! Forecasts: forks of a scheduler, run with and without changes.
//!
//! - [`whatif`] runs forks with and without changes and reports the differences;
//! - [`twin`] is a kornsole scheduler in the visible state of a remote one;
//! - [`simulate`] runs workloads of traces, and searches for the smallest cluster that meets a target;
//! - [`policy`] tests a queue configuration with the cases of a file;
//! - [`shadow`] compares each decision of a remote scheduler with kornsole.
//!
//! Invariant: pure, like the scheduler. `twin` and `simulate` use `whatif`, and `policy` uses `simulate`.

pub mod policy;
pub mod shadow;
pub mod simulate;
pub mod twin;
pub mod whatif;
