//! The read model: what a person sees of a cluster at one time.
//!
//! A [`View`] is a value: its holder sees one consistent moment, however long. Views share everything that did
//! not change between them, so taking one costs what changed and not what exists; rows that nothing touched are the same
//! allocation (`Arc::ptr_eq`) in both.
//!
//! Invariants:
//! - plain data, no serialization, no IO, no clock;
//! - what follows from several rows (headroom, what binds) is computed when it is examined, in [`explain`], so that a
//!   change at the root touches the root's row and not every row below it;
//! - the REST client builds the same rows from a remote's answers.

pub mod act;
pub mod audit;
pub mod build;
pub mod chapter;
pub mod clock_runs;
pub mod drain;
pub mod explain;
pub mod fairness;
pub mod health;
pub mod history;
pub mod job;
pub mod kubernetes;
pub mod limits_used;
pub mod never;
pub mod notice;
pub mod overview;
pub mod preview;
pub mod quota;
pub mod record;
mod row_builder;
pub mod rows;
mod sample;
pub mod shadowed;
mod share;
pub mod simulation;
mod snapshot;
pub mod trends;
pub mod units;
pub mod unread;
mod usage;
pub mod used;
pub mod users;
pub mod waiting;

pub use build::ViewBuilder;
pub use chapter::{Chapter, Toward};
pub use clock_runs::{ClockGap, ClockRuns};
pub use drain::drain_notice;
pub use health::{Health, HealthCheck, health, health_of_picture};
pub use history::History;
pub use notice::{Notice, NoticeWeight};
pub use quota::{QuotaEffects, QuotaForecast, QuotaVictim};
pub use record::{ChangeDetail, ChangeType, EventPage, ObjectType, Record};
pub use rows::{
    AppGroup, AppRow, AppSlot, AskNotes, AskRow, AskState, Failure, ForeignAllocation, NodeAllocation, NodeRow, Origin,
    PendingReason, PriorityRow, PropertyRow, QueueRow, QueueSettings, QueueSlot, StateChange,
};
pub use sample::{PartitionSample, QueueSample, Sample};
pub use scheduler::placement;
pub use snapshot::{PartitionView, View};
pub use usage::{LimitUse, QueueUsageRow, UsageRow, UsageRows};
pub use users::Side;

pub use scheduler::usage::QueueLimits;
