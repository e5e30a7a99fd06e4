//! Trends: measured values of a cluster, its queues, users, and nodes, with names for rules and pages.
//!
//! ```text
//!  queue.use.cpu      what a queue uses of a resource, in thousandths of a core
//!  queue.waiting.p95  how long an application of the queue waits that has pending asks: 95 % wait less
//!  cluster.nodes.up   nodes that take allocations
//! ```
//!
//! Invariants:
//! - pure: [`measure`] depends only on a view, the known events, and a time;
//! - unknown is `None`, never 0;
//! - reads every queue, application, and node: runs on its own thread, every [`STEP`];
//! - the stored data is limited in time, bytes, rows, and marks ([`Ring`], [`MOST_ROWS`], [`MOST_MARKS`]).
//!
//! Start with [`Measure`], then [`measure`]. A [`Recorder`] adds moments to [`Rings`]; [`Rings::series`] reads them.

mod block;
mod codec;
mod mark;
mod measure;
mod moment;
mod recorder;
mod rings;
mod sampled;
mod saved;
mod series;
mod value;

use std::time::Duration;

pub use mark::{Mark, MarkKind};
pub use measure::{Known, LATELY, LOST_FOR, measure};
pub use moment::{Layout, Moment, Row};
pub use recorder::{MOST_MARKS, MOST_ROWS, Recorded, Recorder, WRONG_FROM};
pub use rings::{Ring, Rings};
pub use sampled::sampled;
pub use saved::{Change, Key, Write};
pub use series::{Metric, Series};
pub use value::{Measure, Subject, SubjectKind, Unit, UnknownValue, Value};

/// The interval of measurements.
pub const STEP: Duration = Duration::from_secs(10);
