//! The shadow of another scheduler: a kornsole scheduler that gets the same inputs, and compares each decision of the
//! other one with its own (K8S-300 to K8S-304).
//!
//! ```text
//!  what arrives ──> Shadow ── foresees ──> the next decision of kornsole ──┐
//!  a decision of the other one ───────────────────────────────────────── judge ──> Comparison ──> Tally
//! ```
//!
//! Invariants:
//! - pure: objects and times in, comparisons out; the cluster is never changed;
//! - after each decision of the other scheduler the state follows it, so that one difference does not cause the next;
//! - a rate is shown only with the number of decisions;
//! - memory is bounded: only the last inputs, differences, and days are stored.
//!
//! Where to read: [`Shadow`] receives inputs and has the state, `foresee` predicts kornsole's next decision, `judge`
//! rules on a decision of the other scheduler, `doubt` checks the verdict without the most recent inputs, [`free`] is a
//! second scheduler that decides by itself, [`tally`] has counts and rates.

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
pub use verdict::{Comparison, Ours, PreemptionCheck, Verdict};

/// The partition of pods (K8S-124).
pub const PARTITION: &str = "default";
