//! Records: events with upstream's numbers, for the REST API and the events page (SCH-220 to SCH-224, `rest.md`
//! sections 5.12 and E10).
//!
//! Invariants:
//! - [`records`] is pure and returns as many records as [`tally`] counts, so that events can be numbered before
//!   conversion;
//! - unknown numbers of a newer scheduler are kept unchanged;
//! - kornsole's own records have a detail of 900 or more; upstream's endpoints omit them.
//!
//! One scheduler event can be several records: an allocation is reported for its node, user, group, and application.

mod convert;
mod page;
mod types;
mod weight;
mod words;

pub use convert::{Tally, records, tally};
pub use page::EventPage;
pub use scheduler::interface::grounds::{
    PreemptionGrounds, PreemptionRule, Retained, RetainedSurvey, UsageState, WhyRetained,
};
pub use types::{ChangeDetail, ChangeType, LONGEST_MESSAGE, ObjectType, Record};
pub use weight::is_important;

#[cfg(test)]
mod tests;
