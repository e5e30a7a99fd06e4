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
//! - what is unknown is `None`, never 0;
//! - examines every queue, application and node: made on a thread of its own, every [`STEP`];
//! - what is kept is bounded in time, bytes, rows and marks ([`Ring`], [`MOST_ROWS`], [`MOST_MARKS`]).
//!
//! Start with [`Measure`] and its table, then [`measure`]. A [`Recorder`] takes moments into [`Rings`], of which [`Rings::series`] reads lines.

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
pub use series::{Figure, Series};
pub use value::{Measure, Subject, SubjectKind, Unit, UnknownValue, Value};

/// How often is measured.
pub const STEP: Duration = Duration::from_secs(10);
