//! Placement: the queue of an application and the reason (`placement.md`).
//!
//! [`Rules::build`] compiles the rules of a partition once; [`Rules::place`] runs them against a queue tree, with a
//! [`Trace`] of every attempt.
//!
//! Invariants:
//! - nothing is changed here: the answer names the queues to create;
//! - limits, quotas, and running applications have no effect;
//! - the answer depends only on submission, rules, and tree, and no input causes a panic.
//!
//! `walk` runs one rule (sections 3 and 4), `decide` the list (sections 1, 6, 9), `create` plans missing queues
//! (section 7), `admit` has all checks (section 8).

pub mod access;
mod admit;
mod create;
mod decide;
mod describe;
mod filter;
mod outline;
mod record;
mod refusal;
mod rules;
mod submission;
mod switches;
mod text;
mod trace;
mod tree;
mod walk;
mod well_known;
mod words;

#[cfg(test)]
mod tests;

pub use admit::{Admission, Gate, Request};
pub use decide::{Placed, Placement, PlacementOutcome};
pub use describe::{RuleLine, Template, template_words};
pub use filter::{Filter, FilterVerdict, Match, MatchedBy};
pub use outline::{FilterOutline, NamesOutline, RuleOutline};
pub use record::{Hit, Hits, Record, Records};
pub use refusal::{Refusal, Refused};
pub use rules::{RuleFault, RuleFaultKind, Rules};
pub use submission::{Submission, identify, is_forced, no_resolver, tag};
pub use switches::{Draining, Switches};
pub use text::{Line, Mark, Reason};
pub use trace::{AccessCheck, LinkEnd, LinkTrace, RuleEnd, RuleRef, RuleTrace, SkipReason, Trace};
pub use tree::{QueueFacts, QueueState, QueueTree, ancestors};
pub use walk::TYPE_TAG;
pub use well_known::{FALLBACK_QUEUE, RECOVERY_QUEUE};
