//! What would happen: forks of a scheduler, run with and without changes.
//!
//! - [`whatif`] runs forks with and without changes and says what differs;
//! - [`twin`] is a scheduler of kornsole in the state of a remote one, as far as that can be seen;
//! - [`simulate`] runs workloads of traces through a scheduler, and searches for the smallest cluster that meets a target;
//! - [`policy`] tests a queue configuration with the cases of a file;
//! - [`shadow`] compares each decision of a remote scheduler with kornsole.
//!
//! Invariant: pure, as the scheduler is. `twin` and `simulate` use `whatif`, and `policy` uses `simulate`; the others use none of each other.

pub mod policy;
pub mod shadow;
pub mod simulate;
pub mod twin;
pub mod whatif;
