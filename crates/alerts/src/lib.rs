//! Alerts: rules over a view, and the state of their alerts over time.
//!
//! ```text
//!  rules (TOML) ──read──> Rules
//!  view, events, connection, disk = Given ──condition──> readings ──┐
//!                                             Alerts::step(now) <───┘──> changes to report
//! ```
//!
//! A rule has a reading for each subject (a queue, a node, the connection) for which its condition is true. An alert is
//! pending until the condition was true for long enough, then firing until it was false for long enough. A firing alert
//! is reported once, unless another firing rule inhibits it or a user silenced it.
//!
//! Modules: [`rule`] is a rule, `read` parses rules; [`given`] is the input, `condition` evaluates it; [`state`] is
//! the state of alerts, with [`silence`]; [`expression`] is the language of the kind `expression`.
//!
//! Invariants:
//! - pure: time is an argument; the same steps give the same changes;
//! - an alert is reported once when it fires and once when it resolves, also across a saved and restored state;
//! - clock setbacks and times without observation count nothing;
//! - unobservable conditions (the connection is lost) neither fire nor resolve;
//! - the alerts of a rule are limited ([`state::MOST`]); the excess is counted.

pub mod alerting;
mod condition;
pub mod expression;
pub mod given;
pub mod read;
pub mod rule;
mod saved;
pub mod silence;
pub mod state;
mod step;
pub mod subject;

pub use given::{Disk, Given};
pub use read::{RulesRead, read};
pub use rule::{Kind, Rule, Rules, Severity};
pub use silence::{Silence, SilenceEnd, SilenceOrder};
pub use state::{Alert, Alerts, Change, ChangeKind, Ended, Muted, Stage};
pub use subject::{Subject, SubjectKind};

#[cfg(test)]
mod tests;
