//! Alerts: rules over what a view shows, and what became of each of them over time.
//!
//! ```text
//!  rules (TOML) ──read──> Rules
//!  view, events, connection, disk = Given ──condition──> readings ──┐
//!                                             Alerts::step(now) <───┘──> changes to report
//! ```
//!
//! A rule has readings: one for each subject (a queue, a node, the connection) of which its condition holds, with figures. For each rule and
//! subject there is a state: pending until the condition reserved for long enough, firing, and firing until it did not apply to long enough. What
//! fires is reported once, unless another rule that fires inhibits it or someone silenced it.
//!
//! Where to read: [`rule`] is what a rule is, [`read`] how the text of rules is read; [`given`] what is judged, `condition` how; [`state`]
//! what became of it, with [`silence`]; [`expression`] the little language of the kind `expression`.
//!
//! Invariants:
//! - pure: time arrives as an argument; the same steps give the same changes;
//! - one alert is reported once when it fires and once when it has ended, and a state that is saved and read again reports nothing twice;
//! - time that goes back, and time in which no one looked, counts nothing;
//! - what cannot be seen (the connection is lost) neither fires nor resolves anything;
//! - the number of alerts of a rule is bounded ([`state::MOST`]); what is beyond it is counted.

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
pub use state::{Alert, Alerts, Change, ChangeKind, Ended, Held, Stage};
pub use subject::{Subject, SubjectKind};

#[cfg(test)]
mod tests;
