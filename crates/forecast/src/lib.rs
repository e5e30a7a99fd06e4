//! Forecasts: forks of a scheduler, run with and without changes.
//!
//! - [`whatif`] compares two runs;
//! - [`twin`] copies the visible state of a remote scheduler;
//! - [`simulate`] runs workloads, and sizes clusters;
//! - [`policy`] tests queue configurations;
//! - [`shadow`] compares a remote scheduler's decisions with kornsole.
//!
//! Invariant: pure, like the scheduler. `twin` and `simulate` use `whatif`, and `policy` uses `simulate`.

pub mod policy;
pub mod shadow;
pub mod simulate;
pub mod twin;
pub mod whatif;
