//! The shadow of another scheduler: a kornsole scheduler with the same inputs, which compares each decision with its
//! own (K8S-300 to K8S-304).
//!
//! Invariants:
//! - pure: objects and times in, comparisons out;
//! - the state follows the other scheduler, so that one difference does not cause the next;
//! - a rate is shown only with the number of decisions;
//! - memory is bounded.

mod doubt;
mod follow;
mod foresee;
pub mod free;
mod judge;
mod missed;
mod released;
mod seen;
mod settings;
pub mod tally;
mod verdict;

pub use follow::Shadow;
pub use seen::{Decision, Input, Source};
pub use settings::Settings;
pub use verdict::{Comparison, LocalDecision, PreemptionCheck, Verdict};

/// The partition of pods (K8S-124).
pub const PARTITION: &str = "default";
