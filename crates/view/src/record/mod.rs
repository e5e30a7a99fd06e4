//! Events with upstream's numbers: what the REST API sends and the console's events page shows (SCH-220 to SCH-224, `rest.md`
//! sections 5.12 and E10).
//!
//! Invariants:
//! - [`records`] is pure, and gives as many records as [`tally`] says, so that events can be numbered before they are converted;
//! - numbers are carried and never looked up: what a newer scheduler sends is kept unchanged;
//! - a record of kornsole has a detail of 900 or more; upstream's endpoints leave it out.
//!
//! One event of the scheduler may be several records: an allocation is reported of its node, its user, its group and its application.

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
