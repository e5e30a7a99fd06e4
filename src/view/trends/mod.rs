//! Trends: what is measured of a cluster, its queues, users and nodes at a moment, by names that rules and pages use.
//!
//! ```text
//!  queue.use.cpu      what a queue uses of a resource, in thousandths of a core
//!  queue.waiting.p95  how long an application of the queue waits that has pending asks: 95 % wait less
//!  cluster.nodes.up   nodes that take allocations
//! ```
//!
//! Invariants:
//! - pure: [`measure`] reads a view, the events that are known and a time, and gives the same for the same;
//! - what is not known is `None`, never 0;
//! - looks at every queue, application and node: made on a thread of its own, every [`STEP`].
//!
//! Start with [`Measure`] and its table, then [`measure`].

mod measure;
mod moment;
mod value;

use std::time::Duration;

pub use measure::{Known, LATELY, LOST_FOR, measure};
pub use moment::{Layout, Moment, Row};
pub use value::{Measure, Subject, SubjectKind, Unit, UnknownValue, Value};

/// How often is measured.
pub const STEP: Duration = Duration::from_secs(10);
