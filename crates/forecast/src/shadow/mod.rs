//! The shadow of another scheduler: a scheduler of kornsole that sees the same things arrive, and compares each decision of the other one with
//! what it would have decided (K8S-300 to K8S-304).
//!
//! ```text
//!  what arrives ──> Shadow ── foresees ──> the next decision of kornsole ──┐
//!  a decision of the other one ───────────────────────────────────────── judge ──> Comparison ──> Tally
//! ```
//!
//! Invariants:
//! - pure: objects and times go in, comparisons come out; nothing is ever done to the cluster that is watched;
//! - after each decision of the other one the state is as that one decided, so that one difference does not cause the next;
//! - a rate is not shown without the number of decisions that it is of;
//! - memory does not grow with time: only the last inputs, differences and days are kept.
//!
//! Where to read: [`Shadow`] takes things in and keeps the state, `foresee` is the next decision of kornsole, `judge` the verdict on one of the
//! other's, `doubt` whether it would be another one with the inputs of the last moment omitted, [`free`] a second scheduler that decides
//! by itself, [`tally`] the counts and rates.

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

/// The partition that pods are in (K8S-124).
pub const PARTITION: &str = "default";
